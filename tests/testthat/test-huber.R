# The Huber loss as a whole: against optim() and MASS::rlm() where there are no interactions, and through all that a fit goes through.

huber_sum <- function(r) sum(ifelse(abs(r) > 1, abs(r) - 1 / 2, r^2 / 2))

with_outliers <- function(n = 150) {
  set.seed(4)
  x <- matrix(rnorm(3 * n), n)
  y <- 2 + drop(x %*% c(1, -1, 0.5)) + x[, 1] * x[, 2] + rnorm(n, sd = 0.4)
  y[1:8] <- y[1:8] + 100
  list(x = x, y = y)
}

test_that("a linear fit without penalty is that of optim() and of rlm(), by every solver", {
  d <- with_outliers()
  start <- c(median(d$y), 0, 0, 0)
  best <- optim(start, function(b) huber_sum(d$y - cbind(1, d$x) %*% b), method = "BFGS", control = list(reltol = 1e-15, maxit = 500))
  for (solver in c("cd", "lbfgs", "adagrad", "sgd")) {
    fit <- paper_fit(d$x, d$y, order = 1, lambda = 0, loss = "huber", solver = solver, control = hofm_control(seed = 1, tol = 1e-12, max_iter = 2000))
    exact <- solver %in% c("cd", "lbfgs")
    expect_equal(c(fit$intercept, unname(fit$w)), best$par, tolerance = if (exact) 1e-4 else 0.02, info = solver)
    expect_equal(fit$objective, best$value / length(d$y), tolerance = if (exact) 1e-8 else 1e-3, info = solver)
  }
})

test_that("a linear fit on the scale that rlm() finds is that of rlm()", {
  skip_if_broken("MASS")
  d <- with_outliers()
  robust <- MASS::rlm(cbind(1, d$x), d$y, psi = MASS::psi.huber, k = 1.345, maxit = 500, acc = 1e-12)
  unit <- 1.345 * robust$s
  fit <- paper_fit(d$x, d$y / unit, order = 1, lambda = 0, loss = "huber", control = hofm_control(tol = 1e-13, max_iter = 2000))
  expect_equal(unit * c(fit$intercept, unname(fit$w)), unname(coef(robust)), tolerance = 1e-5)
})

test_that("outliers pull the squared loss away, not this one", {
  d <- with_outliers()
  fit <- function(loss) hofm(d$x, d$y, order = 2, rank = 2, lambda = 1e-3, loss = loss, control = hofm_control(seed = 1))
  error <- function(fit) sqrt(mean((predict(fit, d$x) - d$y)[-(1:8)]^2))
  expect_lt(error(fit("huber")), 0.6)
  expect_gt(error(fit("squared")), 2)
})

test_that("the best constant is where the slope of the loss is zero", {
  set.seed(5)
  for (n in c(1, 2, 3, 50)) {
    y <- c(rnorm(n), 30)
    w <- normalise(runif(n + 1))
    o <- rnorm(n + 1)
    b <- huber_location(y, w, o)
    expect_equal(sum(w * pmax(-1, pmin(1, y - o - b))), 0, tolerance = 1e-12)
  }
  expect_equal(huber_location(c(0, 10), c(0.5, 0.5)), 1)        # any point from 1 to 9 is one; the first is taken
})

test_that("cross-validation, methods, files and frameworks know it", {
  d <- with_outliers(60)
  cv <- suppressWarnings(cv_hofm(d$x, d$y, loss = "huber", lambda = c(0.1, 0.01), nfolds = 3, control = hofm_control(seed = 1, max_iter = 20)))
  expect_identical(unname(cv$name), "Huber deviance")
  fit <- hofm(d$x, d$y, loss = "huber", control = hofm_control(seed = 1))
  r <- residuals(fit)
  expect_equal(deviance(fit), 2 * huber_sum(r))
  expect_equal(residuals(fit, "deviance")^2, ifelse(abs(r) > 1, 2 * abs(r) - 1, r^2))
  expect_error(residuals(fit, "pearson"), class = "hofm_error_unsupported")
  expect_error(simulate(fit), class = "hofm_error_unsupported")
  expect_true(is.na(suppressWarnings(fit$loglik)))
  expect_true("huber" %in% learner_losses("numbers"))
  skip_if_broken("jsonlite")
  file <- tempfile(fileext = ".json")
  on.exit(unlink(file))
  write_hofm_json(fit, file)
  expect_identical(predict(read_hofm_json(file), d$x), predict(fit, d$x))
})

test_that("a response far above the threshold brings a warning that says what to do", {
  d <- with_outliers()
  expect_warning(code_response(d$y * 1000, "huber"), "divide it by about 1.345", class = "hofm_warning_scale")
  expect_silent(code_response(d$y, "huber"))
})
