# Ranking: the pairwise loss of `loss = "auc"`, for the rows of a matrix and for links of a graph. Called by fit.R and the front doors.
#
# A task with a `graph` is one of links: negatives are drawn from all pairs of nodes that are not linked. Without,
# links are the rows of the second class and negatives those of the first.

# What the pairwise loss asks of everything else. The intercept cancels in a difference of two scores.
check_pairwise <- function(spec) {
  if (!identical(spec$loss, "auc")) return(spec)
  if (spec$model == "simplex") {
    hofm_abort(paste("`loss = \"auc\"` is fitted by stochastic gradients, which `model = \"simplex\"` cannot be:",
                     "use `model = \"shared\"`."), argument = "loss")
  }
  if (!spec$solver %in% c("auto", "adagrad", "sgd")) {
    hofm_abort(sprintf("`solver` must be \"auto\", \"adagrad\" or \"sgd\" for `loss = \"auc\"`, not \"%s\": %s.", spec$solver,
                       "its pairs are drawn on the fly"), argument = "solver")
  }
  spec$intercept <- FALSE
  spec
}

# What to compare links with, where the data are pairs of nodes.
check_auc_negatives <- function(pairs, parts, negatives, negative_weight) {
  no <- function(argument, what) hofm_abort(sprintf("`%s` must %s for `loss = \"auc\"`.", argument, what), argument = argument)
  if (!is.null(negative_weight)) no("negative_weight", "be NULL")
  if (negatives == "given") return(parts)
  if (!is.null(pairs$context)) {
    no("x", "have no `context`, which the pairs that are drawn would lack (or `negatives` be \"given\")")
  }
  if (!is.null(parts$offset)) no("offset", "be NULL, since the pairs that are drawn have none (or `negatives` be \"given\")")
  parts$task <- list(kind = "ranking", graph = graph_of_links(pairs))
  parts
}

# The grid of pairs and the codes of those that are links, in increasing order.
graph_of_links <- function(pairs) {
  grid <- pair_grid(pairs)
  link <- pairs$y == 1 & !(pairs$one_set & pairs$i == pairs$j)
  known <- sort(unique(pair_codes(grid, pairs$i[link], pairs$j[link])))
  if (!length(known)) hofm_abort("`x` must hold at least one link for `loss = \"auc\"`.", argument = "x")
  if (length(known) == grid$size) {
    hofm_abort("`x` must leave out some pairs for `loss = \"auc\"`: all of them are links.", argument = "x")
  }
  c(grid, list(known = known, one_set = pairs$one_set))
}

# rank_rows() and rank_links() return the samples that a ranking is made of and the task as fit_cpp() takes it.

# Pairs that the objective is reported on: each link with as many negatives as make ten thousand.
reported_per_link <- function(n) ceiling(1e4 / n)

rank_rows <- function(problem) {
  counts <- problem$weights > 0
  links <- which(problem$y > 0 & counts)
  others <- which(problem$y < 0 & counts)
  if (!length(links) || !length(others)) {
    hofm_abort("`loss = \"auc\"` needs rows of both classes to train on, and there is only one.", argument = "loss")
  }
  reported <- list(links = rep(links, reported_per_link(length(links))))
  reported$others <- others[sample.int(length(others), length(reported$links), replace = TRUE)]
  list(blocks = problem$blocks,
       task = list(kind = "ranking", response = problem[c("y", "weights", "offset")], links = links, others = others, reported = reported))
}

# The samples are the links and, behind them, the pairs reported on.
rank_links <- function(problem) {
  graph <- problem$task$graph
  index <- lapply(problem$blocks[1:2], `[[`, "index")
  links <- which(problem$y > 0 & problem$weights > 0 & !(graph$one_set & index[[1]] == index[[2]]))
  if (!length(links)) hofm_abort("`loss = \"auc\"` needs at least one link to train on.", argument = "loss")
  n <- length(links) * reported_per_link(length(links))
  drawn <- pair_nodes(graph, free_codes(n, graph, graph$known, replace = TRUE))
  reported <- list(links = rep(seq_along(links), length.out = n), others = length(links) + seq_len(n))
  response <- list(y = rep(c(1, -1), c(length(links), n)), weights = c(problem$weights[links], rep(1, n)), offset = numeric())
  list(
    blocks = list(list(x = problem$blocks[[1]]$x, index = c(index[[1]][links], drawn$i)),
                  list(x = problem$blocks[[2]]$x, index = c(index[[2]][links], drawn$j))),
    task = list(kind = "ranking", response = response, links = seq_along(links), others = integer(), reported = reported,
                graph = graph$kind, nodes = graph$n, size = graph$size, known = graph$known))
}

# How a fit came to its pairs, for print().
ranking_facts <- function(task) {
  rows <- length(task$others) > 0
  list(links = length(task$links), others = as.double(if (rows) length(task$others) else task$size - length(task$known)),
       drawn = if (rows) "rows" else "pairs")
}
