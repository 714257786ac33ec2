# How long is an epoch of AdaGrad on a plain matrix, a step for each row, beside an epoch of the yardstick?
jobs <- Filter(Negate(is.null), list(read_job("ml100k"), the_synthetic()))
jobs <- lapply(jobs, started_at, sd = 0.1, lambda = 1e-3)

rows <- list()
for (job in jobs) for (m in 2:3) for (threads in 1:2) {
  say("AdaGrad on ", job$name, ", order ", m, ", ", threads, " thread(s)")
  seconds <- interleave(list(
    hofm = function() {
      control <- hofm_control(init_sd = job$start, eta = 0.01, batch = 1, threads = threads, max_iter = 3, tol = 0,
                              seed = 1, keep_fitted = FALSE)
      epoch_seconds(fit_block(job$x, job$y, m = m, lambda = job$lambda, solver = "adagrad", control = control))
    },
    yardstick = function() yardstick_epoch(job, m)
  ))
  rows <- c(rows, list(result("epoch of AdaGrad", job$name, order = m, rank = 30, threads = threads, seconds = seconds[, 1],
                              yardstick = seconds[, 2], target = if (threads == 1) c(3, 2.5)[m - 1] else NA,
                              alive = share_of(seconds))))
}
do.call(rbind, rows)
