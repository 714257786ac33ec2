# Methods for the generics package, which registers them when it is loaded.

#' Tidy tables of a fit
#'
#' Methods for `tidy()`, `glance()` and `augment()` of the generics package, which broom, parsnip and others
#' re-export. They return tibbles where the package tibble is installed, else data frames.
#'
#' @param x A fit from [hofm()], or a result of [cv_hofm()].
#' @param what `"parameters"` for all parameters of the fit, `"interactions"` for the strongest
#'   [interactions()] of each degree.
#' @param n How many interactions of each degree.
#' @param s Which lambda: see [cv_hofm_methods].
#' @param data The training data, to which the fitted values that the fit has kept are joined.
#' @param newdata New data, for which predictions are made: see [predict.hofm()].
#' @param type.predict `"response"` or `"link"`.
#' @param ... For `augment()` with `newdata`: passed on to [predict.hofm()]. Otherwise not used.
#' @return
#' * `tidy()` of a fit: a row for each parameter, with `term` (the feature, or `"(Intercept)"`), `degree`
#'   (`NA` where degrees share their parameters), `factor` (the column of P; `NA` for the intercept and for
#'   single weights) and `estimate`. With `what = "interactions"`: `term` (features joined by colons),
#'   `degree` and `estimate`, strongest first within a degree from 2 to the order, or to 5 for all-subsets.
#' * `tidy()` of a cross-validation: a row for each order, rank and lambda, with `estimate` (the measure),
#'   `std.error`, `conf.low` and `conf.high` (one standard error below and above).
#' * `glance()` of a fit: one row with `model`, `order`, `rank` (a string), `loss`, `solver`, `objective`,
#'   `deviance`, `null.deviance`, `nobs`, `features`, `parameters`, `iterations`, `seconds` and `converged`.
#'   Of a cross-validation: `order`, `rank`, `lambda.min`, `lambda.1se`, `measure`, `estimate` and
#'   `std.error` at `lambda.min`, and `nobs`.
#' * `augment()`: the data with the columns `.fitted` and, where the response is in the data, `.resid`, the
#'   response minus the mean (classes coded as in [residuals.hofm()]). Of [link_pairs()], the data are the
#'   columns i, j and y. A sparse matrix is not written out: its rows get numbers in a column `.row`.
#' @seealso [as.data.frame.hofm()], [compare_models()]
#' @name tidy.hofm
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' cars <- transform(mtcars, am = am == 1, hp = hp / 100)
#' fit <- hofm(am ~ hp + wt, cars, rank = 2, control = hofm_control(seed = 1))
#' generics::tidy(fit)
#' generics::tidy(fit, "interactions")
#' generics::glance(fit)
#' head(generics::augment(fit, newdata = cars))
NULL

#' @rdname tidy.hofm
#' @exportS3Method generics::tidy
tidy.hofm <- function(x, what = c("parameters", "interactions"), n = 10, ...) {
  check_fit(x, "x", shown = TRUE)
  what <- if (missing(what)) "parameters" else check_choice(what, "what", c("parameters", "interactions"))
  if (what == "interactions") return(as_table(tidy_interactions(x, n)))
  all <- as.data.frame(x)
  if (!x$has_intercept) all <- all[!all$degree %in% 0L, ]
  term <- ifelse(all$degree %in% 0L, "(Intercept)", all$feature)
  as_table(data.frame(term = term, degree = all$degree, factor = all$factor, estimate = all$value))
}

tidy_interactions <- function(fit, n) {
  degrees <- seq_len(min(max_degree(fit), if (fit$model == "all_subsets") 5L else Inf, length(fit$features)))[-1L]
  tables <- lapply(degrees, function(degree) {
    found <- interactions(fit, degree, n)
    term <- do.call(paste, c(unname(found[startsWith(names(found), "feature_")]), sep = ":"))
    data.frame(term = term, degree = rep(degree, nrow(found)), estimate = found$weight)
  })
  do.call(rbind, c(list(data.frame(term = character(), degree = integer(), estimate = numeric())), tables))
}

#' @rdname tidy.hofm
#' @exportS3Method generics::glance
glance.hofm <- function(x, ...) {
  check_fit(x, "x", shown = TRUE)
  facts <- machine_facts(x)
  as_table(data.frame(
    model = x$model, order = x$order, rank = facts$rank, loss = x$loss, solver = x$solver, objective = x$objective,
    deviance = x$deviance, null.deviance = x$null.deviance, nobs = x$n, features = length(x$features),
    parameters = facts$parameters, iterations = max(x$trace$iteration, 0), seconds = facts$seconds,
    converged = x$converged))
}

#' @rdname tidy.hofm
#' @exportS3Method generics::augment
augment.hofm <- function(x, data = NULL, newdata = NULL, type.predict = c("response", "link"), ...) {
  check_fit(x, "x", shown = TRUE)
  type <- if (missing(type.predict)) "response" else check_choice(type.predict, "type.predict", c("response", "link"))
  if (!is.null(newdata)) return(augment_with(x, newdata, predict(x, newdata, type = type, ...), type))
  if (is.null(data)) unsupported("A fit does not keep its training data: give it as `data`, or new data as `newdata`.")
  fitted <- predict(x, type = type)
  frame <- augment_frame(data)
  if (nrow(frame) != length(fitted)) {
    hofm_abort(sprintf("`data` must be the %d rows of the training data, not %d rows: for others use `newdata`.",
                       length(fitted), nrow(frame)), argument = "data")
  }
  out <- data.frame(frame, .fitted = fitted, check.names = FALSE)
  if (x$loss != "auc") out$.resid <- residuals(x)           # scores are not compared with the response
  as_table(out)
}

augment_with <- function(fit, newdata, fitted, type) {
  force(fitted)                                             # predict() knows what newdata must be
  frame <- augment_frame(newdata)
  out <- data.frame(frame, .fitted = fitted, check.names = FALSE)
  y <- if (fit$loss != "auc") observed_response(fit, newdata)
  mean <- if (type == "link") mean_response(fit, fitted) else fitted
  if (!is.null(y)) out$.resid <- y - mean
  as_table(out)
}

augment_frame <- function(data) {
  if (is.data.frame(data) || inherits(data, "link_pairs")) return(as.data.frame(data))
  if (is.matrix(data)) return(as.data.frame(unclass(data)))
  data.frame(.row = seq_len(nrow(data)))
}

# The response in new data, coded as in residuals(), or NULL if it is not there.
observed_response <- function(fit, newdata) {
  if (inherits(newdata, "link_pairs")) return(as.double(newdata$y))
  formula <- fit$blueprint$formula
  left <- if (is.data.frame(newdata) && !is.null(formula)) formula[[2]]
  if (is.null(left) || !all(all.vars(left) %in% names(newdata))) return(NULL)
  y <- evaluate_call(left, newdata, environment(formula), "newdata")
  if (fit$response$kind == "numeric" && !loss_facts(fit$loss)$classes) return(as.double(y))
  second <- as.character(y) == as.character(fit$response$levels[2])
  response_values(loss_facts(fit$loss)$coding[1L + second], fit$loss)
}

#' @rdname tidy.hofm
#' @exportS3Method generics::tidy
tidy.cv_hofm <- function(x, ...) {
  check_cv(x, "x")
  table <- x$table
  as_table(data.frame(order = table$order, rank = table$rank, lambda = table$lambda, estimate = table$cvm,
                      std.error = table$cvsd, conf.low = table$cvlo, conf.high = table$cvup))
}

#' @rdname tidy.hofm
#' @exportS3Method generics::glance
glance.cv_hofm <- function(x, ...) {
  check_cv(x, "x")
  check_fit(x$fit, "x$fit", shown = TRUE)
  at <- x$index[["min"]]
  as_table(data.frame(order = x$order, rank = x$rank, lambda.min = x$lambda.min, lambda.1se = x$lambda.1se,
                      measure = names(x$name), estimate = x$cvm[[at]], std.error = x$cvsd[[at]], nobs = x$fit$n))
}

#' @rdname tidy.hofm
#' @exportS3Method generics::augment
augment.cv_hofm <- function(x, data = NULL, newdata = NULL, s = c("lambda.min", "lambda.1se"), ...) {
  augment.hofm(chosen_fit(x, if (missing(s)) "lambda.min" else s, "x"), data = data, newdata = newdata, ...)
}

as_table <- function(x) if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(x) else x
