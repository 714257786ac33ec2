skip_if_broken("parsnip", "1.3.0")

machine <- function(mode, ...) {
  parsnip::set_engine(factorization_machine(mode, ...), "hofm", control = quick())
}

sparse_task <- function(n = 60, d = 12) {
  seeded(4, {
    x <- Matrix::rsparsematrix(n, d, 0.3)
    dimnames(x) <- list(NULL, paste0("v", seq_len(d)))
    list(x = x, y = x[, 1] - x[, 2] + x[, 3] * x[, 4] + rnorm(n, sd = 0.1))
  })
}

test_that("the model is registered with its engine, modes, arguments and predictions", {
  info <- capture.output(parsnip::show_model_info("factorization_machine"))
  expect_match(info, "modes: unknown, regression, classification", all = FALSE)
  expect_match(info, "penalty --> lambda", all = FALSE)
  expect_identical(nrow(parsnip::get_from_env("factorization_machine_predict")), 5L)
  expect_silent(register_parsnip())
  expect_identical(parsnip::required_pkgs(factorization_machine("regression")), c("parsnip", "hofm"))
})

test_that("it does not matter which package is loaded first", {
  skip_if_broken("callr")
  registered <- function(packages) {
    callr::r(function(packages) {
      for (package in packages) loadNamespace(package)
      "factorization_machine" %in% parsnip::get_from_env("models")
    }, list(packages))
  }
  expect_true(registered(c("hofm", "parsnip")))
  expect_true(registered(c("parsnip", "hofm")))
  expect_false(registered("parsnip"))
})

test_that("a fit to a data frame, factors included, is that of hofm()", {
  d <- mixed_data()
  spec <- machine("regression", order = 3, rank = 2, penalty = 0.01)
  direct <- collapsing(hofm(d[c("num", "fac", "chr")], d$y, order = 3, rank = 2, lambda = 0.01, control = quick()))
  by_xy <- collapsing(parsnip::fit_xy(spec, d[c("num", "fac", "chr")], d$y))
  by_formula <- collapsing(parsnip::fit(spec, y ~ num + fac + chr, d))
  expect_identical(coef(by_xy$fit), coef(direct))
  expect_identical(coef(by_formula$fit), coef(direct))
  expect_identical(predict(by_xy, d[5:1, ])$.pred, predict(direct, d[5:1, ]))
  expect_identical(predict(by_formula, d[1, ])$.pred, predict(direct, d[1, ]))
  expect_identical(predict(by_xy, d, type = "raw"), predict(direct, d, type = "link"))
  expect_identical(parsnip::extract_fit_engine(by_xy), by_xy$fit)
})

test_that("classes and the probabilities of both have the names of the levels", {
  d <- mixed_data()
  fit <- parsnip::fit(machine("classification", rank = 2, penalty = 0.01), class ~ num + fac, d)
  direct <- quick_fit(class ~ num + fac, d)
  expect_identical(predict(fit, d)$.pred_class, predict(direct, d, type = "class"))
  both <- predict(fit, d, type = "prob")
  expect_named(both, c(".pred_low", ".pred_high"))
  expect_identical(both$.pred_high, predict(direct, d))
  expect_equal(both$.pred_low + both$.pred_high, rep(1, 60))
  hinge <- parsnip::set_engine(factorization_machine("classification", rank = 2), "hofm", loss = "squared_hinge", control = quick())
  fit <- parsnip::fit(hinge, class ~ num, d)
  expect_error(predict(fit, d, type = "prob"), class = "hofm_error_unsupported")
})

test_that("a sparse matrix stays sparse on the way to fit and predictions", {
  task <- sparse_task()
  spec <- machine("regression", order = 2, rank = 2, penalty = 0.01)
  fit <- parsnip::fit_xy(spec, task$x, task$y)
  direct <- quick_fit(task$x, task$y)
  expect_identical(fit$fit$blueprint$kind, "matrix")
  expect_identical(coef(fit$fit), coef(direct))
  expect_identical(predict(fit, task$x[1:7, ])$.pred, predict(direct, task$x[1:7, ]))
  # Columns that sparsevctrs keeps sparse must not have been expanded by the fit.
  columns <- sparsevctrs::coerce_to_sparse_tibble(task$x)
  parsnip::fit_xy(spec, columns, task$y)
  expect_true(all(vapply(columns, sparsevctrs::is_sparse_vector, NA)))
  dense <- parsnip::fit_xy(spec, as.data.frame(as.matrix(task$x)), task$y)
  expect_equal(predict(dense, task$x[1:7, ])$.pred, predict(fit, task$x[1:7, ])$.pred)
})

test_that("a sparse matrix that would fill the memory as a dense one does not", {
  x <- seeded(5, Matrix::rsparsematrix(20000, 2000, 1e-4))   # 320 MB with all its zeros
  dimnames(x) <- list(NULL, paste0("v", seq_len(2000)))
  y <- seeded(6, rnorm(20000))
  spec <- parsnip::set_engine(factorization_machine("regression", order = 1, penalty = 1), "hofm", control = quick())
  before <- sum(gc(reset = TRUE)[, 2])
  fit <- parsnip::fit_xy(spec, x, y)
  predict(fit, x)
  expect_lt(sum(gc()[, 6]) - before, 160)
})

test_that("case weights are those of hofm()", {
  skip_if_broken("hardhat")
  d <- mixed_data()
  w <- seeded(1, runif(60))
  fit <- parsnip::fit_xy(machine("regression", rank = 2, penalty = 0.01), d["num"], d$y, case_weights = hardhat::importance_weights(w))
  expect_identical(coef(fit$fit), coef(quick_fit(d["num"], d$y, weights = w)))
})

test_that("specifications print, update and refuse what they do not know", {
  spec <- factorization_machine("regression", order = 2)
  expect_match(capture.output(print(spec)), "order = 2", all = FALSE)
  expect_identical(rlang::eval_tidy(update(spec, order = 3)$args$order), 3)
  expect_error(factorization_machine("censored regression"))
  expect_error(parsnip::fit(machine("regression", rank = -1), mpg ~ wt, mtcars), class = "hofm_error_input")
})

test_that("arguments have dials parameters to be tuned over", {
  skip_if_broken("dials")
  skip_if_broken("tune")
  spec <- factorization_machine("regression", order = tune::tune(), rank = tune::tune(), penalty = tune::tune())
  set <- parsnip::extract_parameter_set_dials(spec)
  expect_setequal(set$id, c("order", "rank", "penalty"))
  grid <- dials::grid_regular(set, levels = 3)
  expect_setequal(grid$order, 1:3)
  expect_equal(range(grid$penalty), c(1e-6, 1))
  expect_equal(range(grid$rank), c(2, 32))
})

test_that("a workflow with sparse data is fitted, tuned over order and penalty and predicts like hofm()", {
  skip_if_broken("tune")
  skip_if_broken("workflows", "1.1.4.9000")
  task <- sparse_task()
  d <- sparsevctrs::coerce_to_sparse_tibble(task$x)
  d$y <- task$y
  spec <- machine("regression", order = tune::tune(), rank = 2, penalty = tune::tune())
  flow <- workflows::workflow(recipes::recipe(y ~ ., d), spec)
  grid <- expand.grid(order = 1:2, penalty = c(0.01, 0.1))
  folds <- seeded(1, rsample::vfold_cv(d, 3))
  tuned <- collapsing(tune::tune_grid(flow, folds, grid = grid, metrics = yardstick::metric_set(yardstick::rmse)))
  found <- tune::collect_metrics(tuned, summarize = FALSE)
  expect_identical(nrow(found), 12L)
  # Fold and point by hand.
  split <- folds$splits[[2]]
  fit <- collapsing(hofm(task$x[split$in_id, ], task$y[split$in_id], order = 2, rank = 2, lambda = 0.1, control = quick()))
  held <- setdiff(1:60, split$in_id)
  expected <- sqrt(mean((task$y[held] - predict(fit, task$x[held, ]))^2))
  row <- found$id == "Fold2" & found$order == 2 & found$penalty == 0.1
  expect_equal(found$.estimate[row], expected)

  best <- tune::finalize_workflow(flow, data.frame(order = 2L, penalty = 0.01))
  fitted <- parsnip::fit(best, d)
  direct <- quick_fit(task$x, task$y)
  expect_identical(coef(parsnip::extract_fit_engine(fitted)), coef(direct))
  expect_identical(predict(fitted, d[1:9, ])$.pred, predict(direct, task$x[1:9, ]))
  both <- compare_models(list(flow = fitted, hofm = direct), d, y = "y")
  expect_identical(both$predictions$flow, predict(direct, task$x))
})

test_that("a sparse blueprint keeps dummy variables sparse", {
  skip_if_broken("workflows", "1.1.4.9000")
  d <- mixed_data()
  rec <- recipes::step_dummy(recipes::recipe(y ~ num + fac, d), fac, one_hot = TRUE)
  flow <- workflows::add_model(workflows::workflow(), machine("regression", rank = 2, penalty = 0.01))
  flow <- workflows::add_recipe(flow, rec, blueprint = hardhat::default_recipe_blueprint(composition = "dgCMatrix"))
  fitted <- parsnip::fit(flow, d)
  expect_identical(parsnip::extract_fit_engine(fitted)$blueprint$kind, "matrix")
  direct <- quick_fit(as(Matrix::Matrix(cbind(num = d$num, slow_indicators(d$fac)), sparse = TRUE), "generalMatrix"), d$y)
  expect_equal(predict(fitted, d)$.pred, predict(direct, cbind(num = d$num, slow_indicators(d$fac))))
})

test_that("comparisons ask parsnip models for probabilities", {
  d <- mixed_data()
  fit <- parsnip::fit(machine("classification", rank = 2, penalty = 0.01), class ~ num + fac, d)
  compared <- compare_models(list(parsnip = fit), d, y = "class")
  expect_identical(compared$predictions$parsnip, predict(fit$fit, d))
  expect_identical(compared$models$parameters, 1 + 4 + 8)
  expect_gte(compared$models$seconds, 0)
})
