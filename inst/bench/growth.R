# How does the time of an epoch of coordinate descent, and of a gradient, grow with the order, the nonzeros per row, the rank and the
# rows? Each line of the table is a size; the last of a series has the fitted exponent in its note, where 1 is linear. It is fitted to
# the times in reference epochs, which the speed of the machine does not change. The series on the order starts at 2, where an epoch
# has costs that do not depend on it, so its exponent may be below 1.
base <- if (smoke) list(n = 100, d = 30, filled = 4, m = 2, k = 2) else list(n = 20000, d = 2000, filled = 20, m = 3, k = 16)
series <- if (smoke) list(order = 2:3, nonzeros = c(3, 5)) else
  list(order = 2:8, nonzeros = c(10, 20, 40, 80), rank = c(8, 16, 32, 64), rows = c(5000, 10000, 20000, 40000, 80000))

one_thread <- hofm_control(init_sd = 0.3, sweep = "single", extrapolate = FALSE, threads = 1, max_iter = 3, tol = 0,
                           seed = 1, keep_fitted = FALSE)
epoch_of <- function(..., m, k) {
  epoch_seconds(fit_block(..., m = m, k = k, lambda = 1e-7, solver = "cd", control = one_thread))
}

# The lines of one series: at(size) gives a function that takes that many seconds.
series_of <- function(question, name, sizes, at) {
  say(question, " with ", name)
  times <- lapply(sizes, function(size) beside_reference(at(size)))
  # without a yardstick there are seconds alone
  typical <- vapply(times, function(t) stats::median(t$seconds / if (anyNA(t$yardstick)) 1 else t$yardstick), 0)
  note <- sprintf("%s = %g", name, sizes)
  note[length(note)] <- sprintf("%s; exponent %.2f", note[length(note)], exponent(sizes, typical))
  do.call(rbind, Map(function(t, n) {
    result(question, "synthetic", threads = 1, seconds = t$seconds, yardstick = t$yardstick, sense = "of an epoch",
           note = n, alive = t$alive)
  }, times, note))
}

field <- c(order = "m", nonzeros = "filled", rank = "k", rows = "n")
plain <- lapply(c("cd", "gradient"), function(what) lapply(names(series), function(name) {
  series_of(paste("growth,", what), name, series[[name]], function(value) {
    size <- utils::modifyList(base, stats::setNames(list(value), field[[name]]))
    job <- synthetic_job(size$n, size$d, size$filled, files = FALSE)
    P <- matrix(stats::rnorm(size$d * size$k, sd = 0.1), size$d)
    if (what == "cd") function() epoch_of(job$x, job$y, m = size$m, k = size$k)
    else function() gradient_seconds(list(list(x = job$x, index = NULL)), job$y, size$m, P)
  })
}))

# Link pairs: the nodes stay the same and the pairs grow, then the other way round. An epoch costs (nonzeros of the nodes + pairs),
# so each exponent is below 1, and the two parts show in the seconds.
nodes_and_pairs <- function(nodes, pairs) {
  set.seed(1)
  features <- function() Matrix::rsparsematrix(nodes, base$d, nnz = nodes * base$filled)
  ends <- data.frame(i = sample(nodes, pairs, TRUE), j = sample(nodes, pairs, TRUE), y = sample(0:1, pairs, TRUE))
  link_pairs(features(), features(), ends[!duplicated(ends[1:2]), ])
}
sizes <- if (smoke) list(pairs = c(200, 400), nodes = c(50, 100)) else list(pairs = 1e4 * 2^(0:4), nodes = 1e3 * 2^(0:4))
joined <- lapply(names(sizes), function(name) {
  series_of("growth, link pairs", name, sizes[[name]], function(size) {
    x <- if (name == "pairs") nodes_and_pairs(sizes$nodes[1], size) else nodes_and_pairs(size, sizes$pairs[1])
    function() epoch_of(x, m = base$m, k = base$k)
  })
})
do.call(rbind, c(unlist(plain, recursive = FALSE), joined))
