beetles <- function() {
  data.frame(dose = rep(0:5, 2) / 2, sex = rep(c("M", "F"), c(6, 6)), dead = c(1, 4, 9, 13, 18, 20, 0, 2, 6, 10, 12, 16), n = 20)
}

exact <- function(...) {
  hofm(..., order = 1, lambda = 1e-9, standardize = FALSE, control = hofm_control(seed = 1, tol = 1e-13, max_iter = 20000))
}

test_that("counts of two outcomes and proportions with weights are those of glm()", {
  d <- beetles()
  g <- glm(cbind(dead, n - dead) ~ dose + sex, binomial, d)
  counts <- exact(cbind(dead, n - dead) ~ dose + sex, d)
  shares <- exact(dead / n ~ dose + sex, d, loss = "logistic", weights = n)
  for (fit in list(counts, shares)) {
    expect_equal(fitted(fit), unname(fitted(g)), tolerance = 1e-5)
    expect_equal(predict(fit, d), unname(fitted(g)), tolerance = 1e-5)
    expect_equal(deviance(fit), deviance(g), tolerance = 1e-5)
    expect_equal(fit$null.deviance, g$null.deviance, tolerance = 1e-8)
    expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(g)), tolerance = 1e-5)
    expect_equal(weights(fit), rep(20, 12))
    expect_identical(nobs(fit), 12L)
    for (type in c("response", "deviance", "pearson", "working")) {
      expect_equal(residuals(fit, type), unname(residuals(g, type)), tolerance = 1e-4)
    }
  }
  sim <- simulate(counts, 3, seed = 1)
  expect_true(all(abs(20 * sim - round(20 * sim)) < 1e-9))
})

test_that("counts are the outcomes one by one, at any order", {
  d <- beetles()
  long <- d[rep(1:12, each = 20), ]
  long$died <- unlist(lapply(d$dead, function(k) rep(c(TRUE, FALSE), c(k, 20 - k))))
  control <- hofm_control(seed = 1, tol = 1e-12, max_iter = 5000)
  counts <- hofm(cbind(dead, n - dead) ~ dose + sex, d, rank = 2, lambda = 1e-3, standardize = TRUE, control = control)
  single <- hofm(died ~ dose + sex, long, rank = 2, lambda = 1e-3, standardize = TRUE, control = control)
  expect_equal(counts$objective, single$objective, tolerance = 1e-6)
  expect_equal(predict(counts, d), predict(single, d), tolerance = 1e-3)
  x <- as.matrix(d["dose"])
  by_matrix <- hofm(x, as.matrix(cbind(d$dead, 20 - d$dead)), order = 1, lambda = 1e-3, standardize = FALSE)
  expect_length(fitted(by_matrix), 12)
})

test_that("methods take counts, and nonsense is refused", {
  d <- beetles()
  fit <- exact(cbind(dead, n - dead) ~ dose + sex, d)
  boot <- bootstrap_hofm(fit, d, times = 3, seed = 1)
  expect_length(predict(boot, d, se.fit = TRUE)$se.fit, 12)
  importance <- variable_importance(fit, d, seed = 1)
  expect_gt(importance$importance[importance$variable == "dose"], 0)
  expect_identical(dim(predict(fit, d, type = "prob")), c(12L, 2L))
  expect_error(exact(cbind(dead - 5, n) ~ dose, d), "`y`", class = "hofm_error_input")
  expect_error(exact(cbind(0 * dead, 0 * n) ~ dose, d), "`y`", class = "hofm_error_input")
  expect_error(exact(cbind(dead, n - dead) ~ dose, d, loss = "squared"), class = "hofm_error_input")
  expect_error(exact(dead / 10 ~ dose, d, loss = "logistic"), class = "hofm_error_input")
  expect_error(cv_hofm(cbind(dead, n - dead) ~ dose, d), "two columns", class = "hofm_error_input")
  gone <- hofm(cbind(dead, n - dead) ~ dose, d, order = 1, lambda = 0.1, standardize = FALSE, control = hofm_control(keep_fitted = FALSE))
  expect_error(fitted(gone), class = "hofm_error_unsupported")
})
