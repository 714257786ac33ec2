test_that("shares are those of the summary, or of the parts of the link over new rows", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x), order = 3)
  expect_equal(degrees_data(fit, NULL)$share, summary(fit)$degrees$share)
  new <- small_matrix(25)
  terms <- predict(fit, new, type = "terms")
  expect_equal(degrees_data(fit, new)$share, unname(apply(terms[, -1], 2, var) / var(predict(fit, new))))
  expect_equal(degrees_data(fit, x)$variance, degrees_data(fit, NULL)$variance)
})

test_that("one row, a link that does not vary and rows with gaps are no harm", {
  skip_if_broken("ggplot2")
  d <- mixed_data()
  fit <- quick_fit(y ~ num + lgl, d)
  expect_equal(degrees_data(fit, d[1, ])$share, c(0, 0))
  expect_silent(drawn(plot(fit, "degrees", newdata = d[1, ])))
  expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(fit, "degrees", newdata = d[1, ])))
  gaps <- d
  gaps$num[3:60] <- NA
  expect_equal(degrees_data(fit, gaps), degrees_data(fit, d[1:2, ]))
  expect_error(degrees_data(fit, gaps[3:5, ]), "`newdata` must have at least one row", class = "hofm_error_input")
  expect_error(plot(fit, "degrees", newdata = d["lgl"]), class = "hofm_error_columns")
})

test_that("an offset is not a degree", {
  x <- small_matrix()
  fit <- quick_fit(y ~ a + b + offset(c), data.frame(x, y = small_response(x)))
  expect_identical(degrees_data(fit, data.frame(x))$degree, c("1", "2"))
  expect_equal(degrees_data(fit, data.frame(x)), degrees_data(fit, NULL))
})

test_that("a fit whose variances are gone or not numbers is damaged", {
  fit <- still_fit()
  for (variance in list(NULL, "a", fit$degree_variance[-1], replace(fit$degree_variance, 2, NaN))) {
    fit["degree_variance"] <- list(variance)
    expect_error(plot(fit, "degrees"), "degree_variance", class = "hofm_error_damaged_fit")
  }
})

test_that("degrees look as they did", {
  fit <- still_fit()
  expect_picture("degrees", plot(fit, "degrees"), ggplot2::autoplot(fit, "degrees"))
})
