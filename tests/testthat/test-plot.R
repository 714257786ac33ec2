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

test_that("labels of interactions and numbers of the axis have room", {
  x <- small_matrix(names = paste("a feature with a long name", 1:4))
  fit <- quick_fit(x, small_response(x))
  fit$P[["2"]] <- fit$P[["2"]] * 1e4
  grDevices::pdf(NULL, width = 5, height = 4)
  on.exit(grDevices::dev.off())
  graphics::par(mar = c(4, 4, 1, 0))
  margins <- NULL
  plot(fit, "interactions", n = 3, main = {
    margins <- graphics::par("mai")
    ""
  })
  ticks <- format(pretty(c(0, interactions(fit, 2, 3)$weight)))
  expect_gte(margins[4], max(graphics::strwidth(ticks, "inches")) / 2)
  expect_equal(margins[2], 0.55 * 5)
})
