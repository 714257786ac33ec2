# The measure of a cross-validation against lambda.

#' @rdname cv_hofm_methods
#' @export
plot.cv_hofm <- function(x, ...) {
  parts <- cv_curves(x, "x")
  chosen <- vapply(parts, function(part) part$chosen[1], NA)
  looks <- curve_looks(chosen)
  old <- open_cv_axes(x, do.call(rbind, parts), ...)
  on.exit(graphics::par(old))
  graphics::abline(v = c(x$lambda.min, x$lambda.1se), lty = 3, col = "grey40")
  for (k in which(!chosen)) {
    graphics::lines(parts[[k]]$lambda, parts[[k]]$cvm, type = "b", col = looks$col[k], lty = looks$lty[k],
                    pch = looks$pch[k], cex = 0.7)
  }
  draw_bars(parts[[which(chosen)]])
  if (length(parts) > 1) draw_cv_legend(parts, looks)
  invisible(x$table)
}

#' @rdname cv_hofm_methods
#' @exportS3Method ggplot2::autoplot
autoplot.cv_hofm <- function(object, ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  parts <- cv_curves(object, "object")
  data <- do.call(rbind, parts)
  data$curve <- factor(data$label, vapply(parts, function(part) part$label[1], ""))
  looks <- curve_looks(vapply(parts, function(part) part$chosen[1], NA))
  looks$lty[is.na(looks$lty)] <- 0
  one <- data[data$chosen, ]
  # Shapes are for points alone: from the bars their scale would hear of the chosen curve first, and ggplot2 4 gives out
  # the values in that order.
  bare_ggplot(data, x = "lambda", y = "cvm", colour = "curve", linetype = "curve") +
    ggplot2::geom_vline(xintercept = c(object$lambda.min, object$lambda.1se), linetype = "dotted", colour = "grey40") +
    ggplot2::geom_linerange(mapping(ymin = "cvlo", ymax = "cvup"), one, colour = "grey60", linetype = "solid", na.rm = TRUE) +
    ggplot2::geom_line(na.rm = TRUE) + ggplot2::geom_point(mapping(shape = "curve"), na.rm = TRUE) +
    ggplot2::scale_x_log10() + ggplot2::scale_colour_manual(NULL, values = looks$col) +
    ggplot2::scale_shape_manual(NULL, values = looks$pch) + ggplot2::scale_linetype_manual(NULL, values = looks$lty) +
    ggplot2::labs(x = expression(lambda), y = unname(object$name)) +
    ggplot2::theme(legend.position = if (length(parts) > 1) "bottom" else "none")
}

# The table, taken apart by order and rank, each part with its `label` and whether it is the one `chosen`.
cv_curves <- function(cv, arg) {
  check_sound(cv, cv_curve_rules(), arg, "cross-validation")
  parts <- combinations(cv)
  if (!any(is.finite(cv$table$cvm))) {
    hofm_abort(sprintf("%s has no finite values of its measure to plot.", ticked(arg)), argument = arg)
  }
  Map(function(part, name) {
    part$chosen <- name == paste(cv$order, cv$rank)
    part$label <- paste0(combination_words(part$order[1], part$rank[1]), if (part$chosen[1]) " (chosen)")
    part
  }, parts, names(parts))
}

# "order 2, rank 8"
combination_words <- function(order, rank) {
  paste(c(if (!is.na(order)) paste("order", order), if (rank > 0) paste("rank", rank)), collapse = ", ")
}

# Black dots for the chosen curve, colours for the others, with line types and symbols that tell them apart in grey.
curve_looks <- function(chosen) {
  spread_out <- function(values, own) {
    out <- rep(own, length(chosen))
    out[!chosen] <- rep_len(values, sum(!chosen))
    out
  }
  colours <- unname(okabe_ito[c("blue", "vermilion", "green", "purple", "orange", "sky")])
  list(col = spread_out(colours, okabe_ito[["black"]]), lty = spread_out(1:6, NA), pch = spread_out(c(2, 0, 5, 1, 6, 4), 16))
}

open_cv_axes <- function(cv, table, ...) {
  y <- c(cv$cvup, cv$cvlo, table$cvm)
  settings <- list(x = range(cv$lambda), y = range(y[is.finite(y)]), type = "n", log = "x", xaxt = "n",
                   xlab = expression(lambda), ylab = unname(cv$name), las = 1)
  old <- open_axes(settings, ...)
  if (is.null(list(...)$xaxt)) draw_powers(range(cv$lambda))
  old
}

# Powers of ten below the axis, if two of them fit; else whatever R would write.
draw_powers <- function(range) {
  powers <- seq(ceiling(log10(range[1]) - 0.05), floor(log10(range[2]) + 0.05))
  if (diff(log10(range)) < 2) return(graphics::axis(1))
  graphics::axis(1, at = 10^powers, labels = parse(text = paste0("10^", powers)))
}

draw_bars <- function(part) {
  graphics::segments(part$lambda, part$cvlo, part$lambda, part$cvup, col = "grey60")
  graphics::points(part$lambda, part$cvm, pch = 16)
}

draw_cv_legend <- function(parts, looks) {
  draw <- function(corner, plot = TRUE) {
    graphics::legend(corner, vapply(parts, function(part) part$label[1], ""), col = looks$col, pch = looks$pch,
                     lty = looks$lty, bty = "n", cex = 0.9, inset = 0.01, plot = plot)
  }
  points <- do.call(rbind, parts)
  bar <- function(end) ifelse(points$chosen, points[[end]], points$cvm)
  draw(free_corner(draw, points$lambda, bar("cvlo"), bar("cvup")))
}
