words <- function(n = 20, d = 5) {
  set.seed(5)
  A <- matrix(rbinom(n * d, 1, 0.4) * rexp(n * d), n, dimnames = list(NULL, paste0("w", seq_len(d))))
  A[, d] <- runif(n, 1.5, 16)
  A
}
# Node by node, from the definition.
slow_standard <- function(x, like = x) {
  for (j in seq_len(ncol(x))) {
    known <- like[, j]
    center <- if (all(known != 0)) mean(known) else 0
    v <- known[known != 0] - center
    zero <- x[, j] == 0 & center == 0
    x[, j] <- ifelse(zero, 0, (x[, j] - center) / sqrt(mean(v^2)) * sqrt(log(1 + length(known) / length(v))))
  }
  length <- sqrt(rowSums(x^2))
  x / ifelse(length > 0, length, 1)
}
quick_links <- function(...) suppressWarnings(hofm(..., rank = 2, lambda = 1e-3, control = hofm_control(seed = 1, max_iter = 10, threads = 1)))
ends <- data.frame(i = rep(1:10, 2), j = c(11:20, 20:11), y = rep(1:0, each = 10))

test_that("nodes are standardised as the definition says, new ones like those of training", {
  A <- words()
  new <- rbind(words(4), 0)
  fit <- quick_links(link_pairs(A, pairs = ends), model = "bilinear")
  plain <- quick_links(link_pairs(slow_standard(A), pairs = ends), model = "bilinear", standardize = FALSE, common = FALSE)
  alone <- quick_links(link_pairs(A, pairs = ends), model = "bilinear", common = FALSE)
  expect_equal(alone$P, plain$P, tolerance = 1e-8)
  expect_true(alone$standardize && !plain$standardize)
  Z <- slow_standard(new, A)
  S <- fit$intercept + Z %*% tcrossprod(fit$P$U, fit$P$V) %*% t(Z) + fit$common$weight * tcrossprod(Z)
  expect_equal(score_links(fit, new), unname(S), tolerance = 1e-8, ignore_attr = TRUE)
  expect_equal(score_links(fit, new[, 5:1]), score_links(fit, new))
  some <- link_pairs(new, pairs = data.frame(i = 1:3, j = 2:4))
  expect_equal(predict(fit, some), S[cbind(1:3, 2:4)], tolerance = 1e-8, ignore_attr = TRUE)
  expect_equal(auc(fit, link_pairs(new, pairs = data.frame(i = 1:4, j = c(2, 3, 4, 1), y = c(1, 0, 1, 0)))),
               auc(c(1, 0, 1, 0), S[cbind(1:4, c(2, 3, 4, 1))]))
})

test_that("units do not matter, and joined rows are standardised side by side", {
  A <- words()
  B <- words(15, 4)
  colnames(B) <- letters[1:4]
  two <- data.frame(i = rep(1:10, 2), j = rep(1:10, 2)[c(1:10, 12:20, 11)], y = rep(1:0, each = 10))
  context <- cbind(day = runif(20, 100, 200))
  fit <- quick_links(link_pairs(A, B, two, context = context), model = "hofm")
  other <- quick_links(link_pairs(A %*% diag(10^(-2:2)) |> `colnames<-`(colnames(A)), B * 1000, two, context = context / 60), model = "hofm")
  expect_equal(other$P, fit$P, tolerance = 1e-6)
  pairs <- link_pairs(A, B, two, context = context)
  expect_equal(predict(fit, pairs), predict(fit, model.matrix(pairs)), tolerance = 1e-10)
  file <- tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), pairs), predict(fit, pairs))
  broken <- fit
  broken$blueprint$standard$scale[1] <- 0
  expect_error(predict(broken, pairs), class = "hofm_error_damaged")
})

test_that("columns that are constant, and nodes without features, do no harm", {
  A <- cbind(words(), one = 1, none = 0)
  A[3, ] <- 0
  A[, "one"] <- 7
  fit <- quick_links(link_pairs(A, pairs = ends), model = "hofm")
  expect_true(all(is.finite(score_links(fit, A))))
  expect_true(all(is.finite(unlist(fit$blueprint$standard))))
})
