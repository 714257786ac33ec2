# The folders of the core are floors: a header includes its own floor and those below, never one above. ARCHITECTURE.md draws them.
floors <- list(
  base = character(), data = "base", model = c("base", "data"), simd = c("base", "data", "model"),
  eval = c("base", "data", "model", "simd"), solve = c("base", "data", "model", "simd", "eval"),
  bayes = c("base", "data", "model", "simd", "eval", "solve"), stats = "base",
  links = c("base", "data", "model", "simd", "eval", "stats"), io = c("base", "data"))

core_folder <- function() {
  folder <- test_path("..", "..", "src", "hofm")
  skip_if_not(dir.exists(folder), "not in the sources: the installed package has no headers")
  folder
}

included_floors <- function(file) {
  lines <- grep("^#include \"", readLines(file), value = TRUE)
  if (length(lines)) expect_match(lines, "^#include \"hofm/", all = TRUE, info = file)
  unique(sub("^#include \"hofm/([a-z]+)/.*", "\\1", lines))
}

test_that("no header of the core includes one of a floor above", {
  folder <- core_folder()
  expect_setequal(list.dirs(folder, full.names = FALSE, recursive = FALSE), names(floors))
  for (floor in names(floors)) for (file in list.files(file.path(folder, floor), full.names = TRUE)) {
    expect_identical(setdiff(included_floors(file), c(floor, floors[[floor]])), character(), info = file)
  }
})

test_that("the core has never heard of R", {
  files <- list.files(core_folder(), "[.]h$", recursive = TRUE, full.names = TRUE)
  expect_gt(length(files), 30)
  for (file in files) expect_no_match(readLines(file), "Rcpp|Rinternals|SEXP|R_xlen_t", info = file)
})

test_that("every header says first what lives there", {
  for (file in list.files(core_folder(), "[.]h$", recursive = TRUE, full.names = TRUE)) {
    expect_match(readLines(file, n = 1), "^// [A-Z].{20,}", info = file)
  }
})
