# Values of two folds about a curve, the second `apart` from the first.
two_folds <- function(curve, apart = 0.01) list(each = cbind(curve - apart / 2, curve + apart / 2), share = c(0.5, 0.5))

turning_path <- function(n = 12, first = 3) new_path(matrix(n:1), n:1, list(), n, first)

test_that("a path ends when it has turned, and not before", {
  verdict <- function(curve, measure = "deviance", path = replace(turning_path(), "lambda", list(matrix(24:1)))) {
    judge_path(path, two_folds(curve), measure)
  }
  expect_identical(verdict(c(5, 4, 3)), "go on")
  expect_identical(verdict(c(5, 3, 4, 5, 6)), "go on")                    # three places beyond the best
  expect_identical(verdict(c(5, 3, 4, 5, 6, 7)), "ended")
  expect_identical(verdict(-c(5, 3, 4, 5, 6, 7), "auc"), "ended")
  expect_identical(verdict(c(5, 3, 3, 3, 3, 3)), "go on")                 # flat is not turned
  expect_identical(verdict(c(5, 3, rep(3, 10))), "ended")                 # but not worth more than its length
  expect_identical(verdict(12:1), "go on")
  expect_identical(verdict(c(12:1, rep(0.5, 12))), "ended")
  expect_identical(verdict(24:1), "widest")
  expect_identical(judge_path(new_path(matrix(3:1), 3:1, list()), two_folds(3:1), "mse"), "ended")      # numbers that were given
  noisy <- list(each = cbind(c(5, 3, 4, 3, 4, 3.1), c(5, 3, 2, 3, 2, 3)), share = c(0.5, 0.5))
  expect_false(has_turned(noisy, "mse"))
})

test_that("a curve that is best at its end is said to be", {
  path <- replace(turning_path(), "lambda", list(matrix(24:1)))
  end <- function(verdict, min) tryCatch(report_path_end(path, verdict, list(index = c(min = min))), hofm_warning_path_end = function(w) w$end)
  expect_identical(end("widest", 24L), "smallest")
  expect_identical(end("ended", 1L), "largest")
  expect_null(end("ended", 5L))
  expect_null(end("widest", 20L))
  x <- seeded(1, matrix(rnorm(200), 50))
  y <- seeded(2, rnorm(50))
  expect_warning(cv_hofm(x, y, order = 1, nfolds = 5, control = hofm_control(seed = 3)), "intercept alone", class = "hofm_warning_path_end")
})

test_that("a default path is ended early and widened", {
  data <- product_data(200)
  run <- function(...) cv_hofm(data$x, data$y, order = 2, rank = 8, nfolds = 4, control = hofm_control(seed = 1), ...)
  noisy <- seeded(5, matrix(rnorm(60 * 20), 60))
  long <- cv_hofm(noisy, noisy[, 1] + seeded(6, rnorm(60)), order = 1, nfolds = 5, lambda_min_ratio = 1e-9, control = hofm_control(seed = 1))
  expect_lt(length(long$lambda), 30)
  expect_lt(long$index[["min"]], length(long$lambda) - 3)
  short <- suppressWarnings(run(lambda_min_ratio = 0.3, n_lambda = 4), classes = "hofm_warning_path_end")
  expect_identical(nrow(short$lambda_degrees), 8L)
  expect_warning(run(lambda_min_ratio = 0.3, n_lambda = 4), "even after it was widened", class = "hofm_warning_path_end")
})
