test_that("coef gives all parameters or those of one degree", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x), order = 3)
  expect_identical(coef(fit), list(intercept = fit$intercept, w = fit$w, P = fit$P))
  expect_identical(coef(fit, 0), fit$intercept)
  expect_identical(coef(fit, 1), fit$w)
  expect_identical(coef(fit, 3), fit$P[["3"]])
  expect_error(coef(fit, 4), "whole number from 0 to 3", class = "hofm_error_input")
})

test_that("residuals are those of glm at the same fitted values", {
  d <- mixed_data()
  w <- rep(1:3, 20)
  d$zero <- as.numeric(d$class == "high")
  fits <- list(
    gaussian = quick_fit(y ~ num + lgl, d, weights = w), poisson = quick_fit(int ~ num + lgl, d, weights = w, loss = "poisson"),
    binomial = quick_fit(zero ~ num + lgl, d, weights = w, loss = "logistic"))
  response <- list(gaussian = d$y, poisson = d$int, binomial = d$zero)
  for (name in names(fits)) {
    fit <- fits[[name]]
    family <- get(name)()
    y <- response[[name]]
    mu <- fitted(fit)
    expect_equal(residuals(fit), y - mu)
    expect_equal(residuals(fit, "pearson"), (y - mu) * sqrt(w) / sqrt(family$variance(mu)))
    expect_equal(residuals(fit, "working"), (y - mu) / family$mu.eta(predict(fit, type = "link")))
    expect_equal(residuals(fit, "deviance"), sign(y - mu) * sqrt(family$dev.resids(y, mu, w)),
                 tolerance = 1e-6)
    expect_equal(sum(residuals(fit, "deviance")^2), deviance(fit))
    expect_identical(family(fit)$family, name)
  }
})

test_that("the squared hinge loss has no family, likelihood or variance", {
  fit <- quick_fit(class ~ num, mixed_data(), loss = "squared_hinge")
  expect_equal(sum(residuals(fit, "deviance")^2), deviance(fit))
  for (type in c("pearson", "working")) expect_error(residuals(fit, type), class = "hofm_error_unsupported")
  expect_error(family(fit), class = "hofm_error_unsupported")
  expect_error(logLik(fit), class = "hofm_error_unsupported")
  expect_error(simulate(fit), class = "hofm_error_unsupported")
})

test_that("rows taken out by na.exclude come back as NA", {
  d <- mixed_data()
  d$num[c(2, 5)] <- NA
  out <- quick_fit(y ~ num + fac, d, na.action = na.omit)
  back <- quick_fit(y ~ num + fac, d, na.action = na.exclude)
  expect_equal(nobs(back), 58)
  for (get in list(fitted, residuals, weights, predict, function(f) residuals(f, "deviance"))) {
    expect_length(get(out), 58)
    expect_length(get(back), 60)
    expect_identical(which(is.na(get(back))), c(2L, 5L))
    expect_equal(get(back)[-c(2, 5)], get(out))
  }
})

test_that("logLik has no degrees of freedom, so that AIC is NA", {
  fit <- quick_fit(class ~ num, mixed_data())
  expect_equal(as.numeric(logLik(fit)), -deviance(fit) / 2)
  expect_true(is.na(AIC(fit)))
  expect_true(is.na(BIC(fit)))
})

test_that("formula, terms and names come back", {
  d <- mixed_data()
  fit <- quick_fit(y ~ num + poly(int, 2), d)
  expect_equal(formula(fit), y ~ num + poly(int, 2), ignore_attr = TRUE)
  expect_equal(attr(terms(fit), "term.labels"), c("num", "poly(int, 2)"))
  expect_equal(variable.names(fit), c("num", "poly(int, 2)1", "poly(int, 2)2"))
  dot <- quick_fit(y ~ ., d[c("y", "num", "lgl")])
  expect_equal(formula(dot), y ~ ., ignore_attr = TRUE)
  expect_equal(attr(terms(dot), "term.labels"), c("num", "lgl"))
  expect_silent(taken <- terms(quick_fit(y ~ . - lgl - 1, d[c("y", "num", "int", "lgl")])))
  expect_equal(attr(taken, "term.labels"), c("num", "int"))
  expect_equal(attr(taken, "intercept"), 0)
  expect_equal(formula(taken), formula(terms(lm(y ~ . - lgl - 1, d[c("y", "num", "int", "lgl")]))), ignore_attr = TRUE)
  x <- small_matrix()
  expect_error(formula(quick_fit(x, small_response(x))), class = "hofm_error_unsupported")
})

test_that("update fits again, with another formula or other arguments", {
  d <- mixed_data()[c("num", "fac", "lgl", "y")]
  control <- quick()
  fit <- hofm(y ~ num + fac, d, rank = 2, lambda = 0.01, control = control)
  expect_identical(coef(update(fit, . ~ . + lgl)), coef(quick_fit(y ~ num + fac + lgl, d)))
  expect_equal(collapsing(update(fit, lambda = 0.5))$lambda, c(0.5, 0.5))
  expect_equal(collapsing(update(update(fit, . ~ . + lgl), order = 3))$order, 3)
  expect_equal(update(fit, rank = 3, evaluate = FALSE)$rank, 3)
  dot <- hofm(y ~ ., d, rank = 2, lambda = 0.01, control = control)
  expect_identical(coef(update(dot, . ~ . - lgl)), coef(fit))
  x <- small_matrix()
  y <- small_response(x)
  expect_identical(update(hofm(x, y, rank = 2, control = control), rank = 1)$rank, 1L)
})

test_that("simulate draws from the fit, and leaves the generator alone when seeded", {
  d <- mixed_data()
  fit <- quick_fit(class ~ num, d)
  set.seed(1)
  before <- .Random.seed
  sims <- simulate(fit, 3, seed = 5)
  expect_identical(.Random.seed, before)
  expect_identical(simulate(fit, 3, seed = 5), sims)
  expect_named(sims, c("sim_1", "sim_2", "sim_3"))
  expect_identical(levels(sims$sim_1), levels(d$class))
  many <- simulate(fit, 400, seed = 1)
  expect_equal(rowMeans(many == "high"), unname(fitted(fit)), tolerance = 0.1, ignore_attr = TRUE)
  gauss <- quick_fit(y ~ num, d)
  many <- as.matrix(simulate(gauss, 400, seed = 1))
  expect_equal(unname(rowMeans(many)), fitted(gauss), tolerance = 0.2)
  expect_equal(mean(apply(many, 1, var)), deviance(gauss) / 60, tolerance = 0.05)
  count <- simulate(quick_fit(int ~ num, d, loss = "poisson"), 1, seed = 1)[[1]]
  expect_true(all(count >= 0 & count == round(count)))
})

test_that("model.matrix gives the columns of new data", {
  d <- mixed_data()
  fit <- quick_fit(y ~ num + fac, d)
  m <- model.matrix(fit, d)
  expect_equal(colnames(m), variable.names(fit))
  original <- coef(quick_fit(y ~ num + fac, d, order = 1), scale = "original")
  expect_equal(as.vector(m %*% original$w) + original$intercept, fitted(quick_fit(y ~ num + fac, d, order = 1)))
  expect_error(model.matrix(fit), class = "hofm_error_unsupported")
})

test_that("as.data.frame lists every parameter", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x), order = 3)
  long <- as.data.frame(fit)
  expect_equal(nrow(long), 1 + 4 + 2 * 4 * 2)
  expect_equal(long$value[long$degree == 3 & long$feature %in% "c" & long$factor %in% 2],
               fit$P[["3"]][["c", 2]])
  expect_equal(long$value[long$degree == 1], unname(fit$w))
})

test_that("questions without an answer say why", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x))
  expect_errors({
    vcov(fit)
    confint(fit)
    model.frame(fit)
    formula(fit)
  })
  slim <- quick_fit(x, small_response(x), control = quick(keep_fitted = FALSE))
  expect_error(fitted(slim), class = "hofm_error_unsupported")
  expect_error(residuals(slim), class = "hofm_error_unsupported")
})

test_that("update() of a fit that got its data by value says what to give", {
  set.seed(7)
  x <- matrix(rnorm(4000), 1000)
  fit <- collapsing(do.call(hofm, list(x, x[, 1], rank = 1, control = quick())))
  expect_error(update(fit, lambda = 1), "`x`", class = "hofm_error_unsupported")
  expect_s3_class(collapsing(update(fit, x = x, y = x[, 1], lambda = 1)), "hofm")
})

test_that("a damaged fit is listed by as.data.frame() no more than it predicts", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x))
  for (field in c("P", "w", "model", "features")) {
    bad <- fit
    bad[[field]] <- "a"
    expect_error(as.data.frame(bad), class = "hofm_error_damaged_fit")
  }
})

test_that("update() of a fit whose data is gone says what to give", {
  fit <- local({
    gone <- mtcars
    hofm(mpg ~ wt, gone, rank = 2)
  })
  expect_error(update(fit, lambda = 0.1), "`data` of the fit, `gone`, is not found", class = "hofm_error_unsupported")
  expect_s3_class(update(fit, lambda = 0.1, data = mtcars), "hofm")
})
