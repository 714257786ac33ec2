skip_if_broken("recipes")

scaling_recipe <- function(d) {
  recipes::step_normalize(recipes::recipe(y ~ num + int + fac, d), num, int)
}

scaled <- function(d, by = d) {
  data.frame(num = (d$num - mean(by$num)) / sd(by$num), int = (d$int - mean(by$int)) / sd(by$int), fac = d$fac)
}

test_that("a recipe is estimated, applied and fitted, and new data go the same way", {
  d <- mixed_data()
  train <- d[1:40, ]
  fit <- quick_fit(scaling_recipe(d), train)
  direct <- quick_fit(scaled(train), train$y)
  expect_equal(coef(fit), coef(direct))
  expect_equal(predict(fit, d[41:60, ]), predict(direct, scaled(d[41:60, ], train)))
  expect_equal(predict(fit, d[41, c("fac", "int", "num")]), predict(direct, scaled(d[41, ], train)))
  expect_length(predict(fit, d[0, ]), 0)
  expect_equal(colnames(model.matrix(fit, d)), variable.names(direct))
})

test_that("a prepared recipe is estimated anew, on the data given", {
  d <- mixed_data()
  prepared <- recipes::prep(scaling_recipe(d), training = d[1:10, ])
  expect_equal(coef(quick_fit(prepared, d[1:40, ])), coef(quick_fit(scaling_recipe(d), d[1:40, ])))
})

test_that("classes, dummy variables and steps that are for training only work", {
  d <- mixed_data()
  rec <- recipes::recipe(class ~ num + fac, d)
  rec <- recipes::step_naomit(recipes::step_dummy(rec, fac), recipes::all_predictors(), skip = TRUE)
  holes <- replace(d, "num", list(replace(d$num, 3, NA)))
  fit <- quick_fit(rec, holes)
  expect_identical(nobs(fit), 59L)
  expect_identical(predict(fit, holes, type = "class")[4:60], predict(fit, d, type = "class")[4:60])
  expect_identical(which(is.na(predict(fit, holes))), 3L)
})

test_that("weights come as an argument or as a role", {
  d <- mixed_data()
  d$w <- seeded(1, runif(60))
  direct <- quick_fit(y ~ num, d, weights = w)
  expect_equal(coef(quick_fit(recipes::recipe(y ~ num, d), d, weights = d$w)), coef(direct))
  weighted <- transform(d, w = hardhat::importance_weights(w))
  expect_equal(coef(quick_fit(recipes::recipe(y ~ num + w, weighted), weighted)), coef(direct))
})

test_that("the fit keeps no training data, and survives being saved", {
  d <- mixed_data(3000)
  fit <- quick_fit(scaling_recipe(d[1:50, ]), d, control = quick(keep_fitted = FALSE))
  file <- tempfile()
  saveRDS(fit, file)
  expect_lt(length(serialize(fit$blueprint$recipe$template, NULL)), 2000)
  expect_identical(predict(readRDS(file), d[1:5, ]), predict(fit, d[1:5, ]))
})

test_that("a recipe is cross-validated as its result is", {
  d <- mixed_data()
  train <- d[1:40, ]
  folds <- rep(1:4, 10)
  run <- function(...) cv_hofm(..., order = 1:2, rank = 2, lambda = 10^(0:-2), foldid = folds, keep = TRUE, control = quick())
  cv <- run(scaling_recipe(d), train)
  direct <- run(scaled(train), train$y)
  expect_equal(cv$table, direct$table)
  expect_equal(cv$fit.preval, direct$fit.preval)
  expect_equal(predict(cv, d[41:60, ], s = "lambda.1se"), predict(direct, scaled(d[41:60, ], train), s = "lambda.1se"))
  expect_identical(cv$call[[1]], quote(cv_hofm))
  expect_identical(cv$fit$call[[1]], quote(hofm))
})

test_that("weights of a recipe count in the folds, and bad input of the cross-validation is named", {
  d <- mixed_data()
  d$w <- hardhat::importance_weights(rep(1:2, 30))
  rec <- recipes::recipe(y ~ num + w, d)
  run <- function(...) cv_hofm(..., order = 1, lambda = c(1, 0.1), foldid = rep(1:3, 20), control = quick())
  expect_equal(run(rec, d)$cvm, run(as.matrix(d["num"]), d$y, weights = rep(1:2, 30))$cvm)
  expect_error(cv_hofm(rec), "`data` must be a data frame", class = "hofm_error_input")
  expect_error(cv_hofm(rec, d, foldid = 1:3), "foldid", class = "hofm_error_input")
  expect_error(cv_hofm(rec, d, ranks = 3), "`rank`", class = "hofm_error_input")
})

test_that("bad input is named", {
  d <- mixed_data()
  rec <- scaling_recipe(d)
  fit <- quick_fit(rec, d)
  two <- recipes::recipe(y + class ~ num, d)
  expect_error(hofm(rec), "`data` must be a data frame", class = "hofm_error_input")
  expect_error(hofm(rec, as.matrix(d["num"])), "`data` must be a data frame", class = "hofm_error_input")
  expect_error(hofm(rec, d["num"]), "cannot be estimated", class = "hofm_error_input")
  expect_error(hofm(two, d), "one outcome, not 2", class = "hofm_error_input")
  expect_error(hofm(rec, d, ranks = 2), "`rank`", class = "hofm_error_input")
  expect_error(predict(fit, d["num"]), "`int`, `fac`", class = "hofm_error_columns")
  expect_error(predict(fit, "d"), "must be a data frame", class = "hofm_error_input")
})
