test_that("every setting has its type", {
  control <- hofm_control(max_iter = 5, tol = 0, init_sd = c(0.1, 0.2), eta = 0.1, batch = 10, threads = 1,
                          seed = 3)
  expect_s3_class(control, "hofm_control")
  expect_identical(control$max_iter, 5L)
  expect_identical(control$batch, 10L)
  expect_identical(control$init_sd, c(0.1, 0.2))
  expect_named(hofm_control(), setdiff(names(formals(hofm_control)), "..."))
})

test_that("every bad setting is an error that names it", {
  bad <- list(NA, -1, "a", 1:2, numeric(0), list(), Inf)
  settings <- c("max_iter", "tol", "eta", "batch", "threads", "verbose", "keep_fitted", "extrapolate")
  for (name in settings) for (value in bad) {
    expect_error(do.call(hofm_control, stats::setNames(list(value), name)), sprintf("`%s` must", name),
                 class = "hofm_error_input")
  }
  for (value in list(NA, -1, "a", numeric(0), 0, c(1, NA))) {
    expect_error(hofm_control(init_sd = value), "`init_sd` must", class = "hofm_error_input")
  }
  for (value in list(NA, 1.5, "a", 1:2)) expect_error(hofm_control(seed = value), class = "hofm_error_input")
  expect_error(hofm_control(maxiter = 3), "Unknown argument `maxiter`. Did you mean `max_iter`?",
               fixed = TRUE)
})

test_that("defaults follow the options", {
  old <- options(hofm.threads = 1, hofm.verbose = TRUE)
  on.exit(options(old))
  expect_identical(hofm_control()$threads, 1L)
  expect_true(hofm_control()$verbose)
})

test_that("a control object that was edited or is a plain list is checked again", {
  control <- hofm_control()
  control$batch <- -1
  expect_error(check_control(control, 2), "`batch` must", class = "hofm_error_input")
  expect_identical(check_control(list(max_iter = 3), 2)$max_iter, 3L)
  expect_error(check_control(list(3), 2), class = "hofm_error_input")
  expect_error(check_control(list(tol = 1, tol = 2), 2), class = "hofm_error_input")
  expect_error(check_control(hofm_control(init_sd = c(1, 2, 3)), 2), "each of the 2 matrices")
})

test_that("print shows each setting and returns its argument", {
  control <- hofm_control(max_iter = 50, init_sd = c(0.1, 0.2), threads = 2, verbose = FALSE)
  expect_snapshot(print(control))
  capture.output(expect_invisible(print(control)))
})
