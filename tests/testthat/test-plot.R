test_that("what cannot be drawn is an error", {
  skip_if_broken("ggplot2")
  fit <- still_fit()
  expect_error(plot(fit, which = "other"), "`which` must be one of", class = "hofm_error_input")
  expect_error(plot(fit, against = "time"), class = "hofm_error_input")
  expect_error(ggplot2::autoplot(fit, which = "other"), "`which` must be one of", class = "hofm_error_input")
  expect_error(ggplot2::autoplot(fit, main = "a"), "Unknown argument `main`", class = "hofm_error_input")
})

test_that("pictures leave par() alone, take a title, and return what they draw", {
  skip_if_broken("ggplot2")
  fit <- still_fit()
  grDevices::pdf(NULL, width = 8, height = 6)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(2, 3))
  kept <- c("mar", "mai", "mfrow", "las", "pty", "xpd", "mgp", "cex", "ask")
  before <- graphics::par(kept)
  for (which in eval(formals(plot.hofm)$which)) {
    shown <- withVisible(plot(fit, which, main = "A title", cex.lab = 0.9))
    expect_false(shown$visible)
    expect_s3_class(shown$value, "data.frame")
    expect_equal(graphics::par(kept), before)
    expect_s3_class(ggplot2::autoplot(fit, which), "ggplot")
  }
})

test_that("all pictures of all models can be drawn, on a small device too", {
  skip_if_broken("ggplot2")
  nodes <- small_matrix(12)
  pairs <- link_pairs(nodes, small_matrix(10, 3), seeded(4, data.frame(i = rep(1:12, 5), j = rep(1:10, 6), y = rbinom(60, 1, 0.5))))
  for (model in model_names()) {
    fit <- quick_fit(pairs, model = model, standardize = FALSE)
    for (which in c("model", "convergence", "interactions", "degrees", "embedding")) {
      expect_silent(drawn(plot(fit, which)))
      expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(fit, which)))
      grDevices::pdf(NULL, width = 2.5, height = 2.5)
      expect_silent(plot(fit, which))
      grDevices::dev.off()
    }
  }
})

test_that("a damaged fit is refused as by predict()", {
  skip_if_broken("ggplot2")
  for (which in eval(formals(plot.hofm)$which)) for (field in c("P", "features", "model", "format_version")) {
    bad <- still_fit()
    bad[[field]] <- "a"
    expect_error(plot(bad, which), class = "hofm_error_damaged_fit")
    expect_error(ggplot2::autoplot(bad, which), class = "hofm_error_damaged_fit")
  }
})

test_that("errors name the fit as the function does", {
  skip_if_broken("ggplot2")
  fit <- still_fit()
  for (damage in list("trace", "degree_variance", "P")) {
    broken <- fit
    broken[damage] <- list(NULL)
    which <- if (damage == "degree_variance") "degrees" else "convergence"
    expect_error(plot(broken, which), "`x`", class = "hofm_error_damaged_fit")
    expect_error(ggplot2::autoplot(broken, which), "`object`", class = "hofm_error_damaged_fit")
  }
})
