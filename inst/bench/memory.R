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
  "fit <- suppressWarnings(hofm(job$x, job$y, order = 2, rank = 8, lambda = 1e-3, standardize = FALSE, solver = '%s', loss = 'squared',
     control = hofm_control(max_iter = 2, tol = 0, seed = 1, init_sd = 0.1, keep_fitted = FALSE)))", solver)

job <- synthetic_job(size$n, size$d, size$filled, files = FALSE)
data <- tempfile(fileext = ".rds")
saveRDS(job[c("x", "y")], data, compress = FALSE)
input <- as.numeric(utils::object.size(job$x)) + 8 * size$n
model <- 8 * (8 + 1) * size$d
base <- peak("", data)

# Link pairs: every pair has two long rows, which are never written out.
set.seed(1)
counts <- if (smoke) list(nodes = 50, words = 100, filled = 5, pairs = 500) else
  list(nodes = 2000, words = 20000, filled = 500, pairs = 1e5)
links <- with(counts, {
  features <- function() Matrix::rsparsematrix(nodes, words, nnz = nodes * filled)
  ends <- data.frame(i = sample(nodes, pairs, TRUE), j = sample(nodes, pairs, TRUE), y = sample(0:1, pairs, TRUE))
  link_pairs(features(), features(), ends[!duplicated(ends[1:2]), ])
})
link_data <- tempfile(fileext = ".rds")
saveRDS(list(x = links), link_data, compress = FALSE)
link_code <- "fit <- suppressWarnings(hofm(job$x, order = 3, rank = 8, lambda = 1e-3, standardize = FALSE, negatives = 'given', common = FALSE, tied = FALSE,
     control = hofm_control(max_iter = 2, tol = 0, seed = 1, init_sd = 0.1, sweep = 'single', keep_fitted = FALSE)))"
say("memory of link pairs")
link_more <- peak(link_code, link_data) - peak("", link_data)
link_row <- result("peak memory", "link pairs", order = 3, rank = 8, seconds = NA, note = sprintf(
  "cd: input %.0f MB, the fit takes %.0f MB more; its %g pairs as rows would be %.0f MB", as.numeric(utils::object.size(links)) / 1e6,
  link_more / 1e6, counts$pairs, 2 * counts$filled * counts$pairs * 12 / 1e6))

rbind(link_row, do.call(rbind, lapply(c("cd", "lbfgs", "adagrad"), function(solver) {
  say("memory of ", solver)
  more <- peak(fit_code(solver), data) - base
  result("peak memory", "synthetic", order = 2, rank = 8, seconds = NA,
         note = sprintf("%s: input %.0f MB, model %.1f MB, the fit takes %.0f MB more: %.2f times the input in all", solver,
                        input / 1e6, model / 1e6, more / 1e6, (input + more) / input))
})))
