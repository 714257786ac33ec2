quiet <- function(...) suppressWarnings(bayes_hofm(...), classes = "hofm_warning_chains")
one <- function(seed = 1, threads = 1, ...) hofm_control(seed = seed, threads = threads, ...)

planted <- function(n = 80, seed = 1) {
  with_seed(seed, {
    d <- data.frame(a = rnorm(n), b = rnorm(n), f = factor(sample(letters[1:4], n, TRUE)))
    d$y <- 10 + 3 * (d$a + d$a * d$b + (d$f == "c") + rnorm(n, sd = 0.3))
    d
  })
}

test_that("order 1 with everything given has the posterior of ridge regression", {
  d <- planted(40)
  x <- as.matrix(d[c("a", "b")])
  fit <- quiet(x, d$y, order = 1, iter = 6000, warmup = 100, chains = 2, keep = 4000, control = one(),
               prior = hofm_prior(lambda = 2, noise_sd = 0.5, intercept_sd = 3))
  z <- cbind(1, scale(x))
  sd_y <- sqrt(mean((d$y - mean(d$y))^2))
  precision <- 4 * crossprod(z) + diag(c(1 / 9, 2, 2))
  mean <- solve(precision, 4 * crossprod(z, (d$y - mean(d$y)) / sd_y))
  told <- predict(fit, x, interval = "credible")
  expect_equal(told[, "fit"], drop(mean(d$y) + sd_y * z %*% mean), tolerance = 0.003, ignore_attr = TRUE)
  spread <- sd_y * sqrt(rowSums((z %*% solve(precision)) * z))
  expect_equal((told[, "upper"] - told[, "lower"]) / (2 * qnorm(0.95)), spread, tolerance = 0.06, ignore_attr = TRUE)
})

test_that("the number of threads and a pause change nothing", {
  d <- planted()
  fit <- function(threads, iter = 60) {
    quiet(y ~ ., d, order = 3, rank = 2, iter = iter, warmup = 20, chains = 3, keep = 60, control = one(threads = threads))
  }
  whole <- fit(1)
  expect_identical(fit(2)$chains, whole$chains)
  expect_identical(fit(5)$chains, whole$chains)
  resumed <- suppressWarnings(update(fit(1, 50), iter = 10))
  expect_equal(lapply(resumed$chains, `[[`, "last"), lapply(whole$chains, `[[`, "last"), tolerance = 1e-8)
  expect_equal(resumed$chains[[2]]$mean, whole$chains[[2]]$mean, tolerance = 1e-8)
})

test_that("a planted product is found, with intervals that hold", {
  d <- planted(200)
  train <- d[1:120, ]
  test <- d[-(1:120), ]
  fit <- quiet(y ~ ., train, rank = 2, iter = 600, chains = 2, control = one())
  told <- predict(fit, test, interval = "predictive")
  expect_lt(sqrt(mean((told[, "fit"] - test$y)^2)), 1.2)
  expect_gt(mean(test$y >= told[, "lower"] & test$y <= told[, "upper"]), 0.78)
  w <- interactions(fit, 2, 20)
  ab <- w[w$feature_1 == "a" & w$feature_2 == "b", ]
  expect_equal(ab$weight, 3 * sd(train$a) * sd(train$b), tolerance = 0.15)
  expect_true(ab$lower > 0 && ab$sign == 1)
  expect_equal(rowSums(predict(fit, test, type = "terms")), told[, "fit"], tolerance = 1e-10, ignore_attr = TRUE)
  skip_if_broken("loo")
  flat <- quiet(y ~ ., train, order = 1, iter = 600, chains = 2, control = one())
  compared <- loo::loo_compare(list(flat = suppressWarnings(loo::loo(flat)), product = suppressWarnings(loo::loo(fit))))
  expect_identical(rownames(compared)[1], "product")
})

test_that("draws of the fit give its predictions, written out", {
  d <- planted(30)
  fit <- quiet(y ~ a + f, d, rank = 2, iter = 40, chains = 2, keep = 10, control = one())
  z <- cbind((d$a - mean(d$a)) / sd(d$a), sapply(levels(d$f), function(l) d$f == l))
  link <- vapply(fit$chains, function(chain) rowMeans(apply(chain$draws, 2, function(draw) {
    w <- draw[2 + 1:5]
    P <- matrix(draw[2 + 5 + 4 + 1:10], 5)
    draw[1] + z %*% w + rowSums((z %*% P)^2 - z^2 %*% P^2) / 2
  })), numeric(30))
  scale <- sqrt(mean((d$y - mean(d$y))^2))
  expect_equal(predict(fit, d), mean(d$y) + scale * rowMeans(link), tolerance = 1e-10)
})

test_that("classes have probabilities, and new levels the width of their group", {
  d <- planted()
  two <- quiet(factor(y > 10) ~ ., d[names(d) != "y"] |> transform(y = d$y), rank = 2, iter = 100, chains = 2, control = one())
  p <- predict(two, d, type = "prob")
  expect_equal(rowSums(p), rep(1, nrow(d)))
  expect_equal(predict(two, d), p[, 2])
  d$level <- cut(d$y, c(-Inf, 8, 12, Inf), ordered_result = TRUE)
  three <- quiet(level ~ a + b + f, d, rank = 2, iter = 300, chains = 2, control = one())
  p <- predict(three, d, type = "prob")
  expect_equal(rowSums(p), rep(1, nrow(d)))
  expect_gt(mean(predict(three, d, type = "class") == d$level), 0.6)
  fit <- quiet(y ~ a + f, d, rank = 2, iter = 200, chains = 2, control = one())
  new <- transform(d[1:5, ], f = "z")
  expect_error(predict(fit, new), class = "hofm_error_new_levels")
  width <- function(data) mean(predict(fit, data, interval = "credible", allow_new_levels = TRUE)[, 2:3] %*% c(-1, 1))
  expect_gt(width(new), width(d[1:5, ]))
})

test_that("R-hat and effective sizes are those of the posterior package", {
  skip_if_broken("posterior")
  draws <- with_seed(3, apply(matrix(rnorm(800), 200), 2, function(e) stats::filter(e, 0.6, "recursive")))
  expect_equal(split_rhat(draws), posterior::rhat_basic(draws), tolerance = 1e-8)
  expect_equal(effective_size(draws), posterior::ess_basic(draws), tolerance = 0.1)
})

test_that("pairs of nodes are sampled like their joined rows", {
  A <- with_seed(1, matrix(rnorm(12), 6, 2, dimnames = list(NULL, c("p", "q"))))
  B <- with_seed(2, matrix(rnorm(10), 5, 2, dimnames = list(NULL, c("r", "s"))))
  at <- expand.grid(i = 1:6, j = 1:5)
  at$y <- with_seed(3, rbinom(30, 1, 0.5))
  pairs <- link_pairs(A, B, at)
  fit <- quiet(pairs, order = 3, rank = 2, iter = 30, chains = 1, keep = 15, control = one())
  expect_identical(levels(fit$groups), c("A", "B"))
  # The same on rows that are scaled as the nodes are: every pair of nodes is there, so that both agree but for n - 1.
  joined <- cbind(scale(A)[at$i, ], scale(B)[at$j, ])
  same <- quiet(joined, at$y == 1, order = 3, rank = 2, iter = 30, chains = 1, keep = 15, groups = c("A", "A", "B", "B"), control = one())
  same$scaling$x[[1]] <- list(center = rep(0, 4), scale = rep(1, 4))
  training <- list(blocks = list(list(x = as_design(unname(joined))$x, index = NULL)), y = at$y, weights = numeric(), offset = numeric())
  same <- run_chains(same, training)
  expect_equal(same$chains[[1]]$draws, fit$chains[[1]]$draws, tolerance = 1e-10)
  expect_equal(predict(fit, pairs), predict(fit))
  expect_error(bayes_hofm(pairs, negatives = "all"), "hardly move", class = "hofm_error_input")
})

test_that("an ordinary fit stands for the mean of a chain, and a saved fit is the same", {
  d <- with_seed(5, data.frame(u = factor(sample(6, 90, TRUE)), v = factor(sample(6, 90, TRUE))))
  d$y <- with_seed(6, 5 + as.integer(d$u) + rnorm(90))
  fit <- quiet(y ~ u + v, d, rank = 2, iter = 100, chains = 2, control = one())
  expect_equal(predict(as_hofm(fit), d), predict(fit, d), tolerance = 0.2)
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), d), predict(fit, d))
  none <- quiet(y ~ u + v, d, rank = 2, iter = 100, chains = 2, keep = 0, control = one())
  expect_error(predict(none, d), class = "hofm_error_unsupported")
  expect_equal(predict(as_hofm(none), d), predict(as_hofm(fit), d))
  longer <- quiet(y ~ u + v, d, rank = 2, iter = 1000, warmup = 50, chains = 2, keep = 0, control = one())
  expect_lt(as.double(object.size(longer)), 1.3 * as.double(object.size(quiet(y ~ u + v, d, rank = 2, iter = 500, warmup = 50,
                                                                             chains = 2, keep = 0, control = one()))))
})

test_that("bad input is named", {
  d <- planted(20)
  expect_error(bayes_hofm(y ~ a, d, iter = 10, warmup = 10), "`warmup`", class = "hofm_error_input")
  expect_error(bayes_hofm(y ~ a, d, keep = 1e7, rank = 2000, order = 3), "`keep`", class = "hofm_error_input")
  expect_error(bayes_hofm(y ~ a, d, groups = 1:5), "`groups`", class = "hofm_error_input")
  expect_error(bayes_hofm(y ~ a, d, model = "simplex"), "`model`", class = "hofm_error_input")
  expect_error(bayes_hofm(f ~ a, d), "two classes", class = "hofm_error_input")
  expect_error(bayes_hofm(factor(y > 10) ~ a, d, weights = a^2), "`weights`", class = "hofm_error_input")
  expect_error(hofm_prior(noise = 1), "`noise`", class = "hofm_error_input")
  expect_error(bayes_hofm(y ~ a, d, prior = hofm_prior(lambda = 1:5)), "`lambda`", class = "hofm_error_input")
})
