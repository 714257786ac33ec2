# How does the time of an epoch grow with the order, the nonzeros per row, the rank and the rows? Each line of the table is a size;
# the last of a series has the fitted exponent in its note, where 1 is linear. The series on the order starts at 2, where an epoch
# has costs that do not depend on it, so its exponent may be below 1.
base <- if (smoke) list(n = 100, d = 30, filled = 4, m = 2, k = 2) else list(n = 20000, d = 2000, filled = 20, m = 3, k = 16)
series <- if (smoke) list(order = 2:3, nonzeros = c(3, 5)) else
  list(order = 2:8, nonzeros = c(10, 20, 40, 80), rank = c(8, 16, 32, 64), rows = c(5000, 10000, 20000, 40000, 80000))
solvers <- c("cd", "lbfgs")

epoch_at <- function(size, solver) {
  job <- synthetic_job(size$n, size$d, size$filled)
  on.exit(unlink(job$folder, recursive = TRUE))
  control <- hofm_control(init_sd = 0.1, sweep = "single", threads = 1, max_iter = 3, tol = 0, seed = 1, keep_fitted = FALSE)
  fits <- replicate(runs, epoch_seconds(fit_block(job$x, job$y, m = size$m, k = size$k, solver = solver, control = control)))
  min(fits)
}
field <- c(order = "m", nonzeros = "filled", rank = "k", rows = "n")
rows <- list()
for (solver in solvers) for (name in names(series)) {
  say("growth of ", solver, " with ", name)
  seconds <- vapply(series[[name]], function(value) {
    size <- base
    size[[field[[name]]]] <- value
    epoch_at(size, solver)
  }, 0)
  note <- sprintf("%s = %g", name, series[[name]])
  note[length(note)] <- sprintf("%s; exponent %.2f", note[length(note)], exponent(series[[name]], seconds))
  rows <- c(rows, Map(function(s, n) result(paste("growth,", solver), "synthetic", threads = 1, seconds = s, note = n), seconds, note))
}
do.call(rbind, rows)
