test_that("types agree with each other", {
  d <- mixed_data()
  for (loss in c("logistic", "squared", "squared_hinge")) {
    fit <- quick_fit(class ~ num + fac + lgl, d, order = 3, loss = loss)
    link <- predict(fit, d, type = "link")
    expect_null(names(link))
    expect_equal(predict(fit, d), if (loss == "logistic") plogis(link) else link)
    terms <- predict(fit, d, type = "terms")
    expect_equal(colnames(terms), c("intercept", "degree 1", "degree 2", "degree 3"))
    expect_equal(unname(rowSums(terms)), link)
    class <- predict(fit, d, type = "class")
    expect_identical(levels(class), levels(d$class))
    expect_identical(class == "high", link > if (loss == "squared") 0.5 else 0)
  }
  fit <- quick_fit(int ~ num + fac, d, loss = "poisson")
  expect_equal(predict(fit, d), exp(predict(fit, d, type = "link")))
})

test_that("terms are the kernels of the paper", {
  x <- small_matrix(6)
  fit <- quick_fit(x, small_response(x), order = 3, standardize = FALSE)
  terms <- predict(fit, x, type = "terms")
  slow <- function(p, row, t) sum(utils::combn(p * row, t, prod))
  for (i in 1:6) {
    expect_equal(terms[[i, "intercept"]], fit$intercept)
    expect_equal(terms[[i, "degree 1"]], sum(fit$w * x[i, ]))
    for (t in 2:3) {
      expect_equal(terms[[i, paste("degree", t)]], sum(apply(fit$P[[as.character(t)]], 2, slow, x[i, ], t)))
    }
  }
})

test_that("classes come in the type of the response", {
  d <- mixed_data()
  expect_type(predict(quick_fit(lgl ~ num + y, d), d, type = "class"), "logical")
  expect_identical(levels(predict(quick_fit(chr ~ num + y, d), d, type = "class")), c("p", "q"))
  d$zero <- as.numeric(d$class == "high")
  d$sign <- 2 * d$zero - 1
  expect_true(all(predict(quick_fit(zero ~ num, d, loss = "logistic"), d, type = "class") %in% c(0, 1)))
  expect_true(all(predict(quick_fit(zero ~ num, d), d, type = "class") %in% c(0, 1)))
  expect_true(all(predict(quick_fit(sign ~ num, d, loss = "squared_hinge"), d, type = "class") %in% c(-1, 1)))
  expect_error(predict(quick_fit(y ~ num, d), d, type = "class"), class = "hofm_error_input")
})

test_that("without new data the fitted values are returned", {
  d <- mixed_data()
  fit <- quick_fit(class ~ num + fac, d)
  expect_equal(predict(fit), predict(fit, d))
  expect_equal(predict(fit, type = "class"), predict(fit, d, type = "class"))
  expect_error(predict(fit, type = "terms"), class = "hofm_error_input")
  slim <- quick_fit(class ~ num + fac, d, control = quick(keep_fitted = FALSE))
  expect_error(predict(slim), "did not keep", class = "hofm_error")
  expect_equal(predict(slim, d), predict(fit, d))
})

test_that("zero rows, one row and one column work", {
  d <- mixed_data()
  fit <- quick_fit(class ~ poly(num, 2) + fac + offset(int), d)
  none <- d[0, ]
  expect_identical(predict(fit, none), numeric(0))
  expect_identical(predict(fit, none, type = "class"), d$class[0])
  expect_equal(dim(predict(fit, none, type = "terms")), c(0, 4))
  expect_equal(predict(fit, d[7, ]), predict(fit, d)[7])
  x <- small_matrix()
  single <- quick_fit(x[, 1, drop = FALSE], small_response(x))
  expect_length(predict(single, x[1, 1, drop = FALSE]), 1)
  expect_identical(predict(single, x[0, 1, drop = FALSE]), numeric(0))
  expect_equal(predict(single, as(x[3, 1, drop = FALSE], "CsparseMatrix")), predict(single, x)[3])
  all_columns <- quick_fit(x, small_response(x))
  expect_equal(predict(all_columns, Matrix::sparseVector(x[2, ], 1:4, 4)), predict(all_columns, x)[2])
})

test_that("rows with missing values give NA and keep their place", {
  d <- mixed_data()
  fit <- quick_fit(class ~ num + fac, d)
  new <- d[1:5, ]
  new$num[2] <- NA
  new$fac[4] <- NA
  want <- replace(predict(fit, d[1:5, ]), c(2, 4), NA)
  expect_equal(predict(fit, new), want)
  expect_equal(is.na(predict(fit, new, type = "class")), is.na(want))
  expect_equal(unname(is.na(predict(fit, new, type = "terms")[, "degree 1"])), is.na(want))
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x))
  want <- replace(predict(fit, x), c(3, 9), NA)
  x[3, 1] <- NA
  x[9, 4] <- NaN
  for (new in list(x, as(x, "CsparseMatrix"), as(x, "TsparseMatrix"), as.data.frame(x))) {
    expect_equal(predict(fit, new), want)
  }
  x[1, 2] <- Inf
  expect_error(predict(fit, x), "column `b` holds Inf in row 1", class = "hofm_error_input")
})

test_that("offsets of the formula are evaluated again, those of the argument are asked for", {
  d <- mixed_data()
  fit <- quick_fit(y ~ num + fac + offset(int / 2), d)
  shifted <- transform(d, int = int + 4)
  expect_equal(predict(fit, shifted), predict(fit, d) + 2)
  expect_equal(unname(rowSums(predict(fit, shifted, type = "terms"))), predict(fit, shifted))
  expect_equal(predict(fit, transform(d, int = NA)), rep(NA_real_, 60))
  fit <- quick_fit(y ~ num + fac, d, offset = int / 2)
  expect_error(predict(fit, d), "`offset` must be given", class = "hofm_error_input")
  expect_equal(predict(fit, d, offset = d$int / 2), fitted(fit))
  expect_equal(predict(fit, d[1:2, ], offset = c(1, NA)), c(predict(fit, d[1, ], offset = 1), NA))
  for (bad in list(1:3, "a", Inf, NULL)) expect_error(predict(fit, d[1, ], offset = bad), class = "hofm_error_input")
  expect_error(predict(fit, offset = d$int), class = "hofm_error_input")
})

test_that("new levels contribute nothing when allowed", {
  d <- mixed_data()
  fit <- quick_fit(y ~ num + fac, d, standardize = FALSE)
  new <- data.frame(num = 0.5, fac = "never")
  expect_error(predict(fit, new), class = "hofm_error_new_levels")
  expect_equal(predict(fit, new, allow_new_levels = TRUE), fit$intercept + 0.5 * fit$w[["num"]])
})

test_that("arguments are checked", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x))
  expect_errors({
    predict(fit, x, type = "repsonse")
    predict(fit, newx = x)
    predict(fit, x[, 1:2])
    predict(fit, "a")
    predict(fit, x, threads = 0)
    predict(fit, x, allow_new_levels = NA)
    predict(fit, x, type = "class")
  })
})

test_that("the number of threads does not matter", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x), order = 3)
  expect_identical(predict(fit, x, threads = 1), predict(fit, x, threads = 3))
})

test_that("a saved fit predicts the same in a new process", {
  skip_if_broken("callr")
  d <- mixed_data()
  fit <- quick_fit(class ~ poly(num, 2) + fac, d)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(list(fit, d), file)
  elsewhere <- callr::r(function(file) {
    both <- readRDS(file)
    library(hofm)
    predict(both[[1]], both[[2]])
  }, list(file), libpath = .libPaths())
  expect_identical(elsewhere, predict(fit, d))
})

test_that("predictions beyond the largest double are an error, never Inf or NaN", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x))
  for (type in c("response", "link", "terms")) {
    expect_error(predict(fit, x * 1e200, type = type), class = "hofm_error_overflow")
  }
  rates <- quick_fit(x, rpois(nrow(x), 3), loss = "poisson")
  rates$intercept <- 1000
  expect_error(predict(rates, x), class = "hofm_error_overflow")
  expect_true(all(is.finite(predict(rates, x, type = "link"))))
})
