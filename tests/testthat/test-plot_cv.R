test_that("the plot shows the table and keeps the device's settings", {
  data <- product_data(40)
  cv <- cv_hofm(data$x, data$y, order = 1:2, rank = 2, nfolds = 3, n_lambda = 6, control = quick())
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  old <- graphics::par(no.readonly = TRUE)[c("mar", "mfrow", "las")]
  expect_identical(plot(cv, main = "Title"), cv$table)
  expect_identical(graphics::par(no.readonly = TRUE)[c("mar", "mfrow", "las")], old)
  usr <- graphics::par("usr")
  expect_true(all(log10(cv$lambda) >= usr[1] & log10(cv$lambda) <= usr[2]))
  expect_true(all(c(cv$cvup, cv$cvlo, cv$table$cvm) >= usr[3] & c(cv$cvup, cv$cvlo, cv$table$cvm) <= usr[4]))
  one <- cv_hofm(data$x, data$y, order = 1, nfolds = 3, lambda = 1)
  expect_identical(plot(one), one$table)
})

test_that("a measure without a finite value is an error, with some it is drawn", {
  skip_if_broken("ggplot2")
  cv <- still_cv()
  cv$table$cvm[1:3] <- cv$cvm[1:3] <- NaN
  expect_silent(drawn(plot(cv)))
  expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(cv)))
  cv$table$cvm <- NA_real_
  expect_error(drawn(plot(cv)), "`x` has no finite values", class = "hofm_error_input")
  expect_error(ggplot2::autoplot(cv), "`object` has no finite values", class = "hofm_error_input")
})

test_that("the ggplot shows bars for the chosen curve alone, and both lambdas", {
  skip_if_broken("ggplot2")
  cv <- still_cv()
  picture <- ggplot2::autoplot(cv)
  expect_equal(ggplot2::layer_data(picture, 1)$xintercept, log10(c(cv$lambda.min, cv$lambda.1se)))
  bars <- ggplot2::layer_data(picture, 2)
  expect_equal(bars$ymin, cv$cvlo[order(-cv$lambda)], ignore_attr = TRUE)
  points <- ggplot2::layer_data(picture, 4)
  expect_equal(nrow(points), nrow(cv$table))
  looks <- unique(points[order(points$group), c("colour", "shape")])
  expect_equal(looks, list(colour = curve_looks(c(FALSE, TRUE))$col, shape = c(2, 16)), ignore_attr = TRUE)
})

test_that("the legend is where nothing is hidden", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  graphics::plot(10^(0:4), 10^(0:4), log = "xy")
  draw <- function(corner, plot) graphics::legend(corner, "some words", pch = 1, plot = plot)
  rising <- 10^seq(0, 4, 0.1)
  expect_identical(free_corner(draw, rising, rising), "topleft")
  expect_identical(free_corner(draw, rising, rev(rising)), "topright")
  expect_identical(free_corner(draw, c(rising, rising), c(rev(rising), rising)), "topright")
  expect_identical(free_corner(draw, rising, 10^2 + 0 * rising, 10^4 + 0 * rising), "bottomright")
})

test_that("curves of a cross-validation look as they did", {
  expect_picture("cv", plot(still_cv()), ggplot2::autoplot(still_cv()))
})
