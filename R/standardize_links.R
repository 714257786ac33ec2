# The features of nodes on a common scale, learned from the nodes alone. Called by hofm() on link_pairs(); new nodes are brought to it by
# everything that scores pairs.
#
# `blueprint$standard` holds `center`, `scale` and `side`, a number for each feature of the joined design: the model sees
# (x - center) / scale, and of a node, whose features have the same side, 1 or 2, that row divided by its length.

#' Pairs with their nodes standardised
#'
#' A column is divided by the root mean square of its nonzeros and multiplied by sqrt(log(1 + n / nonzeros)): what few nodes have says
#' more of those that do. A column without a zero is centred first, which no sparse one could be, unless there is no intercept to make up
#' for it. Rows are then brought to length one. These are the nodes that a cosine compares.
#' @return list(pairs, standard).
#' @noRd
standardize_nodes <- function(pairs, standardize, intercept = TRUE) {
  if (!check_flag(standardize, "standardize")) return(list(pairs = pairs, standard = NULL))
  scales <- scales_of_sides(pairs, isTRUE(intercept))
  context <- if (!is.null(pairs$context)) context_scales(pairs$context, isTRUE(intercept))
  one <- pairs$one_set
  pairs$A <- standardized(pairs$A, scales$A)
  pairs$B <- if (one) pairs$A else standardized(pairs$B, scales$B)
  if (!is.null(context)) pairs$context <- standardized(pairs$context, context)
  all <- function(field) c(scales$A[[field]], scales$B[[field]], context[[field]])
  side <- rep(c(1, 2, 0), c(ncol(pairs$A), ncol(pairs$B), length(context$scale)))
  list(pairs = pairs, standard = list(center = all("center"), scale = all("scale"), side = side))
}

# Sides of the same features have one scale.
scales_of_sides <- function(pairs, centred) {
  if (!have_same_features(pairs)) return(list(A = node_scales(pairs$A, centred), B = node_scales(pairs$B, centred)))
  A <- node_scales(pooled_nodes(pairs), centred)
  list(A = A, B = lapply(A, `[`, order(paired_columns(pairs))))
}

context_scales <- function(x, centred) {
  if (!nrow(x)) return(list(center = numeric(ncol(x)), scale = rep(1, ncol(x))))
  column_scales(x, rep(1 / nrow(x), nrow(x)), centred & diff(x@p) >= 0.5 * nrow(x))
}

#' @return list(center, scale, side, constant): a column is (x - center) / scale; `constant` says of which there is nothing to scale.
#' @noRd
node_scales <- function(x, centred = TRUE) {
  n <- nrow(x)
  filled <- diff(x@p)
  center <- if (centred && n > 1) ifelse(filled == n, Matrix::colMeans(x), 0) else numeric(ncol(x))
  spread <- sqrt(Matrix::colSums(with_values(x, (x@x - rep(center, filled))^2)) / pmax(filled, 1))
  scale <- spread / sqrt(log1p(n / pmax(filled, 1)))
  constant <- !(spread > 1e-10 * abs(center)) | !is.finite(scale)
  list(center = center, scale = ifelse(constant, 1, scale), side = rep(1, ncol(x)), constant = constant)
}
