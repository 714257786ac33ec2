# Training on every pair of nodes: links with response 1, all other pairs with response 0 and a weight of their own.

all_pairs_models <- c("hofm", "shared", "all_subsets", "bilinear")

# Bilinear models multiply two blocks; a context would be a third.
check_blocks <- function(pairs, spec) {
  if (spec$model != "bilinear" || is.null(pairs$context)) return(invisible())
  hofm_abort("`model = \"bilinear\"` has no place for the `context` of `x`: use another `model`.", argument = "model")
}

#' Negatives that are not given are all pairs that are no links, wherever that is possible
#' @noRd
check_negatives <- function(negatives, pairs, spec, weights, offset, negative_weight) {
  if (!is.null(negatives)) return(check_choice(negatives, "negatives", c("given", "all")))
  if (identical(spec$loss, "auc") || !is.null(negative_weight)) return("all")
  possible <- spec$loss == "squared" && spec$solver %in% c("auto", "cd") && spec$model %in% all_pairs_models &&
    is.null(pairs$context) && is.null(weights) && is.null(offset) && any(pairs$y == 1)
  if (possible && all_pairs_size(pairs) > nrow(all_links(pairs))) "all" else "given"
}

#' What `negatives = "all"` needs
#' @return What all_pairs_of() gives.
#' @noRd
check_all_pairs <- function(parts, spec, negative_weight, pairs) {
  no <- function(argument, what) hofm_abort(sprintf("`%s` must %s for `negatives = \"all\"`.", argument, what), argument = argument)
  if (!identical(spec$loss, "squared")) no("loss", "be \"squared\"")
  if (!spec$solver %in% c("auto", "cd")) no("solver", "be \"auto\" or \"cd\"")
  if (!spec$model %in% all_pairs_models) no("model", sprintf("be one of %s", enumerate(quoted(all_pairs_models))))
  if (!is.null(pairs$context)) no("x", "have no `context`")
  if (!is.null(parts$weights)) no("weights", "be NULL: use `negative_weight`")
  if (!is.null(parts$offset)) no("offset", "be NULL")
  all_pairs_of(pairs, negative_weight)
}

#' @return list(links = list(i, j), pairs, weight): the links, both ways if they have no direction, the number of pairs and the weight
#'   of a negative, a pair that is not a link.
#' @noRd
all_pairs_of <- function(pairs, negative_weight) {
  links <- all_links(pairs)
  if (!nrow(links)) hofm_abort("`x` must hold at least one link for `negatives = \"all\"`.", argument = "x")
  size <- all_pairs_size(pairs)
  negatives <- size - nrow(links)
  if (negatives < 1) hofm_abort("`x` must leave out some pairs for `negatives = \"all\"`: all of them are links.", argument = "x")
  weight <- if (is.null(negative_weight)) nrow(links) / negatives else check_number(negative_weight, "negative_weight", above = 0)
  list(links = links, pairs = size, weight = weight)
}

all_pairs_size <- function(pairs) as.double(nrow(pairs$A)) * nrow(pairs$B) - if (pairs$one_set) nrow(pairs$A) else 0

# The problem that is trained on. Its samples are what differs from the background: the links, and of one node set the pairs (i, i),
# which are none.
all_pairs_problem <- function(pairs, all, rule = NULL) {
  self <- if (pairs$one_set) seq_len(nrow(pairs$A)) else integer()
  n <- nrow(all$links) + length(self)
  total <- nrow(all$links) + all$weight * (all$pairs - nrow(all$links))
  list(
    blocks = compared_blocks(list(list(x = pairs$A, index = c(all$links$i, self)), list(x = pairs$B, index = c(all$links$j, self))), rule),
    n = n, features = pairs$features, offset = numeric(), y = rep(c(1, 0), c(nrow(all$links), length(self))), weights = rep(1 / n, n),
    # `mean`: of the response over all pairs, weighted, for the start
    task = list(kind = "all_pairs", links = nrow(all$links), pairs = all$pairs, negative_weight = all$weight,
                mean = nrow(all$links) / total)
  )
}

# What the fit says of it.
negatives_facts <- function(task) {
  if (task$kind == "all_pairs") list(pairs = task$pairs, links = task$links, weight = task$negative_weight)
}
