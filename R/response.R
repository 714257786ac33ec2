# The response: from what the user gave to the numbers a loss works on, and back; and the facts about each
# loss that R needs after the fit.

#' Facts about each loss, all that R knows of it; no other file asks for a loss by name. In all of them `y` is coded as in the problem,
#' `f` is a link value and `weights` sum to one.
#'
#' * `classes`: whether only two classes can be learned; `coding`: the numbers of these, `NULL` where classes are refused; `check(y, arg)`
#'   complains of numbers that the loss is not made for;
#' * `mean(f)`, its derivative `slope(f)`, and `variance(mean)`; `threshold`: the link value above which the second class is predicted;
#' * `values(y)`: the response on the scale of the mean; `coded(values)` takes it back, rounding errors removed;
#' * `deviance(y, f)`: twice the loss above its least possible value, `label` its name; `loglik(y, f, weights)` where there is a likelihood,
#'   with weights that need not sum to one; `family` and `draw(fit, mean)` likewise;
#' * `start(y, weights, offset)`: the intercept that a fit starts from; `constant(y, weights, offset)`: the best there is;
#'   `spread(y, weights)`: of the response on the link scale, one if there is none;
#' * `bounded`: whether its curvature is, as coordinate descent likes it; `sentence`: what a link value means.
#' @noRd
loss_table <- function() {
  same <- function(f) rep(1, length(f))
  list(
    squared = list(
      classes = FALSE, coding = c(0, 1), check = any_number, bounded = TRUE,
      mean = identity, slope = same, variance = same, threshold = 0.5, values = identity, coded = identity,
      deviance = function(y, f) (y - f)^2, label = "Mean squared error", loglik = gaussian_loglik,
      family = stats::gaussian, draw = draw_gaussian,
      start = function(y, weights, offset) sum(weights * y) - sum(weights * offset),
      constant = function(y, weights, offset) sum(weights * (y - offset)),
      spread = function(y, weights) sum(weights * (y - sum(weights * y))^2),
      sentence = "The expected response is f."
    ),
    huber = list(
      classes = FALSE, coding = c(0, 1), check = check_huber_scale, bounded = TRUE,
      mean = identity, slope = same, variance = NULL, threshold = 0.5, values = identity, coded = identity,
      deviance = function(y, f) ifelse(abs(y - f) > 1, 2 * abs(y - f) - 1, (y - f)^2), label = "Huber deviance",
      start = function(y, weights, offset) huber_location(y, weights, offset), constant = huber_location,
      spread = function(y, weights) sum(weights * pmin(abs(y - huber_location(y, weights)), 1)^2),
      sentence = "The response without its outliers is f, give or take."
    ),
    logistic = list(
      classes = TRUE, coding = c(-1, 1), check = any_number, bounded = TRUE,
      mean = stats::plogis, slope = stats::dlogis, variance = function(mu) mu * (1 - mu), threshold = 0,
      values = function(y) (y + 1) / 2, coded = function(values) 2 * round(values) - 1,
      deviance = function(y, f) -2 * stats::plogis(y * f, log.p = TRUE), label = "Binomial deviance",
      loglik = function(y, f, weights) sum(weights * stats::plogis(y * f, log.p = TRUE)),
      family = stats::binomial, draw = draw_class,
      start = function(y, weights, offset) stats::qlogis((1 + sum(weights * y)) / 2),
      constant = function(y, weights, offset) {
        if (any(offset != 0)) best_constant(y, "logistic", weights, offset) else stats::qlogis((sum(weights * y) + 1) / 2)
      },
      sentence = "The probability of the second level of the response is 1 / (1 + exp(-f))."
    ),
    squared_hinge = list(
      classes = TRUE, coding = c(-1, 1), check = any_number, bounded = TRUE,
      mean = identity, slope = NULL, variance = NULL, threshold = 0, values = identity, coded = round,
      deviance = function(y, f) 2 * pmax(0, 1 - y * f)^2, label = "Squared hinge deviance",
      start = function(y, weights, offset) 0,
      constant = function(y, weights, offset) {
        if (any(offset != 0)) best_constant(y, "squared_hinge", weights, offset) else sum(weights * y)
      },
      sentence = "The second level of the response is predicted where f > 0."
    ),
    poisson = list(
      classes = FALSE, coding = NULL, check = check_not_negative, bounded = FALSE,
      mean = exp, slope = exp, variance = identity, threshold = NA, values = identity,
      coded = function(values) pmax(0, values),
      deviance = function(y, f) 2 * (ifelse(y > 0, y * (log(pmax(y, 1e-300)) - f), 0) - (y - exp(f))), label = "Poisson deviance",
      loglik = function(y, f, weights) sum(weights * (y * f - exp(f) - lgamma(y + 1))),
      family = stats::poisson, draw = function(fit, mean) as.double(stats::rpois(length(mean), mean)),
      start = function(y, weights, offset) log(sum(weights * y)),
      constant = function(y, weights, offset) {
        log(sum(weights * y)) - max(offset) - log(sum(weights * exp(offset - max(offset))))
      },
      sentence = "The expected response is exp(f)."
    ),
    auc = list(                                           # of pairs of rows: nothing can be said of a row by itself
      classes = TRUE, coding = c(-1, 1), check = any_number, bounded = FALSE,
      mean = identity, slope = NULL, variance = NULL, threshold = NA, deviance = NULL,
      sentence = "Only the order of values f has a meaning: the higher, the likelier is the second level of the response."
    )
  )
}

loss_facts <- function(loss) loss_table()[[loss]]

#' Code a response for a loss
#' @param y What the user gave.
#' @param loss The name of a loss, or NULL to choose by the response.
#' @return A list: `y` (double), `loss`, `kind` (how `y` came: "numeric", "factor", "character" or "logical")
#'   `levels` (the two values that `type = "class"` may return, or NULL) and `range` (of numbers).
#' @noRd
code_response <- function(y, loss = NULL, arg = "y") {
  if (!is.null(loss)) loss <- check_choice(loss, "loss", names(loss_table()))
  y <- plain_response(y, arg)
  if (is.numeric(y)) code_numbers(y, if (is.null(loss)) "squared" else loss, arg)
  else code_classes(y, if (is.null(loss)) "logistic" else loss, arg)
}

# What a fit keeps of it.
response_facts <- function(response) response[intersect(c("kind", "levels", "range"), names(response))]

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
  coding <- loss_facts(loss)$coding
  if (is.null(coding)) must_be(arg, sprintf("numeric for `loss = \"%s\"`", loss), y)
  classes <- as_classes(y, arg)
  if (nlevels(classes) != 2) hofm_abort(not_two_classes(levels(classes), arg), argument = arg)
  coded <- coding[as.integer(classes)]
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
  facts <- loss_facts(loss)
  if (facts$classes && is.null(values)) {
    came <- enumerate(format(sort(unique(y)), digits = 7, trim = TRUE))
    hofm_abort(sprintf("%s must hold only 0 and 1, or only -1 and 1, for `loss = \"%s\"`, not %s.",
                       ticked(arg), loss, came), argument = arg)
  }
  facts$check(y, arg)
  if (facts$classes) y <- ifelse(y == 1, 1, -1)
  # A loss for numbers that takes classes as 0 and 1 can be thresholded between them; any other numbers are a regression.
  keep <- facts$classes || (!is.null(facts$coding) && identical(values, facts$coding))
  c(list(y = y, loss = loss, kind = "numeric", levels = if (keep) values), if (!facts$classes) list(range = range(y)))
}

any_number <- function(y, arg) invisible()

check_not_negative <- function(y, arg) {
  row <- which(y < 0)[1]
  if (is.na(row)) return(invisible())
  hofm_abort(sprintf("%s must not be negative for `loss = \"poisson\"`, but its value in row %d is %s.",
                     ticked(arg), row, format(y[row])), argument = arg, row = row)
}

# Where nearly all errors are beyond the threshold the loss is the absolute error, whose slope says nothing of the way to go.
check_huber_scale <- function(y, arg) {
  spread <- stats::mad(y)
  if (!(spread > 100)) return(invisible())
  hofm_warn(sprintf(paste("%s has a spread (`mad()`) of %s, far above 1, where `loss = \"huber\"` turns from squares to absolute values:",
                          "divide it by about 1.345 times the spread that you expect of its errors."),
                    ticked(arg), format(spread, digits = 3)), "hofm_warning_scale", spread = spread)
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
response_values <- function(y, loss) loss_facts(loss)$values(y)

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
  if (intercept) base + loss_facts(loss)$constant(y, normalise(weights), base) else base
}

# By search: for losses whose best constant beside an offset has no formula.
best_constant <- function(y, loss, weights, offset) {
  deviance <- loss_facts(loss)$deviance
  width <- max(abs(offset)) + 40
  stats::optimize(function(b) min(sum(weights * deviance(y, offset + b)), .Machine$double.xmax), c(-width, width), tol = 1e-8)$minimum
}

# The b at which the slope of the Huber loss, sum_i w_i clamp(y_i - offset_i - b, -1, 1), is zero. It falls in b, in straight lines
# between knots: halve the knots around its zero, then interpolate.
huber_location <- function(y, weights, offset = numeric()) {
  r <- if (length(offset)) y - offset else y
  slope <- function(b) sum(weights * pmax(-1, pmin(1, r - b)))
  knots <- sort(c(r - 1, r + 1))
  low <- 1L
  high <- length(knots)
  while (high - low > 1L) {
    middle <- (low + high) %/% 2L
    if (slope(knots[middle]) > 0) low <- middle else high <- middle
  }
  above <- slope(knots[low])
  fall <- above - slope(knots[high])
  if (fall > 0) knots[low] + (knots[high] - knots[low]) * above / fall else knots[low]
}

# Log-likelihood at the fitted values, NA where the loss is not one.
log_likelihood <- function(y, loss, link, weights) {
  loglik <- loss_facts(loss)$loglik
  if (is.null(loglik)) NA_real_ else loglik(y, link, weights)
}

# With the variance that fits best.
gaussian_loglik <- function(y, f, weights) {
  used <- weights > 0
  n <- sum(used)
  0.5 * (sum(log(weights[used])) - n * (log(2 * pi * sum(weights * (y - f)^2) / n) + 1))
}

draw_gaussian <- function(fit, mean) mean + stats::rnorm(length(mean)) * sqrt(fit$deviance / fit$n / prior_weights(fit))

draw_class <- function(fit, mean) as_response_class(2 * stats::rbinom(length(mean), 1, mean) - 1, fit$loss, fit$response)
