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
  replace_file(link, function(put) put(charToRaw("new\n")))
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
