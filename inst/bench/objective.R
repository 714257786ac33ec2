# Seconds to the objective that the yardstick has after ten epochs: on link pairs with the default solver, and on the same pairs
# written out as a plain matrix with whichever solver gets there first.
jobs <- Filter(Negate(is.null), list(read_job("ml100k"), read_job("nips")))

seconds_to <- function(objective, fit) {
  hit <- which(fit$trace$objective <= objective)[1]
  if (is.na(hit)) Inf else fit$trace$seconds[hit]
}
ten_epochs <- function(job, m) {
  epochs <- run_yardstick(job, m, epochs = 10)
  if (is.null(epochs)) c(seconds = NA, objective = Inf) else c(seconds = sum(epochs$seconds), objective = epochs$objective[10])
}
race <- function(job, m, threads, ...) {
  control <- hofm_control(threads = threads, max_iter = 60, tol = 1e-6, seed = 1, keep_fitted = FALSE)
  times <- t(vapply(seq_len(runs), function(run) {
    goal <- ten_epochs(job, m)
    c(seconds_to(goal[["objective"]], fit_block(..., m = m, lambda = job$lambda, control = control)), goal[["seconds"]])
  }, double(2)))
  list(hofm = times[, 1], yardstick = times[, 2])
}

rows <- list()
for (job in jobs) for (m in 2:4) {
  for (threads in 1:2) {
    say("link pairs of ", job$name, ", order ", m, ", ", threads, " thread(s)")
    times <- race(job, m, threads, job$pairs)
    rows <- c(rows, list(result("link pairs, to ten epochs' objective", job$name, order = m, rank = 30, threads = threads,
                                seconds = times$hofm, yardstick = times$yardstick, target = if (threads == 2) 8 else if (m < 4) 5 else NA)))
  }
  if (job$name != "nips" || m == 4) next
  for (solver in c("cd", "lbfgs")) {
    say("plain matrix of ", job$name, ", order ", m, ", ", solver)
    times <- race(job, m, 1, job$x, job$y, solver = solver)
    rows <- c(rows, list(result("plain matrix, to ten epochs' objective", job$name, order = m, rank = 30, threads = 1,
                                seconds = times$hofm, yardstick = times$yardstick, target = 3, note = solver)))
  }
}
do.call(rbind, rows)
