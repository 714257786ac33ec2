# A task is the data and how it is taken apart: `problem` (all rows, see fit.R, as they came), `everything` (what a fit to
# all data is trained on), `parts` (as the front door read them), `response` (as coded), `classes` (what folds have equal shares of), `omitted`
# (rows that na.action took out), `tunable` (whether hofm() would choose penalties from it), and functions:
# draw_folds(nfolds); training_rows(fold, foldid); training(rows, fold, foldid), which makes a problem of
# these rows; refit(spec, init, call); and perhaps check_folds(foldid).

row_task <- function(parts, spec, control) {
  refuse_many_classes(parts$y, spec$loss)
  checked <- row_problem(parts, replace(spec, "standardize", FALSE))
  problem <- checked$problem
  response <- checked$response
  classes <- if (is.null(response$levels)) rep(1, problem$n) else response$y
  list(
    problem = problem, parts = parts, response = response, classes = classes, omitted = parts$na.action, tunable = is.null(parts$blocks),
    draw_folds = function(nfolds) deal_rows(nfolds, classes),
    training_rows = function(fold, foldid) which(foldid != fold),
    training = function(rows, fold, foldid) take_samples(problem, rows),
    everything = problem,
    refit = function(spec, init, call) fit_checked(parts, spec, init, control, call)
  )
}

#' A training problem as the model sees it, and held-out rows likewise
#'
#' As hofm() on these rows alone would see them: columns and response are on the scale of the training rows, which the held-out ones have no
#' part in.
#' @param held A problem, or NULL.
#' @return A list: `problem`, `held`, and `spec` with the unit of the response.
#' @noRd
model_view <- function(problem, held, parts, spec) {
  if (isTRUE(spec$standardize)) {
    if (is.null(parts$blocks)) parts$x <- problem$blocks[[1L]]$x
    standard <- learn_standard(problem$blocks, problem$weights, center = spec$intercept && is.null(parts$blocks))
    problem$blocks <- standardized_blocks(problem$blocks, standard)
    if (!is.null(held)) held$blocks <- standardized_blocks(held$blocks, standard)
    spec$unit <- response_unit(problem, spec$loss)
  }
  problem$blocks <- penalised_blocks(problem$blocks, spec$penalty_factor)
  if (!is.null(held)) held$blocks <- penalised_blocks(held$blocks, spec$penalty_factor)
  list(problem = problem, held = held, spec = spec)
}

pair_task <- function(pairs, parts, spec, control, hold_out, negatives, negative_weight) {
  task <- row_task(parts, spec, control)
  if (hold_out == "nodes") task <- hold_out_nodes(task, pairs)
  if (negatives == "all" && identical(spec$loss, "auc")) {
    hofm_abort("`negatives` must be \"given\" to cross-validate `loss = \"auc\"`: pairs that are held out must not be drawn.",
               argument = "negatives")
  }
  if (negatives == "all") return(all_pairs_task(task, pairs, parts, spec, control, hold_out, negative_weight))
  if (!is.null(negative_weight)) hofm_abort("`negative_weight` needs `negatives = \"all\"`.", argument = "negative_weight")
  task
}

# Rows `rows` of a problem. Nodes that lose all their pairs stay: their rows are not touched.
take_samples <- function(problem, rows) {
  problem$blocks <- lapply(problem$blocks, function(block) {
    if (is.null(block$index)) list(x = from_matrix(block$x[rows, , drop = FALSE]), index = NULL)
    else list(x = block$x, index = block$index[rows])
  })
  problem$n <- length(rows)
  problem$y <- problem$y[rows]
  problem$weights <- normalise(problem$weights[rows])
  if (length(problem$offset)) problem$offset <- problem$offset[rows]
  problem
}

# A node of A takes all its pairs with it; of one node set, also those in which it comes second.
hold_out_nodes <- function(task, pairs) {
  task$draw_folds <- function(nfolds) deal_nodes(nfolds, pairs)
  task$training_rows <- function(fold, foldid) {
    held <- unique(pairs$i[foldid == fold])
    which(foldid != fold & !(pairs$one_set & pairs$j %in% held))
  }
  task$check_folds <- function(foldid) check_node_folds(foldid, pairs)
  task
}

all_pairs_task <- function(task, pairs, parts, spec, control, hold_out, negative_weight) {
  all <- check_all_pairs(parts, spec, negative_weight, pairs)
  parts$training <- task$everything <- all_pairs_problem(pairs, all)
  parts$task <- parts$training$task
  task$training <- function(rows, fold, foldid) {
    if (hold_out == "nodes") {
      kept <- without_nodes(pairs[rows], unique(pairs$i[foldid == fold]))
      return(all_pairs_problem(kept, all_pairs_of(kept, negative_weight)))
    }
    all_pairs_without(pairs, foldid == fold, negative_weight)
  }
  task$refit <- function(spec, init, call) fit_checked(parts, spec, init, control, call)
  task
}

# The nodes `held` of A taken out of the graph. No pair that is left has them.
without_nodes <- function(pairs, held) {
  kept <- setdiff(seq_len(nrow(pairs$A)), held)
  pairs$A <- from_matrix(pairs$A[kept, , drop = FALSE])
  pairs$i <- match(pairs$i, kept)
  if (!pairs$one_set) return(pairs)
  pairs$B <- pairs$A
  pairs$j <- match(pairs$j, kept)
  pairs
}

# All pairs but those held out: the engine leaves them out in the same way as the pairs (i, i) of one
# node set.
all_pairs_without <- function(pairs, held, negative_weight) {
  all <- all_pairs_of(pairs[!held], negative_weight)
  ends <- data.frame(i = pairs$i[held], j = pairs$j[held])
  if (pairs$one_set && !pairs$directed) ends <- rbind(ends, data.frame(i = ends$j, j = ends$i))
  if (pairs$one_set) ends <- ends[ends$i != ends$j, ]
  ends <- unique(ends)
  code <- function(p) (p$j - 1) * as.double(nrow(pairs$A)) + p$i
  ends <- ends[!code(ends) %in% code(all$links), ]
  all$pairs <- all$pairs - nrow(ends)
  if (is.null(negative_weight)) all$weight <- nrow(all$links) / (all$pairs - nrow(all$links))
  problem <- all_pairs_problem(pairs, all)
  problem$blocks <- Map(function(block, end) list(x = block$x, index = c(block$index, end)), problem$blocks, ends)
  problem$n <- problem$n + nrow(ends)
  problem$y <- c(problem$y, numeric(nrow(ends)))
  problem$weights <- rep(1 / problem$n, problem$n)
  problem
}
