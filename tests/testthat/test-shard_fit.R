# Fits to shards against the same fits in memory, and against themselves over threads, workers and cuts.

binary <- function(n = 300, d = 12, seed = 5) {
  set.seed(seed)
  x <- matrix(rbinom(n * d, 1, 0.3), n, d)
  f <- x[, 1] * x[, 2] * 2 - x[, 3] + rnorm(n, sd = 0.3)
  list(x = x, f = f)
}

sharded <- function(x, y, ..., size = 150, env = parent.frame()) {
  dir <- tempfile("shards")
  do.call(on.exit, list(bquote(unlink(.(dir), recursive = TRUE)), add = TRUE), envir = env)
  write_shards(x, dir, y, ..., shard_nonzeros = size)
}

start_at <- function(x, k = 2, seed = 9) {
  set.seed(seed)
  list(intercept = 0.1, w = rnorm(ncol(x), sd = 0.1), P = list("2" = matrix(rnorm(ncol(x) * k, sd = 0.1), ncol(x))))
}

test_that("L-BFGS ends where it ends in memory, for every loss, with weights and offsets", {
  data <- binary()
  w <- runif(300, 0.5, 2)
  o <- rnorm(300, sd = 0.2)
  for (loss in c("squared", "logistic", "squared_hinge", "poisson")) {
    y <- switch(loss, squared = data$f, poisson = rpois(300, exp(data$f / 2)), data$f > 0)
    control <- hofm_control(tol = 1e-11, max_iter = 3000, threads = 1)
    init <- start_at(data$x)
    shards <- sharded(data$x, y, weights = w, offset = o)
    fit <- hofm(shards, rank = 2, lambda = 0.01, loss = loss, solver = "lbfgs", init = init, control = control)
    slow <- hofm(data$x, y, rank = 2, lambda = 0.01, loss = loss, solver = "lbfgs", init = init, weights = w, offset = o,
                 control = control)
    expect_equal(fit$objective, slow$objective, tolerance = 1e-7, info = loss)
    expect_equal(fit$deviance, slow$deviance, tolerance = 1e-3, info = loss)
    expect_equal(predict(fit, shards, type = "link"), slow$linear.predictors, tolerance = 1e-2, info = loss)
  }
})

test_that("sums over shards are the objective and the gradient in memory, up to 1e-12", {
  data <- binary()
  y <- ifelse(data$f > 0, 1, -1)
  shards <- sharded(data$x, data$f > 0)
  spec <- list(model = "hofm", order = 2L, rank = 2L, lambda = c(0, 0), loss = "logistic", intercept = TRUE, linear = TRUE)
  model <- hofm:::cpp_model(start_at(data$x), spec)
  options <- hofm:::solver_options(c(spec, solver = "lbfgs"), hofm_control(threads = 1), 1)
  design <- hofm:::as_design(data$x)$x
  slow <- hofm:::objective_cpp(list(list(x = design, index = NULL)), list(y = y, weights = rep(1 / 300, 300), offset = numeric()),
                               model, options)
  bare <- model
  bare$terms <- lapply(model$terms, function(term) replace(term, "P", list(term$P[0, , drop = FALSE])))
  padded <- function(P) t(cbind(P, matrix(0, nrow(P), if (ncol(P) == 1) 0 else 4 - ncol(P))))
  bytes <- writeBin(c(model$intercept, unlist(lapply(model$terms, function(term) padded(term$P)))), raw())
  source <- hofm:::shard_source(shards, list(code = c(-1, 2)), 300)
  sums <- hofm:::sum_shards_cpp(source, bare, c(12L, 12L), bytes, "logistic", TRUE, c(-45L, -45L), 1L)
  # 64-bit integers below 2^52, from two halves
  halves <- matrix(readBin(sums, "integer", length(sums) / 4), 2)
  numbers <- (halves[1, ] + ifelse(halves[1, ] < 0, 2^32, 0) + halves[2, ] * 2^32) * 2^-45
  expect_equal(numbers[5], slow$value, tolerance = 1e-12)
  gradient <- c(slow$intercept, slow$P[[1]], padded(slow$P[[2]]))
  expect_lt(max(abs(numbers[-(1:5)] - gradient)), 1e-12)
})

test_that("threads, workers and the order of files do not change a bit", {
  data <- binary()
  shards <- sharded(data$x, data$f)
  fit_with <- function(threads = 1, workers = NULL, s = shards) {
    fit <- hofm(s, rank = 2, solver = "lbfgs", init = start_at(data$x), workers = workers,
                control = hofm_control(threads = threads, max_iter = 15, seed = 1))
    fit[c("intercept", "w", "P", "objective")]
  }
  one <- fit_with()
  expect_identical(fit_with(threads = 2), one)
  expect_identical(fit_with(s = shards[rev(seq_len(length(shards)))]), one)
  expect_identical(fit_with(workers = function(tasks, fun) lapply(tasks, fun)), one)
  expect_identical(fit_with(workers = function(tasks, fun) rev(lapply(rev(tasks), fun))), one)
  skip_on_cran()
  for (n in 1:3) {
    cluster <- parallel::makeCluster(n)
    parallel::clusterCall(cluster, function(paths) .libPaths(paths), .libPaths())
    expect_identical(fit_with(workers = cluster), one)
    parallel::stopCluster(cluster)
  }
})

test_that("what goes wrong at a worker is an error of its class", {
  data <- binary(60)
  shards <- sharded(data$x, data$f)
  failing <- function(tasks, fun) stop("the line is dead")
  expect_error(hofm(shards, rank = 1, solver = "lbfgs", workers = failing), "the line is dead", class = "hofm_error_worker")
  expect_error(hofm(shards, rank = 1, solver = "lbfgs", workers = function(tasks, fun) list()), class = "hofm_error_worker")
  expect_error(hofm(shards, rank = 1, solver = "adagrad", workers = failing), class = "hofm_error_input")
  expect_error(hofm(shards, rank = 1, workers = 7), class = "hofm_error_input")
})

test_that("one shard of AdaGrad and SGD comes down, is the same again, and stops by other shards", {
  data <- binary(600)
  shards <- sharded(data$x, data$f > 0, size = 300)
  for (solver in c("adagrad", "sgd")) {
    control <- hofm_control(max_iter = 8, seed = 2, threads = 1)
    fit <- hofm(shards, rank = 2, solver = solver, control = control)
    expect_true(all(diff(fit$trace$objective) <= 0))
    expect_lt(fit$objective, fit$trace$objective[1])
    again <- hofm(shards, rank = 2, solver = solver, control = hofm_control(max_iter = 8, seed = 2, threads = 2))
    expect_identical(again$P, fit$P)
  }
  stopped <- hofm(shards[-1], rank = 2, solver = "adagrad", validation = shards[1],
                  control = hofm_control(max_iter = 40, seed = 2, patience = 2, threads = 1))
  kept <- stopped$validation$trace$loss
  expect_identical(stopped$validation$best, which.min(kept) - 1L)
  truth <- hofm:::read_shard(shards, 1L)$y
  link <- predict(stopped, shards[1], type = "link")
  expect_equal(min(kept), mean(log1p(exp(-(2 * truth - 1) * link))), tolerance = 1e-9)
})

test_that("auto goes on from an epoch of AdaGrad, and auc is that of the predictions", {
  data <- binary(400)
  y <- data$f > 0
  shards <- sharded(data$x, y)
  fit <- hofm(shards, rank = 2, lambda = 0.01, control = hofm_control(seed = 1, threads = 1))
  expect_identical(fit$solver, "lbfgs")
  expect_true(fit$converged)
  expect_identical(fit$n, 400)
  expect_equal(as.numeric(auc(shards, fit)), as.numeric(auc(y, predict(fit, data$x, type = "link"))), tolerance = 1e-12)
  expect_equal(predict(fit, shards), predict(fit, data$x), tolerance = 1e-12)
  null <- hofm(data$x, y, rank = 2, control = hofm_control(max_iter = 1, seed = 1))$null.deviance
  expect_equal(fit$null.deviance, null, tolerance = 1e-10)
  expect_output(print(fit), "hofm")
  expect_output(print(summary(fit)), "hofm|Call")
})

test_that("a feature that no row has stays at zero, and constraints are told", {
  data <- binary(100)
  x <- cbind(data$x, 0)
  shards <- sharded(x, data$f)
  fit <- hofm(shards, rank = 2, solver = "lbfgs", lambda = 0, control = hofm_control(max_iter = 5, seed = 1))
  expect_identical(unname(fit$P[["2"]][13, ]), c(0, 0))
  expect_error(hofm(shards, solver = "cd"), "memory", class = "hofm_error_input")
  expect_error(hofm(shards, loss = "logistic"), class = "hofm_error_input")
  expect_error(hofm(shards, control = hofm_control(validation = 0.2)), class = "hofm_error_input")
  expect_error(predict(fit, sharded(data$x, data$f)), class = "hofm_error_columns")
})
