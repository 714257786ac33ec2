# Folders of shards, and processes that are killed.

small <- function(n = 60, d = 7, seed = 3) {
  set.seed(seed)
  x <- matrix(round(rnorm(n * d), 3) * rbinom(n * d, 1, 0.4), n, d, dimnames = list(NULL, letters[seq_len(d)]))
  list(x = x, y = x[, 1] + x[, 2] * x[, 3] + rnorm(n, sd = 0.1), weights = runif(n, 0.5, 2), offset = rnorm(n))
}

new_dir <- function(env = parent.frame()) {
  dir <- tempfile("shards")
  do.call(on.exit, list(bquote(unlink(.(dir), recursive = TRUE)), add = TRUE), envir = env)
  dir
}

together <- function(shards) {
  parts <- lapply(seq_along(shards$files$file), function(q) hofm:::read_shard(shards, q))
  list(x = as.matrix(do.call(rbind, lapply(parts, `[[`, "x"))), y = unlist(lapply(parts, `[[`, "y")),
       weights = unlist(lapply(parts, `[[`, "weights")), offset = unlist(lapply(parts, `[[`, "offset")))
}

# R code in a process of its own, which is not waited for; the number of the process.
start_r <- function(code, env = character()) {
  file <- tempfile(fileext = ".R")
  pid <- tempfile("pid")
  writeLines(c(sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
               sprintf("writeLines(as.character(Sys.getpid()), %s)", deparse(paste0(pid, ".part"))),
               sprintf("invisible(file.rename(%s, %s))", deparse(paste0(pid, ".part")), deparse(pid)), code), file)
  system2(file.path(R.home("bin"), "Rscript"), file, wait = FALSE, stdout = FALSE, stderr = FALSE, env = env)
  wait_for(file.exists(pid))
  as.integer(readLines(pid))
}

wait_for <- function(condition, seconds = 60) {
  env <- parent.frame()
  condition <- substitute(condition)
  end <- Sys.time() + seconds
  while (!eval(condition, env)) {
    if (Sys.time() > end) stop("waited in vain for ", deparse(condition))
    Sys.sleep(0.02)
  }
}

# A child that was killed stays in the table of processes, as a zombie, until its parent asks how it ended.
is_running <- function(pid) {
  status <- tryCatch(suppressWarnings(readLines(sprintf("/proc/%d/stat", pid), 1)), error = function(e) NULL)
  if (is.null(status)) tools::pskill(pid, 0) else !grepl("[)] Z ", status)
}

binary <- function(n = 300, d = 12, seed = 5) {
  set.seed(seed)
  x <- matrix(rbinom(n * d, 1, 0.3), n, d)
  f <- x[, 1] * x[, 2] * 2 - x[, 3] + rnorm(n, sd = 0.3)
  list(x = x, f = f)
}

sharded <- function(x, y, ..., size = 150, env = parent.frame()) {
  dir <- tempfile("shards")
  do.call(on.exit, list(bquote(unlink(.(dir), recursive = TRUE)), add = TRUE), envir = env)
  write_shards(x, dir, y = y, ..., shard_nonzeros = size)
}

start_at <- function(x, k = 2, seed = 9) {
  set.seed(seed)
  list(intercept = 0.1, w = rnorm(ncol(x), sd = 0.1), P = list("2" = matrix(rnorm(ncol(x) * k, sd = 0.1), ncol(x))))
}

# What the bytes of sums are: the loss, and the slopes.
sum_numbers <- function(bytes, exponent) {
  halves <- matrix(readBin(bytes[-(1:64)], "integer", length(bytes) / 4), 2)   # 64-bit integers below 2^52
  (halves[1, ] + ifelse(halves[1, ] < 0, 2^32, 0) + halves[2, ] * 2^32) * 2^exponent
}
