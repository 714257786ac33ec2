test_that("the gradient that L-BFGS follows equals finite differences", {
  for (loss in names(losses_slow)) {
    for (order in 1:6) {
      set.seed(order)
      problem <- random_problem(9, 5, loss, uniform = order %% 2 == 0, offset = TRUE)
      start <- random_model(5, order, sd = 0.4)
      spec <- spec_for(order, loss = loss, lambda = 0.1)
      at <- c(start$intercept, start$w, unlist(start$P))
      model_at <- function(v) {
        P <- start$P
        at <- 6
        for (t in names(P)) {
          P[[t]][] <- v[at + seq_along(P[[t]])]
          at <- at + length(P[[t]])
        }
        list(intercept = v[1], w = v[2:6], P = P)
      }
      fast <- function(v) {
        objective_cpp(problem$blocks, problem[c("y", "weights", "offset")], cpp_model(model_at(v), spec),
                      solver_options(spec, hofm_control(), 1))
      }
      slow <- function(v) {
        objective_slow(model_at(v), problem$dense, problem$y, loss, rep(0.1, order), problem$weights, offsets(problem))
      }
      expect_equal(fast(at)$value, slow(at))
      expect_gradient(slow, function(v) unlist(fast(v)[c("intercept", "P")]), at)
    }
  }
})

test_that("all solvers reach the same objective from the same start", {
  set.seed(21)
  x <- matrix(rnorm(300 * 5), 300)
  truth <- random_model(5, 2, k = 1)
  f <- link_slow(truth, x)
  for (loss in names(losses_slow)) {
    y <- switch(loss, squared = f + rnorm(300, sd = 0.1), poisson = rpois(300, exp(pmin(f, 3))), ifelse(f > 0, 1, -1))
    init <- random_model(5, 2, k = 1, sd = 0.3)
    objective <- vapply(c("cd", "lbfgs", "adagrad", "sgd"), function(solver) {
      expect_warning(fit <- hofm(x, y, rank = 1, lambda = 0.05, loss = loss, solver = solver, init = init,
                                 control = hofm_control(max_iter = 5000, tol = 1e-9, seed = 1)), NA)
      fit$objective
    }, 0)
    expect_lt(diff(range(objective)) / min(objective), 1e-4)
  }
})

test_that("order 1 is ridge regression: closed form and glmnet", {
  set.seed(22)
  n <- 80
  x <- matrix(rnorm(n * 6), n)
  y <- drop(x %*% rnorm(6)) + rnorm(n)
  fit <- paper_fit(x, y, order = 1, lambda = 0.3, control = hofm_control(tol = 0, max_iter = 2000))
  xc <- scale(x, scale = FALSE)
  ridge <- solve(crossprod(xc) / n + 0.3 * diag(6), crossprod(xc, y - mean(y)) / n)
  expect_equal(unname(fit$w), drop(ridge), tolerance = 1e-8)
  expect_equal(fit$intercept, mean(y) - sum(colMeans(x) * ridge), tolerance = 1e-8)

  skip_if_broken("glmnet")
  # glmnet's ridge penalty is meant for a response of unit variance, so it is given one
  sd_y <- sqrt(mean((y - mean(y))^2))
  theirs <- function(...) do.call(glmnet::glmnet, c(list(x, ..., alpha = 0, standardize = FALSE), exact_glmnet()))
  other <- theirs(y / sd_y, lambda = 0.3)
  expect_equal(unname(fit$w), unname(as.numeric(other$beta)) * sd_y, tolerance = 1e-6)
  cls <- factor(ifelse(y > 0, "b", "a"))
  for (solver in c("cd", "lbfgs")) {
    logistic <- paper_fit(x, cls, order = 1, lambda = 0.05, solver = solver, control = hofm_control(tol = 1e-15, max_iter = 5000))
    g <- theirs(cls, family = "binomial", lambda = 0.05)
    expect_equal(unname(logistic$w), as.numeric(g$beta), tolerance = 1e-6)
    expect_equal(logistic$intercept, unname(g$a0), tolerance = 1e-6)
  }
})

test_that("a weight of 2 is a row given twice, an offset a shifted response", {
  set.seed(23)
  x <- matrix(rnorm(60), 20)
  y <- x[, 1] * x[, 2] * x[, 3] + rnorm(20)
  twice <- rep(1:2, 10)
  init <- random_model(3, 3)
  for (solver in c("cd", "lbfgs")) {
    control <- hofm_control(max_iter = 30, tol = 0)
    weighted <- paper_fit(x, y, order = 3, rank = 2, weights = twice, init = init, solver = solver, control = control)
    doubled <- paper_fit(x[rep(1:20, twice), ], rep(y, twice), order = 3, rank = 2, init = init, solver = solver, control = control)
    expect_equal(weighted$P, doubled$P, tolerance = 1e-8)
    expect_equal(weighted$objective, doubled$objective, tolerance = 1e-10)
    o <- rnorm(20)
    offset <- paper_fit(x, y, order = 3, rank = 2, offset = o, init = init, solver = solver, control = control)
    shifted <- paper_fit(x, y - o, order = 3, rank = 2, init = init, solver = solver, control = control)
    expect_equal(offset$P, shifted$P, tolerance = 1e-8)
  }
})

test_that("same seed, same bits, for any number of threads and every solver", {
  set.seed(24)
  x <- Matrix::rsparsematrix(600, 30, 0.2)
  y <- as.numeric(x[, 1] * x[, 2] + rnorm(600))
  for (solver in c("cd", "lbfgs", "adagrad", "sgd")) {
    fits <- lapply(c(1, 2, 3, 8), function(threads) {
      fit <- hofm(x, y, order = 3, rank = 5, solver = solver,
                  control = hofm_control(seed = 3, threads = threads, max_iter = 5))
      fit[c("intercept", "w", "P", "objective", "linear.predictors")]
    })
    for (k in 2:4) expect_identical(fits[[k]], fits[[1]])
  }
  set.seed(5)
  a <- paper_fit(x, y, rank = 2)
  b <- paper_fit(x, y, rank = 2)
  set.seed(5)
  expect_identical(paper_fit(x, y, rank = 2)$P, a$P)
  expect_false(identical(a$P, b$P))
  state <- .Random.seed
  hofm(x, y, rank = 2, control = hofm_control(seed = 9))
  expect_identical(.Random.seed, state)
})

test_that("predictions do not depend on threads either", {
  set.seed(25)
  x <- Matrix::rsparsematrix(500, 20, 0.3)
  fit <- hofm(x, rnorm(500), order = 4, rank = 3, control = hofm_control(max_iter = 3))
  expect_identical(predict(fit, x, threads = 1), predict(fit, x, threads = 7))
})

test_that("the default start finds a strong third-order signal", {
  for (seed in 1:3) {
    set.seed(seed)
    x <- matrix(rnorm(600 * 8), 600)
    y <- 2 * x[, 1] * x[, 2] * x[, 3] + rnorm(600, sd = 0.3)
    for (solver in c("cd", "lbfgs", "adagrad", "sgd")) {
      fit <- hofm(x, y, order = 3, rank = 4, solver = solver)
      expect_gt(sum(fit$P[["3"]]^2), 1)
      expect_lt(mean(residuals(fit)^2), 0.1 * var(y))
    }
  }
})

test_that("the start has the spread that it promises, whatever the scale of the data", {
  set.seed(26)
  problem <- random_problem(400, 12, density = 0.8)
  for (scale in c(1e-6, 1, 1e6)) {
    scaled <- problem
    scaled$blocks[[1]]$x <- problem$blocks[[1]]$x * scale
    spec <- spec_for(4, k = 200)
    start <- starting_values(scaled, spec, NULL)
    for (t in 2:4) {
      model <- list(model = "hofm", order = 4, linear = FALSE, intercept = 0, P = start$P[as.character(t)],
                    lambda = numeric(4), rank = ifelse(2:4 == t, 200, 0))
      values <- degree_values(model, scaled$blocks, 1)[, 1 + t]
      expect_equal(sqrt(mean(values^2)), init_share * sqrt(response_variance(problem, "squared")), tolerance = 0.5)
    }
  }
  set.seed(1)
  P <- starting_values(problem, spec_for(3, 500), c(0.5, 2))$P
  expect_equal(vapply(P, sd, 0), c("2" = 0.5, "3" = 2), tolerance = 0.05)
})

test_that("factors that end at zero are reported", {
  set.seed(27)
  x <- matrix(rnorm(200), 50)
  expect_warning(
    fit <- hofm(x, rnorm(50), order = 3, rank = c(0, 2), lambda = 10),
    "P\\[\\[\"3\"\\]\\] ended at zero", class = "hofm_warning_collapsed"
  )
  expect_equal(max(abs(fit$P[["3"]])), 0, tolerance = 1e-6)
})

test_that("features without a nonzero get zero factors", {
  set.seed(28)
  x <- cbind(matrix(rnorm(100), 25), 0)
  for (solver in c("cd", "lbfgs", "adagrad", "sgd")) {
    fit <- hofm(x, rnorm(25), order = 3, rank = 2, solver = solver, control = hofm_control(max_iter = 5))
    expect_true(all(fit$P[["2"]][5, ] == 0) && all(fit$P[["3"]][5, ] == 0))
    expect_identical(fit$w[[5]], 0)
  }
})

test_that("auto says what it chose", {
  x <- matrix(rnorm(60), 20)
  chosen <- function(...) suppressWarnings(hofm(x, rpois(20, 2) + 0:1, rank = 1, ..., control = hofm_control(max_iter = 1)))$solver
  expect_identical(chosen(), "cd")
  expect_identical(chosen(order = 5), "cd")
  expect_identical(chosen(model = "polynomial"), "lbfgs")
  expect_identical(chosen(model = "simplex", loss = "poisson"), "cd")
  expect_identical(chosen(loss = "poisson"), "lbfgs")
  expect_identical(chosen(solver = "sgd"), "sgd")
})

test_that("a response whose squares overflow is an error, not a fit with an infinite objective", {
  set.seed(5)
  x <- matrix(rnorm(30), 10)
  for (solver in c("cd", "lbfgs", "adagrad", "sgd")) {
    expect_error(suppressWarnings(hofm(x, rnorm(10) * 1e200, rank = 2, solver = solver)), class = "hofm_error_diverged")
  }
})

test_that("a degree above the number of features stays at zero instead of following rounding errors", {
  set.seed(6)
  x <- matrix(rnorm(60), 20)
  for (solver in c("cd", "lbfgs", "adagrad", "sgd")) {
    fit <- suppressWarnings(hofm(x, rnorm(20), order = 7, rank = 3, lambda = 0, solver = solver, control = hofm_control(max_iter = 20)))
    for (t in as.character(4:7)) expect_identical(unname(fit$P[[t]]), matrix(0, 3, 3))
    expect_true(any(fit$P[["3"]] != 0))
  }
})

test_that("a seed starts the same fit whatever kind of generator R is at, and leaves that kind alone", {
  x <- small_matrix()
  y <- small_response(x)
  fit <- quick_fit(x, y)
  old <- RNGkind("L'Ecuyer-CMRG", "Box-Muller")
  on.exit(RNGkind(old[1], old[2]))
  expect_identical(coef(quick_fit(x, y)), coef(fit))
  expect_identical(RNGkind()[1:2], c("L'Ecuyer-CMRG", "Box-Muller"))
})

test_that("the trace of L-BFGS has a row for each iteration, and its message counts them", {
  x <- small_matrix(60)
  y <- small_response(x)
  for (max_iter in c(1, 3, 25)) for (loss in c("squared", "poisson")) {
    response <- if (loss == "poisson") round(abs(y)) else y
    control <- hofm_control(max_iter = max_iter, tol = 0, seed = 1)
    fit <- suppressWarnings(paper_fit(x, response, order = 3, rank = 2, loss = loss, solver = "lbfgs", control = control))
    expect_identical(fit$trace$iteration, 0:as.integer(max_iter))
    expect_false(anyNA(fit$trace$objective) || is.unsorted(rev(fit$trace$objective)))
    expect_identical(fit$trace$objective[max_iter + 1], fit$objective)
    expect_match(fit$message, sprintf("not converged after %d iterations", max_iter))
  }
  done <- paper_fit(x, y, rank = 2, lambda = 0.1, solver = "lbfgs", control = hofm_control(tol = 1e-14, seed = 1, max_iter = 500))
  expect_true(done$converged)
  expect_identical(done$trace$iteration, seq_len(nrow(done$trace)) - 1L)
  expect_identical(tail(done$trace$objective, 1), done$objective)
})
