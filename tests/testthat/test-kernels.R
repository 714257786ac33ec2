test_that("kernel and gradient equal the definition, by both recursions", {
  set.seed(1)
  for (d in c(1, 2, 4, 9)) {
    p <- rnorm(d)
    x <- rnorm(d)
    for (m in 1:6) {
      slopes <- vapply(seq_len(d), function(j) anova_slope_slow(p, x, m, j), 0)
      for (method in c("dp", "power_sums")) {
        expect_equal(anova_kernel(p, x, m, method), anova_slow(p, x, m), tolerance = 1e-10)
        expect_equal(anova_gradient(p, x, m, method), slopes, tolerance = 1e-9)
      }
    }
  }
})

test_that("gradients equal finite differences", {
  set.seed(2)
  x <- rnorm(7)
  for (m in 1:6) for (method in c("dp", "power_sums")) {
    expect_gradient(
      function(p) anova_kernel(p, x, m, method), function(p) anova_gradient(p, x, m, method), at = rnorm(7)
    )
  }
})

test_that("identities of the paper hold", {
  set.seed(3)
  p <- rnorm(8)
  x <- rnorm(8)
  for (m in 1:5) {
    # multi-linearity (7)
    for (j in 1:8) {
      expect_equal(
        anova_kernel(p, x, m), anova_kernel(p[-j], x[-j], m) + p[j] * x[j] * anova_kernel(p[-j], x[-j], m - 1)
      )
    }
    expect_equal(anova_kernel(3 * p, x, m), 3^m * anova_kernel(p, x, m))      # homogeneous of degree m
    o <- sample(8)
    expect_equal(anova_kernel(p[o], x[o], m), anova_kernel(p, x, m))          # order of features does not matter
    expect_equal(anova_kernel(p, x, m), anova_kernel(x, p, m))                # symmetric
  }
  expect_equal(1 + sum(vapply(1:8, function(m) anova_kernel(p, x, m), 0)), prod(1 + p * x))
})

test_that("matrices are taken row by row, and degree 0 is 1", {
  set.seed(4)
  p <- rnorm(5)
  x <- matrix(rnorm(15), 3)
  expect_equal(anova_kernel(p, x, 3), apply(x, 1, function(row) anova_slow(p, row, 3)))
  expect_equal(anova_gradient(p, x, 3)[2, ], anova_gradient(p, x[2, ], 3))
  expect_identical(anova_kernel(p, x, 0), c(1, 1, 1))
  expect_identical(anova_gradient(p, x[1, ], 0), numeric(5))
  expect_identical(anova_kernel(p, 1:5, 6), 0)
})

test_that("bad arguments are named", {
  expect_error(anova_kernel("a", 1, 1), "`p` must be", class = "hofm_error_input")
  expect_error(anova_kernel(1, NA, 1), "`x` must be", class = "hofm_error_input")
  expect_error(anova_kernel(1:2, 1:3, 1), "`x` must have one value per element of `p`", class = "hofm_error_input")
  expect_error(anova_kernel(1, 1, -1), "`degree`", class = "hofm_error_input")
})

test_that("all-subsets and polynomial kernels equal their definitions, their gradients finite differences", {
  set.seed(5)
  p <- rnorm(6)
  x <- matrix(rnorm(12), 2)
  subsets <- function(row) 1 + sum(vapply(1:6, function(m) anova_slow(p, row, m), 0))
  expect_equal(all_subsets_kernel(p, x), apply(x, 1, subsets))
  expect_equal(all_subsets_kernel(p, x[1, ]), subsets(x[1, ]))
  expect_gradient(function(p) all_subsets_kernel(p, x[1, ]), function(p) all_subsets_gradient(p, x[1, ]), at = p)
  expect_equal(all_subsets_gradient(p, x)[2, ], all_subsets_gradient(p, x[2, ]))
  # one factor exactly zero: only its own derivative survives
  expect_equal(all_subsets_gradient(c(-1, 2), c(1, 1)), c(3, 0))
  for (m in 0:4) {
    expect_equal(polynomial_kernel(p, x, m, gamma = 0.7), (0.7 + drop(x %*% p))^m)
    expect_gradient(function(p) polynomial_kernel(p, x[1, ], m, 0.7), function(p) polynomial_gradient(p, x[1, ], m, 0.7), at = p)
  }
  expect_error(polynomial_kernel(p, x, 2, gamma = "a"), "`gamma` must be", class = "hofm_error_input")
  expect_error(all_subsets_kernel(1:2, 1:3), "`x` must have", class = "hofm_error_input")
})

test_that("a degree above the number of features has no products, whatever it is", {
  for (method in c("dp", "power_sums")) for (degree in c(4, 1e6, 2^31 - 1)) {
    expect_identical(anova_kernel(1:3, 1:3, degree, method), 0)
    expect_identical(anova_gradient(1:3, 1:3, degree, method), numeric(3))
    expect_identical(anova_gradient(1:3, matrix(1:6, 2), degree, method), matrix(0, 2, 3))
  }
  expect_error(anova_kernel(1, 1, 1, method = "xx"), "`method` must be one of", class = "hofm_error_input")
  expect_error(anova_gradient(1, 1, 1, method = 3), "`method` must be one of", class = "hofm_error_input")
  expect_error(anova_kernel(1, 1), "`degree` must be given", class = "hofm_error_input")
})

test_that("the constant of a polynomial is checked at degree 0 too, where it does not matter", {
  expect_error(polynomial_gradient(1:2, 1:2, 0, gamma = list(1)), "`gamma` must be", class = "hofm_error_input")
})
