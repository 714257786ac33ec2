calibrated <- function(n = 2000, slope = 1) {
  set.seed(8)
  link <- rnorm(n)
  list(truth = runif(n) < plogis(link), p = plogis(slope * link))
}

test_that("bins hold means, and the slope is that of glm()", {
  d <- calibrated()
  curve <- calibration_curve(d$truth, d$p, bins = 4)
  bin <- cut(d$p, quantile(d$p, 0:4 / 4), include.lowest = TRUE)
  expect_equal(curve$predicted, as.vector(tapply(d$p, bin, mean)))
  expect_equal(curve$observed, as.vector(tapply(d$truth, bin, mean)))
  expect_equal(c(curve$lower[2], curve$upper[2]), as.vector(prop.test(sum(d$truth[bin == levels(bin)[2]]), sum(bin == levels(bin)[2]), correct = FALSE)$conf.int))
  g <- glm(d$truth ~ qlogis(d$p), family = binomial)
  expect_equal(attr(curve, "slope"), c(estimate = coef(g)[[2]], confint.default(g)[2, ]), ignore_attr = TRUE, tolerance = 1e-6)
  level <- glm(d$truth ~ offset(qlogis(d$p)), family = binomial)
  expect_equal(attr(curve, "intercept")[["estimate"]], coef(level)[[1]], tolerance = 1e-6)
  expect_equal(attr(calibration_curve(d$truth, calibrated(slope = 2)$p), "slope")[["estimate"]], coef(g)[[2]] / 2, tolerance = 1e-6)
})

test_that("of numbers it is the regression of the response on the prediction", {
  fit <- lm(mpg ~ wt, mtcars)
  p <- fitted(fit) * 1.3
  curve <- calibration_curve(mtcars$mpg, p, bins = 3)
  again <- lm(mtcars$mpg ~ p)
  expect_equal(attr(curve, "slope"), c(estimate = coef(again)[[2]], confint(again)[2, ]), ignore_attr = TRUE)
  expect_output(print(curve), "Slope")
})

test_that("pictures are drawn, and bad input is named", {
  d <- calibrated(100)
  curve <- calibration_curve(d$truth, d$p)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(curve))
  expect_silent(plot(calibration_curve(mtcars$mpg, mtcars$mpg + 1, bins = 3), main = "cars"))
  expect_error(calibration_curve(d$truth, d$p[-1]), "same length", class = "hofm_error_input")
  expect_error(calibration_curve(d$truth, 3 * d$p), "probabilities", class = "hofm_error_input")
  expect_error(calibration_curve(d$truth, d$p, bins = 0), "`bins`", class = "hofm_error_input")
  expect_true(all(is.na(attr(calibration_curve(c(TRUE, TRUE), c(0.1, 0.2)), "slope"))))
  curve$n <- NULL
  expect_error(plot(curve), class = "hofm_error_damaged")
  skip_if_broken("ggplot2")
  expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(calibration_curve(d$truth, d$p))))
})
