still <- function(fit) {
  fit$trace$seconds <- seq_len(nrow(fit$trace))
  fit$objective <- 0.125
  fit$deviance <- 2.5
  fit$null.deviance <- 10
  fit
}

test_that("a fit prints in at most twelve lines and returns itself", {
  d <- mixed_data()
  fit <- still(quick_fit(class ~ num + fac, d, order = 3, solver = "cd",
                         control = hofm_control(max_iter = 2, tol = 0, seed = 1)))
  expect_snapshot(print(fit))
  capture.output(expect_invisible(print(fit)))
  expect_lte(length(capture.output(print(fit))), 12)
  one <- still(hofm(y ~ num, d, order = 1, lambda = 1e-3, solver = "cd",
                    control = hofm_control(max_iter = 1, tol = 0)))
  expect_snapshot(print(one))
})

test_that("a long call fills a few lines of the console and is then cut", {
  old <- options(width = 60)
  on.exit(options(old))
  long <- call_lines(as.call(c(quote(hofm), as.list(1:500))))
  expect_length(long, 5)
  expect_true(all(nchar(long) < 60))
  expect_match(long[5], "[.]{3}$")
  expect_true(all(startsWith(long[-1], strrep(" ", 12))))
  call <- quote(hofm(x = measurements, y = response, order = 3, rank = 8, lambda = 0.001))
  lines <- call_lines(call)
  expect_length(lines, 2)
  expect_false(any(endsWith(lines, "=")))
  expect_identical(paste(trimws(sub("Call:", "", lines)), collapse = " "), deparse(call, 500))
})

test_that("the first line names the model", {
  line <- function(model, order = 3L, rank = 8L) headline(list(model = model, order = order, rank = rank))
  expect_identical(line("hofm"), "Higher-order factorization machine of order 3, rank 8")
  expect_identical(line("hofm", rank = c(8L, 2L)), "Higher-order factorization machine of order 3, rank 8, 2")
  expect_identical(line("hofm", 1L, integer()), "Higher-order factorization machine of order 1")
  expect_identical(line("shared"), "Higher-order factorization machine of order 3, rank 8, shared factors")
  expect_identical(line("simplex"),
                   "Higher-order factorization machine of order 3, rank 8, shared factors, theta on the simplex")
  expect_identical(line("all_subsets", NA), "All-subsets model of rank 8")
  expect_identical(line("bilinear", NA), "Bilinear model of rank 8")
  expect_identical(line("polynomial"), "Polynomial network of order 3, rank 8")
})

test_that("numbers per degree are shown once when they are equal", {
  expect_equal(per_degree(c(2L, 2L)), "2")
  expect_equal(per_degree(c(8L, 2L)), "8, 2")
  expect_equal(per_degree(c(0.5, 0.25)), "0.5, 0.25")
})

test_that("a fit to all pairs says so", {
  nodes <- small_matrix(6)
  fit <- hofm(link_pairs(nodes, pairs = cbind(1:3, 4:6), directed = TRUE), rank = 1, negatives = "all", control = quick())
  expect_match(capture.output(print(fit)), "^Data: +all 30 pairs of nodes, 3 links, 8 features$", all = FALSE)
})
