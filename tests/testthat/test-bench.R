# The benchmarks, with sizes at which nothing can be learnt from the figures: they run, and every question is answered.
test_that("every benchmark runs and the table has its columns", {
  skip_on_cran()
  folder <- tempfile("bench")
  bench <- system.file("bench", package = "hofm")
  log <- system2(file.path(R.home("bin"), "Rscript"), c(shQuote(file.path(bench, "run.R")), shQuote(folder)),
                 env = "HOFM_SMOKE=1", stdout = TRUE, stderr = TRUE)
  expect_null(attr(log, "status"), info = paste(log, collapse = "\n"))
  table <- utils::read.csv(file.path(folder, "bench.csv"))
  expect_true(all(c("question", "job", "order", "seconds", "yardstick", "ratio", "machine", "date", "commit") %in% names(table)))
  for (question in c("coordinate descent", "AdaGrad", "growth", "formula", "degree known", "glmnet")) {
    expect_true(any(grepl(question, table$question)), info = question)
  }
  timed <- !grepl("memory", table$question)
  expect_true(all(table$seconds[timed] >= 0))
  lines <- readLines(file.path(folder, "bench.md"))
  expect_length(grep("^\\| ", lines), nrow(table) + 1)
  has_factors <- !grepl("memory|libsvm|glmnet", table$question)
  expect_identical(which(is.na(table$alive)), which(!has_factors))
  dead <- !is.na(table$alive) & table$alive <= 0.9
  expect_identical(grepl("dead model (hofm)", table$note, fixed = TRUE), dead)
})

# What the scripts share.
bench_functions <- function() {
  functions <- new.env()
  sys.source(system.file("bench", "common.R", package = "hofm"), functions)
  functions
}

test_that("a row that was timed on a dead model says so", {
  bench <- bench_functions()
  job <- bench$synthetic_job(200, 50, 5, files = FALSE)
  control <- hofm_control(init_sd = 0.3, sweep = "single", threads = 1, max_iter = 3, tol = 0, seed = 1)
  fit <- function(lambda) bench$fit_block(job$x, job$y, m = 3, k = 2, lambda = lambda, solver = "cd", control = control)
  row_of <- function(lambda, objective) {
    seconds <- bench$interleave(times = 2, list(
      hofm = function() bench$epoch_seconds(fit(lambda)),
      yardstick = function() bench$timed(1, bench$yardstick_alive(job, objective))
    ))
    bench$result("an epoch", job$name, seconds = seconds[, 1], yardstick = seconds[, 2], note = "seen",
                 alive = bench$share_of(seconds))
  }
  zero <- mean(job$y^2) / 2
  live <- row_of(lambda = 1e-7, objective = zero / 2)
  expect_gt(live$alive, 0.9)
  expect_identical(live$note, "seen")
  dead <- row_of(lambda = 1e3, objective = zero / 2)
  expect_identical(dead$alive, 0)
  expect_identical(dead$note, "seen; dead model (hofm): 0 % of the factors are not zero")
  expect_match(row_of(lambda = 1e-7, objective = zero)$note, "dead model (yardstick)", fixed = TRUE)
})

test_that("another start of the yardstick is another scale of its features, with the penalty to match", {
  bench <- bench_functions()
  job <- bench$synthetic_job(20, 10, 3)
  moved <- bench$started_at(job, sd = 0.3, lambda = 1e-7)
  expect_identical(moved$x, job$x)
  given <- Matrix::readMM(gzfile(file.path(moved$folder, "A.mtx.gz")))
  expect_equal(as.matrix(given), 30 * as.matrix(job$x), ignore_attr = TRUE)
  P <- seeded(1, matrix(rnorm(20), 10))
  value <- function(x, P) anova_kernel(P[, 1], x, 3) + anova_kernel(P[, 2], x, 3)
  objective <- function(x, P, lambda) mean((job$y - value(as.matrix(x), P))^2) / 2 + lambda / 2 * sum(P^2)
  expect_equal(objective(given, P / moved$scale, moved$lambda * moved$scale^2), objective(job$x, P, 1e-7))
})

test_that("the published epochs of coordinate descent are those of live models", {
  table <- utils::read.csv(system.file("bench", "results.csv", package = "hofm"))
  epochs <- table[table$question == "epoch of coordinate descent", ]
  expect_setequal(epochs$order, 2:8)
  expect_true(all(epochs$alive > 0.9))
})
