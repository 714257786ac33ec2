plot_data <- function(fit, degree = NULL, n = 15) interactions_data(fit, degree, n)

test_that("the strongest of each degree are shown, without those that are zero", {
  fit <- still_fit()
  drawn(shown <- plot(fit, "interactions", n = 3))
  expect_identical(shown$degree, c(2L, 2L, 2L, 3L, 3L, 3L)[seq_len(nrow(shown))])
  two <- interactions(fit, 2, 3)
  expect_equal(shown$weight[1:3], two$weight)
  expect_identical(shown$interaction[1:3], interaction_labels(two))
  expect_false(any(plot_data(fit, n = 100)$weight == 0))
  expect_identical(unique(plot_data(fit, degree = 3)$degree), 3L)
  expect_identical(unique(plot_data(fit, degree = 1)$degree), 1L)
})

test_that("a fit without interactions says so", {
  skip_if_broken("ggplot2")
  fit <- still_fit()
  fit$P[["2"]][] <- 0
  expect_identical(unique(plot_data(fit)$degree), 3L)
  fit$P[["3"]][] <- 0
  for (degree in list(NULL, 2, 3)) {
    expect_error(plot(fit, "interactions", degree = degree), "no interactions", class = "hofm_error_unsupported")
    expect_error(ggplot2::autoplot(fit, "interactions", degree = degree), class = "hofm_error_unsupported")
  }
  x <- small_matrix()
  line <- quick_fit(x, small_response(x), order = 1)
  expect_error(plot(line, "interactions"), "no interactions", class = "hofm_error_unsupported")
  expect_silent(drawn(plot(line, "interactions", degree = 1)))
  expect_error(plot(fit, "interactions", degree = 4), "`degree` must be", class = "hofm_error_input")
  expect_error(plot(fit, "interactions", n = 0), "`n` must be", class = "hofm_error_input")
})

test_that("panels lie below each other, inside, and bars of all have one height", {
  for (bars in list(5, c(3, 7), c(1, 15, 4))) {
    at <- panel_heights(bars, height = 5, line = 0.2)
    expect_equal(at$first - at$bottom, at$bar * bars)
    expect_lte(at$first[1], 5)
    expect_equal(at$bottom[length(bars)], 0)
    expect_true(all(at$first[-1] + 1.4 * 0.2 < at$bottom[-length(bars)]))
  }
})

test_that("long labels have room, and of many bars only those that fit are drawn", {
  x <- small_matrix(names = paste("a feature with a very, very long name", 1:4))
  fit <- quick_fit(x, small_response(x))
  grDevices::pdf(NULL, width = 5, height = 4)
  on.exit(grDevices::dev.off())
  expect_silent(plot(fit, "interactions"))
  old <- make_room(left = 10)
  room <- graphics::par("mai")[2] - 0.5 * line_inches()
  labels <- shorten(plot_data(fit)$interaction, wider_than(room, 0.9))
  expect_lte(max(graphics::strwidth(labels, "inches", cex = 0.9)), room)
  expect_identical(anyDuplicated(labels), 0L)
  expect_lt(rows_with_room(2, 1), rows_with_room(2, 4))
  expect_gte(rows_with_room(3, 0.1), 1)
})

test_that("the ggplot has a panel for each degree and the bars of the base picture", {
  skip_if_broken("ggplot2")
  fit <- still_fit()
  bars <- ggplot2::layer_data(ggplot2::autoplot(fit, "interactions"), 1)
  shown <- plot_data(fit)
  expect_equal(as.integer(bars$PANEL), shown$degree - 1L)
  expect_equal(bars$xmin + bars$xmax, shown$weight)            # one of the two is zero
  expect_identical(bars$fill == sign_colours()[["negative"]], shown$weight < 0)
  for (k in unique(bars$PANEL)) expect_equal(order(-bars$y[bars$PANEL == k]), seq_len(sum(bars$PANEL == k)))   # strongest on top
})

test_that("interactions look as they did", {
  fit <- still_fit()
  expect_picture("interactions", plot(fit, "interactions"), ggplot2::autoplot(fit, "interactions"))
  expect_picture("interactions of degree 2", plot(fit, "interactions", degree = 2, n = 4, main = "Pairs"),
                 ggplot2::autoplot(fit, "interactions", degree = 2, n = 4))
})
