# Penalties from the data.

planted <- function(n, degree, seed) {
  seeded(seed, {
    x <- matrix(rnorm(n * 6), n, dimnames = list(NULL, letters[1:6]))
    signal <- x[, "a"] + if (degree == 2) 1.5 * x[, "b"] * x[, "c"] else if (degree == 3) 1.5 * x[, "b"] * x[, "c"] * x[, "d"] else 0
    list(x = x, y = signal + rnorm(n))
  })
}

test_that("a planted degree is found, and degrees without a signal are left at zero", {
  for (degree in 1:3) {
    d <- planted(400, degree, 20 + degree)
    fit <- hofm(d$x, d$y, order = 3, rank = 2, control = hofm_control(seed = 1))
    expect_setequal(fit$tuning$off, setdiff(2:3, degree))
    new <- planted(400, degree, 30 + degree)
    expect_lt(sqrt(mean((predict(fit, new$x) - new$y)^2)), if (degree == 1) 1.08 else 1.2)
  }
})

test_that("the penalties of a fit, given as numbers, leave the same degrees at zero", {
  d <- planted(400, 1, 21)
  fit <- hofm(d$x, d$y, order = 3, rank = 2, control = hofm_control(seed = 1))
  again <- collapsing(hofm(d$x, d$y, order = 3, rank = 2, lambda = fit$lambda, control = hofm_control(seed = 1)))
  expect_setequal(fit$tuning$off, 2:3)
  expect_lt(max(abs(unlist(again$P))), 0.05)
  expect_equal(fitted(again), fitted(fit), tolerance = 1e-2)
})

test_that("what was chosen is in the fit, costs no more than it may, and depends on the seed alone", {
  d <- planted(300, 2, 41)
  fit <- hofm(d$x, d$y, rank = 2, control = hofm_control(seed = 4))
  expect_true(all(c("degree", "lambda", "loss") %in% names(fit$tuning$table)))
  expect_equal(fit$tuning$loss, min(fit$tuning$table$loss))
  expect_lt(fit$tuning$loss, fit$tuning$null)
  expect_identical(hofm(d$x, d$y, rank = 2, control = hofm_control(seed = 4))$lambda, fit$lambda)
  expect_identical(hofm(d$x, d$y, rank = 2, control = hofm_control(seed = 4, threads = 1))$lambda, fit$lambda)
  set.seed(3)
  one <- hofm(d$x, d$y, rank = 2)$lambda
  set.seed(3)
  expect_identical(hofm(d$x, d$y, rank = 2)$lambda, one)
  refit <- hofm(d$x, d$y, rank = 2, lambda = fit$lambda, control = hofm_control(seed = 4))
  expect_null(refit$tuning)
  expect_equal(predict(refit, d$x), predict(fit, d$x), tolerance = 1e-3)
})

test_that("an order-1 fit is about as good as the best of a fine path", {
  skip_if_broken("glmnet")
  d <- seeded(5, {
    x <- matrix(rnorm(150 * 40), 150)
    list(x = x, y = drop(x %*% c(rnorm(10), numeric(30))) + 2 * rnorm(150))
  })
  new <- seeded(6, matrix(rnorm(4000 * 40), 4000))
  truth <- drop(new %*% seeded(5, { matrix(rnorm(150 * 40), 150); c(rnorm(10), numeric(30)) }))
  error <- function(p) mean((p - truth)^2)
  path <- glmnet::glmnet(d$x, d$y, alpha = 0, lambda = exp(seq(4, -6, -0.1)))
  best <- min(apply(predict(path, new), 2, error))
  expect_lt(error(predict(hofm(d$x, d$y, order = 1, control = hofm_control(seed = 1)), new)), 1.15 * best)
})

test_that("side information helps where ids have few rows each", {
  d <- seeded(9, {
    users <- 300
    group <- sample(4, users, TRUE)
    u <- sample(users, 1500, TRUE)
    v <- sample(30, 1500, TRUE)
    taste <- matrix(rnorm(4 * 30), 4)
    data.frame(y = taste[cbind(group[u], v)] + 0.5 * rnorm(1500), user = factor(u), item = factor(v), group = factor(group[u]))
  })
  train <- seq_len(1200)
  d$user <- factor(d$user, levels(factor(d$user[train])))
  test <- setdiff(which(!is.na(d$user)), train)
  error <- function(formula) {
    fit <- collapsing(hofm(formula, d[train, ], rank = 4, control = hofm_control(seed = 1)))
    sqrt(mean((predict(fit, d[test, ], allow_new_levels = TRUE) - d$y[test])^2))
  }
  expect_lt(error(y ~ user + item + group), 0.9 * error(y ~ user + item))
})

test_that("tiny and odd data are tuned, or left as they are", {
  d <- mtcars[1:5, c("mpg", "wt")]
  expect_s3_class(collapsing(hofm(mpg ~ wt, d)), "hofm")
  expect_s3_class(collapsing(hofm(mpg ~ wt, mtcars[1:3, ])), "hofm")
  noise <- seeded(2, data.frame(y = rnorm(40), x = rnorm(40), z = rnorm(40)))
  fit <- collapsing(hofm(y ~ ., noise, control = hofm_control(seed = 1)))
  expect_lt(stats::var(fitted(fit)), 0.3 * stats::var(noise$y))
  constant <- cbind(noise, one = 1, none = 0)
  expect_true(all(is.finite(fitted(collapsing(hofm(y ~ ., constant))))))
})
