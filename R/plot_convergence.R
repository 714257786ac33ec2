# The objective against the time or the iterations spent.

#' @return The rows of the trace that can be drawn, with attribute `converged`; if rows were held out also a column `validation`, the loss
#'   on them, and an attribute `best`, the iteration at which it was least.
#' @noRd
convergence_data <- function(fit, arg) {
  trace <- fit$trace
  sound <- is.data.frame(trace) && is.numeric(trace$iteration) && is.numeric(trace$seconds) && is.numeric(trace$objective)
  if (!sound || !nrow(trace)) abort_damaged(arg, "it has no trace to plot")
  if (!holds(shown_rules()$validation, fit)) abort_damaged(arg, "its field `validation` is not what it must be")
  trace <- trace[is.finite(trace$iteration) & is.finite(trace$seconds) & is.finite(trace$objective), ]
  trace$validation <- validation_column(trace$iteration, fit$validation$trace)
  if (!nrow(trace)) abort_damaged(arg, "its trace has no finite values")
  structure(trace, converged = isTRUE(fit$converged), best = if (!is.null(trace$validation)) fit$validation$best)
}

# The loss on the rows held out at these iterations, or NULL if there is nothing to draw.
validation_column <- function(iteration, held) {
  if (!is.data.frame(held) || !is.numeric(held$iteration) || !is.numeric(held$loss)) return(NULL)
  loss <- held$loss[match(iteration, held$iteration)]
  if (any(is.finite(loss))) replace(loss, !is.finite(loss), NA)
}

axis_title <- function(against) c(seconds = "Seconds", iteration = "Iteration")[[against]]

# An objective that touches zero, as without noise, has no logarithm.
on_log_scale <- function(data) all(heights(data) > 0)

heights <- function(data) c(data$objective, data$validation[!is.na(data$validation)])

# "Objective", or of two lines what both are.
height_title <- function(data) if (is.null(data$validation)) "Objective" else "Objective, validation loss"

best_place <- function(data, against) data[[against]][data$iteration %in% attr(data, "best")]

end_words <- function(data) if (attr(data, "converged")) "converged" else "not converged"

draw_convergence <- function(data, against, ...) {
  settings <- list(
    x = data[[against]], y = data$objective, log = if (on_log_scale(data)) "y" else "", xlab = axis_title(against),
    ylab = height_title(data), ylim = range(heights(data)), type = "l", col = okabe_ito[["blue"]], lwd = 2, las = 1)
  old <- open_axes(settings, ...)
  on.exit(graphics::par(old))
  if (!is.null(data$validation)) {
    graphics::abline(v = best_place(data, against), lty = 3, col = "grey40")
    graphics::lines(data[[against]], data$validation, col = okabe_ito[["black"]], lty = 2, lwd = 2)
  }
  end <- nrow(data)
  symbol <- if (attr(data, "converged")) 19 else 1
  graphics::points(data[[against]][end], data$objective[end], pch = symbol, col = okabe_ito[["vermilion"]], lwd = 2)
  key <- convergence_key(data, symbol)
  draw <- function(corner, plot = TRUE) do.call(graphics::legend, c(list(corner), key, list(pt.lwd = 2, bty = "n", plot = plot)))
  draw(free_corner(draw, c(data[[against]], data[[against]][!is.na(data$validation)]), heights(data)))
}

# Arguments of legend().
convergence_key <- function(data, symbol) {
  if (is.null(data$validation)) return(list(legend = end_words(data), pch = symbol, col = okabe_ito[["vermilion"]]))
  list(legend = c(end_words(data), "validation loss", "its least"), pch = c(symbol, NA, NA), lty = c(NA, 2, 3), lwd = c(NA, 2, 1),
       col = c(okabe_ito[["vermilion"]], okabe_ito[["black"]], "grey40"))
}

gg_convergence <- function(data, against) {
  end <- cbind(data[nrow(data), ], end = end_words(data))
  picture <- bare_ggplot(data, x = against, y = "objective") +
    (if (nrow(data) > 1) ggplot2::geom_line(colour = okabe_ito[["blue"]], linewidth = 0.8)) +
    gg_validation(data, against) +
    ggplot2::geom_point(mapping(shape = "end"), end, colour = okabe_ito[["vermilion"]], size = 2.5, stroke = 1.2) +
    ggplot2::scale_shape_manual(NULL, values = if (attr(data, "converged")) 19 else 1) +
    ggplot2::labs(x = axis_title(against), y = height_title(data)) + ggplot2::theme(legend.position = "bottom")
  if (on_log_scale(data)) picture + ggplot2::scale_y_log10() else picture
}

# The line of the validation loss and that of its least value, or nothing.
gg_validation <- function(data, against) {
  if (is.null(data$validation) || nrow(data) == 1) return(NULL)
  data$what <- "validation loss"
  best <- data.frame(place = best_place(data, against), what = "its least")
  list(
    ggplot2::geom_vline(mapping(xintercept = "place", linetype = "what"), best, key_glyph = "path"),
    ggplot2::geom_line(mapping(x = against, y = "validation", linetype = "what"), data, na.rm = TRUE, linewidth = 0.8),
    ggplot2::scale_linetype_manual(NULL, values = c("validation loss" = "dashed", "its least" = "dotted"),
                                   breaks = c("validation loss", "its least"))
  )
}
