# Usage: Rscript tools/fuzz-worker.R calls|json|files SEED FROM TO FILE
# Makes trials FROM to TO, and writes into FILE, a line each, fields between tabs:
#   at NUMBER TARGET TEXT              before a trial
#   kind KIND                          after it
#   found NUMBER TARGET KIND MESSAGE TEXT   as well, if it is a finding
#   done                               at the end, without which the process has died
# Started by tools/fuzz.R, which looks into FILE to tell who hangs.

Sys.setenv(TZ = "UTC")
arguments <- commandArgs(trailingOnly = TRUE)
part <- arguments[1]
number <- as.numeric(arguments[2:4])

library(hofm)
for (helper in c("data", "fuzz", "fuzz_calls")) source(sprintf("tests/testthat/helper-%s.R", helper))
if (part != "calls") source(sprintf("tools/fuzz-%s.R", part))

# Calls of everything that is exported.
call_trials <- function(seed) {
  targets <- fuzz_targets(fuzz_pool())
  list(prepare = function(k) fuzz_call(seed, k, targets), text = fuzz_text, run = fuzz_outcome)
}

trials <- switch(part, calls = call_trials, json = json_trials, files = file_trials)(number[1])
report <- file(arguments[5], "wb")
say <- function(...) {
  fields <- gsub("[\t\r\n]+", " ", iconv(c(...), "UTF-8", "UTF-8", sub = "byte"))
  writeLines(paste(fields, collapse = "\t"), report, useBytes = TRUE)
  flush(report)
}

setwd(tempdir())                 # a spoilt file name is still one
sink(nullfile())
grDevices::pdf(NULL)
for (k in seq(number[2], number[3])) {
  trial <- trials$prepare(k)
  text <- trials$text(trial)
  say("at", k, trial$target, text)
  outcome <- trials$run(trial)
  say("kind", outcome$kind)
  if (!outcome$kind %in% c("answer", "refused")) say("found", k, trial$target, outcome$kind, outcome$message, text)
  if (length(grDevices::dev.list()) != 1) {
    grDevices::graphics.off()
    grDevices::pdf(NULL)
  }
}
say("done")
