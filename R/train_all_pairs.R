# Training on every pair of nodes: links with response 1, all other pairs with response 0 and a weight of their own.

all_pairs_models <- c("hofm", "shared", "all_subsets", "bilinear")

# Bilinear models multiply two blocks; a context would be a third.
check_blocks <- function(pairs, spec) {
  if (spec$model != "bilinear" || is.null(pairs$context)) return(invisible())
  hofm_abort("`model = \"bilinear\"` has no place for the `context` of `x`: use another `model`.", argument = "model")
}

#' What `negatives = "all"` needs
#' @return What all_pairs_of() gives.
#' @noRd
check_all_pairs <- function(parts, spec, negative_weight, pairs) {
  no <- function(argument, what) hofm_abort(sprintf("`%s` must %s for `negatives = \"all\"`.", argument, what), argument = argument)
  if (spec$loss != "squared") no("loss", "be \"squared\"")
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
  links <- unique(data.frame(i = pairs$i, j = pairs$j)[pairs$y == 1, ])
  if (pairs$one_set && !pairs$directed) links <- unique(rbind(links, data.frame(i = links$j, j = links$i)))
  if (pairs$one_set) links <- links[links$i != links$j, ]
  if (!nrow(links)) hofm_abort("`x` must hold at least one link for `negatives = \"all\"`.", argument = "x")
  n <- c(nrow(pairs$A), nrow(pairs$B))
  size <- as.double(n[1]) * n[2] - if (pairs$one_set) n[1] else 0
  negatives <- size - nrow(links)
  if (negatives < 1) hofm_abort("`x` must leave out some pairs for `negatives = \"all\"`: all of them are links.", argument = "x")
  weight <- if (is.null(negative_weight)) nrow(links) / negatives else check_number(negative_weight, "negative_weight", above = 0)
  list(links = links, pairs = size, weight = weight)
}

# The problem that is trained on. Its samples are what differs from the background: the links, and of one node set the pairs (i, i),
# which are none.
all_pairs_problem <- function(pairs, all) {
  self <- if (pairs$one_set) seq_len(nrow(pairs$A)) else integer()
  n <- nrow(all$links) + length(self)
  total <- nrow(all$links) + all$weight * (all$pairs - nrow(all$links))
  list(
    blocks = list(list(x = pairs$A, index = c(all$links$i, self)), list(x = pairs$B, index = c(all$links$j, self))),
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
