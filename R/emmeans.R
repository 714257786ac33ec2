# What emmeans asks of a fit: its data, and predictions on a grid as a linear function of something.

#' Estimated marginal means
#'
#' Methods with which `emmeans()` of the package emmeans works on a fit, and on its refits. It averages predictions of the link over a grid
#' of levels, with numbers at their means. A fit has no standard errors, so those shown are missing; refits from [bootstrap_hofm()] have
#' the spread of their predictions. `data`, the training rows, must be given where the call of the fit does not lead to them any more.
#'
#' Other packages need no methods, since they ask for predictions only: `DALEX::explain(fit, data, y)`,
#' `iml::Predictor$new(fit, data, y = y, predict.function = function(model, newdata) predict(model, newdata))`,
#' `ggeffects::ggpredict(fit, "x")` and `vip::vi_permute(fit, train = , target = , metric = , pred_wrapper = )`. marginaleffects takes a fit
#' after `options(marginaleffects_model_classes = "hofm")`, with `vcov = FALSE`: there is no covariance matrix to make standard errors of.
#'
#' @param object A fit from [hofm()], or refits from [bootstrap_hofm()].
#' @param data The training rows, a data frame; `NULL` looks for what the call of the fit names.
#' @param trms,xlev,grid What emmeans hands on.
#' @param ... Passed on to the methods of emmeans.
#' @return What emmeans asks for.
#' @seealso [effects_hofm()]
#' @examplesIf requireNamespace("emmeans", quietly = TRUE)
#' cars <- transform(mtcars, cyl = factor(cyl))
#' fit <- hofm(mpg ~ cyl + wt, cars, rank = 2, lambda = 0.05)
#' emmeans::emmeans(fit, "cyl", data = cars)
#' emmeans::emmeans(bootstrap_hofm(fit, cars, times = 20, seed = 1), pairwise ~ cyl, data = cars)
#' @name emmeans_hofm
NULL

#' @rdname emmeans_hofm
#' @exportS3Method emmeans::recover_data
recover_data.hofm <- function(object, data = NULL, ...) {
  check_fit(object, shown = TRUE)
  if (!is.null(data)) {
    if (!is.data.frame(data)) must_be("data", "the training rows, a data frame", data)
    abort_columns(setdiff(model_variables(object), names(data)), "data")
  }
  call <- object$call
  names(call)[names(call) == "x"] <- "formula"
  call$formula <- formula(object)
  emmeans::recover_data(call, stats::delete.response(stats::terms(object)), object$na.action, data = data, ...)
}

#' @rdname emmeans_hofm
#' @exportS3Method emmeans::recover_data
recover_data.hofm_bootstrap <- function(object, ...) emmeans::recover_data(check_bootstrap(object, "object")$fit, ...)

#' @rdname emmeans_hofm
#' @exportS3Method emmeans::emm_basis
emm_basis.hofm <- function(object, trms, xlev, grid, ...) {
  check_grid(grid)
  grid_basis(object, predict(object, grid, type = "link"), matrix(NA_real_, nrow(grid), nrow(grid)))
}

#' @rdname emmeans_hofm
#' @exportS3Method emmeans::emm_basis
emm_basis.hofm_bootstrap <- function(object, trms, xlev, grid, ...) {
  check_bootstrap(object, "object")
  check_grid(grid)
  links <- matrix(vapply(object$fits, predict, numeric(nrow(grid)), grid, type = "link"), nrow(grid))
  grid_basis(object$fit, predict(object$fit, grid, type = "link"), stats::cov(t(links)))
}

check_grid <- function(grid) if (!is.data.frame(grid) || !nrow(grid)) must_be("grid", "a data frame with rows to predict", grid)

# Each point of the grid is a coefficient of its own.
grid_basis <- function(fit, link, V) {
  family <- loss_facts(fit$loss)$family
  misc <- if (is.null(family)) list() else emmeans::.std.link.labels(family(), list())
  list(X = diag(length(link)), bhat = link, nbasis = matrix(NA), V = V, dffun = function(k, dfargs) Inf, dfargs = list(), misc = misc)
}
