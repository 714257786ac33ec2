# What do a gradient, a prediction, the scores of all pairs and the AUC over them cost, in epochs of the yardstick?
job <- read_job("nips")
if (is.null(job)) job <- read_job("ml100k")
if (is.null(job)) return(NULL)
m <- 3

fit <- fit_block(job$pairs, m = m, lambda = job$lambda, control = hofm_control(max_iter = 3, seed = 1, keep_fitted = FALSE))
plain <- fit_block(job$x, job$y, m = m, lambda = job$lambda, control = hofm_control(max_iter = 3, seed = 1, keep_fitted = FALSE))
gradient <- function(threads) {
  blocks <- list(list(x = job$A, index = job$pairs$i), list(x = job$B, index = job$pairs$j))
  gradient_seconds(blocks, job$y, m, fit$P[[as.character(m)]], job$lambda, threads)
}
score <- function(threads) elapsed(score_links(fit, job$A, job$B, threads = threads))
foretell <- function(threads) elapsed(predict(plain, job$x, threads = threads))
area <- function(threads) elapsed(auc(fit, test, threads = threads))
linked <- job$y == 1
test <- split_links(job$A, job$B, edges = data.frame(i = job$pairs$i[linked], j = job$pairs$j[linked]), seed = 1)$test
of_epoch <- function(what, threads, time, target) {
  say(what, " of ", job$name, ", ", threads, " thread(s)")
  seconds <- interleave(list(hofm = function() time(threads), yardstick = function() yardstick_epoch(job, m)))
  result(what, job$name, order = m, rank = 30, threads = threads, seconds = seconds[, 1], yardstick = seconds[, 2],
         sense = "of an epoch", target = target, alive = c(hofm = min(alive_share(fit), alive_share(plain))))
}
rbind(of_epoch("gradient on link pairs", 1, gradient, NA), of_epoch("gradient on link pairs", 2, gradient, 0.04),
      of_epoch("scores of all pairs", 1, score, 0.5), of_epoch("scores of all pairs", 2, score, 0.25),
      of_epoch("AUC over all pairs", 1, area, NA), of_epoch("AUC over all pairs", 2, area, NA),
      of_epoch("predict() on a dgCMatrix", 1, foretell, 0.05), of_epoch("predict() on a dgCMatrix", 2, foretell, NA))
