#' Fit to the result of a recipe
#'
#' A recipe of the package recipes says which columns are the response and the predictors, and how they are
#' prepared. It is estimated on `data` and applied to it, [hofm()] is fitted to the result, and [predict()]
#' applies the same recipe to new data first. Factors and character strings need no dummy variables, since
#' they become a sparse 0/1 column for each level anyway; columns that a recipe makes sparse stay so.
#'
#' Missing values that the recipe leaves are an error in training and make a prediction `NA`. A column with
#' the role `"case_weights"` takes the place of `weights`.
#'
#' [cv_hofm()] estimates the recipe once, on all of `data`, as it does with the columns that factors make: what a recipe learns from the
#' response would then be known in every fold. Such recipes are for [factorization_machine()] and the package tune, which estimate
#' them in each fold anew. Folds are made of the rows that the recipe leaves, one `foldid` for each.
#'
#' @param x A recipe with one outcome. Whether it has been prepared before does not matter: it is estimated
#'   anew.
#' @param data A data frame with the variables of the recipe.
#' @inheritParams hofm
#' @return A fit as from [hofm()], or a result as from [cv_hofm()], which keeps the prepared recipe but no training data. Predictions
#'   need the package recipes.
#' @seealso [hofm()], [cv_hofm()], [factorization_machine()] for recipes in workflows
#' @examplesIf requireNamespace("recipes", quietly = TRUE)
#' rec <- recipes::recipe(mpg ~ cyl + hp + wt, transform(mtcars, cyl = factor(cyl)))
#' rec <- recipes::step_normalize(rec, hp, wt)
#' fit <- hofm(rec, transform(mtcars, cyl = factor(cyl)), rank = 2, lambda = 0.01)
#' predict(fit, transform(mtcars[1:3, ], cyl = factor(cyl)))
#' cv_hofm(rec, transform(mtcars, cyl = factor(cyl)), rank = 2, nfolds = 4, n_lambda = 8)
#' @export
hofm.recipe <- function(x, data, order = 2, rank = 8, lambda = NULL, model = "hofm", loss = NULL, solver = "auto",
                        intercept = TRUE, linear = NULL, weights = NULL, offset = NULL, init = NULL,
                        control = hofm_control(), standardize = TRUE, penalty_factor = NULL, groups = NULL, ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  spec <- check_spec(if (!missing(order)) order, rank, lambda, model, loss, solver, intercept, linear)
  parts <- recipe_parts(x, data, weights, offset)
  spec <- with_scales(spec, standardize, penalty_factor, groups, parts$blueprint)
  fit_checked(parts, spec, init, control, tidy_call(resolve_dots(match.call(), parent.frame())))
}

#' @rdname hofm.recipe
#' @inheritParams cv_hofm
#' @param order,rank,lambda What to fit, see [hofm()]; for `cv_hofm()`, what to try, see there.
#' @export
cv_hofm.recipe <- function(x, data, lambda = NULL, order = 2, rank = 8, nfolds = 10, foldid = NULL,
                           measure = c("default", "auc", "deviance", "class", "mse", "mae"), keep = FALSE, workers = 1,
                           n_lambda = 30, lambda_min_ratio = NULL, model = "hofm", loss = NULL, solver = "auto",
                           intercept = TRUE, linear = NULL, weights = NULL, offset = NULL,
                           control = hofm_control(), standardize = TRUE, penalty_factor = NULL, groups = NULL, fold_groups = NULL, ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  specs <- check_specs(if (!missing(order)) order, rank, model, loss, solver, intercept, linear)
  plan <- check_plan(lambda, nfolds, foldid, if (!missing(measure)) measure, keep, workers, n_lambda, lambda_min_ratio, fold_groups)
  parts <- recipe_parts(x, data, weights, offset)
  cross_validate_rows(parts, specs, plan, standardize, penalty_factor, groups, control, resolve_dots(match.call(), parent.frame()))
}

#' What both hand on: columns, response, weights and offset, with the recipe in the blueprint
#' @noRd
recipe_parts <- function(x, data, weights, offset) {
  if (missing(data) || !is.data.frame(data)) must_be("data", "a data frame", if (!missing(data)) data)
  prepared <- prepare_recipe(x, data)
  parts <- learn_design(prepared$x)
  parts$blueprint$recipe <- prepared$recipe
  c(parts, list(y = prepared$y, weights = if (is.null(weights)) prepared$weights else weights, offset = offset,
                offset_given = !is.null(offset)))
}

#' Estimate a recipe and apply it to its training data
#' @return A list: `recipe` (without the data), `x` (dgCMatrix or data frame), `y` and `weights`.
#' @noRd
prepare_recipe <- function(recipe, data) {
  need_package("recipes", "A recipe")
  roles <- function(role) recipe_columns(recipe, role)
  recipe <- tryCatch(recipes::prep(recipe, training = data, fresh = TRUE, retain = TRUE), error = function(e) {
    hofm_abort(sprintf("The recipe cannot be estimated on `data`: %s", conditionMessage(e)), argument = "data",
               parent = e)
  })
  outcome <- roles("outcome")
  if (length(outcome) != 1) {
    hofm_abort(sprintf("The recipe `x` must have one outcome, not %d.", length(outcome)), argument = "x")
  }
  baked <- recipes::bake(recipe, new_data = NULL)
  weights <- roles("case_weights")
  x <- sparse_predictors(baked[recipe_columns(recipe, "predictor")])
  recipe$template <- recipe$template[0, ]             # the training data
  list(recipe = recipe, x = x, y = baked[[outcome]], weights = if (length(weights)) as.double(baked[[weights[1]]]))
}

recipe_columns <- function(recipe, role) {
  info <- summary(recipe)
  info$variable[info$role %in% role]
}

# New data as the fit wants it.
bake_predictors <- function(blueprint, newdata, arg) {
  recipe <- blueprint$recipe
  need_package("recipes", "A fit to a recipe")
  if (is.matrix(newdata)) newdata <- as.data.frame(newdata)
  if (!is.data.frame(newdata)) must_be(arg, "a data frame", newdata)
  needed <- recipe$var_info$variable[recipe$var_info$role %in% "predictor"]
  abort_columns(setdiff(needed, names(newdata)), arg)
  baked <- tryCatch(recipes::bake(recipe, new_data = newdata), error = function(e) {
    hofm_abort(sprintf("The recipe cannot be applied to %s: %s", ticked(arg), conditionMessage(e)), argument = arg,
               parent = e)
  })
  baked <- baked[recipe_columns(recipe, "predictor")]
  if (blueprint$kind == "matrix") sparse_predictors(baked) else as.data.frame(baked)
}
