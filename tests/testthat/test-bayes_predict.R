quiet <- function(...) suppressWarnings(bayes_hofm(...), classes = "hofm_warning_chains")
one <- function(seed = 1, threads = 1, ...) hofm_control(seed = seed, threads = threads, ...)
cars <- transform(mtcars, cyl = factor(cyl), gear = ordered(gear), am = am == 1)
sampled <- function(formula, ..., iter = 200) quiet(formula, cars, rank = 2, iter = iter, chains = 2, control = one(), ...)

test_that("intervals are quantiles of draws", {
  fit <- sampled(mpg ~ cyl + wt)
  told <- predict(fit, cars, interval = "credible", level = 0.8)
  draws <- posterior_epred.bayes_hofm(fit, cars)
  expect_equal(unname(told), unname(cbind(colMeans(draws), t(apply(draws, 2, quantile, c(0.1, 0.9))))), tolerance = 1e-12)
  wide <- predict(fit, cars, interval = "predictive", level = 0.8)
  expect_equal(wide[, "fit"], told[, "fit"])
  expect_true(all(wide[, "upper"] - wide[, "lower"] > told[, "upper"] - told[, "lower"]))
  expect_identical(wide, predict(fit, cars, interval = "predictive", level = 0.8))
  # Of a normal law around each draw: the quantiles of the mixture, by its distribution function.
  sigma <- sigma_draws(fit)
  at <- vapply(1:5, function(i) mean(pnorm(wide[i, "upper"], draws[, i], sigma)), 0)
  expect_equal(at, rep(0.9, 5), tolerance = 0.05)
})

test_that("blocks of rows make no difference, nor do threads", {
  fit <- sampled(mpg ~ cyl + wt)
  rows <- cars[rep(seq_len(32), 700), ]
  whole <- predict(fit, rows, interval = "credible")
  expect_equal(whole, whole[rep(1:32, 700), ], ignore_attr = TRUE)
  expect_identical(predict(fit, rows, threads = 2), predict(fit, rows))
  expect_gt(nrow(rows) * count_draws(fit), 4e6)   # or there was one block
  x <- as(as(as.matrix(cars[c("hp", "wt")]), "dMatrix"), "CsparseMatrix")
  plain <- quiet(x, cars$mpg, rank = 1, iter = 60, chains = 2, control = one())
  expect_equal(predict(plain, x[rep(1:32, 5000), ]), rep(predict(plain, x), 5000))
})

test_that("probabilities and classes are those of the draws", {
  fit <- sampled(gear ~ wt + cyl)
  p <- predict(fit, cars, type = "prob")
  expect_identical(colnames(p), c("3", "4", "5"))
  expect_equal(drop(p %*% 1:3), predict(fit, cars))
  class <- predict(fit, cars, type = "class")
  expect_identical(as.integer(class), max.col(p, "first"))
  expect_true(is.ordered(class))
  link <- posterior_linpred.bayes_hofm(fit, cars)
  cut <- unlist(lapply(fit$chains, function(chain) chain$draws[4, ]))
  expect_equal(p[, 1], colMeans(pnorm(-link)))
  expect_equal(p[, 3], colMeans(pnorm(link - cut)))
  expect_equal(exp(log_lik.bayes_hofm(fit))[, 1], pnorm(cut - link[, 1]) - pnorm(-link[, 1]))   # gear 4
  new <- posterior_predict.bayes_hofm(fit, cars)
  expect_true(all(new %in% 1:3))
  expect_equal(colMeans(new), predict(fit, cars), tolerance = 0.15)
  two <- sampled(am ~ wt)
  expect_identical(predict(two, cars, type = "class"), predict(two, cars) > 0.5)
  expect_equal(exp(log_lik.bayes_hofm(two)[7, ]), dbinom(cars$am, 1, posterior_epred.bayes_hofm(two)[7, ]))
})

test_that("the likelihood of numbers is normal, with weights as counts", {
  w <- rep(c(1, 2), 16)
  fit <- quiet(mpg ~ wt, cars, weights = w, rank = 1, iter = 60, chains = 2, control = one())
  slow <- dnorm(cars$mpg[3], posterior_epred.bayes_hofm(fit)[, 3], sigma_draws(fit), log = TRUE)
  expect_equal(log_lik.bayes_hofm(fit)[, 3], slow)
  expect_equal(log_lik.bayes_hofm(fit)[, 4],
               2 * dnorm(cars$mpg[4], posterior_epred.bayes_hofm(fit)[, 4], sigma_draws(fit), log = TRUE))
})

test_that("missing values, offsets and odd requests are handled", {
  fit <- sampled(mpg ~ cyl + wt)
  gaps <- cars[1:4, ]
  gaps$wt[2] <- NA
  told <- predict(fit, gaps, interval = "credible")
  expect_identical(which(is.na(told[, 1])), 2L)
  expect_identical(which(is.na(predict(sampled(gear ~ wt), gaps, type = "class"))), 2L)
  expect_length(predict(fit, cars[0, ]), 0)
  expect_error(predict(fit, cars, type = "prob"), "`type", class = "hofm_error_input")
  expect_error(predict(fit, cars, interval = "predictive", type = "link"), "`interval", class = "hofm_error_input")
  expect_error(predict(fit, cars, level = 2), "`level`", class = "hofm_error_input")
  expect_error(predict(fit, cars, whatever = 2), class = "hofm_error_input")
  expect_error(predict(fit, as.matrix(mtcars["hp"])), class = "hofm_error")
  off <- sampled(mpg ~ wt, offset = 2 * as.integer(cars$cyl))
  expect_error(predict(off, cars), "`offset`", class = "hofm_error_input")
  expect_equal(predict(off, cars, offset = rep(5, 32)) - predict(off, cars, offset = rep(0, 32)), rep(5, 32))
  expect_equal(predict(off), predict(off, cars, offset = 2 * as.integer(cars$cyl)))
})

test_that("new levels are drawn from their group's law", {
  d <- with_seed(2, data.frame(g = factor(sample(30, 600, TRUE)), x = rnorm(600)))
  effect <- with_seed(3, rnorm(30, sd = 2))
  d$y <- effect[d$g] + with_seed(4, rnorm(600, sd = 0.3))
  fit <- quiet(y ~ g + x, d, order = 1, iter = 400, chains = 2, control = one())
  new <- data.frame(g = factor("new"), x = 0)
  told <- predict(fit, new, interval = "credible", allow_new_levels = TRUE)
  expect_equal(unname(told[1, "upper"] - told[1, "lower"]), 2 * qnorm(0.95) * sd(effect), tolerance = 0.25)
  expect_equal(unname(told[1, "fit"]), mean(effect), tolerance = 0.5)
  twice <- posterior_epred.bayes_hofm(fit, new[c(1, 1), ], allow_new_levels = TRUE)
  expect_equal(twice[, 1], twice[, 2])   # the same unknown group
})
