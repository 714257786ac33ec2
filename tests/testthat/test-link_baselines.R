# A slow twin: every pair of the test set by itself.
slow_scores <- function(train, i, j) {
  adjacent <- matrix(0, nrow(train$A), nrow(train$B))
  for (q in which(train$y == 1)) {
    adjacent[train$i[q], train$j[q]] <- 1
    if (train$one_set && !train$directed) adjacent[train$j[q], train$i[q]] <- 1
  }
  near <- function(v) which(adjacent[v, ] == 1 | adjacent[, v] == 1)
  paths <- 0
  if (!train$one_set) for (b in which(adjacent[i, ] == 1)) for (a in which(adjacent[, b] == 1)) paths <- paths + adjacent[a, j]
  c(neighbours = if (train$one_set) length(intersect(near(i), near(j))) else paths,
    attachment = sum(adjacent[i, ]) * sum(adjacent[, j]), degree = sum(adjacent[i, ]) + sum(adjacent[, j]))
}

test_that("baselines are what their definitions say, from training links alone", {
  set.seed(1)
  A <- matrix(rnorm(36), 12)
  B <- matrix(rnorm(20), 10)
  edges <- unique(cbind(sample(10, 40, TRUE), sample(10, 40, TRUE)))
  edges <- edges[edges[, 1] != edges[, 2], ]
  for (kind in c("undirected", "directed", "two_sets")) {
    split <- split_links(A, if (kind == "two_sets") B, edges = edges, directed = kind == "directed", seed = 2)
    rest <- as.data.frame(split$test)
    slow <- t(mapply(function(i, j) slow_scores(split$train, i, j), rest$i, rest$j))
    found <- link_baselines(split)
    expect_equal(found$auc[match(c("common neighbours", "preferential attachment", "degree"), found$baseline)],
                 unname(apply(slow, 2, function(s) auc(rest$y, s))))
    expect_identical("cosine" %in% found$baseline, kind != "two_sets")
    expect_false(is.unsorted(-found$auc))
  }
  expect_error(link_baselines(split$train), class = "hofm_error_input")
  expect_error(link_baselines(split, max_pairs = 10), class = "hofm_error_input")
})

test_that("a comparison on a split has the areas of its test set, and baselines on request", {
  set.seed(2)
  A <- matrix(rbinom(200, 1, 0.4), 25)
  split <- split_links(A, edges = which(upper.tri(diag(25)) & tcrossprod(A) > 1, arr.ind = TRUE), seed = 1)
  fit <- suppressWarnings(hofm(split$train, model = "bilinear", rank = 2, lambda = 1e-3, control = hofm_control(seed = 1, max_iter = 10)))
  compared <- compare_models(list(fit = fit), split, baselines = TRUE)$models
  expect_equal(compared$auc[1], auc(fit, split$test))
  expected <- link_baselines(split)
  expect_equal(compared$auc[-1], expected$auc[match(compared$model[-1], expected$baseline)])
  expect_setequal(compared$model, c("fit", expected$baseline))
  expect_equal(compare_models(list(fit = fit), split$test)$models$auc, auc(fit, split$test))
  expect_error(compare_models(list(fit = fit), split$test, baselines = TRUE), "split_links", class = "hofm_error_input")
  expect_error(tested_pairs(split, max_pairs = 10), "auc", class = "hofm_error_input")
})
