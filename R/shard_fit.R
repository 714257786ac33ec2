# Fitting, predicting and judging with rows that stay in shards. Called through hofm(), predict() and auc().

#' Fit a model to shards
#'
#' [hofm()] for data that are not all in memory at a time: see [write_shards()]. The objective is the same as in memory.
#'
#' Losses and gradients of shards are added as integers, multiples of a power of two that follows their size, so that the fit does not
#' depend on the number of threads or workers, nor on who summed over which shard. They are those in memory up to some 1e-12 of the
#' largest.
#'
#' `solver = "auto"` takes one epoch of AdaGrad and goes on with L-BFGS. Coordinate descent is not among the solvers: for all rows it
#' needs their sums in memory, and it goes over columns once for each factor and degree, where shards have rows.
#'
#' A start is drawn with a spread that comes from the first shard alone, up to ten thousand rows of it, and the variances of degrees that
#' `summary()` shows are over these rows. There are no `fitted()` values.
#'
#' @inheritParams hofm
#' @param x Shards: see [write_shards()].
#' @param solver `"lbfgs"`, `"adagrad"`, `"sgd"`, or `"auto"`.
#' @param validation `NULL`, or shards to stop by, such as `s[9:10]` for a fit to `s[1:8]`: `"adagrad"` and `"sgd"` end after `patience`
#'   epochs (see [hofm_control()]) that do not lower the loss on them, and keep the parameters with the lowest.
#' @param workers `NULL`, or who is to sum over shards for `"lbfgs"`: a cluster made by the package parallel, such as
#'   `parallel::makeCluster(2)`, or a function of a list of tasks and of the function to be called on each, which returns the list of
#'   results, such as `function(tasks, fun) future.apply::future_lapply(tasks, fun)`. Workers must have the package and see the folder
#'   under the same name. They keep nothing from one pass to the next.
#' @return An object of class `hofm`, as from [hofm()]. `loglik` is `NA`, and so is `null.deviance` if there are offsets.
#' @examples
#' set.seed(1)
#' x <- matrix(rbinom(2000, 1, 0.2), 200, 10, dimnames = list(NULL, letters[1:10]))
#' y <- x[, 1] * x[, 2] + rnorm(200, sd = 0.1)
#' dir <- tempfile()
#' shards <- write_shards(x, dir, y, shard_nonzeros = 100)
#' fit <- hofm(shards, rank = 2, control = hofm_control(seed = 1))
#' head(predict(fit, shards))
#' unlink(dir, recursive = TRUE)
#' @concept files
#' @export
hofm.hofm_shards <- function(x, order = 2, rank = 8, lambda = 1e-3, model = "hofm", loss = NULL, solver = "auto", intercept = TRUE,
                             linear = NULL, validation = NULL, workers = NULL, init = NULL, control = hofm_control(), ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  check_shards(x)
  call <- tidy_call(resolve_dots(match.call(), parent.frame()))
  spec <- check_spec(if (!missing(order)) order, rank, lambda, model, loss, solver, intercept, linear)
  check_shard_solver(spec)
  if (nrow(x$files) > 4096) {
    hofm_abort("`x` must have at most 4096 files, over which sums are exact: write larger ones, by `shard_nonzeros`.", argument = "x")
  }
  control <- check_control(control, length(factor_names(spec)))
  if (control$validation > 0) {
    hofm_abort("`validation` of hofm_control() must be 0 for shards: give shards as the argument `validation`.",
               argument = "validation")
  }
  check_parameter_count(length(x$features), spec$rank)
  response <- shard_response(x, spec$loss)
  spec$loss <- response$loss
  if (spec$loss == "auc") hofm_abort("`loss = \"auc\"` needs all rows in memory: it compares rows of different shards.", argument = "loss")
  init <- check_init(init, x$features, spec)
  problem <- shard_problem(x, response)
  problem$task["validation"] <- list(shard_validation(validation, x, response, spec$solver))
  engine <- fit_shard_model(problem, spec, control, init, check_workers(workers, spec$solver))
  engine$measures <- shard_measures(x, engine, spec, response, control$threads)
  parts <- list(blueprint = c(x$blueprint, list(features = x$features)), offset_given = FALSE)
  control$keep_fitted <- FALSE
  fit <- new_hofm(engine, problem, spec, control, response[c("kind", "levels")], NULL, parts, call)
  fit$n <- x$rows
  fit$weights_given <- x$weighted
  fit
}

check_shard_solver <- function(spec) {
  suits <- intersect(model_table()[[spec$model]]$solvers, c("lbfgs", "adagrad", "sgd"))
  if (!length(suits)) {
    hofm_abort(sprintf("`model = \"%s\"` is fitted by coordinate descent alone, which needs all rows in memory.", spec$model),
               argument = "model")
  }
  if (spec$solver %in% c("auto", suits)) return(invisible())
  hofm_abort(sprintf(paste("`solver` must be \"auto\" or %s for shards: coordinate descent needs sums of all rows in memory,",
                           "and goes over columns, where shards have rows."), enumerate(quoted(suits))), argument = "solver")
}

# How the responses of the files are coded for the loss, told by the values that occur: y is learned as code[1] + code[2] y.
shard_response <- function(shards, loss) {
  came <- if (shards$response$kind == "numeric") shards$values else 0:1
  shown <- switch(shards$response$kind, numeric = came, logical = c(FALSE, TRUE),
                  factor = factor(shards$response$levels, levels = shards$response$levels), shards$response$levels)
  response <- code_response(shown, loss, "x")
  check_varies(response, rep(1, length(response$y)), "x")
  response$kind <- shards$response$kind
  slope <- diff(range(response$y)) / diff(range(came))
  response$code <- c(min(response$y) - slope * min(came), slope)
  response
}

# What a solver in compiled code takes for a source.
shard_source <- function(shards, response, weight) {
  list(files = file.path(shards$dir, shards$files$file), features = length(shards$features), rows = shards$rows, weight = weight,
       code = response$code)
}

read_shard <- function(shards, q, most = Inf) {
  about_shards(read_shard_cpp(file.path(shards$dir, shards$files$file[q]), length(shards$features), most))
}

# Weighted sums over all rows.
shard_sums <- function(shards) c(weight = sum(shards$files$weight), y = sum(shards$files$y))

# The problem as fit.R has it: its rows are those that a start is drawn from, and its task the shards.
shard_problem <- function(shards, response, rows = 10000) {
  sums <- shard_sums(shards)
  sample <- read_shard(shards, 1L, rows)
  n <- length(sample$y)
  offset <- if (shards$offsets) sample$offset else numeric()
  mean <- response$code[1] + response$code[2] * sums[["y"]] / sums[["weight"]]
  list(blocks = list(list(x = sample$x, index = NULL)), n = n, features = shards$features, empty = !shards$used,
       y = response$code[1] + response$code[2] * sample$y, weights = rep(1 / n, n), offset = offset,
       task = list(kind = "shards", mean = mean, train = shard_source(shards, response, sums[["weight"]])))
}

shard_validation <- function(validation, shards, response, solver) {
  if (is.null(validation)) return(NULL)
  check_shards(validation, "validation")
  if (!identical(validation$features, shards$features) || !identical(validation$response, shards$response)) {
    hofm_abort("`validation` must have the features and the kind of response of the shards that are fitted.", argument = "validation")
  }
  if (!solver %in% c("adagrad", "sgd")) {
    hofm_abort("`validation` needs `solver = \"adagrad\"` or `\"sgd\"`: early stopping is for these.", argument = "validation")
  }
  shard_source(validation, response, shard_sums(validation)[["weight"]])
}

# "auto": one epoch of AdaGrad, then L-BFGS from there.
fit_shard_model <- function(problem, spec, control, init, workers) {
  fit_by <- function(solver, control, init, elsewhere = NULL) {
    problem$task["elsewhere"] <- list(elsewhere)
    spec$solver <- solver
    about_shards(fit_model(problem, spec, control, init))
  }
  if (spec$solver == "auto") {
    first <- control
    first$max_iter <- 1L
    begun <- withCallingHandlers(fit_by("adagrad", first, init), hofm_warning_step_halved = function(w) {
      invokeRestart("muffleWarning")                      # L-BFGS goes on from wherever that is
    })
    init <- begun[c("intercept", "w", "P", "theta", "gamma")]
    control$seed <- begun$seed
    spec$solver <- "lbfgs"
  }
  fit_by(spec$solver, control, init, shard_workers(workers, problem, spec, control))
}

# ---- Workers -----------------------------------------------------------------------------------------------

check_workers <- function(workers, solver) {
  if (is.null(workers)) return(NULL)
  if (!is.function(workers) && !inherits(workers, "cluster")) {
    must_be("workers", "NULL, a cluster of the package parallel, or a function of tasks and a function", workers)
  }
  if (!solver %in% c("auto", "lbfgs")) {
    hofm_abort("`workers` need `solver = \"lbfgs\"` or `\"auto\"`: stochastic steps follow one another.", argument = "workers")
  }
  if (is.function(workers)) return(list(call = workers, tasks = 16L))
  list(call = function(tasks, fun) parallel::parLapply(workers, tasks, fun), tasks = length(workers))
}

# The function that compiled code calls for a pass: parameters go out, sums of integers come back.
shard_workers <- function(workers, problem, spec, control) {
  if (is.null(workers)) return(NULL)
  source <- problem$task$train
  shape <- cpp_model(with_seed(1, starting_values(problem, spec, 1)), spec)
  columns <- vapply(shape$terms, function(term) nrow(term$P), 0L)
  shape$terms <- lapply(shape$terms, function(term) replace(term, "P", list(term$P[0L, , drop = FALSE])))
  groups <- split(source$files, rep_len(seq_len(workers$tasks), length(source$files)))
  function(parameters, slopes, exponents) {
    tasks <- lapply(unname(groups), function(files) {
      list(source = replace(source, "files", list(files)), model = shape, columns = columns, parameters = parameters,
           loss = spec$loss, slopes = slopes, exponents = exponents)
    })
    sums <- tryCatch(workers$call(tasks, sum_task), error = function(e) {
      hofm_abort(sprintf("A worker did not come back with its sums: %s", conditionMessage(e)), "hofm_error_worker")
    })
    if (!is.list(sums) || length(sums) != length(tasks) || !all(vapply(sums, is.raw, NA))) {
      hofm_abort("`workers` must return a list with what the function gives for each task.", "hofm_error_worker")
    }
    add_sums_cpp(sums)
  }
}

# A task has all that it needs: whoever does it keeps nothing.
sum_task <- function(task) {
  about_shards(sum_shards_cpp(task$source, task$model, task$columns, task$parameters, task$loss, task$slopes, task$exponents, 1L))
}

# ---- What a fit says of shards -----------------------------------------------------------------------------

# f(part, link) for each shard in turn.
over_shards <- function(fit, shards, threads, f) {
  for (q in seq_len(nrow(shards$files))) {
    part <- read_shard(shards, q)
    link <- as.vector(link_values(fit, list(list(x = part$x, index = NULL)), threads)) + part$offset
    if (!all_finite(link)) abort_overflow()
    f(part, link)
  }
}

shard_measures <- function(shards, engine, spec, response, threads) {
  check_engine(engine)
  unit <- loss_facts(spec$loss)$deviance
  base <- NA_real_
  fit <- c(engine[c("intercept", "w", "P", "theta", "gamma")], spec[c("model", "order", "rank", "linear", "split")])
  sums <- shard_sums(shards)
  if (!shards$offsets) base <- shard_null(sums[["y"]] / sums[["weight"]], response$code, spec)
  total <- c(deviance = 0, null = 0)
  over_shards(fit, shards, threads, function(part, link) {
    y <- response$code[1] + response$code[2] * part$y
    total <<- total + c(sum(part$weights * unit(y, link)), sum(part$weights * unit(y, rep(base, length(y)))))
  })
  list(deviance = total[["deviance"]], null = total[["null"]], loglik = NA_real_)
}

# The link value that fits best alone, which depends on the responses by their mean.
shard_null <- function(mean, code, spec) {
  mean <- code[1] + code[2] * mean
  if (!loss_facts(spec$loss)$classes) return(null_link(mean, spec$loss, 1, numeric(), spec$intercept))
  null_link(c(-1, 1), spec$loss, c(1 - mean, 1 + mean) / 2, numeric(), spec$intercept)[1]
}

# Values of all rows, shard by shard.
predict_shards <- function(fit, shards, type, threads) {
  check_shards(shards, "newdata")
  if (type == "terms") hofm_abort("`type = \"terms\"` is not for shards: predict rows that are in memory.", argument = "type")
  if (!identical(shards$features, fit$features)) {
    hofm_abort("`newdata` must have the features of the fit, in the same order.", "hofm_error_columns", columns = character())
  }
  values <- list()
  over_shards(fit, shards, threads, function(part, link) values[[length(values) + 1L]] <<- link)
  on_scale(fit, unlist(values), type)
}

#' Area under the ROC curve on shards
#'
#' The area of a fit on data that stay in shards, which are read one at a time.
#'
#' @param x Shards with a response of two classes, see [write_shards()].
#' @param fit A fit with the same features.
#' @param ci,level,method As in [auc()].
#' @param ... Nothing: an unknown argument is an error.
#' @return As of [auc()].
#' @examples
#' set.seed(1)
#' x <- matrix(rbinom(2000, 1, 0.2), 200, 10)
#' dir <- tempfile()
#' shards <- write_shards(x, dir, x[, 1] * x[, 2] + rnorm(200, sd = 0.5) > 0, shard_nonzeros = 100)
#' fit <- hofm(shards[-1], rank = 2, control = hofm_control(seed = 1))
#' auc(shards[1], fit)
#' unlink(dir, recursive = TRUE)
#' @concept files
#' @export
auc.hofm_shards <- function(x, fit, ci = FALSE, level = 0.95, method = c("delong", "logit"), ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  check_shards(x)
  if (missing(fit) || !inherits(fit, "hofm")) must_be("fit", "a fit of hofm()", if (missing(fit)) NULL else fit)
  check_fit(fit, "fit")
  score <- predict_shards(fit, x, "link", fit$control$threads)
  truth <- unlist(lapply(seq_len(nrow(x$files)), function(q) read_shard(x, q, Inf)$y))
  values <- sort(unique(truth))
  if (length(values) > 2) hofm_abort("`x` must have a response of two classes.", argument = "x")
  auc.default(truth == max(x$values), score, ci = ci, level = level, method = method)
}
