# How much more memory does a fit take than its input and its model? Each fit has a process of its own, whose peak of resident
# memory is compared with that of one that only loads the same data. Linux only.
if (!file.exists("/proc/self/status")) return(NULL)
size <- if (smoke) list(n = 2000, d = 100, filled = 5) else list(n = 400000, d = 20000, filled = 20)

peak <- function(code, data) {
  script <- tempfile(fileext = ".R")
  writeLines(c("library(hofm)", sprintf("job <- readRDS(%s)", deparse(data)), code,
               "cat(sub('[^0-9]*([0-9]+).*', '\\\\1', grep('VmHWM', readLines('/proc/self/status'), value = TRUE)))"), script)
  as.numeric(utils::tail(system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE), 1)) * 1024
}
fit_code <- function(solver) sprintf(
  "fit <- suppressWarnings(hofm(job$x, job$y, order = 2, rank = 8, lambda = 1e-3, solver = '%s', loss = 'squared',
     control = hofm_control(max_iter = 2, tol = 0, seed = 1, init_sd = 0.1, keep_fitted = FALSE)))", solver)

job <- synthetic_job(size$n, size$d, size$filled)
data <- tempfile(fileext = ".rds")
saveRDS(job[c("x", "y")], data, compress = FALSE)
input <- as.numeric(utils::object.size(job$x)) + 8 * size$n
model <- 8 * (8 + 1) * size$d
base <- peak("", data)
do.call(rbind, lapply(c("cd", "lbfgs", "adagrad"), function(solver) {
  say("memory of ", solver)
  more <- peak(fit_code(solver), data) - base
  result("peak memory", "synthetic", order = 2, rank = 8, seconds = NA,
         note = sprintf("%s: input %.0f MB, model %.1f MB, the fit takes %.0f MB more: %.2f times the input in all", solver,
                        input / 1e6, model / 1e6, more / 1e6, (input + more) / input))
}))
