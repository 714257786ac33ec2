skip_if_broken("generics")

test_that("tidy() lists every parameter, by the names broom uses", {
  d <- mixed_data()
  fit <- quick_fit(y ~ num + fac, d, order = 3)
  tidied <- generics::tidy(fit)
  expect_named(tidied, c("term", "degree", "factor", "estimate"))
  expect_identical(nrow(tidied), as.integer(1 + 4 + 2 * 4 * 2))
  expect_identical(tidied$estimate[tidied$term == "(Intercept)"], fit$intercept)
  expect_identical(tidied$estimate[tidied$degree == 1], unname(fit$w))
  expect_identical(tidied$estimate[tidied$degree == 3 & tidied$factor %in% 2], unname(fit$P[["3"]][, 2]))
  through_origin <- generics::tidy(quick_fit(y ~ num + fac - 1, d))
  expect_false("(Intercept)" %in% through_origin$term)
  expect_identical(nrow(through_origin), as.integer(4 + 4 * 2))
  shared <- quick_fit(y ~ num + fac, d, model = "shared")
  expect_identical(sum(is.na(generics::tidy(shared)$degree)), length(shared$P[[1]]))
})

test_that("tidy() of interactions has those of each degree", {
  d <- mixed_data()
  fit <- quick_fit(y ~ num + fac, d, order = 3)
  tidied <- generics::tidy(fit, "interactions", n = 2)
  expect_identical(tidied$degree, c(2L, 2L))                       # a number and one level: no row has products of three
  second <- interactions(fit, 2, 2)
  expect_identical(tidied$term[1:2], paste(second$feature_1, second$feature_2, sep = ":"))
  expect_identical(tidied$estimate, second$weight)
  expect_identical(nrow(generics::tidy(quick_fit(y ~ num, d, order = 1), "interactions")), 0L)
})

test_that("glance() is one row of what the fit says of itself", {
  d <- mixed_data()
  fit <- quick_fit(class ~ num + fac, d)
  glanced <- generics::glance(fit)
  expect_identical(nrow(glanced), 1L)
  for (field in c("model", "order", "loss", "solver", "objective", "deviance", "null.deviance", "converged")) {
    expect_identical(glanced[[field]], fit[[field]])
  }
  expect_equal(c(glanced$nobs, glanced$features, glanced$parameters), c(60, 4, 1 + 4 + 8))
  expect_identical(nrow(generics::glance(quick_fit(class ~ num + fac, d, model = "all_subsets"))), 1L)
})

test_that("augment() joins predictions and residuals to new data and to training data", {
  d <- mixed_data()
  fit <- quick_fit(y ~ num + fac, d)
  new <- generics::augment(fit, newdata = d[1:5, ])
  expect_identical(new$.fitted, predict(fit, d[1:5, ]))
  expect_equal(new$.resid, d$y[1:5] - predict(fit, d[1:5, ]))
  expect_identical(new$fac, d$fac[1:5])
  expect_false(".resid" %in% names(generics::augment(fit, newdata = d[1:5, c("num", "fac")])))
  old <- generics::augment(fit, d)
  expect_equal(old$.fitted, fitted(fit))
  expect_equal(old$.resid, residuals(fit))
  expect_error(generics::augment(fit), class = "hofm_error_unsupported")
  expect_error(generics::augment(fit, d[1:5, ]), class = "hofm_error_input")
  expect_error(generics::augment(fit, newdata = d["num"]), class = "hofm_error_columns")
})

test_that("residuals of classes are coded as residuals() has them", {
  d <- mixed_data()
  for (loss in c("logistic", "squared_hinge", "squared")) {
    fit <- quick_fit(class ~ num + fac, d, loss = loss)
    expect_equal(generics::augment(fit, newdata = d)$.resid, residuals(fit))
    expect_equal(generics::augment(fit, newdata = d, type.predict = "link")$.resid, residuals(fit))
  }
  d$zero_one <- as.numeric(d$lgl)
  fit <- quick_fit(zero_one ~ num, d, loss = "logistic")
  expect_equal(generics::augment(fit, newdata = d)$.resid, residuals(fit))
})

test_that("augment() takes matrices and pairs", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x))
  expect_named(generics::augment(fit, newdata = x), c("a", "b", "c", "d", ".fitted"))
  sparse <- generics::augment(fit, newdata = Matrix::Matrix(x, sparse = TRUE))
  expect_named(sparse, c(".row", ".fitted"))
  expect_equal(sparse$.fitted, predict(fit, x))
  pairs <- link_pairs(diag(3), diag(2), data.frame(i = c(1, 2, 3, 1), j = c(1, 2, 1, 2), y = c(1, 0, 0, 1)))
  links <- collapsing(hofm(pairs, rank = 1, control = quick()))
  expect_equal(generics::augment(links, newdata = pairs)$.resid, pairs$y - predict(links, pairs))
})

test_that("a cross-validation is tidied like cv.glmnet", {
  d <- mixed_data()
  cv <- seeded(1, collapsing(cv_hofm(y ~ num + fac, d, order = 1:2, rank = 2, nfolds = 3, n_lambda = 4, control = quick())))
  tidied <- generics::tidy(cv)
  expect_identical(nrow(tidied), 8L)
  expect_equal(tidied$conf.high - tidied$estimate, tidied$std.error)
  glanced <- generics::glance(cv)
  expect_identical(glanced$lambda.min, cv$lambda.min)
  expect_equal(glanced$estimate, min(tidied$estimate))
  expect_equal(generics::augment(cv, newdata = d, s = "lambda.1se")$.fitted, predict(cv, d, s = "lambda.1se"))
})

test_that("tables are tibbles where there are tibbles", {
  skip_if_broken("tibble")
  fit <- quick_fit(y ~ num, mixed_data())
  expect_s3_class(generics::tidy(fit), "tbl_df")
  expect_s3_class(generics::glance(fit), "tbl_df")
})
