#' Read and write sparse data as libsvm or libFM text
#'
#' The text format of libsvm, svmlight and libFM has one sample per line: a label, then `index:value` for each
#' feature that is not zero, separated by blanks:
#' ```
#' +1 1:0.5 7:2 # a comment
#' -1 2:1e-3
#' ```
#' `read_libsvm()` makes a sparse matrix and a vector of labels of it, `write_libsvm()` the reverse. What is
#' written and read back is the same to the last bit: numbers are written in the fewest digits that identify
#' them.
#'
#' @section What is read:
#' Comments from `#` to the end of the line, empty lines, tabs, Windows line ends and a last line without an
#' end are fine. Indices may come in any order, but each only once in a line. Values that are spelt out as
#' zero are not stored. A query id (`qid:7` after the label, as ranking data has it) is kept. Anything else is
#' an error of class `hofm_error_file`, with the number (`line`) and the text (`text`) of the line: a label or
#' value that is missing, infinite or no number, several labels, a word without colon, an index that is
#' negative, too large or there twice.
#'
#' The features of libsvm are numbered from 1, those of libFM from 0. With `base = NULL` a file counts as
#' numbered from 0 if the index 0 occurs in it, and else from 1. That is wrong for a file numbered from 0
#' whose first feature is always zero: give `base` if you know it, and in any case read test data with the
#' `base` and the `n_features` of the training data, as in the example.
#'
#' A matrix takes 4 bytes for each column, even for an empty one: a single wrong index could ask for 8 GB. So an
#' index above 2^26 = 67,108,864 (or what takes a quarter of the machine's memory, if that is less) is an error
#' unless `n_features` is given, which says that so many features are meant.
#'
#' Files are read in blocks of 1 MB. Memory in use at the end of reading is at most 24 bytes for each
#' `index:value`, of which the matrix itself is half, 20 bytes for each line, 28 if there are query ids, and 4
#' for each feature, besides the longest line.
#'
#' @param file The name of a file, or a connection. Files compressed by gzip, bzip2 or xz are read as they are; a
#'   file is written compressed if its name ends in `.gz`. A file is written under a temporary name in the same
#'   directory and renamed when it is whole, so that an error leaves nothing half-written; of a link, what it
#'   points to is replaced. A pipe or a device, such as `/dev/stdin`, is read once from its beginning to its end
#'   (by way of a temporary file if it is compressed), or written to, and stays what it is.
#' @param n_features Number of columns, for data in which the last features may not occur. An index beyond it
#'   is an error. `NULL` takes the largest index that occurs.
#' @param base Index of the first feature in the file: 0 or 1. `NULL` tells from the file (see below).
#' @param x A matrix or Matrix without missing or infinite values. Its column names are not written.
#' @param y Labels, one for each row: numbers, or `FALSE` and `TRUE` or a factor with two levels, written as
#'   -1 and 1.
#' @param qid Query ids, one whole number for each row, or `NULL` for none.
#' @param ... Nothing: an unknown argument is an error.
#' @return `read_libsvm()`: a list with `x`, a `dgCMatrix` with one row for each sample, without names; `y`,
#'   the labels, a numeric vector; `qid`, the query ids, `NA` where a line has none, or `NULL` if there are
#'   none at all; and `base`. `write_libsvm()`: `file`, invisibly.
#' @seealso [export_libfm()] for the model; [hofm()], which takes `x` and `y`.
#' @examples
#' file <- tempfile(fileext = ".txt")
#' writeLines(c("1 1:0.5 3:2", "-1 2:1 # only one", "1 3:-1.5"), file)
#' train <- read_libsvm(file)
#' train$x
#' train$y
#'
#' # Test data with the features of the training data
#' writeLines("1 1:2", file)
#' read_libsvm(file, n_features = ncol(train$x), base = train$base)$x
#'
#' write_libsvm(train$x, train$y, file, base = 0)
#' readLines(file)
#'
#' # What is wrong, and where
#' writeLines(c("1 1:0.5", "1 2=7"), file)
#' tryCatch(read_libsvm(file), hofm_error_file = function(e) e[c("line", "text")])
#' unlink(file)
#' @concept files
#' @export
read_libsvm <- function(file, n_features = NULL, base = NULL, ...) {
  check_given()
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  n_features <- if (is.null(n_features)) -1L else check_features(n_features)
  base <- if (is.null(base)) -1L else check_count(base, "base", min = 0, max = 1)
  with_source(file, function(next_block, name) {
    data <- read_libsvm_cpp(next_block, base, n_features, largest_index())
    if (!is.null(data$error)) abort_line(data, name)
    if (!length(data$y)) abort_file(sprintf("%s holds no data.", quoted(name)), name)
    data
  })
}

# The columns of a dgCMatrix begin at places that are kept as integers of 4 bytes, one for each column.
check_features <- function(n, memory = memory_bytes()) {
  n <- check_count(n, "n_features", max = .Machine$integer.max - 1)
  if (4 * n <= memory) return(n)
  hofm_abort(sprintf("`n_features` must be smaller: a matrix of %d columns takes %.1f GB or more, and there are %.1f.",
                     n, 4 * n / 1e9, memory / 1e9), argument = "n_features")
}

# What an index may be without anyone saying that it is meant; data sets of text and clicks have up to 55 million
# features.
largest_index <- function(memory = memory_bytes()) as.integer(min(2^26, memory %/% 16))

abort_line <- function(problem, name) {
  abort_file(sprintf("Line %.0f of %s cannot be read: %s. The line is: %s", problem$line, quoted(name), problem$error,
                     problem$text), name, line = problem$line, text = problem$text)
}

#' @rdname read_libsvm
#' @export
write_libsvm <- function(x, y, file, base = 1, qid = NULL, ...) {
  check_given()
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  if (!is.matrix(x) && !is(x, "Matrix")) must_be("x", "a matrix or a Matrix", x)
  design <- as_design(x)$x
  check_size(design, "x")
  check_cells(design, seq_len(ncol(design)), "x")
  y <- check_row_values(as_labels(y), "y", nrow(design))
  qid <- if (is.null(qid)) numeric(0) else check_queries(qid, nrow(design))
  base <- check_count(base, "base", min = 0, max = 1)
  with_target(file, function(put) write_libsvm_cpp(design, y, qid, base, put, 2^20))
  invisible(file)
}

as_labels <- function(y) {
  if (is.factor(y) && nlevels(y) == 2) y <- y == levels(y)[2]
  if (is.logical(y) && !is_time(y) && !anyNA(y)) ifelse(y, 1, -1) else y
}

check_queries <- function(qid, n) {
  qid <- check_row_values(qid, "qid", n)
  bad <- which(qid < 0 | qid != round(qid) | qid > 2^53)
  if (length(bad)) {
    hofm_abort(sprintf("`qid` must be whole numbers of at least 0, but its value in row %d is %s.", bad[1], format(qid[bad[1]])),
               argument = "qid", row = bad[1])
  }
  qid
}
