# Fits along a path of lambda, and where the path begins.

# Factors at zero are what a large penalty asks for, and no news on a path.
expect_collapse <- function(code) {
  withCallingHandlers(code, hofm_warning_collapsed = function(w) invokeRestart("muffleWarning"))
}

#' Fits along a path of lambda
#'
#' Which way to go was measured, on paths of 30 values over three or four decades and against a fit from a
#' random start at each value. Down the path, from large lambda to small, a fit that starts from factors at
#' zero stays there: the objective ends up to eight times as high. Up the path objectives are good, but on the
#' training pairs of debian_r (order 2, rank 8) it takes 0.8 of the time of the fits from random starts, since
#' the one fit at the smallest lambda is much of the work. Down, with collapsed columns drawn anew and the look
#' back, takes these shares of the time of random starts, with the mean change of the objective:
#'
#' | data | order | time | objective |
#' |---|---|---|---|
#' | 800 pairs of debian_r, rank 4 | 2 | 0.07 | -2 % |
#' | 2,000 x 40, rank 8; rank 4 | 2; 3 | 0.28; 0.10 | +0.02 %; -1 % |
#' | 500 x 20, rank 4, squared loss, three seeds | 2; 3 | 0.19 to 0.36; 0.22 to 0.25 | -0.2 to +0.01 %; -3 to -0.3 % |
#' | the same, logistic | 2 | 0.08 to 0.25 | -1 to -0.01 % |
#' | the same, L-BFGS | 4 | 0.42 to 0.71 | -3 to -2 % |
#' | the same, all-subsets | | 0.43 to 0.72 | -1 to 0 % |
#'
#' Fits of a few milliseconds, as in the last rows, have little to save. With the default `tol` a single point
#' can be 0.1 % worse at order 2, where the solver stopped early, and from order 3 on some points are worse by
#' up to 4 % and others better by up to 19 %: other local minima.
#' @param record Called with the place on the path and the fit, again if a lower objective is found.
#' @noRd
lambda_path <- function(problem, spec, lambda, control, seed, record) {
  fresh <- with_seed(seed, starting_values(problem, spec, control$init_sd))
  fit_at <- function(l, init) {
    fit <- expect_collapse(fit_model(problem, with_lambda(spec, lambda[l]), replace(control, "seed", seed), init))
    check_engine(fit)
    fit
  }
  lowest <- rep(Inf, length(lambda))
  last <- fresh
  for (l in seq_along(lambda)) {
    fit <- fit_at(l, revive(last, fresh))
    lowest[l] <- fit$objective
    record(l, fit)
    grown <- !identical(alive(fit$P, fresh$P), alive(last$P, fresh$P))
    if (l > 1 && (grown || lower(objective_at(lambda[l - 1], fit, lambda[l]), lowest[l - 1]))) {
      lowest <- look_back(l, fit, fit_at, lowest, record)
    }
    last <- fit
  }
  lowest
}

# Larger lambdas again from the fit at place l, as long as it pays.
look_back <- function(l, fit, fit_at, lowest, record) {
  for (k in rev(seq_len(l - 1))) {
    fit <- fit_at(k, parameters_of(fit))
    if (!lower(fit$objective, lowest[k])) break
    lowest[k] <- fit$objective
    record(k, fit)
  }
  lowest
}

# By more than the solvers' own tolerances leave open.
lower <- function(objective, than) objective < than - 1e-4 * abs(than)

# The objective of a fit at another lambda: what is minimised is linear in lambda.
objective_at <- function(other, fit, lambda) {
  fit$objective + (other - lambda) / 2 * (sum(fit$w^2) + sum(fit$gamma^2) + sum(vapply(fit$P, function(p) sum(p^2), 0)))
}

parameters_of <- function(fit) fit[c("intercept", "w", "P", "theta", "gamma")]

# Which columns of each P are at least a tenth as long as those that a fit starts from. Not half: where features are many,
# columns of that size are part of good fits, and drawing them anew cost 14 times the time on pairs of debian_r.
alive <- function(P, fresh) Map(function(p, f) colSums(p^2) >= colSums(f^2) / 100, unname(P), unname(fresh))

# Starting values from the last fit, but for the columns that are not alive.
revive <- function(last, fresh) {
  last$P <- Map(function(p, f, keep) {
    p[, !keep] <- f[, !keep]
    p
  }, last$P, fresh$P, alive(last$P, fresh$P))
  parameters_of(last)
}

default_path <- function(task, specs, plan, control, seed) {
  orders <- vapply(specs, function(spec) spec$order, 0L)
  largest_rank <- specs[!duplicated(orders, fromLast = TRUE)]
  top <- max(vapply(largest_rank, function(spec) largest_lambda(task$everything, spec, control, seed), 0))
  exp(seq(log(top), log(top * plan$ratio), length.out = plan$n_lambda))
}

#' The least lambda, to within a factor of two, at which all but the intercept is nearly zero
#'
#' A search by tens from the mean square of a feature, which is the scale of the loss's curvature, then by
#' halving on the log scale.
#' @noRd
largest_lambda <- function(problem, spec, control, seed) {
  control <- utils::modifyList(control, list(seed = seed, max_iter = 100L, validation = 0))
  if (spec$solver %in% c("sgd", "adagrad")) spec$solver <- "auto"
  goal <- 0.05 * sqrt(response_variance(problem, spec$loss))
  nearly_zero <- function(lambda) link_spread(problem, with_lambda(spec, lambda), control) < goal
  lambda <- max(vapply(problem$blocks, function(block) max(Matrix::colMeans(block$x^2)), 0), 1e-6)
  zero <- nearly_zero(lambda)
  for (step in 1:15) {
    lambda <- lambda * if (zero) 0.1 else 10
    if (nearly_zero(lambda) != zero) break
  }
  bounds <- log(lambda) + if (zero) c(0, log(10)) else c(-log(10), 0)
  for (step in 1:2) {
    middle <- mean(bounds)
    bounds <- if (nearly_zero(exp(middle))) c(bounds[1], middle) else c(middle, bounds[2])
  }
  exp(bounds[2])
}

link_spread <- function(problem, spec, control) {
  fit <- expect_collapse(fit_model(problem, spec, control))
  link <- fit$link - if (length(problem$offset)) problem$offset else 0
  sqrt(sum(problem$weights * (link - sum(problem$weights * link))^2))
}
