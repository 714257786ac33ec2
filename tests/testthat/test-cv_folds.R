test_that("folds are even in each class, and in links for nodes", {
  set.seed(35)
  class <- rep(c(-1, 1), c(47, 16))
  counts <- table(deal_rows(5, class), class)
  expect_lte(max(apply(counts, 2, function(n) diff(range(n)))), 1)
  expect_lte(diff(range(rowSums(counts))), 1)
  pairs <- linked_pairs()
  foldid <- deal_nodes(4, pairs)
  expect_true(all(tapply(foldid, pairs$i, function(f) length(unique(f))) == 1))
  expect_setequal(foldid, 1:4)
})

test_that("one row may be a fold", {
  data <- product_data(16)
  cv <- cv_hofm(data$x, data$y > 0, order = 1, nfolds = 16, n_lambda = 3)
  expect_identical(as.vector(table(cv$foldid)), rep(1L, 16))
})

test_that("whole nodes are held out of training", {
  for (one_set in c(FALSE, TRUE)) for (negatives in c("given", "all")) {
    pairs <- linked_pairs(one_set = one_set)
    foldid <- ifelse(pairs$i <= 4, 1, 2)
    run <- function(p) {
      cv_hofm(p, rank = 2, foldid = foldid, hold_out = "nodes", negatives = negatives, lambda = c(0.1, 0.01), keep = TRUE,
              control = hofm_control(seed = 1))
    }
    cv <- run(pairs)
    # what is predicted for fold 1 must not change with the links of its nodes
    turned <- pairs
    own <- pairs$i <= 4 | (one_set & pairs$j <= 4)
    turned$y[which(own)[c(TRUE, FALSE)]] <- 1 - turned$y[which(own)[c(TRUE, FALSE)]]
    expect_identical(run(turned)$fit.preval[foldid == 1, ], cv$fit.preval[foldid == 1, ])
    expect_false(identical(run(turned)$fit.preval[foldid == 2, ], cv$fit.preval[foldid == 2, ]))
    expect_s3_class(cv$fit, "hofm")
  }
  expect_error(cv_hofm(pairs, foldid = rep_len(1:2, length(pairs$i)), hold_out = "nodes"), "`foldid` must put all pairs of a node",
               class = "hofm_error_input")
  expect_error(cv_hofm(pairs, nfolds = 50, hold_out = "nodes"), "`nfolds` must be at most", class = "hofm_error_input")
})

test_that("pairs held out play no part in training on all pairs", {
  for (one_set in c(FALSE, TRUE)) {
    pairs <- linked_pairs(one_set = one_set)
    foldid <- rep_len(1:3, length(pairs$i))
    run <- function(p, weight = 0.2) {
      cv_hofm(p, rank = 2, foldid = foldid, negatives = "all", negative_weight = weight, lambda = 0.01, keep = TRUE,
              control = hofm_control(seed = 1))
    }
    turned <- pairs
    turned$y[foldid == 1][1:5] <- 1 - turned$y[foldid == 1][1:5]
    expect_identical(run(turned)$fit.preval[foldid == 1, ], run(pairs)$fit.preval[foldid == 1, ])
  }
  # against the same training set with every pair given
  pairs <- linked_pairs()
  foldid <- rep_len(1:3, length(pairs$i))
  ends <- expand.grid(i = 1:12, j = 1:10)
  at <- match(paste(pairs$i, pairs$j), paste(ends$i, ends$j))
  ends$y <- 0
  ends$y[at] <- pairs$y
  kept <- !seq_len(120) %in% at[foldid == 1]
  every <- link_pairs(pairs$A, pairs$B, ends[kept, ])
  fit <- hofm(every, rank = 2, lambda = 0.01, weights = ifelse(every$y == 1, 1, 0.2), control = exact())
  cv <- cv_hofm(pairs, rank = 2, foldid = foldid, negatives = "all", negative_weight = 0.2, lambda = 0.01, keep = TRUE,
                control = exact())
  expect_equal(drop(cv$fit.preval)[foldid == 1], predict(fit, pairs[foldid == 1]), tolerance = 1e-3)
})

test_that("groups of rows stay together, and folds are even", {
  groups <- seeded(1, sample(rep(1:20, c(rep(2, 10), rep(9, 10)))))
  class <- seeded(2, sample(rep(c(-1, 1), c(80, 30))))
  fold <- seeded(3, deal_groups(5, groups, class))
  expect_true(all(tapply(fold, groups, function(f) length(unique(f))) == 1))
  counts <- table(fold, class)
  expect_lte(max(counts[, 1]) - min(counts[, 1]), 9)
  expect_lte(max(counts[, 2]) - min(counts[, 2]), 5)
  data <- product_data(60)
  of_three <- rep(1:20, 3)
  run <- function(...) cv_hofm(data$x, data$y, order = 1, nfolds = 4, lambda = 1, control = hofm_control(seed = 5), ...)
  by_name <- run(fold_groups = letters[of_three])
  expect_true(all(tapply(by_name$foldid, of_three, function(f) length(unique(f))) == 1))
  expect_identical(as.vector(table(by_name$foldid)), rep(15L, 4))
  expect_identical(run(fold_groups = factor(of_three))$foldid, by_name$foldid)
  expect_identical(run(groups = of_three)$foldid, by_name$foldid)
  frame <- data.frame(data$x, y = data$y)
  frame$a[7] <- NA
  cv <- cv_hofm(y ~ ., frame, order = 1, nfolds = 4, lambda = 1, fold_groups = of_three)
  expect_true(all(tapply(cv$foldid, of_three[-7], function(f) length(unique(f))) == 1))
})

test_that("folds may be a factor", {
  data <- product_data(60)
  run <- function(foldid) timeless(cv_hofm(data$x, data$y, order = 1, lambda = 1, foldid = foldid, control = hofm_control(seed = 1)))
  expect_identical(run(factor(rep(c("u", "w"), 30), c("u", "v", "w"))), run(rep(1:2, 30)))
  expect_error(run(factor(rep(c("u", NA), 30))), "`foldid` must be a factor", class = "hofm_error_input")
})
