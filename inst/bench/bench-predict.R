# Prediction with shared factors against separate ones at order 5: the paper's O(kdm) against O(kdm^2). One thread.
source(system.file("bench", "common.R", package = "hofm"))

pairs <- read_pairs("ml100k")
x <- model.matrix(pairs)
fits <- lapply(c(hofm = "hofm", shared = "shared"), function(model) {
  suppressWarnings(hofm(x, pairs$y, order = 5, rank = 30, model = model, lambda = 1e-6, solver = "lbfgs", loss = "squared",
                        control = hofm_control(max_iter = 3, threads = 1, seed = 1)))
})
seconds <- replicate(15, vapply(fits, function(fit) system.time(predict(fit, x, threads = 1))[["elapsed"]], 0))
print(apply(seconds, 1, stats::median))
cat(sprintf("separate factors take %.1f times as long\n", stats::median(seconds["hofm", ] / seconds["shared", ])))
