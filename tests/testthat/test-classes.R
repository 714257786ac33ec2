test_that("probabilities sum to one, and classes are the likeliest", {
  fit <- hofm(Species ~ ., iris, rank = 1, lambda = 0.01, standardize = FALSE, control = hofm_control(seed = 1))
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
  fit <- hofm(x, iris$Species, order = 1, lambda = 0.05, standardize = FALSE, control = hofm_control(seed = 1, tol = 1e-9))
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
  expect_equal(predict(hofm(x, iris$Species, order = 1, lambda = 0.05, standardize = FALSE, weights = weights, control = control), x),
               predict(hofm(x[twice, ], iris$Species[twice], order = 1, lambda = 0.05, standardize = FALSE, control = control), x), tolerance = 1e-5)
})

test_that("what makes no sense for several classes is refused, and an order is said not to be used", {
  x <- as.matrix(iris[1:2])
  expect_error(hofm(x, iris$Species, offset = x[, 1]), "`offset`", class = "hofm_error_input")
  expect_error(hofm(x, iris$Species, init = list(P = 1)), "`init`", class = "hofm_error_input")
  expect_error(hofm(x, iris$Species, loss = "logistic"), "two classes", class = "hofm_error_input")
  expect_warning(hofm(x, factor(iris$Species, ordered = TRUE), order = 1, lambda = 0.1, standardize = FALSE), "bayes_hofm", class = "hofm_warning_ordered")
  fit <- hofm(x, as.character(iris$Species), order = 1, lambda = 0.1, standardize = FALSE)
  expect_error(predict(fit, x, type = "terms"), "`type`", class = "hofm_error_input")
  fit$fits[[2]]$w <- NULL
  expect_error(predict(fit, x), class = "hofm_error_damaged")
})

test_that("what a user of glm() asks is answered, or says what to use", {
  fit <- hofm(Species ~ ., iris, rank = 1, lambda = 0.05, standardize = TRUE, control = hofm_control(seed = 1))
  expect_equal(fitted(fit), predict(fit, iris), tolerance = 1e-8)
  expect_equal(residuals(fit), unname(model.matrix(~ Species - 1, iris)) - fitted(fit), ignore_attr = TRUE)
  expect_identical(nobs(fit), 150L)
  expect_equal(as.numeric(logLik(fit)), sum(log(fitted(fit)[cbind(1:150, as.integer(iris$Species))])), tolerance = 1e-8)
  expect_equal(deviance(fit), -2 * as.numeric(logLik(fit)))
  expect_identical(formula(fit), Species ~ ., ignore_formula_env = TRUE)
  expect_named(coef(fit), levels(iris$Species))
  expect_identical(variable.names(fit), names(iris)[1:4])
  expect_identical(dim(model.matrix(fit, iris)), c(150L, 4L))
  expect_identical(predict(fit, iris, type = "response"), predict(fit, iris))
  smaller <- update(fit, . ~ Petal.Length + Petal.Width)
  expect_identical(variable.names(smaller), c("Petal.Length", "Petal.Width"))
  expect_identical(update(fit, lambda = 1, evaluate = FALSE)$lambda, 1)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(fit))
  expect_silent(plot(fit, "virginica", which = "degrees"))
  expect_error(plot(fit, "rose"), "`class`", class = "hofm_error_input")
  expect_error(auc(fit), "two classes", class = "hofm_error_unsupported")
  expect_error(anova(fit), "compare_models", class = "hofm_error_unsupported")
  for (call in expression(interactions(fit), bootstrap_hofm(fit, iris), effects_hofm(fit, "Petal.Width", iris), variable_importance(fit, iris))) {
    expect_error(eval(call), "fit$fits", fixed = TRUE, class = "hofm_error_input")
  }
  expect_error(cv_hofm(Species ~ ., iris), "lambda = NULL", class = "hofm_error_input")
  expect_identical(nrow(interactions(fit$fits[["setosa"]])), 6L)
})

test_that("K = 2 is the two-class fit, whose penalty two functions share", {
  two <- droplevels(iris[51:150, ])
  x <- scale(as.matrix(two[1:4]))
  control <- hofm_control(seed = 1, tol = 1e-12, max_iter = 5000)
  plain <- hofm(x, two$Species, order = 1, lambda = 0.02, standardize = FALSE, control = control)
  p <- predict(plain, x, type = "prob")
  expect_identical(colnames(p), levels(two$Species))
  expect_equal(p[, 2], predict(plain, x))
  expect_equal(rowSums(p), rep(1, 100))
  # f_2 - f_1 with penalties lambda (w_1^2 + w_2^2) / 2 is w with lambda / 2 w^2 / 2
  parts <- matrix_parts(x, two$Species, NULL, NULL)
  spec <- with_scales(check_spec(1, 1, 0.04, "hofm", NULL, "auto", TRUE, NULL), FALSE, NULL, NULL, parts$blueprint)
  both <- fit_classes(parts, spec, NULL, control, quote(hofm()))
  link <- both$linear.predictors
  expect_equal(stats::plogis(link[, 2] - link[, 1]), predict(plain, x), tolerance = 0.02)
  expect_equal(both$objective, plain$objective, tolerance = 1e-3)
})

test_that("penalties are chosen from the data once for each class", {
  fit <- suppressWarnings(hofm(Species ~ ., iris, rank = 1, lambda = NULL, standardize = TRUE, control = hofm_control(seed = 1)))
  expect_true(all(diff(fit$trace$objective) < 1e-8))
  expect_gt(mean(predict(fit, type = "class") == iris$Species), 0.94)
})

test_that("penalties of groups are chosen from the data, also of factors", {
  set.seed(5)
  d <- data.frame(a = factor(sample(20, 300, TRUE)), u = rnorm(300))
  d$y <- rnorm(20)[d$a] + d$u * rnorm(20)[d$a] + rnorm(300)
  fit <- hofm(y ~ a + u, d, rank = 2, lambda = NULL, standardize = TRUE, control = hofm_control(seed = 1))
  expect_null(dim(fit$penalty_factor))
  expect_gt(cor(fitted(fit), d$y), 0.7)
})
