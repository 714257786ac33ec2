# Pairs of nodes as numbers, so that sets of them are sets of numbers. Called by link_pairs(), split_links() and rankings.

# Every pair of a graph has a code from 0 to size - 1, a double because there may be more than 2^31. For two node sets it
# is the position in the grid of A by B, column by column; for one set without (i, i); for an undirected one of i < j alone.

pair_grid <- function(graph) {
  n <- as.double(nrow(graph$A))
  kind <- if (!graph$one_set) "two_sets" else if (graph$directed) "directed" else "undirected"
  size <- switch(kind, two_sets = n * nrow(graph$B), directed = n * (n - 1), undirected = n * (n - 1) / 2)
  if (size <= 2^52) return(list(kind = kind, n = n, size = size))
  hofm_abort(sprintf("The graph has %.3g pairs of nodes, more than the 2^52 that can be told apart.", size))
}

pair_codes <- function(grid, i, j) {
  i <- as.double(i) - 1
  j <- as.double(j) - 1
  switch(grid$kind,
    two_sets = j * grid$n + i,
    directed = j * (grid$n - 1) + i - (i > j),
    undirected = pmax(i, j) * (pmax(i, j) - 1) / 2 + pmin(i, j))
}

pair_nodes <- function(grid, code) {
  rows <- if (grid$kind == "directed") grid$n - 1 else grid$n
  if (grid$kind == "undirected") {
    j <- floor((1 + sqrt(1 + 8 * code)) / 2)
    j <- j - (j * (j - 1) / 2 > code)           # the root is rounded, so j may be one too large or too small
    j <- j + (j * (j + 1) / 2 <= code)
    i <- code - j * (j - 1) / 2
  } else {
    j <- floor(code / rows)
    j <- j - (j * rows > code)
    i <- code - j * rows
    if (grid$kind == "directed") i <- i + (i >= j)
  }
  list(i = as.integer(i) + 1L, j = as.integer(j) + 1L)
}

# The codes of the known links, in increasing order.
known_links <- function(edges, graph, grid) {
  if (is.null(edges)) hofm_abort("`edges` must be given.", argument = "edges")
  ends <- read_pairs(edges, graph, "edges")
  self <- graph$one_set & ends$i == ends$j
  if (any(self)) {
    hofm_warn(sprintf("`edges` links %s to themselves: left out.", counted(sum(self), "node")),
              "hofm_warning_self_links")
  }
  keep <- ends$y == 1 & !self
  sort(unique(pair_codes(grid, ends$i[keep], ends$j[keep])))
}

negatives_wanted <- function(n, grid, links) {
  n <- round(n)
  free <- grid$size - length(links)
  if (n <= free) return(n)
  hofm_abort(sprintf("%.0f pairs without a link were asked for, but the graph has only %.0f (%.0f pairs, %d links).",
                     n, free, grid$size, length(links)), argument = "n", available = free)
}

# n pairs that are not links: ranks among the free codes, then the codes that have those ranks. Before
# the free code of rank r lie r free codes and those links whose own code, less the links before them, is at most r.
free_codes <- function(n, grid, links, replace = FALSE) {
  if (n == 0) return(numeric(0))
  rank <- sample.int(grid$size - length(links), n, replace = replace) - 1
  rank + findInterval(rank, links - (seq_along(links) - 1))
}
