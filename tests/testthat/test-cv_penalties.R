test_that("the default path begins where next to nothing is left, passes what hofm() would choose, and spans what was asked for", {
  data <- product_data()
  for (order in 1:3) for (scale in c(0.01, 100)) {
    x <- data$x * scale
    run <- function(...) cv_hofm(x, data$y, order = order, rank = 2, nfolds = 3, n_lambda = 9, control = hofm_control(seed = 1), ...)
    cv <- run()
    at <- function(lambda) sd(fitted(collapsing(hofm(x, data$y, order = order, rank = 2, lambda = lambda, control = hofm_control(seed = 1)))))
    expect_lt(at(cv$lambda_degrees[1, ]), 0.051 * sd(data$y))
    expect_gt(at(cv$lambda_degrees[1, ] / 10), 0.051 * sd(data$y))
    chosen <- hofm(x, data$y, order = order, rank = 2, control = hofm_control(seed = 1))$lambda[1]
    expect_lt(min(cv$lambda), chosen / 2.9)
    steps <- diff(log(run(lambda_min_ratio = 1e-6)$lambda))
    expect_equal(steps, rep(log(1e-6) / 8, length(steps)))
  }
  expect_equal(cv_hofm(data$x, data$y, order = 1, lambda = "paper", nfolds = 3)$lambda, 10^(6:-6))
})

test_that("penalties of degrees follow the prior variance of what they add", {
  spec <- check_specs(3, 2, "hofm", "squared", "cd", TRUE, NULL)[[1]]
  centre <- list(lambda = 1:3)
  expect_equal(path_powers(spec, centre), 1 / 1:3)
  expect_equal(path_powers(spec, NULL), c(1, 1, 1))
  expect_equal(path_powers(replace(spec, "linear", FALSE), centre), 2 / 1:3)
  shared <- check_specs(3, 2, "shared", "squared", "cd", TRUE, NULL)[[1]]
  expect_equal(path_powers(shared, centre), 1)
  # a prior N(0, noise / (n lambda_t)) on k factors gives degree t a variance of k (noise / (n lambda_t))^t E_t: ten times all of them
  variance <- function(lambda) (1 / lambda)^(1:3)
  expect_equal(variance(c(5, 2, 3) * 0.1^path_powers(spec, centre)), 10 * variance(c(5, 2, 3)))
})

test_that("a doubtful degree is on the path at its best penalty, a useless one is not", {
  centre <- list(lambda = c(1, 8, 9), off = 2:3, tuning = list(loss = 10, table = data.frame(
    degree = c(1, 2, 2, 2, 3, 3), lambda = c(2, 16, 4, 1, 9, 3), exponent = 0, loss = c(10, 10, 9.9, 12, 10.1, 11))))
  expect_identical(with_doubtful_degrees(centre)[c("lambda", "off")], list(lambda = c(1, 2, 9), off = 3L))
})

test_that("smaller orders take their penalties from the largest of the same rank", {
  specs <- check_specs(1:3, c(2, 4), "hofm", "squared", "cd", TRUE, NULL)
  kind <- paste(vapply(specs, function(spec) spec$order, 0L), vapply(specs, shown_rank, 0L))
  expect_identical(kind[largest_of(specs)[match(c("2 2", "2 4", "3 2", "3 4"), kind)]], c("3 2", "3 4", "3 2", "3 4"))
  expect_true(grepl("^3", kind[largest_of(specs)[kind == "1 0"]]))
  expect_identical(largest_of(check_specs(NULL, 1:2, "all_subsets", "squared", "cd", TRUE, NULL)), 1:2)
})

test_that("order 3 is not penalised away", {
  data <- seeded(34, {
    x <- matrix(rnorm(500 * 6), 500)
    list(x = x, y = 2 * x[, 1] * x[, 2] * x[, 3] + x[, 4] + rnorm(500, sd = 0.3))
  })
  cv <- cv_hofm(data$x, data$y, order = 1:3, rank = 2, nfolds = 3, control = hofm_control(seed = 1))
  expect_identical(cv$order, 3L)
  expect_lt(min(cv$cvm), 0.2)
})
