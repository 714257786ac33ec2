# R CMD build and R CMD check --as-cran in .build; fails on every error, warning and note that the package could help.

source("tools/library.R")
source("tools/frameworks.R")

r_binary <- file.path(R.home("bin"), "R")
r_cmd <- function(...) system2(r_binary, c("CMD", ...))
config <- function(name) system2(r_binary, c("CMD", "config", name), stdout = TRUE)

# What depends on the machine and not on the package is switched off, so that the result is the same with and without
# a network, and whatever flags R itself was built with.
Sys.setenv(
  LC_ALL = "C.UTF-8", LANGUAGE = "en", TZ = "UTC", # without TZ, R asks systemd, which may not be there and says so
  "_R_CHECK_FORCE_SUGGESTS_" = "false",
  "_R_CHECK_CRAN_INCOMING_REMOTE_" = "false", # asks CRAN whether this is a new submission, and follows links
  "_R_CHECK_SYSTEM_CLOCK_" = "false", # asks a server for the time
  "_R_CHECK_COMPILATION_FLAGS_KNOWN_" = paste(config("CFLAGS"), config("CXX17FLAGS"), config("CPPFLAGS"))
)

# --as-cran asks CRAN which of the packages that are not installed have lost their maintainer, and gives up if there is no answer.
# The answer here is that nothing is known.
stub <- file.path(tempfile("cran"), "web", "packages")
dir.create(stub, recursive = TRUE)
saveRDS(data.frame(Package = character(), Maintainer = character()), file.path(stub, "packages.rds"))
Sys.setenv(R_CRAN_WEB = paste0("file://", dirname(dirname(stub))))

# --as-cran wants qpdf to compress the package's PDF documents. There are none, so any command will do.
if (!nzchar(Sys.which("qpdf"))) Sys.setenv(R_QPDF = "true")

# Debian's R compiles with -g, and debugging symbols would count as size of the package.
without_symbols <- function(flags) {
  file <- tempfile("Makevars")
  values <- vapply(flags, function(flag) gsub("(^| )-g( |$)", " ", config(flag)), "")
  writeLines(paste(flags, "=", values), file)
  file
}
Sys.setenv(R_MAKEVARS_USER = without_symbols(c("CFLAGS", "CXXFLAGS", "CXX17FLAGS")))

# Notes about a tool that this machine lacks; they cannot be switched off one by one without losing the whole check.
# Each pattern must match a whole line of the note.
tolerated <- c(
  "Skipping checking HTML validation: no command 'tidy' found",
  "Skipping checking HTML validation: 'tidy' doesn't look like recent enough HTML Tidy.*",
  "Skipping checking math rendering: package 'V8' unavailable",
  " *installed size is +[0-7][.][0-9]Mb", " *sub-directories of 1Mb or more:", " *(doc|libs|R) +[0-9.]+Mb", # compiled code for three instruction sets
  sprintf("(Packages? suggested but not available for checking:)?( ?'(%s)',?)*", paste(c(frameworks, prebuilt), collapse = "|"))
)
# What a package without its vignettes is told; only where there is no pandoc to build them.
vignettes <- nzchar(Sys.which("pandoc"))
if (!vignettes) tolerated <- c(
  tolerated,
  "Maintainer: .*",
  "Package has a VignetteBuilder field but no prebuilt vignette index.",
  "Files 'README.md' or 'NEWS.md' cannot be checked without 'pandoc' being installed."
)

# The parts of 00check.log that did not end well: one character vector each, the line of the check first.
complaints <- function(log) {
  log <- log[seq_len(max(grep("^\\* DONE$", log)) - 1)]
  parts <- split(log, cumsum(startsWith(log, "* ")))
  # The verdict ends the first line, or stands alone on a later one where a check lists the files it runs.
  Filter(function(part) grepl("(ERROR|WARNING|NOTE)$", part[1]) || any(grepl("^ (ERROR|WARNING|NOTE)$", part)), parts)
}

# How many complaints the last line of the log counts, as a check on the reading of the rest.
stated <- function(log) {
  status <- tail(grep("^Status: ", log, value = TRUE), 1)
  numbers <- regmatches(status, gregexpr("[0-9]+", status))
  sum(as.integer(unlist(numbers)))
}

is_tolerated <- function(part) {
  body <- trimws(part[-1])
  body <- body[nzchar(body)]
  grepl("NOTE$", part[1]) && length(body) > 0 &&
    all(grepl(paste0("^(", paste(tolerated, collapse = "|"), ")$"), body))
}

build <- function(sources, arguments) {
  unlink(c(Sys.glob("hofm_*.tar.gz"), "hofm.Rcheck"), recursive = TRUE)
  if (do.call(r_cmd, as.list(c("build", arguments, shQuote(sources)))) != 0) give_up("R CMD build failed; see above.")
  Sys.glob("hofm_*.tar.gz")
}

report <- function(log, vignettes) {
  if (!any(log == "* DONE")) give_up("R CMD check did not finish; see .build/hofm.Rcheck")
  all <- complaints(log)
  if (length(all) != stated(log)) give_up("cannot tell what .build/hofm.Rcheck/00check.log complains of")
  bad <- Filter(Negate(is_tolerated), all)
  if (length(bad) > 0) {
    message(paste(unlist(bad), collapse = "\n"))
    give_up("R CMD check found ", length(bad), " problem(s), listed above; the rest is in .build/hofm.Rcheck")
  }
  message("hofm: R CMD check found nothing to complain of", if (!vignettes) ", without vignettes for want of pandoc")
}

if (!vignettes && nzchar(Sys.getenv("CI"))) give_up("vignettes need pandoc (Debian package pandoc).")
dir.create(".build", showWarnings = FALSE)
sources <- getwd()
setwd(".build")
tarball <- build(sources, if (!vignettes) "--no-build-vignettes")
status <- r_cmd("check", "--as-cran", "--no-manual", if (!vignettes) "--ignore-vignettes", tarball)
log <- "hofm.Rcheck/00check.log"
lines <- if (file.exists(log)) readLines(log, encoding = "UTF-8")
report(gsub("[\u2018\u2019]", "'", lines), vignettes)
if (status != 0) give_up("R CMD check ended with status ", status, ".")
