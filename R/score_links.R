# Scores of all pairs of a graph. A fit sees a pair as two nodes, so tables of the nodes are made once and multiplied.

#' Score every pair of nodes
#'
#' The prediction of a fit on links for every node of A with every node of B. Tables of numbers are computed once per node
#' and multiplied block by block: no row per pair is ever formed. The nodes may be new, as long as they have the features
#' that the fit knows, which are matched by name.
#'
#' @param fit A fit of [hofm()] on [link_pairs()]. It must not use features of the pairs themselves (`context`), which only
#'   [predict.hofm()] can be given.
#' @param A,B Node features as in [link_pairs()]; `B = NULL` scores all ordered pairs of the nodes of A. In place of A, a
#'   [link_pairs()] object or the test set of [split_links()], whose nodes are then used.
#' @param type `"response"` for the scale of the response (probabilities under the logistic loss), `"link"` for the model's
#'   own scale. An offset is not part of either.
#' @param threads Number of threads; `NULL` takes that of the fit. The scores do not depend on it.
#' @return A matrix with a row for each node of A and a column for each of B, named as they are.
#' @details Beside the result, memory is needed for the tables: for each node one number per factor and degree between 1
#'   and the order of a term. For only some of the scores see [top_links()]; for the quality of all of them [auc.hofm()].
#' @seealso [top_links()], [link_pairs()]
#' @examples
#' a <- matrix(rnorm(12), 4, dimnames = list(paste0("user", 1:4), c("x", "y", "z")))
#' b <- matrix(rnorm(10), 5, dimnames = list(paste0("item", 1:5), c("u", "v")))
#' pairs <- link_pairs(a, b, data.frame(i = c(1, 2, 3, 4, 1), j = 1:5, y = c(1, 0, 1, 0, 0)))
#' fit <- hofm(pairs, rank = 2)
#' score_links(fit, a, b)
#' @export
score_links <- function(fit, A, B = NULL, type = c("response", "link"), threads = NULL) {
  check_given()
  type <- if (missing(type)) "response" else check_choice(type, "type", c("response", "link"))
  fit <- check_link_fit(fit)
  graph <- matched_graph(fit, graph_of(A, B))
  link <- within_memory(score_links_cpp(graph$A, graph$B, link_model(fit, graph), link_threads(fit, threads)))
  if (is.null(link)) abort_overflow()
  if (same_nodes(fit, graph)) link[lower.tri(link)] <- t(link)[lower.tri(link)]      # to the last bit
  dimnames(link) <- if (!all(vapply(graph$nodes, is.null, NA))) unname(graph$nodes)
  on_scale(fit, link, type)
}

#' The best new links
#'
#' The pairs of nodes with the highest scores that are not linked already, overall or for each node. All pairs are scored
#' block by block and the best of them kept in heaps, so memory does not grow with the number of pairs.
#'
#' @inheritParams score_links
#' @param links A [link_pairs()] object, whose links are left out (its pairs with `y = 0` are not); the test set of
#'   [split_links()], whose training pairs are left out; or node features as `A` in [link_pairs()], such as those of nodes
#'   that were not there in training.
#' @param n How many pairs, overall or for each node. Fewer come back if there are fewer.
#' @param by `"overall"` for the best pairs of the graph, `"node"` for the best partners of each node of A. In an undirected
#'   graph `"overall"` names each pair once, with row numbers i < j, and `"node"` names it for both of its nodes.
#' @param B,directed As in [link_pairs()], if `links` is a matrix.
#' @param known Further links to leave out, as `edges` in [split_links()].
#' @return A data frame with columns `i`, `j` (names of nodes, or row numbers if they have none) and `score`, the best
#'   first; node by node if `by = "node"`. Pairs of equal score are in the order of their row numbers.
#' @seealso [score_links()]
#' @examples
#' split <- split_links(debian_r$features, edges = debian_r$links, directed = TRUE, seed = 1)
#' fit <- hofm(split$train, rank = 4, lambda = 1e-3, control = hofm_control(max_iter = 5, seed = 1))
#' top_links(fit, split$test, n = 5)
#' # Dependencies of a package that no one has seen
#' new <- debian_r$features["glmnet", , drop = FALSE]
#' top_links(fit, new, B = debian_r$features, n = 3, by = "node")
#' @export
top_links <- function(fit, links, n = 10, by = c("overall", "node"), B = NULL, known = NULL, directed = FALSE,
                      type = c("response", "link"), threads = NULL) {
  check_given()
  by <- if (missing(by)) "overall" else check_choice(by, "by", c("overall", "node"))
  type <- if (missing(type)) "response" else check_choice(type, "type", c("response", "link"))
  n <- check_count(n, "n")
  fit <- check_link_fit(fit)
  graph <- graph_of(links, B, directed, "links")
  left_out <- known_pairs(links, known, graph)
  graph <- matched_graph(fit, graph)
  best <- guard_overflow(top_links_cpp(
    graph$A, graph$B, link_model(fit, graph), pair_grid(graph)$kind, left_out, n, by == "node", link_threads(fit, threads)))
  if (!all_finite(best$score)) abort_overflow()
  data.frame(node_labels(graph, best$i, best$j), score = on_scale(fit, best$score, type), stringsAsFactors = FALSE)
}

# Pairs that are no candidates: of the object itself, and those given.
known_pairs <- function(links, known, graph) {
  if (inherits(links, "link_rest")) check_test_set(links, "links")
  if (inherits(links, "link_pairs")) check_pairs(links, "links")
  own <- if (inherits(links, "link_rest")) links$train
         else if (inherits(links, "link_pairs")) list(i = links$i[links$y == 1], j = links$j[links$y == 1])
  given <- if (!is.null(known)) read_pairs(known, graph, "known")
  linked <- given$y == 1
  ordered_ends(graph, c(own$i, given$i[linked]), c(own$j, given$j[linked]))
}

# In an undirected graph a pair goes by its smaller number first.
ordered_ends <- function(graph, i, j) {
  i <- as.integer(i)
  j <- as.integer(j)
  if (graph$one_set && !graph$directed) list(i = pmin(i, j), j = pmax(i, j)) else list(i = i, j = j)
}

#' Area under the ROC curve of a fit on new rows or pairs
#'
#' Of a fit to rows, `test` is a data frame or matrix of new rows, and the response is that of the fit's formula in it, or `y`. Rows
#' without a prediction are left out with a warning.
#'
#' Of a fit to pairs of nodes, `test` is a test set of [split_links()] or a [link_pairs()] object. The first
#' scores every pair of a test set made by [split_links()] and compares the links that were held out with all pairs that are
#' not known to be linked, however many. Scores come in blocks and are only counted: beside the tables of [score_links()]
#' and one block per thread, memory is in proportion to the number of links. The value is the one that [auc()] would have of
#' all the scores, ties included.
#'
#' @param x A fit of [hofm()], or a result of [cv_hofm()], whose chosen fit it is then.
#' @param test New rows, as `newdata` in [predict.hofm()]; or for pairs of nodes the test set of [split_links()], or a [link_pairs()]
#'   object, whose pairs are then the only ones.
#' @param newdata Another name for `test`.
#' @param y The response of new rows; `NULL` takes it from `test` by the formula of the fit.
#' @param threads Number of threads; `NULL` takes that of the fit. The result does not depend on it.
#' @inheritParams auc
#' @param ... Nothing: an unknown argument is an error.
#' @return As of [auc()]: a number, or with `ci = TRUE` a named vector `auc`, `lower`, `upper`.
#' @seealso [auc()], [split_links()]
#' @examples
#' split <- split_links(debian_r$features, edges = debian_r$links, directed = TRUE, seed = 1)
#' fit <- hofm(split$train, rank = 4, lambda = 1e-3, control = hofm_control(max_iter = 5, seed = 1))
#' auc(fit, split$test)
#' auc(fit, split$test, ci = TRUE)
#'
#' train <- seq(1, 32, 2)
#' auc(hofm(am ~ hp + wt, mtcars[train, ], order = 1, loss = "logistic"), mtcars[-train, ])
#' @export
auc.hofm <- function(x, test = newdata, ci = FALSE, level = 0.95, method = c("delong", "logit"), threads = NULL, y = NULL, ..., newdata) {
  check_dots(list(...), names(formals(auc.hofm)))
  method <- check_auc_options(ci, level, method, weighted = FALSE)
  if (missing(test) && missing(newdata)) hofm_abort("`test` must be given.", argument = "test")
  if (are_rows(test) && !has_pair_sides(x)) {
    rows <- scored_rows(x, test, y)
    return(auc(rows$truth, rows$score, ci = ci, level = level, method = method))
  }
  if (inherits(test, "link_pairs")) return(pairs_auc(x, test, ci, level, method, threads))
  fit <- check_link_fit(x, "x")
  check_rest_object(test)
  stats <- rest_curve(fit, test, -1, link_threads(fit, threads))$summary
  warn_one_class(stats)
  if (ci) auc_interval(stats[["auc"]], sqrt(stats[["variance"]]), level, method) else nan_to_na(stats[["auc"]])
}

# Rows of a table rather than pairs of nodes; a test set of pairs is a list.
are_rows <- function(test) !inherits(test, "link_pairs") && (is.data.frame(test) || is.matrix(test) || inherits(test, "Matrix"))

#' Truth and score of new rows, of those that have both
#' @noRd
scored_rows <- function(fit, rows, y) {
  fit <- one_fit(fit, "x")
  check_fit(fit, "x")
  if (is.null(y) && is.null(fit$response$levels)) {
    hofm_abort("`x` has a response of numbers, and a ROC curve needs two classes: give them as `y`.", argument = "y")
  }
  if (is.null(y)) y <- formula_response(fit, rows)
  check_response_length(y, nrow(rows))
  truth <- second_level(fit, y)
  score <- predict(fit, rows, type = "link")
  whole <- !is.na(truth) & !is.na(score)
  if (!all(whole)) {
    hofm_warn(sprintf("%s of `test` without a response or a prediction left out.", counted(sum(!whole), "row")), "hofm_warning_dropped_rows")
  }
  list(truth = truth[whole], score = score[whole])
}

# The response of new rows by the formula of the fit.
formula_response <- function(fit, rows) {
  formula <- fit$blueprint$formula
  if (is.null(formula)) hofm_abort("`y`, the response of `test`, must be given: the fit has no formula.", argument = "y")
  absent <- setdiff(all.vars(formula[[2]]), names(rows))
  if (length(absent)) {
    hofm_abort(sprintf("`test` must hold the response, %s, or `y` must be given.", enumerate(ticked(absent))), argument = "test")
  }
  evaluate_call(formula[[2]], as.data.frame(rows), environment(formula), "test")
}

# Whether a response is of the second class; of a fit without classes the response as it is, which auc() judges.
second_level <- function(fit, y) {
  levels <- fit$response$levels
  if (is.null(levels)) return(y)
  class <- match(as.character(y), as.character(levels))
  odd <- which(is.na(class) & !is.na(y))
  if (!length(odd)) return(class == 2L)
  hofm_abort(sprintf("The response of `test` must be %s, the classes of the fit, but in row %d it is %s.",
                     paste(quoted(levels), collapse = " or "), odd[1], quoted(as.character(y[odd[1]]))), argument = "test", row = odd[1])
}

pairs_auc <- function(fit, pairs, ci, level, method, threads) {
  auc(pairs$y, pair_links(fit, pairs, threads), ci = ci, level = level, method = method)
}

pair_links <- function(fit, pairs, threads) {
  fit <- check_pair_fit(fit, "x")
  link_values(fit, matched_blocks(fit, pairs, "test"), link_threads(fit, threads))
}

# `most`: points of the curve, 0 for all; negative for its area alone.
rest_curve <- function(fit, test, most, threads) {
  graph <- matched_graph(fit, graph_of(test))
  ends <- function(pairs) ordered_ends(graph, pairs$i, pairs$j)
  guard_overflow(links_curve_cpp(graph$A, graph$B, link_model(fit, graph), pair_grid(graph)$kind, ends(test$links),
                                 ends(test$train), most, threads))
}

#' ROC curve of a fit on new rows or pairs
#'
#' The curve whose area [auc.hofm()] gives: the links that were held out against all pairs that are not known to be linked. Scores are
#' made and counted block by block, so that memory does not grow with the number of pairs.
#'
#' @inheritParams auc.hofm
#' @inheritParams roc_curve
#' @return As of [roc_curve()], with thresholds on the scale of the link. Over all remaining pairs the curve has its corners only, at
#'   most two for each link: between them it is straight.
#' @seealso [auc.hofm()], [plot.roc_curve()]
#' @examples
#' set.seed(1)
#' A <- matrix(rnorm(300), 100)
#' alike <- which(upper.tri(diag(100)) & tcrossprod(A) + rnorm(10000) > 3, arr.ind = TRUE)
#' split <- split_links(A, edges = alike)
#' fit <- hofm(split$train, rank = 3)
#' curve <- roc_curve(fit, split$test)
#' curve
#' plot(curve)
#' @export
roc_curve.hofm <- function(x, test = newdata, max_points = NULL, threads = NULL, y = NULL, ..., newdata) {
  check_dots(list(...), names(formals(roc_curve.hofm)))
  if (missing(test) && missing(newdata)) hofm_abort("`test` must be given.", argument = "test")
  if (are_rows(test) && !has_pair_sides(x)) {
    rows <- scored_rows(x, test, y)
    return(roc_curve(rows$truth, rows$score, max_points = max_points))
  }
  if (inherits(test, "link_pairs")) return(roc_curve(test$y, pair_links(x, test, threads), max_points = max_points))
  most <- check_max_points(max_points)
  fit <- check_link_fit(x, "x")
  check_rest_object(test)
  points <- rest_curve(fit, test, most, link_threads(fit, threads))
  warn_one_class(points$summary)
  new_roc_curve(points, points$summary, c("0", "1"), weighted = FALSE)
}

check_rest_object <- function(test) {
  if (!inherits(test, "link_rest")) must_be("test", "a test set made by `split_links()`", test)
  check_test_set(test, "test")
  if (!length(test$links$i)) {
    hofm_abort("`test` holds no links, so there is nothing to compare: split with a smaller `prop`.",
               argument = "test")
  }
}

# ---- The graph in the columns of the fit -------------------------------------------------------------------

graph_of <- function(A, B = NULL, directed = FALSE, arg = "A") {
  if (missing(A)) hofm_abort(sprintf("%s must be given.", ticked(arg)), argument = arg)
  if (!inherits(A, c("link_pairs", "link_rest"))) return(read_graph(A, B, directed))
  if (!is.null(B)) hofm_abort(sprintf("`B` must not be given: %s has its own.", ticked(arg)), argument = "B")
  check_graph(A, arg)
  unclass(A)[c("A", "B", "one_set", "directed", "nodes", "features")]
}

# A fit whose features are those of two nodes and perhaps of the pair.
check_pair_fit <- function(fit, arg) {
  need <- "a fit of `hofm()` on `link_pairs()`"
  fit <- one_fit(fit, arg)
  if (!inherits(fit, "hofm")) must_be(arg, need, fit)
  check_fit(fit, arg)
  if (!has_pair_sides(fit)) must_be(arg, need, fit)
  fit
}

# Of nodes alone: then all pairs can be scored.
check_link_fit <- function(fit, arg = "fit") {
  fit <- check_pair_fit(fit, arg)
  of_pair <- fit$features[feature_side(fit$features) == "pair"]
  if (!length(of_pair)) return(fit)
  hofm_abort(sprintf(paste("%s uses features of the pairs themselves, such as %s, which are not known for all pairs:",
                           "use `predict()` with `context`."), ticked(arg), ticked(of_pair[1])),
             c("hofm_error_unsupported", "hofm_error_input"), argument = arg)
}

# Whether the features are those of nodes of A, then of B, then perhaps of the pair.
has_pair_sides <- function(fit) {
  if (!is.list(fit) || !is.character(fit$features)) return(FALSE)
  sides <- rle(feature_side(fit$features))$values
  identical(setdiff(sides, "pair"), c("A", "B")) && identical(sides[1:2], c("A", "B")) && length(sides) <= 3
}

# "A", "B" or "pair", from the prefix; "none" for names that are not of a joined design.
feature_side <- function(features) {
  side <- rep("none", length(features))
  for (prefix in c("A", "B", "pair")) side[startsWith(features, paste0(prefix, "."))] <- prefix
  side
}

link_threads <- function(fit, threads) {
  if (is.null(threads)) fit$control$threads else check_count(threads, "threads", max = 1024)
}

# The columns of A and B in the order and on the scale that the fit knows.
matched_graph <- function(fit, graph) {
  if (!identical(fit$features, graph$features)) {
    graph$A <- matched_nodes(fit$features, graph, "A")
    graph$B <- matched_nodes(fit$features, graph, "B")
  }
  standard <- lapply(c(A = "A", B = "B"), function(side) standard_of_side(fit, side))
  one <- identical(standard$A, standard$B) && identical(graph$A, graph$B)
  graph$A <- standardized(graph$A, standard$A)
  graph$B <- if (one) graph$A else standardized(graph$B, standard$B)
  graph
}

# How the features of one side of a pair were standardised, or NULL.
standard_of_side <- function(fit, side) {
  if (is.null(fit$blueprint$standard)) return(NULL)
  standard <- lapply(fit$blueprint$standard, `[`, feature_side(fit$features) == side)
  if (is.null(standard$side)) standard else replace(standard, "side", list(sign(standard$side)))
}

# Whether scores are those of one set of nodes, whose order in a pair does not matter.
same_nodes <- function(fit, graph) isTRUE(fit$tied) && identical(graph$A, graph$B)

matched_nodes <- function(features, graph, set) {
  arg <- if (set == "B" && graph$one_set) "A" else set
  matched_columns(graph[[set]], block_features(features, set), block_features(graph$features, set), arg)
}

# Columns without names at training are matched by their place.
matched_columns <- function(x, known, given, arg) {
  if (identical(known, given)) return(x)
  if (!identical(known, paste0("V", seq_along(known)))) return(take_columns(x, match_columns(given, known, arg)))
  check_width(length(given), length(known), arg)
  x
}

#' Blocks of pairs for the engine, their columns in the order that the fit knows
#' @noRd
matched_blocks <- function(fit, pairs, arg = "newdata") {
  check_pairs(pairs, arg)
  graph <- matched_graph(fit, graph_of(pairs))
  known <- block_features(fit$features, "pair")
  context <- if (length(known)) matched_columns(pairs$context, known, block_features(pairs$features, "pair"), "context")
  if (length(known)) context <- standardized(context, standard_of_side(fit, "pair"))
  ends <- if (same_nodes(fit, graph)) list(i = pmin(pairs$i, pairs$j), j = pmax(pairs$i, pairs$j)) else list(i = pairs$i, j = pairs$j)
  compared_blocks(pair_blocks(list(A = graph$A, B = graph$B, i = ends$i, j = ends$j, context = context)), fit$common)
}

# Names of the features of one block, without its prefix.
block_features <- function(features, set) {
  features <- as.character(features)
  prefix <- paste0(set, ".")
  substring(features[startsWith(features, prefix)], nchar(prefix) + 1L)
}

# What the core's tables are made of. The penalty plays no part.
link_model <- function(fit, graph) {
  spec <- fit[c("model", "order", "rank", "linear")]
  spec$lambda <- if (fit$model == "hofm") numeric(fit$order) else 0
  model <- cpp_model(fit, spec)
  model$both_ways <- averages_sides(fit)
  if (is.null(fit$common)) return(model)
  blocks <- compared_blocks(list(list(x = graph$A), list(x = graph$B)), fit$common)
  c(model, list(compared = list(A = blocks[[1L]]$common, B = blocks[[2L]]$common)))
}

# ---- Scores that are no numbers ----------------------------------------------------------------------------

# The core throws where a score is NaN.
guard_overflow <- function(code) {
  tryCatch(within_memory(code), "std::invalid_argument" = function(e) abort_overflow())
}

abort_overflow <- function() {
  hofm_abort("Scores are not finite: features or factors are too large for their products. Scale the features.",
             "hofm_error_overflow")
}
