#' Summarise a fit
#'
#' @param object A fit from [hofm()].
#' @param ... Not used.
#' @return An object of class `summary.hofm`: a list with `fit` (the fit without its training values),
#'   `degrees` (a data frame with a row for each degree: rank, number of parameters and penalty where the degree has its own;
#'   `norm`, that of its w or P; and `share`, the variance of its part of the link over the training rows, or ten thousand of them,
#'   divided by that of the link: shares do not add up to one when the parts are correlated), `strongest` (the three
#'   strongest [interactions()] of each degree from 2 to 4 that are not zero), `parameters` (their number, intercept
#'   included), `explained` (share
#'   of the null deviance) and `trace` (the last rows of the trace). Printing returns it invisibly.
#' @seealso [hofm()]
#' @examples
#' summary(hofm(as.matrix(mtcars[c("wt", "qsec")]) / 10, mtcars$mpg, rank = 2))
#' @export
summary.hofm <- function(object, ...) {
  check_fit(object, shown = TRUE)
  fit <- object[setdiff(names(object), c("linear.predictors", "residuals", "prior.weights", "na.action"))]
  structure(list(
    fit = structure(fit, class = "hofm"), degrees = degree_table(object), strongest = strongest(object),
    parameters = count_parameters(object),
    explained = 1 - object$deviance / object$null.deviance,
    trace = utils::tail(object$trace, 5)), class = "summary.hofm")
}

summary_rules <- function() {
  table <- function(field) function(s) absent_or(s[[field]], is.data.frame)
  list(fit = function(s) inherits(s$fit, "hofm"), degrees = table("degrees"), strongest = table("strongest"), trace = table("trace"),
       parameters = function(s) is_one(s$parameters))
}

# Of tied sides one is counted.
count_parameters <- function(fit) {
  rows <- length(fit$w) + sum(lengths(fit$P))
  if (isTRUE(fit$tied) && ties_parameters(fit)) {
    rows <- rows - length(block_features(fit$features, "B")) * ((length(fit$w) > 0) + sum(fit$rank))
  }
  fit$has_intercept + rows + length(fit$gamma) + !is.null(fit$common) + if (fit$model == "simplex") length(fit$theta) else 0L
}

# A row for each degree, and one for what two nodes have in common if the fit has a weight for it.
degree_table <- function(fit) {
  share <- fit$degree_variance / fit$degree_variance[["total"]]
  table <- term_table(fit, unname(share[!names(share) %in% c("common", "total")]))
  if (is.null(fit$common)) return(table)
  last <- list(degree = "common", parameters = 1, norm = abs(fit$common$weight), share = share[["common"]])
  table <- rbind(table, NA)
  table[nrow(table), intersect(names(last), names(table))] <- last[intersect(names(last), names(table))]
  table
}

term_table <- function(fit, share) {
  degree <- seq_along(share)
  if (fit$model != "hofm") {
    if (fit$model == "all_subsets") degree <- c(degree[-1] - 1L, paste0("> ", length(degree) - 1))
    return(data.frame(degree = degree, norm = sqrt(sum(unlist(fit$P)^2)), share = share))
  }
  values <- c(list(fit$w), lapply(as.character(degree[-1]), function(t) fit$P[[t]]))
  data.frame(
    degree = degree, rank = c(NA, fit$rank), parameters = as.double(lengths(values)), lambda = fit$lambda,
    norm = vapply(values, function(v) sqrt(sum(v^2)), 0), share = share)
}

# Of each degree its share of the variance of the link, NA where it is not known.
degree_shares <- function(fit) {
  unname(fit$degree_variance[paste("degree", seq_len(20))] / fit$degree_variance[["total"]])
}

# A data frame of degree, interaction and weight; nothing of degrees that were pulled to zero.
strongest <- function(fit) {
  degrees <- seq_len(min(4L, max_degree(fit), length(fit$features)))[-1L]
  share <- degree_shares(fit)
  degrees <- degrees[is.na(share[degrees]) | share[degrees] > idle_share]
  found <- lapply(degrees, function(t) {
    top <- interactions(fit, t, 3)
    top <- top[top$weight != 0, ]
    if (nrow(top)) data.frame(degree = t, interaction = interaction_labels(top), weight = top$weight)
  })
  do.call(rbind, found)
}

#' @rdname summary.hofm
#' @param x A summary.
#' @param digits Significant digits of the numbers shown.
#' @export
print.summary.hofm <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  check_sound(x, summary_rules(), "x", "summary")
  digits <- check_digits(digits)
  print(x$fit, digits = digits)
  cat(sprintf("%-12s%s\n", "Parameters:", format(x$parameters, big.mark = ",")))
  cat("\nBy degree:\n")
  print(x$degrees, digits = digits, row.names = FALSE)
  if (is_plain_number(x$degrees$share) && !anyNA(x$degrees$share)) cat(shares_note(x$degrees), sep = "\n")
  if (NROW(x$strongest)) {
    cat("\nStrongest interactions:\n")
    print(x$strongest, digits = digits, row.names = FALSE, right = FALSE)
  }
  if (length(x$fit$message)) cat("\n", paste(x$fit$message, collapse = "\n"), "\n", sep = "")
  if (NROW(x$trace)) {
    cat("\nEnd of the trace:\n")
    print(x$trace, digits = digits, row.names = FALSE)
  }
  invisible(x)
}
