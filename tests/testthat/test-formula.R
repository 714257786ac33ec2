read <- function(formula, data, ...) {
  call <- as.call(c(list(quote(hofm)), as.list(substitute(list(...)))[-1]))
  read_formula(formula, data, call, parent.frame())
}

test_that("a dot that terms() need not expand is recognised", {
  d <- data.frame(y = 1, a = 1, b = 1, c = 1)
  expect_equal(plain_dot(y ~ ., d), list(columns = c("a", "b", "c"), intercept = TRUE))
  expect_equal(plain_dot(log(y + a) ~ ., d)$columns, c("b", "c"))
  expect_equal(plain_dot(y ~ . - 1, d), list(columns = c("a", "b", "c"), intercept = FALSE))
  expect_equal(plain_dot(y ~ 0 + . - b, d), list(columns = c("a", "c"), intercept = FALSE))
  expect_equal(plain_dot(y ~ . + a, d)$columns, c("a", "b", "c"))
  for (f in list(y ~ a + b, y ~ .^2, y ~ . + log(a), y ~ . - a:b, y ~ . + offset(a), y ~ -., y ~ (.),
                 y ~ . + other)) {
    expect_null(plain_dot(f, d))
  }
})

test_that("the dot gives the columns that terms() gives", {
  d <- mixed_data()[c("num", "int", "fac", "chr", "lgl", "y")]
  for (f in list(y ~ ., y ~ . - chr, y ~ . - 1, log(y + 10) ~ . - int)) {
    direct <- read(f, d)
    expanded <- read(formula(terms(f, data = d)), d)
    expect_identical(direct$blueprint$features, expanded$blueprint$features)
    expect_identical(direct$x, expanded$x)
    expect_identical(direct$y, expanded$y)
    expect_identical(direct$intercept, expanded$intercept)
  }
})

test_that("weights, offset, subset and na.action are evaluated in the data, by either road", {
  d <- mixed_data()
  d$num[c(3, 7)] <- NA
  d$o <- seq_len(nrow(d)) / 10
  outside <- 2
  for (f in list(y ~ . - class - o, y ~ num + int + fac + chr + lgl)) {
    parts <- read(f, d, weights = int * outside, offset = o, subset = lgl, na.action = na.exclude)
    kept <- which(d$lgl & !is.na(d$num))
    expect_equal(parts$y, d$y[kept])
    expect_equal(parts$weights, d$int[kept] * 2)
    expect_equal(parts$offset, d$o[kept])
    expect_true(parts$offset_given)
    expect_s3_class(parts$na.action, "exclude")
    expect_error(read(f, d, na.action = na.fail), class = "hofm_error_input")
    expect_error(read(f, d, na.action = na.pass), "missing in row 3", class = "hofm_error_input")
    expect_error(read(f, d, subset = num > 1e6), "No rows are left", class = "hofm_error_input")
    expect_error(read(f, d, weights = 1:3), class = "hofm_error_input")
    expect_error(read(f, d, weights = absent), class = "hofm_error_input")
    expect_error(read(f, d, subset = absent), class = "hofm_error_input")
  }
})

test_that("offsets of the formula and of the argument add up", {
  d <- mixed_data()
  parts <- read(y ~ num + offset(int) + offset(2 * num), d, offset = rep(1, nrow(d)))
  expect_equal(parts$offset, d$int + 2 * d$num + 1)
  expect_equal(parts$blueprint$features, "num")
})

test_that("formulas that cannot be read are classed errors", {
  d <- mixed_data()
  bad <- list(~ num, y ~ absent, y ~ 1, y ~ 0, y ~ log(fac), absent ~ num, y ~ nofunction(num), NULL ~ num)
  for (f in bad) expect_error(read(f, d), class = "hofm_error_input")
  expect_error(read(y ~ ., d["y"]), class = "hofm_error_input")
  expect_error(read(y ~ ., NULL), class = "hofm_error_input")
  for (data in list(3, "a", matrix(1:4, 2, dimnames = list(NULL, c("y", "num"))))) {
    expect_error(read(y ~ num, data), "`data` must be a data frame", class = "hofm_error_input")
  }
  d$list <- as.list(seq_len(nrow(d)))
  expect_error(read(y ~ ., d), "`list`", class = "hofm_error_input")
})

test_that("variables may live outside `data`", {
  num <- mixed_data()$num
  y <- mixed_data()$y
  parts <- read(y ~ num, NULL)
  expect_equal(as.vector(as.matrix(parts$x)), num)
  expect_equal(parts$blueprint$needed, "num")
})

test_that("a fit made in a function that holds much data is small, and predicts after it is read back", {
  make <- function() {
    big <- rnorm(1e6)
    power <- 2
    raise <- function(z) helper(z)^power
    helper <- function(z) if (length(z) > 1e9) raise(z) else z / 10
    list(raised = quick_fit(mpg ~ raise(wt) + poly(hp, power), mtcars), dot = quick_fit(mpg ~ ., mtcars),
         called = collapsing(do.call(hofm, list(mpg ~ wt, mtcars, rank = 2, control = quick()))))
  }
  fits <- make()
  for (fit in fits) {
    expect_lt(length(serialize(fit, NULL)), 40000)
    file <- tempfile(fileext = ".rds")
    saveRDS(fit, file)
    expect_equal(predict(readRDS(file), mtcars), fitted(fit))
    unlink(file)
  }
})

test_that("data that came in by value leaves the call", {
  x <- small_matrix(400)
  fit <- do.call(hofm, list(x, small_response(x), rank = 2, control = quick()))
  expect_lt(as.numeric(object.size(fit$call)), 20000)
  expect_equal(as.character(fit$call$x), "<matrix>")
})

test_that("columns with odd names go by them, by either road", {
  d <- mixed_data()[c("num", "chr", "y")]
  names(d)[1:2] <- c("a b", "if")
  for (f in list(y ~ ., y ~ `a b` + `if`)) {
    fit <- quick_fit(f, d)
    expect_equal(variable.names(fit), c("a b", "ifp", "ifq"))
    expect_equal(predict(fit, d), fitted(fit))
  }
})
