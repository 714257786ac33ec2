#' Use the result of a cross-validation
#'
#' `predict()` and `coef()` are those of the chosen model, fitted to all data. `plot()` draws the measure of
#' the chosen order and rank against lambda with bars of one standard error, and dotted lines at
#' `lambda.min` and `lambda.1se`; other combinations are lines without bars. `autoplot()` does the same for ggplot2, where it is
#' installed.
#'
#' @param object,x A result of [cv_hofm()].
#' @param newdata What to predict for, as in [predict.hofm()].
#' @param s Which lambda: `"lambda.min"`, `"lambda.1se"`, or a number that is one of the two. For another
#'   lambda, fit with [hofm()].
#' @param digits Significant digits of the numbers shown.
#' @param ... For `predict()` and `coef()`: passed on to [predict.hofm()], [coef.hofm()]. For `plot()`:
#'   passed on to [plot()]. For `autoplot()`: not used.
#' @return `predict()` and `coef()`: as for a fit. `print()`: `x`, invisibly. `plot()`: the table that is
#'   drawn, invisibly. `autoplot()`: a ggplot.
#' @seealso [cv_hofm()]
#' @examples
#' set.seed(1)
#' cars <- transform(mtcars, cyl = factor(cyl), hp = hp / 100)
#' cv <- cv_hofm(mpg ~ cyl + hp + wt, cars, order = 1:2, rank = 2, nfolds = 5, n_lambda = 10)
#' cv
#' plot(cv)
#' if (requireNamespace("ggplot2", quietly = TRUE)) ggplot2::autoplot(cv)
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

# What the methods need of a cross-validation; the fits are checked by their own methods.
check_cv <- function(cv, arg) check_sound(cv, c(cv_curve_rules(), cv_fit_rules()), arg, "cross-validation")

# What its picture needs.
cv_curve_rules <- function() {
  whole <- function(field) function(v) is.null(names(v[[field]])) && (identical(v[[field]], NA_integer_) || is_count(v[[field]]))
  list(
    lambda = function(v) is_plain_number(v$lambda) && length(v$lambda) > 0 && all(is.finite(v$lambda) & v$lambda > 0),
    cvup = function(v) is_plain_number(v$cvup), cvlo = function(v) is_plain_number(v$cvlo),
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
