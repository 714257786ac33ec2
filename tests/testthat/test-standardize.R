# Columns on a common scale, from their definition; what is shown is undone.

slow_standard <- function(x, weights = rep(1, nrow(x))) {
  share <- weights / sum(weights)
  apply(x, 2, function(v) {
    if (all(v %in% c(0, 1))) return(c(0, 1))
    nonzero <- sum(share[v != 0])
    if (nonzero >= 0.5) {
      center <- sum(share * v)
      c(center, sqrt(sum(share * (v - center)^2)))
    } else c(0, sqrt(sum(share * v^2) / nonzero))
  })
}

odd_columns <- function() {
  seeded(6, {
    x <- cbind(big = 1e6 + 1e3 * rnorm(60), small = 1e-6 * rnorm(60), flag = rbinom(60, 1, 0.3), rare = ifelse(runif(60) < 0.2, rexp(60, 0.01), 0),
               often = ifelse(runif(60) < 0.7, rnorm(60), 0))
    list(x = x, y = 5000 + 300 * (x[, 1] - 1e6) / 1e3 + 100 * x[, 3] * x[, 5] + 20 * rnorm(60))
  })
}

test_that("columns are scaled as the help page says, with weights too", {
  d <- odd_columns()
  w <- seeded(7, runif(60))
  for (weights in list(NULL, w)) {
    fit <- hofm(d$x, d$y, order = 1, lambda = 0.1, weights = weights)
    slow <- slow_standard(d$x, if (is.null(weights)) rep(1, 60) else weights)
    expect_equal(fit$blueprint$standard$center, unname(slow[1, ]))
    expect_equal(fit$blueprint$standard$scale, unname(slow[2, ]))
  }
})

test_that("the fit to raw data is the fit to scaled data, for every way to give it", {
  d <- odd_columns()
  slow <- slow_standard(d$x)
  scaled <- scale(d$x, slow[1, ], slow[2, ])
  unit <- sqrt(mean((d$y - mean(d$y))^2))
  control <- hofm_control(seed = 1, tol = 1e-10, max_iter = 5000)
  raw <- hofm(d$x, d$y, rank = 2, lambda = 0.02, control = control)
  by_hand <- hofm(scaled, d$y / unit, rank = 2, lambda = 0.02, standardize = FALSE, control = control)
  expect_equal(fitted(raw), unit * fitted(by_hand), tolerance = 1e-5)
  expect_equal(predict(raw, d$x[1:5, ]), fitted(raw)[1:5])
  frame <- data.frame(d$x)
  for (other in list(hofm(Matrix::Matrix(d$x, sparse = TRUE), d$y, rank = 2, lambda = 0.02, control = control),
                     hofm(frame, d$y, rank = 2, lambda = 0.02, control = control),
                     hofm(y ~ ., cbind(frame, y = d$y), rank = 2, lambda = 0.02, control = control))) {
    expect_identical(unname(other$w), unname(raw$w))
    expect_identical(fitted(other), fitted(raw))
  }
})

test_that("units of columns and response do not matter, with penalties from the data", {
  d <- odd_columns()
  control <- hofm_control(seed = 1)
  fit <- hofm(d$x, d$y, rank = 2, control = control)
  other <- sweep(d$x, 2, c(1000, 1e6, 1, 0.01, 7), `*`)
  again <- hofm(other, d$y / 1000, rank = 2, control = control)
  expect_equal(again$lambda, fit$lambda, tolerance = 1e-4)
  expect_equal(1000 * fitted(again), fitted(fit), tolerance = 1e-3)
})

test_that("parameters on the original scale are those of the polynomial in the raw columns", {
  linear <- hofm(mpg ~ wt + hp + am, mtcars, order = 1, lambda = 0, control = hofm_control(tol = 1e-14, max_iter = 5000))
  expect_equal(c(coef(linear, scale = "original")$intercept, coef(linear, scale = "original")$w), coef(lm(mpg ~ wt + hp + am, mtcars)),
               tolerance = 1e-6, ignore_attr = "names")
  x <- as.matrix(mtcars[c("wt", "hp", "am", "qsec")])
  for (order in 2:4) {
    fit <- collapsing(hofm(x, mtcars$mpg, order = order, rank = 2, lambda = 0.01, control = hofm_control(seed = 1)))
    original <- coef(fit, scale = "original")
    zero <- rbind(0, diag(1e-3, 4))
    colnames(zero) <- colnames(x)
    values <- predict(fit, zero)
    expect_equal(original$intercept, values[1], tolerance = 1e-8)
    expect_equal(unname(original$w), (values[-1] - values[1]) / 1e-3, tolerance = 1e-6)
    expect_named(original$P, as.character(order))
    if (order == 2) {
      pairs <- tcrossprod(original$P[["2"]])
      full <- original$intercept + x %*% original$w + apply(x, 1, function(row) sum((pairs * outer(row, row))[upper.tri(pairs)]))
      expect_equal(as.vector(full), predict(fit, x), tolerance = 1e-8)
    }
  }
})

test_that("penalty factors are penalties of single features", {
  x <- small_matrix()
  y <- small_response(x)
  control <- hofm_control(tol = 1e-13, max_iter = 5000)
  factors <- c(a = 1, b = 4, c = 0.25, d = 9)
  fit <- hofm(x, y, order = 1, lambda = 0.3, standardize = FALSE, penalty_factor = factors, control = control)
  centred <- scale(x, scale = FALSE)
  ridge <- solve(crossprod(centred) / 40 + 0.3 * diag(factors), crossprod(centred, y - mean(y)) / 40)
  expect_equal(unname(fit$w), as.vector(ridge), tolerance = 1e-6)
  expect_identical(hofm(x, y, order = 1, lambda = 0.3, standardize = FALSE, penalty_factor = rev(factors), control = control)$w, fit$w)
  for (bad in list(1:3, -1, c(1, 1, 1, 0), "a", c(1, 1, 1, NA))) {
    expect_error(hofm(x, y, lambda = 0.3, penalty_factor = bad), "`penalty_factor`", class = "hofm_error_input")
  }
})
