# Usage: Rscript tools/fuzz.R [PART ...] with the environment variables SEED, FROM, CALLS, LIBFUZZER_SECONDS and JOBS
# Attacks the installed package. Parts:
#   calls   CALLS random calls of everything that is exported, from number FROM on (tests/testthat/helper-fuzz.R)
#   json    a tenth as many mutated files for read_hofm_json() (tools/fuzz-json.R)
#   files   a twentieth as many trials of writers killed, files cut and bits flipped (tools/fuzz-files.R)
#   libsvm  LIBFUZZER_SECONDS of arbitrary bytes for the reader of libsvm text, by libFuzzer (tests/cpp/fuzz-libsvm.cpp)
# Each part ends with what it tried and what it found. SEED and FROM with CALLS=1 make one trial again.
#
# Trials run in processes of their own with limited memory. One that dies or hangs is a finding; the rest goes on in a
# new process.

source("tools/library.R")

setting <- function(name, default) {
  text <- Sys.getenv(name)
  value <- if (nzchar(text)) suppressWarnings(as.numeric(text)) else default
  if (is.na(value) || value < 0 || value != round(value)) give_up(name, " must be a whole number, not '", text, "'.")
  value
}

limits <- list(seconds = 10, start = 120, gigabytes = 6, batch = 500)

# ---- A process that makes trials -----------------------------------------------------------------------------

# Trials `from` to `to`. What it does it says in a file, line by line: see tools/fuzz-worker.R.
start_worker <- function(part, seed, from, to) {
  report <- tempfile("fuzz", fileext = ".txt")
  file.create(report)
  command <- sprintf("ulimit -v %.0f; exec %s tools/fuzz-worker.R %s %.0f %.0f %.0f %s", limits$gigabytes * 2^20,
                     shQuote(file.path(R.home("bin"), "Rscript")), part, seed, from, to, shQuote(report))
  log <- tempfile("fuzz", fileext = ".log")
  process <- processx::process$new("sh", c("-c", command), stdout = log, stderr = log, cleanup_tree = TRUE)
  list(process = process, report = report, log = log, from = from, to = to, at = from - 1, since = Sys.time(),
       text = "", target = "")
}

report_lines <- function(worker) {
  strsplit(readLines(worker$report, warn = FALSE, encoding = "UTF-8"), "\t", fixed = TRUE)
}

# The worker with the trial it is at, and since when.
look_at <- function(worker) {
  lines <- report_lines(worker)
  begun <- Filter(function(line) line[1] == "at" && length(line) == 4, lines)
  if (length(begun)) {
    last <- begun[[length(begun)]]
    if (as.numeric(last[2]) != worker$at) worker$since <- Sys.time()
    worker$at <- as.numeric(last[2])
    worker$target <- last[3]
    worker$text <- last[4]
  }
  worker$done <- any(vapply(lines, function(line) line[1] == "done", NA))
  worker
}

findings_in <- function(worker) {
  found <- Filter(function(line) line[1] == "found" && length(line) == 6, report_lines(worker))
  do.call(rbind, lapply(found, function(line) {
    data.frame(k = as.numeric(line[2]), target = line[3], kind = line[4], message = line[5], text = line[6])
  }))
}

tally_in <- function(worker) {
  kinds <- Filter(function(line) line[1] == "kind", report_lines(worker))
  vapply(kinds, `[`, "", 2)
}

ending <- function(worker, kind, message) {
  data.frame(k = worker$at, target = worker$target, kind = kind, message = message, text = worker$text)
}

# What the process said last, for one that died.
last_words <- function(worker) {
  lines <- grep("[^[:space:]]", readLines(worker$log, warn = FALSE), value = TRUE)
  trap <- grep("caught|terminate|what[(][)]|Error|error", lines, value = TRUE)
  words <- paste(utils::head(c(trap, utils::tail(lines, 1)), 2), collapse = " ")
  paste0("status ", worker$process$get_exit_status(), ": ", substring(words, 1, 200))
}

# ---- All trials of a part -----------------------------------------------------------------------------------

# NULL while a worker goes on; else list(findings =, next_from =).
settled <- function(worker, limit) {
  waited <- as.numeric(Sys.time() - worker$since, units = "secs")
  begun <- worker$at >= worker$from
  if (!begun && waited > limits$start) give_up("a worker did not start within ", limits$start, " s.")
  if (begun && waited > limit) {
    worker$process$kill_tree()
    return(list(findings = ending(worker, "hang", sprintf("over %d s", limit)), next_from = worker$at + 1))
  }
  if (worker$process$is_alive()) return(NULL)
  worker <- look_at(worker)
  if (worker$done) return(list(findings = NULL, next_from = worker$to + 1))
  if (!begun && worker$at < worker$from) give_up("a worker could not start: ", last_words(worker))
  list(findings = ending(worker, "crash", last_words(worker)), next_from = worker$at + 1)
}

# Another process may have taken the time: a hang is one only if the trial hangs alone as well, and with more time.
confirmed <- function(part, seed, finding) {
  if (is.null(finding) || finding$kind != "hang") return(finding)
  worker <- start_worker(part, seed, finding$k, finding$k)
  repeat {
    worker <- look_at(worker)
    end <- settled(worker, 3 * limits$seconds)
    if (!is.null(end)) return(end$findings)
    Sys.sleep(0.2)
  }
}

run_trials <- function(part, seed, from, calls, jobs) {
  waiting <- split_batches(from, calls)
  running <- list()
  findings <- NULL
  kinds <- character()
  while (length(waiting) || length(running)) {
    while (length(running) < jobs && length(waiting)) {
      running <- c(running, list(start_worker(part, seed, waiting[[1]][1], waiting[[1]][2])))
      waiting <- waiting[-1]
    }
    Sys.sleep(0.2)
    running <- lapply(running, look_at)
    ends <- lapply(running, settled, limit = limits$seconds)
    for (at in which(!vapply(ends, is.null, NA))) {
      worker <- running[[at]]
      kinds <- c(kinds, tally_in(worker))
      findings <- rbind(findings, findings_in(worker), confirmed(part, seed, ends[[at]]$findings))
      if (ends[[at]]$next_from <= worker$to) waiting <- c(list(c(ends[[at]]$next_from, worker$to)), waiting)
      unlink(c(worker$report, worker$log))
    }
    running <- running[vapply(ends, is.null, NA)]
  }
  list(findings = findings, kinds = table(kinds))
}

split_batches <- function(from, calls) {
  if (calls == 0) return(list())
  starts <- seq(from, from + calls - 1, by = limits$batch)
  lapply(starts, function(start) c(start, min(start + limits$batch, from + calls) - 1))
}

# ---- The report ---------------------------------------------------------------------------------------------

# Messages that differ only in numbers and in what is quoted are one finding.
group_of <- function(findings) {
  bare <- gsub("[0-9][0-9.e+-]*", "#", gsub("'[^']*'|\"[^\"]*\"|`[^`]*`|\u2018[^\u2019]*\u2019", "'..'",
                                            findings$message))
  paste(findings$target, findings$kind, bare, sep = ": ")
}

print_findings <- function(findings, part, seed) {
  groups <- split(findings, group_of(findings))
  for (group in groups[order(-vapply(groups, nrow, 0L))]) {
    first <- group[which.min(nchar(group$text)), ]
    message(sprintf("  %s, %s, %d times: %s", first$target, first$kind, nrow(group), first$message))
    message(sprintf("    make fuzz PARTS=%s SEED=%.0f FROM=%.0f CALLS=1    %s", part, seed, first$k, first$text))
  }
  length(groups)
}

run_part <- function(part, seed, from, calls, jobs) {
  begun <- Sys.time()
  message(sprintf("hofm: fuzz %s: trials %.0f to %.0f of seed %.0f", part, from, from + calls - 1, seed))
  result <- run_trials(part, seed, from, calls, jobs)
  found <- if (is.null(result$findings)) 0 else print_findings(result$findings, part, seed)
  message(sprintf("hofm: fuzz %s: %.0f trials (%s), %d different finding(s), %.0f s", part, calls,
                  paste(names(result$kinds), result$kinds, collapse = ", "), found,
                  as.numeric(Sys.time() - begun, units = "secs")))
  found
}

# ---- Arbitrary bytes ----------------------------------------------------------------------------------------

# libFuzzer learns from its corpus, which is kept from one run to the next.
run_libsvm <- function(seed, seconds) {
  begun <- Sys.time()
  place <- file.path(getwd(), ".build", "fuzz")
  corpus <- file.path(place, "corpus")
  for (folder in c(corpus, file.path(place, "found"))) dir.create(folder, recursive = TRUE, showWarnings = FALSE)
  write_seeds(corpus)
  flags <- "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined"
  log <- file.path(place, "libsvm.log")
  status <- system2("make", c("-C", "tests/cpp", paste0("BIN=", shQuote(place)), "CXX=clang++",
                              paste0("CXXFLAGS=", shQuote(flags)),
                              shQuote(file.path(place, "fuzz-libsvm"))), stdout = log, stderr = log)
  if (status != 0) give_up("the target for libFuzzer could not be built; see .build/fuzz/libsvm.log")
  status <- system2(file.path(place, "fuzz-libsvm"),
                    c(shQuote(corpus), paste0("-seed=", seed + 1), paste0("-max_total_time=", seconds),
                      "-max_len=4096", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1",
                      paste0("-artifact_prefix=", shQuote(file.path(place, "found", "")))),
                    stdout = log, stderr = log)
  report_libsvm(readLines(log, warn = FALSE), status, begun)
}

report_libsvm <- function(lines, status, begun) {
  tried <- sub(".*: *", "", grep("stat::number_of_executed_units", lines, value = TRUE))
  first <- grep("ERROR: |runtime error: |Test unit written", lines, value = TRUE)
  if (status != 0) message("  ", paste(unique(utils::head(first, 4)), collapse = "\n  "))
  edges <- sub(".* cov: ([0-9]+) .*", "\\1", utils::tail(grep(" cov: ", lines, value = TRUE), 1))
  message(sprintf("hofm: fuzz libsvm: %s inputs, %s edges reached, %d finding(s), %.0f s", paste(tried, collapse = ""),
                  paste(edges, collapse = ""),
                  status != 0, as.numeric(Sys.time() - begun, units = "secs")))
  as.integer(status != 0)
}

# Two bytes of settings, then text: see the target.
write_seeds <- function(corpus) {
  texts <- c("1 1:0.5 3:2\n-1 2:1 # only one\n", "0 qid:7 1:0 3:-4#x\n2.5", "+1\t1:1e-3\r\n\n# c\n-1e300 2:4.9e-324\n",
             "1 0:5 2:1\n3 1:.5\n")
  for (k in seq_along(texts)) writeBin(c(as.raw(c(k, 3 * k)), charToRaw(texts[k])),
                                       file.path(corpus, paste0("seed", k)))
}

# ---- All of it ----------------------------------------------------------------------------------------------

parts <- commandArgs(trailingOnly = TRUE)
if (!length(parts)) parts <- c("calls", "json", "files", "libsvm")
unknown <- setdiff(parts, c("calls", "json", "files", "libsvm"))
if (length(unknown)) give_up("there is no part '", unknown[1], "': calls, json, files or libsvm.")
seed <- setting("SEED", 1)
from <- setting("FROM", 1)
calls <- setting("CALLS", 5000)
jobs <- max(1, setting("JOBS", max(1, parallel::detectCores(), na.rm = TRUE)))
share <- c(calls = 1, json = 10, files = 20)
found <- vapply(parts, function(part) {
  if (part == "libsvm") run_libsvm(seed, setting("LIBFUZZER_SECONDS", 60))
  else run_part(part, seed, from, ceiling(calls / share[[part]]), jobs)
}, 0)
quit(status = if (sum(found) > 0) 1 else 0)
