test_that("errors and warnings carry their classes and fields", {
  e <- tryCatch(hofm_abort("no", "hofm_error_columns", columns = "a"), error = identity)
  expect_s3_class(e, c("hofm_error_columns", "hofm_error", "error", "condition"), exact = TRUE)
  expect_equal(e$columns, "a")
  expect_equal(conditionMessage(e), "no")
  w <- tryCatch(hofm_warn("hm", "hofm_warning_x"), warning = identity)
  expect_s3_class(w, c("hofm_warning_x", "hofm_warning", "warning", "condition"), exact = TRUE)
})

test_that("what came is described in few words", {
  expect_equal(describe(NULL), "NULL")
  expect_equal(describe(NA), "NA")
  expect_equal(describe(-1), "-1")
  expect_equal(describe("a"), "\"a\"")
  expect_equal(describe(1:3), "a numeric vector of length 3")
  expect_equal(describe(integer(0)), "a numeric vector of length 0")
  expect_equal(describe(c("a", "b")), "a character vector of length 2")
  expect_equal(describe(matrix(1L, 2, 3)), "an integer matrix of 2 x 3")
  expect_equal(describe(mean), "a function")
  expect_equal(describe(factor("a")), "an object of class \"factor\"")
  expect_equal(describe(list(1)), "an object of class \"list\"")
})

test_that("long lists are cut", {
  expect_equal(enumerate(letters[1:2]), "a, b")
  expect_equal(enumerate(letters[1:7]), "a, b, c, d, e and 2 more")
})

test_that("a misspelt word finds its neighbour, and nonsense finds none", {
  expect_equal(nearest("lamda", c("rank", "lambda")), "lambda")
  expect_equal(nearest("weight", c("weights", "offset")), "weights")
  expect_null(nearest("zzzzzz", c("rank", "lambda")))
  expect_null(nearest("", "rank"))
})

# The page, from the sources or from the installed package.
conditions_page <- function() {
  source <- test_path("..", "..", "R", "conditions.R")
  if (file.exists(source)) return(grep("^#'", readLines(source), value = TRUE))
  as.character(tools::Rd_db("hofm")[["hofm_conditions.Rd"]])
}

class_names <- function(text) {
  sort(unique(unlist(regmatches(text, gregexpr("hofm_(error|warning|message)_[a-z_]+[a-z]", text)))))
}

test_that("the help page lists every class that the package signals, and no other", {
  package <- asNamespace("hofm")
  functions <- Filter(is.function, mget(ls(package, all.names = TRUE), package))
  signalled <- class_names(unlist(lapply(functions, deparse)))
  expect_identical(class_names(conditions_page()), signalled)
})
