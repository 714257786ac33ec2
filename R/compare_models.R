#' Compare models on the same new data
#'
#' Asks several models for predictions of the same rows, and puts what they reach into one table: the area
#' under the ROC curve with DeLong's interval and the deviance for two classes, the root mean squared error
#' for numbers, log loss, accuracy and a confusion table for more than two classes. Every pair of models is
#' tested on these rows, where both have been measured: by DeLong's test of their areas, or by a t test of the
#' differences of their squared errors or log losses. P-values are corrected for the number of pairs.
#'
#' Models need not come from this package. Whatever has a [predict()] method will do, and so does a function
#' of the new data, for everything that wants to be asked in a way of its own, or whose predictions exist
#' already. Those of [glm()], glmnet, ranger, parsnip and workflows are asked for probabilities without being
#' told.
#'
#' @section What the tests assume:
#' Rows that are independent of each other, and models that have not seen them. The tests say whether the two
#' *fitted models* differ on the population that the rows come from. They do not cover what would change with
#'   other training data: for that, compare on
#' several splits. Pairs of nodes share nodes and are not independent; there, p-values and intervals are too
#' small.
#'
#' @param models A list of models, best with names, which the table shows. A model may be a function, which
#'   is called with `newdata` and returns one number for each row.
#' @param newdata The rows to predict: a data frame, matrix, Matrix, [link_pairs()], or shards (see [write_shards()]), which have their
#'   response and are read one at a time; or the result of [split_links()], whose test set is then listed, all its pairs, of which there
#'   may be ten million.
#' @param y The response of these rows, or the name of the column of `newdata` that it is in. `NULL` takes it
#'   from `newdata`: what is on the left of the models' formulas, or the response of the pairs. Logical
#'   values, factors, character strings and numbers that are all 0 or 1 (or all -1 or 1) are two classes, of
#'   which the second is the positive one, as in [roc_curve()]; other numbers are a regression. A factor or character vector of more
#'   than two values is as many classes: each model, or function, then gives a matrix of probabilities with a column for each.
#' @param args A named list with further arguments of `predict()` for some of the models, each a list:
#'   `list(lasso = list(s = 0.01))`.
#' @param seconds How long the fits took, for the table: a vector with names of models. It is known for
#'   models of parsnip, workflows and mlr3 and of this package, where that of a cross-validation is the time of all its fits, and that
#'   of a fit whose penalties were chosen from the data has the time of choosing.
#' @param level Confidence level of all intervals.
#' @param adjust How p-values are corrected: a method of [p.adjust()].
#' @param baselines Of a split of links: whether the scores of [link_baselines()], which need no model, are compared as well.
#' @return A list of class `model_comparison`:
#'   \item{models}{a data frame with a row for each model: `model` (its name), `class`, `order`, `rank` (a
#'     string), `parameters` (coefficients that are not zero; `NA` for trees and functions), `seconds`; then
#'     for two classes `auc`, `auc_lower`, `auc_upper` and `deviance` (the mean of minus twice the logarithm
#'     of the probability of what happened; `NA` if predictions are not probabilities, `Inf` if one was
#'     zero), for a regression `rmse`, `rmse_lower`, `rmse_upper` and `mae`, for several classes `log_loss`, `log_loss_lower`,
#'     `log_loss_upper` and `accuracy`; and `slope`, the slope of [calibration_curve()], below one if predictions are too sure of
#'     themselves. The interval of the root mean squared error is that of the mean squared error by Student's t.}
#'   \item{tests}{a data frame with a row for each pair: `model_1`, `model_2`, `difference` (area, or mean
#'     squared error, of the first minus that of the second), `lower`, `upper` (not corrected), `statistic`,
#'     `p_value` and `p_adjusted`.}
#'   \item{orders}{if there are fits of this package of several orders, a data frame with a row for each of them and the next lower one:
#'     `higher`, `lower` (names), `gain` (mean deviance, squared error or log loss of the lower minus that of the higher), its bounds `low`
#'     and `high`, `statistic` and `p_value`, one-sided: of a t test on the same rows that the higher order does not help.}
#'   \item{confusion}{of several classes a list of tables, truth by prediction, one for each model.}
#'   \item{measure, n, levels, level, adjust}{`"auc"`, `"rmse"` or `"log_loss"`, the number of rows, the classes, and the arguments.}
#'   \item{predictions, truth}{the predictions, a column (of several classes a matrix) for each model, and the response.}
#'   Rows where the response or a prediction is missing are left out for all models, with a warning of class
#'   `hofm_warning_dropped_rows`. An object without `predict()` is an error of class `hofm_error_no_predict`;
#'   a model that cannot predict from `newdata`, or not one number for each row, one of class
#'   `hofm_error_prediction`.
#' @seealso [plot.model_comparison()], [auc_test()], [cv_hofm()]
#' @examples
#' cars <- transform(mtcars, hp = hp / 100, qsec = qsec / 10)
#' train <- cars[1:22, ]
#' models <- list(
#'   linear = lm(mpg ~ wt + hp + qsec, train),
#'   hofm = hofm(mpg ~ wt + hp + qsec, train, rank = 2, lambda = 0.1,
#'               control = hofm_control(seed = 1)),
#'   mean = function(newdata) rep(mean(train$mpg), nrow(newdata))
#' )
#' compared <- compare_models(models, cars[23:32, ])
#' compared
#' plot(compared)
#' as.data.frame(compared)
#'
#' set.seed(1)
#' A <- matrix(rbinom(600, 1, 0.3), 60)
#' alike <- which(upper.tri(diag(60)) & tcrossprod(A) > 2, arr.ind = TRUE)
#' split <- split_links(A, edges = alike)
#' fit <- hofm(split$train, rank = 2, lambda = 1e-3, control = hofm_control(max_iter = 20))
#' compare_models(list(fit = fit), split, baselines = TRUE)$models[c("model", "auc")]
#' @export
compare_models <- function(models, newdata, y = NULL, args = list(), seconds = NULL, level = 0.95, adjust = "holm", baselines = FALSE) {
  if (missing(models)) hofm_abort("`models` must be given.", argument = "models")
  models <- check_models(models, substitute(models))
  if (!missing(newdata)) {
    models <- with_baselines(models, newdata, baselines)
    newdata <- tested_pairs(newdata)
  }
  args <- check_model_args(args, names(models))
  seconds <- check_model_seconds(seconds, names(models))
  check_level(level)
  adjust <- check_choice(adjust, "adjust", stats::p.adjust.methods)
  n <- check_new_rows(newdata)
  y <- comparison_response(y, models, newdata, n)
  many <- has_many_classes(y[!is.na(y)], NULL)
  levels <- if (many) class_names(y) else if (has_two_classes(y)) truth_of(y[!is.na(y)])$levels
  predictions <- Map(if (many) model_probabilities else model_scores, models, names(models), list(newdata), args, list(levels), n)
  whole <- complete_rows(if (many) lapply(predictions, rowSums) else predictions, y)
  predictions <- lapply(predictions, function(p) if (many) p[whole, , drop = FALSE] else p[whole])
  y <- y[whole]
  facts <- Map(model_facts, models, args)
  table <- data.frame(model = names(models), class = vapply(models, shown_class, ""), bind_facts(facts, seconds))
  measured <- (if (many) compare_class_losses else if (is.null(levels)) compare_errors else compare_areas)(predictions, y, level)
  tests <- cbind(model_pairs(names(models)), measured$tests)
  tests$p_adjusted <- stats::p.adjust(tests$p_value, adjust)
  structure(class = "model_comparison", list(
    models = data.frame(table, measured$models, row.names = NULL), tests = tests,
    orders = compare_orders(table, vapply(models, is_machine, NA), measured$losses, level), confusion = measured$confusion,
    measure = if (many) "log_loss" else if (is.null(levels)) "rmse" else "auc", n = length(y), levels = levels, level = level,
    adjust = adjust, predictions = structure(predictions, class = "data.frame", row.names = seq_along(y)), truth = y))
}

class_names <- function(y) if (is.factor(y)) levels(droplevels(y)) else sort(unique(y[!is.na(y)]))

is_machine <- function(model) inherits(model, c("hofm", "cv_hofm", "hofm_classes"))

#' Does a higher order help? Each order beside the next lower one, on the loss of the same rows
#' @param losses One vector for each model; NULL or infinite where there is none.
#' @noRd
compare_orders <- function(table, machine, losses, level) {
  known <- which(machine & !is.na(table$order))
  known <- known[order(table$order[known])]
  steps <- which(diff(table$order[known]) > 0)
  higher <- known[steps + 1L]
  lower <- known[vapply(table$order[higher], function(m) max(which(table$order[known] < m)), 0L)]
  tests <- vapply(seq_along(higher), function(k) {
    gain <- losses[[lower[k]]] - losses[[higher[k]]]
    if (!all(is.finite(gain))) return(rep(NA_real_, 5))
    gain[abs(gain) < 1e-10 * mean(losses[[lower[k]]])] <- 0     # a degree that is left out differs by rounding errors
    t_summary(gain, level)[c("difference", "lower", "upper", "statistic", "p_value")]
  }, numeric(5))
  found <- as.data.frame(t(matrix(tests, 5, dimnames = list(c("gain", "low", "high", "statistic", "p_value"), NULL))))
  found$p_value <- as.double(ifelse(found$gain > 0, found$p_value / 2, 1 - found$p_value / 2))
  cbind(data.frame(higher = table$model[higher], lower = table$model[lower]), found)
}

shown_class <- function(model) if (is.function(model)) "function" else class(model)[1]

bind_facts <- function(facts, seconds) {
  rows <- do.call(rbind, lapply(facts, as.data.frame))
  given <- match(names(facts), names(seconds))
  rows$seconds[!is.na(given)] <- seconds[given[!is.na(given)]]
  rows
}

# ---- Input -------------------------------------------------------------------------------------------------

#' The models with a name each
#' @param written What the caller wrote for the list: symbols in it are names.
#' @noRd
check_models <- function(models, written) {
  bare <- is.list(models) && !is.object(models)
  if (!bare) must_be("models", "a list of models, as in `list(a = fit, b = other)`", models)
  if (!length(models)) hofm_abort("`models` must hold at least one model.", argument = "models")
  given <- if (is.null(names(models))) character(length(models)) else names(models)
  names <- ifelse(nzchar(given), given, make.unique(fallback_names(models, written), sep = " "))
  twice <- anyDuplicated(names)
  if (twice) {
    hofm_abort(sprintf("`models` must have different names, but %s comes twice.", quoted(names[twice])),
               argument = "models")
  }
  Map(check_has_predict, models, names)
  stats::setNames(models, names)
}

fallback_names <- function(models, written) {
  listed <- is.call(written) && identical(written[[1]], quote(list))
  symbols <- if (listed) as.list(written)[-1] else vector("list", length(models))
  name <- function(model, symbol) if (is.symbol(symbol)) as.character(symbol) else shown_class(model)
  unlist(Map(name, models, symbols))
}

# One list for each model.
check_model_args <- function(args, names) {
  if (!is.list(args) || is.object(args)) must_be("args", "a list of lists with names of models", args)
  check_model_names(args, "args", names)
  plain <- vapply(args, function(a) is.list(a) && !is.object(a), NA)
  if (!all(plain)) must_be(sprintf("args$%s", names(args)[!plain][1]), "a list of arguments", args[!plain][[1]])
  stats::setNames(lapply(names, function(name) if (is.null(args[[name]])) list() else args[[name]]), names)
}

check_model_seconds <- function(seconds, names) {
  if (is.null(seconds)) return(NULL)
  named <- is.numeric(seconds) && !is.null(names(seconds))
  if (!named) must_be("seconds", "a numeric vector with names of models", seconds)
  check_model_names(seconds, "seconds", names)
  seconds
}

check_model_names <- function(x, arg, names) {
  unknown <- if (length(x) && is.null(names(x))) "" else setdiff(names(x), names)
  if (!length(unknown)) return(invisible())
  hofm_abort(sprintf("%s must have names of models (%s), not %s.", ticked(arg), enumerate(quoted(names)),
                     enumerate(quoted(unknown))), argument = arg)
}

check_new_rows <- function(newdata) {
  if (missing(newdata)) hofm_abort("`newdata` is missing: models are compared on new rows.", argument = "newdata")
  rows <- is.data.frame(newdata) || is.matrix(newdata) || is(newdata, "Matrix")
  if (inherits(newdata, "hofm_shards")) check_shards(newdata, "newdata")
  n <- if (rows) nrow(newdata) else if (inherits(newdata, "link_pairs")) length(newdata$i) else if (inherits(newdata, "hofm_shards")) newdata$rows
  if (is.null(n)) must_be("newdata", "a data frame, a matrix, a Matrix, link_pairs() or shards", newdata)
  if (n < 1) hofm_abort("`newdata` must have at least one row.", argument = "newdata")
  n
}

comparison_response <- function(y, models, newdata, n) {
  if (is.null(y)) y <- response_in(models, newdata)
  else if (is.character(y) && length(y) == 1 && is.data.frame(newdata)) y <- column_named(as.vector(y), newdata)
  if (is.data.frame(y) || is.matrix(y)) y <- if (ncol(y) == 1) y[, 1] else must_be("y", "one value for each row", y)
  known <- is.factor(y) || is.character(y) || is.logical(y) || is_number_like(y)
  if (!known) must_be("y", "a numeric, logical, factor or character vector", y)
  if (length(y) != n) {
    hofm_abort(sprintf("`y` must have one value for each of the %d rows of `newdata`, not %d values.", n, length(y)),
               argument = "y")
  }
  if (has_two_classes(y) && !has_many_classes(y[!is.na(y)], NULL)) truth_of(y[!is.na(y)])
  y
}

column_named <- function(name, newdata) {
  if (name %in% names(newdata)) return(newdata[[name]])
  hofm_abort(sprintf("`y` must be the response or a column of `newdata`, not %s.", quoted(name)), argument = "y")
}

response_in <- function(models, newdata) {
  if (inherits(newdata, "link_pairs")) return(newdata$y)
  if (inherits(newdata, "hofm_shards")) return(shard_classes(newdata))
  lefts <- unique(Filter(Negate(is.null), lapply(unname(models), left_side)))
  usable <- Filter(function(left) is.data.frame(newdata) && all(all.vars(left) %in% names(newdata)), lefts)
  if (!length(usable)) {
    hofm_abort("`y`, the response, must be given: `newdata` does not hold the response of a model with a formula.",
               argument = "y")
  }
  if (length(lefts) > 1) {
    hofm_abort(sprintf("`y` must be given, since the models have different responses: %s.",
                       enumerate(ticked(vapply(lefts, deparsed, "")))), argument = "y")
  }
  evaluate_call(usable[[1]], newdata, globalenv(), "newdata")
}

# What a model's formula has on its left, or NULL. Where formula() knows none there may still be one in the
# call; not in that of a fit of this package, which may come from a file and has not been checked.
left_side <- function(model) {
  if (is.function(model)) return(NULL)
  if (inherits(model, "cv_hofm")) model <- model$fit
  formula <- tryCatch(stats::formula(model), error = function(e) NULL)
  if (is.null(formula) && is.list(model) && !inherits(model, "hofm")) formula <- Find(is_formula, as.list(model$call))
  if (is_formula(formula)) formula[[2]]
}

is_formula <- function(x) is.call(x) && identical(x[[1]], quote(`~`)) && length(x) == 3

has_two_classes <- function(y) !is.numeric(y) || all(y %in% c(0, 1, NA)) || all(y %in% c(-1, 1, NA))

truth_of <- function(y) {
  tryCatch(check_truth(y), hofm_error = function(e) {
    hofm_abort(gsub("`truth`", "`y`", conditionMessage(e), fixed = TRUE), argument = "y")
  })
}

complete_rows <- function(predictions, y) {
  whole <- Reduce(`&`, lapply(predictions, function(p) !is.na(p)), !is.na(y))
  if (!any(whole)) {
    hofm_abort("`newdata` must have a row for which the response and all predictions are known.", argument = "newdata")
  }
  if (!all(whole)) {
    hofm_warn(sprintf("%d of %d rows are left out for all models, because the response or a prediction is missing.",
                      sum(!whole), length(whole)), "hofm_warning_dropped_rows", rows = which(!whole))
  }
  which(whole)
}

# ---- Measures and tests ------------------------------------------------------------------------------------

compare_areas <- function(predictions, y, level) {
  positive <- truth_of(y)$positive
  warn_few(positive)
  quietly <- function(code) suppressWarnings(code, classes = c("hofm_warning_one_class", "hofm_warning_no_interval"))
  areas <- vapply(predictions, function(p) quietly(unclass(auc(positive, p, ci = TRUE, level = level))), numeric(3))
  tests <- each_pair(predictions, function(a, b) {
    test <- quietly(auc_test(positive, a, b, level))
    c(difference = test$estimate[[1]] - test$estimate[[2]], lower = test$conf.int[1], upper = test$conf.int[2],
      statistic = test$statistic[[1]], p_value = test$p.value)
  })
  models <- data.frame(auc = areas["auc", ], auc_lower = areas["lower", ], auc_upper = areas["upper", ],
                       deviance = vapply(predictions, mean_deviance, 0, positive), slope = vapply(predictions, logistic_slope, 0, positive))
  list(models = models, tests = tests, losses = lapply(predictions, row_deviance, positive))
}

mean_deviance <- function(probability, positive) mean(row_deviance(probability, positive))

row_deviance <- function(probability, positive) {
  if (any(probability < 0 | probability > 1)) return(rep(NA_real_, length(probability)))
  -2 * log(ifelse(positive, probability, 1 - probability))
}

compare_errors <- function(predictions, y, level) {
  errors <- lapply(predictions, function(p) (y - p)^2)
  bounds <- vapply(errors, function(e) t_summary(e, level)[c("difference", "lower", "upper")], numeric(3))
  models <- data.frame(
    rmse = sqrt(bounds["difference", ]), rmse_lower = sqrt(pmax(0, bounds["lower", ])),
    rmse_upper = sqrt(bounds["upper", ]), mae = vapply(predictions, function(p) mean(abs(y - p)), 0),
    slope = vapply(predictions, linear_slope, 0, y))
  list(models = models, losses = errors, tests = each_pair(errors, function(a, b) t_summary(a - b, level)))
}

# Student's t for the mean of x, with its interval. Values that are all zero differ from zero by nothing: t =
# 0, p = 1.
t_summary <- function(x, level) {
  n <- length(x)
  mean <- mean(x)
  se <- stats::sd(x) / sqrt(n)
  if (n < 2) return(c(difference = mean, lower = NA, upper = NA, statistic = NA, p_value = NA))
  t <- if (isTRUE(all(x == 0))) 0 else mean / se
  half <- stats::qt(1 - (1 - level) / 2, n - 1) * se
  c(difference = mean, lower = mean - half, upper = mean + half, statistic = t,
    p_value = 2 * stats::pt(-abs(t), n - 1))
}

model_pairs <- function(names) {
  ends <- pair_index(length(names))
  data.frame(model_1 = names[ends[1, ]], model_2 = names[ends[2, ]])
}

pair_index <- function(n) if (n > 1) utils::combn(n, 2) else matrix(0L, 2, 0)

each_pair <- function(values, test) {
  ends <- pair_index(length(values))
  columns <- c("difference", "lower", "upper", "statistic", "p_value")
  one <- function(k) test(values[[ends[1, k]]], values[[ends[2, k]]])[columns]
  found <- vapply(seq_len(ncol(ends)), one, numeric(5))
  as.data.frame(t(matrix(found, 5, dimnames = list(columns, NULL))))
}

# ---- Showing -----------------------------------------------------------------------------------------------

#' Show a comparison of models
#'
#' `plot()`, and for ggplot2, where it is installed, `autoplot()`, draws the measure of each model with its interval, or with
#' `which = "roc"` the ROC curves of the models, or with `which = "tests"` the differences between the models of each pair, filled where the
#' corrected p-value is below one minus the level. `as.data.frame()` gives the tables.
#'
#' @param x,object A comparison made by [compare_models()].
#' @param which What to draw: `"measure"`, `"roc"` (two classes only) or `"tests"`.
#' @param what Which table: `"models"`, `"tests"` or `"orders"`.
#' @param digits Significant digits of the numbers shown.
#' @param row.names,optional Not used.
#' @param ... For `plot()`: passed on to [plot()]; for `autoplot()` of `"roc"` to that of [roc_curve()]. Otherwise not used.
#' @return `print()`: `x`, invisibly. `as.data.frame()`: a data frame as described in [compare_models()].
#'   `plot()`: what is drawn, invisibly. `autoplot()`: a ggplot.
#' @seealso [compare_models()]
#' @examples
#' cars <- transform(mtcars, am = am == 1)
#' odd <- seq(1, 31, by = 2)
#' compared <- compare_models(list(
#'   weight = glm(am ~ wt, binomial, cars[odd, ]),
#'   power = glm(am ~ hp, binomial, cars[odd, ])
#' ), cars[-odd, ])
#' plot(compared)
#' plot(compared, "roc")
#' as.data.frame(compared, what = "tests")
#' @name model_comparison
NULL

#' @rdname model_comparison
#' @export
print.model_comparison <- function(x, digits = 4, ...) {
  check_comparison(x)
  digits <- check_digits(digits)
  of <- switch(x$measure, rmse = "", log_loss = sprintf(" of %d classes", length(x$levels)),
               auc = sprintf(", %s of them of class %s", count_text(sum(truth_of(x$truth)$positive)), quoted(x$levels[2])))
  cat(sprintf("Comparison of %s on %s%s\n\n", counted(nrow(x$models), "model"), counted(x$n, "row"), of))
  print_columns(models_shown(x, digits))
  if (nrow(x$tests)) {
    what <- switch(x$measure, auc = "areas (DeLong's paired test)", rmse = "mean squared errors (paired t test)",
                   log_loss = "log losses (paired t test)")
    cat(sprintf("\nDifferences of %s; p corrected for %s (%s)\n\n", what, counted(nrow(x$tests), "pair"), x$adjust))
    print_columns(tests_shown(x, digits))
  }
  if (NROW(x$orders)) {
    cat(sprintf("\nDoes the higher order help? Gain in %s on the same rows (one-sided paired t test)\n\n", loss_words(x)))
    print_columns(orders_shown(x, digits))
  }
  for (name in names(x$confusion)) {
    cat(sprintf("\nConfusion of %s:\n", name))
    print(x$confusion[[name]])
  }
  invisible(x)
}

loss_words <- function(x) switch(x$measure, auc = "mean deviance", rmse = "mean squared error", log_loss = "log loss")

# What the methods need of a comparison.
check_comparison <- function(x) {
  columns <- function(table, words, numbers) {
    plain <- function(column) is.null(dim(column)) && !(is.object(column) && !is.factor(column))
    is.data.frame(table) && all(c(words, numbers) %in% names(table)) && all(vapply(table[numbers], is_plain_number, NA)) &&
      all(vapply(table[words], plain, NA))
  }
  check_sound(x, list(
    measure = function(c) is_one_of(c$measure, c("auc", "rmse", "log_loss")),
    level = function(c) is_one(c$level) && is.null(names(c$level)) && c$level > 0 && c$level < 1,
    adjust = function(c) is_string(c$adjust), n = function(c) is_count(c$n),
    levels = function(c) is.null(c$levels) == (c$measure == "rmse"),
    models = function(c) columns(c$models, c("model", "order", "rank"), c(
      "parameters", "seconds", "slope", paste0(c$measure, c("", "_lower", "_upper")),
      switch(c$measure, auc = "deviance", rmse = "mae", log_loss = "accuracy"))),
    orders = function(c) {
      absent_or(c$orders, function(t) columns(t, c("higher", "lower"), c("gain", "low", "high", "statistic", "p_value")))
    },
    confusion = function(c) {
      absent_or(c$confusion, function(t) is.list(t) && all(vapply(t, function(k) is.table(k) && length(dim(k)) == 2, NA)))
    },
    tests = function(c) columns(c$tests, c("model_1", "model_2"), c("difference", "lower", "upper", "statistic", "p_value", "p_adjusted")),
    truth = function(c) length(c$truth) == c$n,
    predictions = function(c) is.data.frame(c$predictions) && nrow(c$predictions) == c$n
  ), "x", "comparison")
}

# The first column, which has words, to the left; numbers to the right.
print_columns <- function(columns) {
  columns[[1]] <- format(columns[[1]], width = nchar(names(columns)[1]))
  names(columns)[1] <- format(names(columns)[1], width = nchar(columns[[1]][1]))
  print(columns, row.names = FALSE, right = TRUE)
}

models_shown <- function(x, digits) {
  m <- x$models
  number <- function(v) blank_na(v, significant(v, digits))
  shown <- data.frame(model = m$model, order = blank_na(m$order, format(m$order)), rank = blank_na(m$rank, m$rank),
                      parameters = blank_na(m$parameters, count_text(m$parameters)),
                      seconds = blank_na(m$seconds, formatC(m$seconds, digits = 2, format = "g")))
  bounds <- function(low, high) interval_text(low, high, function(v) formatC(v, digits = 3, format = "f"))
  measured <- switch(x$measure,
    auc = data.frame(AUC = format_area(m$auc, 3), interval = bounds(m$auc_lower, m$auc_upper), deviance = number(m$deviance)),
    rmse = data.frame(RMSE = number(m$rmse), interval = interval_text(m$rmse_lower, m$rmse_upper, number), MAE = number(m$mae)),
    log_loss = data.frame(`log loss` = number(m$log_loss), interval = interval_text(m$log_loss_lower, m$log_loss_upper, number),
                          accuracy = formatC(m$accuracy, digits = 3, format = "f"), check.names = FALSE))
  names(measured)[2] <- interval_name(x)
  data.frame(shown, measured, slope = blank_na(m$slope, formatC(m$slope, digits = 2, format = "f")), check.names = FALSE)
}

tests_shown <- function(x, digits) {
  t <- x$tests
  number <- function(v) if (x$measure == "auc") formatC(v, digits = 3, format = "f") else significant(v, digits - 1)
  chance <- function(p) format.pval(p, digits = 2, eps = 1e-4)
  shown <- data.frame(pair = paste(t$model_1, "-", t$model_2), difference = number(t$difference),
                      interval = interval_text(t$lower, t$upper, number),
                      statistic = formatC(t$statistic, digits = 2, format = "f"), p = chance(t$p_value),
                      corrected = chance(t$p_adjusted))
  names(shown)[3:4] <- c(interval_name(x), if (x$measure == "auc") "Z" else "t")
  shown
}

orders_shown <- function(x, digits) {
  o <- x$orders
  number <- function(v) significant(v, digits - 1)
  shown <- data.frame(orders = paste(o$higher, "over", o$lower), gain = blank_na(o$gain, number(o$gain)),
                      interval = interval_text(o$low, o$high, number), t = formatC(o$statistic, digits = 2, format = "f"),
                      p = format.pval(o$p_value, digits = 2, eps = 1e-4))
  names(shown)[3] <- interval_name(x)
  shown
}

# So many significant digits, zeros at the end included, and never in scientific notation.
significant <- function(v, digits) {
  sub("[.]$", "", trimws(formatC(v, digits = digits, format = "fg", flag = "#", big.mark = ",")))
}

interval_name <- function(x) sprintf("%s%% interval", format(100 * x$level))

interval_text <- function(low, high, number) ifelse(is.na(low) | is.na(high), "", paste(number(low), "to", number(high)))

blank_na <- function(value, text) ifelse(is.na(value), "", text)

#' @rdname model_comparison
#' @export
as.data.frame.model_comparison <- function(x, row.names = NULL, optional = FALSE, what = c("models", "tests", "orders"), ...) {
  check_comparison(x)
  x[[if (missing(what)) "models" else check_choice(what, "what", c("models", "tests", "orders"))]]
}

#' @rdname model_comparison
#' @export
plot.model_comparison <- function(x, which = c("measure", "roc", "tests"), ...) {
  check_comparison(x)
  which <- if (missing(which)) "measure" else check_choice(which, "which", c("measure", "roc", "tests"))
  if (which == "roc") return(plot(compared_curves(x), ..., level = x$level))
  shown <- shown_intervals(x, which, "x")
  draw_intervals(shown, if (which == "tests") 0, ...)
  invisible(shown)
}

#' @rdname model_comparison
#' @exportS3Method ggplot2::autoplot
autoplot.model_comparison <- function(object, which = c("measure", "roc", "tests"), ...) {
  check_comparison(object)
  which <- if (missing(which)) "measure" else check_choice(which, "which", c("measure", "roc", "tests"))
  if (which == "roc") return(ggplot2::autoplot(compared_curves(object), ..., level = object$level))
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  shown <- shown_intervals(object, which, "object")
  shown$label <- factor(shown$label, rev(unique(shown$label)))
  shown$filled <- ifelse(shown$filled %in% TRUE, "yes", "no")
  colour <- sign_colours()[["positive"]]
  bare_ggplot(shown, x = "value", y = "label") +
    (if (which == "tests") ggplot2::geom_vline(xintercept = 0, linetype = "dotted", colour = "grey40")) +
    ggplot2::geom_linerange(mapping(xmin = "lower", xmax = "upper"), colour = colour, linewidth = 0.8, na.rm = TRUE) +
    ggplot2::geom_point(mapping(shape = "filled"), colour = colour, fill = "white", size = 2.5, na.rm = TRUE) +
    ggplot2::scale_shape_manual(values = c(yes = 19, no = 21), guide = "none") + ggplot2::labs(x = attr(shown, "axis"), y = NULL)
}

shown_intervals <- function(x, which, arg) {
  if (which == "tests" && !nrow(x$tests)) {
    hofm_abort("`which = \"tests\"` needs at least two models.", argument = "which")
  }
  shown <- if (which == "measure") measure_intervals(x) else test_intervals(x)
  if (any(is.finite(shown$value))) return(shown)
  hofm_abort(sprintf("%s has no measure that could be drawn: all are missing.", ticked(arg)), argument = arg)
}

compared_curves <- function(x) {
  if (x$measure != "auc") hofm_abort("`which = \"roc\"` needs a response with two classes.", argument = "which")
  structure(lapply(x$predictions, function(p) roc_curve(x$truth, p)), class = "roc_curves")
}

# What is drawn: label, value, lower, upper, filled; the name of the axis is an attribute.
measure_intervals <- function(x) {
  value <- x$models[paste0(x$measure, c("", "_lower", "_upper"))]
  shown <- data.frame(x$models$model, value, TRUE)
  names(shown) <- c("label", "value", "lower", "upper", "filled")
  axis <- c(auc = "AUC", rmse = "Root mean squared error", log_loss = "Log loss")[[x$measure]]
  structure(shown, axis = sprintf("%s with %s", axis, interval_name(x)))
}

test_intervals <- function(x) {
  t <- x$tests
  shown <- data.frame(label = paste(t$model_1, "-", t$model_2), value = t$difference, lower = t$lower, upper = t$upper,
                      filled = t$p_adjusted < 1 - x$level)
  what <- c(auc = "AUC", rmse = "mean squared errors", log_loss = "log losses")[[x$measure]]
  structure(shown, axis = sprintf("Difference of %s with %s", what, interval_name(x)))
}

# First on top; the left margin is as wide as the longest label, up to half of the figure, and there is room
# for a title if there is one.
draw_intervals <- function(shown, reference, ...) {
  place <- rev(seq_len(nrow(shown)))
  width <- max(graphics::strwidth(shown$label, "inches", cex = 0.9)) + 0.35
  above <- if (is.null(list(...)$main)) 0.2 else graphics::par("mai")[3]
  left <- min(width, 0.5 * graphics::par("din")[1])
  old <- graphics::par(mai = replace(graphics::par("mai"), 2:3, c(left, above)))
  on.exit(graphics::par(old))
  ends <- c(shown$value, shown$lower, shown$upper, reference)
  settings <- list(x = range(ends[is.finite(ends)]), y = c(0.5, nrow(shown) + 0.5), type = "n", yaxt = "n",
                   ylab = "", xlab = attr(shown, "axis"), las = 1)
  do.call(graphics::plot, utils::modifyList(settings, list(...)))
  graphics::abline(h = place, col = "grey92")
  if (!is.null(reference)) graphics::abline(v = reference, col = "grey40", lty = 3)
  colour <- sign_colours()[["positive"]]
  graphics::segments(shown$lower, place, shown$upper, place, col = colour, lwd = 2)
  symbol <- ifelse(shown$filled %in% TRUE, 19, 21)
  graphics::points(shown$value, place, pch = symbol, bg = "white", col = colour, cex = 1.3)
  graphics::axis(2, place, shown$label, las = 1, tick = FALSE, cex.axis = 0.9)
}
