# What a user hears of data and of fits without asking.

test_that("a fit that does not converge says so once, unless epochs were asked for", {
  x <- small_matrix()
  y <- small_response(x)
  stopped <- hofm_control(max_iter = 1, seed = 1)
  warnings <- testthat::capture_warnings(hofm(x, y, rank = 2, lambda = 1e-3, control = stopped))
  expect_length(grep("not converged after 1 iteration", warnings), 1)
  expect_warning(hofm(x, y, rank = 2, lambda = 1e-3, control = stopped), class = "hofm_warning_not_converged")
  expect_no_warning(hofm(x, y, rank = 2, lambda = 1e-3, solver = "adagrad", control = stopped), class = "hofm_warning_not_converged")
  expect_no_warning(hofm(x, y, rank = 2, lambda = 0.1), class = "hofm_warning_not_converged")
})

test_that("a fit worse than a constant says so", {
  x <- small_matrix()
  y <- small_response(x)
  start <- list(intercept = 100, w = numeric(4), P = list(`2` = matrix(0.1, 4, 2)))
  short <- hofm_control(max_iter = 1, eta = 1e-4, seed = 1)
  expect_warning(hofm(x, y, rank = 2, lambda = 0.1, init = start, solver = "adagrad", control = short), "worse than its own null model",
                 class = "hofm_warning_worse_than_null")
  expect_no_warning(quick_fit(x, y), class = "hofm_warning_worse_than_null")
})

test_that("degrees that no row reaches are named", {
  d <- seeded(1, data.frame(u = factor(sample(5, 80, TRUE)), v = factor(sample(4, 80, TRUE)), y = rnorm(80)))
  expect_warning(quick <- hofm(y ~ u + v, d, order = 3, rank = 2, lambda = 0.01), "degree 3: no row has 3 features",
                 class = "hofm_warning_idle_degree")
  expect_no_warning(hofm(y ~ u + v, d, order = 2, rank = 2, lambda = 0.01), class = "hofm_warning_idle_degree")
})

test_that("numbers named like ids get a message, and others none", {
  d <- seeded(1, data.frame(user = sample(500, 600, TRUE), itemId = sample(500, 600, TRUE), weight = sample(500, 600, TRUE), y = rnorm(600)))
  said <- testthat::capture_messages(hofm(y ~ ., d, order = 1, lambda = 1))
  expect_length(said, 2)
  expect_match(said[1], "`user` has [0-9]+ whole numbers and is taken as a number; factor\\(user\\)")
  expect_match(said[2], "`itemId`")
  expect_message(hofm(y ~ factor(user), d, order = 1, lambda = 1), NA)
  expect_message(hofm(y ~ user, transform(d, user = user + 0.5), order = 1, lambda = 1), NA)
  expect_message(hofm(y ~ user, transform(d, user = user %% 20), order = 1, lambda = 1), NA)
  for (name in c("id", "user_id", "userID", "zip", "Customers", "item.no")) expect_true(is_id_name(name), info = name)
  for (name in c("width", "paid", "idle", "weight", "items_sold_per_day", "humid")) expect_false(is_id_name(name), info = name)
})

test_that("terms of mixed models are refused with what to write", {
  for (formula in list(mpg ~ wt + (1 | cyl), mpg ~ (wt || cyl), mpg ~ wt + (1 | cyl) + (wt | gear))) {
    expect_error(hofm(formula, mtcars), "A factor is all you need.*write `cyl`", class = "hofm_error_input")
    expect_error(cv_hofm(formula, mtcars), "write `cyl`", class = "hofm_error_input")
  }
  expect_s3_class(hofm(mpg ~ I(vs | am) + wt, mtcars, lambda = 0.1), "hofm")
})

test_that("rows left out are counted when a fit is printed, and so is how lambda was chosen", {
  d <- mtcars
  d$wt[3:4] <- NA
  expect_output(print(hofm(mpg ~ wt + hp, d, lambda = 0.1)), "30 rows, 2 features; 2 rows with missing values left out")
  expect_output(print(hofm(mpg ~ wt + hp, mtcars, control = hofm_control(seed = 1))), "chosen by 10-fold cross-validation")
})

test_that("weights of a degree that was left out are zero with a word on why", {
  noise <- seeded(3, data.frame(y = rnorm(60), a = rnorm(60), b = rnorm(60)))
  fit <- hofm(y ~ ., noise, rank = 2, control = hofm_control(seed = 1))
  expect_identical(fit$tuning$off, 2L)
  expect_message(found <- interactions(fit), "Degree 2 is left at zero")
  expect_true(all(found$weight == 0))
})

test_that("AIC and BIC say why they are missing", {
  fit <- hofm(mpg ~ wt + hp, mtcars, lambda = 0.1)
  expect_warning(value <- AIC(fit), "held-out rows", class = "hofm_warning_no_count")
  expect_identical(value, NA_real_)
  expect_warning(value <- BIC(fit), class = "hofm_warning_no_count")
  expect_identical(value, NA_real_)
})

test_that("predictions can be kept within the range of the response", {
  fit <- hofm(mpg ~ wt + hp, mtcars, order = 1, lambda = 1e-4)
  far <- data.frame(wt = c(0, 3, 20), hp = c(10, 110, 900))
  open <- predict(fit, far)
  expect_true(open[1] > max(mtcars$mpg) && open[3] < min(mtcars$mpg))
  expect_equal(predict(fit, far, clip = TRUE), c(max(mtcars$mpg), open[2], min(mtcars$mpg)))
  expect_equal(predict(fit, far, clip = c(12, 25)), c(25, open[2], 12))
  for (bad in list(NA, "a", 3, c(2, 1), c(1, Inf))) expect_error(predict(fit, far, clip = bad), "`clip`", class = "hofm_error_input")
  expect_error(predict(fit, far, type = "link", clip = TRUE), "`clip`", class = "hofm_error_input")
  classes <- hofm(am == 1 ~ wt, mtcars, lambda = 0.1)
  expect_error(predict(classes, mtcars, clip = TRUE), "numeric response", class = "hofm_error_input")
})
