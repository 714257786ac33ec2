# Seconds to reach the objective that the yardstick has after ten epochs, on link pairs, default solver.
source(system.file("bench", "common.R", package = "hofm"))

threads <- as.integer(Sys.getenv("HOFM_THREADS", "1"))
for (set in strsplit(Sys.getenv("HOFM_SETS", "ml100k nips"), " ")[[1]]) {
  pairs <- read_pairs(set)
  for (m in 2:3) {
    yardstick <- run_yardstick(set, m)
    fit <- fit_block(pairs, m = m, control = hofm_control(threads = threads, max_iter = 60, tol = 1e-6, seed = 1, keep_fitted = FALSE))
    hit <- which(fit$trace$objective <= yardstick$objective[10])[1]
    cat(sprintf("%s, order %d: yardstick %.2f s, hofm (%s, %d threads) %.2f s: %.1f times faster\n", set, m,
                sum(yardstick$seconds), fit$solver, threads, fit$trace$seconds[hit], sum(yardstick$seconds) / fit$trace$seconds[hit]))
  }
}
