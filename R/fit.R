# From a checked problem to C++ and back. Called by fit_checked() and by cross-validation.
#
# A `problem` holds blocks (list of list(x = dgCMatrix, index)), n, features, y coded for the loss, weights that sum to one,
# offset (n values or none) and a `task`, whose kind says what is learned: "samples", "all_pairs" (train_all_pairs.R) or "ranking"
# (train_ranking.R). A `spec` says what to fit: model, order, rank and lambda per degree, loss, solver, intercept, linear. Neither
# knows where it came from.

#' Fit a model to a checked problem.
#'
#' @param problem,spec as above.
#' @param control a [hofm_control()] list.
#' @param report_on The samples whose link values are wanted, if these are not the ones that the solver sees.
#' @param init `NULL` or what [check_init()] returns.
#' @return A list with the fitted parameters and how they were found.
#' @noRd
fit_model <- function(problem, spec, control, init = NULL, report_on = NULL) {
  spec$solver <- choose_solver(spec)
  check_validation(control, spec$solver)
  if (!is.null(control$checkpoint) && problem$task$kind != "shards") {
    hofm_abort("`checkpoint` is for shards: fits in memory keep none.", argument = "checkpoint")
  }
  seed <- if (is.null(control$seed)) sample.int(.Machine$integer.max, 1L) else control$seed
  parts <- with_seed(seed, hold_out(problem, control$validation))
  start <- with_seed(seed, starting_values(parts$train, spec, control$init_sd, init))
  start$common <- started_common(spec$common, init$common)
  all_seen <- is.null(parts$held) && problem$task$kind != "ranking"
  if (is.null(report_on) && !all_seen) report_on <- problem$blocks
  fitted <- run_solver(parts, spec, control, seed, start, report_on, init)
  report_steps(fitted)
  report_precision(fitted)
  parameters <- model_parameters(fitted, spec, problem$features)
  report_collapse(parameters$P, start$P, problem$features)
  c(
    parameters,
    list(
      solver = spec$solver, objective = fitted$objective, trace = fitted$trace, converged = fitted$converged,
      seed = seed, link = fitted$link + if (length(problem$offset)) problem$offset else 0,
      message = stopping_message(fitted, spec, control), loss_value = fitted$objective - fitted$penalty,
      eta = if (spec$solver %in% c("sgd", "adagrad")) fitted$eta, steps = fitted$steps,
      ranking = fitted$ranking, validation = validation_record(fitted, parts)
    )
  )
}

# What the compiled code returns, and `ranking`: what a ranking loss was made of.
run_solver <- function(parts, spec, control, seed, start, report_on, init) {
  training <- with_seed(seed, training_of(parts$train))
  held <- if (!is.null(parts$held)) with_seed(seed, training_of(parts$held))
  task <- c(training$task, list(held_out = held_out_part(held)))
  progress <- new_progress(control, solver_max_iter(spec$solver, control))
  on.exit(progress$done())
  fitted <- within_memory(fit_cpp(
    training$blocks, task, cpp_model(start, replace(spec, "lambda", list(solver_lambda(spec)))), solver_options(spec, control, seed, init), report_on, progress$step
  ))
  c(fitted, list(ranking = if (task$kind == "ranking") ranking_facts(task)))
}

# The samples that a solver sees and the task as fit_cpp() takes it. A ranking draws what it reports on.
training_of <- function(problem) {
  switch(problem$task$kind,
    samples = list(blocks = problem$blocks, task = list(kind = "samples", response = problem[c("y", "weights", "offset")])),
    all_pairs = list(blocks = problem$blocks, task = problem$task),
    shards = list(blocks = list(), task = problem$task),
    ranking = if (is.null(problem$task$graph)) rank_rows(problem) else rank_links(problem))
}

# Coordinate descent needs no step size and, being linear in the order, stays ahead at higher orders too, where the paper's had to
# give way to L-BFGS. The Poisson loss and the polynomial kernel are the exceptions: their coordinate steps must be tried out.
choose_solver <- function(spec) {
  if (spec$solver != "auto") return(spec$solver)
  if (spec$loss == "auc") return("adagrad")
  suits <- model_table()[[spec$model]]$solvers
  hard <- !loss_facts(spec$loss)$bounded || spec$model == "polynomial"
  if (hard && "lbfgs" %in% suits) "lbfgs" else suits[1L]
}

solver_max_iter <- function(solver, control) {
  if (!is.null(control$max_iter)) return(control$max_iter)
  switch(solver, sgd = , adagrad = 100L, 1000L)
}

solver_tol <- function(solver, control) {
  if (!is.null(control$tol)) return(control$tol)
  switch(solver, cd = 1e-5, lbfgs = 1e-6, 1e-4)
}

# A start that is given counts as a fit, unless it says that it was drawn; `steps` of a fit are of use to the solver that made them.
solver_options <- function(spec, control, seed, init = NULL) {
  list(
    solver = spec$solver, loss = spec$loss, sweep = control$sweep, extrapolate = control$extrapolate,
    max_iter = solver_max_iter(spec$solver, control), tol = solver_tol(spec$solver, control),
    eta = if (is.null(control$eta)) 0 else control$eta, warm = !is.null(init) && !isTRUE(init$drawn),
    resume = if (identical(init$solver, spec$solver)) init$steps,
    batch = control$batch, threads = control$threads, patience = control$patience, seed = seed %% 2^32
  )
}

# Evaluate `code` with R's generator seeded, and put the generator back. The kind is fixed too: frameworks switch to another while they
# resample, and the same seed must start the same fit there.
with_seed <- function(seed, code) {
  old <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (is.null(old)) rm(".Random.seed", envir = globalenv()) else assign(".Random.seed", old, globalenv()))
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  code
}

stopping_message <- function(fitted, spec, control) {
  if (fitted$converged) return(NULL)
  sprintf(
    "not converged after %d iterations of \"%s\"; raise `max_iter` or `tol` in hofm_control()",
    max(fitted$trace$iteration), spec$solver
  )
}

report_steps <- function(fitted) {
  epochs <- max(fitted$trace$iteration)
  if (fitted$diverged) {
    hofm_warn(sprintf(
      "The step was too long and the objective not finite: `eta` was halved %d times, to %.3g. Scale the features, or set `eta`.",
      fitted$halvings, fitted$eta
    ), "hofm_warning_step_halved")
  } else if (epochs > 0 && fitted$halvings == epochs) {
    hofm_warn(sprintf(paste(
      "None of %s lowered the objective: the fit is where it started. `eta` was halved each time, to %.3g;",
      "set a smaller `eta` or a larger `max_iter` in hofm_control(), unless the start is a minimum already."
    ), counted(epochs, "epoch"), fitted$eta), "hofm_warning_step_halved")
  }
}

# Coordinate descent compares the objective that it keeps with that of the parameters. Where rounding errors have the last word the fit
# ends; if that is at its start, there is none.
report_precision <- function(fitted) {
  if (!fitted$imprecise) return(invisible())
  cure <- "Bring the features to a common scale, or use a lower `order` or a larger `lambda`."
  if (max(fitted$trace$iteration) == 0) {
    hofm_abort(paste("Features of such different scales, or so large, leave no digit of the objective right.", cure),
               "hofm_error_diverged")
  }
  hofm_warn(sprintf("The fit ended after %s: beyond, rounding errors outweigh what a step gains. %s",
                    counted(max(fitted$trace$iteration), "iteration"), cure), "hofm_warning_precision")
}

# Factors of degree 3 and more can be pulled all the way to zero by the penalty, and then stay there. A degree above the number of
# features has nothing to combine, and is no news.
report_collapse <- function(P, start, features) {
  size <- function(p) sqrt(mean(p^2))
  degree <- suppressWarnings(as.integer(names(P)))
  possible <- names(P)[is.na(degree) | degree <= length(features)]
  zero <- Filter(function(t) size(P[[t]]) < 1e-6 * size(start[[t]]), possible)
  if (!length(zero)) return(invisible())
  hofm_warn(sprintf(
    "The factors P[[\"%s\"]] ended at zero: a smaller `lambda`, or a larger `init_sd` in hofm_control(), may find more.",
    paste(zero, collapse = "\"]], P[[\"")
  ), "hofm_warning_collapsed")
}
