# The objective against the time or the iterations spent.

#' @return The rows of the trace that can be drawn, with attribute `converged`.
#' @noRd
convergence_data <- function(fit) {
  trace <- fit$trace
  sound <- is.data.frame(trace) && is.numeric(trace$iteration) && is.numeric(trace$seconds) && is.numeric(trace$objective)
  if (!sound || !nrow(trace)) abort_damaged("x", "it has no trace to plot")
  trace <- trace[is.finite(trace$iteration) & is.finite(trace$seconds) & is.finite(trace$objective), ]
  if (!nrow(trace)) abort_damaged("x", "its trace has no finite values")
  structure(trace, converged = isTRUE(fit$converged))
}

axis_title <- function(against) c(seconds = "Seconds", iteration = "Iteration")[[against]]

# An objective that touches zero, as without noise, has no logarithm.
on_log_scale <- function(data) all(data$objective > 0)

end_words <- function(data) if (attr(data, "converged")) "converged" else "not converged"

draw_convergence <- function(data, against, ...) {
  settings <- list(
    x = data[[against]], y = data$objective, log = if (on_log_scale(data)) "y" else "", xlab = axis_title(against),
    ylab = "Objective", type = "l", col = okabe_ito[["blue"]], lwd = 2, las = 1)
  old <- open_axes(settings, ...)
  on.exit(graphics::par(old))
  end <- nrow(data)
  symbol <- if (attr(data, "converged")) 19 else 1
  graphics::points(data[[against]][end], data$objective[end], pch = symbol, col = okabe_ito[["vermilion"]], lwd = 2)
  draw <- function(corner, plot = TRUE) {
    graphics::legend(corner, end_words(data), pch = symbol, col = okabe_ito[["vermilion"]], pt.lwd = 2, bty = "n", plot = plot)
  }
  draw(free_corner(draw, data[[against]], data$objective))
}

gg_convergence <- function(data, against) {
  end <- cbind(data[nrow(data), ], end = end_words(data))
  picture <- bare_ggplot(data, x = against, y = "objective") +
    (if (nrow(data) > 1) ggplot2::geom_line(colour = okabe_ito[["blue"]], linewidth = 0.8)) +
    ggplot2::geom_point(mapping(shape = "end"), end, colour = okabe_ito[["vermilion"]], size = 2.5, stroke = 1.2) +
    ggplot2::scale_shape_manual(NULL, values = if (attr(data, "converged")) 19 else 1) +
    ggplot2::labs(x = axis_title(against), y = "Objective") + ggplot2::theme(legend.position = "bottom")
  if (on_log_scale(data)) picture + ggplot2::scale_y_log10() else picture
}
