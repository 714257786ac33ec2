# Trials with files: writers that are killed, files that are cut, files with a bit turned. A killed writer must leave
# the old file or the new one, whole. A reader must refuse what it is given, or give a right answer. Sourced by
# tools/fuzz-worker.R.
# saveRDS() and readRDS() are R's own. The one writes in place; the other may crash, or return what
# crashes R at the next touch, where a bit is turned. So RDS files are only cut; tools/fuzz.R calls has fits with fields
# that are wrong.

file_trials <- function(seed) {
  pool <- fuzz_pool()
  samples <- sample_files(pool)
  slices <- cut_slices(samples)
  list(prepare = function(k) {
    set.seed((seed * 1000003 + k) %% 2147483647)
    if (k %% 3 == 0) return(kill_trial(pool))
    if (k %% 3 == 1) return(flip_trial(samples))
    slices[[(k %/% 3) %% length(slices) + 1]]          # the same for every seed: in the end every place has been cut
  }, text = function(trial) trial$text, run = function(trial) trial$run(trial))
}

right <- list(kind = "answer", message = "")
wrong <- function(...) list(kind = "wrong", message = paste0(...))

# ---- Writers that are killed --------------------------------------------------------------------------------

writers <- list(
  write_libsvm = function(data, file) write_libsvm(data$x, data$y, file),
  write_hofm_json = function(data, file) write_hofm_json(data$fit, file),
  export_libfm = function(data, file) export_libfm(data$fit, file))

# Large enough for a writer to be in the middle of it most of the time.
large_data <- function(fit, sign) {
  x <- matrix(sign * rnorm(30000), 3000, 10)
  d <- 3000
  fit$features <- paste0("f", seq_len(d))
  fit$w <- stats::setNames(sign * rnorm(d), fit$features)
  fit$P <- list("2" = matrix(rnorm(2 * d), d, 2, dimnames = list(fit$features, NULL)))
  list(x = x, y = x[, 1], fit = fit)
}

kill_trial <- function(pool) {
  writer <- one_of(names(writers))
  ending <- pick("", ".gz")
  fit <- collapsing(hofm(pool$x, pool$y, rank = 2, control = pool$control))
  list(target = writer, text = paste0("killed while it writes file", ending), run = function(trial) {
    run_kills(writers[[writer]], large_data(fit, 1), large_data(fit, -1), ending, times = 8)
  })
}

bytes_in <- function(file) readBin(file, "raw", file.size(file))

run_kills <- function(write, old, new, ending, times) {
  folder <- tempfile("killed")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  file <- file.path(folder, paste0("file", ending))
  versions <- lapply(list(old, new), function(data) {
    write(data, file)
    bytes_in(file)
  })
  for (time in seq_len(times)) {
    job <- parallel::mcparallel(repeat for (data in list(old, new)) write(data, file), silent = TRUE)
    Sys.sleep(stats::runif(1, 0.01, 0.3))
    tools::pskill(job$pid, tools::SIGKILL)
    suppressWarnings(parallel::mccollect(job))
    left <- bytes_in(file)
    whole <- any(vapply(versions, identical, NA, left))
    if (!whole) return(wrong("a killed writer left a file that is neither the old nor the new one"))
  }
  right
}

# ---- Files that are cut or have a bit turned ----------------------------------------------------------------

# Each sample: `bytes`, `ending` and `judge`, a function of the file and of how it was changed, "cut" or "turned".
sample_files <- function(pool) {
  x <- pool$x[1:6, ]
  made <- function(ending, write, judge) {
    file <- tempfile(fileext = ending)
    on.exit(unlink(file))
    write(file)
    list(bytes = bytes_in(file), ending = ending, judge = judge)
  }
  data <- function(file) write_libsvm(x, pool$y[1:6], file, qid = 1:6)
  fit <- pool$fits$formula
  json <- function(file) write_hofm_json(fit, file)
  want <- list(data = x, y = pool$y[1:6], fit = predict(fit, pool$frame))
  list(
    read_libsvm = made(".txt", data, judge_text(want)),
    read_libsvm_gz = made(".txt.gz", data, judge_packed(function(file) read_libsvm(file)$y, want$y)),
    read_hofm_json = made(".json", json, judge_json(want, pool$frame)),
    read_hofm_json_gz = made(".json.gz", json, judge_packed(function(file) predict(read_hofm_json(file), pool$frame),
                                                            want$fit)),
    readRDS = made(".rds", function(file) saveRDS(fit, file), judge_rds(pool$frame)))
}

# A text file has no checksum: what is there must be read as it is. Of a cut file all rows but the last are those of the
# whole one.
judge_text <- function(want) function(file, how) {
  data <- read_libsvm(file)
  if (not_finite(data$x@x) || not_finite(data$y)) return(wrong("values that are not finite"))
  if (how == "turned") return(right)
  n <- length(data$y) - 1
  same <- n < 6 && identical(data$y[seq_len(n)], want$y[seq_len(n)])
  if (same) right else wrong("rows of a cut file are not those of the whole one")
}

# gzip has a checksum: the file is right or is refused.
judge_packed <- function(read, want) function(file, how) {
  if (identical(read(file), want)) right else wrong("a damaged gzip file was read as something else")
}

judge_json <- function(want, frame) function(file, how) {
  value <- predict(read_hofm_json(file), frame)
  if (how == "cut" && !identical(value, want$fit)) return(wrong("a cut file was read as another fit"))
  if (not_finite(value)) wrong("predictions that are not finite") else right
}

judge_rds <- function(frame) function(file, how) {
  fit <- tryCatch(suppressWarnings(readRDS(file)), error = function(e) NULL)
  if (!inherits(fit, "hofm")) return(right)
  if (not_finite(predict(fit, frame))) wrong("predictions that are not finite") else right
}

# The judgement of a changed file; an error of class hofm_error is as good as a right answer.
judged <- function(sample, bytes, how) {
  file <- tempfile(fileext = sample$ending)
  on.exit(unlink(file))
  writeBin(bytes, file)
  tryCatch(suppressWarnings(sample$judge(file, how)), hofm_error = function(e) right, error = unclassed)
}

first_wrong <- function(sample, changes, make, how) {
  for (change in changes) {
    outcome <- judged(sample, make(sample$bytes, change), how)
    if (outcome$kind == "answer") next
    return(list(kind = outcome$kind, message = sprintf("%s (%s at %.0f)", outcome$message, how, change)))
  }
  right
}

flipped <- function(bytes, bit) {
  at <- (bit - 1) %/% 8 + 1
  replace(bytes, at, xor(bytes[at], as.raw(2^((bit - 1) %% 8))))
}

flip_trial <- function(samples, times = 40) {
  name <- one_of(setdiff(names(samples), "readRDS"))
  bits <- sample.int(8 * length(samples[[name]]$bytes), times)
  list(target = name, text = paste(times, "files with a bit turned"),
       run = function(trial) first_wrong(samples[[name]], bits, flipped, "turned"))
}

# Every length from none to one byte less than all, `size` of them to a trial.
cut_slices <- function(samples, size = 60) {
  unlist(lapply(names(samples), function(name) {
    lengths <- seq_along(samples[[name]]$bytes) - 1
    lapply(split(lengths, lengths %/% size), function(lengths) {
      list(target = name, text = sprintf("cut to %d to %d bytes", min(lengths), max(lengths)),
           run = function(trial) first_wrong(samples[[name]], lengths, utils::head, "cut"))
    })
  }), recursive = FALSE)
}
