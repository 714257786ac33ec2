# Data as libsvm text: how long do reading and writing take? MB per second are in the note.
size <- if (smoke) list(n = 200, d = 100, per_row = 5) else list(n = 2e5, d = 1e5, per_row = 40)
set.seed(1)
cells <- size$n * size$per_row
with_values <- function(values) {
  Matrix::sparseMatrix(rep(seq_len(size$n), each = size$per_row), sample.int(size$d, cells, TRUE), x = values,
                       dims = c(size$n, size$d))
}
sets <- list("ones" = with_values(rep(1, cells)), "two decimals" = with_values(round(stats::runif(cells, 0.01, 100), 2)),
             "17 digits" = with_values(stats::rnorm(cells)))
y <- sample(c(-1, 1), size$n, TRUE)
file <- tempfile(fileext = ".txt")
rows <- lapply(names(sets), function(name) {
  write <- beside_reference(function() elapsed(write_libsvm(sets[[name]], y, file)), min(runs, 3))
  read <- beside_reference(function() elapsed(read_libsvm(file, n_features = size$d, base = 1)), min(runs, 3))
  stopifnot(identical(read_libsvm(file, n_features = size$d, base = 1)$x, sets[[name]]))
  size <- file.size(file) / 1e6
  row <- function(question, time) {
    result(question, name, seconds = time$seconds, yardstick = time$yardstick, sense = "of an epoch",
           note = sprintf("%.0f MB, %.0f MB per second", size, size / stats::median(time$seconds)))
  }
  rbind(row("libsvm text read", read), row("libsvm text written", write))
})
unlink(file)
do.call(rbind, rows)
