# The models that share one matrix of factors, each from its definition. Q is [gamma; P], xa is [1, ..., 1, x].
kernels_slow <- list(
  shared = function(q, xa, m, theta) anova_slow(q, xa, m),
  simplex = function(q, xa, m, theta) sum(theta * vapply(seq_len(m), function(t) anova_slow(q, xa, t), 0)),
  all_subsets = function(q, xa, m, theta) prod(1 + q * xa),
  polynomial = function(q, xa, m, theta) sum(q * xa)^m
)

augmented <- function(model, x, m) {
  ones <- switch(model, shared = m - 1, polynomial = 1, 0)
  cbind(matrix(1, nrow(x), ones), x)
}

kernel_sum_slow <- function(model, Q, xa, m, theta = NULL) {
  apply(xa, 1, function(row) sum(apply(Q, 2, function(q) kernels_slow[[model]](q, row, m, theta))))
}

fit_for <- function(model, x, y, m, ..., loss = "squared", control = hofm_control(max_iter = 5, seed = 1)) {
  order <- if (model == "all_subsets") list() else list(order = m)
  suppressWarnings(do.call(paper_fit, c(list(x, y, model = model, loss = loss, control = control, ...), order)),
                   classes = c("hofm_warning_collapsed", "hofm_warning_not_converged"))
}

Q_of <- function(fit) rbind(fit$gamma, unname(fit$P[[1]]))

shared_models <- names(kernels_slow)

test_that("each model predicts what its definition says, term by term", {
  set.seed(1)
  x <- matrix(ifelse(runif(80) < 0.7, rnorm(80), 0), 10)
  y <- rnorm(10)
  for (model in shared_models) for (m in 2:5) {
    fit <- fit_for(model, x, y, m, rank = 3)
    link <- fit$intercept + kernel_sum_slow(model, Q_of(fit), augmented(model, x, m), m, fit$theta)
    expect_equal(predict(fit, x, type = "link"), link, tolerance = 1e-10)
    expect_equal(fit$linear.predictors, link, tolerance = 1e-10)
    terms <- predict(fit, x, type = "terms")
    expect_equal(rowSums(terms), link, tolerance = 1e-10)
    expect_null(fit$w)
    for (t in seq_len(min(m, 3))) {                     # weight times product over all sets of t features
      factors <- degree_factors(fit, t)
      each <- apply(x, 1, function(row) sum(vapply(1:3, function(s) factors$c[s] * anova_slow(factors$P[, s], row, t), 0)))
      if (model != "polynomial") expect_equal(terms[, 1 + t], each, tolerance = 1e-9)
    }
  }
})

test_that("gradients equal finite differences for every model and loss", {
  for (model in setdiff(shared_models, "simplex")) for (loss in names(losses_slow)) for (m in c(1:4)[-(model == "shared")]) {
    set.seed(m)
    problem <- random_problem(7, 4, loss, uniform = m %% 2 == 0, offset = TRUE)
    spec <- list(model = model, order = m, rank = 2L, lambda = 0.1, loss = loss, solver = "lbfgs", intercept = TRUE)
    xa <- augmented(model, problem$dense, m)
    at <- c(0.2, rnorm(2 * ncol(xa), sd = 0.4))
    parameters_at <- function(v) {
      Q <- matrix(v[-1], ncol(xa))
      extra <- ncol(xa) - 4
      list(intercept = v[1], gamma = Q[seq_len(extra), , drop = FALSE], P = list(Q[extra + 1:4, , drop = FALSE]))
    }
    fast <- function(v) {
      objective_cpp(problem$blocks, problem[c("y", "weights", "offset")], cpp_model(parameters_at(v), spec),
                    solver_options(spec, hofm_control(), 1))
    }
    slow <- function(v) {
      f <- v[1] + kernel_sum_slow(model, matrix(v[-1], ncol(xa)), xa, m) + problem$offset
      sum(problem$weights * losses_slow[[loss]]$value(problem$y, f)) + 0.05 * sum(v[-1]^2)
    }
    expect_equal(fast(at)$value, slow(at))
    expect_gradient(slow, function(v) unlist(fast(v)[c("intercept", "P")]), at)
  }
})

# One epoch of coordinate descent on Q: all kernels but the polynomial are affine in each q, so that the slope is a difference. What a
# factor's steps lower is the parabola that touches the loss where the factor begins.
cd_epoch_shared_slow <- function(model, b, Q, xa, y, m, lambda, loss, weights, theta = NULL) {
  l <- losses_slow[[loss]]
  f <- function(Q) b + kernel_sum_slow(model, Q, xa, m, theta)
  b <- b - sum(weights * l$deriv(y, f(Q))) / l$mu
  for (s in seq_len(ncol(Q))) for (j in seq_len(nrow(Q))) {
    if (j == 1) touched <- f(Q)
    slope <- function(Q) l$deriv(y, touched) + l$mu * (f(Q) - touched)
    objective <- function(Q) sum(weights * slope(Q)^2) / (2 * l$mu) + lambda / 2 * sum(Q^2)
    up <- Q
    up[j, s] <- up[j, s] + 1
    D <- if (model == "polynomial") m * drop(xa %*% Q[, s])^(m - 1) * xa[, j] else f(up) - f(Q)
    delta <- -(sum(weights * slope(Q) * D) + lambda * Q[j, s]) / (sum(weights * l$mu * D^2) + lambda)
    moved <- function(delta) replace(Q, (s - 1) * nrow(Q) + j, Q[j, s] + delta)
    while (model == "polynomial" && objective(moved(delta)) > objective(Q)) delta <- delta / 2
    Q <- moved(delta)
  }
  list(b = b, Q = Q)
}

test_that("coordinate descent equals its slow twin for every model", {
  for (model in shared_models) for (loss in c("squared", "logistic", "squared_hinge")) for (m in 2:3) {
    set.seed(m)
    problem <- random_problem(8, 4, loss, uniform = m == 2)
    xa <- augmented(model, problem$dense, m)
    Q <- matrix(rnorm(2 * ncol(xa), sd = 0.5), ncol(xa))
    extra <- ncol(xa) - 4
    theta <- if (model == "simplex") seq_len(m) / sum(seq_len(m))
    start <- list(intercept = 0.1, gamma = if (extra) Q[seq_len(extra), , drop = FALSE],
                  P = stats::setNames(list(Q[extra + 1:4, ]), if (model == "all_subsets") "all" else m), theta = theta)
    spec <- list(model = model, order = if (model == "all_subsets") NA_integer_ else m, rank = 2L, lambda = 0.01, loss = loss,
                 solver = "cd", intercept = TRUE, linear = FALSE)
    fit <- fit_from(problem, spec, start, max_iter = 1, tol = 0)
    twin <- cd_epoch_shared_slow(model, 0.1, Q, xa, problem$y, m, 0.01, loss, problem$weights, theta)
    expect_equal(fit$intercept, twin$b)
    got <- rbind(if (model == "polynomial") matrix(fit$gamma, 1) else fit$gamma, unname(fit$P[[1]]))
    expect_equal(got, twin$Q, tolerance = 1e-9)
  }
})

test_that("theta lies on the simplex, minimises, and the objective never rises", {
  set.seed(3)
  x <- matrix(rnorm(400), 50)
  y <- x[, 1] * x[, 2] + rnorm(50, sd = 0.1)
  for (loss in names(losses_slow)) {
    response <- switch(loss, squared = y, poisson = floor(exp(pmin(y, 2))), ifelse(y > 0, 1, -1))
    fit <- fit_for("simplex", x, response, 3, rank = 3, loss = loss, lambda = 1e-3, control = hofm_control(max_iter = 60, tol = 0, seed = 1))
    expect_true(all(fit$theta >= 0))
    expect_lt(abs(sum(fit$theta) - 1), 1e-12)
    expect_true(all(diff(fit$trace$objective) <= 1e-12 * abs(fit$objective)))
  }
  # a response made of degree 2 alone gives that degree most of the weight
  expect_identical(which.max(fit_for("simplex", x, y, 3, rank = 3, control = hofm_control(seed = 1, max_iter = 300))$theta), 2L)
})

test_that("theta of the shared model is gamma unrolled, and both predict the same", {
  g <- c(0.7, -1.3, 0.4)
  expect_equal(theta_from_gamma(matrix(g[1], 1)), matrix(c(g[1], 1), 2))                                # order 2 of the paper
  expect_equal(theta_from_gamma(matrix(g[1:2], 2)), matrix(c(g[1] * g[2], g[1] + g[2], 1), 3))          # order 3
  expect_equal(theta_from_gamma(matrix(g, 3))[1:2], c(prod(g), g[1] * g[2] + g[1] * g[3] + g[2] * g[3]))
  set.seed(4)
  x <- matrix(rnorm(60), 10)
  for (m in 2:5) {
    fit <- fit_for("shared", x, rnorm(10), m, rank = 2)
    by_theta <- fit$intercept + rowSums(vapply(1:2, function(s) {
      apply(x, 1, function(row) sum(fit$theta[, s] * vapply(seq_len(m), function(t) anova_slow(fit$P[[1]][, s], row, t), 0)))
    }, numeric(10)))
    expect_equal(predict(fit, x), by_theta, tolerance = 1e-10)
  }
})

test_that("the identities between the models hold", {
  set.seed(5)
  x <- matrix(rnorm(40), 8)
  P <- matrix(rnorm(10), 5)
  value <- function(kernel, degree, P, ...) {
    term_values_cpp(list(list(x = as(as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix"), "CsparseMatrix"), index = NULL)),
                    list(intercept = 0, fit_intercept = TRUE, terms = list(new_term(kernel, degree, 0, P, ...))), 1)[, 1]
  }
  all_degrees <- 2 + rowSums(vapply(1:5, function(t) {
    rowSums(vapply(1:2, function(s) apply(x, 1, function(row) anova_slow(P[, s], row, t)), numeric(8)))
  }, numeric(8)))
  expect_equal(value("all_subsets", 1L, P), all_degrees)                                 # S = 1 + sum of all A^t
  expect_equal(value("polynomial", 1L, rbind(1:2, P), augment = 1L), 3 + drop(x %*% rowSums(P)))   # m = 1 is linear
  xx <- x %*% P
  expect_equal(value("anova", 2L, P), rowSums(xx^2 - x^2 %*% P^2) / 2)                   # the textbook FM, eq. (2)
  expect_equal(value("anova", 2L, rbind(1:2, P), augment = 1L), drop(xx %*% 1:2) + rowSums(xx^2 - x^2 %*% P^2) / 2)
  expect_equal(value("bilinear", 2L, P, split = 2L), rowSums((x[, 1:2] %*% P[1:2, ]) * (x[, 3:5] %*% P[3:5, ])))
})

test_that("all solvers of a model agree from one start", {
  set.seed(6)
  x <- matrix(rnorm(600), 150)
  y <- 1 + x[, 1] + x[, 1] * x[, 2] + rnorm(150, sd = 0.1)
  for (model in c("shared", "all_subsets", "polynomial")) {
    init <- list(intercept = 0, P = stats::setNames(list(matrix(rnorm(4, sd = 0.3), 4)), if (model == "all_subsets") "all" else "2"))
    objective <- vapply(c("cd", "lbfgs", "adagrad", "sgd"), function(solver) {
      fit_for(model, x, y, 2, rank = 1, lambda = 0.05, solver = solver, init = init,
              control = hofm_control(max_iter = 5000, tol = 1e-9, seed = 1))$objective
    }, 0)
    expect_lt(diff(range(objective)) / min(objective), 1e-4)
  }
})

test_that("all models find a planted third-order interaction that order 2 cannot", {
  set.seed(7)
  x <- matrix(rnorm(2400), 400, dimnames = list(NULL, letters[1:6]))
  y <- 2 * x[, "b"] * x[, "c"] * x[, "f"] + rnorm(400, sd = 0.2)
  for (model in c("hofm", "shared", "simplex", "all_subsets")) {
    fit <- fit_for(model, x, y, 3, rank = 6, control = hofm_control(seed = 2))
    expect_identical(unlist(interactions(fit, 3, 1)[1:3], use.names = FALSE), c("b", "c", "f"))
    expect_gt(1 - fit$deviance / fit$null.deviance, 0.9)
  }
  second <- fit_for("hofm", x, y, 2, rank = 6, control = hofm_control(seed = 2))
  expect_lt(1 - second$deviance / second$null.deviance, 0.5)
})

test_that("a saved fit of any model predicts the same in a new process", {
  skip_if_broken("callr")
  set.seed(8)
  x <- matrix(rnorm(60), 15)
  fits <- lapply(stats::setNames(nm = c("hofm", shared_models)), function(model) fit_for(model, x, rnorm(15), 3, rank = 2))
  file <- tempfile(fileext = ".rds")
  saveRDS(fits, file)
  there <- callr::r(function(file, x) lapply(readRDS(file), function(fit) predict(fit, x)), list(file, x), package = "hofm")
  expect_identical(there, lapply(fits, predict, x))
})

test_that("one row, no rows and nearly empty rows are fine for every model", {
  set.seed(9)
  x <- matrix(ifelse(runif(60) < 0.2, 1, 0), 15)
  x[1, ] <- 0
  for (model in c("hofm", shared_models)) {
    y <- rnorm(15)
    fit <- fit_for(model, x, y, 4, rank = 2)
    expect_length(predict(fit, x[2, , drop = FALSE]), 1)
    expect_identical(predict(fit, x[0, , drop = FALSE]), numeric())
    expect_identical(ncol(predict(fit, x[0, , drop = FALSE], type = "terms")), length(degree_names(fit)))
    expect_true(all(is.finite(predict(fit, x))))
    expect_output(print(fit))
    expect_output(print(summary(fit)))
    expect_s3_class(as.data.frame(fit), "data.frame")
    again <- fit_for(model, x, y, 4, rank = 2, init = fit)      # goes on where the first one stopped
    expect_equal(again$trace$objective[1], fit$objective, tolerance = 1e-10)
  }
})

test_that("what a model cannot take is said", {
  x <- matrix(rnorm(40), 10)
  y <- rnorm(10)
  expect_error(hofm(x, y, model = "all_subsets", order = 3), "`order` must not be given", class = "hofm_error_input")
  without <- collapsing(hofm(x, y, model = "all_subsets", rank = 2, control = quick()))
  for (none in list(NA, NA_integer_, NA_real_)) {
    expect_identical(coef(collapsing(hofm(x, y, model = "all_subsets", order = none, rank = 2, control = quick()))), coef(without))
    expect_error(hofm(x, y, model = "hofm", order = none), "`order` must be", class = "hofm_error_input")
    expect_error(cv_hofm(x, y, model = "shared", order = none), "`order` must be", class = "hofm_error_input")
  }
  cv <- cv_hofm(x, y, model = "all_subsets", order = NA, rank = 1, nfolds = 2, lambda = 1, control = quick())
  expect_identical(cv$order, NA_integer_)
  expect_error(hofm(x, y, model = "all_subsets", order = NaN), "`order` must not be given", class = "hofm_error_input")
  expect_error(cv_hofm(x, y, order = c(1, NA)), "`order` must be one or more whole numbers", class = "hofm_error_input")
  expect_error(hofm(x, y, model = "shared", order = 1), "`order` must be", class = "hofm_error_input")
  expect_error(hofm(x, y, model = "shared", linear = TRUE), "`linear` must not be TRUE", class = "hofm_error_input")
  expect_error(hofm(x, y, model = "shared", order = 3, rank = c(2, 3)), "`rank` must be", class = "hofm_error_input")
  expect_error(hofm(x, y, model = "polynomial", lambda = c(1, 2)), "`lambda` must be", class = "hofm_error_input")
  expect_error(hofm(x, y, model = "simplex", solver = "sgd"), "`solver` must be \"auto\" or \"cd\"", class = "hofm_error_input")
  expect_error(hofm(x, y, model = "bilinear"), "link_pairs", class = "hofm_error_input")
  expect_error(hofm(x, y, model = "other"), "`model` must be", class = "hofm_error_input")
})

test_that("damaged fits of these models are refused", {
  set.seed(10)
  x <- matrix(rnorm(40), 10)
  for (model in shared_models) {
    fit <- fit_for(model, x, rnorm(10), 3, rank = 2)
    damage <- function(field, value) replace(fit, field, list(value))
    expect_error(predict(damage("P", list(1)), x), class = "hofm_error_damaged_fit")
    expect_error(predict(damage("gamma", "a"), x), class = "hofm_error_damaged_fit")
    expect_error(predict(damage("theta", matrix(NA_real_, 3, 2)), x), class = "hofm_error_damaged_fit")
    expect_error(predict(damage("model", "hofm"), x), class = "hofm_error_damaged_fit")
  }
})

test_that("the start of mixed models is solved for whatever the scale of the response", {
  for (goal in c(1e-300, 1e-20, 1, 1e20, 1e300)) {
    spread <- c(0, 2, 1e-200, 5)
    weights <- c(3, 0.5, 1, 2)
    sd <- solve_spread(spread, weights, goal)
    expect_equal(sum(weights * spread * sd^(2 * 1:4)) / goal, 1, tolerance = 1e-4)
  }
  expect_identical(solve_spread(c(1, 1), c(1, 1), 0), NaN)
  expect_identical(solve_spread(c(0, 0), c(1, 1), 1), NaN)
  x <- matrix(rnorm(40), 10)
  for (scale in c(1e-170, 1e-30, 1e100)) {
    fit <- suppressWarnings(hofm(x, rnorm(10) * scale, model = "shared", rank = 2, control = hofm_control(max_iter = 2)))
    expect_true(all(is.finite(fit$P[["2"]])))
  }
})

test_that("features too small to tell the degrees apart leave theta on the simplex", {
  set.seed(6)
  x <- matrix(rnorm(60) * 1e-40, 12)
  fit <- suppressWarnings(hofm(x, rnorm(12), model = "simplex", order = 3, rank = 2, control = hofm_control(max_iter = 5)))
  expect_equal(sum(fit$theta), 1)
  expect_true(all(fit$theta >= 0))
})

test_that("a polynomial network of order 1 starts without a warning", {
  set.seed(7)
  x <- matrix(rnorm(40), 10)
  expect_no_warning(hofm(x, x[, 1], model = "polynomial", order = 1, rank = 2), message = "NaN")
})

test_that("a polynomial network starts with a tenth of the response's spread, and gamma is drawn like P", {
  set.seed(6)
  x <- matrix(rnorm(60 * 5), 60)
  for (scale in c(1e-3, 1, 1e4, 1e200)) for (m in 2:3) {
    problem <- list(blocks = list(list(x = as_design(scale * x)$x, index = NULL)), y = rnorm(60, sd = 3), weights = rep(1 / 60, 60),
                    offset = numeric(), task = list(kind = "samples"), n = 60, features = letters[1:5])
    spec <- list(model = "polynomial", order = m, rank = 7L, linear = FALSE, intercept = TRUE, loss = "squared")
    starts <- lapply(1:400, function(draw) starting_values(problem, spec, NULL))
    size <- function(start) mean(rowSums((outer(rep(1, 60), start$gamma[1, ]) + x %*% (scale * start$P[[1]]))^m)^2)
    goal <- 0.1^2 * mean((problem$y - mean(problem$y))^2)
    expect_equal(mean(vapply(starts, size, 0)) / goal, 1, tolerance = 0.25)
    spread <- vapply(starts, function(start) c(mean(abs(start$gamma)), mean(abs(start$P[[1]]))), numeric(2))
    expect_equal(mean(spread[1, ]) / mean(spread[2, ]), 1, tolerance = 0.1)
  }
  problem$y <- rep(3, 60)
  expect_gt(sd(starting_values(problem, spec, NULL)$gamma), 0)
  expect_identical(starting_gamma(list(model = "shared", order = 3, rank = 2L), 1), matrix(1, 2, 2))
})
