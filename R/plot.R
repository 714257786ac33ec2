#' Plot a fit
#'
#' `which = "convergence"` draws the objective, on a log scale when it is positive, against the time or the iterations spent; a
#' filled end point means that the solver stopped of its own accord. `which = "interactions"` draws the strongest
#' [interactions()] as bars, positive weights to the right in blue, negative ones to the left in orange.
#'
#' @param x A fit from [hofm()].
#' @param which What to draw: `"convergence"` or `"interactions"`.
#' @param against The horizontal axis of `"convergence"`: `"seconds"` or `"iteration"`.
#' @param degree,n Of `"interactions"`: how many features are combined, and how many combinations are shown.
#' @param ... Passed on to [plot()] or [barplot()].
#' @return What is drawn, a data frame, invisibly.
#' @examples
#' fit <- hofm(as.matrix(mtcars[c("wt", "qsec", "drat")]) / 10, mtcars$mpg, rank = 2)
#' plot(fit)
#' plot(fit, against = "iteration", main = "Fuel")
#' plot(fit, "interactions")
#' @export
plot.hofm <- function(x, which = c("convergence", "interactions"), against = c("seconds", "iteration"),
                      degree = 2, n = 15, ...) {
  which <- if (missing(which)) "convergence" else check_choice(which, "which", eval(formals()$which))
  against <- if (missing(against)) "seconds" else check_choice(against, "against", c("seconds", "iteration"))
  if (which == "interactions") return(invisible(plot_interactions(x, degree, n, ...)))
  trace <- x$trace
  sound <- is.data.frame(trace) && nrow(trace) && all(c("iteration", "seconds", "objective") %in% names(trace))
  if (!sound) hofm_abort("`x` has no trace to plot.", "hofm_error_damaged_fit")
  plot_convergence(trace, against, isTRUE(x$converged), ...)
  invisible(trace)
}

# Blue and orange of the Okabe-Ito palette: told apart by every eye, and in grey by the side of the axis they are on.
sign_colours <- c(positive = "#0072B2", negative = "#D55E00")

# The strongest on top. The left margin is as wide as the longest label, up to half of the figure, and the right one has room for half
# of the last number of the axis, which stands at its very end.
plot_interactions <- function(fit, degree, n, ...) {
  found <- interactions(fit, degree, n)
  if (!nrow(found)) hofm_abort(sprintf("The fit has no interactions of degree %d to plot.", degree), argument = "degree")
  shown <- found[rev(seq_len(nrow(found))), ]
  labels <- interaction_labels(shown)
  ticks <- pretty(c(0, shown$weight))
  inches <- function(text) max(graphics::strwidth(text, "inches"))
  margins <- c(min(inches(labels) + 0.3, 0.55 * graphics::par("din")[1]), max(inches(format(ticks)) / 2 + 0.1, graphics::par("mai")[4]))
  old <- graphics::par(mai = replace(graphics::par("mai"), c(2, 4), margins))
  on.exit(graphics::par(old))
  settings <- list(
    height = shown$weight, names.arg = labels, horiz = TRUE, las = 1, border = NA,
    col = sign_colours[ifelse(shown$weight < 0, "negative", "positive")], xlab = "Weight", xlim = range(ticks)
  )
  do.call(graphics::barplot, utils::modifyList(settings, list(...)))
  graphics::abline(v = 0, col = "grey40")
  found
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
