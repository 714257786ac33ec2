# Usage: Rscript tools/run-testthat.R FILE
# Runs all of tests/testthat over the installed package and saves one row per test in FILE. It runs in an R of its own,
# so that a test that kills R leaves no FILE behind.

library(testthat)
library(hofm)

results <- test_dir("tests/testthat", package = "hofm", load_package = "installed", stop_on_failure = FALSE,
                    reporter = ProgressReporter$new(show_praise = FALSE, max_failures = Inf, update_interval = Inf))
columns <- c("file", "test", "failed", "skipped", "error", "warning", "real")
saveRDS(as.data.frame(results)[columns], commandArgs(trailingOnly = TRUE))
