# Small problems in the engine's own form, for tests that look below hofm().

random_problem <- function(n = 12, d = 6, loss = "squared", density = 0.7, uniform = TRUE, offset = FALSE) {
  x <- matrix(ifelse(runif(n * d) < density, rnorm(n * d), 0), n)
  f <- rnorm(n)
  y <- switch(loss, squared = f, huber = 2 * f, poisson = floor(exp(f)), ifelse(f > 0, 1, -1))
  weights <- if (uniform) rep(1, n) else runif(n, 0.2, 2)
  list(
    dense = x,
    blocks = list(list(x = as(as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix"), "CsparseMatrix"), index = NULL)),
    n = n, features = paste0("v", seq_len(d)), y = y, weights = weights / sum(weights),
    offset = if (offset) rnorm(n, sd = 0.2) else numeric(), task = list(kind = "samples")
  )
}

# Offsets as the twins want them.
offsets <- function(problem) if (length(problem$offset)) problem$offset else numeric(problem$n)

random_model <- function(d, order, k = 2, sd = 0.5) {
  degrees <- seq_len(order)[-1]
  P <- lapply(degrees, function(t) matrix(rnorm(d * k, sd = sd), d))
  list(intercept = rnorm(1), w = rnorm(d), P = stats::setNames(P, as.character(degrees)))
}

spec_for <- function(order, k = 2, loss = "squared", solver = "cd", lambda = 0.05, intercept = TRUE) {
  list(model = "hofm", order = order, rank = rep(k, order - 1), lambda = rep_len(lambda, order), loss = loss,
       solver = solver, intercept = intercept, linear = TRUE)
}

# Random starts on random data may well end at zero for some degree: no news in a test that compares with a twin. The twins do not
# extrapolate, and take the start for a drawn one unless told that it is a fit.
fit_from <- function(problem, spec, start, ..., extrapolate = FALSE, warm = FALSE) {
  control <- hofm_control(..., sweep = "single", extrapolate = extrapolate)
  suppressWarnings(fit_model(problem, spec, control, c(start, list(drawn = !warm))), classes = "hofm_warning_collapsed")
}

parameters <- function(fit) list(intercept = fit$intercept, w = unname(fit$w), P = lapply(fit$P, unname))
