test_that("convergence is drawn on a log scale when the objective is positive", {
  fit <- still_fit()
  expect_true(drawn(plot(fit, "convergence", "seconds")))
  expect_true(drawn(plot(fit, "convergence", against = "iteration", main = "title", col = "black")))
  fit$trace$objective <- fit$trace$objective - 1
  expect_false(drawn(plot(fit, "convergence", "seconds")))
  drawn(shown <- plot(fit, "convergence", "seconds"))
  expect_equal(shown, fit$trace, ignore_attr = TRUE)
})

test_that("rows that are not finite are left out, and a trace without others is an error", {
  skip_if_broken("ggplot2")
  fit <- still_fit()
  fit$trace$objective[2:3] <- c(NaN, Inf)
  fit$trace$seconds[5] <- NA
  drawn(shown <- plot(fit, "convergence", "seconds"))
  expect_identical(shown$iteration, c(0L, 3L, 5L, 6L))
  expect_equal(ggplot2::layer_data(ggplot2::autoplot(fit, "convergence", "seconds"), 1)$x, fit$trace$seconds[c(1, 4, 6, 7)])
  fit$trace$objective <- NaN
  expect_error(plot(fit, "convergence", "seconds"), "trace has no finite values", class = "hofm_error_damaged_fit")
  for (trace in list(NULL, fit$trace[0, ], fit$trace[-3], list(), "a", transform(fit$trace, objective = "a"))) {
    fit["trace"] <- list(trace)
    expect_error(plot(fit, "convergence", "seconds"), class = "hofm_error_damaged_fit")
    expect_error(ggplot2::autoplot(fit, "convergence", "seconds"), class = "hofm_error_damaged_fit")
  }
})

test_that("one row, a constant and the extremes are drawn", {
  skip_if_broken("ggplot2")
  fit <- still_fit()
  for (objective in list(0.5, rep(2, 7), 0, c(1e-300, 1e300), c(0, 1e308), -5)) {
    fit$trace <- data.frame(iteration = seq_along(objective), seconds = seq_along(objective) / 9, objective = objective)
    expect_silent(drawn(plot(fit, "convergence", "seconds")))
    expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(fit, "convergence", "seconds")))
  }
})

test_that("the end point is filled when the solver converged", {
  skip_if_broken("ggplot2")
  fit <- still_fit()
  shape <- function(fit) ggplot2::layer_data(ggplot2::autoplot(fit, "convergence", "seconds"), 2)[c("x", "shape")]
  expect_equal(shape(fit), data.frame(x = 0.06, shape = 19), ignore_attr = TRUE)
  fit$converged <- FALSE
  expect_equal(shape(fit)$shape, 1)
})

test_that("convergence looks as it did", {
  fit <- still_fit()
  expect_picture("convergence", plot(fit, "convergence", "seconds"), ggplot2::autoplot(fit, "convergence", "seconds"))
  fit$converged <- FALSE
  fit$trace$objective <- fit$trace$objective * -1e6
  expect_picture("convergence, negative", plot(fit, "convergence", against = "iteration"), ggplot2::autoplot(fit, "convergence", against = "iteration"))
})

validated_fit <- function() {
  fit <- still_fit()
  fit$validation <- list(rows = 1:5, trace = data.frame(iteration = 0:6, loss = c(4, 2, 1.2, 0.9, 0.8, 1, 1.3)), best = 4L)
  fit
}

test_that("the loss on rows held out is drawn beside the objective", {
  skip_if_broken("ggplot2")
  fit <- validated_fit()
  drawn(shown <- plot(fit, "convergence", "seconds"))
  expect_identical(shown$validation, fit$validation$trace$loss)
  expect_identical(attr(shown, "best"), 4L)
  layers <- lapply(2:3, ggplot2::layer_data, plot = ggplot2::autoplot(fit, "convergence", "seconds"))
  expect_equal(layers[[1]]$xintercept, 0.04)
  expect_equal(10^layers[[2]]$y, fit$validation$trace$loss)
  fit$trace$objective[2] <- NaN
  fit$validation$trace$loss[4] <- Inf
  drawn(shown <- plot(fit, "convergence", "seconds"))
  expect_identical(shown$validation, c(4, 1.2, NA, 0.8, 1, 1.3))
  expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(fit, "convergence", "seconds")))
  fit$validation$trace$loss <- 0
  expect_false(drawn(plot(fit, "convergence", "seconds")))
  for (trace in list(NULL, "a", data.frame(iteration = 1:2), data.frame(iteration = 20, loss = 1))) {
    fit$validation["trace"] <- list(trace)
    drawn(shown <- plot(fit, "convergence", "seconds"))
    expect_named(shown, c("iteration", "seconds", "objective"))
  }
})

test_that("a fit that stopped early shows where", {
  x <- small_matrix(80)
  fit <- hofm(x, small_response(x), rank = 2, solver = "adagrad", control = quick(validation = 0.3))
  drawn(shown <- plot(fit, "convergence", against = "iteration"))
  expect_equal(shown$iteration[which.min(shown$validation)], fit$validation$best)
})

test_that("convergence with validation looks as it did", {
  fit <- validated_fit()
  expect_picture("convergence, validation", plot(fit, "convergence", "seconds"), ggplot2::autoplot(fit, "convergence", "seconds"))
})
