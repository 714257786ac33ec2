# What else a posterior is asked, by those who know glm(): answers, or what to use.

#' What else a Bayesian fit can be asked
#'
#' Methods for the questions that users of [glm()] ask of a fit.
#'
#' @param object,x,formula A fit from [bayes_hofm()].
#' @param n How many of the numbers that are watched to draw, those with the worst R-hat.
#' @param nsim,seed As in [simulate()].
#' @param parm,level Not used.
#' @param ... For `plot()`: passed on to [matplot()]. Otherwise not used.
#' @return
#' * `fitted()`, `residuals()`: a value for each training row, the posterior mean of the response and what is left; rows that [na.exclude()]
#'   took out are `NA`. Classes are coded 0 and 1, or 1, 2, ...
#' * `nobs()`, `formula()`, `variable.names()`: the number of rows used, the formula, and the names of the features.
#' * `coef()`: posterior means of the intercept and of the weights of single features, in the unit of the response, on standardised columns;
#'   [interactions()] has intervals, and products.
#' * `sigma()`: the posterior mean of the noise's standard deviation; 1 where classes are cut from a latent response.
#' * `simulate()`: a data frame of `nsim` responses of the training rows, each from a draw of its own.
#' * `plot()`: draws each chain's way through numbers that are watched; returns, invisibly, a list of matrices, sweeps x chains.
#' * `model.frame()`, `vcov()`, `confint()`, `logLik()`, `deviance()`: an error of class `hofm_error_unsupported` that says what to use.
#' @name bayes_hofm_methods
#' @seealso [bayes_hofm()], [predict.bayes_hofm()]
#' @examples
#' fit <- bayes_hofm(mpg ~ hp + wt, mtcars, rank = 2, iter = 200, chains = 2,
#'                   control = hofm_control(seed = 1))
#' coef(fit)
#' sigma(fit)
#' plot(fit, n = 2)
NULL

#' @rdname bayes_hofm_methods
#' @importFrom stats fitted
#' @export
fitted.bayes_hofm <- function(object, ...) {
  check_bayes(object)
  mean <- if (count_draws(object) == 0) running_mean(object) else stats::predict(object)
  stats::napredict(object$na.action, mean)
}

# Of a fit that kept no draws: means of link values are kept, and of nothing that is not linear in them.
running_mean <- function(fit) {
  if (fit$family != "gaussian") {
    unsupported("`object` kept no draws, from which probabilities could be told: it was made with `keep = 0`.")
  }
  counts <- vapply(fit$chains, `[[`, 0L, "count")
  means <- vapply(fit$chains[counts > 0], `[[`, numeric(fit$n), "link_mean")
  drop(matrix(means, fit$n) %*% (counts / sum(counts))[counts > 0]) * fit$scaling$y$scale + fit$scaling$y$center
}

#' @rdname bayes_hofm_methods
#' @importFrom stats residuals
#' @export
residuals.bayes_hofm <- function(object, ...) {
  check_bayes(object)
  if (is.null(object$training)) unsupported("`object` has no training data: it was made with `keep_fitted = FALSE`.")
  y <- stats::naresid(object$na.action, object$training$y + (object$family == "ordinal"))
  y - stats::fitted(object)
}

#' @rdname bayes_hofm_methods
#' @importFrom stats nobs
#' @export
nobs.bayes_hofm <- function(object, ...) {
  check_bayes(object)
  object$n
}

#' @rdname bayes_hofm_methods
#' @importFrom stats formula
#' @export
formula.bayes_hofm <- function(x, ...) {
  check_bayes(x, "x")
  if (is.null(x$blueprint$formula)) unsupported("The fit was made from a matrix, a data frame `x` or pairs: it has no formula.")
  x$blueprint$formula
}

#' @rdname bayes_hofm_methods
#' @importFrom stats variable.names
#' @export
variable.names.bayes_hofm <- function(object, ...) {
  check_bayes(object)
  object$features
}

#' @rdname bayes_hofm_methods
#' @importFrom stats coef
#' @export
coef.bayes_hofm <- function(object, ...) {
  check_bayes(object)
  counts <- vapply(object$chains, `[[`, 0L, "count")
  means <- lapply(object$chains[counts > 0], function(chain) {
    parameters <- draw_parameters(object, chain$mean)
    c(`(Intercept)` = parameters$intercept, parameters$w)
  })
  mean <- Reduce(`+`, Map(`*`, means, (counts / sum(counts))[counts > 0])) * object$scaling$y$scale
  mean[1] <- mean[1] + object$scaling$y$center
  mean
}

#' @rdname bayes_hofm_methods
#' @importFrom stats sigma
#' @export
sigma.bayes_hofm <- function(object, ...) {
  check_bayes(object)
  if (object$family != "gaussian") return(1)
  d <- chain_diagnostics(object)
  d$mean[d$variable == "sigma"]
}

#' @rdname bayes_hofm_methods
#' @importFrom stats simulate
#' @export
simulate.bayes_hofm <- function(object, nsim = 1, seed = NULL, ...) {
  check_bayes(object, draws = TRUE)
  nsim <- check_count(nsim, "nsim", max = count_draws(object))
  draw <- function() posterior_predict.bayes_hofm(object, draws = nsim)
  values <- if (is.null(seed)) draw() else with_seed(check_count(seed, "seed", min = -.Machine$integer.max), draw())
  columns <- lapply(seq_len(nsim), function(r) stats::naresid(object$na.action, values[r, ]))
  list2DF(stats::setNames(columns, paste0("sim_", seq_len(nsim))))
}

#' @rdname bayes_hofm_methods
#' @export
plot.bayes_hofm <- function(x, n = 6, ...) {
  check_bayes(x, "x")
  n <- check_count(n, "n")
  known <- chain_diagnostics(x)
  shown <- utils::head(known$variable[order(-known$rhat, na.last = TRUE)], n)
  times <- min(vapply(x$chains, function(chain) ncol(chain$watched), 0L))
  if (times < 2) unsupported("`x` has too few draws to be drawn.")
  ways <- lapply(stats::setNames(match(shown, x$watched), shown), function(v) {
    matrix(vapply(x$chains, function(chain) chain$watched[v, seq_len(times)], numeric(times)), times)
  })
  old <- graphics::par(mfrow = grDevices::n2mfrow(length(ways)), mar = c(3, 3, 2, 1))
  on.exit(graphics::par(old))
  for (name in shown) {
    graphics::matplot(ways[[name]], type = "l", lty = 1, xlab = "", ylab = "", ...)
    graphics::title(sprintf("%s: R-hat %.2f", name, known$rhat[known$variable == name]), font.main = 1)
  }
  invisible(ways)
}

#' @rdname bayes_hofm_methods
#' @importFrom stats model.frame
#' @export
model.frame.bayes_hofm <- function(formula, ...) unsupported("A fit keeps the columns that it was trained on, and no model frame.")

#' @rdname bayes_hofm_methods
#' @importFrom stats vcov
#' @export
vcov.bayes_hofm <- function(object, ...) {
  unsupported("The factors of a posterior have no covariances that mean anything: use posterior::as_draws() for weights, or predict().")
}

#' @rdname bayes_hofm_methods
#' @importFrom stats confint
#' @export
confint.bayes_hofm <- function(object, parm, level = 0.95, ...) {
  unsupported("Use interactions() for intervals of weights, of degree 1 too, and predict(interval = ) for those of predictions.")
}

#' @rdname bayes_hofm_methods
#' @importFrom stats logLik
#' @export
logLik.bayes_hofm <- function(object, ...) {
  unsupported("A posterior has no one likelihood: use rstantools::log_lik() for that of each draw, loo::loo() to compare fits.")
}

#' @rdname bayes_hofm_methods
#' @importFrom stats deviance
#' @export
deviance.bayes_hofm <- function(object, ...) {
  unsupported("A posterior has no one deviance: use rstantools::log_lik() for the likelihood of each draw, loo::loo() to compare fits.")
}
