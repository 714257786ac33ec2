test_that("penalty, weight of negatives and model are chosen from training links and kept with the fit", {
  set.seed(1)
  A <- matrix(rbinom(600, 1, 0.3), 60)
  alike <- tcrossprod(A[, 1:5]) - tcrossprod(A[, 6:10])
  split <- split_links(A, edges = which(upper.tri(alike) & alike > 1, arr.ind = TRUE), seed = 1)
  control <- hofm_control(seed = 3, threads = 1)
  fit <- hofm(split$train, rank = 2, control = control)
  expect_true(fit$lambda[1] %in% fit$tuning$lambda)
  best <- fit$tuning[which.max(fit$tuning$auc), ]
  expect_equal(fit$lambda[1], best$lambda)
  expect_equal(fit$negatives$weight, best$weight * balanced_weight(split$train))
  expect_identical(hofm(split$train, rank = 2, control = control)[c("lambda", "P")], fit[c("lambda", "P")])
  # held-out links of the test set play no part
  other <- split
  other$test$links <- list(i = 1L, j = 2L)
  expect_identical(hofm(other$train, rank = 2, control = control)$P, fit$P)
  expect_null(hofm(split$train, rank = 2, lambda = 1e-3, control = control)$tuning)
})

test_that("the walk over penalties finds a peak on either side of its start", {
  peak <- function(at) function(lambda) -abs(log(lambda) - log(at)) / 10
  for (at in c(1e-4, 1e-3, 1e-2)) expect_equal(walk_penalties(1e-3, peak(at)), at, tolerance = 1e-8)
})

test_that("links that are held out are no training pairs, and few links are all kept", {
  pairs <- link_pairs(diag(20), pairs = cbind(1:19, 2:20))
  parts <- held_links(pairs)
  expect_length(parts, 5)
  for (part in parts) {
    expect_length(part$rest$links$i, 3)
    expect_length(intersect(paste(part$rest$links$i, part$rest$links$j), paste(part$train$i, part$train$j)), 0)
    expect_identical(unclass(pairs[part$kept])[c("i", "j", "y")], unclass(part$train)[c("i", "j", "y")])
  }
  expect_length(unique(unlist(lapply(parts, function(part) part$rest$links$i))), 15)
  expect_null(held_links(pairs[1:5]))
})
