# Seconds to the objective that the yardstick has after ten epochs: on link pairs with the default solver, and on the same pairs
# written out as a plain matrix, by coordinate descent. All of a job and an order follow each other in every run.
jobs <- Filter(Negate(is.null), list(read_job("ml100k"), read_job("nips")))

seconds_to <- function(objective, fit) {
  hit <- which(fit$trace$objective <= objective)[1]
  if (is.na(hit)) Inf else fit$trace$seconds[hit]
}
ten_epochs <- function(job, m) {
  epochs <- run_yardstick(job, m, epochs = 10)
  if (is.null(epochs)) c(seconds = NA, objective = Inf) else c(seconds = sum(epochs$seconds), objective = epochs$objective[10])
}

contenders <- function(job, m) {
  links <- data.frame(plain = FALSE, threads = 1:2)
  if (job$name != "nips" || m == 4) links else rbind(links, data.frame(plain = TRUE, threads = 1))
}
fit_of <- function(who, job, m) {
  control <- hofm_control(threads = who$threads, max_iter = 20, tol = 1e-6, seed = 1, keep_fitted = FALSE)
  if (who$plain) fit_block(job$x, job$y, m = m, lambda = job$lambda, solver = "cd", control = control)
  else fit_block(job$pairs, m = m, lambda = job$lambda, control = control)
}

# One row per run: the yardstick's seconds, then those of the contenders.
race <- function(job, m, who) {
  t(vapply(seq_len(runs), function(run) {
    goal <- ten_epochs(job, m)
    c(goal[["seconds"]], vapply(split(who, seq_len(nrow(who))), function(one) seconds_to(goal[["objective"]], fit_of(one, job, m)), 0))
  }, double(1 + nrow(who))))
}
row_of <- function(job, m, who, seconds, yardstick) {
  target <- if (who$plain) 3 else if (who$threads == 2) 8 else if (m < 4) 5 else NA
  result(paste0(if (who$plain) "plain matrix" else "link pairs", ", to ten epochs' objective"), job$name, order = m, rank = 30,
         threads = who$threads, seconds = seconds, yardstick = yardstick, target = target)
}

rows <- list()
for (job in jobs) for (m in 2:4) {
  say("to ten epochs' objective on ", job$name, ", order ", m)
  who <- contenders(job, m)
  times <- race(job, m, who)
  rows <- c(rows, lapply(seq_len(nrow(who)), function(k) row_of(job, m, who[k, ], times[, 1 + k], times[, 1])))
}
do.call(rbind, rows)
