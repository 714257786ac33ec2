# Errors as users read them, one file for each test. testthat has a snapshot of errors, too, but its versions print them
# in different ways, and newer ones leave out the class.
expect_errors <- function(code, name = "errors") {
  calls <- as.list(substitute(code))[-1]
  env <- parent.frame()
  file <- tempfile(fileext = ".txt")
  writeLines(unlist(lapply(calls, error_lines, env)), file, useBytes = TRUE)
  announce_snapshot_file(name = paste0(name, ".txt"))
  expect_snapshot_file(file, paste0(name, ".txt"), compare = compare_file_text)
}

error_lines <- function(call, env) {
  words <- function(e) strsplit(enc2utf8(conditionMessage(e)), "\n", fixed = TRUE)[[1]]
  said <- tryCatch({
    eval(call, env)
    "no error"
  }, error = function(e) c(paste0("<", class(e)[1], ">"), words(e)))
  c(deparse(call, 500L), paste0("  ", said))
}
