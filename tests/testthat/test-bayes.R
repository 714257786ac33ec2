quiet <- function(...) suppressWarnings(bayes_hofm(...), classes = "hofm_warning_chains")
one <- function(seed = 1, threads = 1, ...) hofm_control(seed = seed, threads = threads, ...)

quietly_interrupted <- function(code) suppressWarnings(code, classes = "hofm_warning_chains")

unit <- function(x) (x - mean(x)) / sqrt(mean((x - mean(x))^2))

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
  z <- cbind(1, apply(x, 2, unit))
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
  z <- cbind(unit(d$a), sapply(levels(d$f), function(l) d$f == l))
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

test_that("pairs of nodes are sampled like their joined rows", {
  A <- with_seed(1, matrix(rnorm(12), 6, 2, dimnames = list(NULL, c("p", "q"))))
  B <- with_seed(2, matrix(rnorm(10), 5, 2, dimnames = list(NULL, c("r", "s"))))
  at <- expand.grid(i = 1:6, j = 1:5)
  at$y <- with_seed(3, rbinom(30, 1, 0.5))
  pairs <- link_pairs(A, B, at)
  fit <- quiet(pairs, order = 3, rank = 2, iter = 30, chains = 1, keep = 15, control = one())
  expect_identical(levels(fit$groups), c("A", "B"))
  # The same on rows that are scaled as the nodes are.
  joined <- cbind(A[at$i, ], B[at$j, ])
  same <- quiet(joined, at$y == 1, order = 3, rank = 2, iter = 30, chains = 1, keep = 15, groups = c("A", "A", "B", "B"), control = one())
  expect_equal(same$scaling, fit$scaling)
  expect_equal(same$chains[[1]]$draws, fit$chains[[1]]$draws, tolerance = 1e-10)
  expect_equal(predict(fit, pairs), predict(fit))
  expect_error(bayes_hofm(pairs, negatives = "all"), "hardly move", class = "hofm_error_input")
})

test_that("a saved fit is the same, and without draws memory does not grow with the sweeps", {
  d <- with_seed(5, data.frame(u = factor(sample(6, 90, TRUE)), v = factor(sample(6, 90, TRUE))))
  d$y <- with_seed(6, 5 + as.integer(d$u) + rnorm(90))
  fit <- quiet(y ~ u + v, d, rank = 2, iter = 100, chains = 2, control = one())
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), d), predict(fit, d))
  none <- function(iter) quiet(y ~ u + v, d, rank = 2, iter = iter, warmup = 50, chains = 2, keep = 0, control = one())
  short <- none(600)
  expect_identical(as.double(object.size(none(3000))), as.double(object.size(short)))
  expect_error(predict(short, d), class = "hofm_error_unsupported")
  expect_equal(fitted(short), fitted(quiet(y ~ u + v, d, rank = 2, iter = 600, warmup = 50, chains = 2, keep = 1100, control = one())))
  expect_equal(predict(as_hofm(short), d), predict(short <- as_hofm(short), d))
})

test_that("draws are kept evenly, of all chains together", {
  d <- planted(20)
  kept <- function(keep, iter = 30) vapply(quiet(y ~ a, d, rank = 1, iter = iter, warmup = 10, chains = 2, keep = keep, control = one())$chains,
                                           function(chain) ncol(chain$draws), 0L)
  expect_identical(kept(10), c(5L, 5L))
  expect_identical(kept(7), c(4L, 4L))
  expect_identical(kept(1000), c(20L, 20L))
  all <- quiet(y ~ a, d, rank = 1, iter = 30, warmup = 10, chains = 1, keep = 20, control = one())
  some <- quiet(y ~ a, d, rank = 1, iter = 30, warmup = 10, chains = 1, keep = 5, control = one())
  expect_identical(some$chains[[1]]$draws, all$chains[[1]]$draws[, c(4, 8, 12, 16, 20)])
  expect_equal(all$chains[[1]]$mean, rowMeans(all$chains[[1]]$draws))
})

test_that("groups are variables, sides, or what one says", {
  d <- planted(30)
  d$m <- cbind(p = d$a^2, q = d$b^2)
  expect_identical(as.character(quiet(y ~ a + f + m, d, rank = 1, iter = 4, control = one())$groups), c("a", rep("f", 4), "m", "m"))
  x <- as.matrix(d[c("a", "b")])
  expect_identical(nlevels(quiet(x, d$y, rank = 1, iter = 4, control = one())$groups), 1L)
  expect_identical(as.character(quiet(x, d$y, rank = 1, iter = 4, groups = c(2, 7), control = one())$groups), c("2", "7"))
})

test_that("shared factors are sampled, and terms add up", {
  d <- planted(60)
  fit <- quiet(y ~ a + b + f, d, order = 3, rank = 2, model = "shared", iter = 60, chains = 2, control = one())
  expect_gt(cor(predict(fit, d), d$y), 0.8)
  expect_true(all(is.finite(unlist(lapply(fit$chains, `[[`, "draws")))))
})

test_that("a chain that leaves the finite numbers says so", {
  d <- planted(20)
  huge <- data.frame(a = d$a * 1e300, y = d$y)
  expect_error(quiet(y ~ a, huge, rank = 1, iter = 10, control = one()), "Scale the features", class = "hofm_error_diverged")
  wild <- hofm_prior(lambda = 1e-300, noise_sd = 1e150)
  expect_error(quiet(y ~ a + b, d, order = 5, rank = 1, iter = 10, prior = wild, control = one()), "finite", class = "hofm_error_diverged")
})

test_that("odd columns, odd scales and small data pass", {
  d <- planted(25)
  d$zero <- 0
  d$constant <- 3
  d$large <- d$a * 1e8 + 1e9
  d$id <- factor(seq_len(25))
  fit <- quiet(y ~ ., d, order = 3, rank = 2, iter = 40, chains = 2, control = one())
  expect_true(all(is.finite(predict(fit, d))))
  small <- quiet(y * 1e-200 ~ a, d, rank = 1, iter = 200, chains = 2, control = one())
  expect_equal(predict(small, d) * 1e200, predict(quiet(y ~ a, d, rank = 1, iter = 200, chains = 2, control = one()), d), tolerance = 1e-6)
  expect_true(all(is.finite(predict(quiet(y ~ a, d[1:2, ], rank = 1, iter = 20, control = one()), d))))
  single <- as(Matrix::sparseMatrix(i = 1:25, j = 1:25, x = 1), "CsparseMatrix")
  expect_true(all(is.finite(predict(quiet(single, d$y, rank = 2, iter = 20, control = one())))))
})

test_that("an interrupt returns what there is, and nothing before the warm-up is over", {
  d <- planted()
  interrupted <- function(...) {
    setTimeLimit(elapsed = 1, transient = TRUE)   # reaches the core in the way that Ctrl-C does
    on.exit(setTimeLimit())
    bayes_hofm(y ~ ., d, order = 3, rank = 2, iter = 1e6, chains = 2, ...)
  }
  for (threads in 1:2) {
    expect_warning(fit <- quietly_interrupted(interrupted(warmup = 5, keep = 1e5, control = one(threads = threads))),
                   class = "hofm_warning_interrupted")
    expect_gt(count_draws(fit), 1)
    expect_true(all(is.finite(predict(fit, d))))
    expect_s3_class(suppressWarnings(update(fit, iter = 5)), "bayes_hofm")
  }
  expect_error(interrupted(warmup = 999999, control = one()), class = "hofm_error_interrupted")
})

test_that("sampling can be followed", {
  d <- planted(20)
  told <- testthat::capture_messages(quiet(y ~ a, d, rank = 1, iter = 40, control = one(verbose = TRUE)))
  expect_match(told[length(told)], "sweep 40 of 40, .* 0 s left")
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
