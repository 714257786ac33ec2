# All weights by enumeration.
interactions_slow <- function(P, c, t) {
  sets <- utils::combn(nrow(P), t)
  weight <- apply(sets, 2, function(J) sum(c * apply(P[J, , drop = FALSE], 2, prod)))
  o <- order(-abs(weight))
  list(weight = weight[o], features = t(sets[, o, drop = FALSE]))
}

test_that("the strongest interactions equal enumeration", {
  set.seed(1)
  for (d in c(2, 5, 12)) for (t in seq_len(min(d, 5))) for (k in c(1, 4)) {
    P <- matrix(rnorm(d * k), d) * rexp(d)
    c <- rnorm(k)
    all <- interactions_slow(P, c, t)
    for (n in c(1, 3, 20)) {
      best <- interactions_cpp(P, c, t, n, integer(), list(), NULL, FALSE)
      top <- seq_len(min(n, length(all$weight)))
      expect_equal(best$weight, all$weight[top], tolerance = 1e-12)
      expect_equal(best$features, all$features[top, , drop = FALSE])
    }
  }
})

test_that("ties and zeros are answered in the order of the features", {
  P <- matrix(1, 5, 2)
  best <- interactions_cpp(P, c(1, 1), 2, 4, integer(), list(), NULL, FALSE)
  expect_identical(best$features, rbind(c(1L, 2L), c(1L, 3L), c(1L, 4L), c(1L, 5L)))
  zero <- interactions_cpp(0 * P, c(1, 1), 2, 3, integer(), list(), NULL, FALSE)
  expect_identical(zero$features, rbind(c(1L, 2L), c(1L, 3L), c(1L, 4L)))
})

test_that("interactions() names features and says what it cannot do", {
  set.seed(2)
  x <- matrix(rnorm(200), 50, dimnames = list(NULL, c("a", "b", "c", "d")))
  fit <- hofm(x, x[, "a"] * x[, "c"] + x[, "d"], order = 3, rank = c(2, 0), lambda = 1e-4, standardize = FALSE)
  top <- interactions(fit, 2, 2)
  expect_named(top, c("feature_1", "feature_2", "weight"))
  expect_identical(unlist(top[1, 1:2], use.names = FALSE), c("a", "c"))
  expect_equal(top$weight[1], 1, tolerance = 0.05)
  expect_equal(top$weight[1], sum(fit$P[["2"]]["a", ] * fit$P[["2"]]["c", ]))
  expect_equal(interactions(fit, 1, 1)$weight, max(fit$w))
  expect_identical(nrow(interactions(fit, 3)), 0L)
  expect_error(interactions(fit, 4), "`degree` must be a whole number from 1 to 3, not 4: the fit has order 3.",
               fixed = TRUE, class = "hofm_error_input")
  line <- hofm(x, x[, "d"], order = 1)
  for (ask in list(interactions, function(fit) plot(fit, "interactions", degree = 2))) {
    expect_error(ask(line), "`degree` must be 1, not 2: the fit has order 1.", fixed = TRUE, class = "hofm_error_input")
  }
  any <- hofm(x, x[, "d"], model = "all_subsets", rank = 1)
  expect_error(interactions(any, 5), "the fit combines up to 4 features", class = "hofm_error_input")
  expect_error(interactions(1), "`fit` must be", class = "hofm_error_input")
  expect_error(interactions(fit, n = 0), "`n` must be", class = "hofm_error_input")
})

test_that("bilinear fits have interactions between the two sides only", {
  set.seed(3)
  U <- matrix(rnorm(6), 3)
  V <- matrix(rnorm(8), 4)
  factors <- bilinear_factors(U, V)
  best <- interactions_cpp(factors$P, factors$c, 2, 12, integer(), list(), NULL, FALSE)
  W <- U %*% t(V)
  expect_equal(abs(best$weight), sort(abs(W), decreasing = TRUE))
  expect_true(all(best$features[, 1] <= 3 & best$features[, 2] > 3))
})

test_that("strong interactions of a large matrix come at once", {
  set.seed(4)
  P <- matrix(rnorm(20000 * 20, sd = 0.01), 20000)
  P[c(17, 4000, 19999), ] <- P[c(17, 4000, 19999), ] * 100
  expect_lt(system.time(best <- interactions_cpp(P, rep(1, 20), 3, 1, integer(), list(), NULL, FALSE))[["user.self"]], 10)
  expect_identical(best$features[1, ], c(17L, 4000L, 19999L))
})

test_that("weights beyond the largest double are an error", {
  set.seed(4)
  x <- matrix(rnorm(40), 10)
  fit <- hofm(x, x[, 1], rank = 1)
  fit$P[["2"]][] <- 1e200
  expect_error(interactions(fit), class = "hofm_error_overflow")
})
