# The order in which the core visits samples, from its own definition: splitmix64 and Fisher-Yates, written for doubles split
# into two 32-bit halves would be a program of its own; instead, batches of all samples make the order irrelevant.
test_that("full batches equal the twin, for both step rules and any loss", {
  for (solver in c("sgd", "adagrad")) {
    for (loss in names(losses_slow)) {
      set.seed(11)
      problem <- random_problem(9, 5, loss, uniform = FALSE, offset = TRUE)
      model <- random_model(5, 3, sd = 0.3)
      lambda <- c(0.2, 0.1, 0.3)
      state <- list(squares = numeric(5 + 2 * 10), intercept = 0, updated = numeric(5), time = 0)
      twin <- model
      for (epoch in 1:3) {
        out <- sg_epoch_slow(twin, problem$dense, problem$y, loss, lambda, problem$weights, offsets(problem),
                             seq_len(9), 9, 0.01, state, solver == "adagrad")
        twin <- out$model
        state <- out$state
      }
      fit <- fit_from(problem, spec_for(3, loss = loss, solver = solver, lambda = lambda), model,
                      max_iter = 3, tol = 0, eta = 0.01, batch = 9)
      expect_equal(max(fit$trace$iteration), 3)
      expect_equal(fit$eta, 0.01)
      expect_equal(parameters(fit), twin, tolerance = 1e-10, ignore_attr = "names")
    }
  }
})

test_that("identical samples make the order irrelevant: single steps equal the twin, lazy shrinking included", {
  for (solver in c("sgd", "adagrad")) {
    set.seed(12)
    problem <- random_problem(12, 6)
    row <- c(1, -0.5, 2, 0, 0, 0)                       # features 4 to 6 are never seen within the epoch
    problem$dense[] <- rep(row, each = 12)
    problem$blocks[[1]]$x <- as(as(Matrix::Matrix(problem$dense, sparse = TRUE), "generalMatrix"), "CsparseMatrix")
    problem$y[] <- 1.5
    model <- random_model(6, 3, sd = 0.3)
    lambda <- c(0.2, 0.1, 0.3)
    state <- list(squares = numeric(6 + 2 * 12), intercept = 0, updated = numeric(6), time = 0)
    twin <- sg_epoch_slow(model, problem$dense, problem$y, "squared", lambda, problem$weights, numeric(12),
                          seq_len(12), 1, 0.01, state, solver == "adagrad")$model
    fit <- fit_from(problem, spec_for(3, solver = solver, lambda = lambda), model, max_iter = 1, tol = 0, eta = 0.01)
    expect_equal(parameters(fit), twin, tolerance = 1e-10, ignore_attr = "names")
  }
})

test_that("unseen features are shrunk lazily: samples in two kinds, at any order, reach the twin of the order taken", {
  # Two kinds of samples with disjoint features. The twin is run over every order of kinds; the fit must be one of them.
  set.seed(13)
  problem <- random_problem(4, 4)
  problem$dense <- rbind(c(1, 2, 0, 0), c(1, 2, 0, 0), c(0, 0, -1, 1), c(0, 0, -1, 1))
  problem$blocks[[1]]$x <- as(as(Matrix::Matrix(problem$dense, sparse = TRUE), "generalMatrix"), "CsparseMatrix")
  problem$y <- c(1, 1, -2, -2)
  model <- random_model(4, 2, sd = 0.3)
  for (solver in c("sgd", "adagrad")) {
    state <- list(squares = numeric(4 + 8), intercept = 0, updated = numeric(4), time = 0)
    orders <- list(c(1, 2, 3, 4), c(1, 3, 2, 4), c(1, 3, 4, 2), c(3, 1, 2, 4), c(3, 1, 4, 2), c(3, 4, 1, 2))
    twins <- lapply(orders, function(o) {
      sg_epoch_slow(model, problem$dense, problem$y, "squared", c(0.3, 0.3), problem$weights, numeric(4), o, 1, 0.05,
                    state, solver == "adagrad")$model
    })
    fit <- fit_from(problem, spec_for(2, solver = solver, lambda = 0.3), model, max_iter = 1, tol = 0, eta = 0.05)
    far <- vapply(twins, function(t) max(abs(unlist(t) - unlist(parameters(fit)))), 0)
    expect_lt(min(far), 1e-12)
    expect_gt(max(far), 1e-6)                           # the orders do differ
  }
})

test_that("a step that is far too long is halved, reported, and never leaves a broken model", {
  set.seed(14)
  problem <- random_problem(50, 6)
  for (solver in c("sgd", "adagrad")) {
    expect_warning(
      fit <- fit_from(problem, spec_for(3, solver = solver), random_model(6, 3), eta = 1e120, max_iter = 60),
      "halved", class = "hofm_warning_step_halved"
    )
    expect_true(all(is.finite(unlist(parameters(fit)))))
    expect_true(is.finite(fit$objective) && fit$objective <= fit$trace$objective[1])
  }
})

test_that("bits do not depend on the number of threads, for batches of any size and long rows", {
  set.seed(15)
  x <- Matrix::rsparsematrix(300, 60, 0.6)
  y <- as.numeric(x[, 1] + x[, 2] * x[, 3] + rnorm(300, sd = 0.1))
  wide <- Matrix::rsparsematrix(8, 6000, 0.5)
  fits <- function(x, y, solver, batch, eta = 0.01) {
    lapply(c(1, 2, 3, 8), function(threads) {
      fit <- collapsing(hofm(x, y, order = 3, rank = c(12, 20), lambda = 1e-4, solver = solver,
                             control = hofm_control(max_iter = 2, eta = eta, seed = 4, batch = batch, threads = threads)))
      expect_lt(fit$objective, fit$trace$objective[1])
      fit[c("intercept", "w", "P", "objective", "eta", "linear.predictors")]
    })
  }
  for (solver in c("adagrad", "sgd")) {
    for (batch in list(1, 64, 300)) {
      same <- fits(x, y, solver, batch)
      for (fit in same[-1]) expect_identical(fit, same[[1]])
    }
    same <- fits(wide, 1:8, solver, 1, eta = 1e-4)
    for (fit in same[-1]) expect_identical(fit, same[[1]])
  }
})

test_that("batches of joined rows equal those of the written-out ones", {
  set.seed(16)
  A <- matrix(rnorm(40), 8)
  B <- matrix(rnorm(36), 12)
  pairs <- link_pairs(A, B, cbind(i = sample(8, 60, TRUE), j = rep(1:12, 5), y = rep(0:1, 30)))
  for (solver in c("adagrad", "sgd")) for (batch in c(1, 7)) {
    control <- hofm_control(max_iter = 5, tol = 0, seed = 2, batch = batch, eta = 0.05)
    settings <- list(order = 3, rank = 4, lambda = 0.01, solver = solver, loss = "squared", standardize = FALSE, control = control)
    joined <- collapsing(do.call(hofm, c(list(pairs), settings)))
    plain <- collapsing(do.call(hofm, c(list(model.matrix(pairs), pairs$y), settings)))
    expect_equal(joined$P, plain$P, tolerance = 1e-11)
    expect_equal(joined$w, plain$w, tolerance = 1e-11)
  }
})


test_that("a warm start begins with the squares of one pass, as the twin does", {
  set.seed(13)
  problem <- random_problem(9, 5, uniform = FALSE, offset = TRUE)
  model <- random_model(5, 3, sd = 0.3)
  lambda <- c(0.2, 0.1, 0.3)
  twin_epoch <- function(model, eta, state) {
    sg_epoch_slow(model, problem$dense, problem$y, "squared", lambda, problem$weights, offsets(problem), seq_len(9), 9, eta, state, TRUE)
  }
  state <- list(squares = numeric(5 + 2 * 10), intercept = 0, updated = numeric(5), time = 0)
  seen <- twin_epoch(model, 0, state)$state
  twin <- twin_epoch(model, 0.01, replace(seen, c("updated", "time"), state[c("updated", "time")]))$model
  fit <- fit_from(problem, spec_for(3, solver = "adagrad", lambda = lambda), model, max_iter = 1, tol = 0, eta = 0.01, batch = 9,
                  warm = TRUE)
  expect_equal(parameters(fit), twin, tolerance = 1e-10, ignore_attr = "names")
})

test_that("a fit as a start goes on as if there had been no pause", {
  set.seed(14)
  x <- matrix(rnorm(2000 * 10), 2000)
  y <- drop(x %*% rnorm(10)) + x[, 1] * x[, 2] + rnorm(2000, sd = 0.3)
  pairs <- link_pairs(x[1:40, ], x[41:90, ], data.frame(i = rep(1:40, 5), j = rep(1:50, 4), y = rep(1:0, c(80, 120))))
  run <- function(data, epochs, init = NULL, ..., validation = 0) {
    control <- hofm_control(seed = 1, max_iter = epochs, tol = 0, validation = validation)
    suppressWarnings(do.call(hofm, c(data, list(rank = 3, init = init, control = control, ...))), classes = "hofm_warning_collapsed")
  }
  for (solver in c("adagrad", "sgd")) for (setup in list(
    list(data = list(x, y)), list(data = list(x, y), order = 3, intercept = FALSE), list(data = list(x, y > 0), model = "shared"),
    list(data = list(x, y > 0), loss = "auc"), list(data = list(pairs), model = "bilinear"), list(data = list(pairs), loss = "auc")
  )) {
    links <- inherits(setup$data[[1]], "link_pairs")
    go <- function(..., init = NULL) {                       # a fit to pairs goes on with the penalties that it had
      do.call(run, c(setup, list(..., solver = solver, init = init), if (links && is.null(init)) list(lambda = 1e-3)))
    }
    some <- go(7)
    rest <- go(6, init = some)
    all <- go(13)
    expect_identical(c(some$trace$objective, rest$trace$objective[-1]), all$trace$objective)
    expect_identical(coef(rest), coef(all))
    expect_identical(rest$steps, all$steps)
    restored <- unserialize(serialize(some, NULL))
    expect_identical(coef(go(6, init = restored)), coef(all))
  }
  best <- run(list(x, y), 9, solver = "adagrad", validation = 0.3)
  expect_equal(best$steps$epochs, best$validation$best)
})

test_that("a start without its steps is not left for a worse one", {
  for (n in c(200, 1000)) for (loss in c("squared", "logistic")) {
    set.seed(2)
    x <- matrix(rnorm(n * 10), n)
    y <- drop(x %*% rnorm(10)) + x[, 1] * x[, 2] + rnorm(n, sd = 0.3)
    if (loss == "logistic") y <- y > 0
    run <- function(epochs, init = NULL) {
      hofm(x, y, rank = 4, solver = "adagrad", init = init, control = hofm_control(seed = 1, max_iter = epochs, tol = 0))$objective
    }
    some <- hofm(x, y, rank = 4, solver = "adagrad", control = hofm_control(seed = 1, max_iter = 20, tol = 0))
    # at least half as far as going on would have come
    expect_gt(some$objective - run(5, coef(some)), 0.5 * (some$objective - run(25)))
  }
})

test_that("steps that do not fit their fit are damage", {
  x <- matrix(rnorm(60), 20)
  fit <- hofm(x, rnorm(20), rank = 2, solver = "adagrad", control = hofm_control(max_iter = 3))
  for (steps in list(1, list(), replace(fit$steps, "eta", -1), replace(fit$steps, "memory", list(fit$steps$memory[1])))) {
    expect_error(hofm(x, rnorm(20), rank = 2, solver = "adagrad", init = replace(fit, "steps", list(steps))), "`steps`",
                 class = "hofm_error_damaged_fit")
  }
})

test_that("epochs that all had to be undone are no silent fit", {
  set.seed(15)
  x <- matrix(rnorm(400), 100)
  y <- x[, 1] + rnorm(100)
  best <- hofm(x, y, order = 1, solver = "cd", control = hofm_control(tol = 0, max_iter = 500))
  expect_warning(hofm(x, y, order = 1, solver = "sgd", init = best, control = hofm_control(eta = 1, max_iter = 3, seed = 1)),
                 "None of 3 epochs lowered the objective", class = "hofm_warning_step_halved")
})
