test_that("a count is one whole number within its limits", {
  expect_identical(check_count(3, "k"), 3L)
  expect_identical(check_count(0, "k", min = 0), 0L)
  bad <- list(NULL, NA, NA_real_, NaN, Inf, -1, 0, 1.5, "1", TRUE, 1:2, integer(0), list(1), factor(1),
              matrix(1), 2^31)
  for (value in bad) expect_error(check_count(value, "k"), class = "hofm_error_input")
  expect_error(check_count(11, "k", max = 10), "`k` must be a single whole number from 1 to 10, not 11.",
               fixed = TRUE)
})

test_that("a number is one finite number within its limits", {
  expect_identical(check_number(2L, "k"), 2)
  for (value in list(NULL, NA, NaN, Inf, "1", TRUE, 1:2, numeric(0), list(1))) {
    expect_error(check_number(value, "k"), class = "hofm_error_input")
  }
  expect_error(check_number(0, "k", above = 0), "above 0")
  expect_error(check_number(-1, "k", min = 0), "at least 0")
})

test_that("a flag is TRUE or FALSE", {
  expect_identical(check_flag(TRUE, "k"), TRUE)
  for (value in list(NULL, NA, 1, "TRUE", c(TRUE, FALSE), logical(0))) {
    expect_error(check_flag(value, "k"), class = "hofm_error_input")
  }
})

test_that("a choice is exactly one of the words", {
  expect_identical(check_choice("b", "k", c("a", "b")), "b")
  for (value in list(NULL, NA, 1, "c", c("a", "b"), character(0), NA_character_)) {
    expect_error(check_choice(value, "k", c("a", "b")), class = "hofm_error_input")
  }
  expect_error(check_choice("logistik", "loss", c("squared", "logistic")), "Did you mean `logistic`?",
               fixed = TRUE)
})

test_that("values per degree are one or as many as degrees", {
  expect_identical(check_per_degree(2, "rank", 2:4, whole = TRUE), c(2L, 2L, 2L))
  expect_identical(check_per_degree(c(1, 2), "lambda", 1:2), c(1, 2))
  for (value in list(NULL, NA, -1, "1", c(1, 2), 1.5, Inf, list(1, 2, 3), numeric(0), 1e12)) {
    expect_error(check_per_degree(value, "rank", 2:4, whole = TRUE), class = "hofm_error_input")
  }
})

test_that("row values are finite and as many as rows", {
  expect_identical(check_row_values(1:3, "offset", 3), c(1, 2, 3))
  expect_identical(check_row_values(matrix(1:3), "offset", 3), c(1, 2, 3))
  expect_error(check_row_values(c(1, NA, 3), "offset", 3), "row 2 is NA")
  expect_error(check_row_values(1:2, "offset", 3), "each of the 3 rows, not 2")
  for (value in list("a", factor("a"), list(1), matrix(1, 1, 2), TRUE)) {
    expect_error(check_row_values(value, "offset", 1), class = "hofm_error_input")
  }
})

test_that("weights are scaled to sum to one", {
  expect_null(check_weights(NULL, 4)$given)
  expect_equal(check_weights(NULL, 4)$share, rep(0.25, 4))
  expect_equal(check_weights(c(1, 3, 0), 3)$share, c(0.25, 0.75, 0))
  expect_equal(check_weights(c(1, 1) * .Machine$double.xmax, 2)$share, c(0.5, 0.5))
  expect_error(check_weights(c(1, -1), 2), "row 2 is -1")
  expect_error(check_weights(c(0, 0), 2), "must not all be zero")
})

test_that("unknown arguments are named, with a suggestion", {
  expect_silent(check_dots(NULL, "x"))
  expect_error(check_dots(list(lamda = 1), c("rank", "lambda")),
               "Unknown argument `lamda`. Did you mean `lambda`?", fixed = TRUE)
  expect_error(check_dots(list(max_iter = 1), c("rank", "control")), "hofm_control(max_iter = )", fixed = TRUE)
  expect_error(check_dots(list(3), "rank"), "Too many unnamed arguments: 3")
})

test_that("names that other packages use lead to ours", {
  x <- small_matrix()
  y <- small_response(x)
  hint <- function(code, text) expect_error(code, text, fixed = TRUE, class = "hofm_error_input")
  hint(hofm(x, y, k = 3), "Unknown argument `k`. Did you mean `rank`?")
  hint(hofm(x, y, degree = 3), "Did you mean `order`?")
  hint(hofm(x, y, family = "binomial"), "Did you mean `loss`?")
  hint(hofm(x, y, alpha = 1), "Did you mean `lambda`?")
  hint(hofm(x, y, beta = 1), "Did you mean `lambda`?")
  for (name in c("maxit", "niter", "epochs")) {
    hint(do.call(hofm, c(list(x, y), stats::setNames(list(5), name))), "use `control = hofm_control(max_iter = )`.")
  }
  hint(hofm(x, y, num_threads = 1), "use `control = hofm_control(threads = )`.")
  hint(hofm_control(nthread = 1), "Did you mean `threads`?")
  fit <- quick_fit(x, y)
  hint(predict(fit, newx = x), "Did you mean `newdata`?")
  hint(predict(fit, x, nthread = 1), "Did you mean `threads`?")
  hint(predict(fit, x, type = "prob"), "use `type = \"response\"`.")
  hint(hofm(x, y, loss = "binomial"), "Did you mean `logistic`?")
})

test_that("a hint leads to something that is there", {
  known <- c(names(formals(hofm.matrix)), names(formals(hofm_control)), names(formals(predict.hofm)))
  expect_true(all(unlist(foreign_arguments) %in% known))
  expect_true(all(unlist(foreign_choices) %in% c(names(loss_table()), eval(formals(predict.hofm)$type))))
  # where there is no `control`, a setting is no help
  message <- conditionMessage(tryCatch(check_dots(list(epochs = 1), "newdata"), error = identity))
  expect_identical(message, "Unknown argument `epochs`.")
})

test_that("messages name the argument, the need and what came", {
  x <- small_matrix()
  y <- small_response(x)
  expect_errors({
    hofm(x, y, rank = -1)
    hofm(x, y, rank = c(1, 2, 3))
    hofm(x, y, order = 1.5)
    hofm(x, y, lambda = NA)
    hofm(x, y, loss = "logistik")
    hofm(x, y, solver = 3)
    hofm(x, y, model = "other")
    hofm(x, y, intercept = NA)
    hofm(x, y, lamda = 1)
    hofm(x, y, max_iter = 10)
    hofm(x, y, weights = -y^2)
    hofm(x, y, offset = 1:3)
    hofm(x, y[-1])
    hofm(x)
    hofm("a", y)
    hofm(x, y, linear = FALSE, rank = 0)
    hofm(x, y, control = 3)
    hofm(x, y, control = list(maxiter = 3))
  })
})

test_that("arguments that are left out are named", {
  refuse <- function(code, argument) expect_error(code, sprintf("`%s` must be given", argument), class = "hofm_error_input")
  refuse(interactions(), "fit")
  refuse(read_libsvm(), "file")
  refuse(write_libsvm(diag(2), 1:2), "file")
  refuse(export_libfm(), "fit")
  refuse(write_hofm_json(), "fit")
  refuse(read_hofm_json(), "file")
  refuse(link_pairs(matrix(1, 2, 1)), "pairs")
  refuse(auc(score = 1), "truth")
  refuse(roc_curve(score = 1), "truth")
  refuse(auc_test(c(TRUE, FALSE), 1:2), "score2")
  refuse(polynomial_gradient(1, 1), "degree")
})

test_that("a word that is no text at all is refused like any other", {
  expect_error(hofm(diag(3), 1:3, solver = "\xff"), "`solver` must be one of", class = "hofm_error_input")
})

test_that("a choice or a response that only looks like a word is refused", {
  expect_error(hofm(diag(3), 1:3, solver = structure("cd", class = "Date")), "`solver` must be one of", class = "hofm_error_input")
  expect_error(hofm(diag(3), structure(c("a", "b", "a"), class = "Date")), "`y` must be", class = "hofm_error_input")
})
