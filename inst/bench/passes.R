# What do a gradient, a prediction and the scores of all pairs cost, in epochs of the yardstick?
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
of_epoch <- function(what, threads, time, target) {
  say(what, " of ", job$name, ", ", threads, " thread(s)")
  seconds <- interleave(list(hofm = function() time(threads), yardstick = function() yardstick_epoch(job, m)))
  result(what, job$name, order = m, rank = 30, threads = threads, seconds = seconds[, 1], yardstick = seconds[, 2],
         sense = "of an epoch", target = target)
}
rbind(of_epoch("gradient on link pairs", 1, gradient, NA), of_epoch("gradient on link pairs", 2, gradient, 0.04),
      of_epoch("scores of all pairs", 1, score, 0.5), of_epoch("scores of all pairs", 2, score, 0.25),
      of_epoch("predict() on a dgCMatrix", 1, foretell, 0.05), of_epoch("predict() on a dgCMatrix", 2, foretell, NA))
