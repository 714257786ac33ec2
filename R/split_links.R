# Splitting the links of a graph, and drawing pairs that are none.

#' Split the links of a graph into training pairs and a test set of all other pairs
#'
#' Draws a share `prop` of the known links at random, adds `ratio` times as many pairs that are not known to be linked,
#' and calls these the training pairs. The test set is every other pair of the graph: the links that were held out, and
#' all pairs that are neither a link nor in the training set. It may have billions of pairs and is kept as a description;
#' [auc()] and [top_links()] go through it block by block.
#'
#' @inheritParams link_pairs
#' @param edges The known links: a data frame or matrix with columns `i` and `j`, or else nodes of A in its first column
#'   and nodes of B in its second; numbers of rows, or names of nodes. Rows with `y = 0`, if there is such a column, are
#'   not links. A link that comes twice counts once. Or an adjacency matrix (base or Matrix), whose nonzeros are links, or a graph of the
#'   package igraph. Such a graph, or a square adjacency matrix, may also come alone, as `A`: the only feature of a node is then the
#'   node itself, and `directed` is what the graph says.
#' @param prop Share of the links that go to the training set, between 0 and 1.
#' @param ratio How many pairs without a link to draw for each link of the training set. They are drawn without
#'   replacement, all with the same chance, and are never known links of either set.
#' @param directed For one node set (`B = NULL`): whether (i, j) and (j, i) are different pairs. If not, every pair is
#'   taken once, as (i, j) with row numbers i < j. Pairs (i, i) never count; such links are left out with a warning of
#'   class `hofm_warning_self_links`.
#' @param seed A whole number for a split that is the same every time, or `NULL` to go on with R's generator, so that
#'   [set.seed()] is enough.
#' @param x The result of `split_links()`, or its test set.
#' @param ... Not used.
#'
#' @return A list of class `link_split`: `train`, a [link_pairs()] object with the links first, and `test`, a list of class `link_rest` with
#'   `A`, `B`, `one_set`, `directed`, `nodes` and `features` as there, `train` (a list with the row numbers `i` and `j` of
#'   the training pairs, which are not part of the test set) and `links` (the same for the links that were held out).
#'   `as.data.frame()` of a small test set lists its pairs as that of [link_pairs()] does.
#' @seealso [link_pairs()], [sample_negatives()]
#' @examples
#' split <- split_links(debian_r$features, edges = debian_r$links, directed = TRUE, seed = 1)
#' split
#' split$train
#' split$test
#' small <- split_links(debian_r$features[1:50, ], edges = cbind(1:20, 21:40), seed = 1)
#' head(as.data.frame(small$test))
#' @export
split_links <- function(A, B = NULL, edges, prop = 0.5, ratio = 1, directed = FALSE, seed = NULL) {
  bare <- if (!missing(A)) bare_graph(A, !missing(edges) || !is.null(B))
  if (!is.null(bare)) {
    return(split_links(bare$A, edges = bare$edges, prop = prop, ratio = ratio,
                       directed = if (missing(directed)) bare$directed else directed, seed = seed))
  }
  graph <- read_graph(A, B, directed)
  grid <- pair_grid(graph)
  links <- known_links(if (!missing(edges)) edges, graph, grid)
  n_train <- training_share(length(links), prop)
  n_negative <- negatives_wanted(check_number(ratio, "ratio", min = 0) * n_train, grid, links)
  check_rest(grid, length(links), n_negative)
  drawn <- draw(seed, list(
    links = links[sort(sample.int(length(links), n_train))],
    negatives = free_codes(n_negative, grid, links)))
  codes <- c(drawn$links, drawn$negatives)
  train <- c(pair_nodes(grid, codes), list(y = rep(c(1, 0), c(n_train, n_negative))))
  rest <- list(train = train[c("i", "j")], links = pair_nodes(grid, setdiff(links, drawn$links)))
  structure(list(train = new_link_pairs(graph, train), test = structure(c(graph, rest), class = "link_rest")),
            class = "link_split")
}

training_share <- function(n, prop) {
  ok <- is_plain_number(prop) && length(prop) == 1 && isTRUE(prop > 0 && prop < 1)
  if (!ok) must_be("prop", "a single number between 0 and 1", prop)
  n_train <- round(prop * n)
  if (n_train >= 1 && n_train < n) return(n_train)
  hofm_abort(sprintf("A share of %s of %s leaves the %s set without links: change `prop`, or give more `edges`.",
                     format(prop), counted(n, "link"), if (n_train < 1) "training" else "test"),
             argument = "prop")
}

# Without a seed R's generator goes on as it is.
draw <- function(seed, code) {
  if (is.null(seed)) code else with_seed(check_count(seed, "seed", min = -.Machine$integer.max), code)
}

check_rest <- function(grid, n_links, n_negative) {
  if (grid$size > n_links + n_negative) return(invisible())
  hofm_abort(paste("All pairs that are not links would go to the training set, which leaves the test set without",
                   "any: choose a smaller `ratio`."), argument = "ratio")
}

#' @rdname split_links
#' @export
print.link_split <- function(x, ...) {
  check_sound(x, list(train = function(s) inherits(s$train, "link_pairs"), test = function(s) inherits(s$test, "link_rest")), "x", "split")
  check_pairs(x$train, "x$train")
  check_test_set(x$test, "x$test")
  links <- c(sum(x$train$y), length(x$test$links$i))
  pairs <- c(length(x$train$i), rest_size(x$test))
  cat("Split of ", count_text(sum(links)), " links\n", sep = "")
  cat(sprintf("%-6s %s pairs, of which %s linked\n", c("train:", "test:"), format(count_text(pairs), justify = "right"),
              count_text(links)), sep = "")
  print_nodes(x$train)
  invisible(x)
}

#' @rdname split_links
#' @export
print.link_rest <- function(x, ...) {
  check_test_set(x, "x")
  size <- rest_size(x)
  cat("All other pairs of a graph: ", count_text(size), ", of which ", count_text(length(x$links$i)), " linked (",
      count_text(length(x$train$i)), " training pairs left out)\n", sep = "")
  print_nodes(x)
  invisible(x)
}

#' @rdname split_links
#' @param row.names,optional As in [as.data.frame()]; not used.
#' @param max_pairs The most pairs that `as.data.frame()` of a test set may list, as a guard against filling the memory.
#' @export
as.data.frame.link_rest <- function(x, row.names = NULL, optional = FALSE, ..., max_pairs = 1e7) {
  check_test_set(x, "x")
  size <- rest_size(x)
  if (size > check_number(max_pairs, "max_pairs", min = 0)) {
    hofm_abort(sprintf(paste("`x` has %s pairs, more than the %s of `max_pairs`: auc(), roc_curve() and top_links() go through",
                             "them without a list."), count_text(size), count_text(max_pairs)), argument = "max_pairs")
  }
  grid <- pair_grid(x)
  code <- seq(0, grid$size - 1)
  code <- code[!code %in% pair_codes(grid, x$train$i, x$train$j)]
  ends <- pair_nodes(grid, code)
  data.frame(node_labels(x, ends$i, ends$j), y = as.double(code %in% pair_codes(grid, x$links$i, x$links$j)),
             stringsAsFactors = FALSE)
}

rest_size <- function(rest) pair_grid(rest)$size - length(rest$train$i)

#' Draw pairs that are not known to be linked
#'
#' Pairs of nodes that are not among the known links, drawn without replacement, all with the same chance. The work is in
#' proportion to the number of links and of pairs drawn, whatever the number of pairs in the graph.
#'
#' @inheritParams split_links
#' @param n How many pairs to draw; `NULL` for as many as there are links.
#' @return A data frame with columns `i`, `j` (names of nodes if `edges` has names, else row numbers) and `y` (all 0), as
#'   [link_pairs()] takes it.
#' @seealso [split_links()]
#' @examples
#' sample_negatives(debian_r$features, edges = debian_r$links, n = 5, directed = TRUE)
#' @export
sample_negatives <- function(A, B = NULL, edges, n = NULL, directed = FALSE, seed = NULL) {
  graph <- read_graph(A, B, directed)
  grid <- pair_grid(graph)
  links <- known_links(if (!missing(edges)) edges, graph, grid)
  n <- negatives_wanted(if (is.null(n)) length(links) else check_count(n, "n", min = 0), grid, links)
  ends <- pair_nodes(grid, draw(seed, free_codes(n, grid, links)))
  if (is_name(pair_columns(edge_list(edges, c(nrow(graph$A), nrow(graph$B)), "edges"), "edges")$i)) ends <- node_labels(graph, ends$i, ends$j)
  data.frame(ends, y = rep(0, n), stringsAsFactors = FALSE)
}
