compared_classes <- function() {
  d <- mixed_data(120)
  list(train = d[1:80, ], test = d[81:120, ])
}

test_that("two classes: areas with DeLong's intervals and tests as pROC has them, corrected by p.adjust()", {
  skip_if_broken("pROC")
  d <- compared_classes()
  models <- list(
    num = glm(class ~ num, binomial, d$train), int = glm(class ~ int, binomial, d$train),
    hofm = quick_fit(class ~ num + int + fac, d$train))
  compared <- compare_models(models, d$test, adjust = "bonferroni")
  scores <- list(predict(models$num, d$test, type = "response"), predict(models$int, d$test, type = "response"),
                 predict(models$hofm, d$test))
  curves <- lapply(scores, function(s) pROC::roc(d$test$class, s, levels = c("low", "high"), direction = "<", quiet = TRUE))
  bounds <- sapply(curves, function(curve) as.vector(pROC::ci.auc(curve)))
  expect_equal(compared$models$auc, bounds[2, ])
  expect_equal(compared$models$auc_lower, bounds[1, ])
  expect_equal(compared$models$auc_upper, bounds[3, ])
  p <- c(pROC::roc.test(curves[[1]], curves[[2]], paired = TRUE)$p.value, pROC::roc.test(curves[[1]], curves[[3]], paired = TRUE)$p.value,
         pROC::roc.test(curves[[2]], curves[[3]], paired = TRUE)$p.value)
  expect_equal(compared$tests$p_value, p)
  expect_equal(compared$tests$p_adjusted, p.adjust(p, "bonferroni"))
  expect_equal(compared$tests[c("model_1", "model_2")],
               data.frame(model_1 = c("num", "num", "int"), model_2 = c("int", "hofm", "hofm")))
  expect_equal(compared$tests$difference[3], compared$models$auc[2] - compared$models$auc[3])
})

test_that("the deviance is that of glm(), and NA for what is no probability", {
  d <- compared_classes()$train
  fit <- glm(class ~ num + fac, binomial, d)
  link <- function(newdata) predict(fit, newdata)
  sure <- function(newdata) as.numeric(newdata$num > 0)
  compared <- compare_models(list(fit = fit, link = link, sure = sure), d)
  expect_equal(compared$models$deviance[1], deviance(fit) / nrow(d))
  expect_identical(compared$models$deviance[2:3], c(NA, Inf))
  expect_equal(compared$models$auc[1], compared$models$auc[2])
  expect_equal(compared$tests$p_value[1], 1)
})

test_that("a regression: errors with Student's interval and paired t tests", {
  d <- compared_classes()
  models <- list(lm(y ~ num, d$train), lm(y ~ fac, d$train), function(newdata) newdata$num)
  compared <- compare_models(models, d$test)
  e <- cbind(predict(models[[1]], d$test), predict(models[[2]], d$test), d$test$num) - d$test$y
  expect_equal(compared$models$rmse, unname(sqrt(colMeans(e^2))))
  expect_equal(compared$models$mae, unname(colMeans(abs(e))))
  expect_equal(c(compared$models$rmse_lower[1], compared$models$rmse_upper[1])^2, as.vector(t.test(e[, 1]^2)$conf.int))
  slow <- t.test(e[, 1]^2, e[, 3]^2, paired = TRUE)
  row <- compared$tests[2, ]
  expect_equal(row$p_value, slow$p.value)
  expect_equal(row$statistic, slow$statistic[[1]])
  expect_equal(c(row$lower, row$upper), as.vector(slow$conf.int))
  expect_equal(compared$tests$p_adjusted, p.adjust(compared$tests$p_value, "holm"))
})

test_that("equal models do not differ, and one model alone has no tests", {
  d <- compared_classes()
  fit <- lm(y ~ num, d$train)
  same <- compare_models(list(a = fit, b = fit), d$test)$tests
  expect_identical(unlist(same[c("difference", "statistic", "p_value", "p_adjusted")], use.names = FALSE), c(0, 0, 1, 1))
  alone <- compare_models(list(fit), d$test)
  expect_identical(nrow(alone$tests), 0L)
  expect_identical(alone$models$model, "fit")
  expect_error(plot(alone, "tests"), class = "hofm_error_input")
  one_row <- compare_models(list(a = fit, b = lm(y ~ int, d$train)), d$test[1, ])
  expect_true(is.na(one_row$tests$p_value))
})

test_that("the table tells what was fitted", {
  d <- compared_classes()
  fit <- quick_fit(y ~ num + int, d$train)
  compared <- compare_models(
    list(machine = fit, line = lm(y ~ num, d$train), zero = function(newdata) rep(0, nrow(newdata))), d$test, seconds = c(line = 3))
  expect_identical(compared$models$class, c("hofm", "lm", "function"))
  expect_identical(compared$models$order, c(2L, NA, NA))
  expect_identical(compared$models$rank, c("2", NA, NA))
  expect_identical(compared$models$parameters, c(1 + 2 + 4, 2, NA))
  expect_equal(compared$models$seconds, c(max(fit$trace$seconds), 3, NA))
  expect_identical(as.data.frame(compared), compared$models)
  expect_identical(as.data.frame(compared, what = "tests"), compared$tests)
})

test_that("cross-validated fits are compared at the lambda asked for", {
  d <- compared_classes()
  cv <- seeded(1, collapsing(cv_hofm(y ~ num + int + fac, d$train, order = 1, nfolds = 4, n_lambda = 8)))
  compared <- compare_models(list(min = cv, "1se" = cv), d$test, args = list("1se" = list(s = "lambda.1se")))
  expect_equal(compared$predictions$min, predict(cv, d$test))
  expect_equal(compared$predictions[["1se"]], predict(cv, d$test, s = "lambda.1se"))
})

test_that("the response comes from the formula, a column, a vector or the pairs", {
  d <- compared_classes()
  fit <- glm(class ~ num, binomial, d$train)
  compared <- compare_models(list(fit), d$test)
  expect_identical(compare_models(list(fit = fit), d$test, y = "class")$models, compared$models)
  expect_identical(compare_models(list(fit = fit), d$test["num"], y = d$test$class)$models, compared$models)
  coded <- compare_models(list(fit = fit), d$test, y = as.numeric(d$test$class == "high"))
  expect_identical(coded$models$auc, compared$models$auc)
  pairs <- link_pairs(diag(4), diag(3), expand.grid(i = 1:4, j = 1:3, y = 0)[1:10, ] |> transform(y = rep(0:1, 5)))
  links <- collapsing(hofm(pairs, rank = 1, control = quick()))
  compared <- compare_models(list(links = links), pairs)
  expect_equal(compared$models$auc, auc(pairs$y, predict(links, pairs)))
})

test_that("rows with gaps are left out for all models", {
  d <- compared_classes()
  gaps <- replace(d$test, "int", list(replace(as.numeric(d$test$int), 2:3, NA)))
  gaps$y[5] <- NA
  models <- list(num = lm(y ~ num, d$train), int = lm(y ~ int, d$train))
  expect_warning(compared <- compare_models(models, gaps), "3 of 40 rows", class = "hofm_warning_dropped_rows")
  expect_equal(compared$models, compare_models(models, d$test[-c(2, 3, 5), ])$models)
  gaps$y <- NA_real_
  expect_error(compare_models(models, gaps), class = "hofm_error_input")
})

test_that("one class has no area, which is said once", {
  d <- compared_classes()
  models <- list(a = glm(class ~ num, binomial, d$train), b = glm(class ~ int, binomial, d$train))
  high <- d$test[d$test$class == "high", ]
  warnings <- capture_warnings(compared <- compare_models(models, high))
  expect_length(warnings, 1)
  expect_identical(compared$models$auc, c(NA_real_, NA_real_))
  expect_identical(compared$tests$p_adjusted, NA_real_)
  expect_error(plot(compared), class = "hofm_error_input")
})

test_that("bad input is named", {
  d <- compared_classes()
  fit <- lm(y ~ num, d$train)
  machine <- quick_fit(y ~ num + fac, d$train)
  three <- factor(rep(c("a", "b", "c"), length.out = 40))
  expect_errors({
    compare_models(fit, d$test)
    compare_models(list(), d$test)
    compare_models(list(a = fit, b = 1:3), d$test)
    compare_models(list(a = fit, a = fit), d$test)
    compare_models(list(fit))
    compare_models(list(fit), "test")
    compare_models(list(fit), d$test[0, ])
    compare_models(list(fit), d$test["num"])
    compare_models(list(fit), d$test, y = 1:3)
    compare_models(list(fit), d$test, y = "z")
    compare_models(list(fit), d$test, y = three)
    compare_models(list(fit, lm(exp(y) ~ num, d$train)), d$test)
    compare_models(list(a = fit), d$test["int"], y = d$test$y)
    compare_models(list(machine), d$test["num"], y = d$test$y)
    compare_models(list(machine), as.matrix(d$test["num"]), y = d$test$y)
    compare_models(list(a = function(newdata) 1:3), d$test, y = "y")
    compare_models(list(a = function(newdata) newdata$fac), d$test, y = "y")
    compare_models(list(fit), d$test, args = list(other = list()))
    compare_models(list(fit), d$test, args = list(fit = 1))
    compare_models(list(fit), d$test, seconds = 1)
    compare_models(list(fit), d$test, level = 95)
    compare_models(list(fit), d$test, adjust = "holms")
    plot(compare_models(list(fit), d$test), "roc")
  })
  classes <- function(code) tryCatch(code, error = class)
  expect_true("hofm_error_no_predict" %in% classes(compare_models(list(a = 1), d$test)))
  expect_contains_all <- function(x, y) expect_identical(setdiff(y, x), character())
  expect_contains_all(classes(compare_models(list(machine), d$test["num"], y = d$test$y)),
                      c("hofm_error_prediction", "hofm_error_columns", "hofm_error"))
})

test_that("printing", {
  d <- compared_classes()
  models <- list(num = lm(y ~ num, d$train), both = lm(y ~ num + fac, d$train), none = function(newdata) rep(0, nrow(newdata)))
  expect_snapshot({
    compare_models(models, d$test, seconds = c(num = 0.5))
    compare_models(models[1], d$test)
    compare_models(list(glm = glm(class ~ int, binomial, d$train), noise = function(newdata) sin(seq_len(nrow(newdata)))), d$test)
  })
})

test_that("pictures return what they show", {
  d <- compared_classes()
  models <- list(num = glm(class ~ num, binomial, d$train), int = glm(class ~ int, binomial, d$train))
  compared <- compare_models(models, d$test)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  margins <- graphics::par("mai")
  expect_equal(plot(compared)$value, compared$models$auc)
  expect_equal(plot(compared, "tests")$upper, compared$tests$upper)
  expect_named(plot(compared, "roc"), c("num", "int"))
  expect_identical(graphics::par("mai"), margins)
})

test_that("comparisons look as they did", {
  skip_if_broken("vdiffr")
  scores <- list(good = 1:40 + rep(c(0, 30), 20), fair = 1:40 + rep(c(0, 12), 20), "a name of some length" = rep(1:4, 10))
  models <- lapply(scores, function(score) function(newdata) score)
  classes <- data.frame(class = factor(rep(c("a", "b"), 20)))
  compared <- compare_models(models, classes, y = "class")
  vdiffr::expect_doppelganger("comparison, measure", function() plot(compared))
  vdiffr::expect_doppelganger("comparison, tests", function() plot(compared, "tests"))
  vdiffr::expect_doppelganger("comparison, roc", function() plot(compared, "roc"))
  numbers <- compare_models(models, data.frame(y = 1:40 + 5), y = "y")
  vdiffr::expect_doppelganger("comparison, numbers", function() plot(numbers, main = "Errors"))
})

test_that("a response in a matrix of one column is taken whole", {
  fit <- hofm(mpg ~ wt, mtcars, rank = 1)
  one <- compare_models(list(a = fit), mtcars, y = mtcars$mpg)
  expect_equal(compare_models(list(a = fit), mtcars, y = cbind(mtcars$mpg))$models$rmse, one$models$rmse)
  expect_equal(compare_models(list(a = fit), mtcars, y = mtcars["mpg"])$models$rmse, one$models$rmse)
})

test_that("seconds of a cross-validation are those of all its fits, and of chosen penalties those of choosing", {
  cars <- transform(mtcars, hp = hp / 100)
  begun <- proc.time()[["elapsed"]]
  cv <- cv_hofm(mpg ~ wt + hp, cars, rank = 2, nfolds = 4, n_lambda = 8)
  took <- proc.time()[["elapsed"]] - begun
  shown <- compare_models(list(cv = cv), cars)$models$seconds
  expect_lte(shown, took)
  expect_gt(shown, max(cv$fit$trace$seconds))
  tuned <- hofm(mpg ~ wt + hp, cars, rank = 2, lambda = NULL, standardize = TRUE)
  expect_equal(compare_models(list(tuned), cars)$models$seconds, max(tuned$trace$seconds) + tuned$tuning$seconds)
})

test_that("anova() of fits compares them on new rows, and says why it needs them", {
  odd <- seq(1, 31, 2)
  one <- hofm(mpg ~ wt + hp, mtcars[odd, ], order = 1, lambda = 0.1, standardize = TRUE)
  two <- update(one, order = 2, rank = 1, data = mtcars[odd, ])
  compared <- anova(one, two, newdata = mtcars[-odd, ])
  expect_identical(compared$models$model, c("one", "two"))
  expect_identical(compared$orders, compare_models(list(one = one, two = two), mtcars[-odd, ])$orders)
  expect_error(anova(one, two), "newdata", class = "hofm_error_unsupported")
  expect_error(anova(one), "by = \"variable\"", class = "hofm_error_unsupported")
  expect_error(anova(one, 3, newdata = mtcars), "fit from hofm", class = "hofm_error_input")
  expect_error(drop1(two), "compare_models", class = "hofm_error_unsupported")
})
