# Does it pay to compile coordinate descent for degrees 2 to 5 by themselves? The same degree in a model that the general code
# fits: "simplex" with all its weight on that degree has the sums of the general kernel.
job <- started_at(the_synthetic(), sd = 0.3, lambda = 1e-7)
do.call(rbind, lapply(if (smoke) 2 else 2:5, function(m) {
  say("general against specialised code, order ", m)
  control <- hofm_control(init_sd = job$start, sweep = "single", extrapolate = FALSE, threads = 1, max_iter = 3,
                          tol = 0, seed = 1, keep_fitted = FALSE)
  of <- function(model) function() {
    rank <- if (model == "hofm") c(rep(0, m - 2), 8) else 8
    fit <- suppressWarnings(hofm(job$x, job$y, order = m, rank = rank, lambda = job$lambda, standardize = FALSE, model = model,
                                 linear = FALSE, intercept = FALSE, solver = "cd", loss = "squared", control = control))
    epoch_seconds(fit)
  }
  seconds <- interleave(list(hofm = of("hofm"), general = of("simplex"),
                             yardstick = function() yardstick_epoch(job, m, 8)))
  result("degree known to the compiler", job$name, order = m, rank = 8, threads = 1, seconds = seconds[, 1],
         yardstick = seconds[, 3], alive = share_of(seconds),
         note = sprintf("general code takes %.1f times as long", stats::median(seconds[, 2] / seconds[, 1])))
}))
