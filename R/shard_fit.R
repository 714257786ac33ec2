# Fitting rows that stay in shards. Called through hofm(); who sums over them is in shard_workers.R.

#' Fit a model to shards
#'
#' [hofm()] for data that are not all in memory at a time: see [write_shards()]. The objective is the same as in memory.
#'
#' Losses and gradients of shards are added as integers, multiples of a power of two that follows their size, so that the fit has the
#' same bits for any number of threads or workers, whoever summed over which shard. They are those in memory up to some 1e-12 of the
#' largest.
#'
#' `solver = "auto"` takes one epoch of AdaGrad, which is worth dozens of passes of L-BFGS, and goes on with L-BFGS. Coordinate descent
#' is not among the solvers: for all rows it needs their sums in memory, and it goes over columns once for each factor and degree, where
#' shards have rows. For the same reason there is no `model = "simplex"`, and no `loss = "auc"`, which compares rows of different
#' shards.
#'
#' A start is drawn with a spread that comes from the first shard alone, up to ten thousand rows of it, and the variances of degrees that
#' `summary()` shows are over these rows. There are no `fitted()` values. `standardize` is by statistics of all rows of the folder, which
#' [write_shards()] gathers, those left out of `x` included; the files stay as they are, and rows are scaled as they are read.
#' `lambda = NULL` is chosen as in memory, from at most a million rows that are spread over the shards.
#'
#' @section Checkpoints:
#' With `hofm_control(checkpoint = "fit.chk")` the state of the solver is kept in that file: after every epoch or step, but so seldom
#' that it takes a twentieth of the time. The same call, made again after R was killed, goes on from there and ends with the same bits.
#' A checkpoint of other data or another call is an error. The file takes 8 bytes for each parameter and about 5 vectors for
#' `"adagrad"`, and 24 at most for `"lbfgs"`; it stays there, and may be deleted once the fit is saved. The iterations may be raised:
#' `max_iter` is not part of the call.
#'
#' @section Workers:
#' `workers` share the passes of `"lbfgs"`, which sum over all shards; stochastic steps follow one another, so that the epoch of
#' `"auto"` is taken by the process that calls. Let there be more shards than workers. Workers must have the package and see the folder
#' under the same name. Parameters travel to each once per pass, and sums of integers back.
#'
#' * a number: so many R processes on this machine, for the time of the fit;
#' * a cluster of the package parallel, by `parallel::makeCluster()` (sockets or forked), parallelly, snow with MPI, or
#'   `mirai::make_cluster()`;
#' * `"mirai"`: the processes that `mirai::daemons()` has started;
#' * a function of a list of tasks and of a function to be called on each, which returns the list of results: for future,
#'   `function(tasks, fun) future.apply::future_lapply(tasks, fun)`. There are up to 16 tasks in a pass.
#'
#' When a worker dies, its shards go to the others, with the same result. A shard whose worker was lost is tried again three times; an
#' error of the task itself, such as a file that is damaged, is final and names the shard. Errors leave no answers behind in a
#' cluster. A cluster of MPI cannot lose a process: MPI ends them all; the checkpoint remains.
#'
#' On many machines, with more than some 1e7 parameters, sending these from one process becomes what takes longest. The script
#' `system.file("mpi", "fit.R", package = "hofm")` is run by `mpirun` on each of them and adds up sums in a tree.
#'
#' @inheritParams hofm
#' @param x Shards: see [write_shards()].
#' @param solver `"lbfgs"`, `"adagrad"`, `"sgd"`, or `"auto"`.
#' @param validation `NULL`, or shards to stop by, such as `s[9:10]` for a fit to `s[1:8]`: the fit ends after `patience` epochs, or
#'   steps of `"lbfgs"`, (see [hofm_control()]) that do not lower the loss on them, and has the parameters with the lowest.
#' @param workers `NULL`, or who is to sum over shards: see below.
#' @return An object of class `hofm`, as from [hofm()]. `loglik` is `NA`, and so is `null.deviance` if there are offsets.
#' @examples
#' set.seed(1)
#' x <- matrix(rbinom(2000, 1, 0.2), 200, 10, dimnames = list(NULL, letters[1:10]))
#' y <- x[, 1] * x[, 2] + rnorm(200, sd = 0.1)
#' dir <- tempfile()
#' shards <- write_shards(x, dir, y = y, shard_nonzeros = 100)
#' fit <- hofm(shards, rank = 2, lambda = 1e-3, control = hofm_control(seed = 1))
#' head(predict(fit, shards))
#' unlink(dir, recursive = TRUE)
#' @concept files
#' @export
hofm.hofm_shards <- function(x, order = 2, rank = 8, lambda = NULL, model = "hofm", loss = NULL, solver = "auto", intercept = TRUE,
                             linear = NULL, validation = NULL, workers = NULL, init = NULL, control = hofm_control(),
                             standardize = TRUE, penalty_factor = NULL, groups = NULL, ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  check_shards(x)
  call <- tidy_call(resolve_dots(match.call(), parent.frame()))
  spec <- check_spec(if (!missing(order)) order, rank, lambda, model, loss, solver, intercept, linear)
  check_shard_solver(spec)
  spec$intercept <- spec$intercept && x$intercept
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
  if (response$loss == "auc") {
    hofm_abort("`loss = \"auc\"` needs all rows in memory: it compares rows of different shards.", argument = "loss")
  }
  workers <- check_workers(workers, spec$solver)
  on.exit(workers$close())
  blueprint <- c(x$blueprint, list(features = x$features))
  spec <- with_scales(spec, standardize, penalty_factor, groups, blueprint)
  spec["standard"] <- list(if (spec$standardize) shard_standard(x, spec$intercept))
  engine_control <- seeded(control)
  spec <- settled_shard_spec(x, spec, response, engine_control)
  problem <- shard_problem(x, response, spec)
  problem$task["validation"] <- list(shard_validation(validation, x, response, spec))
  init <- check_init(init, x$features, spec)
  times <- if (!is.null(spec$penalty_factor)) sqrt(spec$penalty_factor)
  engine <- fit_shard_model(problem, spec, engine_control, scale_features(init, times), workers,
                            checkpoint_key(x, validation, spec, control, init))
  engine <- scale_features(engine, if (!is.null(times)) 1 / times)
  engine$measures <- shard_measures(x, engine, spec, response, control$threads)
  blueprint["standard"] <- list(spec$standard)
  problem$blocks <- list(list(x = problem$plain, index = NULL))
  control["keep_fitted"] <- FALSE
  parts <- list(blueprint = blueprint, offset_given = FALSE)
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
  kind <- shards$response$kind
  came <- if (kind == "numeric") shards$values else 0:1
  shown <- switch(kind, numeric = came, logical = c(FALSE, TRUE),
                  factor = factor(shards$response$levels, levels = shards$response$levels), shards$response$levels)
  response <- code_response(shown, loss, "x")
  if (length(unique(shards$values)) < 2) check_varies(replace(response, "y", list(response$y[1])), 1, "x")
  check_varies(response, rep(1, length(response$y)), "x")
  response$kind <- kind
  slope <- diff(range(response$y)) / diff(range(came))
  response$code <- c(min(response$y) - slope * min(came), slope)
  if (shards$response$turned) response$code <- c(sum(response$code), -slope)
  response
}

# ---- What a solver sees of shards --------------------------------------------------------------------------

# What compiled code takes for a source. A penalty of its own on a feature is another scale of it: see penalised_blocks().
shard_source <- function(shards, response, weight, spec) {
  standard <- spec$standard
  times <- if (is.null(spec$penalty_factor)) 1 else sqrt(spec$penalty_factor)
  plain <- is.null(standard) && is.null(spec$penalty_factor)
  d <- length(shards$features)
  list(files = file.path(shards$dir, shards$files$file), features = d, rows = shards$rows, weight = weight, code = response$code,
       center = if (!plain) rep_len(if (is.null(standard)) 0 else standard$center, d),
       scale = if (!plain) rep_len(if (is.null(standard)) 1 else standard$scale, d) * times)
}

#' Centre and scale of each feature as learn_standard() has them, from what was gathered at writing
#'
#' NULL where nothing would change.
#' @noRd
shard_standard <- function(shards, intercept) {
  columns <- shards$columns
  occurs <- columns$weight / max(columns$total, .Machine$double.xmin)
  dense <- intercept & occurs >= 0.5 * (1 - 1e-9)
  center <- ifelse(dense & columns$other, occurs * columns$mean, 0)
  spread <- columns$spread / max(columns$total, .Machine$double.xmin) + occurs * (columns$mean - center)^2
  square <- ifelse(center != 0, spread + pmax(0, 1 - occurs) * center^2, spread / occurs)
  scale <- ifelse(!columns$other | !(square > (1e-10 * center)^2), 1, sqrt(square))
  if (any(center != 0) || any(scale != 1)) list(center = center, scale = scale)
}

read_shard <- function(shards, q, most = Inf) {
  about_shards(read_shard_cpp(file.path(shards$dir, shards$files$file[q]), length(shards$features), most))
}

# Rows of one shard as a problem has them.
shard_rows <- function(shards, q, response, spec, most = Inf) {
  part <- read_shard(shards, q, most)
  part$plain <- part$x
  part$x <- standardized(part$x, spec$standard)
  part$x <- penalised_blocks(list(list(x = part$x)), spec$penalty_factor)[[1L]]$x
  part$y <- response$code[1] + response$code[2] * part$y
  part
}

# Weighted sums over all rows.
shard_sums <- function(shards) c(weight = sum(shards$files$weight), y = sum(shards$files$y))

# Of the responses as they are learned, by Chan's formula.
shard_variance <- function(shards, response) {
  f <- shards$files
  sums <- shard_sums(shards)
  means <- ifelse(f$weight > 0, f$y / f$weight, 0)
  response$code[2]^2 * sum(f$spread + f$weight * (means - sums[["y"]] / sums[["weight"]])^2) / sums[["weight"]]
}

# The problem as fit.R has it: its rows are those that a start is drawn from, and its task the shards.
shard_problem <- function(shards, response, spec, rows = 10000) {
  sums <- shard_sums(shards)
  if (!(sums[["weight"]] > 0)) hofm_abort("`x` must have a row with a positive weight.", argument = "x")
  sample <- shard_rows(shards, 1L, response, spec, rows)
  n <- length(sample$y)
  list(blocks = list(list(x = sample$x, index = NULL)), plain = standardized(sample$plain, spec$standard), n = n,
       features = shards$features, empty = shards$columns$weight == 0, y = sample$y, weights = rep(1 / n, n), offset = if (shards$offsets) sample$offset else numeric(),
       task = list(kind = "shards", mean = response$code[1] + response$code[2] * sums[["y"]] / sums[["weight"]],
                   train = shard_source(shards, response, sums[["weight"]], spec), checkpoint = NULL))
}

shard_validation <- function(validation, shards, response, spec) {
  if (is.null(validation)) return(NULL)
  check_shards(validation, "validation")
  if (!identical(validation$features, shards$features) || !identical(validation$response, shards$response)) {
    hofm_abort("`validation` must have the features and the kind of response of the shards that are fitted.", argument = "validation")
  }
  shard_source(validation, response, shard_sums(validation)[["weight"]], spec)
}

# ---- Penalties from the data -------------------------------------------------------------------------------

# The unit of the response, of all rows, and penalties from a sample of rows where none were given.
settled_shard_spec <- function(shards, spec, response, control) {
  spec$loss <- response$loss
  if (isTRUE(spec$tune)) {
    spec <- settled_spec(spec, list(response = response, problem = sampled_problem(shards, response, spec, control$seed)), control)
  }
  unit <- if (spec$standardize && spec$loss == "squared") sqrt(shard_variance(shards, response)) else 1
  spec$unit <- if (is.finite(unit) && unit > 0) unit else 1
  spec
}

# Rows that are spread over the shards, of as many shards as fit into memory a few times over; `n` is that of all rows, to which the
# penalties are scaled.
sampled_problem <- function(shards, response, spec, seed) {
  files <- unique(round(seq(1, nrow(shards$files), length.out = min(16, nrow(shards$files)))))
  most <- ceiling(tuning_rows / length(files))
  parts <- lapply(files, function(q) {
    part <- read_shard(shards, q)
    at <- unique(round(seq(1, length(part$y), length.out = most)))
    list(x = part$x[at, , drop = FALSE], y = part$y[at], weights = part$weights[at], offset = part$offset[at])
  })
  gather <- function(field) unlist(lapply(parts, `[[`, field), use.names = FALSE)
  x <- standardized(from_matrix(do.call(rbind, lapply(parts, `[[`, "x"))), spec$standard)
  weights <- gather("weights")
  list(blocks = list(list(x = x, index = NULL)), n = shards$rows, features = shards$features,
       y = response$code[1] + response$code[2] * gather("y"), weights = if (any(weights > 0)) normalise(weights) else weights,
       offset = if (shards$offsets) gather("offset") else numeric(), task = list(kind = "samples"))
}

# ---- The solvers, one after the other ----------------------------------------------------------------------

# Everything random comes from one seed, that of the checkpoint if there is one.
seeded <- function(control) {
  known <- if (!is.null(control$checkpoint) && file.exists(control$checkpoint)) {
    about_shards(checkpoint_header_cpp(path.expand(control$checkpoint)))$seed
  }
  if (is.null(control$seed)) control$seed <- if (is.null(known)) sample.int(.Machine$integer.max, 1L) else as.integer(known)
  control
}

# What a checkpoint must be about: the data, what is fitted, and how, but for what does not change the result.
checkpoint_key <- function(shards, validation, spec, control, init) {
  settings <- control[c("init_sd", "eta", "batch", "patience", "tol", "seed")]
  what <- list(shards$files$checksum, validation$files$checksum, spec[setdiff(names(spec), "tuning")], settings,
               init[c("intercept", "w", "P", "gamma", "theta", "steps")])
  checksum_cpp(serialize(what, NULL, version = 3))
}

# "auto": one epoch of AdaGrad, then L-BFGS from there, which a checkpoint tells apart as stages.
fit_shard_model <- function(problem, spec, control, init, workers, key) {
  at <- function(stage) {
    if (!is.null(control$checkpoint)) list(file = path.expand(control$checkpoint), key = key, seed = control$seed, stage = stage)
  }
  reached <- reached_stage(control$checkpoint, key)
  fit_by <- function(solver, stage, control, init, elsewhere = NULL) {
    problem$task["elsewhere"] <- list(elsewhere)
    problem$task["checkpoint"] <- list(at(stage))
    spec$solver <- solver
    about_shards(fit_model(problem, spec, control, init))
  }
  if (spec$solver == "auto") {
    if (reached < 2) {
      first <- control
      first$max_iter <- 1L
      begun <- withCallingHandlers(fit_by("adagrad", 1, first, init), hofm_warning_step_halved = function(w) {
        invokeRestart("muffleWarning")                      # L-BFGS goes on from wherever that is
      })
      init <- begun[c("intercept", "w", "P", "theta", "gamma")]
    }
    spec$solver <- "lbfgs"
  }
  fit_by(spec$solver, 2, control, init, elsewhere_of(workers, problem, spec))
}

reached_stage <- function(file, key) {
  if (is.null(file) || !file.exists(file)) return(0)
  header <- about_shards(checkpoint_header_cpp(path.expand(file)))
  if (header$key == key) return(header$stage)
  abort_file(sprintf(paste("%s is the checkpoint of another fit: of other data, or with other arguments. Delete it, or choose another",
                           "file."), quoted(file)), file)
}

# ---- What a fit says of shards -----------------------------------------------------------------------------

# f(part, link) for each shard in turn: `part` has the coded responses y and the weights.
over_shards <- function(fit, shards, response, spec, threads, f) {
  source <- shard_source(shards, response, 1, spec["standard"])
  model <- cpp_model(fit, c(fit[c("model", "order", "rank", "linear")], list(lambda = if (fit$model == "hofm") numeric(fit$order) else 0)))
  for (q in seq_len(nrow(shards$files))) {
    part <- about_shards(within_memory(shard_links_cpp(source, q, model, threads)))
    if (!all_finite(part$link)) abort_overflow()
    f(part, part$link)
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
  over_shards(fit, shards, response, spec, threads, function(part, link) {
    total <<- total + c(sum(part$weights * unit(part$y, link)), sum(part$weights * unit(part$y, rep(base, length(link)))))
  })
  list(deviance = total[["deviance"]], null = total[["null"]], loglik = NA_real_)
}

# The link value that fits best alone, which depends on the responses by their mean; that of the Huber loss does not.
shard_null <- function(mean, code, spec) {
  mean <- code[1] + code[2] * mean
  if (spec$loss == "huber") return(NA_real_)
  if (!loss_facts(spec$loss)$classes) return(null_link(mean, spec$loss, 1, numeric(), spec$intercept))
  null_link(c(-1, 1), spec$loss, c(1 - mean, 1 + mean) / 2, numeric(), spec$intercept)[1]
}
