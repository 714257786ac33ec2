#' Plot a fit
#'
#' Draws the convergence of the solver: the objective, on a log scale when it is positive, against the time or
#' the iterations spent. A filled end point means that the solver stopped of its own accord.
#'
#' @param x A fit from [hofm()].
#' @param which What to draw: `"convergence"`.
#' @param against The horizontal axis: `"seconds"` or `"iteration"`.
#' @param ... Passed on to [plot()].
#' @return The trace that is drawn, a data frame, invisibly.
#' @examples
#' fit <- hofm(as.matrix(mtcars[c("wt", "qsec")]) / 10, mtcars$mpg, rank = 2)
#' plot(fit)
#' plot(fit, against = "iteration", main = "Fuel")
#' @export
plot.hofm <- function(x, which = "convergence", against = c("seconds", "iteration"), ...) {
  check_choice(which, "which", "convergence")
  against <- if (missing(against)) "seconds" else check_choice(against, "against", c("seconds", "iteration"))
  trace <- x$trace
  sound <- is.data.frame(trace) && nrow(trace) && all(c("iteration", "seconds", "objective") %in% names(trace))
  if (!sound) hofm_abort("`x` has no trace to plot.", "hofm_error_damaged_fit")
  plot_convergence(trace, against, isTRUE(x$converged), ...)
  invisible(trace)
}

plot_convergence <- function(trace, against, converged, ...) {
  settings <- list(
    x = trace[[against]], y = trace$objective, log = if (all(trace$objective > 0)) "y" else "",
    xlab = if (against == "seconds") "Seconds" else "Iteration", ylab = "Objective",
    type = "l", col = "#0072B2", lwd = 2, las = 1)
  do.call(graphics::plot, utils::modifyList(settings, list(...)))
  last <- nrow(trace)
  graphics::points(trace[[against]][last], trace$objective[last], pch = if (converged) 19 else 1,
                   col = "#D55E00")
}
