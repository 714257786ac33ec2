# A map of the features: rows of P in the plane of their first two principal components.

#' Coordinates of the features
#'
#' Components are taken about the origin and not about the mean: weights of interactions are products of the rows, which the origin
#' is part of, so that features that point the same way have positive weights with each other.
#' @return A data frame: feature, x, y, norm (of the row of P), group ("A", "B" or "pair" of pairs of nodes, else ""), label
#'   (whether it is among the `n` with the largest norms); attribute `share`, of the sum of squares on each axis.
#' @noRd
embedding_data <- function(fit, degree, n) {
  n <- check_count(n, "n", min = 0)
  P <- embedding_rows(fit, degree)
  scale <- max(abs(P), .Machine$double.xmin)
  P <- P / scale                                         # so that no square overflows
  axes <- eigen(crossprod(P), symmetric = TRUE)
  plane <- cbind(P %*% axes$vectors, 0)[, 1:2, drop = FALSE]
  plane <- apply(plane, 2, function(v) v * if (v[which.max(abs(v))] < 0) -1 else 1)   # signs of eigenvectors are a toss-up
  norm <- sqrt(rowSums(P^2))
  values <- c(pmax(axes$values, 0), 0)
  sides <- if (is_pair_fit(fit)) feature_side(fit$features) else rep("", nrow(P))
  plane <- matrix(plane, ncol = 2)
  data <- data.frame(feature = fit$features, x = scale * plane[, 1], y = scale * plane[, 2], norm = scale * norm, group = sides,
                     label = rank(-norm, ties.method = "first") <= n & norm > 0)
  structure(data, share = if (sum(values) > 0) values[1:2] / sum(values) else c(0, 0))
}

# Those of one degree, or of the one matrix that all degrees share; both sides of a bilinear model.
embedding_rows <- function(fit, degree) {
  if (!is.null(degree)) degree <- check_degree(degree, fit)
  none <- function(what) {
    hofm_abort(sprintf("The fit has no factors%s, so there is no map of features to plot.", what),
               c("hofm_error_unsupported", "hofm_error_input"), argument = "degree")
  }
  if (!length(fit$P)) none("")
  if (fit$model == "bilinear") return(unname(rbind(fit$P$U, fit$P$V)))
  P <- fit$P[[if (fit$model == "hofm" && !is.null(degree)) as.character(degree) else 1L]]
  if (is.null(P)) none(sprintf(" of degree %d", degree))
  unname(P)
}

is_pair_fit <- function(fit) all(c("A", "B") %in% feature_side(fit$features)) && !"none" %in% feature_side(fit$features)

component_title <- function(data, k) sprintf("Component %d (%s)", k, percent(attr(data, "share")[k]))

group_looks <- function() {
  data.frame(group = c("", "A", "B", "pair"), pch = c(19, 19, 17, 15), col = okabe_ito[c("blue", "blue", "vermilion", "green")])
}

draw_embedding <- function(data, ...) {
  looks <- group_looks()[match(data$group, group_looks()$group), ]
  settings <- list(x = stretched(data$x), y = stretched(data$y), type = "n", asp = 1, log = "", las = 1,
                   xlab = component_title(data, 1), ylab = component_title(data, 2))
  old <- open_axes(settings, ...)
  on.exit(graphics::par(old))
  graphics::abline(h = 0, v = 0, col = "grey85")
  for (label in c(FALSE, TRUE)) {                       # those with names on top
    one <- data$label == label
    graphics::points(data$x[one], data$y[one], pch = looks$pch[one], cex = if (label) 0.9 else 0.6,
                     col = if (label) looks$col[one] else "grey65")
  }
  box <- if (any(data$group != "")) draw_group_legend(data)
  draw_feature_labels(data, box)
}

# Room for labels beside the outermost points.
stretched <- function(v, by = 0.12) {
  ends <- range(v, 0)
  ends + c(-by, by) * if (diff(ends) > 0) diff(ends) else 1
}

# Returns its left, right, bottom and top.
draw_group_legend <- function(data) {
  looks <- group_looks()[group_looks()$group %in% data$group, ]
  draw <- function(corner, plot = TRUE) {
    graphics::legend(corner, looks$group, pch = looks$pch, col = looks$col, bty = "n", horiz = TRUE, plot = plot)
  }
  box <- draw(free_corner(draw, data$x, data$y))$rect
  c(box$left, box$left + box$w, box$top - box$h, box$top)
}

draw_feature_labels <- function(data, box, cex = 0.8) {
  shown <- which(data$label)[order(-data$norm[data$label])]
  if (!length(shown)) return(invisible())
  text <- shorten(data$feature[shown], wider_than(0.4 * graphics::par("pin")[1], cex))
  size <- cbind(graphics::strwidth(text, cex = cex), 1.6 * graphics::strheight("M", cex = cex))
  inch <- c(graphics::xinch(1), graphics::yinch(1))
  region <- graphics::par("usr") + c(0.05, -0.05) * rep(inch, each = 2)
  place <- place_labels(cbind(data$x, data$y), shown, size, region, inch, taken = box)
  put <- which(!is.na(place$x))
  far <- which(place$far)
  box <- cbind(place$x - size[, 1] / 2, place$x + size[, 1] / 2, place$y - size[, 2] / 2, place$y + size[, 2] / 2)
  graphics::rect(box[put, 1], box[put, 3], box[put, 2], box[put, 4], col = grDevices::adjustcolor("white", 0.7), border = NA)
  graphics::segments(data$x[shown[far]], data$y[shown[far]], clamp(data$x[shown[far]], box[far, 1], box[far, 2]),
                     clamp(data$y[shown[far]], box[far, 3], box[far, 4]), col = "grey40")
  graphics::text(place$x[put], place$y[put], text[put], cex = cex)
}

clamp <- function(v, low, high) pmin(pmax(v, low), high)

#' Where labels go so that none lies on another, on a labelled point or outside the region
#'
#' One after the other, each to that free place around its point that hides the fewest points, near places before far ones; a label
#' without a free place is left out.
#' @param points All points, two columns.
#' @param shown The points to label, most important first.
#' @param size Width and height of each label.
#' @param region,taken left, right, bottom, top: what labels must stay inside, and what they must keep clear of.
#' @param inch The length of an inch in both directions.
#' @return A data frame with the centres x and y (NA if left out), the direction dx and dy from the point, each -1, 0 or 1, and
#'   whether the place is so `far` that it needs a line.
#' @noRd
place_labels <- function(points, shown, size, region, inch, taken = NULL, gaps = c(0.07, 0.28)) {
  ways <- expand.grid(way = 1:8, gap = gaps)
  ways$dx <- c(1, -1, 0, 0, 1, -1, 1, -1)[ways$way]
  ways$dy <- c(0, 0, 1, -1, 1, 1, -1, -1)[ways$way]
  ways$far <- ways$gap > min(gaps)
  taken <- matrix(as.double(taken), ncol = 4)
  out <- data.frame(x = NA_real_, y = NA_real_, dx = 0, dy = 0, far = FALSE)[rep(1, length(shown)), ]
  for (k in seq_along(shown)) {
    x <- points[shown[k], 1] + ways$dx * (ways$gap * inch[1] + size[k, 1] / 2)
    y <- points[shown[k], 2] + ways$dy * (ways$gap * inch[2] + size[k, 2] / 2)
    boxes <- cbind(x - size[k, 1] / 2, x + size[k, 1] / 2, y - size[k, 2] / 2, y + size[k, 2] / 2)
    inside <- boxes[, 1] >= region[1] & boxes[, 2] <= region[2] & boxes[, 3] >= region[3] & boxes[, 4] <= region[4]
    free <- inside & !overlaps(boxes, taken) & hidden(boxes, points[shown, , drop = FALSE]) == 0
    if (!any(free)) next
    best <- which.min(ifelse(free, hidden(boxes, points) + 0.5 * ways$far, Inf))
    out[k, ] <- list(x[best], y[best], ways$dx[best], ways$dy[best], ways$far[best])
    taken <- rbind(taken, boxes[best, ])
  }
  out
}

# Whether each of some boxes (left, right, bottom, top) overlaps any of those that are taken.
overlaps <- function(boxes, taken) {
  apply(boxes, 1, function(b) any(b[1] < taken[, 2] & taken[, 1] < b[2] & b[3] < taken[, 4] & taken[, 3] < b[4]))
}

# How many points each box hides.
hidden <- function(boxes, points) {
  apply(boxes, 1, function(b) sum(points[, 1] > b[1] & points[, 1] < b[2] & points[, 2] > b[3] & points[, 2] < b[4]))
}

gg_embedding <- function(data) {
  ends <- square_limits(data)
  looks <- group_looks()[group_looks()$group %in% data$group, ]
  values <- function(column) stats::setNames(looks[[column]], looks$group)
  guide <- if (all(data$group == "")) "none" else "legend"
  labels <- gg_feature_labels(data, ends)
  bare_ggplot(data, x = "x", y = "y", shape = "group") +
    ggplot2::geom_hline(yintercept = 0, colour = "grey85") + ggplot2::geom_vline(xintercept = 0, colour = "grey85") +
    ggplot2::geom_point(data = data[!data$label, ], colour = "grey65", size = 1.2) +
    ggplot2::geom_point(mapping(colour = "group"), data[data$label, ], size = 2) +
    ggplot2::geom_text(mapping(label = "text", hjust = "h", vjust = "v"), labels, check_overlap = TRUE, size = 3.2) +
    ggplot2::scale_shape_manual(NULL, values = values("pch"), guide = guide) +
    ggplot2::scale_colour_manual(NULL, values = values("col"), guide = guide) +
    ggplot2::coord_fixed(xlim = ends$x, ylim = ends$y, expand = FALSE) +
    ggplot2::labs(x = component_title(data, 1), y = component_title(data, 2)) + ggplot2::theme(legend.position = "bottom")
}

# Neither side less than three quarters of the other.
square_limits <- function(data) {
  x <- stretched(data$x)
  y <- stretched(data$y)
  widen <- function(ends, least) mean(ends) + c(-0.5, 0.5) * max(diff(ends), least)
  list(x = widen(x, 0.75 * diff(y)), y = widen(y, 0.75 * diff(x)))
}

# The size of the picture is not known yet: places are found for one of five inches, and of labels that overlap in a smaller one ggplot
# leaves out the later.
gg_feature_labels <- function(data, ends) {
  shown <- which(data$label)[order(-data$norm[data$label])]
  text <- shorten(data$feature[shown], longer_than(30))
  inch <- max(diff(ends$x), diff(ends$y)) / 5
  size <- cbind(0.075 * nchar(text), rep(0.16, length(text))) * inch
  place <- place_labels(cbind(data$x, data$y), shown, size, c(ends$x, ends$y), c(inch, inch), gaps = 0.07)
  labels <- data.frame(
    x = data$x[shown] + 0.07 * inch * place$dx, y = data$y[shown] + 0.07 * inch * place$dy, text = text, group = data$group[shown],
    h = (1 - place$dx) / 2, v = (1 - place$dy) / 2)
  labels[!is.na(place$x), ]
}
