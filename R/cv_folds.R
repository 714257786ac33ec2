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

#' Whole groups of rows dealt out, from the largest to the smallest, each to where it leaves folds and classes most even
#' @param groups A whole number from 1 up for each row.
#' @noRd
deal_groups <- function(nfolds, groups, class) {
  shares <- unclass(table(groups, class))
  if (nfolds > nrow(shares)) {
    hofm_abort(sprintf("`nfolds` must be at most %d, the number of groups of rows, not %d.", nrow(shares), nfolds), argument = "nfolds")
  }
  shares <- sweep(shares, 2, colSums(shares), "/")
  load <- matrix(0, nfolds, ncol(shares))
  fold <- integer(nrow(shares))
  for (g in order(-rowSums(shares), stats::runif(nrow(shares)))) {
    after <- rowSums((load + rep(shares[g, ], each = nfolds))^2) - rowSums(load^2)
    fold[g] <- order(after, stats::runif(nfolds))[1]
    load[fold[g], ] <- load[fold[g], ] + shares[g, ]
  }
  fold[groups]
}

#' The fold of each row, given or drawn, such that every fold can be predicted from the others
#' @noRd
make_folds <- function(task, plan) {
  foldid <- if (!is.null(plan$foldid)) check_foldid(plan$foldid, task, plan$fold_groups)
            else if (is.null(plan$fold_groups)) task$draw_folds(plan$nfolds)
            else deal_groups(plan$nfolds, check_fold_groups(plan$fold_groups, task), task$classes)
  argument <- if (is.null(plan$foldid)) "nfolds" else "foldid"
  for (fold in sort(unique(foldid))) check_fold(fold, foldid, task, plan$measure, argument)
  foldid
}

# Values of the rows that na.action left.
kept_rows <- function(values, task) {
  all <- length(task$omitted) && length(values) == task$problem$n + length(task$omitted)
  if (all) values[-task$omitted] else values
}

# Groups of rows as numbers from 1 up.
check_fold_groups <- function(groups, task) {
  groups <- if (is.atomic(groups) && is.null(dim(groups))) kept_rows(groups, task) else groups
  sound <- (is.factor(groups) || is.character(groups) || is.numeric(groups)) && is.null(dim(groups)) && !anyNA(groups)
  if (!sound || length(groups) != task$problem$n) {
    must_be("fold_groups", sprintf("a factor, or names or numbers of groups, one for each of the %d rows", task$problem$n), groups)
  }
  match(groups, unique(groups))
}

# `groups` of hofm() has a value for each feature. One for each row, before or after na.action, says which rows stay together.
are_row_groups <- function(groups, parts) {
  rows <- nrow(parts$x) + c(0, length(parts$na.action))
  length(groups) %in% rows && length(groups) != length(parts$blueprint$features)
}

check_foldid <- function(foldid, task, fold_groups = NULL) {
  if (!is.null(fold_groups)) hofm_abort("`fold_groups` must be NULL where `foldid` says which fold a row is in.", argument = "fold_groups")
  n <- task$problem$n
  if (is.factor(foldid) && !anyNA(foldid)) foldid <- as.integer(droplevels(foldid))
  foldid <- kept_rows(foldid, task)
  whole <- is_plain_number(foldid) && all(is.finite(foldid)) && all(foldid == round(foldid)) && all(foldid >= 1)
  if (!whole) must_be("foldid", "a factor or positive whole numbers, one for each row", foldid)
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
