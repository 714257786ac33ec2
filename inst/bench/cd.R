# How long is an epoch of coordinate descent on a plain matrix, beside the yardstick's? One thread, single steps, the
# same objective and scale of the start, with a penalty that leaves the factors of all orders alive.
jobs <- Filter(Negate(is.null), list(read_job("ml100k"), the_synthetic()))
jobs <- lapply(jobs, started_at, sd = 0.3, lambda = 1e-7)
orders <- if (smoke) 2:3 else 2:8
ranks <- if (smoke) 3 else c(8, 30, 64)
targets <- c("2" = 1.5, "3" = 2, "5" = 2)

rows <- list()
for (job in jobs) for (k in ranks) for (m in orders) {
  say("coordinate descent on ", job$name, ", order ", m, ", rank ", k)
  seconds <- interleave(list(
    hofm = function() {
      control <- hofm_control(init_sd = job$start, sweep = "single", extrapolate = FALSE, threads = 1, max_iter = 3,
                              tol = 0, seed = 1, keep_fitted = FALSE)
      epoch_seconds(fit_block(job$x, job$y, m = m, k = k, lambda = job$lambda, solver = "cd", control = control))
    },
    yardstick = function() yardstick_epoch(job, m, k)
  ))
  target <- if (job$name == "ml100k" && k == 30) unname(targets[as.character(m)]) else NA
  rows <- c(rows, list(result("epoch of coordinate descent", job$name, order = m, rank = k, threads = 1,
                              seconds = seconds[, 1], yardstick = seconds[, 2], target = target,
                              alive = share_of(seconds))))
}
do.call(rbind, rows)
