#' Cross-validation over lambda, order and rank
#'
#' Fits the model of [hofm()] to all but one of `nfolds` parts of the data, measures it on the part left
#' out, and does so for every part and every combination of `order`, `rank` and `lambda`. The best
#' combination is then fitted to all data.
#'
#' @section The path of lambda:
#' One lambda serves all degrees. The default path has `n_lambda` values, evenly spaced on the log scale,
#' from the largest down to `lambda_min_ratio` times it. The largest is found by a few short fits to all
#' data: it is, to within a factor of two, the least lambda at which all but the intercept is nearly zero,
#' that is, at which the standard deviation of the fitted values is below a twentieth of that of the
#' response (of 1 on the scale of the link, for losses other than the squared one). Of several orders the
#' largest such lambda counts, with the largest rank. `lambda = "paper"` stands for \eqn{10^6, 10^5, \dots,
#' 10^{-6}}{10^6, 10^5, ..., 10^-6}.
#'
#' Each path goes from the largest lambda to the smallest, every fit starting from the one before. Columns
#' of P that the penalty has pulled to nearly zero start again from random values, since a fit that starts
#' at zero would stay there; where such a column comes to life, the larger lambdas before it are tried again
#' from there, and the lower objective is kept.
#'
#' @section Folds:
#' With two classes every fold has the same share of each, as nearly as possible. The same folds serve every
#' combination, so that combinations are compared on the same rows. The columns that factors make are those
#' of the whole data.
#'
#' For pairs of nodes `hold_out = "nodes"` holds out whole nodes of A with all their pairs: the nodes that
#' are predicted have not been seen in training (cold start). Of one node set, training then also leaves out
#' the pairs in which a held-out node comes second. With `negatives = "all"`, training is on every pair
#' except those held out.
#'
#' @section Measures:
#' | `measure` | mean over held-out rows of |
#' |---|---|
#' | `"deviance"`, the default | twice the loss above its least value; the squared error for the squared loss |
#' | `"mse"`, `"mae"` | the squared, absolute error; of 0, 1 and probability for the logistic loss |
#' | `"class"` | whether the wrong class is predicted |
#'
#' `"auc"` is the area under the ROC curve of each fold. `cvm` is the mean over folds, each with the total
#' of its `weights`, and `cvsd` its standard error: the weighted standard deviation over folds divided by
#' the root of `nfolds` - 1, as in glmnet.
#'
#' @inheritParams hofm
#' @param x A formula; a data frame, matrix or Matrix with a row for each sample; or [link_pairs()].
#' @param lambda The penalties to try: `NULL` for a path found from the data, `"paper"`, or positive
#'   numbers.
#' @param order,rank The orders and ranks to try: one or more whole numbers each; every combination is
#'   tried. A rank holds for all degrees.
#' @param nfolds Number of folds, from 2 to the number of rows.
#' @param foldid A positive whole number for each row, saying which fold it is in; `nfolds` is then not
#'   used.
#' @param measure What to measure: see below.
#' @param keep Whether to keep the predictions for the held-out rows.
#' @param workers Number of processes among which folds and combinations are shared, by forking, where the
#'   system can (not on Windows). With `workers = 1` and a plan of the future package for several workers,
#'   that plan is used if future.apply is installed. The result does not depend on it.
#' @param n_lambda,lambda_min_ratio Length of the default path, and its smallest value as a share of its
#'   largest.
#' @param hold_out For pairs of nodes: whether folds are made of `"pairs"` or of whole `"nodes"` of A.
#' @param control Settings of the solver: see [hofm_control()]. A `seed` makes folds and starts the same
#'   every time; so does [set.seed()].
#' @return An object of class `cv_hofm`, a list with
#'   \item{lambda, cvm, cvsd, cvup, cvlo}{for the chosen order and rank, by decreasing lambda: the measure,
#'     its standard error, and their sum and difference.}
#'   \item{lambda.min, lambda.1se}{the lambda with the best measure, and the largest one within a standard
#'     error of it; `index` has their places in `lambda`.}
#'   \item{order, rank}{those chosen: of the combination that holds the best value of all. A rank of 0
#'     stands for order 1, which has none, and an order of `NA` for models without.}
#'   \item{table}{a data frame with columns order, rank, lambda, cvm, cvsd, cvup and cvlo.}
#'   \item{name}{the measure, in words, named by the argument.}
#'   \item{foldid}{the fold of each row.}
#'   \item{fit, fit.1se}{the chosen model on all data at `lambda.min` and at `lambda.1se`, each as from
#'     [hofm()].}
#'   \item{fit.preval, preval}{if `keep = TRUE`: the predictions for each row when it was held out, on the
#'     scale of the response, with a column for each lambda; and a list of such matrices for all
#'     combinations, in the order of `table`.}
#'   \item{call}{the call.}
#' @seealso [hofm()], [predict.cv_hofm()], [plot.cv_hofm()]
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 100, 3, dimnames = list(NULL, c("a", "b", "c")))
#' y <- x[, "a"] + x[, "b"] * x[, "c"] + rnorm(100, sd = 0.3)
#' cv <- cv_hofm(x, y, order = 1:2, rank = 2, nfolds = 5, n_lambda = 10)
#' cv
#' predict(cv, x[1:3, ])
#' @export
cv_hofm <- function(x, ...) UseMethod("cv_hofm")

#' @rdname cv_hofm
#' @export
cv_hofm.formula <- function(x, data = NULL, lambda = NULL, order = 2, rank = 8, nfolds = 10, foldid = NULL,
                            measure = c("default", "auc", "deviance", "class", "mse", "mae"), keep = FALSE, workers = 1,
                            n_lambda = 30, lambda_min_ratio = 1e-4, model = "hofm", loss = NULL, solver = "auto",
                            intercept = TRUE, linear = NULL, weights, offset, subset, na.action,
                            control = hofm_control(), ...) {
  if (missing(x)) return(eval(replace(formula_as_x(match.call()), 1, list(cv_hofm)), parent.frame()))
  call <- resolve_dots(match.call(), parent.frame())
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  specs <- check_specs(if (!missing(order)) order, rank, model, loss, solver, intercept, linear)
  plan <- check_plan(lambda, nfolds, foldid, if (!missing(measure)) measure, keep, workers, n_lambda, lambda_min_ratio)
  parts <- read_formula(x, data, call, parent.frame())
  specs <- lapply(specs, function(spec) replace(spec, "intercept", spec$intercept && parts$intercept))
  cross_validate(row_task(parts, specs[[1]], control), specs, plan, control, call, environment(parts$blueprint$formula))
}

#' @rdname cv_hofm
#' @export
cv_hofm.matrix <- function(x, y, lambda = NULL, order = 2, rank = 8, nfolds = 10, foldid = NULL,
                           measure = c("default", "auc", "deviance", "class", "mse", "mae"), keep = FALSE, workers = 1,
                           n_lambda = 30, lambda_min_ratio = 1e-4, model = "hofm", loss = NULL, solver = "auto",
                           intercept = TRUE, linear = NULL, weights = NULL, offset = NULL,
                           control = hofm_control(), ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  specs <- check_specs(if (!missing(order)) order, rank, model, loss, solver, intercept, linear)
  plan <- check_plan(lambda, nfolds, foldid, if (!missing(measure)) measure, keep, workers, n_lambda, lambda_min_ratio)
  if (missing(y)) hofm_abort("`y`, the response, is missing.", argument = "y")
  parts <- c(learn_design(x), list(y = y, weights = weights, offset = offset, offset_given = !is.null(offset)))
  cross_validate(row_task(parts, specs[[1]], control), specs, plan, control, resolve_dots(match.call(), parent.frame()))
}

#' @rdname cv_hofm
#' @export
cv_hofm.Matrix <- cv_hofm.matrix

#' @rdname cv_hofm
#' @export
cv_hofm.data.frame <- cv_hofm.matrix

#' @rdname cv_hofm
#' @export
cv_hofm.link_pairs <- function(x, lambda = NULL, order = 2, rank = 8, nfolds = 10, foldid = NULL,
                               measure = c("default", "auc", "deviance", "class", "mse", "mae"), keep = FALSE, workers = 1,
                               n_lambda = 30, lambda_min_ratio = 1e-4, hold_out = c("pairs", "nodes"), model = "hofm",
                               loss = "squared", solver = "auto", intercept = TRUE, linear = NULL,
                               negatives = c("given", "all"), negative_weight = NULL, weights = NULL, offset = NULL,
                               control = hofm_control(), ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  specs <- check_specs(if (!missing(order)) order, rank, model, loss, solver, intercept, linear, links = TRUE)
  specs <- lapply(specs, function(spec) c(spec, list(split = ncol(x$A))))
  check_blocks(x, specs[[1]])
  plan <- check_plan(lambda, nfolds, foldid, if (!missing(measure)) measure, keep, workers, n_lambda, lambda_min_ratio)
  hold_out <- if (missing(hold_out)) "pairs" else check_choice(hold_out, "hold_out", c("pairs", "nodes"))
  negatives <- if (missing(negatives)) "given" else check_choice(negatives, "negatives", c("given", "all"))
  parts <- list(blocks = link_blocks(x), n = length(x$i), y = as.double(x$y), weights = weights, offset = offset,
                offset_given = !is.null(offset), blueprint = list(kind = "matrix", features = x$features, named = TRUE))
  task <- pair_task(x, parts, specs[[1]], control, hold_out, negatives, negative_weight)
  cross_validate(task, specs, plan, control, resolve_dots(match.call(), parent.frame()))
}

#' @rdname cv_hofm
#' @export
cv_hofm.default <- function(x, ...) {
  need <- "a formula, a matrix, a Matrix, a data frame or link_pairs"
  if (missing(x)) hofm_abort(sprintf("`x` is missing: it must be %s.", need), argument = "x")
  must_be("x", need, x)
}

# ---- Checks ------------------------------------------------------------------------------------------------

#' What is fitted, for each combination of order and rank
#' @param order NULL if not given.
#' @return A list of specs as from check_spec(), by increasing order and rank; lambda is put in later.
#' @noRd
check_specs <- function(order, rank, model, loss, solver, intercept, linear, links = FALSE) {
  several <- function(x) is_plain_number(x) && length(x) > 0 && !anyNA(x)
  if (!is.null(order) && !several(order)) must_be("order", "one or more whole numbers", order)
  if (!several(rank)) must_be("rank", "one or more whole numbers", rank)
  combinations <- expand.grid(rank = sort(unique(rank)), order = if (is.null(order)) NA else sort(unique(order)))
  specs <- Map(function(order, rank) {
    check_spec(if (!is.na(order)) order, rank, 1, model, loss, solver, intercept, linear, links)
  }, combinations$order, combinations$rank)
  unique(specs)                                       # order 1 has no rank
}

with_lambda <- function(spec, lambda) replace(spec, "lambda", list(rep(lambda, length(spec$lambda))))

# The rank in a table: one number, 0 for order 1.
shown_rank <- function(spec) if (length(spec$rank)) spec$rank[1] else 0L

check_plan <- function(lambda, nfolds, foldid, measure, keep, workers, n_lambda, lambda_min_ratio) {
  measures <- c("default", "auc", "deviance", "class", "mse", "mae")
  list(
    lambda = check_path(lambda), nfolds = check_count(nfolds, "nfolds", min = 2), foldid = foldid,
    measure = if (is.null(measure)) "default" else check_choice(measure, "measure", measures),
    keep = check_flag(keep, "keep"), workers = check_count(workers, "workers", max = 1024),
    n_lambda = check_count(n_lambda, "n_lambda", min = 2, max = 10000),
    ratio = check_number(lambda_min_ratio, "lambda_min_ratio", min = 1e-12, max = 0.99)
  )
}

check_path <- function(lambda) {
  if (is.null(lambda)) return(NULL)
  if (identical(lambda, "paper")) return(10^(6:-6))
  sound <- is_plain_number(lambda) && length(lambda) > 0 && all(is.finite(lambda)) && all(lambda > 0)
  if (!sound) must_be("lambda", "NULL, \"paper\" or positive finite numbers", bad_lambda(lambda))
  sort(unique(as.double(lambda)), decreasing = TRUE)
}

# Of many numbers, the first that is at fault.
bad_lambda <- function(lambda) {
  if (!is_plain_number(lambda) || !length(lambda)) return(lambda)
  lambda[!is.finite(lambda) | lambda <= 0][1]
}

check_measure <- function(measure, response) {
  if (response$loss == "auc") return(check_ranking_measure(measure))
  if (measure == "default") measure <- "deviance"
  if (!measure %in% c("auc", "class") || !is.null(response$levels)) return(measure)
  hofm_abort(sprintf("`measure = \"%s\"` needs a response with two classes, and this one is numeric.", measure),
             argument = "measure")
}

check_ranking_measure <- function(measure) {
  if (measure %in% c("default", "auc")) return("auc")
  hofm_abort(sprintf("`measure` must be \"auc\" for `loss = \"auc\"`, not \"%s\": its scores only rank.", measure), argument = "measure")
}

# ---- Tasks -------------------------------------------------------------------------------------------------
# A task is the data and how it is taken apart: `problem` (all rows, see fit.R), `everything` (what a fit to
# all data is trained on), `response` (as coded), `omitted` (rows that na.action took out), and functions:
# draw_folds(nfolds); training_rows(fold, foldid); training(rows, fold, foldid), which makes a problem of
# these rows; refit(spec, init, call); and perhaps check_folds(foldid).

row_task <- function(parts, spec, control) {
  if (is.null(parts$blocks)) parts$blocks <- list(list(x = parts$x, index = NULL))
  n <- if (is.null(parts[["n"]])) nrow(parts$x) else parts[["n"]]
  check_response_length(parts$y, n)
  response <- code_response(parts$y, spec$loss)
  weights <- check_weights(parts$weights, n)
  check_varies(response, weights$share)
  problem <- list(blocks = parts$blocks, n = n, features = parts$blueprint$features, y = response$y,
                  weights = weights$share, offset = check_offset(parts$offset, n))
  list(
    problem = problem, response = response, omitted = parts$na.action,
    draw_folds = function(nfolds) deal_rows(nfolds, if (is.null(response$levels)) rep(1, n) else response$y),
    training_rows = function(fold, foldid) which(foldid != fold),
    training = function(rows, fold, foldid) take_samples(problem, rows),
    everything = problem,
    refit = function(spec, init, call) fit_checked(parts, spec, init, control, call)
  )
}

pair_task <- function(pairs, parts, spec, control, hold_out, negatives, negative_weight) {
  task <- row_task(parts, spec, control)
  if (hold_out == "nodes") task <- hold_out_nodes(task, pairs)
  if (negatives == "all" && identical(spec$loss, "auc")) {
    hofm_abort("`negatives` must be \"given\" to cross-validate `loss = \"auc\"`: pairs that are held out must not be drawn.",
               argument = "negatives")
  }
  if (negatives == "all") return(grid_task(task, pairs, parts, spec, control, hold_out, negative_weight))
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

grid_task <- function(task, pairs, parts, spec, control, hold_out, negative_weight) {
  grid <- check_grid(parts, spec, negative_weight, pairs)
  task$everything <- grid_problem(pairs, grid)
  task$training <- function(rows, fold, foldid) {
    if (hold_out == "nodes") {
      kept <- without_nodes(pairs[rows], unique(pairs$i[foldid == fold]))
      return(grid_problem(kept, grid_of(kept, negative_weight)))
    }
    grid_without_pairs(pairs, foldid == fold, negative_weight)
  }
  task$refit <- function(spec, init, call) fit_grid(pairs, grid, spec, init, control, call)
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

# The grid without the pairs held out: the engine leaves them out in the same way as the pairs (i, i) of one
# node set.
grid_without_pairs <- function(pairs, held, negative_weight) {
  grid <- grid_of(pairs[!held], negative_weight)
  ends <- data.frame(i = pairs$i[held], j = pairs$j[held])
  if (pairs$one_set && !pairs$directed) ends <- rbind(ends, data.frame(i = ends$j, j = ends$i))
  if (pairs$one_set) ends <- ends[ends$i != ends$j, ]
  ends <- unique(ends)
  code <- function(p) (p$j - 1) * as.double(nrow(pairs$A)) + p$i
  ends <- ends[!code(ends) %in% code(grid$links), ]
  grid$pairs <- grid$pairs - nrow(ends)
  if (is.null(negative_weight)) grid$weight <- nrow(grid$links) / (grid$pairs - nrow(grid$links))
  problem <- grid_problem(pairs, grid)
  problem$blocks <- Map(function(block, end) list(x = block$x, index = c(block$index, end)), problem$blocks, ends)
  problem$n <- problem$n + nrow(ends)
  problem$y <- c(problem$y, numeric(nrow(ends)))
  problem$weights <- rep(1 / problem$n, problem$n)
  problem
}

# ---- Folds -------------------------------------------------------------------------------------------------

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

# ---- The path ----------------------------------------------------------------------------------------------

# Factors at zero are what a large penalty asks for, and no news on a path.
expect_collapse <- function(code) {
  withCallingHandlers(code, hofm_warning_collapsed = function(w) invokeRestart("muffleWarning"))
}

#' Fits along a path of lambda
#'
#' Which way to go was measured, on paths of 30 values over three or four decades and against a fit from a
#' random start at each value. Down the path, from large lambda to small, a fit that starts from factors at
#' zero stays there: the objective ends up to eight times as high. Up the path objectives are good, but on the
#' training pairs of debian_r (order 2, rank 8) it takes 0.8 of the time of the fits from random starts, since
#' the one fit at the smallest lambda is much of the work. Down, with collapsed columns drawn anew and the look
#' back, takes these shares of the time of random starts, with the mean change of the objective:
#'
#' | data | order | time | objective |
#' |---|---|---|---|
#' | 800 pairs of debian_r, rank 4 | 2 | 0.07 | -2 % |
#' | 2,000 x 40, rank 8; rank 4 | 2; 3 | 0.28; 0.10 | +0.02 %; -1 % |
#' | 500 x 20, rank 4, squared loss, three seeds | 2; 3 | 0.19 to 0.36; 0.22 to 0.25 | -0.2 to +0.01 %; -3 to -0.3 % |
#' | the same, logistic | 2 | 0.08 to 0.25 | -1 to -0.01 % |
#' | the same, L-BFGS | 4 | 0.42 to 0.71 | -3 to -2 % |
#' | the same, all-subsets | | 0.43 to 0.72 | -1 to 0 % |
#'
#' Fits of a few milliseconds, as in the last rows, have little to save. With the default `tol` a single point
#' can be 0.1 % worse at order 2, where the solver stopped early, and from order 3 on some points are worse by
#' up to 4 % and others better by up to 19 %: other local minima.
#' @param record Called with the place on the path and the fit, again if a lower objective is found.
#' @noRd
lambda_path <- function(problem, spec, lambda, control, seed, record) {
  fresh <- with_seed(seed, starting_values(problem, spec, control$init_sd))
  fit_at <- function(l, init) {
    fit <- expect_collapse(fit_model(problem, with_lambda(spec, lambda[l]), replace(control, "seed", seed), init))
    check_engine(fit)
    fit
  }
  lowest <- rep(Inf, length(lambda))
  last <- fresh
  for (l in seq_along(lambda)) {
    fit <- fit_at(l, revive(last, fresh))
    lowest[l] <- fit$objective
    record(l, fit)
    grown <- !identical(alive(fit$P, fresh$P), alive(last$P, fresh$P))
    if (l > 1 && (grown || lower(objective_at(lambda[l - 1], fit, lambda[l]), lowest[l - 1]))) {
      lowest <- look_back(l, fit, fit_at, lowest, record)
    }
    last <- fit
  }
  lowest
}

# Larger lambdas again from the fit at place l, as long as it pays.
look_back <- function(l, fit, fit_at, lowest, record) {
  for (k in rev(seq_len(l - 1))) {
    fit <- fit_at(k, parameters_of(fit))
    if (!lower(fit$objective, lowest[k])) break
    lowest[k] <- fit$objective
    record(k, fit)
  }
  lowest
}

# By more than the solvers' own tolerances leave open.
lower <- function(objective, than) objective < than - 1e-4 * abs(than)

# The objective of a fit at another lambda: what is minimised is linear in lambda.
objective_at <- function(other, fit, lambda) {
  fit$objective + (other - lambda) / 2 * (sum(fit$w^2) + sum(fit$gamma^2) + sum(vapply(fit$P, function(p) sum(p^2), 0)))
}

parameters_of <- function(fit) fit[c("intercept", "w", "P", "theta", "gamma")]

# Which columns of each P are at least a tenth as long as those that a fit starts from. Not half: where features are many,
# columns of that size are part of good fits, and drawing them anew cost 14 times the time on pairs of debian_r.
alive <- function(P, fresh) Map(function(p, f) colSums(p^2) >= colSums(f^2) / 100, unname(P), unname(fresh))

# Starting values from the last fit, but for the columns that are not alive.
revive <- function(last, fresh) {
  last$P <- Map(function(p, f, keep) {
    p[, !keep] <- f[, !keep]
    p
  }, last$P, fresh$P, alive(last$P, fresh$P))
  parameters_of(last)
}

default_path <- function(task, specs, plan, control, seed) {
  orders <- vapply(specs, function(spec) spec$order, 0L)
  largest_rank <- specs[!duplicated(orders, fromLast = TRUE)]
  top <- max(vapply(largest_rank, function(spec) largest_lambda(task$everything, spec, control, seed), 0))
  exp(seq(log(top), log(top * plan$ratio), length.out = plan$n_lambda))
}

#' The least lambda, to within a factor of two, at which all but the intercept is nearly zero
#'
#' A search by tens from the mean square of a feature, which is the scale of the loss's curvature, then by
#' halving on the log scale.
#' @noRd
largest_lambda <- function(problem, spec, control, seed) {
  control <- utils::modifyList(control, list(seed = seed, max_iter = 100L, validation = 0))
  if (spec$solver %in% c("sgd", "adagrad")) spec$solver <- "auto"
  goal <- 0.05 * sqrt(response_variance(problem, spec$loss))
  nearly_zero <- function(lambda) link_spread(problem, with_lambda(spec, lambda), control) < goal
  lambda <- max(vapply(problem$blocks, function(block) max(Matrix::colMeans(block$x^2)), 0), 1e-6)
  zero <- nearly_zero(lambda)
  for (step in 1:15) {
    lambda <- lambda * if (zero) 0.1 else 10
    if (nearly_zero(lambda) != zero) break
  }
  bounds <- log(lambda) + if (zero) c(0, log(10)) else c(-log(10), 0)
  for (step in 1:2) {
    middle <- mean(bounds)
    bounds <- if (nearly_zero(exp(middle))) c(bounds[1], middle) else c(middle, bounds[2])
  }
  exp(bounds[2])
}

link_spread <- function(problem, spec, control) {
  fit <- expect_collapse(fit_model(problem, spec, control))
  link <- fit$link - if (length(problem$offset)) problem$offset else 0
  sqrt(sum(problem$weights * (link - sum(problem$weights * link))^2))
}

# ---- Cross-validation --------------------------------------------------------------------------------------

#' From a task to the answer
#'
#' All random numbers are drawn here, before the work is shared out: folds, a seed for each fold and
#' combination, and one for each combination on all data.
#' @noRd
cross_validate <- function(task, specs, plan, control, call, env = globalenv()) {
  specs <- lapply(specs, function(spec) replace(spec, "loss", task$response$loss))
  for (spec in specs) {
    control <- check_control(control, length(factor_names(spec)))
    check_parameter_count(length(task$problem$features), spec$rank)
  }
  plan$measure <- check_measure(plan$measure, task$response)
  drawn <- draw(control$seed, {
    foldid <- make_folds(task, plan)
    folds <- sort(unique(foldid))
    seeds <- matrix(sample.int(.Machine$integer.max, length(specs) * (length(folds) + 1)), length(specs))
    list(foldid = foldid, folds = folds, seeds = seeds)
  })
  quiet <- replace(control, "verbose", FALSE)
  lambda <- plan$lambda
  if (is.null(lambda)) lambda <- default_path(task, specs, plan, quiet, drawn$seeds[1, length(drawn$folds) + 1])
  links <- held_out_links(task, specs, drawn, lambda, quiet, plan$workers, control$verbose)
  curves <- lapply(links, measure_links, task, drawn$foldid, plan$measure)
  choice <- choose_best(curves, specs, lambda, plan$measure)
  fits <- refit_chosen(task, specs, choice, lambda, quiet, drawn$seeds[, length(drawn$folds) + 1], call, env)
  new_cv(task, specs, plan, lambda, drawn$foldid, curves, choice, fits, if (plan$keep) links, cv_call(call, env))
}

#' Link values of every row when it was held out
#' @return For each spec a matrix with a row for each row of the data and a column for each lambda.
#' @noRd
held_out_links <- function(task, specs, drawn, lambda, control, workers, verbose) {
  jobs <- expand.grid(fold = seq_along(drawn$folds), spec = seq_along(specs))
  run <- function(job, step) {
    spec <- specs[[jobs$spec[job]]]
    fold <- drawn$folds[jobs$fold[job]]
    fit_fold(task, spec, fold, drawn$foldid, lambda, control, drawn$seeds[jobs$spec[job], jobs$fold[job]], step)
  }
  label <- function(job) fold_label(specs[[jobs$spec[job]]], drawn$folds[jobs$fold[job]])
  found <- share_out(nrow(jobs), run, workers, cv_progress(nrow(jobs) * length(lambda), verbose), label)
  lapply(seq_along(specs), function(s) {
    links <- matrix(NA_real_, task$problem$n, length(lambda))
    for (job in which(jobs$spec == s)) links[drawn$foldid == drawn$folds[jobs$fold[job]], ] <- found[[job]]
    links
  })
}

fit_fold <- function(task, spec, fold, foldid, lambda, control, seed, step) {
  held <- take_samples(task$problem, which(foldid == fold))
  links <- matrix(NA_real_, held$n, length(lambda))
  training <- task$training(task$training_rows(fold, foldid), fold, foldid)
  lambda_path(training, spec, lambda, control, seed, function(l, fit) {
    step(l)
    links[, l] <<- link_values(c(parameters_of(fit), spec), held$blocks, control$threads) +
      if (length(held$offset)) held$offset else 0
  })
  links
}

fold_label <- function(spec, fold) {
  order <- if (!is.na(spec$order)) sprintf("order %d, ", spec$order)
  paste0(order, if (length(spec$rank)) sprintf("rank %d, ", spec$rank[1]), sprintf("fold %d", fold))
}

#' Run jobs 1, ..., n here, in forked processes, or as the future plan says
#' @noRd
share_out <- function(n, run, workers, progress, label) {
  on.exit(progress$done())
  apart <- function(job) tryCatch(run(job, function(l) NULL), error = identity)
  if (workers > 1 && .Platform$OS.type == "unix") {
    return(whole(parallel::mclapply(seq_len(n), apart, mc.cores = min(workers, n), mc.set.seed = FALSE,
                                    mc.preschedule = FALSE)))
  }
  if (workers == 1 && has_future_plan()) {
    return(whole(future.apply::future_lapply(seq_len(n), apart, future.seed = NULL)))
  }
  lapply(seq_len(n), function(job) {
    found <- run(job, progress$step)
    progress$job(label(job))
    found
  })
}

# An error in a worker is raised again here; one that was killed leaves no result.
whole <- function(found) {
  failed <- Find(function(f) inherits(f, "error"), found)
  if (!is.null(failed)) stop(failed)
  if (all(vapply(found, is.matrix, NA))) return(found)
  hofm_abort("A worker process ended without a result: try fewer `workers`.", "hofm_error_worker")
}

# Whether the user has loaded future and set a plan with more than one worker.
has_future_plan <- function() {
  isNamespaceLoaded("future") && requireNamespace("future.apply", quietly = TRUE) && future::nbrOfWorkers() > 1
}

# A bar over fits in interactive sessions, a line for each path on request, else nothing.
cv_progress <- function(total, verbose) {
  nothing <- list(step = function(l) NULL, job = function(label) NULL, done = function() NULL)
  if (verbose) return(utils::modifyList(nothing, list(job = path_message)))
  if (!interactive()) return(nothing)
  bar <- cli::cli_progress_bar("Cross-validating", total = total, clear = TRUE, .auto_close = FALSE)
  finished <- 0
  reached <- 0
  list(
    # a fit on the way back has been counted
    step = function(l) {
      reached <<- max(reached, l)
      cli::cli_progress_update(set = finished + reached, id = bar)
    },
    job = function(label) {
      finished <<- finished + reached
      reached <<- 0
    },
    done = function() cli::cli_progress_done(id = bar)
  )
}

path_message <- function(label) {
  message(structure(class = c("hofm_message", "message", "condition"), list(message = paste0(label, "\n"), call = NULL)))
}

# ---- Measures ----------------------------------------------------------------------------------------------

#' The measure and its standard error at each lambda
#' @param links Link values of the held-out rows, a column for each lambda.
#' @return A data frame: cvm, cvsd, cvup, cvlo.
#' @noRd
measure_links <- function(links, task, foldid, measure) {
  problem <- task$problem
  rows <- split(seq_len(problem$n), foldid)
  total <- vapply(rows, function(r) sum(problem$weights[r]), 0)
  each <- vapply(rows, function(r) {
    fold_measure(links[r, , drop = FALSE], problem$y[r], problem$weights[r], task$response$loss, measure)
  }, numeric(ncol(links)))
  each <- matrix(each, ncol(links))
  share <- total / sum(total)
  cvm <- drop(each %*% share)
  cvsd <- sqrt(drop((each - cvm)^2 %*% share) / (length(rows) - 1))
  data.frame(cvm = cvm, cvsd = cvsd, cvup = cvm + cvsd, cvlo = cvm - cvsd)
}

fold_measure <- function(links, y, weights, loss, measure) {
  if (measure == "auc") {
    given <- if (any(weights != weights[1])) weights
    return(apply(links, 2, function(f) auc(y > 0, f, weights = given)))
  }
  facts <- loss_facts(loss)
  error <- function(f) response_values(y, loss) - facts$mean(f)
  unit <- switch(measure,
    deviance = function(f) facts$deviance(y, f), class = function(f) (f > facts$threshold) != (y > 0),
    mse = function(f) error(f)^2, mae = function(f) abs(error(f)))
  apply(links, 2, function(f) sum(weights * unit(f)) / sum(weights))
}

measure_name <- function(measure, loss) {
  words <- switch(measure,
    auc = "AUC", class = "Misclassification error", mse = "Mean squared error", mae = "Mean absolute error",
    deviance = switch(loss, squared = "Mean squared error", logistic = "Binomial deviance", poisson = "Poisson deviance",
                      "Squared hinge deviance"))
  stats::setNames(words, measure)
}

#' The best combination and its lambdas
#'
#' Of equals the smallest order and rank and the largest lambda win.
#' @return A list: `spec` (its number), `index` (places of lambda.min and lambda.1se).
#' @noRd
choose_best <- function(curves, specs, lambda, measure) {
  sign <- if (measure == "auc") -1 else 1
  best <- vapply(curves, function(curve) min(sign * curve$cvm), 0)
  spec <- which.min(best)
  curve <- curves[[spec]]
  at <- which.min(sign * curve$cvm)
  within <- which(sign * curve$cvm <= sign * curve$cvm[at] + curve$cvsd[at])
  list(spec = spec, index = c(min = at, "1se" = min(within)))
}

# ---- The answer --------------------------------------------------------------------------------------------

# The path on all data, down to lambda.min; then both fits in full, which start where the path ended.
refit_chosen <- function(task, specs, choice, lambda, control, seeds, call, env) {
  spec <- specs[[choice$spec]]
  kept <- list()
  record <- function(l, fit) if (l %in% choice$index) kept[[as.character(l)]] <<- parameters_of(fit)
  lambda_path(task$everything, spec, lambda[seq_len(choice$index[["min"]])], control, seeds[choice$spec], record)
  fits <- lapply(unique(choice$index), function(l) {
    spec <- with_lambda(spec, lambda[l])
    init <- Filter(Negate(is.null), kept[[as.character(l)]])
    expect_collapse(task$refit(spec, init, fit_call(call, spec, lambda[l], env)))
  })
  stats::setNames(fits[match(choice$index, unique(choice$index))], names(choice$index))
}

# The call of hofm() that would fit the chosen model.
fit_call <- function(call, spec, lambda, env) {
  own <- c("nfolds", "foldid", "measure", "keep", "workers", "n_lambda", "lambda_min_ratio", "hold_out")
  call[names(call) %in% own] <- NULL
  if (!is.na(spec$order)) call$order <- as.double(spec$order)
  if (length(spec$rank)) call$rank <- as.double(spec$rank[1]) else call$rank <- NULL
  call$lambda <- lambda
  tidy_call(call, env)
}

cv_call <- function(call, env) {
  call <- tidy_call(call, env)
  call[[1]] <- quote(cv_hofm)
  call
}

new_cv <- function(task, specs, plan, lambda, foldid, curves, choice, fits, links, call) {
  order <- vapply(specs, function(spec) spec$order, 0L)
  rank <- vapply(specs, shown_rank, 0L)
  tables <- Map(function(order, rank, curve) cbind(order = order, rank = rank, lambda = lambda, curve), order, rank, curves)
  cv <- c(list(lambda = lambda), curves[[choice$spec]], list(
    index = choice$index, lambda.min = lambda[choice$index[["min"]]], lambda.1se = lambda[choice$index[["1se"]]],
    order = order[choice$spec], rank = rank[choice$spec], table = do.call(rbind, tables),
    name = measure_name(plan$measure, task$response$loss), foldid = foldid,
    fit = fits$min, fit.1se = fits[["1se"]], call = call))
  if (!is.null(links)) {
    cv$preval <- lapply(links, loss_facts(task$response$loss)$mean)
    cv$fit.preval <- cv$preval[[choice$spec]]
  }
  structure(cv, class = "cv_hofm")
}

# ---- Methods -----------------------------------------------------------------------------------------------

#' Use the result of a cross-validation
#'
#' `predict()` and `coef()` are those of the chosen model, fitted to all data. `plot()` draws the measure of
#' the chosen order and rank against lambda with bars of one standard error, and dotted lines at
#' `lambda.min` and `lambda.1se`; other combinations are lines without bars.
#'
#' @param object,x A result of [cv_hofm()].
#' @param newdata What to predict for, as in [predict.hofm()].
#' @param s Which lambda: `"lambda.min"`, `"lambda.1se"`, or a number that is one of the two. For another
#'   lambda, fit with [hofm()].
#' @param digits Significant digits of the numbers shown.
#' @param ... For `predict()` and `coef()`: passed on to [predict.hofm()], [coef.hofm()]. For `plot()`:
#'   passed on to [plot()].
#' @return `predict()` and `coef()`: as for a fit. `print()`: `x`, invisibly. `plot()`: the table that is
#'   drawn, invisibly.
#' @seealso [cv_hofm()]
#' @examples
#' set.seed(1)
#' cars <- transform(mtcars, cyl = factor(cyl), hp = hp / 100)
#' cv <- cv_hofm(mpg ~ cyl + hp + wt, cars, order = 1:2, rank = 2, nfolds = 5, n_lambda = 10)
#' cv
#' plot(cv)
#' predict(cv, cars[1:3, ], s = "lambda.1se")
#' coef(cv, degree = 1)
#' @name cv_hofm_methods
NULL

#' @rdname cv_hofm_methods
#' @export
predict.cv_hofm <- function(object, newdata = NULL, s = c("lambda.min", "lambda.1se"), ...) {
  predict(chosen_fit(object, if (missing(s)) "lambda.min" else s), newdata, ...)
}

#' @rdname cv_hofm_methods
#' @export
coef.cv_hofm <- function(object, s = c("lambda.min", "lambda.1se"), ...) {
  coef(chosen_fit(object, if (missing(s)) "lambda.min" else s), ...)
}

chosen_fit <- function(cv, s) {
  if (is.numeric(s)) {
    s <- check_number(s, "s", above = 0)
    at <- which(abs(s / c(cv$lambda.min, cv$lambda.1se) - 1) < 1e-6)
    if (length(at)) return(if (at[1] == 1) cv$fit else cv$fit.1se)
    hofm_abort(sprintf("`s` must be `lambda.min` (%s) or `lambda.1se` (%s), not %s: for another lambda, fit with hofm().",
                       format(cv$lambda.min), format(cv$lambda.1se), format(s)), argument = "s")
  }
  if (check_choice(s, "s", c("lambda.min", "lambda.1se")) == "lambda.min") cv$fit else cv$fit.1se
}

#' @rdname cv_hofm_methods
#' @export
print.cv_hofm <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  cat(headline(x$fit), ", by cross-validation\n", sep = "")
  cat(sprintf("%-12s%s\n", "Call:", deparsed_call(x$call)))
  cat(sprintf("%-12s%s, %d folds\n\n", "Measure:", x$name, length(unique(x$foldid))))
  shown <- data.frame(Lambda = x$lambda[x$index], Index = x$index, Measure = x$cvm[x$index], SE = x$cvsd[x$index],
                      row.names = names(x$index))
  print(shown, digits = digits)
  best <- best_rows(x)
  if (nrow(best) > 1) {
    cat("\nBest of each order and rank:\n")
    print(stats::setNames(best, c("Order", "Rank", "Lambda", "Measure", "SE")), digits = digits, row.names = FALSE)
  }
  invisible(x)
}

# The best row of the table for each order and rank.
best_rows <- function(cv) {
  sign <- if (names(cv$name) == "auc") -1 else 1
  shown <- c("order", "rank", "lambda", "cvm", "cvsd")
  rows <- lapply(combinations(cv), function(part) part[which.min(sign * part$cvm), shown])
  do.call(rbind, unname(rows))
}

# The table, taken apart by order and rank.
combinations <- function(cv) {
  key <- paste(cv$table$order, cv$table$rank)
  split(cv$table, factor(key, unique(key)))
}

#' @rdname cv_hofm_methods
#' @export
plot.cv_hofm <- function(x, ...) {
  parts <- combinations(x)
  chosen <- names(parts) == paste(x$order, x$rank)
  looks <- curve_looks(chosen)
  draw_cv_frame(x, parts, ...)
  graphics::abline(v = c(x$lambda.min, x$lambda.1se), lty = 3, col = "grey40")
  for (k in which(!chosen)) {
    graphics::lines(parts[[k]]$lambda, parts[[k]]$cvm, type = "b", col = looks$col[k], lty = looks$lty[k],
                    pch = looks$pch[k], cex = 0.7)
  }
  draw_bars(parts[[which(chosen)]])
  if (length(parts) > 1) draw_cv_legend(parts, chosen, looks)
  invisible(x$table)
}

# Black dots for the chosen curve, the Okabe-Ito colours for the others, with line types and symbols that
# tell them apart in grey.
curve_looks <- function(chosen) {
  colours <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
  spread_out <- function(values, own) {
    out <- rep(own, length(chosen))
    out[!chosen] <- rep_len(values, sum(!chosen))
    out
  }
  list(col = spread_out(colours, "black"), lty = spread_out(1:6, NA), pch = spread_out(c(2, 0, 5, 1, 6, 4), 16))
}

draw_cv_frame <- function(cv, parts, ...) {
  y <- c(cv$cvup, cv$cvlo, unlist(lapply(parts, `[[`, "cvm")))
  settings <- list(x = range(cv$lambda), y = range(y[is.finite(y)]), type = "n", log = "x", xaxt = "n",
                   xlab = expression(lambda), ylab = unname(cv$name), las = 1)
  settings <- utils::modifyList(settings, list(...))
  do.call(graphics::plot, settings)
  if (is.null(list(...)$xaxt)) draw_powers(range(cv$lambda))
}

# Powers of ten below the axis, if two of them fit; else whatever R would write.
draw_powers <- function(range) {
  powers <- seq(ceiling(log10(range[1]) - 0.05), floor(log10(range[2]) + 0.05))
  if (diff(log10(range)) < 2) return(graphics::axis(1))
  graphics::axis(1, at = 10^powers, labels = parse(text = paste0("10^", powers)))
}

draw_bars <- function(part) {
  graphics::segments(part$lambda, part$cvlo, part$lambda, part$cvup, col = "grey60")
  graphics::points(part$lambda, part$cvm, pch = 16)
}

# On the left, above or below the curves.
draw_cv_legend <- function(parts, chosen, looks) {
  first <- do.call(rbind, lapply(parts, function(part) part[1, ]))
  label <- paste0(ifelse(is.na(first$order), "", paste("order", first$order)),
                  ifelse(first$rank > 0, paste0(ifelse(is.na(first$order), "", ", "), "rank ", first$rank), ""))
  left <- mean(vapply(parts, function(part) part$cvm[nrow(part)], 0))
  corner <- if (left > mean(graphics::par("usr")[3:4])) "bottomleft" else "topleft"
  graphics::legend(corner, paste0(label, ifelse(chosen, " (chosen)", "")), col = looks$col, pch = looks$pch,
                   lty = looks$lty, bty = "n", cex = 0.9, inset = 0.01)
}
