# Usage: Rscript tools/sanitize.R [REGEXP]
# Builds the core's tests and the package with the address and undefined behaviour sanitizers in .build/sanitize, and
# runs all tests of both under them: every programme of tests/cpp with every instruction set, every file of
# tests/testthat in a process of its own. REGEXP chooses programmes and files by name; the environment variable PARTS,
# "core" or "package", one of the two. Ends with what was run, what was clean, and the first line of each report.

source("tools/library.R")

place <- file.path(getwd(), ".build", "sanitize")
library_path <- file.path(place, "library")
logs <- file.path(place, "logs")
flags <- "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined"
minutes_each <- 30

# Reports go to files, so that those of processes which a test starts are found as well. R leaves much allocated when it
# ends.
sanitizer_options <- function(name) {
  log <- file.path(logs, name)
  c(ASAN_OPTIONS = paste0("detect_leaks=0:allocator_may_return_null=1:log_path=", log),
    UBSAN_OPTIONS = paste0("halt_on_error=1:print_stacktrace=1:log_path=", log))
}

as_env <- function(variables) sprintf("%s=%s", names(variables), shQuote(variables))

# Runs a command, its output in logs/NAME.out, and returns its status. 0 minutes are no limit.
run <- function(name, command, arguments, env, minutes = minutes_each) {
  out <- file.path(logs, paste0(name, ".out"))
  suppressWarnings(system2(command, arguments, stdout = out, stderr = out, env = env, timeout = 60 * minutes))
}

# The line that says what was found, of each report of a programme or file; reports are named NAME.PID.
reports_of <- function(name) {
  files <- list.files(logs, full.names = TRUE)
  own <- startsWith(basename(files), paste0(name, "."))
  files <- files[own & grepl("^[0-9]+$", substring(basename(files), nchar(name) + 2))]
  unlist(lapply(files, function(file) {
    lines <- readLines(file, warn = FALSE)
    hit <- grep("ERROR: |runtime error: ", lines)
    first <- if (length(hit)) lines[hit[1]] else lines[1]
    place <- grep("src/(hofm/)?([a-z]+/)?[a-z_0-9]+[.](h|cpp):[0-9]+", lines, value = TRUE)
    place <- setdiff(trimws(place), first)
    paste0(sub("^==[0-9]+==", "", first), if (length(place)) paste0(" | ", place[1]))
  }))
}

# One row for a programme or file that was run: its name, and what was found, "" for nothing.
outcome <- function(name, trouble) {
  found <- unique(c(reports_of(name), trouble))
  message(sprintf("  %-40s %s", name, if (length(found)) found[1] else "clean"))
  if (length(found)) data.frame(name = name, found = found) else data.frame(name = name, found = "")
}

build_core <- function() {
  message("hofm: building the core's tests with sanitizers")
  jobs <- paste0("-j", max(1L, parallel::detectCores(), na.rm = TRUE))
  status <- run("build-core", "make", c("-k", "-C", "tests/cpp", jobs, "build",
                                        paste0("BIN=", shQuote(file.path(place, "cpp")))),
                as_env(c(CXXFLAGS = flags)), minutes = 0)
  if (status != 0) give_up("the core's tests could not be built; see .build/sanitize/logs/build-core.out")
}

# A user's Makevars replaces R's own flags, for compiling and for linking. The package is not loaded at the end: that would need the
# runtime, with which a compiler takes ten times as long.
build_package <- function() {
  message("hofm: building the package with sanitizers, which takes several minutes")
  makevars <- file.path(place, "Makevars")
  jobs <- paste0("MAKEFLAGS = -j", max(1L, parallel::detectCores(), na.rm = TRUE))
  writeLines(c(jobs, paste("CXX17FLAGS =", flags), paste("SHLIB_CXX17LDFLAGS = -shared", flags)), makevars)
  sources <- file.path(place, "source")
  unlink(sources, recursive = TRUE)
  dir.create(sources)
  file.copy(c("DESCRIPTION", "NAMESPACE", "LICENSE", "R", "src", "data", "inst", "man"), sources, recursive = TRUE)
  status <- run("build-package", file.path(R.home("bin"), "R"),
                c("CMD", "INSTALL", "--no-test-load", "--preclean", paste0("--library=", shQuote(library_path)), shQuote(sources)),
                as_env(c(R_MAKEVARS_USER = makevars)), minutes = 0)
  if (status != 0) give_up("the package could not be built; see .build/sanitize/logs/build-package.out")
}

# The runtime must come first in every process that loads the package.
under_sanitizers <- function(name) {
  runtime <- normalizePath(system2("gcc", "-print-file-name=libasan.so", stdout = TRUE))
  libraries <- paste(c(library_path, .libPaths()), collapse = .Platform$path.sep)
  as_env(c(sanitizer_options(name), LD_PRELOAD = runtime, R_LIBS = libraries, NOT_CRAN = "true"))
}

# "best" is what the processor has; "avx2" and "generic" are tried where that is more.
core_outcomes <- function(chosen) {
  programmes <- chosen(list.files(file.path(place, "cpp"), "^test-[a-z_]+$"))
  runs <- expand.grid(road = c("best", "avx2", "generic"), programme = programmes, stringsAsFactors = FALSE)
  do.call(rbind, Map(function(road, programme) {
    name <- paste0(programme, "-", road)
    env <- as_env(c(sanitizer_options(name), HOFM_ISA = road))
    status <- run(name, file.path(place, "cpp", programme), character(), env)
    outcome(name, if (status != 0) paste("ended with status", status))
  }, runs$road, runs$programme))
}

package_outcomes <- function(chosen) {
  files <- chosen(sub("[.]R$", "", list.files("tests/testthat", "^test-.*[.]R$")))
  do.call(rbind, lapply(files, function(file) {
    results <- file.path(logs, paste0(file, ".rds"))
    filter <- paste0("^", sub("^test-", "", file), "$")
    status <- run(file, rscript, c("tools/run-testthat.R", shQuote(results), shQuote(filter)), under_sanitizers(file))
    outcome(file, if (file.exists(results)) failures(readRDS(results)) else paste("ended with status", status))
  }))
}

failures <- function(tests) {
  bad <- tests$test[tests$failed > 0 | tests$error]
  if (length(bad)) paste("test failed:", bad)
}

summarise <- function(kind, outcomes) {
  clean <- length(unique(outcomes$name[outcomes$found == ""]))
  message(sprintf("hofm: %s: %d run, %d clean", kind, length(unique(outcomes$name)), clean))
  bad <- outcomes[outcomes$found != "", ]
  if (nrow(bad)) message(paste0("  ", bad$name, ": ", bad$found, collapse = "\n"))
  nrow(bad)
}

arguments <- commandArgs(trailingOnly = TRUE)
chosen <- function(names) if (length(arguments)) grep(arguments[1], names, value = TRUE) else names
rscript <- file.path(R.home("bin"), "Rscript")
unlink(logs, recursive = TRUE)
for (folder in c(logs, library_path)) dir.create(folder, recursive = TRUE, showWarnings = FALSE)
parts <- strsplit(Sys.getenv("PARTS", "core package"), " ", fixed = TRUE)[[1]]
found <- 0
if ("core" %in% parts) {
  build_core()
  found <- found + summarise("programmes of the core, one for each instruction set", core_outcomes(chosen))
}
if ("package" %in% parts) {
  build_package()
  found <- found + summarise("test files of the package", package_outcomes(chosen))
}
message("hofm: ", found, " finding(s) by sanitizers; whole reports are in .build/sanitize/logs")
quit(status = if (found > 0) 1 else 0)
