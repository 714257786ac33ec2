# What the benchmarks share: data, the yardstick, and interleaved repetitions.
#
# HOFM_DATA       a folder with one folder per data set (ml100k, nips): A.mtx.gz and, for two node sets, B.mtx.gz
# HOFM_PAIRS      a folder with ml100k-train.tsv.gz and nips-train.tsv.gz: columns i, j, y
# HOFM_YARDSTICK  the source of a textbook coordinate descent on one ANOVA block, built here with g++ -O2

library(hofm)

needed <- function(variable) {
  value <- Sys.getenv(variable)
  if (!nzchar(value)) stop("Set the environment variable ", variable, "; see inst/bench/common.R.", call. = FALSE)
  value
}

build_yardstick <- function() {
  binary <- file.path(tempdir(), "yardstick")
  if (!file.exists(binary)) {
    status <- system2("g++", c("-O2", "-std=c++17", "-o", binary, shQuote(needed("HOFM_YARDSTICK"))))
    if (status != 0) stop("the yardstick does not compile", call. = FALSE)
  }
  binary
}

# Seconds and objective of each epoch. `sd` is fixed at 0.01 in the yardstick.
run_yardstick <- function(set, m, k = 30, lambda = 1e-3, epochs = 10) {
  arguments <- c(file.path(needed("HOFM_DATA"), set), file.path(needed("HOFM_PAIRS"), paste0(set, "-train.tsv.gz")),
                 m, k, lambda, epochs, if (set == "nips") "l2")
  lines <- grep("^epoch", system2(build_yardstick(), arguments, stdout = TRUE), value = TRUE)
  data.frame(seconds = as.numeric(sub(".*epoch +[0-9]+ +([0-9.]+) s.*", "\\1", lines)),
             objective = as.numeric(sub(".*objective ", "", lines)))
}

# The same pairs as link_pairs; rows of nips have unit length.
read_pairs <- function(set) {
  folder <- file.path(needed("HOFM_DATA"), set)
  nodes <- function(file) {
    x <- methods::as(Matrix::readMM(gzfile(file.path(folder, file))), "CsparseMatrix")
    if (set == "nips") x <- x / pmax(sqrt(Matrix::rowSums(x^2)), 1e-300)
    methods::as(x, "CsparseMatrix")
  }
  A <- nodes("A.mtx.gz")
  B <- if (file.exists(file.path(folder, "B.mtx.gz"))) nodes("B.mtx.gz") else A
  pairs <- utils::read.delim(gzfile(file.path(needed("HOFM_PAIRS"), paste0(set, "-train.tsv.gz"))))
  link_pairs(A, B, stats::setNames(pairs, c("i", "j", "y")))
}

# A model of degree m alone, as the yardstick has it.
fit_block <- function(x, ..., m, k = 30, lambda = 1e-3, control) {
  suppressWarnings(hofm(x, ..., order = m, rank = c(rep(0, m - 2), k), lambda = lambda, linear = FALSE, intercept = FALSE,
                        loss = "squared", control = control), classes = "hofm_warning_collapsed")
}
