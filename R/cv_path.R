# Fits along a path of penalties.

# Factors at zero are what a large penalty asks for, and no news on a path.
expect_collapse <- function(code) {
  withCallingHandlers(code, hofm_warning_collapsed = function(w) invokeRestart("muffleWarning"))
}

#' Fits along a path of penalties
#'
#' Which way to go was measured, on paths of 30 values over four decades and against a fit from a random start
#' at each value. Up the path objectives are good, but the one fit at the smallest lambda is much of the work.
#' Down the path, from large lambda to small, a fit that starts from factors at zero stays there, and one that
#' is in a poor minimum stays in it. Hence: columns at zero are drawn anew, each fit starts ahead on the line
#' through the two before it where that is lower, now and then a fit from a random start is tried as well, roughly and to its end only if
#' it is lower already, and what is found is tried on the larger lambdas before it.
#' @param lambda A matrix with a row for each place on the path and a column for each penalty, or numbers, each for all degrees.
#' @param record Called with the place on the path and the fit, again if a lower objective is found.
#' @param places Which places to fit now, and `state`, where the walk over the places before them ended.
#' @param planned How long the path is meant to be.
#' @return A list: `lowest`, the lowest objective found at each place, and `state`, to go on from.
#' @noRd
lambda_path <- function(problem, spec, lambda, control, seed, record, places = seq_len(NROW(lambda)), state = NULL, planned = NROW(lambda)) {
  walk <- new_walk(problem, spec, penalty_rows(lambda, spec), control, seed, record, state, planned)
  for (l in places) {
    start <- walk$start(l)
    fit <- walk$fit(l, walk$revive(l, start))
    if (walk$tries(l)) fit <- challenged(fit, walk, l)
    walk$keep(l, fit)
    if (l > 1) look_back(walk, l, fit, grown(fit, start, walk$fresh) || lower(fit$objective, start$objective, by = 0.01))
  }
  list(lowest = walk$lowest(), state = walk$state())
}

# Numbers as rows of equal penalties for all degrees.
penalty_rows <- function(lambda, spec) if (is.matrix(lambda)) lambda else matrix(lambda, length(lambda), length(spec$lambda))

#' The state of a walk along the path: what was found, and where to start next
#' @noRd
new_walk <- function(problem, spec, lambda, control, seed, record, state = NULL, planned = nrow(lambda)) {
  fresh <- c(with_seed(seed, starting_values(problem, spec, control$init_sd)), list(drawn = TRUE))
  control <- utils::modifyList(control, list(seed = seed, tol = path_tol(spec, control)))
  at <- function(l) with_lambda(spec, lambda[l, ])
  smooth <- !choose_solver(spec) %in% c("sgd", "adagrad")     # their fits stop short of a minimum, and where is chance
  if (is.null(state)) state <- list(lowest = rep(Inf, nrow(lambda)), found = vector("list", nrow(lambda)), revived = lambda[1, ])
  lowest <- state$lowest
  found <- state$found
  revived <- state$revived
  of_factors <- if (spec$model == "hofm") fitted_degrees(spec) else 1L
  list(
    fresh = fresh, lambda = lambda, spec = spec, lowest = function() lowest,
    state = function() list(lowest = lowest, found = found, revived = revived),
    tries = function(l) smooth && length(fresh$P) && l %% 7 == 0 && l <= 0.7 * planned,
    fit = function(l, init, tol_times = 1) {
      control$tol <- tol_times * control$tol
      fit <- expect_collapse(fit_model(problem, at(l), control, parameters_of(init)))
      check_engine(fit)
      fit
    },
    keep = function(l, fit) {
      found[seq_len(max(l - 3, 0))] <<- list(NULL)            # two back is as far as any start looks
      if (fit$objective >= lowest[l]) return(invisible())
      lowest[l] <<- fit$objective
      found[[l]] <<- c(parameters_of(fit), list(objective = fit$objective))
      record(l, fit)
    },
    # At nearly the same lambda it would be nearly in vain.
    revive = function(l, start) {
      if (all(lambda[l, of_factors] > 0.4 * revived[of_factors])) return(start)
      revived <<- lambda[l, ]
      revive(start, fresh)
    },
    start = function(l) {
      if (l == 1) return(c(fresh, list(objective = Inf)))
      last <- replace(found[[l - 1]], "objective", objective_at(lambda[l, ], found[[l - 1]], lambda[l - 1, ], spec))
      if (l == 2 || !smooth) return(last)
      stride <- mean(log(lambda[l, ] / lambda[l - 1, ])) / mean(log(lambda[l - 1, ] / lambda[l - 2, ]))
      if (!isTRUE(stride > 0 && is.finite(stride))) return(last)
      ahead <- go_ahead(found[[l - 1]], found[[l - 2]], stride)
      ahead$objective <- objective_of(problem, at(l), control, ahead)
      if (isTRUE(ahead$objective < last$objective)) ahead else last
    }
  )
}

# The fit, or a lower one from a random start. One that is higher after a rough fit seldom gets below.
challenged <- function(fit, walk, l) {
  rough <- walk$fit(l, walk$fresh, tol_times = 30)
  if (rough$objective < fit$objective) lower_of(fit, walk$fit(l, rough)) else fit
}

# Larger lambdas again from the fit at place l, as long as it pays. `hopeful`: try one even if the fit as it is would be no gain.
look_back <- function(walk, l, fit, hopeful) {
  for (k in rev(seq_len(l - 1))) {
    known <- walk$lowest()[k]
    if (!hopeful && !lower(objective_at(walk$lambda[k, ], fit, walk$lambda[k + 1, ], walk$spec), known)) break
    fit <- walk$fit(k, fit)
    if (!lower(fit$objective, known)) break
    walk$keep(k, fit)
    hopeful <- FALSE
  }
}

# By more than the solvers' own tolerances leave open.
lower <- function(objective, than, by = 1e-4) objective < than - by * abs(than)

lower_of <- function(fit, other) if (isTRUE(lower(other$objective, fit$objective))) other else fit

# L-BFGS with its own tolerance goes on for twice as long, for a gain of some 1e-5 of the objective.
path_tol <- function(spec, control) {
  solver <- choose_solver(spec)
  if (solver == "lbfgs" && is.null(control$tol)) 3e-6 else solver_tol(solver, control)
}

# The point `stride` times as far beyond the last as that is from the one before it; theta has to stay on its simplex.
go_ahead <- function(last, before, stride) {
  beyond <- function(x, y) if (is.list(x)) Map(beyond, x, y) else x + stride * (x - y)
  changing <- Filter(function(name) length(last[[name]]) > 0, c("intercept", "w", "P", "gamma"))
  replace(last, changing, Map(beyond, last[changing], before[changing]))
}

# What coordinate descent calls the objective before its first sweep.
objective_of <- function(problem, spec, control, parameters) {
  control$max_iter <- 0L
  run_solver(list(train = problem), replace(spec, "solver", "cd"), control, control$seed, parameters, NULL, NULL)$objective
}

# The objective of a fit at another lambda: what is minimised is linear in lambda.
objective_at <- function(other, fit, lambda, spec) {
  change <- solver_lambda(with_lambda(spec, other)) - solver_lambda(with_lambda(spec, lambda))
  factors <- vapply(fit$P, function(p) sum(p^2), 0)
  squares <- if (spec$model == "hofm") replace(numeric(spec$order), c(if (spec$linear) 1L, fitted_degrees(spec)), c(if (spec$linear) sum(fit$w^2), factors))
             else sum(fit$gamma^2) + sum(factors)
  fit$objective + sum(change * squares) / 2
}

parameters_of <- function(fit) fit[intersect(c("intercept", "w", "P", "theta", "gamma", "common", "drawn"), names(fit))]

# Which columns of each P are at least a tenth as long as those that a fit starts from. Not half: where features are many,
# columns of that size are part of good fits, and drawing them anew cost 14 times the time on pairs of debian_r.
alive <- function(P, fresh) Map(function(p, f) colSums(p^2) >= colSums(f^2) / 100, unname(P), unname(fresh))

grown <- function(fit, start, fresh) !identical(alive(fit$P, fresh$P), alive(start$P, fresh$P))

# Starting values from the last fit, but for the columns that are not alive.
revive <- function(last, fresh) {
  last$P <- Map(function(p, f, keep) {
    p[, !keep] <- f[, !keep]
    p
  }, last$P, fresh$P, alive(last$P, fresh$P))
  last
}
