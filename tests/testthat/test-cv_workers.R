test_that("the result depends on the seed and on nothing else", {
  data <- product_data(60)
  run <- function(..., control = hofm_control(seed = 7)) {
    timeless(cv_hofm(data$x, data$y > 0, order = 1:2, rank = 2, nfolds = 3, n_lambda = 4, keep = TRUE, control = control, ...))
  }
  one <- run()
  expect_identical(run(workers = 2), one)
  # R CMD check allows two processes
  if (!nzchar(Sys.getenv("_R_CHECK_LIMIT_CORES_"))) expect_identical(run(workers = 5), one)
  expect_identical(run(foldid = one$foldid)$foldid, one$foldid)
  set.seed(1)
  first <- run(control = hofm_control())
  set.seed(1)
  expect_identical(run(control = hofm_control()), first)
  expect_false(identical(run(control = hofm_control())$foldid, first$foldid))
  state <- .Random.seed
  run()
  expect_identical(.Random.seed, state)
})

test_that("a plan of the future package gives the same result", {
  skip_if_broken("future.apply")
  skip_on_os("windows")
  data <- product_data(60)
  run <- function() timeless(cv_hofm(data$x, data$y, rank = 2, nfolds = 3, n_lambda = 4, control = hofm_control(seed = 7)))
  one <- run()
  old <- future::plan(future::multicore, workers = 2)
  on.exit(future::plan(old))
  skip_if(future::nbrOfWorkers() < 2)
  expect_true(has_future_plan())
  expect_identical(run(), one)
})

test_that("an error in a worker reaches the user, and so does its death", {
  skip_on_os("windows")
  fail <- function(job, step) hofm_abort("no")
  expect_error(share_out(2, fail, 2, cv_progress(2, FALSE), identity), "no", class = "hofm_error_input")
  lost <- function(job, step) tools::pskill(Sys.getpid(), tools::SIGKILL)
  expect_error(suppressWarnings(share_out(2, lost, 2, cv_progress(2, FALSE), identity)), "without a result", class = "hofm_error_worker")
})
