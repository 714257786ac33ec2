test_that("a summary counts and measures each degree", {
  x <- small_matrix()
  fit <- hofm(x, small_response(x), order = 3, rank = c(3, 0), lambda = c(1, 2, 3) / 100, control = quick())
  s <- summary(fit)
  expect_equal(s$degrees$degree, 1:3)
  expect_equal(s$degrees$parameters, c(4, 12, 0))
  expect_equal(s$degrees$norm, c(sqrt(sum(fit$w^2)), sqrt(sum(fit$P[["2"]]^2)), 0))
  expect_equal(s$parameters, 17)
  expect_equal(s$explained, 1 - fit$deviance / fit$null.deviance)
  expect_equal(s$trace, utils::tail(fit$trace, 5))
  capture.output(shown <- withVisible(print(s)))
  expect_false(shown$visible)
  expect_identical(shown$value, s)
})

test_that("a weight of zero is no interaction", {
  x <- small_matrix()
  fit <- hofm(x, small_response(x), order = 3, rank = 1, lambda = 0.01, control = quick())
  fit$P[["2"]][] <- c(1, 2, 0, 0)
  fit$P[["3"]][] <- 0
  expect_equal(summary(fit)$strongest, data.frame(degree = 2L, interaction = "a \u00d7 b", weight = 2))
  fit$P[["2"]][] <- 0
  expect_null(summary(fit)$strongest)
})

test_that("a summary prints", {
  x <- small_matrix()
  fit <- hofm(x, small_response(x), order = 2, rank = 1, lambda = 0.01, solver = "cd",
              control = hofm_control(max_iter = 1, seed = 1))
  fit$trace <- data.frame(iteration = 0:1, seconds = c(0, 0.5), objective = c(1, 0.25))
  fit$w[] <- c(3, 4, 0, 0)
  fit$P[["2"]][] <- c(1, 0, 0, 0)
  fit$objective <- 0.25
  fit$deviance <- 2.5
  fit$null.deviance <- 10
  expect_snapshot(print(summary(fit)))
})
