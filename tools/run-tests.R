# Usage: Rscript tools/run-tests.R [frameworks]
# Runs the tests of the C++ core and those of the package, and ends with one line that counts both:
# `N passed, N failed`, followed by `, N skipped` if any were. Part of a run that dies counts as one failed test more.
# With `frameworks`, runs the tests of the package that need other modelling packages, where none may be skipped.

source("tools/library.R")

tally <- function(passed = 0, failed = 0, skipped = 0) c(passed = passed, failed = failed, skipped = skipped)

tally_line <- function(count) {
  line <- sprintf("%d passed, %d failed", count[["passed"]], count[["failed"]])
  if (count[["skipped"]] > 0) line <- sprintf("%s, %d skipped", line, count[["skipped"]])
  line
}

# The last line of the form above in what a test programme printed, as numbers.
parse_tally <- function(lines) {
  lines <- grep("^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$", lines, value = TRUE)
  if (length(lines) == 0) return(NULL)
  numbers <- as.integer(regmatches(lines, gregexpr("[0-9]+", lines))[[length(lines)]])
  do.call(tally, as.list(numbers))
}

core_tests <- function() {
  if (!file.exists("tests/cpp/Makefile")) return(tally())
  message("hofm: tests of the C++ core")
  log <- tempfile()
  status <- system2("make", c("-C", "tests/cpp", paste0("-j", max(1L, parallel::detectCores(), na.rm = TRUE))), stdout = log, stderr = log)
  lines <- readLines(log)
  writeLines(lines)
  count <- parse_tally(lines)
  if (!is.null(count) && (status == 0) == (count[["failed"]] == 0)) return(count)
  message("hofm: the tests of the C++ core did not build or did not finish (status ", status, ")")
  (if (is.null(count)) tally() else count) + tally(failed = 1)
}

# A test is a test_that() block: failed if anything in it failed, skipped if it skipped, else passed.
tally_tests <- function(tests) {
  failed <- tests$failed > 0 | tests$error
  skipped <- tests$skipped & !failed
  tally(sum(!failed & !skipped), sum(failed), sum(skipped))
}

print_slowest <- function(tests, n = 5) {
  seconds <- sort(tapply(tests$real, tests$file, sum, na.rm = TRUE), decreasing = TRUE)
  message("hofm: slowest test files")
  message(paste(sprintf("  %6.1f s  %s", seconds, names(seconds))[seq_len(min(n, length(seconds)))], collapse = "\n"))
}

package_tests <- function(filter = NULL) {
  message("hofm: tests of the package")
  file <- tempfile(fileext = ".rds")
  status <- system2(file.path(R.home("bin"), "Rscript"), c("tools/run-testthat.R", file, shQuote(filter)), env = "NOT_CRAN=true")
  if (status != 0 || !file.exists(file)) {
    message("hofm: the tests of the package did not finish (status ", status, ")")
    return(tally(failed = 1))
  }
  tests <- readRDS(file)
  print_slowest(tests)
  tally_tests(tests)
}

alone <- identical(commandArgs(trailingOnly = TRUE), "frameworks")
core <- if (alone) tally() else core_tests()
package <- package_tests(if (alone) "^(compare_models|mlr3|model_predictions|parsnip|recipe|tidiers)$")
if (alone && package[["skipped"]] > 0) {
  message("hofm: with all frameworks installed, no test of them may be skipped")
  package <- tally(package[["passed"]], package[["failed"]] + package[["skipped"]])
}
if (sum(package[c("passed", "failed")]) == 0) {
  message("hofm: no test of the package ran")
  package <- package + tally(failed = 1)
}
total <- core + package
message("hofm: C++ core ", tally_line(core), "; package ", tally_line(package))
cat(tally_line(total), "\n", sep = "")
quit(status = if (total[["failed"]] > 0) 1 else 0)
