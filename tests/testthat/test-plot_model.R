model_fit <- function(...) {
  cars <- transform(mtcars, cyl = factor(cyl), gear = factor(gear))
  hofm(mpg ~ cyl + gear + hp + wt, cars, rank = 2, lambda = 0.02, standardize = TRUE, control = hofm_control(seed = 1), ...)
}

test_that("the picture of the model has the strongest of each degree, under its share", {
  fit <- model_fit()
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  data <- plot(fit)
  expect_identical(unique(data$degree), 1:2)
  expect_identical(data$weight[data$degree == 2], interactions(fit, 2, 8)$weight)
  expect_identical(data$weight[data$degree == 1], interactions(fit, 1, 8)$weight)
  shares <- plot(fit, "degrees")
  expect_identical(unname(attr(data, "headings")), sprintf("Degree %d: %s of the variance", 1:2, percent(shares$share)))
  expect_false("cyl = 4 \u00d7 cyl = 6" %in% data$interaction)
  expect_identical(plot(fit, n = 3), plot(fit, "model", n = 3))
  expect_identical(plot(model_fit(order = 1))$degree, rep(1L, 8))
})

test_that("shares that do not add up to one say why", {
  shares <- function(...) data.frame(share = c(...))
  expect_null(shares_note(shares(0.6, 0.4)))
  expect_null(shares_note(shares(0, 0)))
  expect_match(shares_note(shares(0.9, 0.3)), "add up to 120%")
  fit <- model_fit()
  expect_output(print(summary(fit)), "correlated")
  skip_if_broken("ggplot2")
  expect_match(ggplot2::autoplot(fit, "degrees")$labels$caption, "correlated")
  expect_match(ggplot2::autoplot(fit)$labels$caption, "correlated")
})

test_that("a fit that is zero everywhere is drawn all the same", {
  x <- matrix(rnorm(40), 20)
  fit <- suppressWarnings(hofm(x, seq_len(20), lambda = 1e8, rank = 1, standardize = FALSE))
  fit$w[] <- 0
  fit$P[[1]][] <- 0
  fit$degree_variance[] <- 0
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_named(plot(fit), c("degree", "variance", "share"))
  skip_if_broken("ggplot2")
  expect_s3_class(ggplot2::autoplot(fit), "ggplot")
})

test_that("a cross-validation of several orders has one legend", {
  skip_if_broken("ggplot2")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  cv <- cv_hofm(mpg ~ wt + hp, transform(mtcars, hp = hp / 100), order = 1:3, rank = 1, lambda = c(1, 0.1), nfolds = 3)
  grob <- suppressWarnings(ggplot2::ggplotGrob(ggplot2::autoplot(cv)))
  boxes <- grob$grobs[grepl("guide-box", grob$layout$name)]
  legends <- sum(vapply(boxes, function(box) if (inherits(box, "gtable")) sum(grepl("^guides", box$layout$name)) else 0L, 0L))
  expect_identical(legends, 1L)
})

test_that("models look as they did", {
  fit <- still_fit()
  expect_picture("model", plot(fit), ggplot2::autoplot(fit))
})
