# Fits to shards against the same fits in memory, and against themselves over threads, workers and cuts.

test_that("L-BFGS ends where it ends in memory, for every loss, with weights and offsets", {
  data <- binary()
  w <- runif(300, 0.5, 2)
  o <- rnorm(300, sd = 0.2)
  for (loss in c("squared", "huber", "logistic", "squared_hinge", "poisson")) {
    y <- switch(loss, squared = , huber = data$f, poisson = rpois(300, exp(data$f / 2)), data$f > 0)
    control <- hofm_control(tol = 1e-11, max_iter = 3000, threads = 1)
    init <- start_at(data$x)
    shards <- sharded(data$x, y, weights = w, offset = o)
    fit <- hofm(shards, rank = 2, lambda = 0.01, standardize = FALSE, loss = loss, solver = "lbfgs", init = init, control = control)
    slow <- hofm(data$x, y, rank = 2, lambda = 0.01, standardize = FALSE, loss = loss, solver = "lbfgs", init = init, weights = w, offset = o,
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
  source <- hofm:::shard_source(shards, list(code = c(-1, 2)), 300, list())
  pass <- hofm:::new_pass_cpp(bare, c(12L, 12L), bytes, "logistic", TRUE, c(-45L, -45L))
  for (q in seq_along(source$files)) hofm:::pass_shard_cpp(pass, source, q)
  numbers <- sum_numbers(hofm:::pass_sums_cpp(pass), -45)
  expect_equal(numbers[1], slow$value, tolerance = 1e-12)
  gradient <- c(slow$intercept, slow$P[[1]], padded(slow$P[[2]]))
  expect_lt(max(abs(numbers[-1] - gradient)), 1e-12)
})

test_that("one shard of AdaGrad and SGD comes down, is the same again, and stops by other shards", {
  data <- binary(600)
  shards <- sharded(data$x, data$f > 0, size = 300)
  for (solver in c("adagrad", "sgd")) {
    control <- hofm_control(max_iter = 8, seed = 2, threads = 1)
    fit <- hofm(shards, rank = 2, lambda = 1e-3, standardize = FALSE, solver = solver, control = control)
    expect_true(all(diff(fit$trace$objective) <= 0))
    expect_lt(fit$objective, fit$trace$objective[1])
    again <- hofm(shards, rank = 2, lambda = 1e-3, standardize = FALSE, solver = solver, control = hofm_control(max_iter = 8, seed = 2, threads = 2))
    expect_identical(again$P, fit$P)
  }
  stopped <- hofm(shards[-1], rank = 2, lambda = 1e-3, standardize = FALSE, solver = "adagrad", validation = shards[1],
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
  fit <- hofm(shards, rank = 2, lambda = 0.01, standardize = FALSE, control = hofm_control(seed = 1, threads = 1))
  expect_identical(fit$solver, "lbfgs")
  expect_true(fit$converged)
  expect_identical(fit$n, 400)
  expect_equal(as.numeric(auc(shards, fit)), as.numeric(auc(y, predict(fit, data$x, type = "link"))), tolerance = 1e-12)
  expect_equal(predict(fit, shards), predict(fit, data$x), tolerance = 1e-12)
  null <- hofm(data$x, y, rank = 2, lambda = 1e-3, standardize = FALSE, control = hofm_control(max_iter = 1, seed = 1))$null.deviance
  expect_equal(fit$null.deviance, null, tolerance = 1e-10)
  expect_output(print(fit), "hofm")
  expect_output(print(summary(fit)), "hofm|Call")
})

test_that("a feature that no row has stays at zero, and constraints are told", {
  data <- binary(100)
  x <- cbind(data$x, 0)
  shards <- sharded(x, data$f)
  fit <- hofm(shards, rank = 2, lambda = 0, standardize = FALSE, solver = "lbfgs", control = hofm_control(max_iter = 5, seed = 1))
  expect_identical(unname(fit$P[["2"]][13, ]), c(0, 0))
  expect_error(hofm(shards, solver = "cd"), "memory", class = "hofm_error_input")
  expect_error(hofm(shards, loss = "logistic"), class = "hofm_error_input")
  expect_error(hofm(shards, control = hofm_control(validation = 0.2)), class = "hofm_error_input")
  expect_error(predict(fit, sharded(data$x, data$f)), class = "hofm_error_columns")
})

test_that("the other models and orders end where they end in memory", {
  data <- binary()
  for (case in list(list(order = 1), list(order = 3, rank = c(2, 1)), list(model = "shared", rank = 2), list(model = "all_subsets", rank = 2),
                    list(model = "polynomial", rank = 2))) {
    shards <- sharded(data$x, data$f)
    control <- hofm_control(tol = 1e-10, max_iter = 2000, threads = 1, seed = 4, init_sd = if (!identical(case$order, 1)) 0.1)
    args <- c(case, list(lambda = 0.02, standardize = FALSE, solver = "lbfgs", control = control))
    fit <- suppressWarnings(do.call(hofm, c(list(shards), args)), classes = "hofm_warning_collapsed")
    slow <- suppressWarnings(do.call(hofm, c(list(data$x, data$f), args)), classes = "hofm_warning_collapsed")
    expect_equal(fit$objective, slow$objective, tolerance = 1e-6, info = deparse(case))
  }
  expect_error(hofm(shards, model = "simplex"), "memory", class = "hofm_error_input")
})

test_that("columns are scaled as in memory, by statistics of all rows", {
  set.seed(7)
  frame <- data.frame(year = round(runif(200, 1990, 2020)), x = rexp(200), on = rbinom(200, 1, 0.3), f = sample(letters[1:4], 200, TRUE),
                      w = runif(200, 0.5, 2))
  frame$y <- 50 * (frame$year > 2005) * (frame$f == "a") + frame$x + rnorm(200)
  dir <- tempfile()
  on.exit(unlink(dir, recursive = TRUE))
  shards <- write_shards(frame, dir, y ~ year + x + on + f, weights = "w", shard_nonzeros = 150)
  control <- hofm_control(tol = 1e-11, max_iter = 3000, threads = 1, seed = 4)
  slow <- hofm(y ~ year + x + on + f, frame, weights = w, rank = 2, lambda = 0.01, standardize = TRUE, solver = "lbfgs", control = control)
  fit <- hofm(shards, rank = 2, lambda = 0.01, standardize = TRUE, solver = "lbfgs", init = slow, control = control)
  expect_equal(fit$blueprint$standard, slow$blueprint$standard, tolerance = 1e-10)
  expect_equal(fit$penalty, slow$penalty, tolerance = 1e-10)
  expect_equal(fit$objective, slow$objective, tolerance = 1e-7)
  expect_equal(predict(fit, frame), predict(fit, shards), tolerance = 1e-10)
  expect_equal(predict(fit, shards), predict(slow, frame), tolerance = 1e-3)
})

test_that("penalties are chosen from rows of the shards, and features may have penalties of their own", {
  data <- binary(400)
  shards <- sharded(data$x, data$f)
  control <- hofm_control(threads = 1, seed = 4)
  fit <- hofm(shards, rank = 2, control = control)
  expect_false(is.null(fit$tuning))
  expect_true(all(fit$lambda > 0))
  expect_lt(fit$deviance, 0.5 * fit$null.deviance)
  # all rows are in the sample: the same as in memory
  slow <- hofm(data$x, data$f, rank = 2, lambda = NULL, standardize = TRUE, solver = "lbfgs", control = control)
  expect_equal(fit$lambda, slow$lambda, tolerance = 1e-6)
  weighted <- hofm(shards, order = 1, lambda = 0.1, standardize = FALSE, solver = "lbfgs", penalty_factor = 1:12,
                   control = hofm_control(threads = 1, tol = 1e-12))
  ridge <- function(w) mean((data$f - weighted$intercept - data$x %*% w)^2) / 2 + 0.05 * sum(1:12 * w^2)
  expect_equal(weighted$objective, ridge(weighted$w), tolerance = 1e-10)
  exact <- solve(crossprod(scale(data$x, scale = FALSE)) / 400 + 0.1 * diag(1:12), crossprod(scale(data$x, scale = FALSE), data$f) / 400)
  expect_equal(unname(weighted$w), as.vector(exact), tolerance = 1e-4)
})

test_that("L-BFGS stops by other shards and keeps the best step", {
  set.seed(3)
  x <- matrix(rbinom(8000, 1, 0.3), 400)
  shards <- sharded(x, rnorm(400), size = 600)
  fit <- hofm(shards[-1], rank = 4, lambda = 0, standardize = FALSE, solver = "lbfgs", validation = shards[1],
              control = hofm_control(seed = 2, patience = 2, threads = 1, max_iter = 100))
  loss <- fit$validation$trace$loss
  expect_identical(fit$validation$best, which.min(loss) - 1L)
  expect_identical(length(loss) - which.min(loss), 2L)
  truth <- hofm:::read_shard(shards, 1L)$y
  expect_equal(min(loss), mean((truth - predict(fit, shards[1]))^2) / 2, tolerance = 1e-9)
  expect_lt(nrow(fit$trace), 100)
})

test_that("AdaGrad goes on where it was, and from a fit without steps", {
  data <- binary(600)
  shards <- sharded(data$x, data$f > 0, size = 300)
  go <- function(n, init = NULL) {
    hofm(shards, rank = 2, lambda = 1e-3, standardize = FALSE, solver = "adagrad", init = init,
         control = hofm_control(max_iter = n, seed = 2, threads = 1, eta = 0.2, tol = 0))
  }
  expect_identical(go(3, go(2))$P, go(5)$P)
  bare <- go(4)
  bare$steps <- NULL
  expect_lte(go(2, bare)$objective, bare$objective)
})

# ---- Checkpoints -------------------------------------------------------------------------------------------

test_that("a fit that was killed goes on from its checkpoint with the same bits", {
  skip_on_cran()
  skip_on_os("windows")
  data <- binary(500)
  shards <- sharded(data$x, data$f, size = 200)
  keep <- c("intercept", "w", "P", "objective", "converged")
  for (solver in c("auto", "lbfgs", "adagrad", "sgd")) {
    file <- tempfile("checkpoint")
    # a pass that takes its time, so that there is something to kill
    slowly <- sprintf("function(tasks, fun) { Sys.sleep(0.05); lapply(tasks, fun) }")
    code <- function(workers, checkpoint) {
      sprintf(paste("hofm::hofm(hofm::open_shards(%s), rank = 2, lambda = 1e-3, standardize = FALSE, solver = %s, validation = %s, workers = %s,",
                    "control = hofm::hofm_control(seed = 3, threads = 1, max_iter = 60, tol = 0, patience = 60, checkpoint = %s))"),
              deparse(shards$dir), deparse(solver), if (solver %in% c("sgd", "lbfgs")) sprintf("hofm::open_shards(%s)[1]", deparse(shards$dir)) else "NULL",
              workers, if (checkpoint) deparse(file) else "NULL")
    }
    whole <- suppressWarnings(eval(str2lang(code("NULL", FALSE))))
    stochastic <- solver %in% c("adagrad", "sgd")
    pid <- start_r(if (stochastic) paste("repeat {", code("NULL", TRUE), "}") else code(slowly, TRUE))
    wait_for(file.exists(file))
    if (!stochastic) Sys.sleep(0.5)
    tools::pskill(pid, 9)
    wait_for(!is_running(pid), 10)
    header <- hofm:::checkpoint_header_cpp(file)
    if (!stochastic) expect_false(header$finished, info = solver)
    resumed <- suppressWarnings(eval(str2lang(code("NULL", TRUE))))
    expect_identical(resumed[keep], whole[keep], info = solver)
    expect_identical(resumed$trace$objective, whole$trace$objective, info = solver)
    expect_identical(resumed$validation, whole$validation, info = solver)
    unlink(file)
  }
})

test_that("every state that a checkpoint can have leads to the same bits", {
  data <- binary(400)
  shards <- sharded(data$x, data$f, size = 200)
  for (solver in c("auto", "lbfgs", "adagrad")) {
    fit <- function(n, file = NULL, workers = NULL) {
      suppressWarnings(hofm(shards, rank = 2, lambda = 1e-3, standardize = FALSE, solver = solver, workers = workers,
                            control = hofm_control(seed = 3, threads = 1, max_iter = n, tol = 0, checkpoint = file)))
    }
    whole <- fit(12)
    file <- tempfile()
    stops <- if (solver == "adagrad") 1:3 else c(1, 3, 7)
    for (stop_after in stops) {
      if (solver == "adagrad") {
        fit(stop_after, file)                                  # more epochs are wanted later
      } else {
        passes <- 0
        dying <- function(tasks, fun) {
          passes <<- passes + 1
          if (passes > stop_after) stop("gone")
          lapply(tasks, fun)
        }
        expect_error(fit(12, file, dying), "gone", class = "hofm_error_worker")
      }
      expect_identical(fit(12, file)[c("intercept", "w", "P", "objective")], whole[c("intercept", "w", "P", "objective")],
                       info = paste(solver, stop_after))
      unlink(file)
    }
  }
})

test_that("a checkpoint of another fit, or a damaged one, is refused by name", {
  data <- binary(100)
  shards <- sharded(data$x, data$f)
  file <- tempfile("checkpoint")
  on.exit(unlink(file))
  fit <- function(lambda = 1e-3, x = shards) {
    suppressWarnings(hofm(x, rank = 1, lambda = lambda, standardize = FALSE, control = hofm_control(threads = 1, max_iter = 3, checkpoint = file)))
  }
  first <- fit()
  expect_identical(fit()$P, first$P)                           # finished: the same again, with the seed that was drawn
  expect_error(fit(lambda = 1), basename(file), class = "hofm_error_file")
  expect_error(fit(x = shards[-1]), "another fit", class = "hofm_error_file")
  whole <- readBin(file, "raw", 1e6)
  for (at in c(3, 14, 20, 100, length(whole) - 2)) {
    turned <- whole
    turned[at] <- xor(turned[at], as.raw(8))
    writeBin(turned, file)
    expect_error(fit(), basename(file), class = "hofm_error_file", info = at)
  }
  for (size in c(0, 30, 56, 100, length(whole) - 1)) {
    writeBin(whole[seq_len(size)], file)
    expect_error(fit(), basename(file), class = "hofm_error_file", info = size)
  }
  expect_error(hofm(data$x, data$f, lambda = 1, control = hofm_control(checkpoint = file)), "shards", class = "hofm_error_input")
})

test_that("exponents find their way from sums of other sizes, and of very different ones", {
  x <- matrix(c(1, 0, 1, 1, 0, 1), 3)
  for (size in c(1e-6, 1, 1e6, 1e12)) {
    y <- size * c(1, -2, 4)
    fit <- hofm(sharded(x, y, size = 2), order = 1, lambda = 0.1, standardize = FALSE, solver = "lbfgs",
                control = hofm_control(threads = 1, tol = 1e-12))
    centred <- scale(x, scale = FALSE)
    exact <- solve(crossprod(centred) / 3 + 0.1 * diag(2), crossprod(centred, c(1, -2, 4)) / 3)
    expect_equal(unname(fit$w) / size, as.vector(exact), tolerance = 1e-5, info = size)
  }
  # one row outweighs the others by thirty orders of magnitude, in whichever file it is
  y <- c(1e30, 1, -1, 2, 1, 3)
  x <- matrix(rbinom(24, 1, 0.5), 6)
  fits <- lapply(list(1:6, 6:1), function(order) {
    shards <- sharded(x, y, size = 2)
    hofm(shards[order[order <= length(shards)]], order = 1, lambda = 0.1, standardize = FALSE, solver = "lbfgs", init = list(w = numeric(4)),
         control = hofm_control(threads = 1, max_iter = 5))
  })
  expect_identical(fits[[1]]$w, fits[[2]]$w)
})
