#' Are predictions as large as what happens?
#'
#' Rows are put into bins of nearly equal size by what was predicted, and the mean of the predictions in each is held against the mean of
#' what happened: the share of the second class, with Wilson's interval, or the mean of a number, with Student's. The slope is that of
#' the logistic regression of the class on the logit of the predicted probability (of a number, of the regression on the prediction):
#' one is right, below one the predictions are too far from the middle, as those of a fit with too small a penalty, above one too
#' close to it. The intercept is that with the slope held at one: zero if predictions are right on average.
#'
#' @param truth The response of rows that the model has not seen: two classes as in [roc_curve()], or numbers.
#' @param predicted Their predicted probabilities of the second class, or predicted numbers.
#' @param bins How many bins; fewer where predictions are tied.
#' @param level Confidence level of the intervals.
#' @param x,object A calibration.
#' @param digits Significant digits of the numbers shown.
#' @param ... For `plot()`: passed on to [graphics::plot.default()]. Otherwise not used.
#' @return A data frame of class `calibration_curve` with a row for each bin: `predicted` and `observed` (means), `lower`, `upper`, `n`;
#'   its attributes `slope` and `intercept` have intervals, vectors of `estimate`, `lower` and `upper`. `plot()` and `print()`: it,
#'   invisibly. `autoplot()`: a ggplot.
#' @seealso [compare_models()], which shows the slope of several models; [roc_curve()] for the order of predictions.
#' @examples
#' cars <- transform(mtcars, am = am == 1)
#' odd <- seq(1, 31, by = 2)
#' fit <- hofm(am ~ wt + qsec, cars[odd, ], rank = 1, lambda = 0.02)
#' curve <- calibration_curve(cars$am[-odd], predict(fit, cars[-odd, ]), bins = 4)
#' curve
#' plot(curve)
#' @export
calibration_curve <- function(truth, predicted, bins = 10, level = 0.95) {
  check_given()
  bins <- check_count(bins, "bins")
  check_level(level)
  if (!is_number_like(predicted) || !is.null(dim(predicted)) || !length(predicted)) {
    must_be("predicted", "a vector of probabilities, or of numbers", predicted)
  }
  if (length(truth) != length(predicted)) {
    hofm_abort(sprintf("`truth` and `predicted` must have the same length, not %d and %d.", length(truth), length(predicted)),
               argument = "predicted")
  }
  whole <- !is.na(truth) & !is.na(predicted)
  if (!any(whole)) hofm_abort("`truth` and `predicted` must have a row in which neither is missing.", argument = "predicted")
  predicted <- as.double(predicted[whole])
  classes <- has_two_classes(truth[whole])
  y <- if (classes) as.double(check_truth(truth[whole])$positive) else truth[whole]
  if (!is_number_like(y) || !all(is.finite(c(y, predicted)))) must_be("truth", "two classes, or finite numbers", truth)
  if (classes && any(predicted < 0 | predicted > 1)) {
    hofm_abort("`predicted` must be probabilities, from 0 to 1, where `truth` has two classes.", argument = "predicted")
  }
  ends <- unique(stats::quantile(predicted, seq(0, 1, length.out = bins + 1), names = FALSE))
  bin <- if (length(ends) > 1) cut(predicted, ends, include.lowest = TRUE) else factor(rep(1, length(y)))
  rows <- split(seq_along(y), droplevels(bin))
  table <- do.call(rbind, lapply(unname(rows), calibration_bin, predicted, y, classes, level))
  line <- calibration_line(y, predicted, classes, level)
  structure(table, slope = line$slope, intercept = line$intercept, level = level, classes = classes, range = range(predicted),
            class = c("calibration_curve", "data.frame"))
}

calibration_bin <- function(rows, predicted, y, classes, level) {
  n <- length(rows)
  bounds <- if (classes) wilson_bounds(mean(y[rows]), n, level) else unname(t_summary(y[rows], level)[c("lower", "upper")])
  data.frame(predicted = mean(predicted[rows]), observed = mean(y[rows]), lower = bounds[1], upper = bounds[2], n = n)
}

wilson_bounds <- function(p, n, level) {
  z <- stats::qnorm((1 + level) / 2)
  middle <- (p + z^2 / (2 * n)) / (1 + z^2 / n)
  half <- z / (1 + z^2 / n) * sqrt(p * (1 - p) / n + z^2 / (4 * n^2))
  c(if (p == 0) 0 else middle - half, if (p == 1) 1 else middle + half)
}

# Slope and intercept with intervals; NA where they are not determined.
calibration_line <- function(y, predicted, classes, level) {
  x <- if (classes) bounded_logit(predicted) else predicted
  unknown <- c(estimate = NA_real_, lower = NA_real_, upper = NA_real_)
  estimate <- function(X, offset) {
    if (length(unique(y)) < 2 || qr(X)$rank < ncol(X)) return(unknown)
    fit <- suppressWarnings(stats::glm.fit(X, y, offset = offset, family = if (classes) stats::binomial() else stats::gaussian()))
    if (classes && (!fit$converged || any(abs(stats::coef(fit)) > 1e3))) return(unknown)
    se <- sqrt(diag(chol2inv(fit$qr$qr[seq_len(ncol(X)), seq_len(ncol(X)), drop = FALSE]))[ncol(X)] *
                 if (classes) 1 else sum(fit$residuals^2) / max(1, fit$df.residual))
    half <- se * if (classes) stats::qnorm((1 + level) / 2) else stats::qt((1 + level) / 2, max(1, fit$df.residual))
    value <- stats::coef(fit)[[ncol(X)]]
    c(estimate = value, lower = value - half, upper = value + half)
  }
  list(slope = estimate(cbind(1, x), NULL), intercept = estimate(matrix(1, length(x)), x))
}

bounded_logit <- function(p) stats::qlogis(pmin(1 - 1e-9, pmax(1e-9, p)))

logistic_slope <- function(probability, positive) {
  if (any(probability < 0 | probability > 1)) return(NA_real_)
  calibration_line(as.double(positive), probability, TRUE, 0.95)$slope[["estimate"]]
}

linear_slope <- function(predicted, y) calibration_line(y, predicted, FALSE, 0.95)$slope[["estimate"]]

check_calibration <- function(x, arg) {
  number <- function(field) function(c) is_plain_number(c[[field]]) && length(c[[field]]) > 0
  line <- function(value) is_plain_number(unname(value)) && identical(names(value), c("estimate", "lower", "upper"))
  check_sound(x, list(predicted = number("predicted"), observed = number("observed"), lower = number("lower"), upper = number("upper"),
                      n = number("n"), slope = function(c) line(attr(c, "slope")), intercept = function(c) line(attr(c, "intercept")),
                      classes = function(c) is_flag(attr(c, "classes")), level = function(c) is_one(attr(c, "level"))), arg, "calibration")
}

#' @rdname calibration_curve
#' @export
print.calibration_curve <- function(x, digits = 3, ...) {
  check_calibration(x, "x")
  digits <- check_digits(digits)
  cat(sprintf("Calibration of %s predictions\n", count_text(sum(x$n))), calibration_words(x, "slope", digits),
      calibration_words(x, "intercept", digits), "\n", sep = "")
  print(as.data.frame(unclass(x)[c("predicted", "observed", "lower", "upper", "n")]), digits = digits, row.names = FALSE)
  invisible(x)
}

calibration_words <- function(x, which, digits) {
  v <- attr(x, which)
  words <- if (anyNA(v)) "not determined" else {
    sprintf("%s (%s to %s)", format(v[[1]], digits = digits), format(v[[2]], digits = digits), format(v[[3]], digits = digits))
  }
  sprintf("%-11s%s\n", paste0(toupper(substr(which, 1, 1)), substring(which, 2), ":"), words)
}

calibration_axes <- function(x) {
  if (attr(x, "classes")) c("Predicted probability", "Observed share") else c("Prediction", "Observed mean")
}

calibration_limits <- function(x) {
  if (attr(x, "classes")) c(0, 1) else range(x$predicted, x$observed, x$lower, x$upper, na.rm = TRUE)
}

#' @rdname calibration_curve
#' @export
plot.calibration_curve <- function(x, ...) {
  check_calibration(x, "x")
  axes <- calibration_axes(x)
  settings <- list(x = calibration_limits(x), y = calibration_limits(x), type = "n", xlab = axes[1], ylab = axes[2], las = 1, log = "")
  old <- open_axes(settings, ...)
  on.exit(graphics::par(old))
  graphics::abline(0, 1, col = "grey60")
  graphics::segments(x$predicted, x$lower, x$predicted, x$upper, col = okabe_ito[["blue"]])
  graphics::lines(x$predicted, x$observed, type = "b", pch = 19, col = okabe_ito[["blue"]], lwd = 2)
  graphics::legend("topleft", slope_label(x), bty = "n", cex = 0.9)
  invisible(x)
}

slope_label <- function(x) trimws(sub(":", "", gsub(" +", " ", calibration_words(x, "slope", 2))))

#' @rdname calibration_curve
#' @exportS3Method ggplot2::autoplot
autoplot.calibration_curve <- function(object, ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  check_calibration(object, "object")
  axes <- calibration_axes(object)
  bare_ggplot(as.data.frame(unclass(object)[c("predicted", "observed", "lower", "upper")]), x = "predicted", y = "observed") +
    ggplot2::geom_abline(colour = "grey60") +
    ggplot2::geom_linerange(mapping(ymin = "lower", ymax = "upper"), colour = okabe_ito[["blue"]], na.rm = TRUE) +
    ggplot2::geom_line(colour = okabe_ito[["blue"]], linewidth = 0.8) + ggplot2::geom_point(colour = okabe_ito[["blue"]], size = 2) +
    ggplot2::coord_equal(xlim = calibration_limits(object), ylim = calibration_limits(object)) +
    ggplot2::labs(x = axes[1], y = axes[2], subtitle = slope_label(object))
}
