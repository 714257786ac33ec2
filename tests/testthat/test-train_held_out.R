noisy <- function(n = 200) {
  seeded(31, {
    x <- matrix(rnorm(n * 10), n, dimnames = list(NULL, letters[1:10]))
    list(x = x, y = x[, 1] * x[, 2] + rnorm(n))
  })
}

stopping <- function(..., max_iter = 200, patience = 3, threads = 1) {
  hofm_control(max_iter = max_iter, tol = 0, seed = 7, validation = 0.25, patience = patience, threads = threads, ...)
}

test_that("the parameters kept are those of a fit to the same rows that ends at the best epoch", {
  d <- noisy()
  for (solver in c("adagrad", "sgd")) {
    fit <- collapsing(paper_fit(d$x, d$y, rank = 6, lambda = 1e-6, solver = solver, control = stopping()))
    best <- fit$validation$best
    expect_gt(best, 0)
    expect_lt(best, max(fit$trace$iteration))                 # it did stop early
    expect_lt(max(fit$trace$iteration), 200)
    train <- setdiff(seq_len(200), fit$validation$rows)
    control <- hofm_control(max_iter = best, tol = 0, seed = 7, threads = 1)
    direct <- collapsing(paper_fit(d$x[train, ], d$y[train], rank = 6, lambda = 1e-6, solver = solver, control = control))
    fields <- c("intercept", "w", "P", "objective")
    expect_identical(fit[fields], direct[fields])
    shorter <- collapsing(paper_fit(d$x, d$y, rank = 6, lambda = 1e-6, solver = solver, control = stopping(max_iter = best)))
    expect_identical(fit[fields], shorter[fields])
  }
})

test_that("the trace holds the mean loss on the rows held out, least at the best epoch", {
  d <- noisy()
  fit <- collapsing(hofm(d$x, d$y, rank = 6, lambda = 1e-6, solver = "adagrad", control = stopping()))
  held <- fit$validation$rows
  expect_length(held, 50)
  trace <- fit$validation$trace
  expect_identical(trace$iteration, fit$trace$iteration)
  expect_identical(which.min(trace$loss) - 1L, fit$validation$best)
  f <- predict(fit, d$x[held, ])
  expect_equal(min(trace$loss), mean((d$y[held] - f)^2) / 2)
  expect_length(fitted(fit), 200)                             # of all rows
  expect_equal(fitted(fit), unname(predict(fit, d$x)))
  expect_output(print(fit), sprintf("stopped early, best epoch %d by validation", fit$validation$best))
  expect_output(print(summary(fit)), "best epoch")
})

test_that("weights and offsets follow their rows, and classes keep their shares", {
  d <- noisy()
  class <- factor(ifelse(d$y > 1, "high", "low"), levels = c("low", "high"))
  weights <- seq_len(200)
  offset <- d$x[, 3] / 10
  fit <- collapsing(hofm(d$x, class, rank = 2, weights = weights, offset = offset, solver = "adagrad", control = stopping()))
  held <- fit$validation$rows
  expect_equal(sum(class[held] == "high"), round(0.25 * sum(class == "high")))
  f <- predict(fit, d$x[held, ], type = "link", offset = offset[held])
  y <- ifelse(class[held] == "high", 1, -1)
  expect_equal(min(fit$validation$trace$loss), stats::weighted.mean(log(1 + exp(-y * f)), weights[held]))
})

test_that("links, rankings and any number of threads", {
  split <- split_links(debian_r$features, edges = debian_r$links, directed = TRUE, seed = 1)
  small <- split$train[seq(1, length(split$train$i), by = 8)]
  for (loss in c("squared", "auc")) {
    fits <- lapply(c(1, 2, 3), function(threads) {
      control <- stopping(max_iter = 5, threads = threads)
      collapsing(hofm(small, rank = 2, lambda = 1e-4, loss = loss, solver = "adagrad", control = control))
    })
    for (fit in fits[-1]) expect_identical(fit[c("P", "validation")], fits[[1]][c("P", "validation")])
    expect_true(all(is.finite(fits[[1]]$validation$trace$loss)))
  }
})

test_that("bad shares, and solvers without epochs, are errors", {
  d <- noisy()
  for (share in list(-0.1, 1, NA, "a", c(0.1, 0.2), NULL)) {
    expect_error(hofm_control(validation = share), "`validation` must be", class = "hofm_error_input")
  }
  for (patience in list(0, -1, 1.5, NA, "a")) {
    expect_error(hofm_control(patience = patience), "`patience` must be", class = "hofm_error_input")
  }
  for (solver in c("auto", "cd", "lbfgs")) {
    expect_error(hofm(d$x, d$y, solver = solver, control = stopping()), "`validation` must be 0", class = "hofm_error_input")
  }
  few <- c(TRUE, rep(FALSE, 19))
  expect_error(hofm(d$x[1:20, ], few, solver = "sgd", control = stopping()), "leaves no row of one of the classes for validation",
               class = "hofm_error_input")
  expect_error(hofm(d$x[1:3, ], d$y[1:3], solver = "sgd", control = hofm_control(validation = 0.99)), "for training",
               class = "hofm_error_input")
})
