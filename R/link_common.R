# What two nodes have in common: one weight for the inner product of their features, where both have the same ones. Called by hofm() on
# link_pairs() and by everything that scores pairs.
#
# A rule says how the features of a node enter: (x - center) * scale, column by column, then brought to length one, so that the
# product is a cosine. It comes from the nodes alone, never from their links.

#' Whether and how the nodes of pairs are compared
#' @param common NULL to compare where it can be done, TRUE, FALSE.
#' @param standard How the nodes were standardised, or NULL.
#' @return NULL or a rule: list(weight, center, scale, order), order being the columns of B that go with those of A.
#' @noRd
check_common <- function(common, pairs, spec, standard = NULL) {
  if (!is.null(common) && !check_flag(common, "common")) return(NULL)
  why <- why_not_common(pairs, spec)
  if (is.null(why)) return(if (is.null(standard)) common_rule(pairs) else plain_rule(pairs))
  if (is.null(common)) return(NULL)
  hofm_abort(sprintf("`common` must be FALSE or NULL: %s.", why), c("hofm_error_unsupported", "hofm_error_input"), argument = "common")
}

# NULL if nodes can be compared.
why_not_common <- function(pairs, spec) {
  if (identical(spec$loss, "auc")) return("`loss = \"auc\"` draws pairs as it goes, which are not compared")
  if (spec$solver %in% c("adagrad", "sgd")) {
    return(sprintf("`solver = \"%s\"` has no step for it, `\"cd\"` and `\"lbfgs\"` do", spec$solver))
  }
  if (!have_same_features(pairs)) "the two node sets of `x` must have features of the same names"
}

have_same_features <- function(pairs) {
  if (pairs$one_set) return(TRUE)
  a <- block_features(pairs$features, "A")
  b <- block_features(pairs$features, "B")
  unnamed <- identical(a, paste0("V", seq_along(a)))
  !unnamed && length(a) == length(b) && setequal(a, b)
}

# The rule of a fit with the weight that it starts from; NULL without one, whatever the start has.
started_common <- function(rule, from) {
  if (!is.null(rule) && !is.null(from)) rule$weight <- from$weight
  rule
}

#' How features enter a cosine: as standardised nodes, see standardize_nodes()
#' @noRd
common_rule <- function(pairs) {
  scales <- node_scales(pooled_nodes(pairs))
  list(weight = 0, center = scales$center, scale = ifelse(scales$constant, 0, 1 / scales$scale), order = paired_columns(pairs))
}

# Nodes that are standardised already are compared as they are.
plain_rule <- function(pairs) {
  d <- ncol(pairs$A)
  list(weight = 0, center = numeric(d), scale = rep(1, d), order = paired_columns(pairs))
}

# The columns of B that go with those of A.
paired_columns <- function(pairs) {
  a <- block_features(pairs$features, "A")
  if (pairs$one_set) seq_along(a) else match(a, block_features(pairs$features, "B"))
}

# The nodes of both sides, in the columns of A.
pooled_nodes <- function(pairs) {
  if (pairs$one_set) pairs$A else rbind(pairs$A, pairs$B[, paired_columns(pairs), drop = FALSE])
}

#' Nodes as they are compared
#' @param x Features of nodes, columns as the fit knows them.
#' @return A dgCMatrix with rows of length one, or zero where a node has none of the features.
#' @noRd
compared_nodes <- function(x, rule, side) {
  if (side == "B") x <- x[, rule$order, drop = FALSE]
  if (any(rule$center != 0)) x <- x - matrix(rule$center, nrow(x), ncol(x), byrow = TRUE)
  x <- from_matrix(x %*% Matrix::Diagonal(x = rule$scale))
  length <- sqrt(Matrix::rowSums(x^2))
  x@x <- x@x / length[x@i + 1L]
  x@x[is.nan(x@x)] <- 0
  x
}

#' Blocks of pairs with what is compared beside the features
#' @noRd
compared_blocks <- function(blocks, rule) {
  if (is.null(rule)) return(blocks)
  same <- identical(blocks[[1L]]$x, blocks[[2L]]$x) && !is.unsorted(rule$order)
  blocks[[1L]]$common <- compared_nodes(blocks[[1L]]$x, rule, "A")
  blocks[[2L]]$common <- if (same) blocks[[1L]]$common else compared_nodes(blocks[[2L]]$x, rule, "B")
  blocks
}

#' weight <a_i, b_j> for each pair, or 0
#' @noRd
common_values <- function(fit, blocks) {
  if (is.null(fit$common)) return(0)
  if (is.null(blocks[[1L]]$common)) blocks <- compared_blocks(blocks, fit$common)
  fit$common$weight * Matrix::rowSums(blocks[[1L]]$common[blocks[[1L]]$index, , drop = FALSE] *
                                      blocks[[2L]]$common[blocks[[2L]]$index, , drop = FALSE])
}

sound_common <- function(rule, features) {
  d <- length(block_features(features, "A"))
  is.list(rule) && is_finite_one(rule$weight) && all(vapply(rule[c("center", "scale")], function(v) {
    is_plain_number(v) && length(v) == d && all_finite(v)
  }, NA)) && is_plain_number(rule$order) && setequal(rule$order, seq_len(d)) && length(rule$order) == d
}
