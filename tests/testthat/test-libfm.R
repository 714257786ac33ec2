# A reader of libFM's model files and its formula, from the definition.
read_libfm_slow <- function(file) {
  lines <- readLines(file)
  heads <- which(startsWith(lines, "#"))
  expect_equal(lines[heads], c("#global bias W0", "#unary interactions Wj", "#pairwise interactions Vj,f"))
  expect_equal(heads[1:2], c(1, 3))
  numbers <- function(from, to) lapply(strsplit(lines[from:to], " ", fixed = TRUE), as.numeric)
  list(w0 = numbers(2, 2)[[1]], w = unlist(numbers(4, heads[3] - 1)), V = do.call(rbind, numbers(heads[3] + 1, length(lines))))
}

predict_libfm_slow <- function(model, x) {
  apply(x, 1, function(row) {
    pairs <- utils::combn(length(row), 2)
    weight <- rowSums(model$V[pairs[1, ], , drop = FALSE] * model$V[pairs[2, ], , drop = FALSE])
    model$w0 + sum(model$w * row) + sum(weight * row[pairs[1, ]] * row[pairs[2, ]])
  })
}

test_that("the exported model predicts what the fit predicts", {
  x <- small_matrix()
  y <- small_response(x)
  file <- tempfile()
  on.exit(unlink(file))
  for (k in c(1, 2, 5)) {
    for (linear in c(TRUE, FALSE)) {
      fit <- collapsing(hofm(x, y > 0, rank = k, linear = linear, intercept = k < 5, control = quick()))
      expect_identical(export_libfm(fit, file), file)
      model <- read_libfm_slow(file)
      expect_equal(dim(model$V), c(4, max(2, k)))
      expect_equal(predict_libfm_slow(model, x), predict(fit, x, type = "link"), tolerance = 1e-12)
    }
  }
})

test_that("order 1 has no factors, and a formula goes along as columns", {
  file <- tempfile()
  on.exit(unlink(file))
  d <- mixed_data()
  fit <- quick_fit(y ~ num + fac, d, order = 1)
  export_libfm(fit, file)
  lines <- readLines(file)
  expect_equal(lines[9:12], rep("", 4))
  original <- coef(fit, scale = "original")
  expect_equal(as.numeric(lines[c(2, 4:7)]), c(original$intercept, unname(original$w)), tolerance = 1e-14)
  fit <- quick_fit(y ~ num + fac, d)
  export_libfm(fit, file)
  expect_equal(predict_libfm_slow(read_libfm_slow(file), as.matrix(model.matrix(fit, d))), predict(fit, d, type = "link"),
               tolerance = 1e-12)
})

test_that("models that libFM does not have are classed errors, and write nothing", {
  x <- small_matrix()
  y <- small_response(x)
  file <- tempfile()
  expect_error(export_libfm(quick_fit(x, y, order = 3), file), "order 1 or 2", class = "hofm_error_unsupported")
  for (model in c("shared", "simplex", "all_subsets", "polynomial")) {
    expect_error(export_libfm(quick_fit(x, y, model = model), file), "order 1 or 2", class = "hofm_error_unsupported")
  }
  expect_error(export_libfm(1, file), "`fit` must be a fit", class = "hofm_error_input")
  expect_error(export_libfm(quick_fit(x, y), file, dim = 2), "Unknown argument", class = "hofm_error_input")
  expect_error(export_libfm(quick_fit(x, y), file.path(file, "a")), class = "hofm_error_file")
  expect_false(file.exists(file))
})
