#' Summarise a fit
#'
#' @param object A fit from [hofm()].
#' @param ... Not used.
#' @return An object of class `summary.hofm`: a list with `fit` (the fit without its training values),
#'   `degrees` (a data frame with a row for each degree: its rank, number of parameters, penalty and the norm
#'   of its w or P), `parameters` (their number, intercept included), `explained` (share of the null deviance)
#'   and `trace` (the last rows of the trace). Printing returns it invisibly.
#' @seealso [hofm()]
#' @examples
#' summary(hofm(as.matrix(mtcars[c("wt", "qsec")]) / 10, mtcars$mpg, rank = 2))
#' @export
summary.hofm <- function(object, ...) {
  check_fit(object)
  degrees <- degree_table(object)
  fit <- object[setdiff(names(object), c("linear.predictors", "residuals", "prior.weights", "na.action"))]
  structure(list(
    fit = structure(fit, class = "hofm"), degrees = degrees,
    parameters = sum(degrees$parameters) + object$has_intercept,
    explained = 1 - object$deviance / object$null.deviance,
    trace = utils::tail(object$trace, 5)), class = "summary.hofm")
}

degree_table <- function(fit) {
  higher <- as.character(seq_len(fit$order)[-1])
  values <- c(list(fit$w), lapply(higher, function(t) fit$P[[t]]))
  data.frame(
    degree = seq_len(fit$order), rank = c(NA, fit$rank), parameters = as.double(lengths(values)),
    lambda = fit$lambda, norm = vapply(values, function(v) sqrt(sum(v^2)), 0))
}

#' @rdname summary.hofm
#' @param x A summary.
#' @param digits Significant digits of the numbers shown.
#' @export
print.summary.hofm <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  print(x$fit, digits = digits)
  cat(sprintf("%-12s%s\n", "Parameters:", format(x$parameters, big.mark = ",")))
  cat("\nBy degree:\n")
  print(x$degrees, digits = digits, row.names = FALSE)
  if (length(x$fit$message)) cat("\n", paste(x$fit$message, collapse = "\n"), "\n", sep = "")
  if (NROW(x$trace)) {
    cat("\nEnd of the trace:\n")
    print(x$trace, digits = digits, row.names = FALSE)
  }
  invisible(x)
}
