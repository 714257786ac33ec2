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
  check_fit(x, "x", shown = TRUE)
  digits <- check_digits(digits)
  cat(headline(x), "\n", sep = "")
  cat(call_lines(x$call), sep = "\n")
  cat(sprintf("%-12s%s\n", paste0(names(facts <- fit_facts(x, digits)), ":"), facts), sep = "")
  invisible(x)
}

headline <- function(fit) {
  what <- switch(fit$model,
    hofm = , shared = , simplex = "Higher-order factorization machine",
    all_subsets = "All-subsets model", polynomial = "Polynomial network", bilinear = "Bilinear model")
  of <- c(if (!is.na(fit$order)) paste("order", fit$order), if (length(fit$rank)) paste("rank", per_degree(fit$rank)))
  how <- switch(fit$model, shared = ", shared factors", simplex = ", shared factors, theta on the simplex", "")
  paste0(what, " of ", paste(of, collapse = ", "), how)
}

# One number when all degrees share it, else all of them.
per_degree <- function(x, digits = 7) {
  if (length(unique(x)) == 1) x <- x[1]
  paste(vapply(x, format, "", digits = digits), collapse = ", ")
}

deparsed_call <- function(call) paste(trimws(deparse(call, width.cutoff = 500L)), collapse = " ")

# The call as wide as the console, in five lines at most, so that a fit prints in twelve. A name stays with its value: "|=|", which no
# call has, keeps strwrap() from breaking there.
call_lines <- function(call, most = 5) {
  text <- gsub(" = ", "|=|", deparsed_call(call), fixed = TRUE)
  lines <- strwrap(text, width = getOption("width"), initial = sprintf("%-12s", "Call:"), exdent = 12)
  lines <- gsub("|=|", " = ", lines, fixed = TRUE)
  if (length(lines) <= most) return(lines)
  c(lines[seq_len(most - 1)], paste0(strtrim(lines[most], max(getOption("width") - 4, 16)), "..."))
}

fit_facts <- function(fit, digits) {
  short <- function(x) format(x, digits = digits)
  c(Loss = paste0(fit$loss, positive_class(fit)),
    Data = paste0(training_words(fit), ", ", counted(length(fit$features), "feature"), omitted_words(fit)),
    Lambda = paste0(per_degree(fit$lambda, digits), tuning_words(fit$tuning, digits)),
    Solver = solver_words(fit),
    Objective = short(fit$objective),
    Deviance = sprintf("%s (null %s, explained %s)", short(fit$deviance), short(fit$null.deviance),
                       explained(fit)))
}

# With `negatives = "all"` the rows that were given are a small part of what was trained on.
training_words <- function(fit) {
  if (!is.null(fit$ranking)) return(ranking_words(fit$ranking))
  if (is.null(fit$negatives)) return(counted(fit$n, "row"))
  sprintf("all %s pairs of nodes, %s", count_text(fit$negatives$pairs), counted(fit$negatives$links, "link"))
}

omitted_words <- function(fit) {
  if (!length(fit$na.action)) return("")
  sprintf("; %s with missing values left out", counted(length(fit$na.action), "row"))
}

# What a penalty was chosen from. Tuning of links is a table alone.
tuning_words <- function(tuning, digits) {
  if (is.null(tuning)) return("")
  if (is.data.frame(tuning)) return(", chosen by training links held out")
  how <- if (tuning$folds > 1) sprintf("%d-fold cross-validation", tuning$folds) else "rows held out"
  idle <- if (length(tuning$off)) sprintf("; degree %s did not help", enumerate(tuning$off)) else ""
  sprintf(", chosen by %s%s", how, idle)
}

ranking_words <- function(ranking) {
  sprintf("%s ranked above others drawn from %s %s", counted(ranking$links, if (ranking$drawn == "rows") "row" else "link"),
          count_text(ranking$others), if (ranking$drawn == "rows") "rows" else "pairs of nodes")
}

positive_class <- function(fit) {
  if (is.null(fit$response$levels) || !loss_facts(fit$loss)$classes) return("")
  sprintf(", positive class %s%s", quoted(fit$response$levels[2]), if (fit$loss == "auc") ", no intercept" else "")
}

solver_words <- function(fit) {
  steps <- if (NROW(fit$trace)) max(fit$trace$iteration) else 0
  end <- if (!is.null(fit$validation)) validation_words(fit) else if (isTRUE(fit$converged)) "converged" else "not converged"
  sprintf("%s, %s, %s", fit$solver, counted(steps, "iteration"), end)
}

counted <- function(n, noun) sprintf("%d %s%s", as.integer(n), noun, if (n == 1) "" else "s")

explained <- function(fit) {
  if (!is.finite(fit$null.deviance) || fit$null.deviance <= 0) return("NA")
  sprintf("%.1f%%", 100 * (1 - fit$deviance / fit$null.deviance))
}
