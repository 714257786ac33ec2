still <- function(fit) {
  fit$trace$seconds <- seq_len(nrow(fit$trace))
  fit$objective <- 0.125
  fit$deviance <- 2.5
  fit$null.deviance <- 10
  fit
}

test_that("a fit prints in at most twelve lines and returns itself", {
  d <- mixed_data()
  fit <- still(quick_fit(class ~ num + fac, d, order = 3, solver = "cd",
                         control = hofm_control(max_iter = 2, tol = 0, seed = 1)))
  expect_snapshot(print(fit))
  capture.output(expect_invisible(print(fit)))
  expect_lte(length(capture.output(print(fit))), 12)
  one <- still(hofm(y ~ num, d, order = 1, lambda = 1e-3, solver = "cd",
                    control = hofm_control(max_iter = 1, tol = 0)))
  expect_snapshot(print(one))
})

test_that("a long call is cut", {
  expect_lte(nchar(deparsed_call(as.call(c(quote(hofm), as.list(1:500))))), 200)
})

test_that("numbers per degree are shown once when they are equal", {
  expect_equal(per_degree(c(2L, 2L)), "2")
  expect_equal(per_degree(c(8L, 2L)), "8, 2")
  expect_equal(per_degree(c(0.5, 0.25)), "0.5, 0.25")
})
