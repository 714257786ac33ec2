# What a reader compares a model of links with: scores that need no model, from node features and training links alone.

#' Scores without a model, as a yardstick for links
#'
#' The area under the ROC curve, over the same pairs as [auc.hofm()], of scores that anyone can compute: a model of links that is not
#' above the best of them has learned nothing that they do not know. Only node features and the links of the training set are used.
#'
#' @param split The result of [split_links()].
#' @param max_pairs The most pairs of nodes that are scored, as a guard against filling the memory.
#' @return A data frame with columns `baseline` and `auc`, the best first:
#'   \describe{
#'     \item{cosine}{of the two nodes' features, weighted as `common` of [hofm()] does; where both sides have the same features.}
#'     \item{common neighbours}{how many nodes are linked to both; of two node sets, on how many paths of three links they are the ends.}
#'     \item{preferential attachment}{the product of the numbers of links of the two nodes.}
#'     \item{degree}{the sum of these numbers.}
#'   }
#'   In a directed graph links count both ways for common neighbours, and those from i and to j otherwise.
#' @seealso [split_links()], [auc.hofm()], [compare_models()]
#' @examples
#' split <- split_links(debian_r$features, edges = debian_r$links, directed = TRUE, seed = 1)
#' link_baselines(split)
#' @export
link_baselines <- function(split, max_pairs = 1e8) {
  check_given()
  if (!inherits(split, "link_split")) must_be("split", "the result of `split_links()`", split)
  check_sound(split, list(train = function(s) inherits(s$train, "link_pairs"), test = function(s) inherits(s$test, "link_rest")), "split", "split")
  check_pairs(split$train, "split$train")
  check_rest_object(split$test)
  scores <- checked_baselines(split$train, max_pairs)
  seen <- rest_of(split$test)
  area <- vapply(scores, function(score) auc(seen$y, score[seen$at]), 0)
  out <- data.frame(baseline = names(area), auc = unname(area), stringsAsFactors = FALSE)
  out <- out[order(-out$auc), ]
  rownames(out) <- NULL
  out
}

checked_baselines <- function(train, max_pairs) {
  size <- as.double(nrow(train$A)) * nrow(train$B)
  if (size <= check_number(max_pairs, "max_pairs", min = 0)) return(baseline_scores(train))
  hofm_abort(sprintf("The graph has %s pairs of nodes, more than the %s of `max_pairs`.", count_text(size), count_text(max_pairs)),
             argument = "max_pairs")
}

# ---- For compare_models() ----------------------------------------------------------------------------------

# Models and, if they are asked for, the baselines of a split as functions of pairs.
with_baselines <- function(models, newdata, baselines) {
  if (!check_flag(baselines, "baselines")) return(models)
  if (!inherits(newdata, "link_split")) {
    hofm_abort("`baselines` must be FALSE, unless `newdata` is the result of `split_links()`, whose training links they are made of.",
               argument = "baselines")
  }
  check_sound(newdata, list(train = function(s) inherits(s$train, "link_pairs")), "newdata", "split")
  check_pairs(newdata$train, "newdata$train")
  scores <- checked_baselines(newdata$train, 1e8)
  looked_up <- lapply(scores, function(score) function(pairs) score[cbind(pairs$i, pairs$j)])
  c(models, looked_up[setdiff(names(looked_up), names(models))])
}

# The pairs of a test set one by one; anything else as it is.
tested_pairs <- function(newdata, max_pairs = 1e7) {
  if (inherits(newdata, "link_split")) newdata <- newdata$test
  if (!inherits(newdata, "link_rest")) return(newdata)
  check_test_set(newdata, "newdata")
  size <- rest_size(newdata)
  if (size > max_pairs) {
    hofm_abort(sprintf("`newdata` has %s pairs, more than the %s that are compared one by one: `auc(fit, split$test)` has no such limit.",
                       count_text(size), count_text(max_pairs)), argument = "newdata")
  }
  seen <- rest_of(newdata)
  n <- nrow(newdata$A)
  new_link_pairs(newdata, list(i = as.integer((seen$at - 1) %% n) + 1L, j = as.integer((seen$at - 1) %/% n) + 1L, y = seen$y))
}

# Places of the test set's pairs in a matrix of scores, and whether they are links.
rest_of <- function(test) {
  grid <- pair_grid(test)
  code <- setdiff(seq(0, grid$size - 1), pair_codes(grid, test$train$i, test$train$j))
  ends <- pair_nodes(grid, code)
  list(at = (as.double(ends$j) - 1) * nrow(test$A) + ends$i, y = as.double(code %in% pair_codes(grid, test$links$i, test$links$j)))
}

# A list of matrices with a row for each node of A and a column for each of B.
baseline_scores <- function(pairs) {
  links <- all_links(pairs)
  n <- c(nrow(pairs$A), nrow(pairs$B))
  adjacent <- Matrix::sparseMatrix(links$i, links$j, x = 1, dims = n)
  either <- if (pairs$directed) methods::as(adjacent + Matrix::t(adjacent) > 0, "dMatrix") else adjacent
  neighbours <- if (pairs$one_set) either %*% either else adjacent %*% Matrix::t(adjacent) %*% adjacent
  from <- Matrix::rowSums(adjacent)
  to <- Matrix::colSums(adjacent)
  plain <- list(model = "hofm", loss = "squared", solver = "auto")
  rule <- if (is.null(why_not_common(pairs, plain))) common_rule(pairs)
  c(if (!is.null(rule)) list(cosine = cosines(pairs, rule)),
    list(`common neighbours` = as.matrix(neighbours), `preferential attachment` = outer(from, to), degree = outer(from, to, `+`)))
}

cosines <- function(pairs, rule) {
  blocks <- compared_blocks(list(list(x = pairs$A), list(x = pairs$B)), rule)
  as.matrix(Matrix::tcrossprod(blocks[[1L]]$common, blocks[[2L]]$common))
}

# Every link once, both ways if it has no direction.
all_links <- function(pairs) {
  links <- unique(data.frame(i = pairs$i, j = pairs$j)[pairs$y == 1, ])
  if (pairs$one_set && !pairs$directed) links <- unique(rbind(links, data.frame(i = links$j, j = links$i)))
  if (pairs$one_set) links <- links[links$i != links$j, ]
  links
}
