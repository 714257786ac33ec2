# Values of a fitted model on samples: by term, by degree, in all. Called by predict(), summary() and cross-validation.

# One column per term of the model, without intercept and offset. The penalty plays no part.
term_values <- function(fit, blocks, threads) {
  spec <- fit[c("model", "order", "rank", "linear")]
  spec$lambda <- if (fit$model == "hofm") numeric(fit$order) else 0
  within_memory(term_values_cpp(blocks, cpp_model(fit, spec), threads))
}

# Link values of new rows, without offset.
link_values <- function(fit, blocks, threads) {
  of_both_ways(fit, blocks, function(blocks) rowSums(term_values(fit, blocks, threads)) + fit$intercept + common_values(fit, blocks))
}

#' The parts that the link is the sum of
#'
#' Columns: the intercept, with whatever constant the kernel has, then the degrees. All-subsets has as many degrees as a row has
#' nonzeros: the first five and the rest are told apart. What two nodes have in common comes last, if the fit has a weight for it.
#' @noRd
degree_values <- function(fit, blocks, threads) {
  kernels <- of_both_ways(fit, blocks, function(blocks) kernel_values(fit[!names(fit) %in% c("common", "tied")], blocks, threads))
  cbind(kernels, if (!is.null(fit$common)) common_values(fit, blocks))
}

kernel_values <- function(fit, blocks, threads) {
  switch(fit$model,
    hofm = hofm_degrees(fit, blocks, threads),
    polynomial = polynomial_degrees(fit, blocks),
    bilinear = cbind(fit$intercept, 0, link_values(fit, blocks, threads) - fit$intercept),
    all_subsets = {
      kernel <- link_values(fit, blocks, threads) - fit$intercept
      degrees <- degree_sums(fit, blocks, 5L, threads)
      constant <- ncol(fit$P[[1L]])
      cbind(fit$intercept + constant, degrees, kernel - constant - rowSums(degrees))
    },
    cbind(fit$intercept, degree_sums(fit, blocks, fit$order, threads))
  )
}

#' Variance of each degree's part of the link over the training rows, and of the link itself ("total").
#' Of long data, ten thousand evenly spaced rows are taken.
#' @noRd
degree_variance <- function(fit, problem) {
  rows <- unique(round(seq(1, problem$n, length.out = 10000)))
  blocks <- lapply(problem$blocks, function(block) {
    if (!is.null(block$index)) return(replace(block, "index", list(block$index[rows])))
    list(x = if (length(rows) < problem$n) block$x[rows, , drop = FALSE] else block$x, index = NULL)
  })
  values <- degree_values(fit, blocks, fit$control$threads)
  weights <- problem$weights[rows] / sum(problem$weights[rows])
  spread <- function(v) sum(weights * (v - sum(weights * v))^2)
  stats::setNames(c(apply(values[, -1L, drop = FALSE], 2L, spread), spread(rowSums(values))), c(degree_names(fit)[-1L], "total"))
}

degree_names <- function(fit) {
  degrees <- if (fit$model == "all_subsets") c(paste("degree", 1:5), "higher degrees")
             else paste("degree", seq_len(if (fit$model == "bilinear") 2L else fit$order))
  c("intercept", degrees, if (!is.null(fit$common)) "common")
}

hofm_degrees <- function(fit, blocks, threads) {
  terms <- term_values(fit, blocks, threads)
  values <- matrix(0, nrow(terms), 1L + fit$order)
  values[, 1L] <- fit$intercept
  values[, 1L + c(if (fit$linear) 1L, as.integer(names(fit$P)))] <- terms
  values
}

# Columns t = 1, ..., most: sum_s c_ts A^t(p_s, x).
degree_sums <- function(fit, blocks, most, threads) {
  weights <- vapply(seq_len(most), function(t) degree_factors(fit, t)$c, numeric(ncol(fit$P[[1L]])))
  within_memory(degree_sums_cpp(blocks, fit$P[[1L]], matrix(weights, ncol = most), threads))
}

# The binomial theorem: (gamma + z)^m = sum_t choose(m, t) gamma^(m - t) z^t.
polynomial_degrees <- function(fit, blocks) {
  x <- blocks_matrix(blocks)
  z <- as.matrix(x %*% fit$P[[1L]])
  parts <- vapply(0:fit$order, function(t) {
    drop(z^t %*% (choose(fit$order, t) * fit$gamma^(fit$order - t)))
  }, numeric(nrow(x)))
  parts <- matrix(parts, nrow(x))
  parts[, 1L] <- parts[, 1L] + fit$intercept
  parts
}

# The joined rows as one matrix.
blocks_matrix <- function(blocks) {
  do.call(cbind, lapply(blocks, function(block) {
    if (is.null(block$index)) block$x else block$x[block$index, , drop = FALSE]
  }))
}
