met_rows <- function() {
  data.frame(a = factor(c("p", "p", "q", "q", "r", "r")), b = factor(c("s", "t", "s", "s", "t", "t")), u = c(1, 0, 2, 0, 3, 1),
             v = 1:6, y = c(1, 2, 4, 3, 6, 8))
}

meeting_fit <- function(d, ...) {
  hofm(y ~ a + b + u + v, d, rank = 2, lambda = 1e-3, standardize = FALSE, control = hofm_control(seed = 1, ...))
}

# All pairs of columns of different factors that are both nonzero in some row.
met_slow <- function(x, group) {
  pairs <- utils::combn(ncol(x), 2)
  pairs[, apply(pairs, 2, function(J) any(x[, J[1]] != 0 & x[, J[2]] != 0) && !(group[J[1]] >= 0 && group[J[1]] == group[J[2]]))]
}

test_that("a fit lists the pairs that met in its training rows, without being given them", {
  d <- met_rows()
  fit <- meeting_fit(d)
  found <- interactions(fit, n = 100)
  labels <- feature_labels(fit)
  want <- met_slow(as.matrix(model.matrix(fit, d)), exclusive_groups(fit))
  expect_setequal(paste(found$feature_1, found$feature_2), paste(labels[want[1, ]], labels[want[2, ]]))
  expect_false("a = q b = t" %in% paste(found$feature_1, found$feature_2))
  with_rows <- interactions(fit, n = 100, data = d, sort = "weight")
  expect_identical(found, with_rows[names(found)])
})

test_that("whichever list is shorter is kept, and both say the same", {
  set.seed(2)
  for (density in c(0.05, 0.3)) {
    x <- Matrix::rsparsematrix(60, 15, density)
    group <- rep(c(-1L, 0L, 1L), 5)
    kept <- meeting_pairs(list(list(x = x, index = NULL)), group)
    met <- met_slow(as.matrix(x), group)
    lists <- partner_lists(kept, 15)
    for (a in 1:14) for (b in (a + 1):15) {
      if (group[a] >= 0 && group[a] == group[b]) next
      listed <- (b - 1L) %in% lists$partner[lists$start[a] + seq_len(lists$start[a + 1] - lists$start[a])]
      excluded <- all(c(a, b) %in% kept$partial) && listed != kept$meet
      expect_identical(!excluded, any(met[1, ] == a & met[2, ] == b))
    }
  }
})

test_that("of three features each two must have met, and data make it exact", {
  d <- data.frame(a = factor(c("p", "p", "q", "q")), b = factor(c("s", "t", "s", "t")), c = factor(c("x", "y", "y", "x")), y = c(1, 3, 2, 5))
  fit <- hofm(y ~ ., d, order = 3, rank = 2, lambda = 0, standardize = FALSE, control = hofm_control(seed = 1))
  expect_identical(nrow(interactions(fit, 3, 100)), 8L)                     # all pairs meet
  expect_identical(nrow(interactions(fit, 3, 100, data = d)), 4L)           # four rows, four triples
})

test_that("nothing is kept where it is not asked for or dear, nor of pairs of nodes", {
  d <- met_rows()
  fit <- meeting_fit(d, keep_fitted = FALSE)
  expect_null(fit$meeting)
  expect_equal(nrow(interactions(fit, n = 100)), choose(7, 2) - 3 - 1)
  many <- Matrix::sparseMatrix(i = rep(1:10, each = 2000), j = rep(1:2000, 10), x = 1)
  many[1, ] <- 0
  expect_null(meeting_pairs(list(list(x = methods::as(many, "CsparseMatrix"), index = NULL)), integer()))
  expect_null(meeting_pairs(list(list(x = many, index = 1:10)), integer()))
})

test_that("a damaged list is refused before the compiled code sees it", {
  fit <- meeting_fit(met_rows())
  fit$meeting$first <- fit$meeting$first + 100L
  expect_error(interactions(fit), class = "hofm_error_damaged")
})
