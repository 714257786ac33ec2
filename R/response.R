# The response: from what the user gave to the numbers a loss works on, and back; and the facts about each
# loss that R needs after the fit.

#' Facts about each loss: how the response is coded, the mean at a link value, its derivative, the variance
#' function, twice the loss above its least possible value (the unit deviance), and the log-likelihood where
#' there is one. In all of them `y` is coded as in the problem: -1/1 for logistic and squared_hinge. `start`: the intercept that a fit
#' starts from, at a mean response; `own_scale`: whether the link is on the scale of the response, rather than of order one; `label`:
#' what its deviance is called.
#' @noRd
loss_table <- function() {
  list(
    squared = list(
      classes = FALSE, threshold = 0.5, family = stats::gaussian, label = "Mean squared error", own_scale = TRUE,
      start = identity, mean = identity, slope = function(f) rep(1, length(f)), variance = function(mu) rep(1, length(mu)),
      deviance = function(y, f) (y - f)^2
    ),
    logistic = list(
      classes = TRUE, threshold = 0, family = stats::binomial, label = "Binomial deviance", own_scale = FALSE,
      start = function(mean) stats::qlogis((1 + mean) / 2), mean = stats::plogis, slope = stats::dlogis, variance = function(mu) mu * (1 - mu),
      deviance = function(y, f) -2 * stats::plogis(y * f, log.p = TRUE)
    ),
    squared_hinge = list(
      classes = TRUE, threshold = 0, family = NULL, label = "Squared hinge deviance", own_scale = FALSE,
      start = function(mean) 0, mean = identity, slope = NULL, variance = NULL,
      deviance = function(y, f) 2 * pmax(0, 1 - y * f)^2
    ),
    poisson = list(
      classes = FALSE, threshold = NA, family = stats::poisson, label = "Poisson deviance", own_scale = FALSE,
      start = log, mean = exp, slope = exp, variance = identity,
      deviance = function(y, f) 2 * (ifelse(y > 0, y * (log(pmax(y, 1e-300)) - f), 0) - (y - exp(f)))
    ),
    auc = list(                                           # of pairs of rows: nothing can be said of a row by itself
      classes = TRUE, threshold = NA, family = NULL,
      mean = identity, slope = NULL, variance = NULL, deviance = NULL
    )
  )
}

loss_facts <- function(loss) loss_table()[[loss]]

#' Code a response for a loss
#' @param y What the user gave.
#' @param loss The name of a loss, or NULL to choose by the response.
#' @return A list: `y` (double), `loss`, `kind` (how `y` came: "numeric", "factor", "character" or "logical")
#'   and `levels` (the two values that `type = "class"` may return, or NULL).
#' @noRd
code_response <- function(y, loss = NULL, arg = "y") {
  if (!is.null(loss)) loss <- check_choice(loss, "loss", names(loss_table()))
  y <- plain_response(y, arg)
  if (is.numeric(y)) code_numbers(y, if (is.null(loss)) "squared" else loss, arg)
  else code_classes(y, if (is.null(loss)) "logistic" else loss, arg)
}

plain_response <- function(y, arg) {
  if (is.data.frame(y) && ncol(y) == 1) y <- y[[1]]
  if (is.matrix(y) && ncol(y) == 1) y <- y[, 1]
  plain <- is.null(dim(y)) && !is_time(y) && (is.factor(y) || is.character(y) || is.logical(y) || is_number_like(y))
  if (!plain) must_be(arg, "a numeric, logical, factor or character vector", y)
  if (!length(y)) hofm_abort(sprintf("%s must not be empty.", ticked(arg)), argument = arg)
  bad <- which(if (is.numeric(y)) !is.finite(y) else is.na(y))
  if (length(bad)) {
    hofm_abort(sprintf("%s must hold no missing or infinite values, but its value in row %d is %s.",
                       ticked(arg), bad[1], format(y[bad[1]])), argument = arg, row = bad[1])
  }
  y
}

# Numbers that arithmetic may be done on: Date and the like are numeric underneath, integer64 only looks so.
is_number_like <- function(x) {
  is.numeric(x) && !inherits(x, c("factor", "integer64", "Date", "difftime", "POSIXct"))
}

code_classes <- function(y, loss, arg) {
  if (loss == "poisson") must_be(arg, "numeric for `loss = \"poisson\"`", y)
  classes <- as_classes(y, arg)
  if (nlevels(classes) != 2) hofm_abort(not_two_classes(levels(classes), arg), argument = arg)
  second <- as.integer(classes) == 2L
  coded <- if (loss_facts(loss)$classes) ifelse(second, 1, -1) else as.double(second)
  kind <- if (is.factor(y)) "factor" else typeof(y)
  values <- if (kind == "logical") c(FALSE, TRUE) else levels(classes)
  list(y = coded, loss = loss, kind = kind, levels = values)
}

as_classes <- function(y, arg) {
  if (!is.factor(y)) return(factor(y))
  unused <- levels(y)[tabulate(y, nlevels(y)) == 0]
  if (length(unused)) {
    hofm_warn(sprintf("%s has levels that do not occur, which are dropped: %s.", ticked(arg),
                      enumerate(quoted(unused))),
              "hofm_warning_dropped_levels", levels = unused)
  }
  droplevels(y)
}

not_two_classes <- function(levels, arg) {
  sprintf("%s must have two classes, not %d: %s.", ticked(arg), length(levels), enumerate(quoted(levels)))
}

code_numbers <- function(y, loss, arg) {
  y <- as.double(y)
  values <- if (all(y == 1 | y == 0)) c(0, 1) else if (all(y == 1 | y == -1)) c(-1, 1)
  if (loss_facts(loss)$classes && is.null(values)) {
    came <- enumerate(format(sort(unique(y)), digits = 7, trim = TRUE))
    hofm_abort(sprintf("%s must hold only 0 and 1, or only -1 and 1, for `loss = \"%s\"`, not %s.",
                       ticked(arg), loss, came), argument = arg)
  }
  if (loss == "poisson" && any(y < 0)) {
    row <- which(y < 0)[1]
    hofm_abort(sprintf("%s must not be negative for `loss = \"poisson\"`, but its value in row %d is %s.",
                       ticked(arg), row, format(y[row])), argument = arg, row = row)
  }
  if (loss_facts(loss)$classes) y <- ifelse(y == 1, 1, -1)
  # Under the squared loss 0/1 can be thresholded at one half; any other numbers are a regression.
  keep <- loss_facts(loss)$classes || (loss == "squared" && identical(values, c(0, 1)))
  list(y = y, loss = loss, kind = "numeric", levels = if (keep) values)
}

# A response that does not vary over the rows that count has nothing to be learned from.
check_varies <- function(response, weights, arg = "y") {
  y <- response$y[weights > 0]
  if (any(y != y[1])) return(invisible())
  number <- response$kind == "numeric"
  value <- if (number) format(if (is.null(response$levels)) y[1] else response$levels[1 + (y[1] > 0)])
           else quoted(response$levels[1 + (y[1] > 0)])
  what <- if (number && !loss_facts(response$loss)$classes) "vary" else "have two classes"
  hofm_abort(sprintf("%s must %s, but all its values%s are %s.", ticked(arg), what,
                     if (all(weights > 0)) "" else " with positive weight", value), argument = arg)
}

# The response as numbers on the scale of the fitted values: 0/1 where the mean is a probability.
response_values <- function(y, loss) if (loss == "logistic") (y + 1) / 2 else y

# The class of each link value, in the type that the response had.
as_response_class <- function(link, loss, response) {
  facts <- loss_facts(loss)
  second <- link > facts$threshold
  values <- response$levels[1L + second]
  switch(response$kind,
    factor = , character = factor(values, levels = response$levels),
    values)
}

# The link value of the model with an intercept alone, or with nothing when there is none.
null_link <- function(y, loss, weights, offset, intercept) {
  base <- if (length(offset)) offset else rep(0, length(y))
  if (!intercept) return(base)
  base + if (length(offset)) null_search(y, loss, weights, offset) else null_closed(y, loss, weights)
}

null_closed <- function(y, loss, weights) {
  centre <- sum(y * normalise(weights))
  switch(loss, logistic = stats::qlogis((centre + 1) / 2), poisson = log(centre), centre)
}

null_search <- function(y, loss, weights, offset) {
  weights <- normalise(weights)
  if (loss == "squared") return(sum(weights * (y - offset)))
  if (loss == "poisson") return(log(sum(weights * y)) - max(offset) - log(sum(weights * exp(offset - max(offset)))))
  deviance <- loss_facts(loss)$deviance
  width <- max(abs(offset)) + 40
  stats::optimize(function(b) min(sum(weights * deviance(y, offset + b)), .Machine$double.xmax), c(-width, width), tol = 1e-8)$minimum
}

# Log-likelihood at the fitted values, NA where the loss is not one. The squared loss takes the variance that
# fits best.
log_likelihood <- function(y, loss, link, weights) {
  deviance <- sum(weights * loss_facts(loss)$deviance(y, link))
  used <- weights > 0
  n <- sum(used)
  switch(loss,
    squared = 0.5 * (sum(log(weights[used])) - n * (log(2 * pi * deviance / n) + 1)),
    logistic = -deviance / 2,
    poisson = sum(weights * (y * link - exp(link) - lgamma(y + 1))),
    NA_real_)
}
