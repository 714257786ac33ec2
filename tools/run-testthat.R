# Usage: Rscript tools/run-testthat.R FILE [FILTER]
# Runs tests/testthat over the installed package, or those files whose names match FILTER, and saves one row per test
# in FILE. It runs in an R of its own, so that a test that kills R leaves no FILE behind.

# Packages that deal with dates ask for the time zone in a way that fails loudly in containers, unless it is set.
if (!nzchar(Sys.getenv("TZ"))) Sys.setenv(TZ = "UTC")
library(testthat)
library(hofm)

arguments <- commandArgs(trailingOnly = TRUE)
filter <- if (length(arguments) > 1) arguments[2]
results <- test_dir("tests/testthat", filter = filter, package = "hofm", load_package = "installed", stop_on_failure = FALSE,
                    reporter = ProgressReporter$new(show_praise = FALSE, max_failures = Inf, update_interval = Inf))
columns <- c("file", "test", "failed", "skipped", "error", "warning", "real")
table <- as.data.frame(results)[columns]
# A file that skips itself before its first test leaves no trace in the results: it counts as one skipped test.
files <- list.files("tests/testthat", "^test-.*[.]R$")
if (!is.null(filter)) files <- files[grepl(filter, sub("^test-(.*)[.]R$", "\\1", files))]
silent <- setdiff(files, table$file)
if (length(silent) > 0)
  table <- rbind(table, data.frame(file = silent, test = "the whole file", failed = 0, skipped = TRUE, error = FALSE, warning = 0, real = 0))
saveRDS(table, arguments[1])
