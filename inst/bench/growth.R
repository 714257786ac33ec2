# How does the time of an epoch of coordinate descent, and of a gradient, grow with the order, the nonzeros per row, the rank and the rows? Each line of the table is a size;
# the last of a series has the fitted exponent in its note, where 1 is linear. The series on the order starts at 2, where an epoch
# has costs that do not depend on it, so its exponent may be below 1.
base <- if (smoke) list(n = 100, d = 30, filled = 4, m = 2, k = 2) else list(n = 20000, d = 2000, filled = 20, m = 3, k = 16)
series <- if (smoke) list(order = 2:3, nonzeros = c(3, 5)) else
  list(order = 2:8, nonzeros = c(10, 20, 40, 80), rank = c(8, 16, 32, 64), rows = c(5000, 10000, 20000, 40000, 80000))

epoch_at <- function(size, what) {
  job <- synthetic_job(size$n, size$d, size$filled, files = FALSE)
  control <- hofm_control(init_sd = 0.1, sweep = "single", extrapolate = FALSE, threads = 1, max_iter = 3, tol = 0,
                          seed = 1, keep_fitted = FALSE)
  P <- matrix(stats::rnorm(size$d * size$k, sd = 0.1), size$d)
  min(replicate(runs, switch(what,
    cd = epoch_seconds(fit_block(job$x, job$y, m = size$m, k = size$k, solver = "cd", control = control)),
    gradient = gradient_seconds(list(list(x = job$x, index = NULL)), job$y, size$m, P))))
}
field <- c(order = "m", nonzeros = "filled", rank = "k", rows = "n")
rows <- list()
for (what in c("cd", "gradient")) for (name in names(series)) {
  say("growth of ", what, " with ", name)
  seconds <- vapply(series[[name]], function(value) {
    size <- base
    size[[field[[name]]]] <- value
    epoch_at(size, what)
  }, 0)
  note <- sprintf("%s = %g", name, series[[name]])
  note[length(note)] <- sprintf("%s; exponent %.2f", note[length(note)], exponent(series[[name]], seconds))
  rows <- c(rows, Map(function(s, n) result(paste("growth,", what), "synthetic", threads = 1, seconds = s, note = n), seconds, note))
}

# Link pairs: the nodes stay the same and the pairs grow, then the other way round. An epoch costs (nonzeros of the nodes + pairs),
# so each exponent is below 1, and the two parts show in the seconds.
nodes_and_pairs <- function(nodes, pairs) {
  set.seed(1)
  features <- function() Matrix::rsparsematrix(nodes, base$d, nnz = nodes * base$filled)
  ends <- data.frame(i = sample(nodes, pairs, TRUE), j = sample(nodes, pairs, TRUE), y = sample(0:1, pairs, TRUE))
  link_pairs(features(), features(), ends[!duplicated(ends[1:2]), ])
}
epoch_of <- function(nodes, pairs) {
  control <- hofm_control(init_sd = 0.1, sweep = "single", extrapolate = FALSE, threads = 1, max_iter = 3, tol = 0,
                          seed = 1, keep_fitted = FALSE)
  x <- nodes_and_pairs(nodes, pairs)
  min(replicate(runs, epoch_seconds(fit_block(x, m = base$m, k = base$k, solver = "cd", control = control))))
}
sizes <- if (smoke) list(pairs = c(200, 400), nodes = c(50, 100)) else list(pairs = 1e4 * 2^(0:4), nodes = 1e3 * 2^(0:4))
for (name in names(sizes)) {
  say("growth of link pairs with ", name)
  seconds <- vapply(sizes[[name]], function(size) {
    if (name == "pairs") epoch_of(sizes$nodes[1], size) else epoch_of(size, sizes$pairs[1])
  }, 0)
  note <- sprintf("%s = %g", name, sizes[[name]])
  note[length(note)] <- sprintf("%s; exponent %.2f", note[length(note)], exponent(sizes[[name]], seconds))
  rows <- c(rows, Map(function(s, n) result("growth, link pairs", "synthetic", threads = 1, seconds = s, note = n), seconds, note))
}
do.call(rbind, rows)
