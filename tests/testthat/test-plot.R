drawn <- function(code) {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  force(code)
  graphics::par("ylog")
}

test_that("convergence is drawn on a log scale when the objective is positive", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x))
  expect_true(drawn(plot(fit)))
  expect_true(drawn(plot(fit, against = "iteration", main = "title", col = "black")))
  fit$trace$objective <- -fit$trace$objective
  expect_false(drawn(plot(fit)))
  drawn(shown <- withVisible(plot(fit)))
  expect_false(shown$visible)
  expect_identical(shown$value, fit$trace)
})

test_that("what cannot be drawn is an error", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x))
  expect_error(plot(fit, which = "other"), "`which` must be one of", class = "hofm_error_input")
  expect_error(plot(fit, against = "time"), class = "hofm_error_input")
  fit$trace <- NULL
  expect_error(plot(fit), class = "hofm_error_damaged_fit")
})
