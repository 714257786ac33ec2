# Which fold a row is in, and whether every fold can be predicted from the others.

# Rows of one class after the other are dealt out like cards, in random order within a class: folds differ
# by at most one row, in total and in each class.
deal_rows <- function(nfolds, class) {
  n <- length(class)
  if (nfolds > n) {
    hofm_abort(sprintf("`nfolds` must be at most %d, the number of rows, not %d.", n, nfolds), argument = "nfolds")
  }
  foldid <- integer(n)
  foldid[order(class, stats::runif(n))] <- rep_len(sample.int(nfolds), n)
  foldid
}

# Nodes are dealt out from the one with the most links to the one with the fewest, so that links are spread
# evenly.
deal_nodes <- function(nfolds, pairs) {
  nodes <- unique(pairs$i)
  if (nfolds > length(nodes)) {
    hofm_abort(sprintf("`nfolds` must be at most %d, the number of nodes of `A` that have pairs, not %d.",
                       length(nodes), nfolds), argument = "nfolds")
  }
  links <- tabulate(match(pairs$i[pairs$y == 1], nodes), length(nodes))
  fold <- integer(length(nodes))
  fold[order(-links, stats::runif(length(nodes)))] <- rep_len(sample.int(nfolds), length(nodes))
  fold[match(pairs$i, nodes)]
}

#' The fold of each row, given or drawn, such that every fold can be predicted from the others
#' @noRd
make_folds <- function(task, plan) {
  foldid <- if (is.null(plan$foldid)) task$draw_folds(plan$nfolds) else check_foldid(plan$foldid, task)
  argument <- if (is.null(plan$foldid)) "nfolds" else "foldid"
  for (fold in sort(unique(foldid))) check_fold(fold, foldid, task, plan$measure, argument)
  foldid
}

check_foldid <- function(foldid, task) {
  n <- task$problem$n
  if (length(task$omitted) && length(foldid) == n + length(task$omitted)) foldid <- foldid[-task$omitted]
  whole <- is_plain_number(foldid) && all(is.finite(foldid)) && all(foldid == round(foldid)) && all(foldid >= 1)
  if (!whole) must_be("foldid", "positive whole numbers, one for each row", foldid)
  if (length(foldid) != n) {
    hofm_abort(sprintf("`foldid` must have one value for each of the %d rows, not %d values.", n, length(foldid)),
               argument = "foldid")
  }
  if (length(unique(foldid)) < 2) hofm_abort("`foldid` must name at least two folds, not one.", argument = "foldid")
  if (!is.null(task$check_folds)) task$check_folds(foldid)
  as.integer(foldid)
}

check_node_folds <- function(foldid, pairs) {
  both <- unique(cbind(pairs$i, foldid))
  split <- both[duplicated(both[, 1]), 1]
  if (!length(split)) return(invisible())
  hofm_abort(sprintf(paste("`foldid` must put all pairs of a node of `A` into one fold for `hold_out = \"nodes\"`,",
                           "but node %d is in several."), split[1]), argument = "foldid")
}

# A fold must have weight to be measured by, and with two classes rows of both, unless it is a single row;
# and so must the rest.
check_fold <- function(fold, foldid, task, measure, argument) {
  y <- task$problem$y
  counts <- task$problem$weights > 0
  held <- y[foldid == fold & counts]
  rest <- y[intersect(task$training_rows(fold, foldid), which(counts))]
  stop_with <- function(what) {
    hint <- if (argument == "nfolds") "use fewer folds, or give `foldid`" else "choose other folds"
    hofm_abort(sprintf("`%s` must leave every fold with enough rows, but %s: %s.", argument, sprintf(what, fold), hint),
               argument = argument, fold = fold)
  }
  if (!length(held)) stop_with("fold %d has no row of positive weight")
  if (length(rest) < 2 || all(rest == rest[1])) stop_with("the response does not vary outside fold %d")
  lone <- sum(foldid == fold) == 1 && measure != "auc"
  if (!is.null(task$response$levels) && !lone && all(held == held[1])) {
    absent <- task$response$levels[if (held[1] > 0) 1 else 2]
    stop_with(paste0("fold %d has no row of class \"", gsub("%", "%%", absent, fixed = TRUE), "\""))
  }
}
