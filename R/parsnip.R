# A parsnip model with hofm as its engine. parsnip is a suggestion only: the model is registered when both
# packages are loaded.

#' Factorization machines for tidymodels
#'
#' A model specification for the package parsnip with the engine `"hofm"`, for regression and for
#' classification with two classes. It works in workflows and can be tuned. Sparse matrices and tibbles with
#' sparse columns stay sparse.
#'
#' | argument | [hofm()] | tuned over |
#' |---|---|---|
#' | `order` | `order` | `fm_order()`: 1 to 3 |
#' | `rank` | `rank` | `fm_rank()`: 2 to 32 |
#' | `penalty` | `lambda` | dials' `penalty()`: 1e-6 to 1 on the scale of log10 |
#'
#' Other arguments of [hofm()] go to the engine:
#' `set_engine(spec, "hofm", model = "shared", control = hofm_control(seed = 1))`. Factors need no dummy
#' variables: they reach [hofm()] as they are and become a sparse 0/1 column for each level. In a workflow,
#' use `add_variables()` or a recipe without `step_dummy()`; a formula makes the same columns. Numeric
#' predictors are best scaled to comparable size.
#'
#' parsnip has probabilities for both classes, in the order of the levels; of `predict()`, types `"numeric"`,
#' `"class"`, `"prob"` and `"raw"` (the link) are there; `"prob"` needs the logistic loss, the default. Case
#' weights are supported.
#'
#' @param mode `"regression"` or `"classification"`; `"unknown"` until it is set.
#' @param engine `"hofm"`.
#' @param order,rank,penalty See above; numbers, or `tune()`.
#' @param object A specification.
#' @param parameters A tibble or list of new values, as in parsnip's `update()` methods.
#' @param fresh Whether values that are not given are taken out.
#' @param range Two numbers: the smallest and the largest value, on the scale of `trans`.
#' @param trans A transformation from the package scales, or `NULL` for none.
#' @param ... Not used.
#' @return `factorization_machine()` and `update()`: a model specification of class `factorization_machine`.
#'   `fm_order()`, `fm_rank()`: parameter objects of the package dials. Without parsnip or dials, an error of
#'   class `hofm_error_missing_package`.
#' @seealso [hofm()], [cv_hofm()], which tunes the penalty faster, with warm starts.
#' @examplesIf requireNamespace("parsnip", quietly = TRUE)
#' spec <- factorization_machine("regression", order = 2, rank = 2, penalty = 0.01)
#' spec
#' cars <- transform(mtcars, cyl = factor(cyl), hp = hp / 100)
#' fit <- parsnip::fit_xy(spec, cars[c("cyl", "hp", "wt")], cars$mpg)
#' predict(fit, cars[1:3, ])
#' @export
factorization_machine <- function(mode = "unknown", engine = "hofm", order = NULL, rank = NULL, penalty = NULL) {
  need_package("parsnip", "factorization_machine()")
  args <- list(order = rlang::enquo(order), rank = rlang::enquo(rank), penalty = rlang::enquo(penalty))
  parsnip::new_model_spec("factorization_machine", args = args, eng_args = NULL, mode = mode,
                          user_specified_mode = !missing(mode), method = NULL, engine = engine,
                          user_specified_engine = !missing(engine))
}

#' @rdname factorization_machine
#' @export
update.factorization_machine <- function(object, parameters = NULL, order = NULL, rank = NULL, penalty = NULL,
                                         fresh = FALSE, ...) {
  args <- list(order = rlang::enquo(order), rank = rlang::enquo(rank), penalty = rlang::enquo(penalty))
  parsnip::update_spec(object = object, parameters = parameters, args_enquo_list = args, fresh = fresh,
                       cls = "factorization_machine", ...)
}

#' @rdname factorization_machine
#' @export
fm_order <- function(range = c(1L, 3L), trans = NULL) {
  need_package("dials", "fm_order()")
  dials::new_quant_param("integer", range = range, inclusive = c(TRUE, TRUE), trans = trans,
                         label = c(order = "Order"))
}

#' @rdname factorization_machine
#' @export
fm_rank <- function(range = c(2L, 32L), trans = NULL) {
  need_package("dials", "fm_rank()")
  dials::new_quant_param("integer", range = range, inclusive = c(TRUE, TRUE), trans = trans, label = c(rank = "Rank"))
}

need_package <- function(package, what) {
  if (requireNamespace(package, quietly = TRUE)) return(invisible())
  hofm_abort(sprintf("%s needs the package %s, which is not installed.", what, package), "hofm_error_missing_package",
             package = package)
}

#' Fit for parsnip
#'
#' What the engine `"hofm"` of [factorization_machine()] calls: [hofm()], after columns that are sparse have
#' been put into a sparse matrix.
#'
#' @param x A data frame, tibble or matrix of predictors.
#' @param y,weights,... As in [hofm()].
#' @return A fit from [hofm()].
#' @keywords internal
#' @examples
#' fit_factorization_machine(mtcars[c("wt", "qsec")] / 10, mtcars$mpg, rank = 2)
#' @export
fit_factorization_machine <- function(x, y, weights = NULL, ...) {
  check_given()
  fit <- hofm(sparse_predictors(x), y, weights = weights, ...)
  fit$call <- as.call(c(quote(hofm), lapply(c(x = "<data>", y = "<data>"), as.name), list(...)))
  fit
}

# A sparse matrix for a tibble with sparse columns, if all are numbers; else what came.
sparse_predictors <- function(x) {
  sparse <- is.data.frame(x) && requireNamespace("sparsevctrs", quietly = TRUE) &&
    sparsevctrs::has_sparse_elements(x)
  if (sparse && all(vapply(x, is.numeric, NA))) sparsevctrs::coerce_to_sparse_matrix(x) else x
}

# parsnip hands sparse new data on as a matrix, whatever the training data was.
predictors_for <- function(new_data, object) {
  if (object$fit$blueprint$kind == "matrix") return(sparse_predictors(new_data))
  if (is(new_data, "Matrix")) as.data.frame(as.matrix(new_data)) else new_data
}

# ---- Registration ------------------------------------------------------------------------------------------

# Once for each session of parsnip; a second time would be an error.
register_parsnip <- function(...) {
  if ("factorization_machine" %in% parsnip::get_from_env("models")) return(invisible())
  parsnip::set_new_model("factorization_machine")
  for (mode in c("regression", "classification")) register_mode(mode)
  register_argument("order", "order", list(pkg = "hofm", fun = "fm_order"))
  register_argument("rank", "rank", list(pkg = "hofm", fun = "fm_rank"))
  register_argument("penalty", "lambda", list(pkg = "dials", fun = "penalty", range = c(-6, 0)))
}

register_argument <- function(parsnip, original, func) {
  parsnip::set_model_arg("factorization_machine", eng = "hofm", parsnip = parsnip, original = original, func = func,
                         has_submodel = FALSE)
}

register_mode <- function(mode) {
  model <- "factorization_machine"
  parsnip::set_model_mode(model, mode)
  parsnip::set_model_engine(model, mode, "hofm")
  parsnip::set_dependency(model, "hofm", "hofm", mode)
  parsnip::set_fit(model, mode, "hofm", list(
    interface = "data.frame", protect = c("x", "y", "weights"),
    func = c(pkg = "hofm", fun = "fit_factorization_machine"), defaults = list()))
  parsnip::set_encoding(model, mode, "hofm", list(
    predictor_indicators = "none", compute_intercept = FALSE, remove_intercept = TRUE, allow_sparse_x = TRUE))
  types <- switch(mode, regression = c(numeric = "response"), c(class = "class", prob = "response"))
  for (type in c(names(types), "raw")) {
    how <- prediction_of(if (type == "raw") "link" else types[[type]], if (type == "prob") both_classes)
    parsnip::set_pred(model, mode, "hofm", type, how)
  }
}

prediction_of <- function(type, post = NULL) {
  list(pre = predictors_for, post = post, func = c(fun = "predict"),
       args = list(object = quote(object$fit), newdata = quote(new_data), type = type))
}

# A column for each class, as parsnip wants them.
both_classes <- function(probability, object) {
  check_probabilities(object$fit)
  as_table(stats::setNames(data.frame(1 - probability, probability), object$lvl))
}
