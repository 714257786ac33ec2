# Shards: what is written is read back; what is damaged is an error that names the file.

test_that("a matrix comes back from its shards as it was", {
  data <- small()
  shards <- write_shards(data$x, new_dir(), y = data$y, weights = data$weights, offset = data$offset, shard_nonzeros = 40)
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
    shards <- write_shards(x, dir <- tempfile(), y = c(1, 2, 3))
    expect_identical(together(shards)$x, x)
    unlink(dir, recursive = TRUE)
  }
})

test_that("ones of rows of one length take 4 bytes each, besides a header and the response", {
  x <- Matrix::sparseMatrix(i = rep(1:500, 4), j = c(sample(10, 500, TRUE), 10 + sample(10, 500, TRUE), 20 + sample(10, 500, TRUE),
                                                     30 + sample(10, 500, TRUE)), x = 1)
  shards <- write_shards(x, dir <- new_dir(), y = rep(0:1, 250))
  expect_lte(file.size(file.path(dir, shards$files$file)), 4 * 2000 + 500 + 256 + 5 * 64)
})

test_that("a file that is missing, cut, turned in a bit, exchanged or foreign is an error that names it", {
  data <- small()
  dir <- new_dir()
  shards <- write_shards(data$x, dir, y = data$y, shard_nonzeros = 40)
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
  expect_error(hofm(shards, rank = 1, lambda = 0.01, solver = "lbfgs"), basename(file), class = "hofm_error_file")
  expect_error(hofm(shards, rank = 1, lambda = 0.01, solver = "adagrad"), basename(file), class = "hofm_error_file")
})

test_that("a damaged manifest is refused before R reads it, and so is a folder without", {
  data <- small(20)
  dir <- new_dir()
  write_shards(data$x, dir, y = data$y)
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
  expect_error(write_shards(data$x, dir, y = data$y), "already", class = "hofm_error_file")
})

test_that("some of the files are shards by themselves", {
  data <- small()
  shards <- write_shards(data$x, new_dir(), y = data$y, shard_nonzeros = 40)
  expect_identical(together(shards[2:3]), lapply(together(shards), function(v) {
    at <- seq_len(shards$files$rows[1])
    if (is.matrix(v)) v[-at, ][seq_len(sum(shards$files$rows[2:3])), ] else v[-at][seq_len(sum(shards$files$rows[2:3]))]
  }))
  expect_identical(length(shards[-1]), length(shards) - 1L)
  for (bad in list(0, 99, c(1, 1), NA, "a", 1.5, integer())) expect_error(shards[bad], class = "hofm_error_input")
  expect_output(print(shards), "60 rows and 7 features")
})

test_that("what was being written when it failed or was killed does not open, and leaves no files behind if it failed", {
  dir <- new_dir()
  count <- 0
  failing <- function() {
    count <<- count + 1
    if (count > 3) stop("the line is dead")
    data.frame(a = rnorm(50), y = rnorm(50))
  }
  error <- expect_error(write_shards(failing, dir, y ~ a, shard_nonzeros = 20), "the line is dead", class = "hofm_error_input")
  expect_identical(list.files(dir), character())
  expect_error(open_shards(dir), "manifest", class = "hofm_error_file")
  expect_error(open_shards(file.path(dir, "nowhere")), "not there", class = "hofm_error_file")

  skip_on_os("windows")
  code <- sprintf("library(hofm); n <- 0; write_shards(function() { n <<- n + 1; if (n > 2) Sys.sleep(60); data.frame(a = rnorm(50), y = 1:50 + 0) }, %s, y ~ a, shard_nonzeros = 20)",
                  deparse(dir))
  pid <- start_r(code)
  wait_for(length(list.files(dir, "^shard")) >= 4)
  tools::pskill(pid, 9)
  expect_gt(length(list.files(dir)), 3)
  expect_error(open_shards(dir), "manifest", class = "hofm_error_file")
  # the same folder may be used again
  shards <- write_shards(data.frame(a = 1:3 + 0, y = 1:3 + 0), dir, y ~ a)
  expect_identical(list.files(dir), c("manifest.hofm", "shard-000001.hofm"))
  expect_identical(together(shards)$y, c(1, 2, 3))
})

test_that("a folder that rows are being appended to is what it was before until they are all there", {
  dir <- new_dir()
  frame <- function(n, towns) data.frame(a = seq_len(n) + 0, town = rep_len(towns, n), y = rnorm(n))
  before <- write_shards(frame(20, c("b", "a")), dir, y ~ a + town, shard_nonzeros = 10)
  count <- 0
  failing <- function() {
    count <<- count + 1
    if (count > 2) stop("no more")
    frame(10, "late")
  }
  expect_error(write_shards(failing, dir, append = TRUE, shard_nonzeros = 10), "no more", class = "hofm_error_input")
  expect_identical(open_shards(dir, verify = TRUE), before)
  after <- write_shards(frame(10, c("late", "a")), dir, append = TRUE, shard_nonzeros = 10)
  expect_identical(after$files[seq_len(length(before)), ], before$files)
  expect_identical(after$features, c(before$features, "townlate"))
  expect_identical(dim(after), c(30, 4))
  expect_identical(after$columns$weight[4], 5)
  expect_error(write_shards(frame(2, "a"), dir, y ~ a, append = TRUE), "formula", class = "hofm_error_input")
  expect_error(write_shards(matrix(1:4 + 0, 2), dir, y = 1:2, append = TRUE), "data frame", class = "hofm_error_input")
})

test_that("a shard of another folder is told by its dictionary", {
  one <- write_shards(data.frame(f = c("a", "b"), y = 1:2 + 0), new_dir(), y ~ f)
  other <- write_shards(data.frame(f = c("a", "c"), y = 1:2 + 0), new_dir(), y ~ f)
  file.copy(file.path(other$dir, other$files$file), one$dir, overwrite = TRUE)
  expect_error(open_shards(one$dir), "shard-000001.hofm\" has other features", class = "hofm_error_file")
})

test_that("a full disk is an error within seconds that names the file, and nothing opens", {
  skip_on_cran()
  skip_if_not(Sys.info()[["sysname"]] == "Linux" && identical(unname(Sys.info()["effective_user"]), "root"), "needs a small file system")
  mount <- new_dir()
  dir.create(mount)
  skip_if(system2("mount", c("-t", "tmpfs", "-o", "size=64k", "tmpfs", mount), stdout = FALSE, stderr = FALSE) != 0, "mount is not allowed")
  on.exit(system2("umount", mount), add = TRUE, after = FALSE)
  dir <- file.path(mount, "s")
  error <- expect_error(write_shards(matrix(rnorm(40000), 4000), dir, y = rnorm(4000), shard_nonzeros = 2000), "shard-", class = "hofm_error_file")
  expect_match(conditionMessage(error), "disk full", fixed = TRUE)
  expect_identical(list.files(dir), character())
})

test_that("rows may be more than 2^31", {
  shards <- write_shards(matrix(c(1, 0), 2), new_dir(), y = c(0, 1))
  shards$files <- shards$files[rep(1, 3), ]
  shards$files$file <- paste0("s", 1:3)
  shards$files$rows <- rep(2^31, 3)
  shards$rows <- 3 * 2^31
  shards$nonzeros <- 2^40
  expect_identical(dim(shards), c(3 * 2^31, 1))
  expect_output(print(shards), "6,442,450,944 rows and 1 features, 1,099,511,627,776 nonzeros")
  expect_identical(dim(shards[2:3]), c(2^32, 1))
})
