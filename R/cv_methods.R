#' Use the result of a cross-validation
#'
#' What one asks of a fit can be asked of the result: it is handed on to the chosen model, fitted to all data, by `predict()`, `coef()`,
#' `summary()`, `fitted()`, `residuals()` and the others here, and by [interactions()], [effects_hofm()], [variable_importance()],
#' [bootstrap_hofm()], [auc()], [roc_curve()], [score_links()] and [top_links()]. For whatever else, `cv$fit` and `cv$fit.1se` are fits as
#' from [hofm()].
#'
#' `plot()` draws the measure of
#' the chosen order and rank against lambda with bars of one standard error, and dotted lines at
#' `lambda.min` and `lambda.1se`; other combinations are lines without bars. `autoplot()` does the same for ggplot2, where it is
#' installed.
#'
#' @param object,x,formula A result of [cv_hofm()].
#' @param newdata What to predict for, as in [predict.hofm()].
#' @param s Which lambda: `"lambda.min"`, `"lambda.1se"`, or a number that is one of the two. For another
#'   lambda, fit with [hofm()].
#' @param digits Significant digits of the numbers shown.
#' @param ... Passed on: to the method for a fit; by `plot()` to [plot()]; by `update()` arguments of [cv_hofm()] to add or to change. For
#'   `autoplot()`: not used.
#' @param evaluate Whether `update()` runs the call, or only returns it.
#' @return `print()`: `x`, invisibly. `plot()`: the table that is
#'   drawn, invisibly. `autoplot()`: a ggplot. `update()`: a new result of [cv_hofm()]. All others: as for a fit.
#' @seealso [cv_hofm()]
#' @examples
#' set.seed(1)
#' cars <- transform(mtcars, cyl = factor(cyl))
#' cv <- cv_hofm(mpg ~ cyl + hp + wt, cars, order = 1:2, rank = 2, nfolds = 5, n_lambda = 10)
#' cv
#' plot(cv)
#' if (requireNamespace("ggplot2", quietly = TRUE)) ggplot2::autoplot(cv)
#' predict(cv, cars[1:3, ], s = "lambda.1se")
#' coef(cv, degree = 1)
#' head(residuals(cv))
#' @param nsim,seed As in [simulate()].
#' @param parm,level Not used.
#' @name cv_hofm_methods
NULL

#' @rdname cv_hofm_methods
#' @export
predict.cv_hofm <- function(object, newdata = NULL, s = c("lambda.min", "lambda.1se"), ...) {
  predict(chosen_fit(object, if (missing(s)) "lambda.min" else s), newdata, ...)
}

# A method that asks the chosen fit.
handed_on <- function(generic) {
  force(generic)
  function(object, s = c("lambda.min", "lambda.1se"), ...) generic(chosen_fit(object, if (missing(s)) "lambda.min" else s), ...)
}

#' @rdname cv_hofm_methods
#' @export
coef.cv_hofm <- handed_on(stats::coef)

#' @rdname cv_hofm_methods
#' @export
summary.cv_hofm <- handed_on(summary)

#' @rdname cv_hofm_methods
#' @export
fitted.cv_hofm <- handed_on(stats::fitted)

#' @rdname cv_hofm_methods
#' @export
residuals.cv_hofm <- handed_on(stats::residuals)

#' @rdname cv_hofm_methods
#' @export
weights.cv_hofm <- handed_on(stats::weights)

#' @rdname cv_hofm_methods
#' @export
nobs.cv_hofm <- handed_on(stats::nobs)

#' @rdname cv_hofm_methods
#' @export
deviance.cv_hofm <- handed_on(stats::deviance)

#' @rdname cv_hofm_methods
#' @export
logLik.cv_hofm <- handed_on(stats::logLik)

#' @rdname cv_hofm_methods
#' @export
AIC.cv_hofm <- handed_on(stats::AIC)

#' @rdname cv_hofm_methods
#' @export
BIC.cv_hofm <- handed_on(stats::BIC)

#' @rdname cv_hofm_methods
#' @export
family.cv_hofm <- handed_on(stats::family)

#' @rdname cv_hofm_methods
#' @export
simulate.cv_hofm <- function(object, nsim = 1, seed = NULL, s = c("lambda.min", "lambda.1se"), ...) {
  stats::simulate(chosen_fit(object, if (missing(s)) "lambda.min" else s), nsim, seed, ...)
}

#' @rdname cv_hofm_methods
#' @export
vcov.cv_hofm <- handed_on(stats::vcov)

#' @rdname cv_hofm_methods
#' @export
confint.cv_hofm <- function(object, parm, level = 0.95, ...) stats::confint(chosen_fit(object, "lambda.min"))

#' @rdname cv_hofm_methods
#' @export
variable.names.cv_hofm <- handed_on(stats::variable.names)

#' @rdname cv_hofm_methods
#' @export
model.matrix.cv_hofm <- handed_on(stats::model.matrix)

#' @rdname cv_hofm_methods
#' @export
formula.cv_hofm <- function(x, ...) stats::formula(chosen_fit(x, "lambda.min", "x"), ...)

#' @rdname cv_hofm_methods
#' @export
terms.cv_hofm <- function(x, ...) stats::terms(chosen_fit(x, "lambda.min", "x"), ...)

#' @rdname cv_hofm_methods
#' @export
model.frame.cv_hofm <- function(formula, ...) stats::model.frame(chosen_fit(formula, "lambda.min", "formula"), ...)

#' @rdname cv_hofm_methods
#' @export
as.data.frame.cv_hofm <- function(x, ...) as.data.frame(chosen_fit(x, "lambda.min", "x"), ...)

#' @rdname cv_hofm_methods
#' @export
auc.cv_hofm <- function(x, ..., s = c("lambda.min", "lambda.1se")) {
  auc(chosen_fit(x, if (missing(s)) "lambda.min" else s, "x"), ...)
}

#' @rdname cv_hofm_methods
#' @export
roc_curve.cv_hofm <- function(x, ..., s = c("lambda.min", "lambda.1se")) {
  roc_curve(chosen_fit(x, if (missing(s)) "lambda.min" else s, "x"), ...)
}

#' @rdname cv_hofm_methods
#' @export
update.cv_hofm <- function(object, ..., evaluate = TRUE) {
  check_cv(object, "object")
  call <- object$call
  extras <- match.call(expand.dots = FALSE)$...
  if (is.null(names(extras)) && length(extras) || any(names(extras) == "")) {
    hofm_abort("`update()` of a cross-validation takes named arguments of cv_hofm(), such as `x` for another formula.")
  }
  call[names(extras)] <- extras
  if (!check_flag(evaluate, "evaluate")) return(call)
  check_call(call, parent.frame())
  eval(call, parent.frame())
}

# The fit that speaks for a result, where a function takes a fit.
one_fit <- function(fit, arg) if (inherits(fit, "cv_hofm")) chosen_fit(fit, "lambda.min", arg) else fit

# What the methods need of a cross-validation; the fits are checked by their own methods.
check_cv <- function(cv, arg) check_sound(cv, c(cv_curve_rules(), cv_fit_rules()), arg, "cross-validation")

# What its picture needs.
cv_curve_rules <- function() {
  whole <- function(field) function(v) is.null(names(v[[field]])) && (identical(v[[field]], NA_integer_) || is_count(v[[field]]))
  list(
    lambda = function(v) is_plain_number(v$lambda) && length(v$lambda) > 0 && all(is.finite(v$lambda) & v$lambda > 0),
    cvup = function(v) is_plain_number(v$cvup), cvlo = function(v) is_plain_number(v$cvlo),
    lambda_degrees = function(v) absent_or(v$lambda_degrees, function(l) is.numeric(l) && is.matrix(l) && nrow(l) == length(v$lambda)),
    lambda.min = function(v) is_one(v$lambda.min), lambda.1se = function(v) is_one(v$lambda.1se),
    order = whole("order"), rank = whole("rank"),
    name = function(v) is_string(unname(v$name)) && is_string(names(v$name)),
    table = function(v) {
      is.data.frame(v$table) && paste(v$order, v$rank) %in% paste(v$table$order, v$table$rank) &&
        all(vapply(v$table[c("order", "rank", "lambda", "cvm", "cvsd", "cvlo", "cvup")], is.numeric, NA))
    })
}

cv_fit_rules <- function() {
  path <- function(field) function(v) is_plain_number(v[[field]]) && length(v[[field]]) == length(v$lambda)
  list(
    cvm = path("cvm"), cvsd = path("cvsd"),
    index = function(v) {
      identical(names(v$index), c("min", "1se")) && is_plain_number(unname(v$index)) && all(v$index %in% seq_along(v$lambda))
    },
    foldid = function(v) is_plain_number(v$foldid), call = function(v) is.call(v$call),
    fit = function(v) inherits(v$fit, "hofm"), fit.1se = function(v) inherits(v$fit.1se, "hofm"))
}

chosen_fit <- function(cv, s, arg = "object") {
  check_cv(cv, arg)
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
  check_cv(x, "x")
  check_fit(x$fit, "x$fit")
  digits <- check_digits(digits)
  cat(headline(x$fit), ", by cross-validation\n", sep = "")
  cat(sprintf("%-12s%s\n", "Call:", deparsed_call(x$call)))
  cat(sprintf("%-12s%s, %d folds\n\n", "Measure:", x$name, length(unique(x$foldid))))
  shown <- data.frame(Lambda = x$lambda[x$index], Index = x$index, Measure = x$cvm[x$index], SE = x$cvsd[x$index],
                      row.names = names(x$index))
  print(shown, digits = digits)
  if (length(unique(x$fit$lambda)) > 1) cat("Penalties of degrees 1, 2, ... at min: ", per_degree(x$fit$lambda, digits), "\n", sep = "")
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
