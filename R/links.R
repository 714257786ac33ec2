# Pairs of nodes as training data: two matrices of node features and an index, never a row per pair.

#' Pairs of nodes and whether they are linked
#'
#' Joins node features and pairs of nodes into data for [hofm()]: the sample of pair (i, j) is
#' \eqn{x_{ij} = [a_i, b_j]}{x_ij = [a_i, b_j]}, the features of node i of A followed by those of node j of B. The
#' joined rows are never formed; the object holds A, B and the numbers of the nodes.
#'
#' @param A,B Node features with one row per node: a base matrix, any Matrix or a data frame of numeric columns.
#'   Row names are the names of the nodes, column names those of the features; both may be absent. `B = NULL` means one
#'   node set: j is then a row of A as well, and \eqn{x_{ij} = [a_i, a_j]}{x_ij = [a_i, a_j]}, where a feature has one
#'   column for each of the two positions.
#' @param pairs A data frame or matrix with columns `i` and `j`, or else nodes of A in its first column and nodes of B
#'   in its second; numbers of rows, or names of nodes. A column `y`, or a third one without a name,
#'   says whether the pair is a link: 0 or 1, or logical. Without it, all pairs are links.
#' @param context Features of the pairs themselves, such as the day on which i met j: a matrix with one row per pair.
#' @param directed For one node set: whether (i, j) and (j, i) are different pairs. Training takes the pairs as they are
#'   given in either case; [top_links()] uses it.
#' @param x,object A `link_pairs` object.
#' @param ... Not used.
#'
#' @section Names of features:
#' The joined design has the columns of A, then of B, then of `context`, with the prefixes `A.`, `B.` and `pair.`: the
#' word "tree" of the first document of a pair is `A.tree`, that of the second `B.tree`. Columns without names are called
#' `A.V1`, `A.V2` and so on.
#'
#' @return A list of class `link_pairs`: `A`, `B` (dgCMatrix without names), `one_set`, `directed`, `i`, `j` (row
#'   numbers), `y` (0 or 1), `context` (dgCMatrix or `NULL`), `nodes` (names of the nodes: `A`, `B`, each a character
#'   vector or `NULL`) and `features` (names of the columns of the joined design).
#'
#'   `dim()` gives the number of pairs and of features, `x[k]` keeps the pairs `k`, `as.data.frame()` lists the pairs with
#'   the names of their nodes, and `model.matrix()` makes the joined sparse matrix, for small data.
#' @seealso [split_links()], [sample_negatives()], [score_links()], [top_links()]
#' @examples
#' people <- matrix(c(1, 0, 1, 0, 1, 1), 3)
#' dimnames(people) <- list(c("ann", "bob", "cem"), c("young", "keen"))
#' films <- matrix(c(1, 0, 0, 1), 2, dimnames = list(c("drama", "farce"), c("sad", "funny")))
#' seen <- data.frame(i = c("ann", "bob", "cem"), j = c("drama", "farce", "farce"), y = c(1, 1, 0))
#' pairs <- link_pairs(people, films, seen)
#' pairs
#' model.matrix(pairs)
#' as.data.frame(pairs[1:2])
#' @export
link_pairs <- function(A, B = NULL, pairs, context = NULL, directed = FALSE) {
  check_given()
  graph <- read_graph(A, B, directed)
  ends <- read_pairs(pairs, graph, "pairs")
  check_agreement(ends, graph)
  context <- if (!is.null(context)) read_context(context, length(ends$i))
  new_link_pairs(graph, ends, context)
}

new_link_pairs <- function(graph, ends, context = NULL) {
  structure(
    list(A = graph$A, B = graph$B, one_set = graph$one_set, directed = graph$directed, i = ends$i, j = ends$j,
         y = ends$y, context = context$x, nodes = graph$nodes, features = c(graph$features, context$features)),
    class = "link_pairs")
}

#' The blocks of a joined design, as the engine takes them
#' @noRd
link_blocks <- function(pairs) {
  c(list(list(x = pairs$A, index = pairs$i), list(x = pairs$B, index = pairs$j)),
    if (!is.null(pairs$context)) list(list(x = pairs$context, index = NULL)))
}

# ---- Reading nodes and pairs -------------------------------------------------------------------------------

#' Node sets and their names
#' @return A list: `A`, `B` (dgCMatrix), `one_set`, `directed`, `nodes` (names), `features` (joined).
#' @noRd
read_graph <- function(A, B, directed = FALSE) {
  directed <- check_flag(directed, "directed")
  if (missing(A)) hofm_abort("`A` must be given.", argument = "A")
  one_set <- is.null(B)
  left <- read_nodes(A, "A")
  right <- if (one_set || identical(A, B)) left else read_nodes(B, "B")
  if (one_set && nrow(left$x) < 2) {
    hofm_abort("`A` must have at least two nodes: a graph with one node has no pairs.", argument = "A")
  }
  list(A = left$x, B = right$x, one_set = one_set, directed = one_set && directed,
       nodes = list(A = left$nodes, B = right$nodes),
       features = c(paste0("A.", left$features), paste0("B.", right$features)))
}

read_nodes <- function(x, arg) {
  design <- read_features(x, arg)
  c(design, list(nodes = node_names(x, arg)))
}

read_features <- function(x, arg) {
  design <- as_design(plain_matrix(x, arg), arg)
  check_size(design$x, arg)
  features <- if (is.null(design$names)) paste0("V", seq_len(ncol(design$x))) else design$names
  check_cells(design$x, features, arg)
  list(x = design$x, features = features)
}

plain_matrix <- function(x, arg) {
  if (!is.data.frame(x)) return(x)
  plain <- vapply(x, function(v) (is.numeric(v) || is.logical(v)) && is.null(dim(v)), NA)
  if (all(plain)) return(as.matrix(x))
  hofm_abort(sprintf("Columns of %s must be numeric, but these are not: %s. Encode them with `model.matrix()`.",
                     ticked(arg), enumerate(ticked(names(x)[!plain]))), argument = arg)
}

# The automatic row names of a data frame are numbers, not names.
node_names <- function(x, arg) {
  if (is.data.frame(x) && .row_names_info(x) < 0) return(NULL)
  names <- rownames(x)
  if (is.null(names)) return(NULL)
  names <- enc2utf8(names)
  twice <- unique(names[duplicated(names)])
  if (!length(twice)) return(names)
  hofm_abort(sprintf("%s must have unique row names, but these occur more than once: %s.", ticked(arg),
                     enumerate(quoted(twice))), argument = arg)
}

read_context <- function(context, n) {
  design <- read_features_of_pairs(context)
  if (nrow(design$x) == n) return(list(x = design$x, features = paste0("pair.", design$features)))
  hofm_abort(sprintf("`context` must have one row for each of the %d pairs, not %d rows.", n, nrow(design$x)),
             argument = "context")
}

# As read_features(), but there may be no pairs.
read_features_of_pairs <- function(context) {
  if (NROW(context) > 0) return(read_features(context, "context"))
  design <- as_design(plain_matrix(context, "context"), "context")
  list(x = design$x, features = if (is.null(design$names)) paste0("V", seq_len(ncol(design$x))) else design$names)
}

#' Pairs of nodes by number
#' @return A list: `i`, `j` (integer), `y` (double), `named` (whether nodes came by name).
#' @noRd
read_pairs <- function(pairs, graph, arg) {
  columns <- pair_columns(pairs, arg)
  i <- node_numbers(columns$i, nrow(graph$A), graph$nodes$A, arg, "i", "A")
  j <- node_numbers(columns$j, nrow(graph$B), graph$nodes$B, arg, "j", if (graph$one_set) "A" else "B")
  list(i = i, j = j, y = read_labels(columns$y, length(i), arg), named = is_name(columns$i))
}

pair_columns <- function(pairs, arg) {
  if (!(is.data.frame(pairs) || is.matrix(pairs)) || ncol(pairs) < 2) {
    must_be(arg, "a data frame or matrix with columns `i` and `j`", pairs)
  }
  column <- function(k) if (is.data.frame(pairs)) pairs[[k]] else pairs[, k]
  names <- colnames(pairs)
  ends <- if (all(c("i", "j") %in% names)) c("i", "j") else 1:2
  label <- if ("y" %in% names) "y" else if (ncol(pairs) >= 3 && (is.null(names) || names[3] %in% "")) 3L
  list(i = unname(column(ends[1])), j = unname(column(ends[2])), y = if (!is.null(label)) unname(column(label)))
}

is_name <- function(x) is.character(x) || is.factor(x)

node_numbers <- function(x, n, names, arg, column, set) {
  if (is_name(x)) return(named_nodes(x, names, arg, column, set))
  if (!is.numeric(x) || is.object(x)) {
    must_be(paste0(arg, "$", column), "numbers of rows or names of nodes", x)
  }
  bad <- which(is.na(x) | x != round(x) | x < 1 | x > n)
  if (!length(bad)) return(as.integer(x))
  hofm_abort(sprintf("`%s$%s` must be whole numbers from 1 to %d, the rows of `%s`, but its value in row %d is %s.",
                     arg, column, n, set, bad[1], format(x[bad[1]], digits = 15)), argument = arg, row = bad[1])
}

named_nodes <- function(x, names, arg, column, set) {
  x <- enc2utf8(as.character(x))
  if (is.null(names)) {
    hofm_abort(sprintf("`%s$%s` holds names of nodes, but `%s` has no row names.", arg, column, set),
               argument = arg)
  }
  at <- match(x, names)
  unknown <- unique(x[is.na(at)])
  if (!length(unknown)) return(at)
  hofm_abort(sprintf("`%s$%s` must be row names of `%s`, but these are not: %s.%s", arg, column, set,
                     enumerate(quoted(unknown)), did_you_mean(unknown[1], names)), argument = arg, nodes = unknown)
}

read_labels <- function(y, n, arg) {
  if (is.null(y)) return(rep(1, n))
  need <- "0 or 1, or logical"
  if (!(is.logical(y) || is.numeric(y)) || is.object(y)) must_be(paste0(arg, "$y"), need, y)
  bad <- which(is.na(y) | !(y %in% 0:1))
  if (!length(bad)) return(as.double(y))
  hofm_abort(sprintf("`%s$y` must be %s, but its value in row %d is %s.", arg, need, bad[1], format(y[bad[1]])),
             argument = arg, row = bad[1])
}

# A pair may come twice (with other context, say), but not as a link and as no link.
check_agreement <- function(ends, graph) {
  code <- (ends$j - 1) * as.double(nrow(graph$A)) + ends$i
  clash <- intersect(code[ends$y == 1], code[ends$y == 0])
  if (!length(clash)) return(invisible())
  rows <- which(code == clash[1])
  hofm_abort(sprintf(
    "`pairs` must say one thing of each pair, but %s %s both with y = 0 and with y = 1: (%s) in rows %s.",
    counted(length(clash), "pair"), if (length(clash) == 1) "comes" else "come",
    paste(node_labels(graph, ends$i[rows[1]], ends$j[rows[1]]), collapse = ", "), enumerate(rows)),
    argument = "pairs", rows = rows)
}

# Names where nodes have them, else numbers.
node_labels <- function(graph, i, j) {
  list(i = if (is.null(graph$nodes$A)) i else graph$nodes$A[i],
       j = if (is.null(graph$nodes$B)) j else graph$nodes$B[j])
}

#' Check a link_pairs object before its numbers reach the compiled code
#'
#' Objects are edited, saved and read again.
#' @noRd
check_pairs <- function(pairs, arg) {
  check_graph(pairs, arg)
  check_ends(pairs, pairs, arg)
  check_sound(pairs, list(
    y = function(p) is_plain_number(p$y) && length(p$y) == length(p$i) && all(p$y %in% 0:1),
    context = function(p) absent_or(p$context, function(c) sound_node_block(c) && nrow(c) == length(p$i)),
    features = function(p) {
      sound_names(p$features) && length(p$features) == sum(ncol(p$A), ncol(p$B), if (!is.null(p$context)) ncol(p$context))
    }
  ), arg, "`link_pairs` object")
}

# The nodes of a link_pairs or link_rest object.
check_graph <- function(graph, arg) {
  named <- function(set) function(g) absent_or(g$nodes[[set]], function(n) is.character(n) && length(n) == nrow(g[[set]]))
  check_sound(graph, list(
    A = function(g) sound_node_block(g$A), B = function(g) sound_node_block(g$B),
    one_set = function(g) is_flag(g$one_set) && (!g$one_set || nrow(g$A) == nrow(g$B)), directed = function(g) is_flag(g$directed),
    features = function(g) {
      all(vapply(c("A", "B"), function(set) length(block_features(g$features, set)) == ncol(g[[set]]), NA))
    },
    nodes = function(g) (is.null(g$nodes) || is.list(g$nodes)) && named("A")(g) && named("B")(g)
  ), arg, "graph")
}

sound_node_block <- function(x) is(x, "dgCMatrix") && (is_sound_cpp(x) || isTRUE(validObject(x, test = TRUE))) && all_finite(x@x)

# Numbers that reach the compiled code must be rows.
check_ends <- function(ends, graph, arg) {
  if (is_name(ends$i) || is_name(ends$j)) {
    hofm_abort(sprintf("%s must have numbers of rows in `i` and `j`.", ticked(arg)), argument = arg)
  }
  node_numbers(ends$i, nrow(graph$A), NULL, arg, "i", "A")
  node_numbers(ends$j, nrow(graph$B), NULL, arg, "j", "B")
  if (length(ends$i) == length(ends$j)) return(invisible())
  hofm_abort(sprintf("%s must have as many `i` as `j`.", ticked(arg)), argument = arg)
}

# The test set of split_links().
check_test_set <- function(test, arg) {
  check_graph(test, arg)
  check_sound(test, list(links = function(t) is.list(t$links), train = function(t) is.list(t$train)), arg, "test set")
  check_ends(test$links, test, paste0(arg, "$links"))
  check_ends(test$train, test, paste0(arg, "$train"))
}

# ---- Methods -----------------------------------------------------------------------------------------------

#' @rdname link_pairs
#' @export
print.link_pairs <- function(x, ...) {
  check_pairs(x, "x")
  links <- sum(x$y)
  cat("Pairs of nodes: ", count_text(length(x$i)), ", of which ", count_text(links), " linked\n", sep = "")
  print_nodes(x)
  if (!is.null(x$context)) cat("context: ", describe_nodes(x$context, "pair"), "\n", sep = "")
  invisible(x)
}

print_nodes <- function(x) {
  cat("A: ", describe_nodes(x$A, "node"), "\n", sep = "")
  if (!x$one_set) cat("B: ", describe_nodes(x$B, "node"), "\n", sep = "")
  else cat("B: the same nodes; ", if (x$directed) "(i, j) and (j, i) are different pairs"
           else "(i, j) and (j, i) are the same pair", "\n", sep = "")
}

describe_nodes <- function(x, noun) {
  size <- count_text(c(nrow(x), ncol(x), length(x@x)))
  sprintf("%s %ss, %s features, %s nonzeros", size[1], noun, size[2], size[3])
}

#' @rdname link_pairs
#' @export
dim.link_pairs <- function(x) c(length(x$i), length(x$features))

#' @rdname link_pairs
#' @param k Which pairs to keep: numbers, negative numbers or logical.
#' @export
`[.link_pairs` <- function(x, k, ...) {
  check_pairs(x, "x")
  kept <- if (missing(k)) seq_along(x$i) else tryCatch(seq_along(x$i)[k], error = function(e) NA)
  if (anyNA(kept)) hofm_abort(sprintf("Pairs are chosen by numbers from 1 to %d, or by TRUE and FALSE.", length(x$i)))
  x[c("i", "j", "y")] <- lapply(unclass(x)[c("i", "j", "y")], `[`, kept)
  if (!is.null(x$context)) x$context <- from_matrix(x$context[kept, , drop = FALSE])
  x
}

#' @rdname link_pairs
#' @param row.names,optional As in [as.data.frame()]; not used.
#' @export
as.data.frame.link_pairs <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_pairs(x, "x")
  data.frame(node_labels(x, x$i, x$j), y = x$y, stringsAsFactors = FALSE)
}

#' @rdname link_pairs
#' @export
model.matrix.link_pairs <- function(object, ...) {
  check_pairs(object, "object")
  rows <- cbind(object$A[object$i, , drop = FALSE], object$B[object$j, , drop = FALSE], object$context)
  rows <- from_matrix(rows)
  dimnames(rows) <- list(NULL, object$features)
  rows
}

# ---- Splitting a graph -------------------------------------------------------------------------------------

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
#'   not links. A link that comes twice counts once.
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
  if (is_name(pair_columns(edges, "edges")$i)) ends <- node_labels(graph, ends$i, ends$j)
  data.frame(ends, y = rep(0, n), stringsAsFactors = FALSE)
}

# ---- Pairs as numbers --------------------------------------------------------------------------------------
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
    undirected = { high <- pmax(i, j); high * (high - 1) / 2 + pmin(i, j) })
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
