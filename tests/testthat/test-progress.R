test_that("nothing is printed unless asked, and messages can be caught by class", {
  x <- matrix(rnorm(60), 20)
  y <- rnorm(20)
  expect_silent(hofm(x, y, rank = 1))
  lines <- capture_messages(hofm(x, y, rank = 1, control = hofm_control(verbose = TRUE, max_iter = 2, tol = 0)))
  expect_length(lines, 3)
  expect_match(lines[3], "^iteration 2, [0-9.]+ s, objective [0-9.e+-]+\n$")
  caught <- 0
  withCallingHandlers(
    hofm(x, y, rank = 1, control = hofm_control(verbose = TRUE, max_iter = 1)),
    hofm_message = function(m) {
      caught <<- caught + 1
      invokeRestart("muffleMessage")
    }
  )
  expect_identical(caught, 2)
})

test_that("the bar appears after two seconds and goes", {
  bar <- bar_progress(10)
  expect_silent(bar$step(1, 1.9, 0.5))
  out <- cli::cli_fmt({
    bar$step(2, 2.1, 0.25)
    bar$done()
  })
  expect_type(out, "character")
})

test_that("an interrupt leaves the fit at once and R usable", {
  skip_on_os("windows")
  skip_if_broken("callr")
  skip_if(nzchar(Sys.getenv("R_COVR")))
  for (solver in c("cd", "lbfgs", "sgd")) {
    run <- callr::r_bg(function(solver) {
      set.seed(1)
      x <- Matrix::rsparsematrix(20000, 2000, 0.02)
      y <- rnorm(20000)
      cat("ready\n", file = stderr())
      out <- tryCatch(
        hofm::hofm(x, y, order = 5, rank = 30, solver = solver, control = hofm::hofm_control(max_iter = 1000, tol = 0)),
        interrupt = function(e) "interrupted"
      )
      list(out = out, next_fit = class(hofm::hofm(x[1:50, ], y[1:50], rank = 1)))
    }, list(solver), stderr = "|")
    run$poll_io(20000)
    Sys.sleep(1)
    start <- Sys.time()
    run$interrupt()
    run$wait(20000)
    waited <- as.numeric(Sys.time() - start, units = "secs")
    expect_false(run$is_alive())
    result <- run$get_result()
    expect_identical(result$out, "interrupted")
    expect_identical(result$next_fit, "hofm")
    expect_lt(waited, 5)                                # the small fit and the end of the process included
  }
})

test_that("setTimeLimit() ends a fit with the error that R gives, and R is usable", {
  set.seed(1)
  x <- Matrix::rsparsematrix(5000, 500, 0.1)
  y <- rnorm(5000)
  on.exit(setTimeLimit())
  for (solver in c("cd", "lbfgs", "sgd")) {
    start <- proc.time()[["elapsed"]]
    expect_error({
      setTimeLimit(elapsed = 0.5, transient = TRUE)
      hofm(x, y, order = 5, rank = 30, solver = solver, control = hofm_control(max_iter = 1e6, tol = 0))
    }, "time limit")
    setTimeLimit()
    expect_lt(proc.time()[["elapsed"]] - start, 10)
  }
  expect_s3_class(hofm(x[1:50, ], y[1:50], rank = 1), "hofm")
})

test_that("training on all pairs can be stopped while its tables are made", {
  set.seed(2)
  A <- Matrix::rsparsematrix(20000, 300, 0.02)
  pairs <- link_pairs(A, Matrix::rsparsematrix(20000, 300, 0.02), data.frame(i = 1:20000, j = 20000:1))
  on.exit(setTimeLimit())
  start <- proc.time()[["elapsed"]]
  expect_error({
    setTimeLimit(elapsed = 0.5, transient = TRUE)
    hofm(pairs, order = 3, rank = 80, negatives = "all")
  }, "time limit")
  expect_lt(proc.time()[["elapsed"]] - start, 5)
})

test_that("a time limit in the sorting of scores is an error that try() catches", {
  skip_if_broken("callr")
  said <- callr::r(function() {
    loadNamespace("hofm")                               # which may take longer than the limit
    set.seed(1)
    score <- rnorm(1e7)
    truth <- score > 0.5
    limited <- function(code) {
      setTimeLimit(elapsed = 0.1, transient = TRUE)
      on.exit(setTimeLimit())
      class(try(code, silent = TRUE))
    }
    list(limited(hofm:::auc_cpp(truth, score, numeric())), limited(hofm:::roc_points_cpp(truth, score, numeric(), 0)),
         limited(hofm:::auc_pair_cpp(truth, score, -score)))
  })
  expect_equal(said, rep(list("try-error"), 3))
})
