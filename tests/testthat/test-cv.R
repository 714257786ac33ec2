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
  ours <- cv_hofm(x, y, order = 1, foldid = foldid, lambda = lambda, standardize = FALSE, control = exact())
  expect_equal(ours$cvm, theirs$cvm, tolerance = 1e-4)
  expect_equal(ours$cvsd, theirs$cvsd, tolerance = 1e-4)
  expect_equal(c(ours$lambda.min, ours$lambda.1se), c(theirs$lambda.min, theirs$lambda.1se))

  weights <- rep(1:3, 40)
  class <- factor(ifelse(y + rnorm(120) > 0, "b", "a"))
  for (measure in c("deviance", "class", "auc")) {
    theirs <- cv_glmnet(class, family = "binomial", weights = weights, type.measure = measure)
    ours <- cv_hofm(x, class, order = 1, foldid = foldid, lambda = lambda, weights = weights, measure = measure,
                    standardize = FALSE, control = exact())
    expect_equal(ours$cvm, theirs$cvm, tolerance = 1e-4)
    expect_equal(c(ours$lambda.min, ours$lambda.1se), c(theirs$lambda.min, theirs$lambda.1se))
  }
})

test_that("a point of the curve is what separate fits and predictions give", {
  data <- product_data()
  x <- cbind(data$x %*% diag(c(1000, 1, 0.01, 5)) + 3, e = rep(0:1, 45))       # columns far apart in scale
  colnames(x) <- letters[1:5]
  foldid <- rep(1:3, 30)
  lambda <- cbind(c(0.1, 0.02), c(0.05, 0.01))
  for (standardize in c(TRUE, FALSE)) for (penalty_factor in list(NULL, c(1, 2, 3, 1, 4))) {
    x <- if (standardize) x else data$x[, c(1:4, 1)] + 0
    colnames(x) <- letters[1:5]
    args <- list(rank = 2, standardize = standardize, penalty_factor = penalty_factor, control = exact())
    cv <- do.call(cv_hofm, c(list(x, data$y, order = 2, foldid = foldid, lambda = lambda, keep = TRUE, measure = "mae"), args))
    for (k in 1:3) {
      fit <- do.call(hofm, c(list(x[foldid != k, ], data$y[foldid != k], lambda = lambda[2, ]), args))
      expect_equal(cv$fit.preval[foldid == k, 2], predict(fit, x[foldid == k, ]), tolerance = 1e-3)
    }
    expect_equal(cv$cvm, colMeans(abs(data$y - cv$fit.preval)))
    by_fold <- apply(abs(data$y - cv$fit.preval), 2, tapply, foldid, mean)
    expect_equal(cv$cvsd, apply(by_fold, 2, sd) / sqrt(3))
    expect_equal(cv$cvup - cv$cvlo, 2 * cv$cvsd)
    expect_identical(cv$lambda, c(0.1, 0.02))
    expect_equal(unname(cv$lambda_degrees), lambda)
    expect_identical(cv$fit$lambda, unname(cv$lambda_degrees[cv$index[["min"]], ]))
  }
})

test_that("raw data are as good as scaled data, whatever the units", {
  data <- product_data(120)
  frame <- data.frame(data$x, kind = factor(rep(c("u", "v", "w"), 40)), y = data$y)
  scaled <- transform(frame, a = as.vector(scale(a)), b = as.vector(scale(b)), y = as.vector(scale(y)))
  raw <- transform(scaled, a = 1000 * a + 7, b = b / 500, y = 30 * y - 2)
  run <- function(data, ...) cv_hofm(y ~ ., data, order = 1:2, rank = 2, foldid = rep(1:4, 30), control = exact(), ...)
  for (more in list(list(), list(lambda = 10^seq(0, -3, length.out = 8)))) {
    one <- do.call(run, c(list(scaled), more))
    other <- do.call(run, c(list(raw), more))
    expect_identical(other[c("order", "rank", "index")], one[c("order", "rank", "index")])
    expect_equal(other$lambda, one$lambda, tolerance = 1e-6)
    expect_equal(other$cvm, 30^2 * one$cvm, tolerance = 1e-3)
    expect_equal(predict(other, raw), 30 * predict(one, scaled) - 2, tolerance = 1e-3)
  }
})

test_that("what hofm() would choose is within the default path, and degrees have penalties of their own", {
  data <- product_data(150)
  raw <- sweep(data$x, 2, c(1e3, 1, 1e-3, 1), "*")
  chosen <- seeded(1, hofm(raw, data$y, rank = 3))
  cv <- seeded(1, cv_hofm(raw, data$y, rank = 3, nfolds = 5))
  expect_true(chosen$lambda[1] < cv$lambda[1] && chosen$lambda[1] > min(cv$lambda))
  expect_false(any(cv$lambda_degrees[, 1] == cv$lambda_degrees[, 2]))
  expect_equal(cv$lambda_degrees[, 2] / cv$lambda_degrees[1, 2], sqrt(cv$lambda_degrees[, 1] / cv$lambda_degrees[1, 1]))
  expect_lt(min(cv$cvm), 0.2 * var(data$y))
  expect_length(cv$cvm, length(cv$lambda))
})

test_that("features count as their factors of the penalty say, groups as in hofm()", {
  data <- product_data(60)
  run <- function(x, ...) cv_hofm(x, data$y, order = 1, foldid = rep(1:3, 20), lambda = c(1, 0.1), standardize = FALSE, control = exact(), ...)
  by_factor <- run(data$x, penalty_factor = c(1, 4, 1, 9))
  by_hand <- run(data$x %*% diag(1 / c(1, 2, 1, 3)))
  expect_equal(by_factor$cvm, by_hand$cvm, tolerance = 1e-6)
  expect_equal(unname(by_factor$fit$w) * c(1, 2, 1, 3), unname(by_hand$fit$w), tolerance = 1e-5)
  expect_equal(eval(by_factor$fit$call$penalty_factor), c(1, 4, 1, 9))
  expect_error(run(data$x, penalty_factor = 1:3), "`penalty_factor` must be", class = "hofm_error_input")
  expect_error(run(data$x, groups = 1:3), "`groups` must be", class = "hofm_error_input")
})

test_that("data may come before the formula", {
  first <- mtcars |> cv_hofm(mpg ~ wt + hp, order = 1, nfolds = 4, lambda = c(1, 0.1), control = quick())
  expect_identical(timeless(first), timeless(cv_hofm(mpg ~ wt + hp, mtcars, order = 1, nfolds = 4, lambda = c(1, 0.1), control = quick())))
  expect_identical(first$call[[1]], quote(cv_hofm))
  fit <- mtcars |> hofm(mpg ~ wt + hp, order = 1, lambda = 1)
  expect_identical(deparse(fit$call), "hofm(x = mpg ~ wt + hp, data = mtcars, order = 1, lambda = 1)")
  expect_equal(fit$w, hofm(mpg ~ wt + hp, mtcars, order = 1, lambda = 1)$w)
  expect_error(as.matrix(mtcars) |> hofm(mpg ~ wt), "`data` must be a data frame", class = "hofm_error_input")
})

test_that("order and rank are chosen from the table, and the fits are those of the whole data", {
  data <- product_data()
  cv <- cv_hofm(data$x, data$y, order = 2:1, rank = 2:1, nfolds = 5, lambda = 10^seq(1, -3, length.out = 8), control = exact())
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
    cv <- suppressWarnings(cv_hofm(pairs, model = model, rank = 1:2, nfolds = 3, n_lambda = 4, measure = "auc", control = quick()),
                           classes = c("hofm_warning_path_end", "hofm_warning_not_converged"))
    expect_gte(nrow(cv$table), 4L)
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
  for (lambda in list(0, -1, c(1, NA), Inf, "path", list(), list("a"), list(1:2, 1:3), data.frame(a = 1, b = -1), numeric(), TRUE)) {
    refuse(cv_hofm(x, y, lambda = lambda), "`lambda` must be NULL, \"paper\" or positive finite numbers")
  }
  for (lambda in list(list(1), matrix(1, 3, 3), data.frame(1:2))) {
    refuse(cv_hofm(x, y, lambda = lambda), "`lambda` must have 2 columns, one for each of the degrees 1 to 2")
  }
  refuse(cv_hofm(x, y, order = 1:3, lambda = matrix(1, 3, 2)), "`lambda` must have 3 columns")
  refuse(cv_hofm(x, y, model = "shared", lambda = matrix(1, 3, 2)), "`lambda` must have one column")
  refuse(cv_hofm(x, y, standardize = NA), "`standardize` must be TRUE or FALSE")
  refuse(cv_hofm(x, y, fold_groups = 1:3), "`fold_groups` must be a factor, or names or numbers of groups, one for each of the 30 rows")
  refuse(cv_hofm(x, y, fold_groups = rep(1:4, length.out = 30)), "`nfolds` must be at most 4, the number of groups")
  refuse(cv_hofm(x, y, fold_groups = 1:30, foldid = rep(1:2, 15)), "`fold_groups` must be NULL where `foldid`")
  refuse(cv_hofm(x, y, nfolds = 31), "`nfolds` must be at most 30, the number of rows, not 31")
  for (nfolds in list(1, 2.5, NA, "5", c(3, 4))) refuse(cv_hofm(x, y, nfolds = nfolds), "`nfolds` must be")
  refuse(cv_hofm(x, y, foldid = rep(1:3, 9)), "`foldid` must have one value for each of the 30 rows, not 27")
  refuse(cv_hofm(x, y, foldid = rep(1, 30)), "`foldid` must name at least two folds")
  for (foldid in list(rep(c(1, NA), 15), rep(0:1, 15), rep(c(1, 1.5), 15), rep("a", 30))) {
    refuse(cv_hofm(x, y, foldid = foldid), "`foldid` must be a factor or positive whole numbers")
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

test_that("lambda in columns is tried row by row, from large to small", {
  data <- product_data(60)
  run <- function(lambda, ...) cv_hofm(data$x, data$y, rank = 2, foldid = rep(1:3, 20), lambda = lambda, control = exact(), ...)
  same <- run(c(1, 0.1))
  expect_identical(run(cbind(c(0.1, 1), c(0.1, 1)))$cvm, same$cvm)
  expect_identical(run(list(c(0.1, 1), c(0.1, 1)))$table, same$table)
  expect_identical(run(data.frame(linear = c(1, 0.1, 0.1), pairs = c(1, 0.1, 0.1)))$cvm, same$cvm)
  grid <- run(expand.grid(c(1, 0.1), c(1, 0.1)))
  expect_equal(unname(grid$lambda_degrees), cbind(c(1, 0.1, 1, 0.1), c(1, 1, 0.1, 0.1)))
  expect_equal(grid$lambda, c(1, sqrt(0.1), sqrt(0.1), 0.1))
  fixed <- run(list(0.1, c(1, 0.1, 0.01)))
  expect_identical(fixed$lambda, c(1, 0.1, 0.01))
  both <- run(list(c(1, 0.1), c(1, 0.5)), order = 1:2)
  expect_identical(both$table$lambda, c(1, 0.1, 1, 0.1))
  expect_equal(both$cvm, run(list(c(1, 0.1), c(1, 0.5)), order = 2)$cvm, tolerance = 1e-3)
})
