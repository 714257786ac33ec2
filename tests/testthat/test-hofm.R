test_that("all roads to the same columns give the same fit", {
  d <- mixed_data()[c("num", "int", "fac", "chr", "lgl", "y")]
  predictors <- setdiff(names(d), "y")
  by_formula <- quick_fit(y ~ num + int + fac + chr + lgl, d)
  by_dot <- quick_fit(y ~ ., d)
  by_frame <- quick_fit(d[predictors], d$y)
  x <- as.matrix(model.matrix(by_frame, d))
  by_matrix <- quick_fit(x, d$y)
  by_sparse <- quick_fit(Matrix::Matrix(x, sparse = TRUE), d$y)
  for (fit in list(by_dot, by_frame, by_matrix, by_sparse)) {
    expect_identical(coef(fit), coef(by_formula))
    expect_identical(fitted(fit), fitted(by_formula))
  }
})

test_that("every class of matrix is fitted alike", {
  x <- small_matrix()
  x[abs(x) < 0.7] <- 0
  y <- small_response(x)
  want <- predict(quick_fit(x, y), x)
  sparse <- as(as(x, "CsparseMatrix"), "generalMatrix")
  for (class in c("RsparseMatrix", "TsparseMatrix", "unpackedMatrix")) {
    other <- as(sparse, class)
    expect_identical(predict(quick_fit(other, y), other), want, info = class)
  }
  pattern <- x != 0
  want <- predict(quick_fit(pattern * 1, y), pattern * 1)
  for (other in list(pattern, as(sparse, "nMatrix"), as(sparse, "lMatrix"),
                     matrix(as.integer(pattern), 40, dimnames = dimnames(x)))) {
    expect_identical(predict(quick_fit(other, y), other), want)
  }
})

test_that("orders, ranks and penalties land in the fit at full length", {
  x <- small_matrix()
  y <- small_response(x)
  fit <- hofm(x, y, order = 3, rank = c(2, 0), lambda = 0.1, control = quick())
  expect_identical(fit$order, 3L)
  expect_identical(fit$rank, c(2L, 0L))
  expect_identical(fit$lambda, c(0.1, 0.1, 0.1))
  expect_named(fit$P, "2")
  expect_equal(dim(fit$P[["2"]]), c(4, 2))
  expect_equal(rownames(fit$P[["2"]]), colnames(x))
  expect_named(fit$w, colnames(x))
  one <- hofm(x, y, order = 1, control = quick())
  expect_length(one$P, 0)
  expect_identical(one$rank, integer(0))
  bare <- hofm(x, y, rank = 2, linear = FALSE, intercept = FALSE, control = quick())
  expect_null(bare$w)
  expect_identical(bare$intercept, 0)
})

test_that("order 1 is ridge regression", {
  x <- small_matrix()
  y <- small_response(x)
  lambda <- 0.3
  fit <- paper_fit(x, y, order = 1, lambda = lambda, control = hofm_control(max_iter = 1e4, tol = 0))
  centred <- scale(x, scale = FALSE)
  w <- solve(crossprod(centred) / 40 + lambda * diag(4), crossprod(centred, y - mean(y)) / 40)
  expect_equal(unname(fit$w), as.vector(w), tolerance = 1e-6)
  expect_equal(fit$intercept, mean(y - x %*% w), tolerance = 1e-6)
})

test_that("a weight of 2 is a row given twice, and weight zero is no row", {
  x <- small_matrix()
  y <- small_response(x)
  w <- rep(c(1, 2, 0, 1), 10)
  tight <- hofm_control(max_iter = 5000, tol = 1e-14, seed = 1)
  start <- coef(quick_fit(x, y))
  rows <- rep(seq_along(w), w)
  a <- quick_fit(x, y, weights = w, init = start, control = tight)
  b <- quick_fit(x[rows, ], y[rows], init = start, control = tight)
  expect_equal(a$objective, b$objective, tolerance = 1e-8)
  expect_equal(coef(a), coef(b), tolerance = 1e-5)
  expect_equal(deviance(a), deviance(b), tolerance = 1e-6)
  expect_equal(nobs(a), 40)
})

test_that("an offset is a shifted response for the squared loss", {
  x <- small_matrix()
  y <- small_response(x)
  o <- seq(-1, 1, length.out = 40)
  start <- coef(quick_fit(x, y))
  a <- quick_fit(x, y, offset = o, init = start)
  b <- quick_fit(x, y - o, init = start)
  expect_equal(coef(a), coef(b), tolerance = 1e-8)
  expect_equal(fitted(a), fitted(b) + o)
  expect_equal(a$null.deviance, b$null.deviance)
})

test_that("`- 1` in the formula and `intercept = FALSE` are the same", {
  d <- mixed_data()
  a <- quick_fit(y ~ num + fac - 1, d)
  b <- quick_fit(y ~ num + fac, d, intercept = FALSE)
  expect_identical(coef(a), coef(b))
  expect_identical(a$intercept, 0)
})

test_that("the formula may be named as in glm, and dots may be handed on", {
  d <- mixed_data()
  want <- coef(quick_fit(y ~ num + fac, d, weights = int + 1))
  expect_identical(coef(quick_fit(formula = y ~ num + fac, data = d, weights = int + 1)), want)
  inner <- function(...) quick_fit(..., subset = NULL)
  expect_identical(coef(inner(y ~ num + fac, d, weights = int + 1)), want)
})

test_that("the objective is the one on the help page", {
  d <- mixed_data()
  w <- seq_len(nrow(d))
  lambda <- c(0.01, 0.002, 0.0003)
  values <- list(squared = d$y, logistic = ifelse(d$class == "high", 1, -1),
                 squared_hinge = ifelse(d$class == "high", 1, -1),
                 poisson = round(abs(d$y) * 3))
  losses <- list(squared = function(y, f) (y - f)^2 / 2, logistic = function(y, f) log(1 + exp(-y * f)),
                 squared_hinge = function(y, f) pmax(0, 1 - y * f)^2, poisson = function(y, f) exp(f) - y * f)
  x <- as.matrix(d[c("num", "int", "lgl")]) * 1
  for (loss in names(losses)) {
    fit <- paper_fit(x, values[[loss]], order = 3, rank = 2, lambda = lambda, loss = loss, weights = w,
                control = hofm_control(max_iter = 3, seed = 1))
    expect_gt(sum(fit$P[["3"]]^2), 0.001)
    link <- predict(fit, x, type = "link")
    penalty <- sum(lambda / 2 * c(sum(fit$w^2), sum(fit$P[["2"]]^2), sum(fit$P[["3"]]^2)))
    expect_equal(fit$objective, sum(w * losses[[loss]](values[[loss]], link)) / sum(w) + penalty,
                 tolerance = 1e-8, info = loss)
  }
})

test_that("a fit starts from another, or from a list", {
  x <- small_matrix()
  y <- small_response(x)
  fit <- quick_fit(x, y)
  again <- quick_fit(x, y, init = fit, control = hofm_control(max_iter = 1))
  expect_equal(again$trace$objective[1], fit$objective)
  expect_identical(quick_fit(x, y, init = coef(fit), control = hofm_control(max_iter = 1))$objective,
                   again$objective)
  expect_error(quick_fit(x, y, order = 3, init = fit), "differs in: order, rank", class = "hofm_error_input")
  expect_error(quick_fit(x[, 1:3], y, init = fit), "features", class = "hofm_error_input")
  p <- coef(fit)
  bad <- list(3, list(1), list(W = 1), within(p, P <- list()), within(p, P[["2"]] <- "a"),
              within(p, P[["2"]][1] <- NA),
              within(p, w <- 1), within(p, w[1] <- Inf), within(p, intercept <- NA), within(p, P[["2"]] <- diag(4)))
  for (init in bad) expect_error(quick_fit(x, y, init = init), class = "hofm_error_input")
})

test_that("the seed decides the start, and set.seed() is enough", {
  x <- small_matrix()
  y <- small_response(x)
  few <- function(...) hofm(x, y, rank = 2, control = hofm_control(max_iter = 2, ...))
  expect_identical(coef(few(seed = 5)), coef(few(seed = 5)))
  expect_false(identical(coef(few(seed = 5)), coef(few(seed = 6))))
  set.seed(1)
  a <- few()
  set.seed(1)
  expect_identical(coef(few()), coef(a))
  set.seed(1)
  before <- .Random.seed
  few(seed = 5)
  expect_identical(.Random.seed, before)
})

test_that("values of the training rows are kept unless told otherwise, and training data never", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x), weights = rep(1:2, 20))
  expect_length(fit$linear.predictors, 40)
  expect_equal(weights(fit), rep(1:2, 20))
  slim <- quick_fit(x, small_response(x), weights = rep(1:2, 20), control = quick(keep_fitted = FALSE))
  expect_false(any(c("linear.predictors", "residuals", "prior.weights") %in% names(slim)))
  expect_true(all(lengths(rapply(unclass(slim)[setdiff(names(slim), "trace")], identity, how = "list")) < 40))
})

test_that("a response that has nothing to teach is an error", {
  x <- small_matrix()
  for (y in list(rep(1, 40), rep("a", 40), factor(rep("a", 40)), rep(TRUE, 40))) {
    expect_error(quick_fit(x, y), class = "hofm_error_input")
  }
  expect_error(quick_fit(x, small_response(x), weights = c(1, rep(0, 39))), "with positive weight",
               class = "hofm_error_input")
})

test_that("one column, one row short of none, and all-zero columns and rows work", {
  x <- small_matrix()
  y <- small_response(x)
  x[, 2] <- 0
  x[5, ] <- 0
  fit <- quick_fit(x, y, standardize = FALSE)
  expect_true(all(is.finite(fitted(fit))))
  expect_equal(fitted(fit)[5], fit$intercept)
  expect_length(fitted(quick_fit(x[, 1, drop = FALSE], y)), 40)
  expect_length(fitted(quick_fit(x[1:2, ], y[1:2])), 2)
})

test_that("tibbles, data.tables and lists are data frames", {
  d <- mixed_data()[c("num", "fac", "y")]
  want <- fitted(quick_fit(y ~ ., d))
  tibble <- structure(d, class = c("tbl_df", "tbl", "data.frame"))
  expect_identical(fitted(quick_fit(y ~ ., tibble)), want)
  expect_identical(fitted(quick_fit(y ~ ., as.list(d))), want)
  expect_identical(fitted(quick_fit(y ~ num + fac, list2env(d))), want)
})

test_that("a rank that would not fit into memory is refused before anything is made", {
  x <- small_matrix()
  y <- small_response(x)
  for (rank in list(1e9, .Machine$integer.max, c(1, 1e9))) {
    expect_error(hofm(x, y, order = length(rank) + 1, rank = rank), "`rank` must be smaller", class = "hofm_error_input")
  }
  expect_error(hofm(x, y, model = "shared", rank = 1e9), "`rank` must be smaller", class = "hofm_error_input")
  expect_error(cv_hofm(x, y, rank = 1e9), "`rank` must be smaller", class = "hofm_error_input")
  error <- expect_error(check_parameter_count(2, 1e9L, memory = 24e9), "2e\\+09 parameters, which need about 64 GB of memory, and there are 24",
                        class = "hofm_error_input")
  expect_identical(error$argument, "rank")
  expect_error(check_parameter_count(100, c(1e6L, 1e7L), memory = 24e9), "`rank` must be smaller", class = "hofm_error_input")
  expect_silent(check_parameter_count(1e6L, 30L, memory = 24e9))
  expect_silent(check_parameter_count(1e6L, integer(), memory = 1e9))
  expect_gt(memory_bytes(), 2^28)
})

test_that("a design without columns is refused before anything is fitted", {
  data <- data.frame(y = rnorm(12), a = 0, b = 1)
  for (solver in c("auto", "cd", "lbfgs", "adagrad", "sgd")) {
    expect_error(hofm(y ~ a:b, data, solver = solver), "at least one column", class = "hofm_error_input")
  }
  expect_error(cv_hofm(y ~ a:b, data, nfolds = 3), "at least one column", class = "hofm_error_input")
})

test_that("odd offsets and subsets are refused by name", {
  data <- data.frame(y = rnorm(12), a = rnorm(12), f = factor(rep(1:2, 6)), t = rep(c("u", "v"), 6))
  data$m <- matrix(rnorm(24), 12)
  expect_error(hofm(y ~ a + offset(f), data), "`offset` must be a numeric vector", class = "hofm_error_input")
  expect_error(hofm(y ~ a + offset(t), data), "`offset` must be a numeric vector", class = "hofm_error_input")
  expect_error(hofm(y ~ a, data, offset = t), "`offset` must be a numeric vector", class = "hofm_error_input")
  expect_error(hofm(y ~ ., data, offset = t), "`offset` must be a numeric vector", class = "hofm_error_input")
  for (formula in list(y ~ ., y ~ m, y ~ log(a + 10) + m)) for (rows in list(1:99, -99:1, "99", c(1, NA), 99)) {
    expect_error(hofm(formula, data, subset = rows), "`subset` must choose among the 12 rows", class = "hofm_error_input")
  }
  two <- hofm(y ~ a + offset(a) + offset(2 * a), data, control = hofm_control(seed = 1))
  one <- hofm(y ~ a, data, offset = 3 * a, control = hofm_control(seed = 1))
  expect_equal(fitted(two), fitted(one))
  six <- hofm(y ~ a, data, subset = a > median(a), control = hofm_control(seed = 1))
  expect_equal(nobs(six), 6)
})

test_that("numbers at the end of their range give an answer or a classed error, and soon", {
  set.seed(1)
  x <- matrix(rnorm(40), 20)
  y <- rep(c("a", "b"), 10)
  for (loss in c("logistic", "squared_hinge", "poisson", "squared")) for (offset in c(1.79e308, -1.79e308, 1e200)) {
    response <- if (loss %in% c("poisson", "squared")) rpois(20, 2) else y
    outcome <- tryCatch(suppressWarnings(hofm(x, response, loss = loss, offset = rep(offset, 20),
                                              control = hofm_control(max_iter = 20))$objective), hofm_error = function(e) 0)
    expect_true(is.finite(outcome), info = paste(loss, offset))
  }
  heavy <- hofm(x, rnorm(20), weights = rep(1.7e308, 20))
  expect_false(is.nan(heavy$null.deviance))
  fit <- hofm(x, rnorm(20), order = 1, lambda = 0.1, offset = rep(0, 20))
  expect_error(predict(fit, x / max(abs(x)) * 1e308, offset = sign(fit$w[1] * x[, 1]) * 1.79e308), class = "hofm_error_overflow")
  expect_error(cv_hofm(x, rnorm(20), control = hofm_control(init_sd = 1e200)), class = "hofm_error")
})
