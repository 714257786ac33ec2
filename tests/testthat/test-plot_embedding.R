test_that("the map keeps lengths and products as far as two components can", {
  fit <- still_fit()
  P <- unname(fit$P[["2"]])
  map <- embedding_data(fit, NULL, 15)
  plane <- cbind(map$x, map$y)
  expect_equal(tcrossprod(plane), tcrossprod(P))                 # rank 2: nothing is lost
  expect_equal(map$norm, sqrt(rowSums(P^2)))
  expect_equal(sum(attr(map, "share")), 1)
  fit$P[["2"]] <- cbind(P, seeded(1, rnorm(4, sd = 0.1)))
  fit$rank[1] <- 3L
  squares <- svd(fit$P[["2"]])$d^2
  map <- embedding_data(fit, 2, 15)
  expect_equal(c(sum(map$x^2), sum(map$y^2)), squares[1:2])
  expect_equal(attr(map, "share"), squares[1:2] / sum(squares))
  expect_true(max(map$x) == max(abs(map$x)) && max(map$y) == max(abs(map$y)))
})

test_that("features with the longest rows have names", {
  fit <- still_fit()
  map <- embedding_data(fit, 2, 2)
  expect_setequal(map$feature[map$label], map$feature[order(-map$norm)][1:2])
  fit$P[["2"]][2, ] <- 0
  expect_identical(embedding_data(fit, 2, 15)$label, c(TRUE, FALSE, TRUE, TRUE))
  expect_false(any(embedding_data(fit, 2, 0)$label))
})

test_that("one factor, one feature and factors at zero are drawn", {
  skip_if_broken("ggplot2")
  x <- small_matrix()
  one <- collapsing(hofm(x, small_response(x), rank = 1, control = quick()))
  expect_equal(embedding_data(one, NULL, 15)$y, numeric(4))
  single <- collapsing(hofm(x[, 1, drop = FALSE], small_response(x), rank = 2, control = quick()))
  zero <- one
  zero$P[["2"]][] <- 0
  expect_equal(attr(embedding_data(zero, NULL, 15), "share"), c(0, 0))
  large <- still_fit()
  large$P[["2"]] <- large$P[["2"]] * 1e200
  expect_equal(embedding_data(large, NULL, 15)$x / 1e200, embedding_data(still_fit(), NULL, 15)$x)
  for (fit in list(one, single, zero, large)) {
    expect_silent(drawn(plot(fit, "embedding")))
    expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(fit, "embedding")))
  }
})

test_that("a degree without factors has no map", {
  x <- small_matrix()
  line <- quick_fit(x, small_response(x), order = 1)
  expect_error(plot(line, "embedding"), "no factors", class = "hofm_error_unsupported")
  some <- hofm(x, small_response(x), order = 3, rank = c(0, 2), control = quick())
  expect_silent(collapsing(embedding_data(some, NULL, 15)))
  expect_error(plot(some, "embedding", degree = 2), "no factors of degree 2", class = "hofm_error_unsupported")
  expect_error(plot(some, "embedding", degree = 7), "`degree` must be", class = "hofm_error_input")
})

test_that("the sides of pairs are told apart", {
  skip_if_broken("ggplot2")
  nodes <- small_matrix(12)
  pairs <- link_pairs(nodes, pairs = cbind(1:6, 7:12, 0:1))
  map <- embedding_data(quick_fit(pairs), NULL, 15)
  expect_identical(map$group, rep(c("A", "B"), each = 4))
  points <- ggplot2::layer_data(ggplot2::autoplot(quick_fit(pairs), "embedding"), 4)
  expect_identical(points$shape, rep(c(19, 17), each = 4))
})

test_that("labels lie neither on each other nor on labelled points nor outside", {
  seeded(5, for (n in c(1, 2, 10, 60)) {
    points <- matrix(rnorm(2 * n), n)
    size <- cbind(runif(n, 0.2, 1.5), 0.2)
    region <- c(-3, 3, -3, 3)
    legend <- c(2, 3, 2, 3)
    place <- place_labels(points, seq_len(n), size, region, c(1, 1), taken = legend)
    put <- which(!is.na(place$x))
    expect_gt(length(put), 0)
    box <- cbind(place$x - size[, 1] / 2, place$x + size[, 1] / 2, place$y - 0.1, place$y + 0.1)[put, , drop = FALSE]
    expect_true(all(box[, c(1, 3)] >= -3 & box[, c(2, 4)] <= 3))
    expect_false(any(vapply(seq_along(put), function(k) overlaps(box[k, , drop = FALSE], rbind(box[-k, ], legend)), NA)))
    expect_identical(sum(hidden(box, points)), 0L)
  })
})

test_that("a label goes where it hides the fewest points", {
  points <- rbind(c(0, 0), c(0.5, 0), c(-0.5, 0))
  place <- place_labels(points, 1, cbind(1, 0.2), c(-5, 5, -5, 5), c(1, 1))
  expect_equal(c(place$dx, place$dy), c(0, 1))
  crowd <- place_labels(rbind(c(0, 0), c(0.01, 0.01)), 1:2, cbind(c(50, 1), 0.2), c(-5, 5, -5, 5), c(1, 1))
  expect_identical(is.na(crowd$x), c(TRUE, FALSE))       # the first is too wide to be put anywhere
})

test_that("the map looks as it did", {
  fit <- still_fit()
  expect_picture("embedding", plot(fit, "embedding"), ggplot2::autoplot(fit, "embedding"))
})
