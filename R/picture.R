# What the pictures share: colours, room in the margins, and the bare ggplot. A picture is a data frame that is computed first and
# then drawn, by base graphics or by ggplot2.

# Okabe and Ito's colours, which colour-blind readers can tell apart, without yellow, which is faint on white; neighbours differ in
# lightness too. Wherever a colour means something, a line type, a symbol or a side of the axis says the same.
okabe_ito <- c(black = "#000000", vermilion = "#D55E00", blue = "#0072B2", green = "#009E73", purple = "#CC79A7",
               orange = "#E69F00", sky = "#56B4E9")
curve_colours <- unname(okabe_ito)
curve_types <- c("solid", "longdash", "32", "4212", "12", "8222", "421212")

# ---- Room ----------------------------------------------------------------------------------------------------

line_inches <- function() graphics::par("csi") * graphics::par("mex")

text_inches <- function(text, cex = 1) max(0, graphics::strwidth(text, "inches", cex = cex))

#' Make margins as wide as they must be
#'
#' A margin that is wide enough stays as it is, since what a user adds to the picture later goes by the margins. No two of them
#' take more than 60 % of the figure, so that there is always something left to draw in.
#' @param left,right What is needed, in inches.
#' @return The old settings, for par().
#' @noRd
make_room <- function(left = 0, right = 0) {
  mai <- graphics::par("mai")
  wide <- pmax(mai[c(2, 4)], c(left, right))
  most <- 0.6 * graphics::par("fin")[1]
  if (sum(wide) > most) wide <- wide * most / sum(wide)
  if (identical(wide, mai[c(2, 4)])) list() else graphics::par(mai = replace(mai, c(2, 4), wide))
}

#' Axes whose numbers stand upright at the left, with room for them and for the title beside them
#'
#' @param settings Arguments of plot(), which those in `...` override.
#' @return The old settings, for par() when all is drawn.
#' @noRd
open_axes <- function(settings, ...) {
  settings <- utils::modifyList(settings, list(...))
  title <- settings$ylab
  settings$ylab <- ""
  gap <- graphics::par("mgp")[2] + 0.3
  numbers <- text_inches(axis_numbers(settings), graphics::par("cex.axis"))
  line <- max(graphics::par("mgp")[1], numbers / line_inches() + gap)
  old <- make_room(left = (line + 1) * line_inches())
  drawn <- FALSE
  on.exit(if (!drawn) graphics::par(old))
  do.call(graphics::plot, settings)
  if (!identical(settings$ann, FALSE)) graphics::title(ylab = title, line = line, cex.lab = settings$cex.lab)
  drawn <- TRUE
  old
}

axis_numbers <- function(settings) {
  range <- range(if (is.null(settings$ylim)) settings$y else settings$ylim, finite = TRUE)
  log <- grepl("y", settings$log, fixed = TRUE)
  if (log) range <- log10(range)
  if (range[1] == range[2]) range <- range + c(-0.5, 0.5)
  format(grDevices::axisTicks(range, log))
}

# Labels as short as they must be: `too_long` says of a label whether it is. The parts of "a x b" lose their middles, always that of
# the longest part.
shorten <- function(labels, too_long) {
  vapply(strsplit(labels, times_sign, fixed = TRUE), function(parts) {
    while (too_long(paste(parts, collapse = times_sign)) && max(nchar(parts)) > 7) {
      longest <- which.max(nchar(parts))
      parts[longest] <- cut_middle(parts[longest], nchar(parts[longest]) - 1)
    }
    paste(parts, collapse = times_sign)
  }, "")
}

wider_than <- function(inches, cex) function(label) text_inches(label, cex) > inches

longer_than <- function(characters) function(label) nchar(label) > characters

# `keep` characters, three dots among them.
cut_middle <- function(label, keep) {
  label <- sub("...", "", label, fixed = TRUE)
  paste0(substr(label, 1, ceiling((keep - 3) / 2)), "...", substring(label, nchar(label) - floor((keep - 3) / 2) + 1))
}

#' The corner in which a legend hides the least
#'
#' @param draw Calls legend() in a corner, with `plot = FALSE` if told so, and returns what it returns.
#' @param x,low,high Vertical bars that are drawn, or points, in the coordinates of the plot.
#' @noRd
free_corner <- function(draw, x, low, high = low) {
  force(high)
  if (graphics::par("xlog")) x <- log10(x)              # as legend() has it
  if (graphics::par("ylog")) {
    low <- log10(low)
    high <- log10(high)
  }
  hidden <- function(corner) {
    box <- draw(corner, plot = FALSE)$rect
    sum(x >= box$left & x <= box$left + box$w & high >= box$top - box$h & low <= box$top, na.rm = TRUE)
  }
  corners <- c("topright", "topleft", "bottomright", "bottomleft")
  corners[which.min(vapply(corners, hidden, 0))]
}

# ---- ggplot2 -------------------------------------------------------------------------------------------------

# aes() of names in strings: bare names would be taken for variables of the package.
mapping <- function(...) do.call(ggplot2::aes, lapply(c(...), as.name))

bare_ggplot <- function(data, ...) {
  ggplot2::ggplot(data, mapping(...)) + ggplot2::theme_bw() +
    ggplot2::theme(panel.grid.minor = ggplot2::element_blank(), plot.margin = ggplot2::margin(6, 14, 6, 6))
}
