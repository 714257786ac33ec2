test_that("probabilities sum to one, and classes are the likeliest", {
  fit <- hofm(Species ~ ., iris, rank = 1, lambda = 0.01, control = hofm_control(seed = 1))
  p <- predict(fit, iris, type = "prob")
  expect_identical(dim(p), c(150L, 3L))
  expect_equal(rowSums(p), rep(1, 150))
  expect_identical(predict(fit, iris, type = "class"), factor(levels(iris$Species)[max.col(p, "first")], levels(iris$Species)))
  link <- predict(fit, iris, type = "link")
  expect_equal(p, exp(link) / rowSums(exp(link)))
  expect_equal(predict(fit), p, tolerance = 1e-8)
  expect_gt(mean(predict(fit, type = "class") == iris$Species), 0.95)
  expect_true(all(diff(fit$trace$objective) < 1e-8))
  expect_output(print(fit), "3 classes")
  expect_output(print(summary(fit)), "degree 2")
  gap <- iris[1:3, ]
  gap$Petal.Width[2] <- NA
  expect_identical(is.na(predict(fit, gap, type = "class")), c(FALSE, TRUE, FALSE))
})

# Minus the mean log probability plus the penalties of w: what order 1 minimises.
softmax_slow <- function(par, x, y, lambda) {
  K <- nlevels(y)
  B <- matrix(par, ncol(x) + 1)
  link <- cbind(1, x) %*% B
  mean(log(rowSums(exp(link))) - link[cbind(seq_along(y), as.integer(y))]) + lambda / 2 * sum(B[-1, ]^2)
}

test_that("order 1 is the penalised softmax regression", {
  x <- scale(as.matrix(iris[1:2]))
  fit <- hofm(x, iris$Species, order = 1, lambda = 0.05, control = hofm_control(seed = 1, tol = 1e-9))
  best <- stats::optim(numeric(9), softmax_slow, x = x, y = iris$Species, lambda = 0.05, method = "BFGS",
                       control = list(reltol = 1e-14, maxit = 1000))
  expect_equal(fit$objective, best$value, tolerance = 1e-4)
  B <- matrix(best$par, 3)
  link <- cbind(1, x) %*% B
  expect_equal(predict(fit, x), exp(link) / rowSums(exp(link)), tolerance = 0.01, ignore_attr = TRUE)
})

test_that("weights are as rows given more than once", {
  x <- scale(as.matrix(iris[1:2]))
  twice <- c(1:150, 1:50)
  weights <- rep(c(2, 1), c(50, 100))
  control <- hofm_control(seed = 1, tol = 1e-9)
  expect_equal(predict(hofm(x, iris$Species, order = 1, lambda = 0.05, weights = weights, control = control), x),
               predict(hofm(x[twice, ], iris$Species[twice], order = 1, lambda = 0.05, control = control), x), tolerance = 1e-5)
})

test_that("what makes no sense for several classes is refused, and an order is said not to be used", {
  x <- as.matrix(iris[1:2])
  expect_error(hofm(x, iris$Species, offset = x[, 1]), "`offset`", class = "hofm_error_input")
  expect_error(hofm(x, iris$Species, init = list(P = 1)), "`init`", class = "hofm_error_input")
  expect_error(hofm(x, iris$Species, loss = "logistic"), "two classes", class = "hofm_error_input")
  expect_warning(hofm(x, factor(iris$Species, ordered = TRUE), order = 1), class = "hofm_warning_ordered")
  fit <- hofm(x, as.character(iris$Species), order = 1, lambda = 0.1)
  expect_error(predict(fit, x, type = "terms"), "`type`", class = "hofm_error_input")
  fit$fits[[2]]$w <- NULL
  expect_error(predict(fit, x), class = "hofm_error_damaged")
})
