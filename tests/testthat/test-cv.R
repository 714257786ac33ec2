test_that("order 1 has the curve and the choices of cv.glmnet", {
  skip_if_broken("glmnet")
  set.seed(33)
  x <- matrix(rnorm(120 * 6), 120)
  y <- drop(x %*% rnorm(6)) + rnorm(120)
  foldid <- rep(1:6, 20)
  # glmnet divides a numeric response by its spread in each training set: make that one everywhere
  for (k in 1:6) y[foldid == k] <- scale(y[foldid == k]) * sqrt(20 / 19)
  lambda <- 10^seq(1, -3, length.out = 15)
  cv_glmnet <- function(...) {
    fixed <- list(x, alpha = 0, standardize = FALSE, foldid = foldid, lambda = lambda)
    do.call(glmnet::cv.glmnet, c(fixed, list(...), exact_glmnet()))
  }
  theirs <- cv_glmnet(y)
  ours <- cv_hofm(x, y, order = 1, foldid = foldid, lambda = lambda, control = exact())
  expect_equal(ours$cvm, theirs$cvm, tolerance = 1e-4)
  expect_equal(ours$cvsd, theirs$cvsd, tolerance = 1e-4)
  expect_equal(c(ours$lambda.min, ours$lambda.1se), c(theirs$lambda.min, theirs$lambda.1se))

  weights <- rep(1:3, 40)
  class <- factor(ifelse(y + rnorm(120) > 0, "b", "a"))
  for (measure in c("deviance", "class", "auc")) {
    theirs <- cv_glmnet(class, family = "binomial", weights = weights, type.measure = measure)
    ours <- cv_hofm(x, class, order = 1, foldid = foldid, lambda = lambda, weights = weights, measure = measure,
                    control = exact())
    expect_equal(ours$cvm, theirs$cvm, tolerance = 1e-4)
    expect_equal(c(ours$lambda.min, ours$lambda.1se), c(theirs$lambda.min, theirs$lambda.1se))
  }
})

test_that("a point of the curve is what separate fits and predictions give", {
  data <- product_data()
  foldid <- rep(1:3, 30)
  cv <- cv_hofm(data$x, data$y, order = 2, rank = 2, foldid = foldid, lambda = c(0.01, 0.1), keep = TRUE, measure = "mae",
                control = exact())
  for (k in 1:3) {
    fit <- hofm(data$x[foldid != k, ], data$y[foldid != k], rank = 2, lambda = 0.01, control = exact())
    expect_equal(cv$fit.preval[foldid == k, 2], predict(fit, data$x[foldid == k, ]), tolerance = 1e-4)
  }
  expect_equal(cv$cvm, colMeans(abs(data$y - cv$fit.preval)))
  by_fold <- apply(abs(data$y - cv$fit.preval), 2, tapply, foldid, mean)
  expect_equal(cv$cvsd, apply(by_fold, 2, sd) / sqrt(3))
  expect_equal(cv$cvup - cv$cvlo, 2 * cv$cvsd)
  expect_identical(cv$lambda, c(0.1, 0.01))
})

test_that("order and rank are chosen from the table, and the fits are those of the whole data", {
  data <- product_data()
  cv <- cv_hofm(data$x, data$y, order = 2:1, rank = 2:1, nfolds = 5, n_lambda = 8, control = exact())
  expect_identical(unique(cv$table[c("order", "rank")])$order, c(1L, 2L, 2L))
  expect_identical(unique(cv$table[c("order", "rank")])$rank, c(0L, 1L, 2L))
  expect_identical(cv$order, 2L)
  best <- cv$table[which.min(cv$table$cvm), ]
  expect_identical(c(best$rank, best$lambda), c(cv$rank, cv$lambda.min))
  expect_gte(cv$lambda.1se, cv$lambda.min)
  expect_lte(cv$cvm[cv$index[["1se"]]], cv$cvup[cv$index[["min"]]])
  again <- hofm(data$x, data$y, rank = cv$rank, lambda = cv$lambda.min, control = exact())
  expect_equal(predict(cv, data$x), predict(again, data$x), tolerance = 1e-3)
  expect_identical(predict(cv, data$x, s = "lambda.1se"), predict(cv$fit.1se, data$x))
  expect_identical(predict(cv, data$x, s = cv$lambda.1se), predict(cv$fit.1se, data$x))
  expect_identical(coef(cv), coef(cv$fit))
  expect_identical(coef(cv, degree = 1), cv$fit$w)
  expect_error(predict(cv, data$x, s = 123), "`s` must be `lambda.min`", class = "hofm_error_input")
  expect_error(predict(cv, data$x, s = "lambda"), "`s` must be one of", class = "hofm_error_input")
  expect_identical(eval(cv$fit$call$lambda), cv$lambda.min)
})

test_that("all interfaces agree", {
  data <- product_data(60)
  frame <- data.frame(data$x, y = data$y)
  foldid <- rep(1:3, 20)
  run <- function(...) {
    cv_hofm(..., rank = 2, foldid = foldid, lambda = c(1, 0.1), control = hofm_control(seed = 1))[c("cvm", "cvsd", "lambda.min")]
  }
  by_matrix <- run(data$x, data$y)
  expect_identical(run(Matrix::Matrix(data$x, sparse = TRUE), data$y), by_matrix)
  expect_identical(run(frame[1:4], data$y), by_matrix)
  expect_identical(run(y ~ ., frame), by_matrix)
  expect_identical(run(y ~ a + b + c + d, data = frame), by_matrix)
  expect_identical(run(formula = y ~ ., data = frame), by_matrix)
  frame$a[5] <- NA
  expect_length(cv_hofm(y ~ ., frame, rank = 1, foldid = foldid, lambda = 1)$foldid, 59)
})

test_that("offset and weights take part", {
  data <- product_data(60)
  foldid <- rep(1:3, 20)
  o <- seeded(1, rnorm(60))
  run <- function(x = data$x, y = data$y, id = foldid, ...) {
    cv_hofm(x, y, rank = 1, foldid = id, lambda = c(1, 0.1, 0.01), control = exact(), ...)
  }
  plain <- run()
  expect_equal(run(y = data$y + o, offset = o)$cvm, plain$cvm, tolerance = 1e-5)
  twice <- rep(1:2, 30)
  rows <- rep(1:60, twice)
  expect_equal(run(weights = twice)$cvm, run(data$x[rows, ], data$y[rows], foldid[rows])$cvm, tolerance = 1e-5)
})

test_that("every model can be tuned", {
  pairs <- linked_pairs()
  for (model in model_names()) {
    cv <- cv_hofm(pairs, model = model, rank = 1:2, nfolds = 3, n_lambda = 4, measure = "auc", control = quick())
    expect_identical(nrow(cv$table), 8L)
    expect_true(all(cv$cvm >= 0 & cv$cvm <= 1))
    expect_identical(cv$fit$model, model)
    expect_output(print(cv), "by cross-validation")
  }
})

test_that("bad input is refused by name", {
  data <- product_data(30)
  x <- data$x
  y <- data$y
  class <- factor(rep(c("no", "yes"), c(26, 4)))
  refuse <- function(code, pattern) expect_error(code, pattern, class = "hofm_error_input")
  for (lambda in list(0, -1, c(1, NA), Inf, "path", list(1), numeric(), TRUE)) {
    refuse(cv_hofm(x, y, lambda = lambda), "`lambda` must be NULL, \"paper\" or positive finite numbers")
  }
  refuse(cv_hofm(x, y, nfolds = 31), "`nfolds` must be at most 30, the number of rows, not 31")
  for (nfolds in list(1, 2.5, NA, "5", c(3, 4))) refuse(cv_hofm(x, y, nfolds = nfolds), "`nfolds` must be")
  refuse(cv_hofm(x, y, foldid = rep(1:3, 9)), "`foldid` must have one value for each of the 30 rows, not 27")
  refuse(cv_hofm(x, y, foldid = rep(1, 30)), "`foldid` must name at least two folds")
  for (foldid in list(rep(c(1, NA), 15), rep(0:1, 15), rep(c(1, 1.5), 15), rep("a", 30))) {
    refuse(cv_hofm(x, y, foldid = foldid), "`foldid` must be positive whole numbers")
  }
  refuse(cv_hofm(x, class, foldid = rep(1:2, c(20, 10))), "`foldid` must .* fold 1 has no row of class \"yes\"")
  refuse(cv_hofm(x, class, nfolds = 5), "`nfolds` must .* no row of class \"yes\": use fewer folds")
  refuse(cv_hofm(x, rep(c(1, 2), c(15, 15)), foldid = rep(1:2, c(15, 15))), "the response does not vary outside fold 1")
  refuse(cv_hofm(x, y, foldid = rep(1:2, 15), weights = rep(0:1, 15)), "fold 1 has no row of positive weight")
  refuse(cv_hofm(x, y, measure = "auc"), "`measure = \"auc\"` needs a response with two classes")
  refuse(cv_hofm(x, y, measure = "rmse"), "`measure` must be one of")
  refuse(cv_hofm(x, y, order = 0), "`order` must be")
  refuse(cv_hofm(x, y, order = "2"), "`order` must be one or more whole numbers")
  refuse(cv_hofm(x, y, rank = numeric()), "`rank` must be one or more whole numbers")
  refuse(cv_hofm(x, y, rank = c(2, -1)), "`rank` must be")
  refuse(cv_hofm(x, y, workers = 0), "`workers` must be")
  refuse(cv_hofm(x, y, n_lambda = 1), "`n_lambda` must be")
  refuse(cv_hofm(x, y, lambda_min_ratio = 2), "`lambda_min_ratio` must be")
  refuse(cv_hofm(x, y, keep = NA), "`keep` must be TRUE or FALSE")
  refuse(cv_hofm(x, y, folds = 3), "Unknown argument `folds`")
  refuse(cv_hofm(x), "`y`, the response, is missing")
  refuse(cv_hofm(x, y[-1]), "`y` must have one value for each of the 30 rows")
  refuse(cv_hofm(TRUE), "`x` must be")
  refuse(cv_hofm(), "`x` is missing")
  refuse(cv_hofm(linked_pairs(), hold_out = "edges"), "`hold_out` must be one of")
  refuse(cv_hofm(linked_pairs(), negative_weight = 2), "`negative_weight` needs")
  damaged <- linked_pairs()
  damaged$i[1] <- 99L
  refuse(cv_hofm(damaged), "`x\\$i` must be whole numbers from 1 to 12")
})
