# Slow twins: every fast routine again, written from its definition and so plain that it cannot be wrong.

# Eq. (5): the sum over all sets of m distinct features.
anova_slow <- function(p, x, m) {
  z <- p * x
  if (m == 0) return(1)
  if (m > length(z)) return(0)
  if (length(z) == 1) return(z)                       # combn(5, 1) would mean 1:5
  sum(utils::combn(z, m, prod))
}

# dA^m/dp_j: x_j times the kernel of one degree less without feature j (eq. 7).
anova_slope_slow <- function(p, x, m, j) x[j] * anova_slow(p[-j], x[-j], m - 1)

# A model for the twins: list(intercept, w, P = list("2" = d x k, ...)).
link_slow <- function(model, x) {
  f <- rep(model$intercept, nrow(x))
  if (!is.null(model$w)) f <- f + drop(x %*% model$w)
  for (t in names(model$P)) {
    P <- model$P[[t]]
    for (s in seq_len(ncol(P))) {
      f <- f + apply(x, 1, function(row) anova_slow(P[, s], row, as.integer(t)))
    }
  }
  f
}

losses_slow <- list(
  squared = list(value = function(y, f) (y - f)^2 / 2, deriv = function(y, f) f - y, mu = 1),
  huber = list(
    value = function(y, f) ifelse(abs(y - f) > 1, abs(y - f) - 1 / 2, (y - f)^2 / 2),
    deriv = function(y, f) ifelse(abs(y - f) > 1, sign(f - y), f - y), mu = 1
  ),
  logistic = list(value = function(y, f) log(1 + exp(-y * f)), deriv = function(y, f) -y / (1 + exp(y * f)), mu = 1 / 4),
  squared_hinge = list(
    value = function(y, f) pmax(0, 1 - y * f)^2, deriv = function(y, f) -2 * y * pmax(0, 1 - y * f), mu = 2
  ),
  poisson = list(
    value = function(y, f) exp(f) - y * f, deriv = function(y, f) exp(f) - y, curvature = function(y, f) exp(f)
  )
)

# Eq. (4), with weights that sum to one.
objective_slow <- function(model, x, y, loss, lambda, weights = rep(1 / nrow(x), nrow(x)), offset = 0) {
  penalty <- sum(lambda[1] / 2 * model$w^2)
  for (t in names(model$P)) penalty <- penalty + lambda[as.integer(t)] / 2 * sum(model$P[[t]]^2)
  sum(weights * losses_slow[[loss]]$value(y, link_slow(model, x) + offset)) + penalty
}

# One epoch of coordinate descent that computes everything anew at every step: intercept, w, then P degree by degree, factor by
# factor, feature by feature. A loss with a curvature bound is replaced by the parabola that touches it where w or a factor begins.
cd_epoch_slow <- function(model, x, y, loss, lambda, weights, offset, intercept = TRUE) {
  l <- losses_slow[[loss]]
  f <- function(model) link_slow(model, x) + offset
  slope <- function() {
    if (is.null(l$mu)) l$deriv(y, f(model)) else l$deriv(y, touched) + l$mu * (f(model) - touched)
  }
  step <- function(D, p, penalty, moved) {
    g <- sum(weights * slope() * D) + penalty * p
    curvature <- if (is.null(l$mu)) l$curvature(y, f(model)) else l$mu
    delta <- -g / (sum(weights * curvature * D^2) + penalty)
    if (!is.finite(delta)) return(0)
    if (is.null(l$mu)) {
      at <- function(m) objective_slow(m, x, y, loss, lambda, weights, offset)
      tries <- 0
      while (at(moved(delta)) > at(model) && tries < 40) {
        delta <- delta / 2
        tries <- tries + 1
      }
    }
    delta
  }
  shift <- function(delta) replace(model, "intercept", list(model$intercept + delta))
  touched <- f(model)
  if (intercept) model <- shift(step(rep(1, nrow(x)), 0, 0, shift))
  touched <- f(model)
  for (j in seq_along(model$w)) {
    shift <- function(delta) replace(model, "w", list(replace(model$w, j, model$w[j] + delta)))
    model <- shift(step(x[, j], model$w[j], lambda[1], shift))
  }
  for (t in names(model$P)) {
    for (s in seq_len(ncol(model$P[[t]]))) {
      touched <- f(model)
      for (j in seq_len(ncol(x))) {
        shift <- function(delta) {
          model$P[[t]][j, s] <- model$P[[t]][j, s] + delta
          model
        }
        p <- model$P[[t]][, s]
        D <- apply(x, 1, function(row) anova_slope_slow(p, row, as.integer(t), j))
        model <- shift(step(D, p[j], lambda[as.integer(t)], shift))
      }
    }
  }
  model
}

# One epoch of SGD or AdaGrad over `order`, all features at every step. What a feature loses to the penalty from one batch that has it
# to the next is one implicit step of as many times the length.
sg_epoch_slow <- function(model, x, y, loss, lambda, weights, offset, order, batch, eta, state, adagrad) {
  l <- losses_slow[[loss]]
  n <- nrow(x)
  flat <- function(model) c(model$w, unlist(model$P, use.names = FALSE))
  put <- function(model, v) {
    model$w[] <- v[seq_along(model$w)]
    at <- length(model$w)
    for (t in names(model$P)) {
      model$P[[t]][] <- v[at + seq_along(model$P[[t]])]
      at <- at + length(model$P[[t]])
    }
    model
  }
  feature <- c(seq_along(model$w), unlist(lapply(model$P, row), use.names = FALSE))
  penalty <- c(rep(lambda[1], length(model$w)),
               unlist(lapply(names(model$P), function(t) rep(lambda[as.integer(t)], length(model$P[[t]])))))
  H <- function() if (adagrad) sqrt(state$squares) else rep(1, length(feature))
  catch_up <- function(v, who) {
    missed <- state$time - state$updated[feature]
    shrunk <- v / (1 + missed * eta * penalty / H())
    ifelse(feature %in% who & H() > 0 & missed > 0, shrunk, v)
  }
  for (first in seq(1, n, by = batch)) {
    rows <- order[first:min(n, first + batch - 1)]
    touched <- which(colSums(x[rows, , drop = FALSE] != 0) > 0)
    v <- catch_up(flat(model), touched)
    state$updated[touched] <- state$time
    model <- put(model, v)
    g <- numeric(length(v))
    g0 <- 0
    for (i in rows) {
      f <- link_slow(model, x[i, , drop = FALSE]) + offset[i]
      gi <- n * weights[i] * l$deriv(y[i], f) / length(rows)
      g0 <- g0 + gi
      slopes <- c(x[i, ], unlist(lapply(names(model$P), function(t) {
        P <- model$P[[t]]
        outer(seq_len(nrow(P)), seq_len(ncol(P)), Vectorize(function(j, s) {
          anova_slope_slow(P[, s], x[i, ], as.integer(t), j)
        }))
      })))
      g <- g + gi * slopes
    }
    state$time <- state$time + 1
    seen <- feature %in% touched
    if (adagrad) state$squares[seen] <- state$squares[seen] + g[seen]^2
    h <- H()
    model <- put(model, ifelse(seen & h > 0, v - eta / h * g, v))
    if (adagrad) state$intercept <- state$intercept + g0^2
    h0 <- if (adagrad) sqrt(state$intercept) else 1
    if (h0 > 0) model$intercept <- model$intercept - eta / h0 * g0
  }
  model <- put(model, catch_up(flat(model), seq_len(ncol(x))))
  state$updated[] <- state$time
  list(model = model, state = state)
}

# Derivative by central differences, entry by entry.
gradient_slow <- function(f, at, step = 1e-5) {
  vapply(seq_along(at), function(q) {
    up <- down <- at
    up[q] <- up[q] + step
    down[q] <- down[q] - step
    (f(up) - f(down)) / (2 * step)
  }, 0)
}

expect_gradient <- function(f, g, at, tolerance = 1e-6) {
  testthat::expect_equal(as.numeric(g(at)), gradient_slow(f, at), tolerance = tolerance)
}
