every_matrix <- function() {
  base <- matrix(c(0, 1, 0, 0, 1, 0, 1, 1, 1), 3)
  sparse <- as(base, "CsparseMatrix")
  square <- crossprod(base)
  list(
    double = base, integer = matrix(as.integer(base), 3), logical = base == 1,
    dgC = as(sparse, "generalMatrix"), dgR = as(sparse, "RsparseMatrix"), dgT = as(sparse, "TsparseMatrix"),
    ngC = as(sparse, "nMatrix"), ngT = as(as(sparse, "nMatrix"), "TsparseMatrix"), lgC = as(sparse, "lMatrix"),
    lgR = as(as(sparse, "lMatrix"), "RsparseMatrix"), dge = Matrix::Matrix(base, sparse = FALSE),
    dsC = as(Matrix::forceSymmetric(Matrix::Matrix(square, sparse = TRUE)), "CsparseMatrix"),
    dsT = as(Matrix::forceSymmetric(Matrix::Matrix(square, sparse = TRUE)), "TsparseMatrix"),
    dsy = Matrix::forceSymmetric(Matrix::Matrix(square, sparse = FALSE)),
    dtC = Matrix::triu(Matrix::Matrix(base, sparse = TRUE)),
    ddi = Matrix::Diagonal(3, x = c(1, 2, 3)), unit = Matrix::Diagonal(3), ldi = Matrix::Diagonal(3, x = c(TRUE, FALSE, TRUE)),
    permutation = as(c(2L, 3L, 1L), "pMatrix"), index = as(c(2L, 2L, 1L), "indMatrix"),
    doubled = Matrix::sparseMatrix(i = c(1, 1, 2), j = c(1, 1, 3), x = c(1, 2, 4), dims = c(3, 3), repr = "T",
                                   use.last.ij = FALSE))
}

test_that("every class of matrix comes out as the same dgCMatrix", {
  for (x in every_matrix()) {
    design <- as_design(x)$x
    expect_identical(class(design)[1], "dgCMatrix")
    expect_true(validObject(design))
    expect_identical(dimnames(design), list(NULL, NULL))
    expect_equal(unname(as.matrix(design)), unname(as.matrix(x)) * 1)
  }
})

test_that("triplets that occur twice are summed", {
  x <- new("dgTMatrix", i = c(0L, 0L), j = c(1L, 1L), x = c(1, 2), Dim = c(2L, 2L))
  expect_equal(as.matrix(as_design(x)$x), matrix(c(0, 0, 3, 0), 2))
})

test_that("a sparse vector is one row", {
  v <- Matrix::sparseVector(c(2, 5), c(1, 3), 4)
  expect_equal(as.matrix(as_design(v)$x), matrix(c(2, 0, 5, 0), 1))
  expect_equal(as.matrix(as_design(as(v, "nsparseVector"))$x), matrix(c(1, 0, 1, 0), 1))
})

test_that("damaged slots are an error, not a crash", {
  x <- Matrix::sparseMatrix(i = c(1, 3, 2), j = c(1, 1, 2), x = 1:3, dims = c(3, 3))
  damage <- list(
    out_of_range = function(x) { x@i <- c(0L, 7L, 1L); x }, negative = function(x) { x@i <- c(-1L, 2L, 1L); x },
    unsorted = function(x) { x@i <- c(2L, 0L, 1L); x }, not_monotone = function(x) { x@p <- c(0L, 2L, 1L, 3L); x },
    too_long = function(x) { x@p <- c(0L, 2L, 3L, 9L); x }, too_few_values = function(x) { x@x <- 1; x },
    dims = function(x) { x@Dim <- c(3L, 9L); x }, type = function(x) { attr(x, "i") <- "a"; x })
  for (name in names(damage)) {
    expect_error(as_design(damage[[name]](x)), "damaged", class = "hofm_error_input", info = name)
    expect_error(hofm(damage[[name]](x), 1:3), class = "hofm_error_input", info = name)
  }
})

test_that("other things are refused", {
  for (x in list(1:3, "a", NULL, list(1), array(1, c(2, 2, 2)), matrix("a"), matrix(1i))) {
    expect_error(as_design(x), class = "hofm_error_input")
  }
})

test_that("names are all there and unique, or absent", {
  expect_null(named_columns(NULL, "x"))
  expect_null(named_columns(c("", ""), "x"))
  expect_equal(named_columns(c("a", "b"), "x"), c("a", "b"))
  expect_error(named_columns(c("a", ""), "x"), "column 2 has none", class = "hofm_error_input")
  expect_error(named_columns(c("a", NA), "x"), class = "hofm_error_input")
  expect_error(named_columns(c("a", "b", "a"), "x"), "more than once: `a`", class = "hofm_error_input")
  latin <- "caf\xe9"
  Encoding(latin) <- "latin1"
  expect_identical(named_columns(latin, "x"), "caf\u00e9")
  expect_identical(Encoding(named_columns(latin, "x")), "UTF-8")
})

test_that("the first bad cell is named by column and row", {
  for (bad in c(NA, NaN, Inf, -Inf)) {
    x <- matrix(1, 4, 3, dimnames = list(NULL, c("a", "b", "c")))
    x[3, "b"] <- bad
    for (y in list(x, Matrix::Matrix(x, sparse = TRUE), as.data.frame(x))) {
      e <- expect_error(hofm(y, 1:4), class = "hofm_error_input")
      expect_match(conditionMessage(e), "`b`", fixed = TRUE)
      expect_match(conditionMessage(e), "row 3", fixed = TRUE)
    }
  }
  x <- Matrix::sparseMatrix(i = c(1, 2), j = c(2, 5), x = c(1, NaN), dims = c(3, 6))
  expect_error(check_cells(as_design(x)$x, letters[1:6], "x"), "column `e` holds NaN in row 2")
})

test_that("rows with a missing cell are told apart", {
  x <- as_design(matrix(c(1, NA, 0, 4, 5, NaN), 3))$x
  split <- split_missing(x, none = FALSE)
  expect_equal(split$missing, c(FALSE, TRUE, TRUE))
  expect_equal(as.matrix(split$x), matrix(c(1, 0, 0, 4, 5, 0), 3))
})

test_that("empty designs are refused", {
  expect_error(hofm(matrix(0, 0, 2), numeric(0)), "at least one row", class = "hofm_error_input")
  expect_error(hofm(matrix(0, 2, 0), 1:2), "at least one column", class = "hofm_error_input")
  expect_error(hofm(data.frame(), numeric(0)), class = "hofm_error_input")
})

test_that("numbers whose sum is too large are finite all the same", {
  big <- .Machine$double.xmax
  expect_true(all_finite(c(big, big, 1)))
  expect_false(all_finite(c(big, NA)))
  expect_false(all_finite(c(1, Inf)))
  expect_false(all_finite(c(Inf, -Inf)))
  expect_true(all_finite(numeric()))
  for (n in 1:9) for (at in seq_len(n)) for (odd in c(NA, NaN, Inf, -Inf)) {
    expect_false(all_finite(replace(rep(big, n), at, odd)))
  }
})
