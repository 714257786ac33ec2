# Reading and writing libsvm text: MB per second of processor time, one thread.
library(hofm)

set.seed(1)
n <- 2e5
d <- 1e5
per_row <- 40
make <- function(values) {
  Matrix::sparseMatrix(rep(seq_len(n), each = per_row), sample.int(d, n * per_row, TRUE), x = values, dims = c(n, d))
}
sets <- list("ones" = make(rep(1, n * per_row)), "short decimals" = make(round(runif(n * per_row, 0.01, 100), 2)),
             "17 digits" = make(rnorm(n * per_row)))
y <- sample(c(-1, 1), n, TRUE)
file <- tempfile(fileext = ".txt")
for (name in names(sets)) {
  write <- replicate(3, system.time(write_libsvm(sets[[name]], y, file))[1:2] |> sum())
  read <- replicate(3, system.time(read_libsvm(file, n_features = d, base = 1))[1:2] |> sum())
  data <- read_libsvm(file, n_features = d, base = 1)
  stopifnot(identical(data$x, sets[[name]]), identical(data$y, y))
  size <- file.size(file) / 1e6
  cat(sprintf("%-15s %4.0f MB: written at %4.0f MB/s, read at %4.0f MB/s\n", name, size, size / stats::median(write),
              size / stats::median(read)))
}
unlink(file)
