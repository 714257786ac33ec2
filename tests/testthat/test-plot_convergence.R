test_that("convergence is drawn on a log scale when the objective is positive", {
  fit <- still_fit()
  expect_true(drawn(plot(fit)))
  expect_true(drawn(plot(fit, against = "iteration", main = "title", col = "black")))
  fit$trace$objective <- fit$trace$objective - 1
  expect_false(drawn(plot(fit)))
  drawn(shown <- plot(fit))
  expect_equal(shown, fit$trace, ignore_attr = TRUE)
})

test_that("rows that are not finite are left out, and a trace without others is an error", {
  skip_if_not_installed("ggplot2")
  fit <- still_fit()
  fit$trace$objective[2:3] <- c(NaN, Inf)
  fit$trace$seconds[5] <- NA
  drawn(shown <- plot(fit))
  expect_identical(shown$iteration, c(0L, 3L, 5L, 6L))
  expect_equal(ggplot2::layer_data(ggplot2::autoplot(fit), 1)$x, fit$trace$seconds[c(1, 4, 6, 7)])
  fit$trace$objective <- NaN
  expect_error(plot(fit), "trace has no finite values", class = "hofm_error_damaged_fit")
  for (trace in list(NULL, fit$trace[0, ], fit$trace[-3], list(), "a", transform(fit$trace, objective = "a"))) {
    fit["trace"] <- list(trace)
    expect_error(plot(fit), class = "hofm_error_damaged_fit")
    expect_error(ggplot2::autoplot(fit), class = "hofm_error_damaged_fit")
  }
})

test_that("one row, a constant and the extremes are drawn", {
  skip_if_not_installed("ggplot2")
  fit <- still_fit()
  for (objective in list(0.5, rep(2, 7), 0, c(1e-300, 1e300), c(0, 1e308), -5)) {
    fit$trace <- data.frame(iteration = seq_along(objective), seconds = seq_along(objective) / 9, objective = objective)
    expect_silent(drawn(plot(fit)))
    expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(fit)))
  }
})

test_that("the end point is filled when the solver converged", {
  skip_if_not_installed("ggplot2")
  fit <- still_fit()
  shape <- function(fit) ggplot2::layer_data(ggplot2::autoplot(fit), 2)[c("x", "shape")]
  expect_equal(shape(fit), data.frame(x = 0.06, shape = 19), ignore_attr = TRUE)
  fit$converged <- FALSE
  expect_equal(shape(fit)$shape, 1)
})

test_that("convergence looks as it did", {
  fit <- still_fit()
  expect_picture("convergence", plot(fit), ggplot2::autoplot(fit))
  fit$converged <- FALSE
  fit$trace$objective <- fit$trace$objective * -1e6
  expect_picture("convergence, negative", plot(fit, against = "iteration"), ggplot2::autoplot(fit, against = "iteration"))
})
