likes <- function(n = 24, d = 6) {
  set.seed(3)
  A <- matrix(rbinom(n * d, 1, 0.5) * runif(n * d), n, dimnames = list(NULL, letters[seq_len(d)]))
  pairs <- which(upper.tri(diag(n)), arr.ind = TRUE)[sample(n * (n - 1) / 2, 80), ]
  link_pairs(A, pairs = data.frame(i = pairs[, 1], j = pairs[, 2], y = rbinom(80, 1, 0.4)))
}
turned_round <- function(pairs) {
  ends <- data.frame(i = pairs$j, j = pairs$i, y = pairs$y)
  link_pairs(matrix(pairs$A, nrow(pairs$A), dimnames = list(NULL, letters[seq_len(ncol(pairs$A))])), pairs = ends)
}
setups <- c(list(list(model = "bilinear")), lapply(1:3, function(m) list(model = "hofm", order = m)),
            lapply(c("shared", "simplex", "polynomial"), function(model) list(model = model, order = 3)), list(list(model = "all_subsets")))
fit_tied <- function(pairs, ..., tied = NULL, max_iter = 15) {
  suppressWarnings(hofm(pairs, ..., rank = 3, lambda = 1e-3, tied = tied, control = hofm_control(seed = 2, max_iter = max_iter, threads = 1)),
                   classes = c("hofm_warning_collapsed", "hofm_warning_step_halved"))
}

test_that("both ways round have the same score, wherever scores are asked for", {
  pairs <- likes()
  for (setup in setups) for (negatives in list(NULL, "given")) {
    fit <- do.call(fit_tied, c(list(pairs, negatives = negatives), setup))
    S <- score_links(fit, pairs)
    expect_identical(S, t(S), info = setup$model)
    expect_identical(predict(fit, pairs), predict(fit, turned_round(pairs)))
    expect_equal(predict(fit, pairs), S[cbind(pairs$i, pairs$j)], tolerance = 1e-10)
    expect_equal(rowSums(predict(fit, pairs, type = "terms")), predict(fit, pairs), tolerance = 1e-10, ignore_attr = TRUE)
    expect_equal(fitted(fit), predict(fit, pairs), tolerance = 1e-10)
    best <- top_links(fit, pairs, n = 3)
    S[cbind(pairs$i, pairs$j)[pairs$y == 1, ]] <- -Inf
    expect_equal(best$score, sort(S[upper.tri(S)], decreasing = TRUE)[1:3], tolerance = 1e-10)
    # of two sets of nodes up to rounding
    A <- matrix(runif(30), 5, dimnames = list(NULL, letters[1:6]))
    B <- matrix(runif(18), 3, dimnames = list(NULL, letters[1:6]))
    expect_equal(score_links(fit, A, B), t(score_links(fit, B, A)), tolerance = 1e-10)
  }
})

test_that("scores that no parameters can tie are the mean of those of a fit to both ways round", {
  pairs <- likes()
  both <- pairs
  both[c("i", "j", "y", "directed")] <- list(c(pairs$i, pairs$j), c(pairs$j, pairs$i), rep(pairs$y, 2), TRUE)
  for (setup in setups[5:8]) {
    tied <- do.call(fit_tied, c(list(pairs, negatives = "given"), setup))
    plain <- do.call(fit_tied, c(list(both, negatives = "given"), setup))
    S <- score_links(plain, pairs)
    expect_gt(max(abs(S - t(S))), 1e-6)
    expect_equal(score_links(tied, pairs), (S + t(S)) / 2, tolerance = 1e-10)
  }
})

test_that("tied factors are the best of their rank, and half the parameters", {
  set.seed(4)
  best <- function(X, k) {
    e <- eigen((X + t(X)) / 2, symmetric = TRUE)
    at <- order(-abs(e$values))[seq_len(k)]
    e$vectors[, at] %*% (e$values[at] * t(e$vectors[, at]))
  }
  U <- matrix(rnorm(21), 7)
  V <- matrix(rnorm(21), 7)
  sides <- tied_products(U, V)
  expect_equal(tcrossprod(sides$U, sides$V), best(tcrossprod(U, V), 3))
  expect_equal(abs(sides$U), abs(sides$V))
  expect_equal(tcrossprod(tied_products(U[1:2, ], V[1:2, ])$U, tied_products(U[1:2, ], V[1:2, ])$V), best(tcrossprod(U[1:2, ], V[1:2, ]), 2))
  context <- matrix(rnorm(6), 2)
  P <- rbind(U, V, context)
  exchanged <- rbind(V, U, context)
  tied <- tied_factors(P, 1:7, 8:14)
  expect_equal(tcrossprod(tied), best((tcrossprod(P) + tcrossprod(exchanged)) / 2, 3))
  expect_identical(abs(tied[1:7, ]), abs(tied[8:14, ]))
  pairs <- likes()
  for (model in c("hofm", "bilinear")) {
    size <- function(tied) summary(fit_tied(pairs, model = model, common = FALSE, tied = tied))$parameters
    expect_equal(size(TRUE) - 1, (size(FALSE) - 1) / 2)
  }
})

test_that("a converged fit to an undirected graph is all but tied by itself", {
  pairs <- likes()
  plain <- fit_tied(pairs, model = "bilinear", negatives = "all", tied = FALSE, max_iter = 3000)
  S <- score_links(plain, pairs)
  expect_equal(S, t(S), tolerance = 1e-2)
  tied <- fit_tied(pairs, model = "bilinear", negatives = "all", max_iter = 3000)
  expect_lt(tied$objective, plain$objective * 1.001)
})

test_that("what is held out is held out both ways round, and rankings count each link once", {
  pairs <- likes()
  fit <- suppressWarnings(hofm(pairs, model = "hofm", rank = 2, lambda = 1e-3, solver = "adagrad", negatives = "given", common = FALSE,
                               control = hofm_control(seed = 1, max_iter = 5, validation = 0.2, threads = 1)))
  expect_lte(max(fit$validation$rows), 80)
  expect_length(fit$validation$rows, 16)
  ranked <- hofm(pairs, rank = 2, lambda = 1e-3, loss = "auc", control = hofm_control(seed = 1, max_iter = 3, threads = 1))
  expect_equal(ranked$ranking$links, sum(pairs$y))
  expect_equal(ranked$ranking$others, 24 * 23 / 2 - sum(pairs$y))
})

test_that("sides are tied where that means something only", {
  pairs <- likes()
  expect_false(fit_tied(replace(pairs, "directed", TRUE), model = "bilinear")$tied)
  expect_error(fit_tied(replace(pairs, "directed", TRUE), tied = TRUE), "directed", class = "hofm_error_unsupported")
  expect_error(fit_tied(pairs, tied = NA), class = "hofm_error_input")
  fit <- fit_tied(pairs, model = "bilinear")
  expect_error(predict(replace(fit, "tied", list("yes")), pairs), class = "hofm_error_damaged")
})
