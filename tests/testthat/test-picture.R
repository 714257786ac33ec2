test_that("margins grow where they must, and no further than there is room", {
  grDevices::pdf(NULL, width = 6, height = 5)
  on.exit(grDevices::dev.off())
  mai <- graphics::par("mai")
  expect_identical(make_room(left = mai[2] - 0.1), list())
  old <- make_room(left = 2, right = 0.1)
  expect_equal(graphics::par("mai"), c(mai[1], 2, mai[3], mai[4]))
  graphics::par(old)
  expect_equal(graphics::par("mai"), mai)
  make_room(left = 50, right = 1)
  expect_equal(sum(graphics::par("mai")[c(2, 4)]), 0.6 * 6)
})

test_that("the title of the axis stands clear of long numbers", {
  grDevices::pdf(NULL, width = 6, height = 5)
  on.exit(grDevices::dev.off())
  left <- graphics::par("mai")[2]
  old <- open_axes(list(x = 1:2, y = c(1, 2), log = "", ylab = "", las = 1))
  expect_identical(old, list())
  open_axes(list(x = 1:2, y = c(0, 123456789.5), log = "", ylab = "", las = 1, ylim = c(0, 123456789.5)))
  expect_gt(graphics::par("mai")[2], left)
  expect_gt(graphics::par("mai")[2], max(graphics::strwidth(graphics::axTicks(2), "inches")) + 2 * line_inches())
})

test_that("names lose their middles, the longest first, and only when they must", {
  expect_identical(shorten(c("abc", ""), longer_than(3)), c("abc", ""))
  expect_identical(shorten("abcdefghijklmnop", longer_than(9)), "abc...nop")
  label <- paste("abcdefghijklmnop", "xyz", sep = times_sign)
  expect_identical(shorten(label, longer_than(15)), paste("abc...nop", "xyz", sep = times_sign))
  expect_lte(nchar(shorten(strrep("x", 500), longer_than(1))), 7)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  short <- shorten(strrep("wide ", 20), wider_than(1.5, 0.8))
  expect_lte(graphics::strwidth(short, "inches", cex = 0.8), 1.5)
  expect_gt(graphics::strwidth(short, "inches", cex = 0.8), 1.2)
})

test_that("a picture that cannot be drawn leaves the margins as they were", {
  grDevices::pdf(NULL, width = 4, height = 0.5)
  on.exit(grDevices::dev.off())
  before <- graphics::par("mai")
  expect_error(open_axes(list(x = 1:2, y = c(0, 123456789.5), log = "", ylab = "", las = 1)), "margins too large")
  expect_equal(graphics::par("mai"), before)
})
