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
#' @param x A formula; a data frame, matrix or Matrix with a row for each sample; [link_pairs()]; or a recipe,
#'   see [cv_hofm.recipe()].
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
  task <- row_task(matrix_parts(x, y, weights, offset), specs[[1]], control)
  cross_validate(task, specs, plan, control, resolve_dots(match.call(), parent.frame()))
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
  check_pairs(x, "x")
  specs <- lapply(specs, function(spec) c(spec, list(split = ncol(x$A))))
  check_blocks(x, specs[[1]])
  plan <- check_plan(lambda, nfolds, foldid, if (!missing(measure)) measure, keep, workers, n_lambda, lambda_min_ratio)
  hold_out <- if (missing(hold_out)) "pairs" else check_choice(hold_out, "hold_out", c("pairs", "nodes"))
  negatives <- if (missing(negatives)) "given" else check_choice(negatives, "negatives", c("given", "all"))
  parts <- pair_parts(x, weights, offset)
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
# ---- Cross-validation --------------------------------------------------------------------------------------

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
  cv <- new_cv(task, specs, plan, lambda, drawn$foldid, curves, choice, fits, if (plan$keep) links, cv_call(call, env))
  replace(cv, "seconds", proc.time()[["elapsed"]] - begun)
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
