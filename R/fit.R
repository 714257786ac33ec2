# The one road from a checked problem to C++ and back.
#
# A `problem` holds blocks (list of list(x = dgCMatrix, index)), n, features, y coded for the loss, weights that sum to one
# and offset (n values or none). A `spec` says what to fit: model, order, rank and lambda per degree, loss, solver, intercept,
# linear. Neither knows where it came from.

#' Fit a model to a checked problem.
#'
#' @param problem,spec as above.
#' @param control a [hofm_control()] list.
#' @param init `NULL` or a list with `intercept`, `w` and `P` of the right sizes.
#' @return A list with the fitted parameters and how they were found.
#' @noRd
fit_model <- function(problem, spec, control, init = NULL) {
  spec$solver <- choose_solver(spec, problem)
  seeded <- with_seed(control$seed, list(
    seed = sample.int(.Machine$integer.max, 1L),
    start = starting_values(problem, spec, control$init_sd, init)
  ))
  progress <- new_progress(control, solver_max_iter(spec$solver, control))
  on.exit(progress$done())
  fitted <- fit_cpp(
    problem$blocks, problem[c("y", "weights", "offset")], cpp_model(seeded$start, spec),
    solver_options(spec, control, seeded$seed), progress$step
  )
  report_divergence(fitted)
  parameters <- model_parameters(fitted, spec, problem$features)
  report_collapse(parameters$P, seeded$start$P)
  c(
    parameters,
    list(
      solver = spec$solver, objective = fitted$objective, trace = fitted$trace, converged = fitted$converged,
      seed = seeded$seed, link = fitted$link, message = stopping_message(fitted, spec, control),
      eta = if (spec$solver %in% c("sgd", "adagrad")) fitted$eta
    )
  )
}

# Coordinate descent is the quickest to a good objective while degrees are low; from order 4 on, and for the Poisson loss,
# whose coordinate steps need a search, L-BFGS gets there first (the paper's section 6.2; inst/bench has our own figures).
choose_solver <- function(spec, problem) {
  if (spec$solver != "auto") return(spec$solver)
  if (spec$loss == "poisson" || spec$order >= 4) "lbfgs" else "cd"
}

solver_max_iter <- function(solver, control) {
  if (!is.null(control$max_iter)) return(control$max_iter)
  switch(solver, cd = 200L, lbfgs = 500L, 100L)
}

solver_tol <- function(solver, control) {
  if (!is.null(control$tol)) return(control$tol)
  switch(solver, lbfgs = 1e-5, 1e-4)
}

solver_options <- function(spec, control, seed) {
  list(
    solver = spec$solver, loss = spec$loss,
    max_iter = solver_max_iter(spec$solver, control), tol = solver_tol(spec$solver, control),
    eta = if (is.null(control$eta)) 0 else control$eta, batch = control$batch,
    threads = control$threads, seed = seed
  )
}

# The degrees >= 2 that are in the model: rank 0 leaves a degree out.
fitted_degrees <- function(spec) which(c(0L, spec$rank) > 0L)

# Parameters as the core takes them: a list of terms, the linear one first.
cpp_model <- function(start, spec) {
  linear <- if (spec$linear) list(list(degree = 1L, lambda = spec$lambda[1L], P = matrix(start$w, ncol = 1L)))
  factors <- lapply(fitted_degrees(spec), function(t) {
    list(degree = t, lambda = spec$lambda[t], P = start$P[[as.character(t)]])
  })
  list(intercept = start$intercept, fit_intercept = spec$intercept, terms = c(linear, factors))
}

# ... and back, with names.
model_parameters <- function(fitted, spec, features) {
  P <- fitted$P
  w <- NULL
  if (spec$linear) {
    w <- stats::setNames(P[[1L]][, 1L], features)
    P <- P[-1L]
  }
  names(P) <- as.character(fitted_degrees(spec))
  P <- lapply(P, function(p) {
    rownames(p) <- features
    p
  })
  list(intercept = fitted$intercept, w = w, P = P, theta = NULL, gamma = NULL)
}

#' Starting values: the given ones, else the intercept that fits best alone, w = 0 and random P.
#'
#' At P = 0 every degree from 2 on has slope zero, and for degrees from 3 on the penalty pulls a small P straight back to it. So
#' the spread of P comes from the data (see `default_init_sd()`). Features without a single nonzero start, and stay, at zero.
#' @noRd
starting_values <- function(problem, spec, init_sd, init = NULL) {
  if (!is.null(init)) return(init)
  x <- problem$blocks[[1L]]$x
  degrees <- fitted_degrees(spec)
  sd <- if (is.null(init_sd)) default_init_sd(problem, spec) else rep_len(init_sd, spec$order - 1L)
  empty <- diff(x@p) == 0L
  P <- lapply(degrees, function(t) {
    p <- matrix(stats::rnorm(ncol(x) * spec$rank[t - 1L], sd = sd[t - 1L]), ncol(x))
    p[empty, ] <- 0
    p
  })
  list(
    intercept = if (spec$intercept) best_intercept(problem, spec$loss) else 0,
    w = numeric(ncol(x)), P = stats::setNames(P, as.character(degrees))
  )
}

best_intercept <- function(problem, loss) {
  mean <- sum(problem$weights * problem$y)
  switch(loss,
    squared = mean - if (length(problem$offset)) sum(problem$weights * problem$offset) else 0,
    logistic = stats::qlogis((1 + mean) / 2),
    squared_hinge = 0,
    poisson = log(mean)
  )
}

# The spread of P^(t) at which a degree-t term starts out with a visible share of the response's spread. With p ~ N(0, sd^2)
# the term has second moment k sd^(2t) times the mean of A^t(x^2, 1) over rows.
init_share <- 0.1

default_init_sd <- function(problem, spec) {
  if (spec$order < 2L) return(numeric())
  x <- problem$blocks[[1L]]$x
  scale <- max(abs(x@x), 0)
  if (scale == 0) return(rep(0.01, spec$order - 1L))
  x@x <- x@x / scale                                    # so that no product of many features overflows
  spread <- kernel_spread_cpp(x, spec$order)[-1L]
  degree <- seq_len(spec$order)[-1L]
  goal <- init_share^2 * response_variance(problem, spec$loss)
  sd <- (goal / (pmax(spec$rank, 1L) * spread))^(1 / (2 * degree)) / scale
  ifelse(is.finite(sd), sd, 0.01)
}

# Variance of the response on the link scale: its own for the squared loss, of order one for the others.
response_variance <- function(problem, loss) {
  if (loss != "squared") return(1)
  y <- problem$y - if (length(problem$offset)) problem$offset else 0
  sum(problem$weights * (y - sum(problem$weights * y))^2)
}

# Evaluate `code` with R's generator seeded, and put the generator back. Without a seed the generator goes on as it is.
with_seed <- function(seed, code) {
  if (is.null(seed)) return(code)
  old <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (is.null(old)) rm(".Random.seed", envir = globalenv()) else assign(".Random.seed", old, globalenv()))
  set.seed(seed)
  code
}

stopping_message <- function(fitted, spec, control) {
  if (fitted$converged) return(NULL)
  sprintf(
    "not converged after %d iterations of \"%s\"; raise `max_iter` or `tol` in hofm_control()",
    max(fitted$trace$iteration), spec$solver
  )
}

report_divergence <- function(fitted) {
  if (!fitted$diverged) return(invisible())
  hofm_warn(sprintf(
    "The step was too long and the objective not finite: `eta` was halved %d times, to %.3g. Scale the features, or set `eta`.",
    fitted$halvings, fitted$eta
  ), "hofm_warning_step_halved")
}

# Factors of degree 3 and more can be pulled all the way to zero by the penalty, and then stay there.
report_collapse <- function(P, start) {
  size <- function(p) sqrt(mean(p^2))
  zero <- Filter(function(t) size(P[[t]]) < 1e-6 * size(start[[t]]), names(P))
  if (!length(zero)) return(invisible())
  hofm_warn(sprintf(
    "The factors of degree %s ended at zero: a smaller `lambda`, or a larger `init_sd` in hofm_control(), may find more.",
    paste(zero, collapse = ", ")
  ), "hofm_warning_collapsed")
}

# Link values of new rows, without offset.
link_values <- function(fit, blocks, threads) {
  rowSums(term_values(fit, blocks, threads)) + fit$intercept
}

# Columns: the intercept, then degrees 1 to order; zero where a degree is not in the model.
degree_values <- function(fit, blocks, threads) {
  n <- nrow(blocks[[1L]]$x)
  values <- matrix(0, n, 1L + fit$order, dimnames = list(NULL, c("intercept", paste("degree", seq_len(fit$order)))))
  values[, 1L] <- fit$intercept
  degrees <- c(if (!is.null(fit$w)) 1L, as.integer(names(fit$P)))
  values[, 1L + degrees] <- term_values(fit, blocks, threads)
  values
}

term_values <- function(fit, blocks, threads) {
  spec <- list(
    linear = !is.null(fit$w), lambda = numeric(fit$order), intercept = TRUE,
    rank = vapply(seq_len(fit$order)[-1L], function(t) NCOL(fit$P[[as.character(t)]]) * !is.null(fit$P[[as.character(t)]]), 0)
  )
  term_values_cpp(blocks, cpp_model(fit, spec), threads)
}
