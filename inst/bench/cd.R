# How long is an epoch of coordinate descent on a plain matrix, beside the yardstick's? One thread, single steps.
jobs <- Filter(Negate(is.null), list(read_job("ml100k"), the_synthetic()))
orders <- if (smoke) 2:3 else c(2, 3, 4, 5, 8)
ranks <- if (smoke) 3 else c(8, 30, 64)
targets <- c("2" = 1.5, "3" = 2, "5" = 2)

rows <- list()
for (job in jobs) for (k in ranks) for (m in orders) {
  say("coordinate descent on ", job$name, ", order ", m, ", rank ", k)
  seconds <- interleave(list(
    hofm = function() {
      control <- hofm_control(init_sd = 0.3, sweep = "single", extrapolate = FALSE, threads = 1, max_iter = 3, tol = 0,
                              seed = 1, keep_fitted = FALSE)
      epoch_seconds(fit_block(job$x, job$y, m = m, k = k, lambda = job$lambda, solver = "cd", control = control))
    },
    yardstick = function() yardstick_epoch(job, m, k)
  ))
  target <- if (job$name == "ml100k" && k == 30) unname(targets[as.character(m)]) else NA
  rows <- c(rows, list(result("epoch of coordinate descent", job$name, order = m, rank = k, threads = 1, seconds = seconds[, 1],
                              yardstick = seconds[, 2], target = target)))
}
do.call(rbind, rows)
