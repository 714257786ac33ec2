# Columns on a common scale: learned from the training rows, kept in the blueprint, applied to them and to new rows.
#
# `blueprint$standard` holds `center` and `scale`, a number for each feature: the model sees (x_j - center_j) / scale_j. Columns of zeros
# and ones stay as they are. Columns with few zeros get mean 0 and standard deviation 1. Others keep their zeros: they are divided by
# the root mean square of their other values, which makes a typical one as large as the 1 of an indicator. Of pairs of nodes there is
# also `side`: see standardize_nodes().

#' Learn the scale of each column
#' @param blocks of a problem.
#' @param weights One for each row, with sum 1. Those of joined rows are spread over the rows of each block by its index.
#' @param center Whether columns may be centred.
#' @noRd
learn_standard <- function(blocks, weights, center) {
  parts <- lapply(blocks, function(block) column_scales(block$x, block_weights(block, weights), center))
  list(center = unlist(lapply(parts, `[[`, "center"), use.names = FALSE), scale = unlist(lapply(parts, `[[`, "scale"), use.names = FALSE))
}

block_weights <- function(block, weights) {
  if (is.null(block$index)) return(weights)
  shares <- numeric(nrow(block$x))
  sums <- rowsum(weights, block$index)
  shares[as.integer(rownames(sums))] <- sums
  shares
}

# What counts is the weight of the rows where a column is not zero, not how it is stored: all ways to give the same columns give the same
# fit. In two passes: the squares of a column far from zero have no digits left for its spread.
column_scales <- function(x, weights, may_center) {
  column <- rep(seq_len(ncol(x)), diff(x@p))
  weight <- weights[x@i + 1L]
  sums <- function(values) as.vector(Matrix::crossprod(with_values(x, values), weights))
  occurs <- sums(as.double(x@x != 0))
  indicator <- tabulate(column[x@x != 0 & x@x != 1], ncol(x)) == 0
  center <- ifelse(may_center & !indicator & occurs >= 0.5 * (1 - 1e-9), sums(x@x), 0)
  spread <- sums((x@x - center[column])^2) + pmax(0, 1 - occurs) * center^2
  square <- ifelse(center != 0, spread, spread / occurs)
  scale <- ifelse(indicator | !(square > (1e-10 * center)^2), 1, sqrt(square))
  list(center = center, scale = scale)
}

with_values <- function(x, values) {
  x@x <- values
  x
}

#' The columns as the model sees them
#' @noRd
standardized <- function(x, standard) {
  if (is.null(standard)) return(x)
  unit_rows(scaled_columns(x, standard), standard$side)
}

scaled_columns <- function(x, standard) {
  x <- with_values(x, x@x / rep(standard$scale, diff(x@p)))
  centred <- which(standard$center != 0)
  if (!length(centred)) return(x)
  dense <- as.matrix(x[, centred, drop = FALSE]) - rep(standard$center[centred] / standard$scale[centred], each = nrow(x))
  place <- order(c(seq_len(ncol(x))[-centred], centred))
  from_matrix(cbind(x[, -centred, drop = FALSE], as(unname(dense), "CsparseMatrix"))[, place, drop = FALSE])
}

#' Rows divided by their length
#' @param side For each column the side of a pair that it belongs to, whose columns have a length together; 0 for none. NULL: none at all.
#' @noRd
unit_rows <- function(x, side) {
  of <- rep(side, diff(x@p))
  for (s in setdiff(unique(side), 0)) {
    at <- which(of == s)
    length <- sqrt(Matrix::rowSums(with_values(x, ifelse(of == s, x@x, 0)^2)))
    x@x[at] <- x@x[at] / ifelse(length > 0 & is.finite(length), length, 1)[x@i[at] + 1L]
  }
  x
}

sound_standard <- function(standard, d) {
  is.list(standard) && are_finite(standard$center, d) && are_finite(standard$scale, d) && all(standard$scale > 0) &&
    absent_or(standard$side, function(side) are_finite(side, d))
}

standardized_blocks <- function(blocks, standard) {
  if (is.null(standard)) return(blocks)
  at <- split(seq_along(standard$scale), rep(seq_along(blocks), vapply(blocks, function(block) ncol(block$x), 0L)))
  Map(function(block, at) replace(block, "x", list(standardized(block$x, lapply(standard, `[`, at)))), blocks, at)
}

#' Parts of a fit with their columns standardised, and how in the blueprint
#'
#' An intercept is what makes centring harmless. Rows of nodes keep their zeros.
#' @noRd
standardize_parts <- function(parts, weights, intercept) {
  blocks <- if (is.null(parts$blocks)) list(list(x = parts$x, index = NULL)) else parts$blocks
  standard <- learn_standard(blocks, weights, center = intercept && is.null(parts$blocks))
  parts$blueprint$standard <- standard
  blocks <- standardized_blocks(blocks, standard)
  if (is.null(parts$blocks)) parts$x <- blocks[[1L]]$x else parts$blocks <- blocks
  parts
}

# ---- The scale of the response -----------------------------------------------------------------------------

#' The unit that the response is measured in: its standard deviation for the squared loss, else one
#'
#' A fit to y / unit with penalties lambda_t is, times unit, the fit to y with penalties lambda_t unit^(2 - 2/t): the loss grows with
#' unit^2, and a factor of degree t with unit^(1/t). So y itself need not be touched; its centre is the intercept's.
#' @noRd
response_unit <- function(problem, loss) {
  if (loss != "squared" || problem$task$kind != "samples") return(1)
  unit <- sqrt(response_variance(problem, loss))
  if (is.finite(unit) && unit > 0) unit else 1
}

# The penalties as the solver takes them. All-subsets and simplex are not homogeneous in their factors, so that no penalty makes up for
# another unit: they are fitted on the scale of the response.
solver_lambda <- function(spec) {
  unit <- if (is.null(spec$unit)) 1 else spec$unit
  degree <- switch(spec$model, hofm = seq_along(spec$lambda), shared = , polynomial = spec$order, bilinear = 2, NA)
  if (unit == 1 || anyNA(degree)) spec$lambda else spec$lambda * unit^(2 - 2 / degree)
}

# ---- Penalties of single features --------------------------------------------------------------------------

# A penalty lambda c_j on feature j is the penalty lambda on a column divided by sqrt(c_j), whose parameters are sqrt(c_j) times as large.
penalised_blocks <- function(blocks, penalty_factor) {
  if (is.null(penalty_factor)) return(blocks)
  standardized_blocks(blocks, list(center = 0 * penalty_factor, scale = sqrt(penalty_factor)))
}

# Parameters times `by`, feature by feature.
scale_features <- function(parameters, by) {
  if (is.null(by) || is.null(parameters)) return(parameters)
  if (!is.null(parameters$w)) parameters$w <- parameters$w * by
  end <- cumsum(vapply(parameters$P, nrow, 0L))
  one_side <- names(parameters$P) %in% c("U", "V")
  parameters$P[] <- Map(function(P, end, side) P * by[if (side) seq_len(nrow(P)) + end - nrow(P) else seq_len(nrow(P))],
                        parameters$P, end, one_side)
  parameters
}

check_penalty_factor <- function(penalty_factor, features) {
  if (is.null(penalty_factor)) return(NULL)
  need <- sprintf("positive finite numbers, one for each of the %d features", length(features))
  if (!is_plain_number(penalty_factor) || !all(is.finite(penalty_factor)) || !all(penalty_factor > 0)) {
    must_be("penalty_factor", need, penalty_factor)
  }
  if (!is.null(names(penalty_factor)) && setequal(names(penalty_factor), features)) penalty_factor <- penalty_factor[features]
  if (length(penalty_factor) != length(features)) must_be("penalty_factor", need, penalty_factor)
  unname(as.double(penalty_factor))
}

# The group of each feature: as given, else its variable.
check_groups <- function(groups, blueprint) {
  d <- length(blueprint$features)
  if (is.null(groups)) return(feature_groups(blueprint, d))
  sound <- (is.factor(groups) || is.character(groups) || is.numeric(groups)) && is.null(dim(groups)) && length(groups) == d && !anyNA(groups)
  if (!sound) must_be("groups", sprintf("a factor, or names or numbers of groups, one for each of the %d features", d), groups)
  as.character(groups)
}
