# What shards are made of: text, data frames, functions that return them.

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
  shards <- write_shards(frame, new_dir(), y = "class", shard_nonzeros = 10)
  expect_gt(length(shards), 3)
  design <- hofm:::learn_design(frame[1:2])
  expect_identical(together(shards)$x, as.matrix(design$x))
  expect_identical(shards$features, design$blueprint$features)
  fit <- hofm(shards, rank = 1, lambda = 0.01, control = hofm_control(seed = 1, threads = 1, max_iter = 5))
  expect_equal(predict(fit, frame, type = "link"), predict(fit, shards, type = "link"), tolerance = 1e-12)
  expect_setequal(levels(predict(fit, shards, type = "class")), c("no", "yes"))
})

test_that("a function of data frames gives the rows of the whole, with levels in the order in which they come", {
  set.seed(2)
  frame <- data.frame(u = round(rnorm(90), 2), f = sample(c("b", "a", "c"), 90, TRUE), m = I(matrix(rbinom(180, 1, 0.5), 90)), y = rnorm(90),
                      w = runif(90, 1, 2), o = rnorm(90))
  frame$f[89] <- "last of all"
  parts <- split(seq_len(90), rep(1:3, c(40, 1, 49)))
  reader <- function(parts) {
    function() {
      if (!length(parts)) return(NULL)
      at <- parts[[1]]
      parts <<- parts[-1]
      frame[at, ]
    }
  }
  shards <- write_shards(reader(parts), new_dir(), y ~ log(u^2 + 1) + f + m, weights = "w", offset = "o", shard_nonzeros = 30)
  expect_identical(shards$features, c("log(u^2 + 1)", "fa", "fb", "fc", "m1", "m2", "flast of all"))
  back <- together(shards)
  slow <- cbind(log(frame$u^2 + 1), frame$f == "a", frame$f == "b", frame$f == "c", frame$m, frame$f == "last of all")
  expect_equal(back$x, unname(slow), ignore_attr = TRUE)
  expect_identical(back[c("y", "weights", "offset")], list(y = frame$y, weights = frame$w, offset = frame$o))
  # and a fit predicts for data frames, whatever the order of its columns
  fit <- hofm(shards, rank = 2, lambda = 0.01, standardize = FALSE, control = hofm_control(seed = 1, threads = 1, max_iter = 10))
  expect_equal(predict(fit, frame) + frame$o, predict(fit, shards), tolerance = 1e-12)
  expect_identical(unique(hofm:::feature_groups(fit$blueprint, 7)[c(2:4, 7)]), "f")
  expect_identical(hofm:::feature_labels(fit)[7], "f = last of all")
})

test_that("offset() in a formula, a missing intercept and bases fixed by the first rows are kept", {
  frame <- data.frame(u = 1:40 / 10, e = runif(40), y = rnorm(40))
  shards <- write_shards(frame, new_dir(), y ~ poly(u, 2) + offset(e) - 1)
  back <- together(shards)
  expect_equal(back$x, unname(unclass(poly(frame$u, 2))[, 1:2]), ignore_attr = TRUE)
  expect_identical(back$offset, frame$e)
  fit <- hofm(shards, order = 1, lambda = 0.01, control = hofm_control(seed = 1, threads = 1))
  expect_identical(fit$intercept, 0)
  expect_equal(predict(fit, frame), predict(fit, shards), tolerance = 1e-12)
})

test_that("hashing puts the levels of all parts into the same columns, and predicts for data frames", {
  frame <- data.frame(u = round(rnorm(60), 2), f = sample(letters, 60, TRUE), y = rnorm(60))
  shards <- write_shards(frame, new_dir(), y ~ ., hash_bits = 8, shard_nonzeros = 30)
  expect_identical(length(shards$features), 256L)
  number <- hofm:::hash_words_cpp("u|", 8L) + 1L
  columns <- stats::setNames(hofm:::hash_words_cpp(paste0("f=", letters), 8L), letters) + 1L
  slow <- matrix(0, 60, 256)
  for (i in 1:60) {
    slow[i, number] <- slow[i, number] + frame$u[i]
    slow[i, columns[[frame$f[i]]]] <- slow[i, columns[[frame$f[i]]]] + 1
  }
  expect_identical(together(shards)$x, slow)
  fit <- hofm(shards, rank = 1, lambda = 0.01, control = hofm_control(seed = 1, threads = 1, max_iter = 5))
  expect_equal(predict(fit, frame), predict(fit, shards), tolerance = 1e-12)
  expect_error(write_shards(frame, new_dir(), y ~ ., hash_bits = 40), "hash_bits", class = "hofm_error_input")
})

test_that("rows with something missing are left out by a formula, and an error without one", {
  frame <- data.frame(a = c(1, NA, 3, 4), f = c("u", "v", NA, "v"), y = c(1, 2, 3, 4))
  shards <- write_shards(frame, new_dir(), y ~ a + f)
  expect_identical(shards$left_out, 2)
  expect_identical(together(shards)$y, c(1, 4))
  expect_output(print(shards), "without 2 rows")
  expect_error(write_shards(frame, new_dir(), y = "y"), "row 2", class = "hofm_error_input")
})

test_that("classes are those of hofm() whichever comes first", {
  for (first in list(c("yes", "no"), c("no", "yes"))) {
    frame <- data.frame(a = c(rnorm(10), rnorm(10, 3)), class = rep(first, each = 10))
    shards <- write_shards(frame, new_dir(), class ~ a)
    fit <- hofm(shards, order = 1, lambda = 0.01, standardize = FALSE, solver = "lbfgs", control = hofm_control(seed = 1, tol = 1e-10))
    slow <- hofm(class ~ a, frame, order = 1, lambda = 0.01, standardize = FALSE, solver = "lbfgs", control = hofm_control(seed = 1, tol = 1e-10))
    expect_identical(fit$response$levels, c("no", "yes"))
    expect_equal(predict(fit, frame), predict(slow, frame), tolerance = 1e-5)
    expect_equal(as.numeric(auc(shards, fit)), as.numeric(auc(frame$class, predict(slow, frame))), tolerance = 1e-12)
    expect_equal(fit$null.deviance, slow$null.deviance, tolerance = 1e-10)
  }
  three <- function() data.frame(a = 1:3 + 0, class = c("a", "b", "c"))
  expect_error(write_shards(three, new_dir(), class ~ a), "two classes", class = "hofm_error_input")
})

test_that("other packages' readers are functions like any other", {
  frame <- data.frame(a = 1:30 / 4, f = rep(c("u", "v", "w"), 10), y = rnorm(30))
  slow <- together(write_shards(frame, new_dir(), y ~ .))
  files <- c(tempfile(), tempfile())
  on.exit(unlink(files))
  one_by_one <- function(read) {
    left <- files
    function() {
      if (!length(left)) return(NULL)
      rows <- read(left[1])
      left <<- left[-1]
      rows
    }
  }
  for (q in 1:2) saveRDS(frame[1:15 + 15 * (q - 1), ], files[q])
  expect_identical(together(write_shards(one_by_one(readRDS), new_dir(), y ~ .)), slow)
  if (requireNamespace("data.table", quietly = TRUE)) {
    for (q in 1:2) data.table::fwrite(frame[1:15 + 15 * (q - 1), ], files[q])
    expect_equal(together(write_shards(one_by_one(data.table::fread), new_dir(), y ~ .)), slow, tolerance = 1e-14)
  }
  if (requireNamespace("nanoparquet", quietly = TRUE)) {
    for (q in 1:2) nanoparquet::write_parquet(frame[1:15 + 15 * (q - 1), ], files[q])
    expect_identical(together(write_shards(one_by_one(nanoparquet::read_parquet), new_dir(), y ~ .)), slow)
  }
  if (requireNamespace("RSQLite", quietly = TRUE)) {
    connection <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
    on.exit(DBI::dbDisconnect(connection), add = TRUE)
    DBI::dbWriteTable(connection, "rows", frame)
    result <- DBI::dbSendQuery(connection, "SELECT * FROM rows")
    next_rows <- function() if (!DBI::dbHasCompleted(result)) DBI::dbFetch(result, 7)
    expect_identical(together(write_shards(next_rows, new_dir(), y ~ .)), slow)
    DBI::dbClearResult(result)
  }
})

test_that("what does not suit the source is an error that names it", {
  frame <- data.frame(a = 1:4 + 0, b = 1:4 + 0, y = 1:4 + 0)
  for (bad in list(quote(write_shards(frame, new_dir())), quote(write_shards(frame, new_dir(), y = "none")),
                   quote(write_shards(frame, new_dir(), y ~ a:b)), quote(write_shards(frame, new_dir(), y ~ a, y = "y")),
                   quote(write_shards(as.matrix(frame), new_dir(), y ~ a)), quote(write_shards("file", new_dir(), y = 1)),
                   quote(write_shards(function() 7, new_dir(), y ~ a)), quote(write_shards(function() NULL, new_dir(), y ~ a)),
                   quote(write_shards(function() frame, new_dir(), y ~ a, weights = 1:4)), quote(write_shards(7, new_dir())))) {
    expect_error(eval(bad), class = "hofm_error_input", info = deparse(bad))
  }
  changing <- local({
    n <- 0
    function() {
      n <<- n + 1
      list(data.frame(a = 1, y = 1), data.frame(a = "x", y = 1))[n][[1]]
    }
  })
  expect_error(write_shards(changing, new_dir(), y ~ a), "must be numeric", class = "hofm_error_columns")
})
