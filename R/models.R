# The models: what each is made of, in one place. A model is an intercept and a list of terms (see model.h); everything that
# depends on `model =` asks here.

# orders: the orders it takes, or NULL if it has none. per_degree: separate P, rank and lambda for each degree.
# linear: whether it has a degree-1 term of its own. solvers: all, or those that can fit it, and why not the others.
model_table <- function() {
  all <- c("cd", "lbfgs", "adagrad", "sgd")
  list(
    hofm = list(orders = c(1L, max_order), per_degree = TRUE, linear = TRUE, solvers = all),
    shared = list(orders = c(2L, max_order), per_degree = FALSE, linear = FALSE, solvers = all),
    simplex = list(
      orders = c(2L, max_order), per_degree = FALSE, linear = FALSE, solvers = "cd",
      why = "its `theta` is kept on the simplex by alternating with the factors, which only coordinate descent does"
    ),
    all_subsets = list(orders = NULL, per_degree = FALSE, linear = FALSE, solvers = all),
    polynomial = list(orders = c(1L, max_order), per_degree = FALSE, linear = FALSE, solvers = all),
    bilinear = list(orders = NULL, per_degree = FALSE, linear = FALSE, solvers = all)
  )
}

model_names <- function() names(model_table())

# The core keeps its sums of up to this degree on the stack (kMaxOrder in model.h).
max_order <- 20L

# Dummy ones in front of the features: their weights are gamma.
dummies <- function(spec) switch(spec$model, shared = spec$order - 1L, polynomial = 1L, 0L)

# The degrees >= 2 of a "hofm" that are in the model: rank 0 leaves a degree out.
fitted_degrees <- function(spec) which(c(0L, spec$rank) > 0L)

# Names of the elements of P.
factor_names <- function(spec) {
  switch(spec$model,
    hofm = as.character(fitted_degrees(spec)), all_subsets = "all", bilinear = c("U", "V"), as.character(spec$order)
  )
}

# One term as the core takes it.
new_term <- function(kernel, degree, lambda, P, augment = 0L, split = 0L, theta = numeric()) {
  list(kernel = kernel, degree = degree, lambda = lambda, P = P, augment = augment, split = split, theta = theta)
}

#' Parameters as the core takes them.
#'
#' @param parameters A list with `intercept`, `w`, `P`, `theta` and `gamma`, as far as the model has them.
#' @param spec What is fitted; of a fit, the fit itself.
#' @noRd
cpp_model <- function(parameters, spec) {
  P <- parameters$P
  one <- if (length(P)) P[[1L]]
  terms <- switch(spec$model,
    hofm = separate_terms(parameters, spec),
    shared = list(new_term("anova", spec$order, spec$lambda, rbind(parameters$gamma, one), augment = spec$order - 1L)),
    simplex = list(new_term("mix", spec$order, spec$lambda, one, theta = parameters$theta)),
    all_subsets = list(new_term("all_subsets", 1L, spec$lambda, one)),
    polynomial = list(new_term("polynomial", spec$order, spec$lambda, rbind(parameters$gamma, one), augment = 1L)),
    bilinear = list(new_term("bilinear", 2L, spec$lambda, rbind(P$U, P$V), split = nrow(P$U)))
  )
  list(intercept = parameters$intercept, fit_intercept = isTRUE(spec$intercept), terms = terms)
}

separate_terms <- function(parameters, spec) {
  linear <- if (spec$linear) list(new_term("anova", 1L, spec$lambda[1L], matrix(parameters$w, ncol = 1L)))
  c(linear, lapply(fitted_degrees(spec), function(t) {
    new_term("anova", t, spec$lambda[t], parameters$P[[as.character(t)]])
  }))
}

# ... and back, with names.
model_parameters <- function(fitted, spec, features) {
  P <- fitted$P
  out <- list(intercept = fitted$intercept, w = NULL, P = NULL, theta = NULL, gamma = NULL)
  if (spec$model == "hofm" && spec$linear) {
    out$w <- stats::setNames(P[[1L]][, 1L], features)
    P <- P[-1L]
  }
  if (dummies(spec) > 0L) {
    out$gamma <- P[[1L]][seq_len(dummies(spec)), , drop = FALSE]
    P[[1L]] <- P[[1L]][-seq_len(dummies(spec)), , drop = FALSE]
  }
  if (spec$model == "polynomial") out$gamma <- drop(out$gamma)
  if (spec$model == "shared") out$theta <- theta_from_gamma(out$gamma)
  if (spec$model == "simplex") out$theta <- fitted$theta[[1L]]
  P <- lapply(P, function(p) {
    rownames(p) <- features
    p
  })
  if (spec$model == "bilinear") P <- list(P[[1L]][seq_len(spec$split), , drop = FALSE], P[[1L]][-seq_len(spec$split), , drop = FALSE])
  out$P <- stats::setNames(P, factor_names(spec))
  out
}

#' Weights of the degrees from the weights of the dummies, factor by factor.
#'
#' Unrolling multi-linearity (7) over the dummies: A^m of [gamma, p] and [1, x] is the sum over t of e_(m-t)(gamma) A^t(p, x), where
#' e_u is the u-th elementary symmetric polynomial. So theta_t = e_(m-t)(gamma), and theta_m = 1.
#' @param gamma (m - 1) x k.
#' @return m x k.
#' @noRd
theta_from_gamma <- function(gamma) {
  m <- nrow(gamma) + 1L
  apply(gamma, 2L, function(g) vapply(seq_len(m), function(t) anova_kernel(g, rep(1, m - 1L), m - t), 0))
}

#' The weights of single features and of their products, degree by degree
#'
#' The weight of a set J of t distinct features is W^(t)_J = sum_s c_s prod_(j in J) p_js.
#' @return list(P = d x k, c = k weights), or NULL if degree t is not in the model.
#' @noRd
degree_factors <- function(fit, t) {
  P <- fit$P[[if (fit$model == "hofm") as.character(t) else 1L]]
  weights <- switch(fit$model,
    hofm = if (!is.null(P)) rep(1, ncol(P)),
    shared = if (t <= fit$order) fit$theta[t, ],
    simplex = if (t <= fit$order) rep(fit$theta[t], ncol(P)),
    all_subsets = rep(1, ncol(P)),
    polynomial = if (t <= fit$order) factorial(fit$order) / factorial(fit$order - t) * fit$gamma^(fit$order - t)
  )
  if (fit$model == "bilinear") return(if (t == 2L) bilinear_factors(fit$P$U, fit$P$V))
  if (fit$model == "hofm" && t == 1L) return(if (!is.null(fit$w)) list(P = as.matrix(fit$w), c = 1))
  if (is.null(weights)) NULL else list(P = P, c = weights)
}

# <u, v> for a feature of each side and 0 for two of the same: (u, u) and (v, -v) with weights 1/2 and -1/2.
bilinear_factors <- function(U, V) {
  list(P = rbind(cbind(U, U), cbind(V, -V)), c = rep(c(0.5, -0.5), each = ncol(U)))
}

# ---- Starting values ---------------------------------------------------------------------------------------

#' Starting values: the given ones, else the intercept that fits best alone, w = 0 and random P.
#'
#' At P = 0 every degree from 2 on has slope zero, and for degrees from 3 on the penalty pulls a small P straight back to it. So
#' the spread of P comes from the data (see `default_init_sd()`). The dummies' weights start at one, where every degree has its
#' share, and theta in the middle of the simplex; but the gamma of a polynomial network is drawn like P, since one beside a small P is
#' next to a linear model, which fits are slow to leave. Features without a single nonzero start, and stay, at zero, and so do
#' degrees above the number of nonzeros of every row.
#' @noRd
starting_values <- function(problem, spec, init_sd, init = NULL) {
  if (!is.null(init)) return(init)
  names <- factor_names(spec)
  sd <- if (is.null(init_sd)) default_init_sd(problem, spec) else rep_len(init_sd, length(names))
  d <- length(problem$features)
  rank <- spec$rank[spec$rank > 0L]
  empty <- unlist(lapply(problem$blocks, function(block) diff(block$x@p) == 0L))
  P <- Map(function(k, sd) {
    p <- matrix(stats::rnorm(d * k, sd = sd), d)
    p[empty, ] <- 0
    p
  }, rank, sd[seq_along(rank)])
  idle <- spec$model == "hofm" & !rows_reach(problem, fitted_degrees(spec))
  P[idle] <- lapply(P[idle], function(p) 0 * p)
  if (spec$model == "bilinear") P <- list(P[[1L]][seq_len(spec$split), , drop = FALSE], P[[1L]][-seq_len(spec$split), , drop = FALSE])
  list(
    intercept = if (spec$intercept) starting_intercept(problem, spec) else 0,
    w = if (spec$linear) numeric(d), P = stats::setNames(P, names),
    theta = if (spec$model == "simplex") rep(1 / spec$order, spec$order),
    gamma = starting_gamma(spec, sd)
  )
}

starting_gamma <- function(spec, sd) {
  if (dummies(spec) == 0L) return(NULL)
  matrix(if (spec$model == "polynomial") stats::rnorm(spec$rank, sd = sd) else 1, dummies(spec), spec$rank)
}

# Whether some row has as many nonzeros as the degree. A degree beyond them has no products to fit: from anywhere but zero its factors
# would follow rounding errors, and without a penalty follow them far. Rows are counted only where their mean does not settle it.
rows_reach <- function(problem, degrees) {
  most <- function(count) sum(vapply(problem$blocks, function(block) as.double(count(block$x)), 0))
  mean <- most(function(x) length(x@i) / max(1L, nrow(x)))
  if (all(degrees <= mean)) return(rep(TRUE, length(degrees)))
  degrees <= most(function(x) max(tabulate(x@i + 1L), 0L))
}

# All-subsets is 1 per factor at P = 0.
starting_intercept <- function(problem, spec) {
  best_intercept(problem, spec$loss) - if (spec$model == "all_subsets") spec$rank else 0
}

best_intercept <- function(problem, loss) {
  mean <- if (is.null(problem$mean)) sum(problem$weights * problem$y) else problem$mean
  switch(loss,
    squared = mean - if (length(problem$offset)) sum(problem$weights * problem$offset) else 0,
    logistic = stats::qlogis((1 + mean) / 2),
    squared_hinge = 0,
    poisson = log(mean)
  )
}

# The spread of P at which its term starts out with a visible share of the response's spread.
init_share <- 0.1

#' With p ~ N(0, sd^2) a degree-t term of k factors has second moment k sd^(2t) E_t, E_t the mean of A^t(x^2, 1) over rows.
#' A model that mixes degrees with weights c_t has the sum of c_t^2 k sd^(2t) E_t, which is solved for sd.
#' @return One value per element of P.
#' @noRd
default_init_sd <- function(problem, spec) {
  most <- if (spec$model == "hofm") spec$order else min(max(spec$order, 2L, na.rm = TRUE), length(problem$features))
  if (spec$model == "hofm" && most < 2L) return(numeric())
  x <- joined_sample(problem)
  scale <- max(abs(x@x), 0)
  if (scale == 0) return(rep(0.01, length(factor_names(spec))))
  goal <- init_share^2 * response_variance(problem, spec$loss)
  if (spec$model == "polynomial") return(polynomial_spread(x, scale, spec, goal))
  x@x <- x@x / scale                                    # so that no product of many features overflows
  spread <- kernel_spread_cpp(x, most)
  sd <- if (spec$model == "hofm") {
    t <- fitted_degrees(spec)
    (goal / (spec$rank[t - 1L] * spread[t]))^(1 / (2 * t))
  } else {
    solve_spread(spread, start_weights(spec, most)^2 * spec$rank, goal)
  }
  ifelse(is.finite(sd), sd / scale, 0.01)
}

# For a polynomial network gamma_s + <p_s, x> is normal with variance v = sd^2 (1 + |x|^2). Its power m has second moment
# (2m - 1)!! v^m and, for even m, mean (m - 1)!! v^(m/2), which all k factors share. In logarithms, and with x divided by its largest
# value: powers may be beyond the largest double.
polynomial_spread <- function(x, scale, spec, goal) {
  m <- spec$order
  k <- spec$rank
  odd_product <- function(n) prod(seq(1, n, 2))
  moment <- k * odd_product(2 * m - 1) + if (m %% 2 == 0) k * (k - 1) * odd_product(m - 1)^2 else 0
  power <- m * log(scale^-2 + Matrix::rowSums((x / scale)^2))
  mean <- max(power) + log(mean(exp(power - max(power))))
  sd <- exp((log(goal) - log(moment) - mean) / (2 * m)) / scale
  if (is.finite(sd) && sd > 0) sd else 0.01
}

# c_1, ..., c_most at the start.
start_weights <- function(spec, most) {
  t <- seq_len(most)
  switch(spec$model,
    shared = choose(spec$order - 1, spec$order - t),
    simplex = rep(1 / spec$order, most),
    bilinear = as.numeric(t == 2L),
    rep(1, most)
  )
}

# The sd at which sum_t weight_t sd^(2t) spread_t is `goal`; the sum rises from 0, so there is one. In logarithms, which neither
# overflow nor vanish: it lies between where the largest part is a T-th of the goal and where it is all of it.
solve_spread <- function(spread, weights, goal) {
  t <- which(weights * spread > 0)
  size <- log(weights[t]) + log(spread[t])
  if (!length(t) || !all(is.finite(c(size, log(goal))))) return(NaN)
  excess <- function(log_sd) {
    parts <- 2 * t * log_sd + size - log(goal)
    max(parts) + log(sum(exp(parts - max(parts))))
  }
  ends <- c(min((log(goal) - log(length(t)) - size) / (2 * t)) - 1e-6, min((log(goal) - size) / (2 * t)) + 1e-6)
  exp(stats::uniroot(excess, ends, tol = 1e-6)$root)
}

# Rows to take the spread from: those of the matrix itself, or of at most 2,000 samples of a joined design.
joined_sample <- function(problem) {
  if (length(problem$blocks) == 1L && is.null(problem$blocks[[1L]]$index)) return(problem$blocks[[1L]]$x)
  rows <- unique(round(seq(1, problem$n, length.out = 2000)))
  parts <- lapply(problem$blocks, function(block) {
    block$x[if (is.null(block$index)) rows else block$index[rows], , drop = FALSE]
  })
  as(do.call(cbind, parts), "CsparseMatrix")
}

# Variance of the response on the link scale: its own for the squared loss, of order one for the others.
response_variance <- function(problem, loss) {
  if (loss != "squared") return(1)
  if (!is.null(problem$mean)) return(problem$mean * (1 - problem$mean))       # of a 0/1 response
  y <- problem$y - if (length(problem$offset)) problem$offset else 0
  sum(problem$weights * (y - sum(problem$weights * y))^2)
}

# ---- Values ------------------------------------------------------------------------------------------------

# One column per term of the model, without intercept and offset. The penalty plays no part.
term_values <- function(fit, blocks, threads) {
  spec <- fit[c("model", "order", "rank", "linear")]
  spec$lambda <- if (fit$model == "hofm") numeric(fit$order) else 0
  within_memory(term_values_cpp(blocks, cpp_model(fit, spec), threads))
}

# Link values of new rows, without offset.
link_values <- function(fit, blocks, threads) rowSums(term_values(fit, blocks, threads)) + fit$intercept

#' The parts that the link is the sum of
#'
#' Columns: the intercept, with whatever constant the kernel has, then the degrees. All-subsets has as many degrees as a row has
#' nonzeros: the first five and the rest are told apart.
#' @noRd
degree_values <- function(fit, blocks, threads) {
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
    if (!is.null(block$index)) return(list(x = block$x, index = block$index[rows]))
    list(x = if (length(rows) < problem$n) block$x[rows, , drop = FALSE] else block$x, index = NULL)
  })
  values <- degree_values(fit, blocks, fit$control$threads)
  weights <- problem$weights[rows] / sum(problem$weights[rows])
  spread <- function(v) sum(weights * (v - sum(weights * v))^2)
  stats::setNames(c(apply(values[, -1L, drop = FALSE], 2L, spread), spread(rowSums(values))), c(degree_names(fit)[-1L], "total"))
}

degree_names <- function(fit) {
  if (fit$model == "all_subsets") return(c("intercept", paste("degree", 1:5), "higher degrees"))
  c("intercept", paste("degree", seq_len(if (fit$model == "bilinear") 2L else fit$order)))
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
