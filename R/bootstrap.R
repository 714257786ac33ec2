#' Refit to bootstrap samples
#'
#' A penalised fit has no standard errors of its own. `bootstrap_hofm()` draws rows of the training data with replacement, `times` times,
#' and fits the same model to each sample: what varies between the refits is what the data leave open. Refits start from the fit, which
#' makes them fast, and keep its penalties. Their predictions have a spread, from which `predict()` makes standard errors and
#' percentile intervals, and [interactions()] the share of refits that agree on an interaction.
#'
#' A sample is the same as whole-numbered weights of the rows, so that no level of a factor gets lost. Intervals are about the *fit*: how
#' it would vary with other rows from the same source. They do not cover what the penalty takes away, nor the choice of the penalty, nor
#' the spread of a new response about its mean. Rows must be independent of each other, which pairs of nodes are not.
#'
#' @param fit A fit from [hofm()], to a formula, a data frame or a matrix.
#' @param data The training rows. For a fit to a formula a data frame with the response in it, else the `x` of the fit.
#' @param y The response, unless the fit has a formula.
#' @param times How many samples.
#' @param weights,offset As in the fit, if it was given them, one value for each row.
#' @param seed A whole number from which all samples follow; `NULL` draws one.
#' @param workers How many processes share the refits; the result is the same for any number. As in [cv_hofm()], a plan of the future
#'   package is used where there is one.
#' @param verbose `TRUE` for a message after each refit. In an interactive session there is a bar.
#' @return An object of class `hofm_bootstrap`: a list with `fit`, `fits` (the refits, without values of the training rows), `times`, `seed`
#'   and `converged` (the share of refits that did).
#' @seealso [interactions()], [effects_hofm()]
#' @examples
#' cars <- transform(mtcars, cyl = factor(cyl), hp = hp / 100)
#' fit <- hofm(mpg ~ cyl + hp + wt, cars, rank = 2, lambda = 0.01)
#' boot <- bootstrap_hofm(fit, cars, times = 20, seed = 1)
#' boot
#' predict(boot, cars[1:3, ], se.fit = TRUE)
#' interactions(boot, n = 3)
#' @export
bootstrap_hofm <- function(fit, data, y = NULL, times = 100, weights = NULL, offset = NULL, seed = NULL, workers = 1, verbose = FALSE) {
  check_given()
  fit <- one_fit(fit, "fit")
  check_one_fit(fit)
  check_fit(fit, "fit", shown = TRUE)
  times <- check_count(times, "times")
  workers <- check_count(workers, "workers")
  verbose <- check_flag(verbose, "verbose")
  seed <- if (is.null(seed)) sample.int(.Machine$integer.max, 1L) else check_count(seed, "seed", min = 0)
  refit <- refit_function(fit, data, y, weights, offset)
  seeds <- with_seed(seed, sample.int(.Machine$integer.max, times))
  one <- function(job, step) {
    step(1)
    slim_fit(suppressWarnings(refit(seeds[job]), classes = "hofm_warning"))
  }
  fits <- share_out(times, one, workers, cv_progress(times, verbose, "Resampling"), function(job) sprintf("refit %d of %d", job, times),
                    function(found) inherits(found, "hofm"))
  structure(class = "hofm_bootstrap", list(
    fit = fit, fits = fits, times = times, seed = seed, converged = mean(vapply(fits, function(f) f$converged, NA))))
}

slim_fit <- function(fit) {
  structure(fit[setdiff(names(fit), c("linear.predictors", "residuals", "prior.weights", "na.action", "trace", "meeting"))], class = "hofm")
}

#' The function of a seed that fits the same model to a bootstrap sample of these rows
#' @noRd
refit_function <- function(fit, data, y, weights, offset) {
  formula <- fit$blueprint$formula
  check_refit_data(fit, data, y, weights, offset)
  n <- nrow(data)
  if (!is.null(weights)) weights <- check_weights(weights, n)$given
  if (!is.null(offset)) offset <- check_offset(offset, n)
  args <- c(list(x = if (is.null(formula)) data else formula), if (is.null(formula)) list(y = y) else list(data = data),
            refit_settings(fit), list(init = fit))
  if (!is.null(offset)) args$offset <- offset
  function(seed) {
    counts <- with_seed(seed, tabulate(sample.int(n, n, replace = TRUE), n))
    args$weights <- if (is.null(weights)) as.double(counts) else counts * weights
    args$control <- replace(fit$control, c("seed", "keep_fitted", "verbose"), list(seed, FALSE, FALSE))
    do.call(hofm, args)
  }
}

# What was fitted, as arguments of hofm().
refit_settings <- function(fit) {
  settings <- list(rank = fit$rank, lambda = fit$lambda, model = fit$model, loss = fit$loss, solver = fit$solver,
                   intercept = fit$has_intercept, linear = fit$linear, standardize = isTRUE(fit$standardize),
                   penalty_factor = fit$penalty_factor)
  c(if (!is.na(fit$order)) list(order = fit$order), settings)
}

check_refit_data <- function(fit, data, y, weights, offset) {
  if (inherits(data, "link_pairs") || !is.null(fit$blueprint$recipe)) {
    unsupported(paste("Refits need a fit to a formula, a data frame or a matrix: pairs of nodes are not independent rows,",
                      "and a recipe is estimated from its data. Resample nodes, or the data before the recipe, and fit anew."))
  }
  rows <- is.data.frame(data) || (is.null(fit$blueprint$formula) && (is.matrix(data) || is(data, "Matrix")))
  if (!rows) must_be("data", "the training rows, as the fit was given them", data)
  if (is.null(fit$blueprint$formula) && is.null(y)) {
    hofm_abort("`y`, the response, must be given: the fit has no formula to find it by.", argument = "y")
  }
  for (arg in c("weights", "offset")) {
    if (is.null(get(arg)) && isTRUE(fit[[paste0(arg, "_given")]])) {
      hofm_abort(sprintf("%s must be given, since the fit was made with them.", ticked(arg)), argument = arg)
    }
  }
}

check_bootstrap <- function(boot, arg) {
  check_sound(boot, list(
    fit = function(b) inherits(b$fit, "hofm"), times = function(b) is_count(b$times),
    converged = function(b) is_one(b$converged),
    fits = function(b) is.list(b$fits) && length(b$fits) == b$times && all(vapply(b$fits, alike, NA, b$fit))
  ), arg, "bootstrap")
}

# A refit has the features and the model of the fit, and is whole.
alike <- function(refit, fit) {
  check_fit(refit)
  identical(refit$features, fit$features) && identical(refit$model, fit$model) && identical(refit$order, fit$order)
}

#' Use refits to bootstrap samples
#'
#' @param object,x Refits from [bootstrap_hofm()].
#' @param newdata The rows to predict, as in [predict.hofm()].
#' @param type `"response"` or `"link"`.
#' @param se.fit Whether to add standard errors and percentile intervals.
#' @param level Confidence level of the intervals.
#' @param digits Significant digits of the numbers shown.
#' @param ... For `predict()`: passed on to [predict.hofm()]. For `print()`: not used.
#' @return `predict()`: the predictions of the fit, a vector; with `se.fit` a list with `fit`, `se.fit` (the standard deviation over the
#'   refits), `lower` and `upper` (quantiles over the refits) and `level`. `print()`: `x`, invisibly.
#' @seealso [bootstrap_hofm()]
#' @examples
#' fit <- hofm(mpg ~ wt + qsec, transform(mtcars, qsec = qsec / 10), rank = 2, lambda = 0.01)
#' boot <- bootstrap_hofm(fit, transform(mtcars, qsec = qsec / 10), times = 20, seed = 1)
#' predict(boot, data.frame(wt = 3, qsec = 1.8), se.fit = TRUE, level = 0.8)
#' @name hofm_bootstrap_methods
NULL

#' @rdname hofm_bootstrap_methods
#' @export
predict.hofm_bootstrap <- function(object, newdata, type = c("response", "link"), se.fit = FALSE, level = 0.9, ...) {
  check_bootstrap(object, "object")
  if (missing(newdata) || is.null(newdata)) hofm_abort("`newdata` must be given: refits keep no rows.", argument = "newdata")
  type <- if (missing(type)) "response" else check_choice(type, "type", c("response", "link"))
  se.fit <- check_flag(se.fit, "se.fit")
  check_level(level)
  fitted <- predict(object$fit, newdata, type = type, ...)
  if (!se.fit) return(fitted)
  spread <- matrix(vapply(object$fits, predict, numeric(length(fitted)), newdata, type = type, ...), length(fitted))
  c(list(fit = fitted), refit_bounds(spread, level), list(level = level))
}

# Standard deviation and quantiles of each row of a matrix with a column for each refit.
refit_bounds <- function(values, level) {
  ends <- c((1 - level) / 2, (1 + level) / 2)
  bounds <- vapply(seq_len(nrow(values)), function(i) {
    if (anyNA(values[i, ])) c(NA_real_, NA_real_) else stats::quantile(values[i, ], ends, names = FALSE)
  }, numeric(2))
  list(se.fit = apply(values, 1L, stats::sd), lower = bounds[1L, ], upper = bounds[2L, ])
}

#' @rdname hofm_bootstrap_methods
#' @export
print.hofm_bootstrap <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  check_bootstrap(x, "x")
  digits <- check_digits(digits)
  cat(sprintf("%s of a factorization machine to bootstrap samples, seed %.0f\n", counted(x$times, "refit"), x$seed))
  if (x$converged < 1) cat(sprintf("%s%% of them converged\n", format(100 * x$converged, digits = digits)))
  cat("\n")
  print(x$fit, digits = digits)
  invisible(x)
}
