test_that("no file of the package defines a name that another one defines", {
  files <- list.files(test_path("..", "..", "R"), "[.]R$", full.names = TRUE)
  skip_if(!length(files), "not in the sources: the installed package has no R files")
  names <- unlist(lapply(files, function(file) {
    lines <- readLines(file, encoding = "UTF-8")
    unique(sub(" <-.*", "", grep("^[[:alpha:]][[:alnum:]_.]* <-", lines, value = TRUE)))
  }))
  expect_equal(names[duplicated(names)], character())
})

test_that("a file that is replaced keeps its mode, and a link stays a link", {
  skip_on_os("windows")
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  file <- file.path(folder, "data.txt")
  link <- file.path(folder, "link.txt")
  writeLines("old", file)
  Sys.chmod(file, "640")
  file.symlink(file, link)
  with_target(link, function(put) put(charToRaw("new\n")))
  expect_equal(readLines(file), "new")
  expect_equal(format(file.mode(file)), "640")
  expect_true(nzchar(Sys.readlink(link)))
  expect_setequal(list.files(folder, all.files = TRUE, no.. = TRUE), c("data.txt", "link.txt"))
})

test_that("a file that turns out to hold other than what was written is an error", {
  file <- tempfile()
  on.exit(unlink(file))
  expect_error(write_whole(file, FALSE, function(put) {
    put(charToRaw("four"))
    writeLines("longer than four", file)
  }, file), "only .* of 4 bytes", class = "hofm_error_file")
})

# A folder of its own for `code`, which gets its name.
in_folder <- function(code) {
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  code(folder)
}

make_pipe <- function(folder, name = "pipe") {
  skip_on_os("windows")
  skip_if(!nzchar(Sys.which("mkfifo")), "mkfifo is not installed")
  pipe <- file.path(folder, name)
  system2("mkfifo", shQuote(pipe))
  pipe
}

# Rows by which a loss of bytes, or two lines made one, would be seen.
numbered_rows <- function(n) sprintf("%d 1:%d 2:%d", seq_len(n), seq_len(n), rev(seq_len(n)))

expect_numbered <- function(data, n) {
  expect_identical(data$y, as.double(seq_len(n)))
  expect_identical(unname(as.matrix(data$x)), cbind(as.double(seq_len(n)), as.double(rev(seq_len(n)))))
}

test_that("a pipe is read once and whole, compressed or not", {
  n <- 30000
  in_folder(function(folder) {
    pipe <- make_pipe(folder)
    for (pack in c("cat", "gzip -c", "bzip2 -c", "xz -c")) {
      if (!nzchar(Sys.which(sub(" .*", "", pack)))) next
      plain <- file.path(folder, "plain.txt")
      writeLines(numbered_rows(n), plain)
      system(sprintf("timeout 20 %s %s > %s &", pack, shQuote(plain), shQuote(pipe)))
      expect_numbered(read_libsvm(pipe), n)
    }
    con <- gzfile(plain, "wb")
    writeLines(numbered_rows(n), con)
    close(con)
    system(sprintf("timeout 20 head -c 20000 %s > %s &", shQuote(plain), shQuote(pipe)))
    e <- expect_error(read_libsvm(pipe), "was cut off", class = "hofm_error_file")
    expect_match(conditionMessage(e), pipe, fixed = TRUE)
    expect_no_match(conditionMessage(e), "use `file = gzfile")
  })
})

test_that("standard input is read once and whole", {
  n <- 30000
  in_folder(function(folder) {
    skip_on_os("windows")
    skip_if(!file.exists("/dev/stdin"), "there is no /dev/stdin")
    plain <- file.path(folder, "plain.txt")
    script <- file.path(folder, "script.R")
    writeLines(numbered_rows(n), plain)
    writeLines(c("data <- hofm::read_libsvm('/dev/stdin')",
                 sprintf("cat(identical(data$y, as.double(1:%d)), all(data$x[, 2] == %d:1))", n, n)), script)
    run <- paste(shQuote(file.path(R.home("bin"), "Rscript")), shQuote(script))
    libraries <- sprintf("R_LIBS=%s", shQuote(paste(.libPaths(), collapse = ":")))
    expect_equal(system(sprintf("cat %s | %s %s", shQuote(plain), libraries, run), intern = TRUE), "TRUE TRUE")
    expect_equal(system(sprintf("%s %s < %s", libraries, run, shQuote(plain)), intern = TRUE), "TRUE TRUE")
  })
})

test_that("writers write into a pipe and leave it one", {
  skip_if_broken("jsonlite")
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x))
  writers <- list(function(file) write_libsvm(x, x[, 1], file), function(file) write_hofm_json(fit, file),
                  function(file) export_libfm(fit, file))
  for (write in writers) in_folder(function(folder) {
    pipe <- make_pipe(folder)
    link <- file.path(folder, "link")
    file.symlink(pipe, link)
    write(file.path(folder, "plain"))
    for (target in c(pipe, link)) {
      got <- file.path(folder, "got")
      system(sprintf("(timeout 20 cat %s > %s; touch %s.done) &", shQuote(pipe), shQuote(got), shQuote(got)))
      write(target)
      for (wait in 1:100) if (file.exists(paste0(got, ".done"))) break else Sys.sleep(0.05)
      expect_identical(readLines(got), readLines(file.path(folder, "plain")))
      expect_identical(file_kind(pipe), "stream")
      unlink(c(got, paste0(got, ".done")))
    }
    expect_setequal(list.files(folder, all.files = TRUE, no.. = TRUE), c("pipe", "link", "plain"))
  })
})

# The twins of /dev/null and /dev/full in a folder of their own.
test_that("a device stays a device, and one that takes nothing is an error", {
  skip_on_os(c("windows", "mac"))
  in_folder(function(folder) {
    null <- file.path(folder, "null")
    full <- file.path(folder, "full")
    disk <- file.path(folder, "disk")
    make <- function(name, device) system2("mknod", c(shQuote(name), device), stderr = FALSE) == 0
    use <- function(name) tryCatch({close(file(name, "wb", raw = TRUE)); TRUE}, warning = function(e) FALSE)
    opens <- make(null, "c 1 3") && make(full, "c 1 7") && use(null)
    skip_if(!opens, "devices can be made, and used, by few users")
    expect_identical(write_libsvm(diag(2), 1:2, null), null)
    expect_identical(file_kind(null), "stream")
    expect_error(write_libsvm(diag(2), 1:2, full), "cannot be written", class = "hofm_error_file")
    expect_identical(file_kind(full), "stream")
    expect_error(read_libsvm(null), "holds no data", class = "hofm_error_file")
    if (make(disk, "b 240 77")) {
      expect_error(write_libsvm(diag(2), 1:2, disk), "neither a file nor a pipe", class = "hofm_error_file")
      expect_error(read_libsvm(disk), "is not a file", class = "hofm_error_file")
      expect_identical(file_kind(disk), "other")
    }
  })
})

test_that("links are followed to their end, there or not, and never replaced", {
  skip_on_os("windows")
  in_folder(function(folder) {
    dir.create(file.path(folder, "deep"))
    place <- function(...) file.path(folder, ...)
    file.symlink("deep/second", place("first"))
    file.symlink("../target.txt", place("deep", "second"))
    for (said in c("made", "replaced")) {
      with_target(place("first"), function(put) put(charToRaw(paste0(said, "\n"))))
      expect_equal(readLines(place("target.txt")), said)
      expect_equal(Sys.readlink(c(place("first"), place("deep", "second"))), c("deep/second", "../target.txt"))
    }
    file.symlink("to-folder", place("round"))
    file.symlink("round", place("to-folder"))
    expect_error(write_libsvm(diag(2), 1:2, place("round")), "leads back to itself", class = "hofm_error_file")
    file.symlink("deep", place("folder"))
    expect_error(write_libsvm(diag(2), 1:2, place("folder")), "is a directory", class = "hofm_error_file")
    file.symlink("no such folder/file", place("nowhere"))
    expect_error(write_libsvm(diag(2), 1:2, place("nowhere")), class = "hofm_error_file")
    expect_equal(list.files(folder, "^[.]", all.files = TRUE, no.. = TRUE), character())
  })
})

# In the sources every line of .Rbuildignore is about a file that is there or that is made there, as .gitignore says.
ignored_by_build <- function() {
  file <- test_path("..", "..", ".Rbuildignore")
  skip_if_not(file.exists(file), "not in the sources: the installed package has no .Rbuildignore")
  readLines(file)
}
any_match <- function(patterns, files) vapply(patterns, function(pattern) any(grepl(pattern, files, perl = TRUE)), NA)

test_that("no line of .Rbuildignore names a file that does not exist", {
  patterns <- ignored_by_build()
  root <- test_path("..", "..")
  here <- c(list.files(root, all.files = TRUE), file.path("tests", list.files(file.path(root, "tests"))))
  made <- gsub("*", "any", gsub("^/|/$", "", readLines(file.path(root, ".gitignore"))), fixed = TRUE)
  expect_identical(patterns[!any_match(patterns, c(".git", here, made, file.path("src", made)))], character())
})

test_that("hidden files of the sources do not get into the package", {
  patterns <- ignored_by_build()
  hidden <- c(".ci", ".git", ".github", ".gitignore")
  expect_identical(Filter(function(file) !any(any_match(patterns, file)), hidden), character())
})
