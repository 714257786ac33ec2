#' Print a fit
#'
#' @param x A fit from [hofm()].
#' @param digits Significant digits of the numbers shown.
#' @param ... Not used.
#' @return `x`, invisibly.
#' @examples
#' print(hofm(as.matrix(mtcars[c("wt", "qsec")]) / 10, mtcars$mpg, rank = 2))
#' @export
print.hofm <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  cat(headline(x), "\n", sep = "")
  cat(sprintf("%-12s%s\n", "Call:", deparsed_call(x$call)))
  cat(sprintf("%-12s%s\n", paste0(names(facts <- fit_facts(x, digits)), ":"), facts), sep = "")
  invisible(x)
}

headline <- function(fit) {
  what <- switch(fit$model,
    hofm = "Higher-order factorization machine", shared = "Higher-order factorization machine with shared factors",
    simplex = "Higher-order factorization machine with shared factors on the simplex",
    all_subsets = "All-subsets model", polynomial = "Polynomial network", bilinear = "Bilinear model")
  order <- if (!is.na(fit$order)) paste(" of order", fit$order)
  rank <- if (length(fit$rank)) sprintf("%s rank %s", if (is.null(order)) " of" else ",", per_degree(fit$rank))
  paste0(what, order, rank)
}

# One number when all degrees share it, else all of them.
per_degree <- function(x, digits = 7) {
  if (length(unique(x)) == 1) x <- x[1]
  paste(vapply(x, format, "", digits = digits), collapse = ", ")
}

deparsed_call <- function(call) {
  text <- paste(trimws(deparse(call, width.cutoff = 500L)), collapse = " ")
  if (nchar(text) > 200) paste0(substr(text, 1, 197), "...") else text
}

fit_facts <- function(fit, digits) {
  short <- function(x) format(x, digits = digits)
  c(Loss = paste0(fit$loss, positive_class(fit)),
    Data = paste0(counted(fit$n, "row"), ", ", counted(length(fit$features), "feature")),
    Lambda = per_degree(fit$lambda, digits),
    Solver = solver_words(fit),
    Objective = short(fit$objective),
    Deviance = sprintf("%s (null %s, explained %s)", short(fit$deviance), short(fit$null.deviance),
                       explained(fit)))
}

positive_class <- function(fit) {
  if (is.null(fit$response$levels) || !loss_facts(fit$loss)$classes) return("")
  sprintf(", positive class %s", quoted(fit$response$levels[2]))
}

solver_words <- function(fit) {
  steps <- if (NROW(fit$trace)) max(fit$trace$iteration) else 0
  sprintf("%s, %s, %s", fit$solver, counted(steps, "iteration"),
          if (isTRUE(fit$converged)) "converged" else "not converged")
}

counted <- function(n, noun) sprintf("%d %s%s", as.integer(n), noun, if (n == 1) "" else "s")

explained <- function(fit) {
  if (!(fit$null.deviance > 0)) return("NA")
  sprintf("%.1f%%", 100 * (1 - fit$deviance / fit$null.deviance))
}
