# The two sides of an undirected graph of one node set. Called by hofm() on link_pairs() and by everything that scores pairs.
#
# Training sees every pair both ways round, so that exchanging the sides changes nothing. The objective is convex in what the factors
# multiply up to (P P' of order two, U V' of a bilinear model), so its least value is reached by a model with equal sides: V = U D, D a
# diagonal of signs. Where a descent ends is brought to that form: averaging the two sides raises neither the loss nor the penalty, and of
# the directions that this makes the leading ones are kept, as many as there were factors. Other models have no such form in as many
# factors: of them it is the two scores that are averaged.

#' Whether (i, j) and (j, i) are to have the same score
#' @param tied NULL for undirected graphs of one node set, TRUE, FALSE.
#' @noRd
check_tied <- function(tied, pairs) {
  undirected <- pairs$one_set && !pairs$directed
  if (is.null(tied)) return(undirected)
  if (!check_flag(tied, "tied") || undirected) return(tied)
  hofm_abort(sprintf("`tied` must be FALSE or NULL: %s.", if (pairs$one_set) "in a directed graph (i, j) and (j, i) are different pairs"
                     else "`x` has two node sets"), c("hofm_error_unsupported", "hofm_error_input"), argument = "tied")
}

# Whether equal sides are a matter of the parameters.
ties_parameters <- function(spec) spec$model == "bilinear" || (spec$model == "hofm" && spec$order <= 2)

# Whether the scores of a fit are the means of both ways round.
averages_sides <- function(fit) isTRUE(fit$tied) && !ties_parameters(fit)

# Every pair both ways round, one after the other.
mirrored_pairs <- function(pairs) {
  pairs[c("i", "j", "y")] <- list(c(pairs$i, pairs$j), c(pairs$j, pairs$i), rep(pairs$y, 2L))
  if (!is.null(pairs$context)) pairs$context <- from_matrix(rbind(pairs$context, pairs$context))
  replace(pairs, "directed", TRUE)
}

#' A fit to both ways round, with its sides tied
#' @param training The problem that it was fitted to.
#' @param problem The samples that measures of the fit are about.
#' @noRd
tie_engine <- function(engine, training, problem, spec, control) {
  if (ties_parameters(spec)) engine <- moved_to(engine, tied_parameters(engine, spec), training, spec, control)
  fit <- c(engine[c("intercept", "w", "P", "theta", "gamma", "common")], spec[c("model", "order", "rank", "linear", "tied")])
  engine$link <- link_values(fit, problem$blocks, control$threads) + if (length(problem$offset)) problem$offset else 0
  engine$steps <- NULL                      # they belong to the parameters as they were
  if (!is.null(engine$ranking)) engine$ranking[c("links", "others")] <- lapply(engine$ranking[c("links", "others")], `/`, 2)
  engine
}

# The same fit at other parameters, with its objective there. Descents of no steps only evaluate; rankings have a solver of their own.
moved_to <- function(engine, parameters, training, spec, control) {
  control <- utils::modifyList(control, list(max_iter = 0L, validation = 0, verbose = FALSE, seed = engine$seed))
  if (spec$loss != "auc") spec$solver <- "cd"
  there <- suppressWarnings(fit_model(training, spec, control, parameters), classes = "hofm_warning_collapsed")
  engine[c("w", "P")] <- there[c("w", "P")]
  engine[c("objective", "loss_value")] <- there[c("objective", "loss_value")]
  engine
}

tied_parameters <- function(engine, spec) {
  parameters <- engine[c("intercept", "w", "P", "theta", "gamma", "common")]
  one <- seq_len(spec$split)
  other <- one + spec$split
  if (!is.null(parameters$w)) parameters$w[c(one, other)] <- rep((parameters$w[one] + parameters$w[other]) / 2, 2)
  if (spec$model == "bilinear") {
    sides <- tied_products(parameters$P$U, parameters$P$V)
    parameters$P$U[] <- sides$U
    parameters$P$V[] <- sides$V
  } else {
    parameters$P[] <- lapply(parameters$P, tied_factors, one, other)
  }
  parameters
}

# (U V' + V U') / 2 as U D U', from the eigenvalues that are largest in size.
tied_products <- function(U, V) {
  k <- ncol(U)
  both <- qr(cbind(U, V))
  R <- qr.R(both)[, order(both$pivot), drop = FALSE]
  half <- tcrossprod(R[, seq_len(k), drop = FALSE], R[, -seq_len(k), drop = FALSE])
  found <- eigen((half + t(half)) / 2, symmetric = TRUE)
  kept <- order(-abs(found$values))[seq_len(min(k, length(found$values)))]
  out <- matrix(0, nrow(U), k)
  out[, seq_along(kept)] <- qr.Q(both) %*% (found$vectors[, kept, drop = FALSE] * rep(sqrt(abs(found$values[kept])), each = nrow(R)))
  list(U = out, V = out * rep(c(sign(found$values[kept]), numeric(k - length(kept))), each = nrow(out)))
}

# P P' averaged with itself, sides exchanged, is that of the halves (U + V) / 2, equal on both sides, and (U - V) / 2, opposite. They are
# turned so that their columns are orthogonal, and the longest ones kept. A context, which has no side, goes with the equal ones.
tied_factors <- function(P, one, other) {
  even <- P
  even[one, ] <- even[other, ] <- (P[one, ] + P[other, ]) / 2
  odd <- P - even
  odd[-c(one, other), ] <- 0
  turned <- lapply(list(even, odd), function(half) half %*% eigen(crossprod(half), symmetric = TRUE)$vectors)
  turned <- do.call(cbind, turned)
  P[] <- turned[, order(-colSums(turned^2))[seq_len(ncol(P))]]
  P[other, ] <- P[one, ] * rep(ifelse(colSums(P[one, , drop = FALSE] * P[other, , drop = FALSE]) < 0, -1, 1), each = length(one))
  P
}

#' Values of samples, the mean of both ways round where a fit asks for it
#' @noRd
of_both_ways <- function(fit, blocks, values) {
  if (!averages_sides(fit)) return(values(blocks))
  exchanged <- blocks
  exchanged[[1L]] <- blocks[[2L]]
  exchanged[[2L]] <- blocks[[1L]]
  (values(blocks) + values(exchanged)) / 2
}
