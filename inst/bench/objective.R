# Seconds to the objective that the yardstick has after ten epochs: on link pairs with the default solver, and on the same pairs
# written out as a plain matrix, by coordinate descent. All of a job and an order follow each other in every run.
jobs <- Filter(Negate(is.null), list(read_job("ml100k"), read_job("nips")))

# From its own start the yardstick takes all factors of degree 4 to zero, an objective that any model reaches.
lively <- function(job, m) if (m < 4) job else started_at(job, sd = 0.5, lambda = 1e-7)

seconds_to <- function(objective, fit) {
  hit <- which(fit$trace$objective <= objective)[1]
  timed(if (is.na(hit)) Inf else fit$trace$seconds[hit], alive_share(fit))
}
ten_epochs <- function(job, m) {
  epochs <- run_yardstick(job, m, epochs = 10)
  if (is.null(epochs)) return(list(seconds = NA, objective = Inf))
  objective <- epochs$objective[10]
  list(seconds = timed(sum(epochs$seconds), yardstick_alive(job, objective)), objective = objective)
}

contenders <- function(job, m) {
  links <- data.frame(plain = FALSE, threads = 1:2)
  if (job$name != "nips" || m == 4) links else rbind(links, data.frame(plain = TRUE, threads = 1))
}
fit_of <- function(who, job, m) {
  control <- hofm_control(init_sd = job$start, threads = who$threads, max_iter = 20, tol = 1e-6, seed = 1,
                          keep_fitted = FALSE)
  if (who$plain) fit_block(job$x, job$y, m = m, lambda = job$lambda, solver = "cd", control = control)
  else fit_block(job$pairs, m = m, lambda = job$lambda, control = control)
}

# One row per run: the yardstick's seconds, then those of the contenders.
race <- function(job, m, who) {
  goal <- NULL
  set_goal <- function() {
    goal <<- ten_epochs(job, m)
    goal$seconds
  }
  run <- function(k) function() seconds_to(goal$objective, fit_of(who[k, ], job, m))
  interleave(c(list(yardstick = set_goal), lapply(seq_len(nrow(who)), run)))
}
row_of <- function(job, m, who, seconds, yardstick, alive) {
  target <- if (who$plain) 3 else if (who$threads == 2) 8 else if (m < 4) 5 else NA
  result(paste0(if (who$plain) "plain matrix" else "link pairs", ", to ten epochs' objective"), job$name, order = m, rank = 30,
         threads = who$threads, seconds = seconds, yardstick = yardstick, target = target, alive = alive)
}

rows <- list()
for (m in 2:4) for (job in lapply(jobs, lively, m)) {
  say("to ten epochs' objective on ", job$name, ", order ", m)
  who <- contenders(job, m)
  times <- race(job, m, who)
  alive <- share_of(times)
  rows <- c(rows, lapply(seq_len(nrow(who)), function(k) {
    row_of(job, m, who[k, ], times[, 1 + k], times[, 1], c(hofm = alive[[1 + k]], alive["yardstick"]))
  }))
}
do.call(rbind, rows)
