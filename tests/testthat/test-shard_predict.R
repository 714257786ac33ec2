# What a fit says of rows in shards.

test_that("predictions go to a vector or to files, which are the same", {
  data <- binary(200)
  shards <- sharded(data$x, data$f > 0)
  fit <- hofm(shards, rank = 2, lambda = 0.01, control = hofm_control(seed = 1, threads = 1))
  dir <- tempfile()
  on.exit(unlink(dir, recursive = TRUE))
  for (type in c("response", "link", "class")) {
    expect_equal(predict(fit, shards, type = type), predict(fit, data$x, type = type), tolerance = 1e-12)
    files <- predict(fit, shards, type = type, dir = dir)
    expect_identical(basename(files), sub("hofm$", "rds", shards$files$file))
    expect_identical(unlist(lapply(files, readRDS)), predict(fit, shards, type = type))
  }
  expect_identical(predict(fit, shards, threads = 2), predict(fit, shards, threads = 1))
  expect_error(predict(fit, shards, type = "terms"), class = "hofm_error_input")
  expect_error(predict(fit, data$x, dir = dir), "shards", class = "hofm_error_input")
  expect_error(predict(fit, sharded(data$x[, 1:3], data$f)), class = "hofm_error_columns")
  expect_error(predict(fit, shards, dir = "/proc/none"), class = "hofm_error_file")
})

test_that("areas and comparisons are those of the rows in memory", {
  data <- binary(300)
  y <- factor(ifelse(data$f > 0, "up", "down"), levels = c("up", "down"))
  shards <- sharded(data$x, y)
  fit <- hofm(shards, rank = 2, lambda = 0.01, control = hofm_control(seed = 1, threads = 1))
  other <- hofm(shards, order = 1, lambda = 0.01, control = hofm_control(seed = 1, threads = 1))
  expect_equal(as.numeric(auc(shards, fit)), as.numeric(auc(y, predict(fit, data$x, type = "link"))), tolerance = 1e-12)
  on_shards <- compare_models(list(a = fit, b = other), shards)
  in_memory <- compare_models(list(a = fit, b = other), data$x, y)
  expect_equal(on_shards$models$auc, in_memory$models$auc, tolerance = 1e-12)
  expect_equal(on_shards$tests, in_memory$tests, tolerance = 1e-9)
  numbers <- sharded(data$x, data$f)
  lines <- list(a = hofm(numbers, rank = 2, lambda = 0.01), b = hofm(numbers, order = 1, lambda = 0.01))
  expect_equal(compare_models(lines, numbers)$models$rmse, compare_models(lines, data$x, data$f)$models$rmse, tolerance = 1e-10)
  expect_error(auc(numbers, fit), "two classes", class = "hofm_error_input")
})
