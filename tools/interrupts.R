# Usage: Rscript tools/interrupts.R [FILTER]
# How long every function that may run long takes to answer Ctrl-C. Each case runs in an R of its own, which is sent
# SIGINT at random moments; what counts is the time from the signal to the handler. Prints a table with the worst of
# several tries, in seconds of the clock and of the processor (which other programs on the machine do not lengthen), and
# how long the work would take. Fails where clock and processor are both above 0.2.
# HOFM_TRIES: tries for each case, 6 unless it says otherwise.

suppressPackageStartupMessages(library(hofm))

limit <- 0.2

# ---- What is interrupted: each makes its data and returns the work ------------------------------------------

sparse_rows <- function(n = 20000, d = 2000) Matrix::rsparsematrix(n, d, 0.02)

some_links <- function(n = 20000, d = 300) {
  A <- Matrix::rsparsematrix(n, d, 0.02)
  split_links(A, Matrix::rsparsematrix(n, d, 0.02), data.frame(i = sample.int(n), j = sample.int(n)), seed = 1)
}

link_fit <- function(split) hofm(split$train, order = 3, rank = 20, control = hofm_control(max_iter = 1, seed = 1))

# Without end: the signal comes first.
endless <- function(...) hofm_control(max_iter = 1e6, tol = 0, seed = 1, ...)

rows_case <- function(solver) function() {
  x <- sparse_rows()
  y <- rnorm(nrow(x))
  function() hofm(x, y, order = 4, rank = 30, solver = solver, control = endless())
}

links_case <- function(solver) function() {
  pairs <- some_links()$train
  function() hofm(pairs, order = 3, rank = 30, solver = solver, control = endless())
}

cv_case <- function(workers) function() {
  x <- sparse_rows(5000, 500)
  y <- rnorm(nrow(x))
  function() cv_hofm(x, y, rank = 8, workers = workers, control = endless())
}

interactions_case <- function(n) function() {
  x <- matrix(rnorm(2 * 6000), 2)
  fit <- hofm(x, rnorm(2), rank = 8, lambda = 1e-8, control = hofm_control(max_iter = 1, seed = 1, init_sd = 1))
  function() interactions(fit, n = n)
}

scores_case <- function(work) function() {
  score <- rnorm(1e7)
  truth <- score + rnorm(1e7) > 1
  function() work(truth, score)
}

rest_case <- function(work) function() {
  split <- some_links(6000)
  fit <- link_fit(split)
  function() work(fit, split$test)
}

predict_case <- function(work) function() {
  x <- sparse_rows(200000)
  fit <- hofm(x[1:1000, ], rnorm(1000), order = 4, rank = 30, control = hofm_control(max_iter = 1, seed = 1))
  function() work(fit, x)
}

text_case <- function(ext, work) function() {
  x <- sparse_rows(100000)
  y <- rnorm(nrow(x))
  file <- tempfile(fileext = ext)
  write_libsvm(x, y, file)
  function() work(x, y, file)
}

simulate_case <- function() {
  x <- sparse_rows(100000)
  fit <- hofm(x, rnorm(nrow(x)), rank = 2, control = hofm_control(max_iter = 1, seed = 1))
  function() simulate(fit, nsim = 100, seed = 1)
}

solvers <- c("cd", "lbfgs", "sgd", "adagrad")
cases <- c(
  stats::setNames(lapply(solvers, rows_case), paste("hofm, rows,", solvers)),
  stats::setNames(lapply(solvers, links_case), paste("hofm, links,", solvers)),
  list(
    "hofm, all negatives" = function() {
      pairs <- some_links()$train
      function() hofm(pairs, order = 3, rank = 30, negatives = "all", control = endless())
    },
    "hofm, loss auc" = function() {
      x <- sparse_rows()
      y <- rnorm(nrow(x)) > 0
      function() hofm(x, y, order = 3, rank = 30, loss = "auc", control = endless())
    },
    "cv_hofm, 1 worker" = cv_case(1),
    "cv_hofm, 2 workers" = cv_case(2),
    "interactions, n = 1e6" = interactions_case(1e6),
    "interactions, n = 1e7" = interactions_case(1e7),
    "auc, 1e7 scores" = scores_case(auc),
    "roc_curve, 1e7 scores" = scores_case(roc_curve),
    "auc_test, 1e7 scores" = scores_case(function(truth, score) auc_test(truth, score, rev(score))),
    "auc, all pairs" = rest_case(auc),
    "roc_curve, all pairs" = rest_case(roc_curve),
    "top_links" = rest_case(function(fit, test) top_links(fit, test, n = 1000)),
    "top_links, by node" = rest_case(function(fit, test) top_links(fit, test, by = "node")),
    "score_links" = rest_case(function(fit, test) score_links(fit, test$A, test$B)),
    "predict" = predict_case(predict),
    "compare_models" = predict_case(function(fit, x) {
      compare_models(list(a = fit, b = fit), x, rep(0:1, length.out = nrow(x)))
    }),
    "simulate" = simulate_case,
    "read_libsvm" = text_case(".txt", function(x, y, file) read_libsvm(file)),
    "read_libsvm, gzip" = text_case(".txt.gz", function(x, y, file) read_libsvm(file)),
    "write_libsvm" = text_case(".txt", function(x, y, file) write_libsvm(x, y, file))))

# ---- One try ------------------------------------------------------------------------------------------------

clock <- function() as.numeric(Sys.time())

# Seconds of the processor, of all threads, as /proc/PID/stat had them.
processor_seconds <- function(stat) {
  ticks <- as.numeric(strsplit(sub("^.*[)] ", "", stat), " ")[[1]][12:13])
  sum(ticks) / 100
}

# A shell sends the signal, so that R does nothing but the work. NULL if the work was over before.
try_once <- function(work, delay) {
  note <- tempfile()
  on.exit(unlink(note))
  pid <- Sys.getpid()
  system(sprintf("(sleep %.3f; date +%%s.%%N > %s; cat /proc/%d/stat >> %s; kill -INT %d) &",
                 delay, note, pid, note, pid))
  ended <- Inf
  answered <- tryCatch({
    suppressWarnings(work())
    ended <- clock()
    repeat Sys.sleep(0.001)
  }, interrupt = function(e) list(clock = clock(), processor = sum(proc.time()[1:2])))
  lines <- readLines(note)
  sent <- as.numeric(lines[1])
  if (ended < sent) return(NULL)
  c(clock = answered$clock - sent, processor = answered$processor - processor_seconds(lines[2]))
}

run_case <- function(name, tries) {
  set.seed(1)
  work <- cases[[name]]()
  try_once(work, 0.3)                                   # byte code is made, and pages are touched
  set.seed(Sys.getpid())
  longest <- if (grepl("^(hofm|cv)", name)) 3 else system.time(work())[["elapsed"]]
  found <- NULL
  while (NROW(found) < tries) found <- rbind(found, try_once(work, runif(1, 0.01, 0.95 * longest)))
  worst <- found[which.max(pmin(found[, "clock"], found[, "processor"])), ]
  cat(sprintf("RESULT %.3f %.3f %.1f\n", worst[["clock"]], worst[["processor"]], longest))
}

# ---- All of them --------------------------------------------------------------------------------------------

run_all <- function(filter) {
  chosen <- grep(filter, names(cases), value = TRUE)
  cat(sprintf("%-26s %8s %10s %10s\n", "case", "clock", "processor", "of"))
  slow <- vapply(chosen, function(name) {
    call <- c("tools/interrupts.R", "--case", shQuote(name))
    said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), call, stdout = TRUE))
    line <- grep("^RESULT", said, value = TRUE)
    if (!length(line)) {
      cat(sprintf("%-26s did not finish\n", name))
      return(TRUE)
    }
    seconds <- as.numeric(strsplit(line, " ")[[1]][-1])
    failed <- min(seconds[1:2]) > limit
    cat(sprintf("%-26s %8.3f %10.3f %10.1f%s\n", name, seconds[1], seconds[2], seconds[3],
                if (failed) "  too slow" else ""))
    failed
  }, NA)
  if (any(slow)) quit(status = 1)
}

arguments <- commandArgs(trailingOnly = TRUE)
if (identical(arguments[1], "--case")) {
  run_case(arguments[2], as.integer(Sys.getenv("HOFM_TRIES", "6")))
} else {
  run_all(c(arguments, ".")[1])
}
