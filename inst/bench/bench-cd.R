# How long is an epoch of coordinate descent on a plain matrix, as a multiple of the yardstick's? One thread, single steps, medians
# of interleaved runs. From orders 4 on the yardstick's start of 0.01 collapses to zero at once, so both take their first epochs.
source(system.file("bench", "common.R", package = "hofm"))

runs <- as.integer(Sys.getenv("HOFM_RUNS", "5"))
pairs <- read_pairs("ml100k")
x <- model.matrix(pairs)
rows <- lapply(2:5, function(m) {
  seconds <- replicate(runs, {
    fit <- fit_block(x, pairs$y, m = m, solver = "cd",
                     control = hofm_control(init_sd = 0.01, sweep = "single", threads = 1, max_iter = 2, tol = 0, seed = 1))
    c(hofm = diff(fit$trace$seconds)[1], yardstick = run_yardstick("ml100k", m, epochs = 2)$seconds[1])
  })
  data.frame(order = m, hofm = stats::median(seconds["hofm", ]), yardstick = stats::median(seconds["yardstick", ]),
             times_faster = stats::median(seconds["yardstick", ] / seconds["hofm", ]))
})
print(do.call(rbind, rows), digits = 3, row.names = FALSE)
