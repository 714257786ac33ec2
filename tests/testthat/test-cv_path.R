test_that("the path is as good as fits from random starts", {
  data <- product_data(200)
  spec <- check_specs(2, 3, "hofm", "squared", "cd", TRUE, NULL)[[1]]
  problem <- row_task(c(learn_design(data$x), list(y = data$y)), spec, quick())$problem
  lambda <- 10^seq(1, -3, length.out = 15)
  for (seed in 1:3) {
    control <- hofm_control(tol = 1e-9, max_iter = 5000, seed = seed)
    sweeps <- 0
    path <- lambda_path(problem, spec, lambda, control, seed, function(l, fit) sweeps <<- sweeps + max(fit$trace$iteration))
    apart <- lapply(lambda, function(l) expect_collapse(fit_model(problem, with_lambda(spec, l), control)))
    expect_true(all(path <= vapply(apart, `[[`, 0, "objective") * (1 + 1e-4)))
    expect_lt(sweeps, sum(vapply(apart, function(fit) max(fit$trace$iteration), 0)))
  }
})

test_that("factors that the penalty has pulled to zero come back at smaller lambdas", {
  set.seed(34)
  x <- matrix(rnorm(400 * 5), 400)
  y <- 2 * x[, 1] * x[, 2] * x[, 3] + rnorm(400, sd = 0.3)
  cv <- cv_hofm(x, y, order = 3, rank = 2, nfolds = 3, lambda = 10^(2:-3))
  expect_gt(cv$cvm[1], 0.8 * var(y))
  expect_lt(min(cv$cvm), 0.1 * var(y))
})

test_that("the default path begins where next to nothing is left and spans what was asked for", {
  data <- product_data()
  for (order in 1:3) for (scale in c(0.01, 100)) {
    cv <- cv_hofm(data$x * scale, data$y, order = order, rank = 2, nfolds = 3, n_lambda = 5, control = hofm_control(seed = 1))
    expect_length(cv$lambda, 5)
    expect_equal(diff(log10(cv$lambda)), rep(-1, 4))
    at <- function(lambda) {
      sd(fitted(collapsing(hofm(data$x * scale, data$y, order = order, rank = 2, lambda = lambda, control = hofm_control(seed = 1)))))
    }
    expect_lt(at(cv$lambda[1]), 0.051 * sd(data$y))
    expect_gt(at(cv$lambda[1] / 10), 0.051 * sd(data$y))
  }
  expect_equal(cv_hofm(data$x, data$y, order = 1, lambda = "paper", nfolds = 3)$lambda, 10^(6:-6))
})
