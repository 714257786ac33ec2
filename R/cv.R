#' Cross-validation over lambda, order and rank
#'
#' Fits the model of [hofm()] to all but one of `nfolds` parts of the data, measures it on the part left
#' out, and does so for every part and every combination of `order`, `rank` and `lambda`. The best
#' combination is then fitted to all data.
#'
#' @section The path of lambda:
#' Every combination of order and rank has a path of its own. A value on it is a whole set of penalties, one for each degree. With
#' `lambda = NULL` the path goes through the penalties that [hofm()] would choose from all rows (so does the `penalty_factor` of groups of
#' features, if none is given; a combination of smaller order takes the penalties of the largest order with its rank). Where the
#' penalty of the lowest degree is c times the one chosen, that of degree t is \eqn{c^{1/t}}{c^(1/t)} times: so the prior variance of what
#' each degree adds to the link changes alike, and order 3 is not penalised away. `lambda` in the result is the penalty of the lowest degree
#' that is fitted, `lambda_degrees` has them all.
#'
#' The path begins where all but the intercept is nearly zero, that is, within a factor of two of the least c
#' at which the standard deviation of the fitted values is below a twentieth of that of the
#' response (of 1 on the scale of the link, for losses other than the squared one). Its `n_lambda` values are evenly spaced on the log scale
#' down to c = 1/30, or as far as `lambda_min_ratio` says. Beyond what hofm() would choose it is ended in all folds as soon as the measure has
#' clearly turned: four values or more beyond the best, and worse than it by more than a standard error of their difference. It is
#' widened, to twice its length at most, as long as the last value is the best and still gains by more than a fiftieth of a
#' standard error. If the best value is at an end even then, there is a warning of class `hofm_warning_path_end`. For pairs of nodes and
#' for `loss = "auc"` one penalty serves all degrees, and the path goes down to 1e-4 times its largest value.
#'
#' Penalties that are given are tried as they are: numbers serve all degrees; a matrix, list or data frame has a column for each degree
#' from 1 to the largest order, and smaller orders use the first of them. `lambda` in the result is then the lowest degree whose penalties
#' all differ, or the geometric mean of all of them. `lambda = "paper"` stands for \eqn{10^6, 10^5, \dots,
#' 10^{-6}}{10^6, 10^5, ..., 10^-6}.
#'
#' Each path goes from the largest lambda to the smallest, every fit starting from the one before or, where that is lower, ahead on the
#' line through the two before. Columns of P that the penalty has pulled to nearly zero start again from random values, since a fit that
#' starts at zero would stay there; and at some places a fit from a random start is tried as well, roughly, and to its end if it is lower
#' by then. Where that finds a new minimum, the larger lambdas before it are tried again from there, and the lower objective is kept.
#' That takes about a quarter of the iterations of a fit from a random start at each lambda (`vignette("solvers")` has what was
#' measured). Above order 1 objectives have several local minima: single points of a path can be higher than a fit from a random start
#' would be, and others lower. With `"lbfgs"` and no `tol` of their own the fits of a path stop at 3e-6; the models
#' refitted at the end have the usual tolerance.
#'
#' @section Folds:
#' With `standardize = TRUE` columns and response are put on a common scale by the training rows of each fold, as [hofm()] would do with
#' these rows alone, and the held-out rows with them; the units that columns are measured in do not matter.
#'
#' With two classes every fold has the same share of each, as nearly as possible. The same folds serve every
#' combination, so that combinations are compared on the same rows. The columns that factors make are those
#' of the whole data. Rows that belong together, such as the visits of one patient, are to be held out together: `fold_groups` deals whole groups to
#' folds, the largest first, such that folds are as even as they can be.
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
#' @param x A formula; a data frame, matrix or Matrix with a row for each sample; [link_pairs()]; or a recipe,
#'   see [cv_hofm.recipe()].
#' @param lambda The penalties to try: `NULL` for a path found from the data, `"paper"`, positive
#'   numbers, each for all degrees, or a matrix, list or data frame with a column for each degree. With `standardize = TRUE` they are on the
#'   scale of standardised columns and response.
#' @param order,rank The orders and ranks to try: one or more whole numbers each; every combination is
#'   tried. A rank holds for all degrees.
#' @param nfolds Number of folds, from 2 to the number of rows.
#' @param foldid A positive whole number for each row, saying which fold it is in, or a factor; `nfolds` is then not
#'   used.
#' @param fold_groups A factor, or names or numbers, one for each row: rows of a group are held out together. Not with `foldid`.
#' @param standardize,penalty_factor As in [hofm()]. Rows are scaled by the training rows of each fold, nodes once by all nodes.
#' @param groups As in [hofm()], which features belong together, one value for each feature. With one value for each row, and as long as
#'   there are not as many features as rows, it is understood as `fold_groups`.
#' @param measure What to measure: see below.
#' @param keep Whether to keep the predictions for the held-out rows.
#' @param workers Number of processes among which folds and combinations are shared, by forking, where the
#'   system can (not on Windows). With `workers = 1` and a plan of the future package for several workers,
#'   that plan is used if future.apply is installed. The result does not depend on it.
#' @param n_lambda,lambda_min_ratio Length of the default path before it is ended early or widened, and its smallest value as a share of its
#'   largest; `NULL` goes to a thirtieth of what [hofm()] would choose.
#' @param hold_out For pairs of nodes: whether folds are made of `"pairs"` or of whole `"nodes"` of A.
#' @param control Settings of the solver: see [hofm_control()]. A `seed` makes folds and starts the same
#'   every time; so does [set.seed()].
#' @return An object of class `cv_hofm`, a list with
#'   \item{lambda, cvm, cvsd, cvup, cvlo}{for the chosen order and rank, by decreasing lambda: the measure,
#'     its standard error, and their sum and difference.}
#'   \item{lambda_degrees}{a matrix: the penalties of all degrees for each value of `lambda`.}
#'   \item{lambda.min, lambda.1se}{the lambda with the best measure, and the largest one within a standard
#'     error of it; `index` has their places in `lambda`.}
#'   \item{order, rank}{those chosen: of the combination that holds the best value of all. A rank of 0
#'     stands for order 1, which has none, and an order of `NA` for models without.}
#'   \item{table}{a data frame with columns order, rank, lambda, cvm, cvsd, cvup and cvlo.}
#'   \item{name}{the measure, in words, named by the argument.}
#'   \item{foldid}{the fold of each row.}
#'   \item{fit, fit.1se}{the chosen model on all data at `lambda.min` and at `lambda.1se`, each as from
#'     [hofm()]; `fit$lambda` and `fit$penalty_factor` have its penalties.}
#'   \item{fit.preval, preval}{if `keep = TRUE`: the predictions for each row when it was held out, on the
#'     scale of the response, with a column for each lambda; and a list of such matrices for all
#'     combinations, in the order of `table`.}
#'   \item{seconds}{how long all of it took.}
#'   \item{call}{the call.}
#' @seealso [hofm()], [predict.cv_hofm()], [plot.cv_hofm()]
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 100, 3, dimnames = list(NULL, c("a", "b", "c")))
#' y <- x[, "a"] + x[, "b"] * x[, "c"] + rnorm(100, sd = 0.3)
#' cv <- cv_hofm(x, y, order = 1:2, rank = 2, nfolds = 5, n_lambda = 10)
#' cv
#' plot(cv)
#' predict(cv, x[1:3, ])
#' @export
cv_hofm <- function(x, ...) UseMethod("cv_hofm")

#' @rdname cv_hofm
#' @export
cv_hofm.formula <- function(x, data = NULL, lambda = NULL, order = 2, rank = 8, nfolds = 10, foldid = NULL,
                            measure = c("default", "auc", "deviance", "class", "mse", "mae"), keep = FALSE, workers = 1,
                            n_lambda = 30, lambda_min_ratio = NULL, model = "hofm", loss = NULL, solver = "auto",
                            intercept = TRUE, linear = NULL, weights, offset, subset, na.action,
                            control = hofm_control(), standardize = TRUE, penalty_factor = NULL, groups = NULL, fold_groups = NULL, ...) {
  if (missing(x)) return(eval(replace(formula_as_x(match.call()), 1, list(cv_hofm)), parent.frame()))
  call <- resolve_dots(match.call(), parent.frame())
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  specs <- check_specs(if (!missing(order)) order, rank, model, loss, solver, intercept, linear)
  plan <- check_plan(lambda, nfolds, foldid, if (!missing(measure)) measure, keep, workers, n_lambda, lambda_min_ratio, fold_groups)
  parts <- read_formula(x, data, call, parent.frame())
  specs <- lapply(specs, function(spec) replace(spec, "intercept", spec$intercept && parts$intercept))
  cross_validate_rows(parts, specs, plan, standardize, penalty_factor, groups, control, call, environment(parts$blueprint$formula))
}

#' @rdname cv_hofm
#' @export
cv_hofm.matrix <- function(x, y, lambda = NULL, order = 2, rank = 8, nfolds = 10, foldid = NULL,
                           measure = c("default", "auc", "deviance", "class", "mse", "mae"), keep = FALSE, workers = 1,
                           n_lambda = 30, lambda_min_ratio = NULL, model = "hofm", loss = NULL, solver = "auto",
                           intercept = TRUE, linear = NULL, weights = NULL, offset = NULL,
                           control = hofm_control(), standardize = TRUE, penalty_factor = NULL, groups = NULL, fold_groups = NULL, ...) {
  if (!missing(y) && inherits(y, "formula")) return(eval(data_as_data(match.call(), cv_hofm), parent.frame()))
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  specs <- check_specs(if (!missing(order)) order, rank, model, loss, solver, intercept, linear)
  plan <- check_plan(lambda, nfolds, foldid, if (!missing(measure)) measure, keep, workers, n_lambda, lambda_min_ratio, fold_groups)
  parts <- matrix_parts(x, y, weights, offset)
  cross_validate_rows(parts, specs, plan, standardize, penalty_factor, groups, control, resolve_dots(match.call(), parent.frame()))
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
                               n_lambda = 30, lambda_min_ratio = NULL, hold_out = c("pairs", "nodes"), model = "hofm",
                               loss = "squared", solver = "auto", intercept = TRUE, linear = NULL,
                               negatives = c("given", "all"), negative_weight = NULL, weights = NULL, offset = NULL,
                               control = hofm_control(), standardize = TRUE, ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  specs <- check_specs(if (!missing(order)) order, rank, model, loss, solver, intercept, linear, links = TRUE)
  check_pairs(x, "x")
  scaled <- standardize_nodes(x, standardize, intercept)
  x <- scaled$pairs
  specs <- lapply(specs, function(spec) c(spec, list(split = ncol(x$A))))
  check_blocks(x, specs[[1]])
  plan <- check_plan(lambda, nfolds, foldid, if (!missing(measure)) measure, keep, workers, n_lambda, lambda_min_ratio)
  hold_out <- if (missing(hold_out)) "pairs" else check_choice(hold_out, "hold_out", c("pairs", "nodes"))
  negatives <- if (missing(negatives)) "given" else check_choice(negatives, "negatives", c("given", "all"))
  parts <- pair_parts(x, weights, offset)
  parts$blueprint$standard <- scaled$standard
  task <- pair_task(x, parts, specs[[1]], control, hold_out, negatives, negative_weight)
  cross_validate(task, specs, plan, control, resolve_dots(match.call(), parent.frame()))
}

#' @rdname cv_hofm
#' @export
cv_hofm.default <- function(x, ...) {
  need <- "a formula, a matrix, a Matrix, a data frame, link_pairs or a recipe"
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
  given <- !is.null(order)
  if (given && !is_unset(order) && !several(order)) must_be("order", "one or more whole numbers", order)
  if (!several(rank)) must_be("rank", "one or more whole numbers", rank)
  combinations <- expand.grid(rank = sort(unique(rank)), order = if (given) sort(unique(order), na.last = TRUE) else NA)
  specs <- Map(function(order, rank) {
    check_spec(if (given) order, rank, 1, model, loss, solver, intercept, linear, links)
  }, combinations$order, combinations$rank)
  unique(specs)                                       # order 1 has no rank
}

with_lambda <- function(spec, lambda) replace(spec, "lambda", list(rep_len(as.double(lambda), length(spec$lambda))))

# The rank in a table: one number, 0 for order 1.
shown_rank <- function(spec) if (length(spec$rank)) spec$rank[1] else 0L

check_plan <- function(lambda, nfolds, foldid, measure, keep, workers, n_lambda, lambda_min_ratio, fold_groups = NULL) {
  measures <- c("default", "auc", "deviance", "class", "mse", "mae")
  list(
    lambda = check_path(lambda), nfolds = check_count(nfolds, "nfolds", min = 2), foldid = foldid, fold_groups = fold_groups,
    measure = if (is.null(measure)) "default" else check_choice(measure, "measure", measures),
    keep = check_flag(keep, "keep"), workers = check_count(workers, "workers", max = 1024),
    n_lambda = check_count(n_lambda, "n_lambda", min = 2, max = 10000),
    ratio = if (!is.null(lambda_min_ratio)) check_number(lambda_min_ratio, "lambda_min_ratio", min = 1e-12, max = 0.99)
  )
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
# ---- Cross-validation --------------------------------------------------------------------------------------

#' What all front doors for rows do once columns and response are known
#' @noRd
cross_validate_rows <- function(parts, specs, plan, standardize, penalty_factor, groups, control, call, env = globalenv()) {
  if (are_row_groups(groups, parts)) {
    if (is.null(plan$fold_groups)) plan$fold_groups <- groups
    groups <- NULL
    call$groups <- NULL
  }
  specs <- lapply(specs, with_scales, standardize, penalty_factor, groups, parts$blueprint)
  cross_validate(row_task(parts, specs[[1]], control), specs, plan, control, call, env)
}

#' From a task to the answer
#'
#' All random numbers are drawn here, before the work is shared out: folds, a seed for each fold and
#' combination, and one for each combination on all data.
#' @noRd
cross_validate <- function(task, specs, plan, control, call, env = globalenv()) {
  begun <- proc.time()[["elapsed"]]
  specs <- lapply(specs, function(spec) replace(spec, "loss", task$response$loss))
  for (spec in specs) {
    control <- check_control(control, length(factor_names(spec)))
    check_parameter_count(length(task$problem$features), spec$rank)
  }
  plan$measure <- check_measure(plan$measure, task$response)
  check_path_columns(plan$lambda, specs)
  drawn <- draw(control$seed, {
    foldid <- make_folds(task, plan)
    folds <- sort(unique(foldid))
    seeds <- matrix(sample.int(.Machine$integer.max, length(specs) * (length(folds) + 1)), length(specs))
    list(foldid = foldid, folds = folds, seeds = seeds)
  })
  quiet <- replace(control, "verbose", FALSE)
  last_seeds <- drawn$seeds[, length(drawn$folds) + 1]
  paths <- if (is.null(plan$lambda)) default_paths(task, specs, plan, quiet, last_seeds, control$verbose)
           else lapply(specs, given_path, lambda = plan$lambda)
  values <- function(links) fold_values(links, task, drawn$foldid, plan$measure)
  judge <- function(path, links) judge_path(path, values(links), plan$measure)
  runs <- held_out_links(task, paths, drawn, quiet, plan$workers, control$verbose, judge)
  curves <- lapply(runs, function(run) curve_of(values(run$links)))
  choice <- choose_best(curves, plan$measure)
  path <- paths[[choice$spec]]
  report_path_end(path, runs[[choice$spec]]$verdict, choice)
  fits <- refit_chosen(task, path, choice, quiet, last_seeds[choice$spec], call, env)
  cv <- new_cv(task, paths, plan, drawn$foldid, curves, choice, fits, if (plan$keep) lapply(runs, `[[`, "links"), cv_call(call, env))
  replace(cv, "seconds", proc.time()[["elapsed"]] - begun)
}

refit_chosen <- function(task, path, choice, control, seed, call, env) {
  view <- model_view(task$everything, NULL, task$parts, path$spec)
  times <- if (!is.null(path$spec$penalty_factor)) 1 / sqrt(path$spec$penalty_factor)
  kept <- list()
  record <- function(l, fit) if (l %in% choice$index) kept[[as.character(l)]] <<- scale_features(parameters_of(fit), times)
  lambda_path(view$problem, view$spec, path$lambda[seq_len(choice$index[["min"]]), , drop = FALSE], control, seed, record)
  fits <- lapply(unique(choice$index), function(l) {
    spec <- with_lambda(path$spec, path$lambda[l, ])
    init <- Filter(Negate(is.null), kept[[as.character(l)]])
    expect_collapse(task$refit(spec, init, fit_call(call, spec, env)))
  })
  stats::setNames(fits[match(choice$index, unique(choice$index))], names(choice$index))
}

# The call of hofm() that would fit the chosen model.
fit_call <- function(call, spec, env) {
  own <- c("nfolds", "foldid", "fold_groups", "measure", "keep", "workers", "n_lambda", "lambda_min_ratio", "hold_out")
  call[names(call) %in% own] <- NULL
  if (!is.na(spec$order)) call$order <- as.double(spec$order)
  if (length(spec$rank)) call$rank <- as.double(spec$rank[1]) else call$rank <- NULL
  call$lambda <- if (length(unique(spec$lambda)) == 1) spec$lambda[1] else spec$lambda
  if (!is.null(spec$penalty_factor)) call$penalty_factor <- spec$penalty_factor
  if (!is.null(spec$split)) {                              # what hofm() would choose otherwise
    if (is.null(call$negatives)) call$negatives <- "given"
    call[c("common", "tied")] <- FALSE
  }
  tidy_call(call, env)
}

cv_call <- function(call, env) {
  call <- tidy_call(call, env)
  call[[1]] <- quote(cv_hofm)
  call
}

new_cv <- function(task, paths, plan, foldid, curves, choice, fits, links, call) {
  order <- vapply(paths, function(path) path$spec$order, 0L)
  rank <- vapply(paths, function(path) shown_rank(path$spec), 0L)
  tables <- Map(function(order, rank, path, curve) {
    cbind(order = order, rank = rank, lambda = path$axis[seq_len(nrow(curve))], curve)
  }, order, rank, paths, curves)
  path <- paths[[choice$spec]]
  places <- seq_len(nrow(curves[[choice$spec]]))
  lambda <- path$axis[places]
  cv <- c(list(lambda = lambda, lambda_degrees = degree_columns(path$lambda[places, , drop = FALSE], path$spec)), curves[[choice$spec]], list(
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

degree_columns <- function(lambda, spec) {
  colnames(lambda) <- if (spec$model == "hofm") seq_len(ncol(lambda)) else "all"
  lambda
}
