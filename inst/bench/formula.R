# The formula interface on many rows and three factors with very many levels: how long until the sparse matrix is there?
size <- if (smoke) list(n = 1000, levels = 50) else list(n = 1e6, levels = 1e5)
set.seed(1)
data <- data.frame(y = stats::rnorm(size$n), lapply(1:3, function(q) factor(sample(size$levels, size$n, TRUE), seq_len(size$levels))))
names(data)[-1] <- c("u", "v", "w")
control <- hofm_control(max_iter = 1, tol = 0, seed = 1, init_sd = 0.01, keep_fitted = FALSE)
time <- beside_reference(times = min(runs, 3), function() {
  total <- elapsed(fit <- suppressWarnings(hofm(y ~ u + v + w, data, order = 2, rank = 4, lambda = 1e-3, standardize = FALSE, control = control)))
  timed(total - max(fit$trace$seconds), alive_share(fit))
})
result("formula to sparse matrix", sprintf("%g rows, 3 factors of %g levels", size$n, size$levels), order = 2, rank = 4,
       seconds = time$seconds, yardstick = time$yardstick, sense = "of an epoch", alive = time$alive,
       note = "all of hofm() but the solver")
