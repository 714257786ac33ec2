# Other packages at the same work, where they are installed: rsparse (order 2, AdaGrad) and glmnet (order 1, ridge). FactoRizationMachines
# was withdrawn from CRAN.
job <- the_synthetic()
rows <- list()
ours <- function(m, k, solver, epochs = NULL) {
  control <- hofm_control(threads = 1, max_iter = epochs, tol = if (!is.null(epochs)) 0, eta = if (solver == "adagrad") 0.05, init_sd = 0.05, seed = 1,
                          keep_fitted = FALSE)
  seconds <- elapsed(fit <- suppressWarnings(hofm(job$x, job$y, order = m, rank = k, lambda = 1e-3, standardize = FALSE, loss = "squared",
                                                  solver = solver, control = control)))
  timed(seconds, alive_share(fit))
}
ten_epochs <- function() if (is.null(yardstick_binary())) NA else sum(run_yardstick(job, 2, 8, epochs = 10)$seconds)
compare <- function(peer, note, m, k, us, them) {
  say("beside ", peer)
  seconds <- interleave(list(hofm = us, peer = them, yardstick = ten_epochs))
  result(paste("beside", peer), job$name, order = m, rank = k, threads = 1, seconds = seconds[, 1], yardstick = seconds[, 3],
         alive = share_of(seconds)["hofm"],
         note = sprintf("%s; %s takes %.3g s, %.1f times as long", note, peer, stats::median(seconds[, 2]),
                        stats::median(seconds[, 2] / seconds[, 1])))
}
if (requireNamespace("rsparse", quietly = TRUE)) {
  rows$rsparse <- compare("rsparse", "10 epochs of AdaGrad, rank 8", 2, 8, function() ours(2, 8, "adagrad", 10), function() {
    options(rsparse_omp_threads = 1L)
    fm <- rsparse::FactorizationMachine$new(learning_rate_w = 0.05, rank = 8, lambda_w = 0, lambda_v = 1e-3, family = "gaussian")
    x <- methods::as(job$x, "RsparseMatrix")
    elapsed(fm$fit(x, job$y, n_iter = 10))
  })
}
if (requireNamespace("glmnet", quietly = TRUE)) {
  rows$glmnet <- compare("glmnet", "order 1, ridge at one lambda, each until it stops by itself", 1, NA, function() ours(1, 0, "cd"),
                         function() elapsed(glmnet::glmnet(job$x, job$y, alpha = 0, lambda = 1e-3)))
}
do.call(rbind, rows)
