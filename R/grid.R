# Training on every pair of nodes: links with response 1, all other pairs with response 0 and a weight of their own.

grid_models <- c("hofm", "shared", "all_subsets", "bilinear")

# Bilinear models multiply two blocks; a context would be a third.
check_blocks <- function(pairs, spec) {
  if (spec$model != "bilinear" || is.null(pairs$context)) return(invisible())
  hofm_abort("`model = \"bilinear\"` has no place for the `context` of `x`: use another `model`.", argument = "model")
}

#' What `negatives = "all"` needs
#' @return list(links = list(i, j), pairs, weight): the links, both ways if they have no direction, the number of pairs of the grid and
#'   the weight of a pair that is not a link.
#' @noRd
check_grid <- function(parts, spec, negative_weight, pairs) {
  no <- function(argument, what) hofm_abort(sprintf("`%s` must %s for `negatives = \"all\"`.", argument, what), argument = argument)
  if (spec$loss != "squared") no("loss", "be \"squared\"")
  if (!spec$solver %in% c("auto", "cd")) no("solver", "be \"auto\" or \"cd\"")
  if (!spec$model %in% grid_models) no("model", sprintf("be one of %s", enumerate(quoted(grid_models))))
  if (!is.null(pairs$context)) no("x", "have no `context`")
  if (!is.null(parts$weights)) no("weights", "be NULL: use `negative_weight`")
  if (!is.null(parts$offset)) no("offset", "be NULL")
  grid_of(pairs, negative_weight)
}

grid_of <- function(pairs, negative_weight) {
  links <- unique(data.frame(i = pairs$i, j = pairs$j)[pairs$y == 1, ])
  if (pairs$one_set && !pairs$directed) links <- unique(rbind(links, data.frame(i = links$j, j = links$i)))
  if (pairs$one_set) links <- links[links$i != links$j, ]
  if (!nrow(links)) hofm_abort("`x` must hold at least one link for `negatives = \"all\"`.", argument = "x")
  n <- c(nrow(pairs$A), nrow(pairs$B))
  size <- as.double(n[1]) * n[2] - if (pairs$one_set) n[1] else 0
  others <- size - nrow(links)
  if (others < 1) hofm_abort("`x` must leave out some pairs for `negatives = \"all\"`: all of them are links.", argument = "x")
  weight <- if (is.null(negative_weight)) nrow(links) / others else check_number(negative_weight, "negative_weight", above = 0)
  list(links = links, pairs = size, weight = weight)
}

#' As fit_checked(), on the grid
#'
#' Measures of the fit (deviance, residuals) are those of the pairs that were given.
#' @noRd
fit_grid <- function(pairs, grid, spec, init, control, call) {
  control <- check_control(control, length(factor_names(spec)))
  check_parameter_count(length(pairs$features), spec$rank)
  given <- list(blocks = link_blocks(pairs), n = length(pairs$i), features = pairs$features, y = as.double(pairs$y),
                weights = rep(1 / length(pairs$i), length(pairs$i)), offset = numeric())
  problem <- grid_problem(pairs, grid)
  spec$solver <- "cd"
  engine <- fit_model(problem, spec, control, check_init(init, pairs$features, spec), given$blocks)
  parts <- list(blueprint = list(kind = "matrix", features = pairs$features, named = TRUE), offset_given = FALSE)
  fit <- new_hofm(engine, given, spec, control, code_response(given$y, "squared")[c("kind", "levels")], NULL, parts, call)
  fit$negatives <- list(pairs = grid$pairs, links = nrow(grid$links), weight = grid$weight)
  fit
}

# The samples that differ from the background: the links, and of one node set the pairs (i, i), which are none.
grid_problem <- function(pairs, grid) {
  self <- if (pairs$one_set) seq_len(nrow(pairs$A)) else integer()
  n <- nrow(grid$links) + length(self)
  total <- nrow(grid$links) + grid$weight * (grid$pairs - nrow(grid$links))
  list(
    blocks = list(list(x = pairs$A, index = c(grid$links$i, self)), list(x = pairs$B, index = c(grid$links$j, self))),
    n = n, features = pairs$features, offset = numeric(),
    # for the start: the weighted mean and variance of the response over the grid
    y = rep(c(1, 0), c(nrow(grid$links), length(self))), weights = rep(1 / n, n),
    mean = nrow(grid$links) / total,
    grid = list(links = nrow(grid$links), pairs = grid$pairs, negative_weight = grid$weight)
  )
}
