test_that("curves are joined by c()", {
  a <- roc_curve(0:1, 1:2)
  b <- roc_curve(0:1, 2:1)
  both <- c(a = a, b = b)
  expect_s3_class(both, "roc_curves")
  expect_identical(names(both), c("a", "b"))
  expect_identical(both[["b"]], b)
  expect_identical(names(c(both, third = a)), c("a", "b", "third"))
  expect_length(c(a, b), 2)
  expect_error(c(a, 3), "Argument 2 of `c\\(\\)` must be a curve", class = "hofm_error_input")
})

test_that("a legend stays clear of the curves, on a small device too", {
  grDevices::pdf(NULL, width = 5, height = 4)
  on.exit(grDevices::dev.off())
  truth <- rep(c(FALSE, TRUE), 200)
  score <- stats::qnorm(rep(stats::ppoints(200), each = 2))
  curves <- c("a name of some length" = roc_curve(truth, score + truth), "another name" = roc_curve(truth, score + 2 * truth))
  plot(curves, legend = FALSE)
  box <- draw_roc_legend(curves, col = 1:2, lty = 1, lwd = 2, level = 0.95)
  inside <- function(curve) any(curve$fpr >= box$left & curve$tpr <= box$top)
  expect_false(any(vapply(curves, inside, NA)))
  expect_gte(box$left, graphics::par("usr")[1])
  # the whole length of a curve counts, not its points alone
  expect_true(clear_of_curves(list(data.frame(fpr = c(0, 0, 1), tpr = c(0, 1, 1))), 0.5, 0.9))
  expect_false(clear_of_curves(list(data.frame(fpr = c(0, 1), tpr = c(0, 1))), 0.5, 0.4))
})

test_that("pictures are square, have a legend with intervals, and leave par() alone", {
  grDevices::pdf(NULL, width = 7, height = 5)
  on.exit(grDevices::dev.off())
  curve <- still_curves()[[1]]
  before <- graphics::par(c("pty", "mar", "las"))
  shown <- withVisible(plot(curve, main = "One"))
  expect_false(shown$visible)
  expect_identical(shown$value, curve)
  expect_equal(graphics::par("pin")[1], graphics::par("pin")[2])
  expect_identical(graphics::par(c("pty", "mar", "las")), before)
  expect_silent(plot(curve, add = TRUE, col = "red"))
  expect_silent(lines(curve, lty = 3))
  expect_silent(plot(c(a = curve, b = curve), level = NULL, legend = FALSE))
  expect_error(plot(curve, level = 2), "`level` must be", class = "hofm_error_input")
  interval <- formatC(auc(curve, ci = TRUE), digits = 3, format = "f")
  expect_identical(curve_label(c(name = curve), 1, 0.95),
    paste0("name: AUC ", interval[["auc"]], " (", interval[["lower"]], " to ", interval[["upper"]], ")"))
})

test_that("names that are too long for a small device are cut", {
  grDevices::pdf(NULL, width = 3.8, height = 3.8)
  on.exit(grDevices::dev.off())
  curves <- still_curves()
  names(curves) <- strrep(c("long name ", "longer name "), 10)
  plot(curves, legend = FALSE)
  box <- draw_roc_legend(curves, col = 1:2, lty = 1, lwd = 2, level = 0.95)
  expect_gte(box$left, graphics::par("usr")[1])
})

test_that("the ggplot has the curves and the labels of the base picture", {
  skip_if_broken("ggplot2")
  curves <- still_curves()
  picture <- ggplot2::autoplot(curves)
  lines <- ggplot2::layer_data(picture, 2)
  for (k in 1:2) {
    one <- lines[lines$group == k, ]
    expect_equal(one[c("x", "y")], plain_data(curves[[k]][c("fpr", "tpr")]), ignore_attr = TRUE)
  }
  expect_length(unique(lines$linetype), 2)
  expect_length(unique(lines$colour), 2)
  labels <- ggplot2::ggplot_build(picture)$plot$scales$get_scales("colour")$get_labels()
  expect_identical(unname(labels), c(curve_label(curves, 1, 0.95), curve_label(curves, 2, 0.95)))
  expect_s3_class(ggplot2::autoplot(curves[[1]], level = NULL), "ggplot")
  expect_error(ggplot2::autoplot(curves, levle = 0.9), "Unknown argument `levle`", class = "hofm_error_input")
  one_class <- suppressWarnings(roc_curve(c(TRUE, TRUE), 1:2))
  expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(one_class)))
  expect_silent(drawn(plot(one_class)))
})

test_that("ROC curves look as they did", {
  expect_picture("roc", plot(still_curves(), main = "Two scores"), ggplot2::autoplot(still_curves()))
})

test_that("curves of one class are drawn as nothing, whichever class it is", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (class in c(TRUE, FALSE)) {
    expect_warning(curve <- roc_curve(rep(class, 3), 1:3), class = "hofm_warning_one_class")
    expect_silent(plot(c(one = curve, two = roc_curve(c(TRUE, FALSE, TRUE), 1:3))))
  }
})
