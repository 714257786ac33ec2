# Starting values: given as `init`, or drawn with a spread that comes from the data. Called by fit.R and along the path of lambda.

# ---- Given values ------------------------------------------------------------------------------------------

#' Starting values from a fit or a list
#' @return NULL, or a complete list of the model's parameters: an intercept or w that is not given, or not in
#'   the model, is zero; gamma that is not given is one, theta that is not given is equal for all degrees. Of a fit by stochastic
#'   gradients also its `solver` and `steps`.
#' @noRd
check_init <- function(init, features, spec) {
  if (is.null(init)) return(NULL)
  from <- NULL
  if (inherits(init, "hofm")) {
    from <- init[c("solver", "steps")]
    init <- init_from_fit(init, features, spec)
  }
  known <- c("intercept", "w", "P", "theta", "gamma", "common")
  if (!is.list(init) || is.null(names(init)) || !all(names(init) %in% known)) {
    must_be("init", "a fit, or a list with elements `intercept`, `w` and `P`", init)
  }
  d <- length(features)
  intercept <- if (is.null(init$intercept)) 0 else check_number(init$intercept, "init$intercept")
  list(intercept = if (spec$intercept) intercept else 0, solver = from$solver, steps = from$steps,
       w = check_init_w(init$w, d, spec), P = check_init_factors(init$P, d, spec),
       theta = check_init_theta(init$theta, spec), gamma = check_init_gamma(init$gamma, spec), common = check_init_common(init$common))
}

# The weight of what nodes have in common; how they are compared comes from the nodes.
check_init_common <- function(common) {
  if (is.null(common)) return(NULL)
  if (!is.list(common)) must_be("init$common", "a list with a number `weight`", common)
  list(weight = check_number(common$weight, "init$common$weight"))
}

init_from_fit <- function(init, features, spec) {
  check_fit(init, "init")
  same <- c(features = identical(init$features, features), order = identical(init$order, spec$order),
            rank = identical(init$rank, spec$rank), model = init$model == spec$model)
  if (!all(same)) {
    hofm_abort(sprintf("`init` must be a fit with the same features, order, rank and model. It differs in: %s.",
                       paste(names(same)[!same], collapse = ", ")), argument = "init")
  }
  check_sound(init, list(steps = function(f) absent_or(f$steps, function(s) sound_steps(s, f))), "init", "fit")
  coef(init)
}

# What fit_cpp() returned: AdaGrad's memory of each term, the linear one first, is shaped as its parameters with the dummies on top.
sound_steps <- function(steps, fit) {
  terms <- cpp_model(fit, c(fit[c("model", "order", "rank", "linear")], list(lambda = rep(0, max(fit$order, 1, na.rm = TRUE)))))$terms
  alike <- function(memory, term) is.numeric(memory) && identical(dim(memory), dim(term$P)) && all(memory > 0)
  is_count(steps$epochs) && is_finite_one(steps$eta) && steps$eta > 0 && is_one(steps$intercept) && steps$intercept > 0 &&
    is.list(steps$memory) && length(steps$memory) %in% c(0, length(terms)) &&
    (length(steps$memory) == 0) == (fit$solver == "sgd") && all(mapply(alike, steps$memory, terms[seq_along(steps$memory)]))
}

check_init_w <- function(w, d, spec) {
  if (!spec$linear) return(NULL)
  if (is.null(w)) return(numeric(d))
  sound <- is.numeric(w) && length(w) == d && all(is.finite(w))
  if (!sound) must_be("init$w", sprintf("%d finite numbers", d), w)
  as.double(w)
}

check_init_factors <- function(P, d, spec) {
  size <- factor_sizes(d, spec)
  if (length(size) && !(is.list(P) && all(names(size) %in% names(P)))) {
    must_be("init$P", sprintf("a list with matrices named %s", enumerate(quoted(names(size)))), P)
  }
  Map(function(name, size) {
    given <- P[[name]]
    if (!sound_factors(given, size[1], size[2])) {
      need <- sprintf("a finite numeric matrix of %d x %d", size[1], size[2])
      must_be(sprintf("init$P[[\"%s\"]]", name), need, given)
    }
    matrix(as.double(given), size[1])
  }, names(size), size)
}

check_init_theta <- function(theta, spec) {
  if (spec$model != "simplex") return(NULL)
  if (is.null(theta)) return(rep(1 / spec$order, spec$order))
  if (!sound_theta(theta, spec)) must_be("init$theta", sprintf("%d non-negative numbers with sum 1", spec$order), theta)
  as.double(theta)
}

check_init_gamma <- function(gamma, spec) {
  if (dummies(spec) == 0L) return(NULL)
  if (is.null(gamma)) return(matrix(1, dummies(spec), spec$rank))
  need <- sprintf("%d finite numbers", dummies(spec) * spec$rank)
  if (!sound_gamma(gamma, spec)) must_be("init$gamma", need, gamma)
  matrix(as.double(gamma), dummies(spec))
}

# Rows and columns of each element of P. In the bilinear model U has the first `split` features and V the rest.
factor_sizes <- function(d, spec) {
  names <- factor_names(spec)
  rows <- if (spec$model == "bilinear") c(spec$split, d - spec$split) else rep(d, length(names))
  columns <- if (spec$model == "bilinear") rep(spec$rank, 2) else spec$rank[spec$rank > 0]
  stats::setNames(Map(c, rows, columns), names)
}

sound_theta <- function(theta, spec) {
  if (!is.numeric(theta) || !all(is.finite(theta))) return(FALSE)
  if (spec$model == "shared") return(identical(as.double(dim(theta)), as.double(c(spec$order, spec$rank))))
  length(theta) == spec$order && all(theta >= 0) && abs(sum(theta) - 1) < 1e-6
}

sound_gamma <- function(gamma, spec) {
  is.numeric(gamma) && length(gamma) == dummies(spec) * spec$rank && all(is.finite(gamma))
}

sound_factors <- function(P, d, k) {
  is.numeric(P) && is.matrix(P) && nrow(P) == d && ncol(P) == k && all_finite(P)
}

# ---- Drawn values ------------------------------------------------------------------------------------------

#' Starting values: the given ones, else the intercept that fits best alone, w = 0 and random P.
#'
#' At P = 0 every degree from 2 on has slope zero, and for degrees from 3 on the penalty pulls a small P straight back to it. So
#' the spread of P comes from the data (see `default_init_sd()`). The dummies' weights start at one, where every degree has its
#' share, and theta in the middle of the simplex; but the gamma of a polynomial network is drawn like P, since one beside a small P is
#' next to a linear model, which fits are slow to leave. Features without a single nonzero start, and stay, at zero, and so do
#' degrees above the number of nonzeros of every row.
#' @noRd
starting_values <- function(problem, spec, init_sd, init = NULL) {
  if (!is.null(init)) return(init)
  names <- factor_names(spec)
  sd <- if (is.null(init_sd)) default_init_sd(problem, spec) else rep_len(init_sd, length(names))
  d <- length(problem$features)
  rank <- spec$rank[spec$rank > 0L]
  empty <- if (!is.null(problem$empty)) problem$empty else unlist(lapply(problem$blocks, function(block) diff(block$x@p) == 0L))
  P <- Map(function(k, sd) {
    p <- matrix(stats::rnorm(d * k, sd = sd), d)
    p[empty, ] <- 0
    p
  }, rank, sd[seq_along(rank)])
  idle <- spec$model == "hofm" & (!rows_reach(problem, fitted_degrees(spec)) | fitted_degrees(spec) %in% spec$off)
  P[idle] <- lapply(P[idle], function(p) 0 * p)
  if (spec$model == "bilinear") P <- list(P[[1L]][seq_len(spec$split), , drop = FALSE], P[[1L]][-seq_len(spec$split), , drop = FALSE])
  list(
    intercept = if (spec$intercept) starting_intercept(problem, spec) else 0,
    w = if (spec$linear) numeric(d), P = stats::setNames(P, names),
    theta = if (spec$model == "simplex") rep(1 / spec$order, spec$order),
    gamma = starting_gamma(spec, sd)
  )
}

starting_gamma <- function(spec, sd) {
  if (dummies(spec) == 0L) return(NULL)
  matrix(if (spec$model == "polynomial") stats::rnorm(spec$rank, sd = sd) else 1, dummies(spec), spec$rank)
}

# Whether some row has as many nonzeros as the degree. A degree beyond them has no products to fit: from anywhere but zero its factors
# would follow rounding errors, and without a penalty follow them far. Rows are counted only where their mean does not settle it.
rows_reach <- function(problem, degrees) {
  most <- function(count) sum(vapply(problem$blocks, function(block) as.double(count(block$x)), 0))
  mean <- most(function(x) length(x@i) / max(1L, nrow(x)))
  if (all(degrees <= mean)) return(rep(TRUE, length(degrees)))
  degrees <= most(function(x) max(tabulate(x@i + 1L), 0L))
}

# All-subsets is 1 per factor at P = 0.
starting_intercept <- function(problem, spec) {
  best_intercept(problem, spec$loss) - if (spec$model == "all_subsets") spec$rank else 0
}

# A task that knows the mean of all its responses has rows in memory that are none, or a part of them only.
best_intercept <- function(problem, loss) {
  start <- loss_facts(loss)$start
  if (is.null(problem$task$mean)) return(start(problem$y, problem$weights, problem$offset))
  start(problem$task$mean, 1, if (length(problem$offset)) sum(problem$weights * problem$offset) else numeric())
}

# The spread of P at which its term starts out with a visible share of the response's spread.
init_share <- 0.1

#' With p ~ N(0, sd^2) a degree-t term of k factors has second moment k sd^(2t) E_t, E_t the mean of A^t(x^2, 1) over rows.
#' A model that mixes degrees with weights c_t has the sum of c_t^2 k sd^(2t) E_t, which is solved for sd.
#' @return One value per element of P.
#' @noRd
default_init_sd <- function(problem, spec) {
  most <- if (spec$model == "hofm") spec$order else min(max(spec$order, 2L, na.rm = TRUE), length(problem$features))
  if (spec$model == "hofm" && most < 2L) return(numeric())
  x <- joined_sample(problem)
  scale <- max(abs(x@x), 0)
  if (scale == 0) return(rep(0.01, length(factor_names(spec))))
  goal <- init_share^2 * response_variance(problem, spec$loss)
  if (spec$model == "polynomial") return(polynomial_spread(x, scale, spec, goal))
  x@x <- x@x / scale                                    # so that no product of many features overflows
  spread <- kernel_spread_cpp(x, most)
  sd <- if (spec$model == "hofm") {
    t <- fitted_degrees(spec)
    (goal / (spec$rank[t - 1L] * spread[t]))^(1 / (2 * t))
  } else {
    solve_spread(spread, start_weights(spec, most)^2 * spec$rank, goal)
  }
  ifelse(is.finite(sd), sd / scale, 0.01)
}

# For a polynomial network gamma_s + <p_s, x> is normal with variance v = sd^2 (1 + |x|^2). Its power m has second moment
# (2m - 1)!! v^m and, for even m, mean (m - 1)!! v^(m/2), which all k factors share. In logarithms, and with x divided by its largest
# value: powers may be beyond the largest double.
polynomial_spread <- function(x, scale, spec, goal) {
  m <- spec$order
  k <- spec$rank
  odd_product <- function(n) prod(seq(1, n, 2))
  moment <- k * odd_product(2 * m - 1) + if (m %% 2 == 0) k * (k - 1) * odd_product(m - 1)^2 else 0
  power <- m * log(scale^-2 + Matrix::rowSums((x / scale)^2))
  mean <- max(power) + log(mean(exp(power - max(power))))
  sd <- exp((log(goal) - log(moment) - mean) / (2 * m)) / scale
  if (is.finite(sd) && sd > 0) sd else 0.01
}

# c_1, ..., c_most at the start.
start_weights <- function(spec, most) {
  t <- seq_len(most)
  switch(spec$model,
    shared = choose(spec$order - 1, spec$order - t),
    simplex = rep(1 / spec$order, most),
    bilinear = as.numeric(t == 2L),
    rep(1, most)
  )
}

# The sd at which sum_t weight_t sd^(2t) spread_t is `goal`; the sum rises from 0, so there is one. In logarithms, which neither
# overflow nor vanish: it lies between where the largest part is a T-th of the goal and where it is all of it.
solve_spread <- function(spread, weights, goal) {
  t <- which(weights * spread > 0)
  size <- log(weights[t]) + log(spread[t])
  if (!length(t) || !all(is.finite(c(size, log(goal))))) return(NaN)
  excess <- function(log_sd) {
    parts <- 2 * t * log_sd + size - log(goal)
    max(parts) + log(sum(exp(parts - max(parts))))
  }
  ends <- c(min((log(goal) - log(length(t)) - size) / (2 * t)) - 1e-6, min((log(goal) - size) / (2 * t)) + 1e-6)
  exp(stats::uniroot(excess, ends, tol = 1e-6)$root)
}

# Rows to take the spread from: those of the matrix itself, or of at most 2,000 samples of a joined design.
joined_sample <- function(problem) {
  if (length(problem$blocks) == 1L && is.null(problem$blocks[[1L]]$index)) return(problem$blocks[[1L]]$x)
  rows <- unique(round(seq(1, problem$n, length.out = 2000)))
  parts <- lapply(problem$blocks, function(block) {
    block$x[if (is.null(block$index)) rows else block$index[rows], , drop = FALSE]
  })
  as(do.call(cbind, parts), "CsparseMatrix")
}

# Variance of the response on the link scale.
response_variance <- function(problem, loss) {
  spread <- loss_facts(loss)$spread
  if (is.null(spread)) return(1)
  if (problem$task$kind == "all_pairs") return(problem$task$mean * (1 - problem$task$mean))    # of a 0/1 response
  y <- problem$y - if (length(problem$offset)) problem$offset else 0
  spread(y, problem$weights)
}
