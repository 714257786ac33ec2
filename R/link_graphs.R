# Graphs as others keep them: igraph objects and adjacency matrices become the two columns that pairs are read from.

#' Links of a graph, whatever holds them
#' @param links An igraph object, an adjacency matrix or, as it is, anything else.
#' @param size c(nodes of A, nodes of B).
#' @return A data frame with columns `i`, `j`, or `links` itself.
#' @noRd
edge_list <- function(links, size, arg) {
  if (inherits(links, "igraph")) return(igraph_links(links, arg))
  if (!is_adjacency(links, size)) return(links)
  adjacency_links(links, size, arg)
}

# Two columns are ends of links, unless there are two nodes of B and zeros, which no number of a row can be.
is_adjacency <- function(x, size) {
  if (inherits(x, "Matrix")) return(TRUE)
  is.matrix(x) && (is.numeric(x) || is.logical(x)) && identical(dim(x), as.integer(size)) &&
    !all(c("i", "j") %in% colnames(x)) && (ncol(x) > 3 || any(x %in% 0))
}

adjacency_links <- function(x, size, arg) {
  if (!identical(dim(x), as.integer(size))) {
    hofm_abort(sprintf("%s must, as an adjacency matrix, have a row for each of the %d nodes of `A` and a column for each of the %d of `B`, not %d x %d.",
                       ticked(arg), size[1], size[2], nrow(x), ncol(x)), argument = arg)
  }
  if (anyNA(x)) hofm_abort(sprintf("%s must have no missing values.", ticked(arg)), argument = arg)
  at <- Matrix::which(x != 0, arr.ind = TRUE)
  data.frame(i = unname(at[, 1]), j = unname(at[, 2]))
}

igraph_links <- function(graph, arg) {
  if (!requireNamespace("igraph", quietly = TRUE)) {
    hofm_abort(sprintf("%s is a graph of the package igraph, which is not installed.", ticked(arg)), argument = arg)
  }
  ends <- igraph::as_edgelist(graph, names = !is.null(igraph::V(graph)$name))
  data.frame(i = ends[, 1], j = ends[, 2], stringsAsFactors = FALSE)
}

#' A graph in place of node features: each node has one feature, itself
#' @return list(A, edges, directed), or NULL if `A` is no graph.
#' @noRd
bare_graph <- function(A, edges_given) {
  if (edges_given) return(NULL)
  if (inherits(A, "igraph")) {
    links <- igraph_links(A, "A")
    names <- igraph::V(A)$name
    return(list(A = indicators(igraph::vcount(A), names), edges = links, directed = igraph::is_directed(A)))
  }
  if (!(is.matrix(A) || inherits(A, "Matrix")) || nrow(A) != ncol(A)) return(NULL)
  links <- adjacency_links(A, dim(A), "A")
  list(A = indicators(nrow(A), rownames(A)), edges = links, directed = !Matrix::isSymmetric(unname(A)))
}

indicators <- function(n, names) {
  x <- from_matrix(Matrix::Diagonal(n))
  if (!is.null(names)) dimnames(x) <- list(names, names)
  x
}
