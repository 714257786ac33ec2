boot_rows <- function(n = 120) {
  set.seed(4)
  d <- data.frame(a = factor(sample(letters[1:4], n, TRUE)), u = rnorm(n), v = rnorm(n))
  d$y <- with(d, u + (a == "b") * v + rnorm(n, sd = 0.5))
  d
}

boot_fit <- function(d, ...) hofm(y ~ a + u + v, d, rank = 2, lambda = 0.01, standardize = FALSE, control = hofm_control(seed = 1), ...)

test_that("a refit is the fit to the rows that were drawn", {
  d <- boot_rows()
  fit <- hofm(y ~ a + u + v, d, order = 1, lambda = 0.01, standardize = FALSE, control = hofm_control(seed = 1, tol = 1e-12))
  boot <- bootstrap_hofm(fit, d, times = 3, seed = 7)
  seeds <- with_seed(7, sample.int(.Machine$integer.max, 3))
  for (b in 1:3) {
    rows <- with_seed(seeds[b], sample.int(nrow(d), nrow(d), replace = TRUE))
    want <- update(fit, data = d[rows, ])
    expect_equal(predict(boot$fits[[b]], d), predict(want, d), tolerance = 1e-5)
  }
})

test_that("intervals are quantiles over the refits", {
  d <- boot_rows()
  boot <- bootstrap_hofm(boot_fit(d), d, times = 15, seed = 2)
  each <- sapply(boot$fits, predict, d[1:5, ])
  got <- predict(boot, d[1:5, ], se.fit = TRUE, level = 0.8)
  expect_equal(got$se.fit, apply(each, 1, sd))
  expect_equal(got$lower, apply(each, 1, quantile, 0.1, names = FALSE))
  expect_equal(got$upper, apply(each, 1, quantile, 0.9, names = FALSE))
  expect_identical(got$fit, predict(boot$fit, d[1:5, ]))
  expect_identical(predict(boot, d[1:5, ]), got$fit)
  expect_output(print(boot), "15 refits")
})

test_that("refits do not depend on the number of workers, nor do they change R's generator", {
  skip_on_os("windows")
  d <- boot_rows()
  fit <- boot_fit(d)
  set.seed(1)
  before <- .Random.seed
  one <- bootstrap_hofm(fit, d, times = 4, seed = 2)
  expect_identical(.Random.seed, before)
  expect_identical(one, bootstrap_hofm(fit, d, times = 4, seed = 2, workers = 2))
})

test_that("matrices, weights and offsets are taken as in the fit", {
  d <- boot_rows()
  x <- as.matrix(d[c("u", "v")])
  weights <- rep(1:2, 60)
  fit <- hofm(x, d$y, rank = 1, lambda = 0.01, standardize = FALSE, weights = weights, offset = d$u, control = hofm_control(seed = 1))
  expect_error(bootstrap_hofm(fit, x, times = 2), "`y`", class = "hofm_error_input")
  expect_error(bootstrap_hofm(fit, x, d$y, times = 2), "`weights` must be given", class = "hofm_error_input")
  expect_error(bootstrap_hofm(fit, x, d$y, weights = weights, times = 2), "`offset` must be given", class = "hofm_error_input")
  boot <- bootstrap_hofm(fit, x, d$y, times = 2, weights = weights, offset = d$u, seed = 1)
  expect_length(predict(boot, x, se.fit = TRUE, offset = d$u)$se.fit, 120)
})

test_that("stability is the share of refits that have an interaction among their strongest", {
  d <- boot_rows()
  fit <- boot_fit(d)
  boot <- bootstrap_hofm(fit, d, times = 8, seed = 5)
  found <- interactions(boot, n = 3, top = 3)
  key <- function(table) paste(table$feature_1, table$feature_2)
  key2 <- function(table) paste(table$variable_1, table$variable_2)
  seen <- unlist(lapply(boot$fits, function(f) key(interactions(f, n = 3))))
  expect_equal(found$stability, vapply(key(found), function(k) mean(seen == k) * 3, 0, USE.NAMES = FALSE))
  weights <- sapply(boot$fits, function(f) tcrossprod(f$P[["2"]])[cbind(match(found$feature_1, feature_labels(f)), match(found$feature_2, feature_labels(f)))])
  expect_equal(found$lower, apply(weights, 1, quantile, 0.05, names = FALSE))
  expect_equal(found$upper, apply(weights, 1, quantile, 0.95, names = FALSE))
  shares <- interactions(boot, by = "variable", data = d)
  each <- sapply(boot$fits, function(f) { s <- interactions(f, by = "variable", data = d); s$share[match(key2(shares), key2(s))] })
  expect_equal(shares$upper, apply(each, 1, quantile, 0.95, names = FALSE))
  expect_identical(interactions(fit, n = 3, data = d, resample = 8, seed = 5)$stability, interactions(boot, n = 3, data = d)$stability)
})

test_that("what a fit alone cannot say is told", {
  d <- boot_rows()
  fit <- boot_fit(d)
  expect_error(predict(fit, d, se.fit = TRUE), "bootstrap_hofm", class = "hofm_error_unsupported")
  expect_error(bootstrap_hofm(fit), "`data`", class = "hofm_error_input")
  expect_error(bootstrap_hofm(fit, 1:3), "`data`", class = "hofm_error_input")
  expect_error(bootstrap_hofm(fit, d, times = 0), "`times`", class = "hofm_error_input")
  boot <- bootstrap_hofm(fit, d, times = 2, seed = 1)
  expect_error(predict(boot), "`newdata`", class = "hofm_error_input")
  boot$fits[[1]]$P <- NULL
  expect_error(print(boot), class = "hofm_error_damaged")
})

test_that("refits keep how columns are scaled and penalised", {
  d <- transform(boot_rows(), u = 100 * u)
  x <- as.matrix(d[c("u", "v")])
  fit <- hofm(x, d$y, order = 1, lambda = 0.1, standardize = TRUE, penalty_factor = c(1, 50), control = hofm_control(seed = 1, tol = 1e-12))
  boot <- bootstrap_hofm(fit, x, d$y, times = 1, seed = 3)
  rows <- with_seed(with_seed(3, sample.int(.Machine$integer.max, 1)), sample.int(120, 120, replace = TRUE))
  want <- hofm(x[rows, ], d$y[rows], order = 1, lambda = 0.1, standardize = TRUE, penalty_factor = c(1, 50),
               control = hofm_control(seed = 1, tol = 1e-12))
  expect_equal(predict(boot$fits[[1]], x), predict(want, x), tolerance = 1e-5)
})

test_that("resampling tells how far it is, and answers an interrupt", {
  d <- boot_rows()
  fit <- boot_fit(d)
  said <- testthat::capture_messages(bootstrap_hofm(fit, d, times = 3, seed = 1, verbose = TRUE))
  expect_length(said, 3)
  expect_match(said[2], "refit 2 of 3")
  setTimeLimit(elapsed = 0.3, transient = TRUE)
  on.exit(setTimeLimit())
  begun <- proc.time()[["elapsed"]]
  expect_error(bootstrap_hofm(fit, d, times = 1e6, seed = 1), "time limit")
  expect_lt(proc.time()[["elapsed"]] - begun, 10)
})
