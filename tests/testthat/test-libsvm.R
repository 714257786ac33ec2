# A reader so plain that it cannot be wrong: words, split at blanks and colons, into a dense matrix.
read_slow <- function(file, base, d) {
  lines <- trimws(sub("#.*", "", readLines(file, warn = FALSE)))
  words <- strsplit(lines[nzchar(lines)], "[ \t]+")
  x <- matrix(0, length(words), d)
  for (i in seq_along(words)) {
    for (entry in strsplit(grep("qid", words[[i]][-1], value = TRUE, invert = TRUE), ":")) {
      x[i, as.integer(entry[1]) - base + 1] <- as.numeric(entry[2])
    }
  }
  list(x = x, y = vapply(words, function(w) as.numeric(w[1]), 0))
}

with_file <- function(text, code, ext = ".txt") {
  file <- tempfile(fileext = ext)
  on.exit(unlink(file))
  writeBin(if (is.raw(text)) text else charToRaw(text), file)
  code(file)
}

read_text <- function(text, ...) with_file(text, function(file) read_libsvm(file, ...))

random_sparse <- function(n, d) {
  x <- matrix(0, n, d)
  cells <- sample(n * d, rbinom(1, n * d, runif(1)))
  x[cells] <- pick(rnorm, function(n) rnorm(n) * 10^sample(-300:300, n, TRUE), function(n) sample(-3:3, n, TRUE))(length(cells))
  x
}

test_that("hundreds of random matrices come back bit by bit, and as the slow reader sees them", {
  file <- tempfile()
  on.exit(unlink(file))
  same <- seeded(1, vapply(1:300, function(trial) {
    n <- sample(8, 1)
    d <- sample(8, 1)
    base <- sample(0:1, 1)
    x <- random_sparse(n, d)
    y <- pick(rnorm(n), sample(c(-1, 1), n, TRUE), 10^runif(n, -300, 300))
    shape <- pick(identity, function(x) as(x, "CsparseMatrix"), function(x) as(x, "TsparseMatrix"), function(x) as(x, "RsparseMatrix"))
    write_libsvm(shape(x), y, file, base = base)
    back <- read_libsvm(file, n_features = d, base = base)
    # Base R's own conversion of long decimals may be off by a unit in the last place.
    validObject(back$x) && identical(list(as.matrix(back$x), back$y), list(x, y)) &&
      isTRUE(all.equal(read_slow(file, base, d), list(x = x, y = y), tolerance = 1e-14))
  }, NA))
  expect_equal(which(!same), integer())
})

test_that("lines in disorder are read as the slow reader reads them", {
  seeded(2, for (trial in 1:200) {
    lines <- replicate(sample(6, 1), {
      j <- sample(9, sample(0:9, 1))
      blank <- function() paste(sample(c(" ", "\t"), sample(3, 1), TRUE), collapse = "")
      entries <- paste0(blank(), j, ":", format(rnorm(length(j)), digits = sample(1:15, 1)) |> trimws())
      paste0(sample(c("", " "), 1), sample(c("1", "-1", "+2.5", "1e3"), 1), paste(entries[seq_along(j)], collapse = ""),
             sample(c("", " ", " # 3:4", "\r"), 1))
    })
    text <- paste(sample(c(lines, "", "# note", "  ")), collapse = "\n")
    with_file(paste0(text, sample(c("", "\n"), 1)), function(file) {
      got <- read_libsvm(file, n_features = 9, base = 1)
      expect_equal(list(x = unname(as.matrix(got$x)), y = got$y), read_slow(file, 1, 9), tolerance = 1e-14)
    })
  })
})

test_that("indices begin at 0 or 1, as told or as seen, and test data get the width of training data", {
  expect_equal(read_text("1 1:5 2:6")$base, 1)
  expect_equal(as.matrix(read_text("1 0:5 2:6")$x), rbind(c(5, 0, 6)))
  expect_equal(as.matrix(read_text("1 1:5", base = 0)$x), rbind(c(0, 5)))
  expect_equal(dim(read_text("1 1:5", n_features = 7)$x), c(1L, 7L))
  expect_equal(dim(read_text("1\n2\n")$x), c(2L, 0L))
  expect_error(read_text("1 1:5 3:1", n_features = 2), "index 3 is beyond the last of 2 features", class = "hofm_error_file")
  expect_error(read_text("1 0:5", base = 1), "index 0 must not occur", class = "hofm_error_file")
})

test_that("query ids are kept", {
  expect_equal(read_text("1 qid:3 1:1\n2 1:1\n0 qid:12")$qid, c(3, NA, 12))
  expect_null(read_text("1 1:1")$qid)
  file <- tempfile()
  on.exit(unlink(file))
  write_libsvm(diag(2), c(0, 1), file, qid = c(4, 2^53))
  expect_equal(readLines(file), c("0 qid:4 1:1", "1 qid:9007199254740992 2:1"))
  expect_equal(read_libsvm(file)$qid, c(4, 2^53))
  expect_error(write_libsvm(diag(2), 1:2, file, qid = c(1, 1.5)), "row 2 is 1.5", class = "hofm_error_input")
})

test_that("compressed files and connections of every kind are read and written", {
  x <- small_matrix()
  y <- small_response(x)
  plain <- tempfile(fileext = ".txt")
  packed <- tempfile(fileext = ".txt.gz")
  on.exit(unlink(c(plain, packed)))
  write_libsvm(x, y, plain)
  write_libsvm(x, y, packed)
  expect_identical(readBin(packed, "raw", 2), as.raw(c(0x1f, 0x8b)))
  want <- read_libsvm(plain)
  expect_identical(unname(as.matrix(want$x)), unname(x))
  expect_identical(read_libsvm(packed), want)
  for (open in c("", "r", "rb")) {
    con <- gzfile(packed, open)
    expect_identical(read_libsvm(con), want)
    if (open == "") expect_false(tryCatch(isOpen(con), error = function(e) FALSE))
    else close(con)
  }
  con <- textConnection(readLines(plain))
  expect_identical(read_libsvm(con), want)
  close(con)
  con <- textConnection(NULL, "w")
  write_libsvm(x, y, con)
  expect_identical(textConnectionValue(con), readLines(plain))
  close(con)
  again <- tempfile()
  con <- file(again, "wb")
  write_libsvm(x, y, con)
  close(con)
  expect_identical(readLines(again), readLines(plain))
  unlink(again)
})

test_that("lines longer than a block, and many blocks, are put together", {
  j <- 1:200000
  x <- Matrix::sparseMatrix(rep(1:2, each = length(j)), c(j, j), x = seq(0.001, 1000, length.out = 2 * length(j)))
  file <- tempfile()
  on.exit(unlink(file))
  write_libsvm(x, 1:2, file)
  expect_gt(file.size(file), 3 * 2^20)
  expect_identical(read_libsvm(file)$x, as(x, "CsparseMatrix"))
})

test_that("labels of two classes are written as -1 and 1", {
  file <- tempfile()
  on.exit(unlink(file))
  write_libsvm(diag(2), c(TRUE, FALSE), file)
  expect_equal(read_libsvm(file)$y, c(1, -1))
  write_libsvm(diag(2), factor(c("b", "b"), levels = c("a", "b")), file)
  expect_equal(read_libsvm(file)$y, c(1, 1))
  expect_error(write_libsvm(diag(2), c("a", "b"), file), "`y` must be", class = "hofm_error_input")
  for (time in c("Date", "POSIXct", "difftime")) {
    expect_error(write_libsvm(diag(2), structure(c(TRUE, FALSE), class = time), file), "`y` must be", class = "hofm_error_input")
  }
})

test_that("a malformed line is an error with its number and its text", {
  bad <- c("x 1:1", "nan 1:1", "Inf 1:1", "NA 1:1", "1,2 1:1", "1:1", "1 1", "1 a:1", "1 -1:1", "1 1.5:1", "1 1:", "1 1:x", "1 1:NaN",
           "1 1:-inf", "1 1:1e999", "1 1:1:1", "1 2:1 2:1", "1 2:1 1:1 2:0", "1 99999999999:1", "1 qid:a 1:1", "1 1:1 qid:3", "1 0x1:1")
  for (line in bad) {
    text <- paste0("# first\n1 1:1\n\n", line, "\n1 1:1\n")
    e <- expect_error(read_text(text), class = "hofm_error_file")
    expect_equal(e$line, 4)
    expect_equal(e$text, line)
    expect_match(conditionMessage(e), line, fixed = TRUE)
  }
  e <- expect_error(read_text(as.raw(c(0x31, 0x20, 0x00, 0xff, 0x0a))), class = "hofm_error_file")
  expect_equal(e$text, "1 \\x00\\xff")
})

test_that("messages about lines read well", {
  said <- function(text, ...) {
    with_file(text, function(file) sub(file, "train.txt", tryCatch(read_libsvm(file, ...), error = conditionMessage), fixed = TRUE))
  }
  expect_snapshot(writeLines(c(
    said("1 1:0.5\n1 3:nan 4:1\n"), said("1,3 1:0.5"), said("1 3:1 2:1 3:1"), said("2 7:1", n_features = 5), said("1 2=7"), said("\n")
  )))
})

test_that("an index that would make a matrix of gigabytes is refused, unless the number of features is given", {
  e <- expect_error(read_text("1 1:1\n1 2147483645:1\n"), "index 2147483645 is above", class = "hofm_error_file")
  expect_equal(e$line, 2)
  expect_match(conditionMessage(e), "`n_features`", fixed = TRUE)
  expect_equal(largest_index(64e9), 2^26)
  expect_equal(largest_index(2^28), 2^24)
  expect_error(read_text(sprintf("1 %d:1", 2^26 + 1)), class = "hofm_error_file")
  expect_equal(dim(read_text("1 29890095:1")$x), c(1L, 29890095L))
  expect_equal(dim(read_text("1 70000000:1", n_features = 70000000)$x), c(1L, 70000000L))
  expect_equal(dim(read_text("1 1:1", n_features = 2^27)$x), c(1L, 2^27))
  expect_error(check_features(2^28, memory = 2^29), "`n_features` must be smaller", class = "hofm_error_input")
  expect_equal(check_features(2^27, memory = 2^29), 2^27)
})

test_that("random damage to a good file ends in a matrix or in a classed error", {
  good <- charToRaw("1 1:0.5 2:3\n-1 3:1e-5 # x\r\n2 qid:3 1:1\n")
  outcome <- seeded(3, replicate(500, {
    bytes <- good
    bytes[sample(length(bytes), 2)] <- as.raw(sample(c(0:255, utf8ToInt(":.,#qe-+\n ")), 2, TRUE))
    tryCatch(if (validObject(read_text(bytes)$x)) "data", hofm_error_file = function(e) "error",
             error = function(e) conditionMessage(e))
  }))
  expect_setequal(outcome, c("data", "error"))
})

test_that("what is no file, or cannot be read or written, is a classed error, and leaves what was there", {
  missing <- file.path(tempdir(), "no such folder", "file.txt")
  expect_error(read_libsvm(missing), "is not a file", class = "hofm_error_file")
  expect_error(read_libsvm(tempdir()), "is not a file", class = "hofm_error_file")
  expect_error(read_libsvm(1), "`file` must be", class = "hofm_error_input")
  expect_error(read_libsvm(c("a", "b")), "`file` must be", class = "hofm_error_input")
  expect_error(read_text("1 1:1", n_features = 0), "`n_features` must be", class = "hofm_error_input")
  expect_error(read_text("1 1:1", base = 2), "`base` must be", class = "hofm_error_input")
  expect_error(read_text("1 1:1", zero_based = TRUE), "Unknown argument", class = "hofm_error_input")
  expect_error(read_text("# nothing\n"), "holds no data", class = "hofm_error_file")
  expect_error(write_libsvm(diag(2), 1:2, missing), class = "hofm_error_file")
  expect_error(write_libsvm(diag(2), 1:2, tempdir()), "directory", class = "hofm_error_file")
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  file <- file.path(folder, "data.txt")
  writeLines("precious", file)
  expect_error(write_libsvm(diag(2), 1:3, file), "`y` must have one value", class = "hofm_error_input")
  expect_error(write_libsvm(diag(c(1, NA)), 1:2, file), "`x` must be finite", class = "hofm_error_input")
  expect_error(write_libsvm("a", 1, file), "`x` must be a matrix", class = "hofm_error_input")
  expect_error(replace_file(file, function(put) {
    put(charToRaw("half"))
    stop("interrupted")
  }), "interrupted")
  expect_equal(readLines(file), "precious")
  expect_equal(list.files(folder, all.files = TRUE, no.. = TRUE), "data.txt")
})

test_that("a compressed file that was cut off is an error, not less data", {
  x <- seeded(4, matrix(rnorm(20000), 1000))
  file <- tempfile(fileext = ".gz")
  on.exit(unlink(file))
  write_libsvm(x, x[, 1], file)
  whole <- readBin(file, "raw", file.size(file))
  for (share in c(0.3, 0.9)) {
    writeBin(whole[seq_len(length(whole) * share)], file)
    expect_error(read_libsvm(file), "was cut off", class = "hofm_error_file")
  }
  writeBin(c(whole, whole), file)
  expect_equal(nrow(read_libsvm(gzfile(file))$x), 2000)
  expect_error(read_libsvm(file), "several such files in one", class = "hofm_error_file")
})

test_that("a fit to the data that were read is the fit to the data that were written", {
  x <- small_matrix(names = NULL)
  y <- small_response(x)
  file <- tempfile()
  on.exit(unlink(file))
  write_libsvm(x, y, file)
  data <- read_libsvm(file)
  expect_identical(coef(quick_fit(data$x, data$y)), coef(quick_fit(x, y)))
})
