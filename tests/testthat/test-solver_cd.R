test_that("coordinate descent equals its slow twin, step by step, after any number of epochs", {
  for (loss in names(losses_slow)) {
    for (order in 1:4) {
      set.seed(10 * order)
      problem <- random_problem(10, 5, loss, uniform = order %% 2 == 0, offset = TRUE)
      model <- random_model(5, order, sd = 0.4)
      lambda <- seq(0.001, 0.004, length.out = order)
      for (epoch in 1:3) {
        twin <- if (epoch == 1) model else twin
        twin <- cd_epoch_slow(twin, problem$dense, problem$y, loss, lambda, problem$weights, offsets(problem))
        fit <- fit_from(problem, spec_for(order, loss = loss, lambda = lambda), model, max_iter = epoch, tol = 0)
        expect_identical(lengths(parameters(fit)), lengths(twin))
        expect_lt(max(abs(unlist(parameters(fit)) - unlist(twin))), 1e-12)
      }
    }
  }
})

test_that("orders 5, 6 and 20 equal the twin too", {
  for (order in c(5, 6)) {
    set.seed(order)
    problem <- random_problem(8, 7, density = 1)
    model <- random_model(7, order, k = 1)
    twin <- cd_epoch_slow(model, problem$dense, problem$y, "squared", rep(0.05, order), problem$weights, numeric(8))
    fit <- fit_from(problem, spec_for(order, k = 1), model, max_iter = 1, tol = 0)
    expect_lt(max(abs(unlist(parameters(fit)) - unlist(twin))), 1e-10)
  }
  set.seed(20)
  problem <- random_problem(6, 21, density = 1)
  spec <- replace(spec_for(20, k = 1), "rank", list(c(rep(0, 18), 1)))
  model <- random_model(21, 1)
  model$P <- list("20" = matrix(runif(21, 1, 2), 21))
  spec$lambda[20] <- 1e-9
  twin <- cd_epoch_slow(model, problem$dense, problem$y, "squared", spec$lambda, problem$weights, numeric(6))
  fit <- fit_from(problem, spec, model, max_iter = 1, tol = 0)
  expect_gt(max(abs(twin$P[["20"]])), 0.1)
  expect_equal(unlist(parameters(fit)), unlist(twin), tolerance = 1e-8, ignore_attr = "names")
})

test_that("the objective never rises and is the one written on the help page", {
  for (loss in names(losses_slow)) for (extrapolate in c(FALSE, TRUE)) {
    set.seed(5)
    problem <- random_problem(40, 8, loss, uniform = FALSE, offset = TRUE)
    start <- random_model(8, 3)
    fit <- fit_from(problem, spec_for(3, loss = loss, lambda = c(0.1, 2e-3, 3e-3)), start, max_iter = 50, tol = 0,
                    extrapolate = extrapolate)
    expect_true(all(diff(fit$trace$objective) <= 1e-12 * abs(fit$objective)))
    slow <- function(model) {
      objective_slow(model, problem$dense, problem$y, loss, c(0.1, 2e-3, 3e-3), problem$weights, offsets(problem))
    }
    expect_equal(fit$trace$objective[1], slow(start))
    expect_equal(fit$objective, slow(parameters(fit)))
  }
})

test_that("no intercept stays no intercept, and rows with fewer nonzeros than the order are fine", {
  set.seed(6)
  problem <- random_problem(15, 6, density = 0.3)
  start <- replace(random_model(6, 4), "intercept", 0)
  fit <- fit_from(problem, spec_for(4, intercept = FALSE, lambda = 1e-6), start, max_iter = 5)
  expect_identical(fit$intercept, 0)
  expect_true(all(is.finite(fit$link)))
  expect_equal(fit$link, link_slow(parameters(fit), problem$dense))
})

test_that("one feature that dwarfs the others costs no accuracy", {
  set.seed(7)
  problem <- random_problem(12, 6, density = 1)
  problem$blocks[[1]]$x[, 1] <- 1e4 * problem$blocks[[1]]$x[, 1]
  problem$dense[, 1] <- 1e4 * problem$dense[, 1]
  start <- random_model(6, 5, k = 1)
  for (extrapolate in c(FALSE, TRUE)) {
    fit <- fit_from(problem, spec_for(5, k = 1, lambda = 1e-6), start, max_iter = 3, tol = 0, extrapolate = extrapolate)
    expect_equal(fit$link, link_slow(parameters(fit), problem$dense), tolerance = 1e-9)
    expect_true(all(diff(fit$trace$objective) <= 0))
  }
})

test_that("without a penalty, features that are in no product of a degree do not follow rounding errors", {
  set.seed(1)
  x <- matrix(0, 60, 8)
  for (i in 1:40) x[i, sample(5, 3)] <- rnorm(3)
  for (i in 41:60) x[i, c(sample(6:8, 1), sample(5, 1))] <- rnorm(2)      # 6 to 8: never three at a time
  control <- hofm_control(max_iter = 20, seed = 1)
  plain <- paper_fit(x, rnorm(60), order = 3, rank = 4, lambda = 0, solver = "cd", control = control)
  expect_lt(max(abs(plain$P[["3"]][6:8, ])), 10)
  wide <- paper_fit(cbind(x, matrix(0, 60, 60)), rnorm(60), order = 3, rank = 4, lambda = 0, solver = "cd", control = control)
  expect_lt(max(abs(wide$P[["3"]][6:8, ])), 10)
})

# Sums out of which a feature cannot be taken by subtraction: what is reported must be the objective of what is returned.
test_that("features of any scale: the objective is that of the parameters, and falls, or the fit says that it cannot", {
  for (spread in c(2, 6, 8, 20, 50, 100)) for (sweep in c("single", "joint")) for (loss in c("squared", "logistic")) {
    if (spread == 100 && loss == "logistic") next           # beyond what the twin can add up
    set.seed(1)
    x <- matrix(rnorm(60 * 8), 60) %*% diag(10^seq(-spread, spread, length.out = 8))
    y <- if (loss == "squared") rnorm(60) else rep(c(-1, 1), 30)
    info <- paste(spread, sweep, loss)
    ended <- FALSE
    fit <- tryCatch(withCallingHandlers(
      hofm(x, y, order = 5, rank = 4, lambda = 1e-3, loss = loss, standardize = FALSE,
           control = hofm_control(seed = 1, sweep = sweep, max_iter = 100)),
      hofm_warning_precision = function(w) { ended <<- TRUE; invokeRestart("muffleWarning") },
      hofm_warning_collapsed = function(w) invokeRestart("muffleWarning"),
      hofm_warning_not_converged = function(w) invokeRestart("muffleWarning")
    ), hofm_error_diverged = function(e) NULL)
    if (is.null(fit)) expect_gt(spread, 20, label = info)
    if (is.null(fit)) next
    slow <- objective_slow(parameters(fit), x, y, loss, fit$lambda, rep(1 / 60, 60), numeric(60))
    expect_equal(fit$objective, slow, tolerance = 1e-6, info = info)
    expect_true(all(diff(fit$trace$objective) <= 1e-6 * abs(fit$objective)), info = info)
    expect_equal(fit$trace$objective[nrow(fit$trace)], fit$objective, info = info)
    expect_false(ended && fit$converged, info = info)
  }
})

test_that("the same holds for pairs of nodes, given and all of them", {
  for (spread in c(2, 8, 50)) for (negatives in c("given", "all")) for (order in c(2, 5)) {
    set.seed(1)
    scales <- diag(10^seq(-spread, spread, length.out = 6))
    A <- matrix(rnorm(90), 15) %*% scales
    B <- matrix(rnorm(72), 12) %*% scales
    pairs <- expand.grid(i = 1:15, j = 1:12)
    pairs$y <- rbinom(180, 1, 0.4)
    fit <- suppressWarnings(hofm(
      link_pairs(A, B, pairs), order = order, rank = 3, lambda = 1e-3, negatives = negatives, standardize = FALSE,
      negative_weight = if (negatives == "all") 1, control = hofm_control(seed = 1, max_iter = 50)
    ), classes = c("hofm_warning_collapsed", "hofm_warning_not_converged"))
    slow <- objective_slow(parameters(fit), cbind(A[pairs$i, ], B[pairs$j, ]), pairs$y, "squared", fit$lambda)
    info <- paste(spread, negatives, order)
    expect_equal(fit$objective, slow, tolerance = 1e-6, info = info)
    expect_true(all(diff(fit$trace$objective) <= 1e-6 * abs(fit$objective)), info = info)
  }
})
