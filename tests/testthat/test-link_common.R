graph30 <- function() {
  set.seed(1)
  A <- matrix(rbinom(240, 1, 0.4) * runif(240), 30, dimnames = list(NULL, letters[1:8]))
  list(A = A, edges = which(upper.tri(diag(30)) & tcrossprod(A) > 1.1, arr.ind = TRUE))
}
fine <- hofm_control(seed = 1, tol = 1e-12, max_iter = 5000, threads = 1)

# The cosine from its definition, node by node.
slow_cosine <- function(A, B = A) {
  n <- nrow(rbind(A, if (!identical(A, B)) B))
  both <- if (identical(A, B)) A else rbind(A, B)
  enter <- function(x) {
    for (j in seq_len(ncol(x))) {
      v <- both[, j]
      center <- if (all(v != 0)) mean(v) else 0
      root <- sqrt(mean((v[v != 0] - center)^2))
      x[, j] <- (x[, j] - center) / root * sqrt(log(1 + n / sum(v != 0)))
    }
    x / sqrt(rowSums(x^2))
  }
  C <- enter(A) %*% t(enter(B))
  C[is.nan(C)] <- 0
  unname(C)
}

test_that("the weight of what two nodes have in common minimises the loss over all pairs written out", {
  g <- graph30()
  pairs <- link_pairs(g$A, pairs = g$edges)
  C <- slow_cosine(g$A)
  Y <- matrix(0, 30, 30)
  Y[g$edges] <- 1
  Y <- Y + t(Y)
  squares <- function(x) sum(unlist(x)^2)
  for (model in c("bilinear", "hofm", "shared", "all_subsets")) {
    fit <- hofm(pairs, model = model, rank = 2, lambda = 0.01, negatives = "all", common = TRUE, control = fine)
    without <- replace(fit, "common", list(NULL))
    S <- score_links(without, g$A) + fit$common$weight * C
    expect_equal(score_links(fit, g$A), S, tolerance = 1e-12, ignore_attr = TRUE)
    W <- ifelse(Y == 1, 1, fit$negatives$weight)
    diag(W) <- 0
    objective <- sum(W * (Y - S)^2) / 2 / sum(W) + fit$lambda[1] / 2 * squares(fit[c("w", "P", "gamma")])
    expect_equal(fit$objective, objective, tolerance = 1e-10)
    expect_lt(abs(sum(W * (S - Y) * C) / sum(W)), 1e-6)
    expect_equal(predict(fit, pairs), S[g$edges], tolerance = 1e-12)
    expect_equal(rowSums(predict(fit, pairs, type = "terms")), S[g$edges], tolerance = 1e-12, ignore_attr = TRUE)
    expect_true("common" %in% colnames(predict(fit, pairs, type = "terms")))
  }
})

test_that("with given negatives the weight is that of one more column, whichever solver fits it", {
  g <- graph30()
  train <- split_links(g$A, edges = g$edges, seed = 1)$train
  column <- slow_cosine(g$A)[cbind(train$i, train$j)]
  slow <- stats::lm(train$y ~ column)
  for (solver in c("cd", "lbfgs")) {
    fit <- suppressWarnings(hofm(train, model = "hofm", rank = 1, lambda = 1e4, negatives = "given", common = TRUE, solver = solver, control = fine))
    expect_equal(c(fit$intercept, fit$common$weight), unname(coef(slow)), tolerance = 1e-3)
    expect_equal(fitted(fit), predict(fit, train), tolerance = 1e-10)
  }
})

test_that("common is refused by name where it cannot be, and left out by default there", {
  g <- graph30()
  train <- split_links(g$A, edges = g$edges, seed = 1)$train
  two <- split_links(g$A, matrix(runif(60), 20), edges = cbind(1:20, 1:20), seed = 1)$train
  expect_error(hofm(two, common = TRUE), class = "hofm_error_unsupported")
  expect_error(hofm(train, common = TRUE, solver = "adagrad", negatives = "given"), class = "hofm_error_unsupported")
  expect_error(hofm(train, common = TRUE, loss = "auc"), class = "hofm_error_unsupported")
  expect_error(hofm(train, common = "yes"), class = "hofm_error_input")
  expect_null(hofm(two, lambda = 1e-3, rank = 1)$common)
})

test_that("two node sets with the same features in another order are compared by name, and files keep it", {
  g <- graph30()
  B <- g$A[11:30, 8:1]
  pairs <- link_pairs(g$A[1:10, ], B, cbind(1:10, 11:20))
  fit <- hofm(pairs, model = "bilinear", rank = 2, lambda = 0.01, standardize = FALSE, control = fine)
  S <- score_links(replace(fit, "common", list(NULL)), g$A[1:10, ], B) + fit$common$weight * slow_cosine(g$A[1:10, ], B[, 8:1])
  expect_equal(score_links(fit, g$A[1:10, ], B), S, tolerance = 1e-12, ignore_attr = TRUE)
  expect_equal(score_links(fit, g$A[1:10, ], B[, c(3, 1, 2, 4:8)]), score_links(fit, g$A[1:10, ], B))
  skip_if_broken("jsonlite")
  file <- tempfile(fileext = ".json")
  write_hofm_json(fit, file)
  expect_equal(score_links(read_hofm_json(file), g$A[1:10, ], B), score_links(fit, g$A[1:10, ], B), tolerance = 1e-14)
})

test_that("without it a fit is as before, and one weight lifts a graph of likes", {
  g <- graph30()
  split <- split_links(g$A, edges = g$edges, seed = 1)
  with <- suppressWarnings(hofm(split$train, model = "bilinear", rank = 1, lambda = 1, common = TRUE, control = fine),
                           classes = "hofm_warning_collapsed")                       # so that the cosine is all there is
  expect_equal(auc(with, split$test), link_baselines(split)$auc[link_baselines(split)$baseline == "cosine"], tolerance = 1e-3)
})

test_that("a summary has a row for it, in every model", {
  g <- graph30()
  train <- split_links(g$A, edges = g$edges, seed = 1)$train
  for (model in c("hofm", "bilinear", "shared")) {
    fit <- hofm(train, model = model, rank = 2, lambda = 1e-3, common = TRUE, control = fine)
    table <- summary(fit)$degrees
    expect_equal(table$degree, c("1", "2", "common"))
    expect_equal(table$norm[3], abs(fit$common$weight))
    expect_output(print(summary(fit)), "common")
  }
})
