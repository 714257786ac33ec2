#' Draw ROC curves
#'
#' Draws one or several ROC curves into a square, with the diagonal of a score that knows nothing and a
#' legend with the areas and their DeLong intervals. Curves differ in colour (Okabe and Ito's, which
#' colour-blind readers can tell apart) and in line type, so that the picture survives a black and white
#' printer.
#'
#' Put several curves into one picture by joining them with `c()`, whose argument names become the legend,
#' as in the examples; or add one to a picture that exists with `lines()` or `plot(..., add = TRUE)`.
#'
#' @param x,object A curve made by [roc_curve()], or several joined by `c()`.
#' @param ... For `plot()`: further arguments of [graphics::plot.default()], such as `main` or `cex.lab`.
#'   For `lines()`: of [graphics::lines()]. For `c()`: curves, named or not. For `autoplot()`: `level` and `max_points`.
#' @param add Whether to draw into the picture that is there, without axes and legend.
#' @param col,lty,lwd Colour, type and width of the line, one or one per curve.
#' @param legend Whether to draw the legend. On a small device it is set in smaller letters, and intervals are left out if they
#'   would cover a curve.
#' @param level Confidence level of the intervals in the legend, or `NULL` for areas alone.
#' @param max_points Longer curves are thinned to this many points, as in [roc_curve()], to keep the file
#'   small.
#' @return `plot()` and `lines()` return `x`, invisibly; `autoplot()`, for ggplot2 where it is installed, a ggplot; `c()` a list of
#'   curves of class `roc_curves`.
#' @seealso [roc_curve()]
#' @examples
#' truth <- mtcars$am == 1
#' weight <- roc_curve(truth, -mtcars$wt)
#' power <- roc_curve(truth, -mtcars$hp)
#' plot(weight)
#' plot(c(weight = weight, power = power), main = "Manual gears?")
#' both <- c(weight = weight, power = power)
#' if (requireNamespace("ggplot2", quietly = TRUE)) ggplot2::autoplot(both)
#' @export
plot.roc_curve <- function(x, ..., add = FALSE, col = NULL, lty = NULL, lwd = 2, legend = TRUE, level = 0.95,
                           max_points = 5000) {
  if (check_flag(add, "add")) {
    col <- if (is.null(col)) curve_colours[1] else col
    lty <- if (is.null(lty)) curve_types[1] else lty
    return(lines(x, ..., col = col, lty = lty, lwd = lwd, max_points = max_points))
  }
  plot(c(x), ..., col = col, lty = lty, lwd = lwd, legend = legend, level = level, max_points = max_points)
  invisible(x)
}

#' @rdname plot.roc_curve
#' @export
plot.roc_curves <- function(x, ..., col = NULL, lty = NULL, lwd = 2, legend = TRUE, level = 0.95,
                            max_points = 5000) {
  check_curves(x, "x")
  legend <- check_flag(legend, "legend")
  if (!is.null(level)) check_level(level)
  col <- rep_len(if (is.null(col)) curve_colours else col, length(x))
  lty <- rep_len(if (is.null(lty)) curve_types else lty, length(x))
  lwd <- rep_len(lwd, length(x))
  old <- graphics::par(pty = "s")
  on.exit(graphics::par(old))
  draw_roc_frame(...)
  if (legend) draw_roc_legend(x, col, lty, lwd, level)  # first, so that it hides no curve
  for (i in seq_along(x)) lines(x[[i]], col = col[i], lty = lty[i], lwd = lwd[i], max_points = max_points)
  invisible(x)
}

#' @rdname plot.roc_curve
#' @importFrom graphics lines
#' @export
lines.roc_curve <- function(x, ..., max_points = 5000) {
  check_curve(x, "x")
  points <- drawn_points(x, max_points)
  graphics::lines(points$fpr, points$tpr, ...)
  invisible(x)
}

drawn_points <- function(curve, max_points) {
  most <- check_max_points(max_points)
  kept <- thin_points_cpp(curve$fpr, curve$tpr, if (nrow(curve) > most) most else 0)
  data.frame(fpr = curve$fpr[kept], tpr = curve$tpr[kept])
}

#' @rdname plot.roc_curve
#' @exportS3Method ggplot2::autoplot
autoplot.roc_curve <- function(object, ...) ggplot2::autoplot(c(object), ...)

#' @rdname plot.roc_curve
#' @exportS3Method ggplot2::autoplot
autoplot.roc_curves <- function(object, ..., level = 0.95, max_points = 5000) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  check_curves(object, "object")
  if (!is.null(level)) check_level(level)
  points <- Map(function(curve, k) cbind(drawn_points(curve, max_points), curve = k), object, seq_along(object))
  points <- do.call(rbind, unname(points))
  points$curve <- factor(points$curve, seq_along(object))
  labels <- vapply(seq_along(object), curve_label, "", x = object, level = level)
  bare_ggplot(points, x = "fpr", y = "tpr", colour = "curve", linetype = "curve") +
    ggplot2::geom_abline(colour = "grey60") + ggplot2::geom_path(linewidth = 0.8, na.rm = TRUE) +
    ggplot2::scale_colour_manual(NULL, values = rep_len(curve_colours, length(object)), labels = labels) +
    ggplot2::scale_linetype_manual(NULL, values = rep_len(curve_types, length(object)), labels = labels) +
    ggplot2::coord_equal(xlim = 0:1, ylim = 0:1) + ggplot2::labs(x = "False positive rate", y = "True positive rate") +
    ggplot2::theme(legend.position = "bottom", legend.direction = "vertical", legend.key.width = ggplot2::unit(2.5, "lines"))
}

#' @rdname plot.roc_curve
#' @export
c.roc_curve <- function(...) {
  parts <- list(...)
  are_curves <- vapply(parts, inherits, NA, c("roc_curve", "roc_curves"))
  if (!all(are_curves)) {
    refuse_input("Argument ", which(!are_curves)[1], " of `c()` must be a curve made by `roc_curve()`, not ",
      class(parts[!are_curves][[1]])[1], ".")
  }
  one <- vapply(parts, inherits, NA, "roc_curve")
  parts[one] <- lapply(parts[one], list)
  names <- if (is.null(names(parts))) character(length(parts)) else names(parts)
  parts[one] <- Map(stats::setNames, parts[one], names[one])
  structure(do.call(c, lapply(unname(parts), unclass)), class = "roc_curves")
}

#' @rdname plot.roc_curve
#' @export
c.roc_curves <- c.roc_curve

#' @export
print.roc_curves <- function(x, ...) {
  check_curves(x, "x")
  cat(length(x), if (length(x) == 1) "ROC curve\n" else "ROC curves\n")
  for (i in seq_along(x)) {
    cat("  ", curve_label(x, i, level = NULL), "; ", describe_classes(x[[i]]), "\n", sep = "")
  }
  invisible(x)
}

draw_roc_frame <- function(..., xlab = "False positive rate", ylab = "True positive rate", las = 1) {
  graphics::plot.default(NULL, xlim = c(0, 1), ylim = c(0, 1), xlab = xlab, ylab = ylab, las = las,
    panel.first = graphics::grid(col = "grey92", lty = "solid"), ...)
  graphics::segments(0, 0, 1, 1, col = "grey60")
}

# In the corner below the curves, as large as it can be without touching one: where there is little room letters shrink, then the
# name of a curve goes above its area, then intervals are left out. There is no background that could hide a curve.
draw_roc_legend <- function(x, col, lty, lwd, level) {
  least <- min(legend_styles$cex)
  bare <- graphics::legend("bottomright", ": AUC 0.000", lty = 1, cex = least, seg.len = 2.5, plot = FALSE)$rect$w
  room <- graphics::par("pin")[1] - bare / graphics::xinch(1)
  if (!is.null(names(x))) names(x) <- shorten(names(x), wider_than(room, least))
  for (k in seq_len(nrow(legend_styles))) {
    style <- legend_styles[k, ]
    labels <- vapply(seq_along(x), curve_label, "", x = x, level = if (style$interval) level, separator = style$separator)
    draw <- function(plot) {
      graphics::legend("bottomright", legend = labels, col = col, lty = lty, lwd = lwd, bty = "n", cex = style$cex,
        seg.len = 2.5, y.intersp = if (style$separator == "\n") 1.25 else 1, plot = plot)$rect
    }
    box <- draw(plot = FALSE)
    if (clear_of_curves(x, box$left, box$top)) break
  }
  draw(plot = TRUE)
}

legend_styles <- data.frame(
  cex = c(0.85, 0.75, 0.85, 0.75, 0.65, 0.85, 0.75, 0.65), separator = rep(c(": ", "\n", ": "), c(2, 3, 3)),
  interval = rep(c(TRUE, FALSE), c(5, 3))
)

# Curves rise to the right: a corner is free if all of them have passed its height when they come to its left edge.
clear_of_curves <- function(x, left, top) {
  left > 0 && all(vapply(x, function(curve) anyNA(c(curve$fpr, curve$tpr)) || max(curve$tpr[curve$fpr <= left]) > top, NA))
}

# "name: AUC 0.913 (0.82 to 1.00)"
curve_label <- function(x, i, level, separator = ": ") {
  area <- attr(x[[i]], "auc")
  se <- attr(x[[i]], "se")
  label <- paste("AUC", format_area(area, 3))
  if (!is.null(level) && !is.na(se)) {
    bounds <- format_area(auc_bounds(area, se, level), 3)
    label <- paste0(label, " (", bounds[1], " to ", bounds[2], ")")
  }
  if (isTRUE(nzchar(names(x)[i]))) paste0(names(x)[i], separator, label) else label
}
