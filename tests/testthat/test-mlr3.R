skip_if_broken("mlr3")

# mlr3 ships the checks that its own learners must pass, as files to be sourced.
mlr3_checks <- function() {
  files <- list.files(system.file("testthat", package = "mlr3"), "^helper.*[.][rR]$", full.names = TRUE)
  checks <- new.env(parent = asNamespace("mlr3"))
  for (file in files) sys.source(file, checks)
  checks
}

# mlr3 logs to the console.
quiet_log <- function(code) {
  log <- lgr::get_logger("mlr3")
  old <- log$threshold
  on.exit(log$set_threshold(old))
  log$set_threshold("warn")
  code
}

two_class_task <- function(d = mixed_data()) {
  mlr3::as_task_classif(d[c("class", "num", "fac", "lgl")], target = "class", positive = "high", id = "mixed")
}

test_that("the learners are in the dictionary", {
  expect_s3_class(mlr3::lrn("classif.hofm"), "LearnerClassifHofm")
  expect_s3_class(mlr3::lrn("regr.hofm", order = 3, lambda = 0.1), "LearnerRegrHofm")
  expect_error(mlr3::lrn("regr.hofm", order = 0))
})

test_that("mlr3's own checks of a learner pass", {
  checks <- mlr3_checks()
  for (key in c("classif.hofm", "regr.hofm")) {
    learner <- mlr3::lrn(key)
    checks$expect_learner(learner)
    result <- quiet_log(collapsing(checks$run_autotest(learner)))
    expect_true(result, info = result$error)
  }
})

test_that("all arguments of hofm() and hofm_control() are hyperparameters, with their defaults", {
  checks <- mlr3_checks()
  handled <- c("x", "y", "weights", "offset", "init", "control", "verbose")
  for (key in c("classif.hofm", "regr.hofm")) {
    learner <- mlr3::lrn(key)
    result <- checks$run_paramtest(learner, list(hofm.matrix, hofm_control), exclude = c(handled, "allow_new_levels"))
    expect_true(result, info = result$error)
    defaults <- learner$param_set$default
    expect_identical(unlist(defaults[c("order", "rank", "lambda")]), c(order = 2, rank = 8, lambda = 1e-3))
    expect_identical(defaults$solver, eval(formals(hofm.matrix)$solver))
    expect_identical(defaults$model, eval(formals(hofm.matrix)$model))
    settings <- c("max_iter", "tol", "init_sd", "eta", "batch", "validation", "patience", "seed", "keep_fitted")
    for (name in settings) expect_equal(defaults[[name]], formals(hofm_control)[[name]], info = name)
  }
})

test_that("a learner is a fit of hofm()", {
  d <- mixed_data()
  learner <- mlr3::lrn("classif.hofm", predict_type = "prob", rank = 2, lambda = 0.01, max_iter = 20, seed = 1)
  learner$train(two_class_task())
  fit <- collapsing(hofm(d[c("fac", "lgl", "num")], d$class, rank = 2, lambda = 0.01, control = quick(threads = 1)))
  expect_identical(coef(learner$model), coef(fit))
  prediction <- learner$predict_newdata(d[5:1, ])
  expect_identical(unname(prediction$prob[, "high"]), predict(fit, d[5:1, ]))
  expect_identical(as.character(prediction$response), as.character(predict(fit, d[5:1, ], type = "class")))
  line <- mlr3::lrn("regr.hofm", order = 1, lambda = 0.01, max_iter = 20, seed = 1)
  line$train(mlr3::as_task_regr(d[c("y", "num", "int")], target = "y"))
  expect_identical(line$predict_newdata(d)$response, predict(quick_fit(d[c("int", "num")], d$y, order = 1), d))
  early <- mlr3::lrn("regr.hofm", solver = "sgd", validation = 0.3, patience = 2, max_iter = 20, seed = 1)
  early$train(mlr3::as_task_regr(d[c("y", "num", "int")], target = "y"))
  expect_length(early$model$validation$rows, round(0.3 * nrow(d)))
})

test_that("the class that is positive for mlr3 is positive for the fit", {
  d <- mixed_data()
  train <- function(positive) {
    learner <- mlr3::lrn("classif.hofm", order = 1, predict_type = "prob", seed = 1, tol = 1e-12)
    learner$train(mlr3::as_task_classif(d[c("class", "num")], target = "class", positive = positive))
    learner
  }
  low <- train("low")
  high <- train("high")
  expect_identical(low$model$response$levels, c("high", "low"))
  expect_identical(high$model$response$levels, c("low", "high"))
  expect_equal(low$predict_newdata(d)$prob[, "high"], high$predict_newdata(d)$prob[, "high"], tolerance = 1e-5)
})

test_that("weights are passed on, and probabilities need the logistic loss", {
  d <- transform(mixed_data(), w = seeded(1, runif(60)))
  task <- mlr3::as_task_regr(d[c("y", "num", "w")], target = "y")
  task$set_col_roles("w", "weights_learner")
  learner <- mlr3::lrn("regr.hofm", rank = 2, lambda = 0.01, max_iter = 20, seed = 1)
  learner$train(task)
  expect_identical(coef(learner$model), coef(quick_fit(d["num"], d$y, weights = d$w)))
  hinge <- mlr3::lrn("classif.hofm", predict_type = "prob", loss = "squared_hinge", rank = 2, seed = 1)
  hinge$train(two_class_task())
  expect_error(hinge$predict(two_class_task()), "logistic")
})

test_that("comparisons ask learners for probabilities", {
  d <- mixed_data()
  learner <- mlr3::lrn("classif.hofm", predict_type = "prob", rank = 2, seed = 1)
  learner$train(two_class_task())
  compared <- compare_models(list(learner = learner), d, y = "class")
  expect_identical(compared$predictions$learner, predict(learner$model, d))
  expect_gt(compared$models$seconds, 0)
})
