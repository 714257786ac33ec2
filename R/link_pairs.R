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
#'   An adjacency matrix (base or Matrix), whose nonzeros are links, and a graph of the package igraph will do as well; either may also
#'   come alone, as `A`, as in [split_links()].
#' @param context Features of the pairs themselves, such as the day on which i met j: a matrix with one row per pair.
#' @param directed For one node set: whether (i, j) and (j, i) are different pairs. If not, [hofm()] gives them the same score (`tied`).
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
  bare <- if (!missing(A) && missing(pairs)) bare_graph(A, !is.null(B))
  if (!is.null(bare)) return(link_pairs(bare$A, pairs = bare$edges, directed = if (missing(directed)) bare$directed else directed))
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
pair_blocks <- function(pairs) {
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
  if (!is.character(names)) must_be(paste0("rownames(", arg, ")"), "text", names)
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
  columns <- pair_columns(edge_list(pairs, c(nrow(graph$A), nrow(graph$B)), arg), arg)
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
  if (!is.numeric(x) || is.object(x) || !is.null(dim(x))) {
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
