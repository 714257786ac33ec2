# Shards: what is written is read back; what is damaged is an error that names the file.

small <- function(n = 60, d = 7, seed = 3) {
  set.seed(seed)
  x <- matrix(round(rnorm(n * d), 3) * rbinom(n * d, 1, 0.4), n, d, dimnames = list(NULL, letters[seq_len(d)]))
  list(x = x, y = x[, 1] + x[, 2] * x[, 3] + rnorm(n, sd = 0.1), weights = runif(n, 0.5, 2), offset = rnorm(n))
}

new_dir <- function(env = parent.frame()) {
  dir <- tempfile("shards")
  do.call(on.exit, list(bquote(unlink(.(dir), recursive = TRUE)), add = TRUE), envir = env)
  dir
}

together <- function(shards) {
  parts <- lapply(seq_along(shards$files$file), function(q) hofm:::read_shard(shards, q))
  list(x = as.matrix(do.call(rbind, lapply(parts, `[[`, "x"))), y = unlist(lapply(parts, `[[`, "y")),
       weights = unlist(lapply(parts, `[[`, "weights")), offset = unlist(lapply(parts, `[[`, "offset")))
}

test_that("a matrix comes back from its shards as it was", {
  data <- small()
  shards <- write_shards(data$x, new_dir(), data$y, data$weights, data$offset, shard_nonzeros = 40)
  expect_gt(length(shards), 3)
  expect_identical(dim(shards), c(60, 7))
  back <- together(shards)
  expect_identical(back$x, unname(data$x))
  expect_identical(back[c("y", "weights", "offset")], data[c("y", "weights", "offset")])
  expect_identical(shards$nonzeros, as.double(sum(data$x != 0)))
})

test_that("numbers are kept as narrow as they allow, and exactly", {
  for (values in list(rep(1, 9), c(-128:-125, 123:127), (1:9) / 8, (1:9) / 10, c(1e300, 1:8))) {
    x <- matrix(as.double(values), 3)
    shards <- write_shards(x, dir <- tempfile(), c(1, 2, 3))
    expect_identical(together(shards)$x, x)
    unlink(dir, recursive = TRUE)
  }
})

test_that("ones of rows of one length take 4 bytes each, besides a header and the response", {
  x <- Matrix::sparseMatrix(i = rep(1:500, 4), j = c(sample(10, 500, TRUE), 10 + sample(10, 500, TRUE), 20 + sample(10, 500, TRUE),
                                                     30 + sample(10, 500, TRUE)), x = 1)
  shards <- write_shards(x, dir <- new_dir(), rep(0:1, 250))
  expect_lte(file.size(file.path(dir, shards$files$file)), 4 * 2000 + 500 + 256 + 5 * 64)
})

test_that("text gives the shards of the matrix that it holds, in pieces of any size", {
  data <- small(40)
  file <- tempfile(fileext = ".gz")
  write_libsvm(data$x, data$y, file)
  for (size in c(5, 50, 1e6)) {
    shards <- write_shards(file, dir <- tempfile(), n_features = 7, shard_nonzeros = size)
    back <- together(shards)
    expect_identical(back$x, unname(data$x))
    expect_identical(back$y, data$y)
    unlink(dir, recursive = TRUE)
  }
  writeLines(c("1 1:2", "0 2:1", "1 3=4"), file)
  error <- expect_error(write_shards(file, dir <- tempfile(), shard_nonzeros = 1), class = "hofm_error_file")
  expect_identical(error$line, 3)
  expect_error(open_shards(dir), "manifest", class = "hofm_error_file")
  unlink(c(file, dir), recursive = TRUE)
})

test_that("a data frame has the columns that hofm() makes of it", {
  frame <- data.frame(u = rnorm(30), f = factor(rep(c("a", "b", "late"), c(10, 19, 1))), class = rep(c("no", "yes"), 15))
  shards <- write_shards(frame, new_dir(), "class", shard_nonzeros = 10)
  expect_gt(length(shards), 3)
  design <- hofm:::learn_design(frame[1:2])
  expect_identical(together(shards)$x, as.matrix(design$x))
  expect_identical(shards$features, design$blueprint$features)
  fit <- hofm(shards, rank = 1, control = hofm_control(seed = 1, threads = 1, max_iter = 5))
  expect_equal(predict(fit, frame, type = "link"), predict(fit, shards, type = "link"), tolerance = 1e-12)
  expect_setequal(levels(predict(fit, shards, type = "class")), c("no", "yes"))
})

test_that("a file that is missing, cut, turned in a bit, exchanged or foreign is an error that names it", {
  data <- small()
  dir <- new_dir()
  shards <- write_shards(data$x, dir, data$y, shard_nonzeros = 40)
  file <- file.path(shards$dir, shards$files$file[2])
  whole <- readBin(file, "raw", 1e6)
  refused <- function(bytes, verify = TRUE) {
    writeBin(bytes, file)
    error <- expect_error(open_shards(dir, verify = verify), class = "hofm_error_file")
    expect_match(conditionMessage(error), basename(file), fixed = TRUE)
    expect_identical(error$file, file)
  }
  set.seed(1)
  last <- max(which(whole != as.raw(0)))
  for (at in sample(last, 150)) {
    turned <- whole
    turned[at] <- xor(turned[at], as.raw(2^sample(0:7, 1)))
    writeBin(turned, file)
    result <- tryCatch(open_shards(dir, verify = TRUE), hofm_error_file = function(e) "refused")
    # a bit between two sections is nobody's
    if (!identical(result, "refused")) expect_identical(together(result)$x, unname(data$x))
  }
  for (size in c(0, 1, 100, 255, 256, 300, last - 1)) refused(whole[seq_len(size)])
  refused(readBin(file.path(shards$dir, shards$files$file[1]), "raw", 1e6), verify = FALSE)
  refused(charToRaw(paste(rep("a text", 100), collapse = "\n")), verify = FALSE)
  newer <- whole
  newer[13] <- as.raw(9)
  refused(newer, verify = FALSE)
  unlink(file)
  expect_error(open_shards(dir), basename(file), class = "hofm_error_file")
  expect_error(hofm(shards, rank = 1, solver = "lbfgs"), basename(file), class = "hofm_error_file")
  expect_error(hofm(shards, rank = 1, solver = "adagrad"), basename(file), class = "hofm_error_file")
})

test_that("a damaged manifest is refused before R reads it, and so is a folder without", {
  data <- small(20)
  dir <- new_dir()
  write_shards(data$x, dir, data$y)
  file <- file.path(dir, "manifest.hofm")
  whole <- readBin(file, "raw", 1e6)
  for (at in seq(1, length(whole), length.out = 60)) {
    turned <- whole
    turned[at] <- xor(turned[at], as.raw(4))
    writeBin(turned, file)
    expect_error(open_shards(dir), "manifest", class = "hofm_error_file")
  }
  for (size in c(0, 8, 24, 25, length(whole) - 1)) {
    writeBin(whole[seq_len(size)], file)
    expect_error(open_shards(dir), "manifest", class = "hofm_error_file")
  }
  expect_error(write_shards(data$x, dir, data$y), "already", class = "hofm_error_file")
})

test_that("some of the files are shards by themselves", {
  data <- small()
  shards <- write_shards(data$x, new_dir(), data$y, shard_nonzeros = 40)
  expect_identical(together(shards[2:3]), lapply(together(shards), function(v) {
    at <- seq_len(shards$files$rows[1])
    if (is.matrix(v)) v[-at, ][seq_len(sum(shards$files$rows[2:3])), ] else v[-at][seq_len(sum(shards$files$rows[2:3]))]
  }))
  expect_identical(length(shards[-1]), length(shards) - 1L)
  for (bad in list(0, 99, c(1, 1), NA, "a", 1.5, integer())) expect_error(shards[bad], class = "hofm_error_input")
  expect_output(print(shards), "60 rows and 7 features")
})
