# The strongest interactions of each degree, as signed bars.

# Told apart in grey by the side of the axis they are on.
sign_colours <- function() c(positive = okabe_ito[["blue"]], negative = okabe_ito[["vermilion"]])

#' @param degree NULL for all degrees from 2 to 4 that the fit has.
#' @return A data frame: degree, interaction, weight, the strongest of each degree first.
#' @noRd
interactions_data <- function(fit, degree, n) {
  found <- interaction_bars(fit, if (is.null(degree)) seq_len(min(4L, max_degree(fit)))[-1L] else degree, n)
  if (NROW(found)) return(found)
  of <- if (is.null(degree)) "" else sprintf(" of degree %s", enumerate(degree))
  hofm_abort(sprintf("The fit has no interactions%s that are not zero: there is nothing to plot.", of),
             c("hofm_error_unsupported", "hofm_error_input"), argument = "degree")
}

# Those of each degree that are not zero.
interaction_bars <- function(fit, degrees, n) {
  do.call(rbind, lapply(degrees, function(t) {
    top <- interactions(fit, t, n)
    top <- top[top$weight != 0, ]
    data.frame(degree = rep(as.integer(t), nrow(top)), interaction = interaction_labels(top), weight = top$weight)
  }))
}

# What stands above each panel: of several, their degrees, unless the data say more.
panel_headings <- function(data) {
  headings <- attr(data, "headings")
  degrees <- unique(data$degree)
  if (is.null(headings) && length(degrees) > 1) paste("Degree", degrees) else unname(headings)
}

#' Panels for the degrees, one below the other, within one plot
#'
#' Heights are in inches, so that letters have room: the vertical coordinates of the plot are inches, the horizontal ones go from 0
#' to 1 and are stretched for each panel.
#' @noRd
draw_interactions <- function(data, ...) {
  panels <- split(data, data$degree)
  cex <- 0.9 * graphics::par("cex.axis")
  numbers <- unlist(lapply(panels, function(panel) format(ticks_within(bar_limits(panel)))))
  old <- make_room(left = text_inches(data$interaction, cex) + 0.7 * line_inches(),
                   right = text_inches(numbers, graphics::par("cex.axis")) / 2)
  on.exit(graphics::par(old))
  height <- graphics::par("pin")[2]
  settings <- list(x = NA, y = NA, xlim = c(0, 1), ylim = c(0, height), xaxs = "i", yaxs = "i", axes = FALSE, xlab = "Weight",
                   ylab = "")
  do.call(graphics::plot.default, utils::modifyList(settings, list(...)))
  panels <- lapply(panels, utils::head, rows_with_room(length(panels), height, !is.null(attr(data, "headings"))))
  headings <- panel_headings(data)
  heights <- panel_heights(vapply(panels, nrow, 0L), height, line_inches(), length(headings) > 0)
  for (k in seq_along(panels)) draw_panel(panels[[k]], heights, k, cex, headings[k])
  draw_note(attr(data, "note"))
}

# Between panels there is room for an axis, above each for its heading; bars share the rest.
panel_heights <- function(bars, height, line, headed = length(bars) > 1) {
  heading <- if (headed) 1.4 * line else 0
  axis <- 1.9 * line
  bar <- bars_height(length(bars), height, line, headed) / sum(bars)
  top <- height - c(0, cumsum(heading + bar * bars + axis)[-length(bars)])
  list(bar = bar, first = top - heading, bottom = top - heading - bar * bars)
}

bars_height <- function(panels, height, line, headed = panels > 1) {
  max(height - if (headed) (3.3 * panels - 1.9) * line else 0, 0.2 * height)
}

# In a small figure the strongest of each degree: letters of half their size are the least.
rows_with_room <- function(panels, height, headed = panels > 1) {
  max(1, floor(bars_height(panels, height, line_inches(), headed || panels > 1) / panels / (0.55 * line_inches())))
}

# The weights and zero, with some air at the ends that are not zero.
bar_limits <- function(panel) 1.05 * range(0, panel$weight)

ticks_within <- function(limits) {
  ticks <- pretty(limits)
  ticks[ticks >= limits[1] & ticks <= limits[2]]
}

draw_panel <- function(panel, heights, k, cex, heading) {
  limits <- bar_limits(panel)
  ticks <- ticks_within(limits)
  across <- function(weight) (weight - limits[1]) / diff(limits)
  bottom <- heights$bottom[k]
  middle <- heights$first[k] - heights$bar * (seq_len(nrow(panel)) - 0.5)
  graphics::segments(across(ticks), bottom, y1 = heights$first[k], col = "grey90")
  half <- min(0.38 * heights$bar, 0.2)
  graphics::rect(across(0), middle - half, across(panel$weight), middle + half, border = NA,
                 col = sign_colours()[ifelse(panel$weight < 0, "negative", "positive")])
  graphics::segments(across(0), bottom, y1 = heights$first[k], col = "grey40")
  graphics::segments(0, bottom, 1)
  graphics::axis(1, across(ticks), ticks, pos = bottom, mgp = c(3, 0.4, 0), tcl = -0.3)
  if (length(heading)) graphics::text(0.5, heights$first[k] + 0.6 * line_inches(), heading, font = 2, cex = 0.95)
  draw_row_labels(panel$interaction, middle, heights$bar, cex)
}

# Smaller where rows are narrow, and cut where the margin is.
draw_row_labels <- function(labels, at, bar, cex) {
  cex <- cex * max(0.5, min(1, 1.1 * bar / line_inches()))
  room <- graphics::par("mai")[2] - 0.5 * line_inches()
  graphics::mtext(shorten(labels, wider_than(room, cex)), 2, 0.3, at = at, las = 1, cex = cex * graphics::par("cex"))
}

gg_interactions <- function(data) {
  rows <- rev(seq_len(nrow(data)))
  data$row <- factor(rows, seq_len(nrow(data)))
  data$sign <- ifelse(data$weight < 0, "negative", "positive")
  headings <- panel_headings(data)
  if (length(headings)) data$panel <- factor(headings[match(data$degree, unique(data$degree))], headings)
  labels <- stats::setNames(shorten(data$interaction, longer_than(60)), rows)
  width <- min(0.76, 0.15 * max(table(data$degree)))        # a lone bar is no block
  picture <- bare_ggplot(data, x = "weight", y = "row", fill = "sign") + ggplot2::geom_col(width = width) +
    ggplot2::geom_vline(xintercept = 0, colour = "grey40") + ggplot2::scale_y_discrete(labels = labels) +
    ggplot2::scale_fill_manual(values = sign_colours(), guide = "none") +
    ggplot2::labs(x = "Weight", y = NULL, caption = attr(data, "note"))
  if (length(headings)) picture + ggplot2::facet_wrap("panel", ncol = 1, scales = "free") else picture
}
