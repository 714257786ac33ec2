# The solver figures: objective against seconds at orders 2 to 4, and seconds per epoch at orders 2 to 8.
#
#   Rscript solvers.R [data]
#
# What is minimised is the paper's: one ANOVA kernel of degree m on data with m - 1 dummy features (`model = "shared"`), rank 30,
# from the same start for all solvers, on one split of each graph.
source(system.file("paper", "common.R", package = "hofm"))

# Penalties of MovieLens are the paper's. Its penalty for NIPS, 0.1, goes with a scaling of the counts that it does not state.
penalties <- list(ml100k = c(1e-3, 1e-4, 1e-6), nips = c(1e-4, 1e-4, 1e-4))
scaling_of <- c(ml100k = "raw", nips = "unit")
# AdaGrad touches every word of every pair: on nips its epochs are much the longest.
convergence_epochs <- function(set, solver, order) {
  if (set == "ml100k") return(c(cd = 40, lbfgs = 150, adagrad = 40)[[solver]])
  c(cd = 12, lbfgs = 40, adagrad = if (order == 2) 8 else 4)[[solver]]
}

solver_cell <- function(part, set, solver, order, max_iter, lambda, ...) {
  list(key = list(part = part, set = set, solver = solver, order = order), rank = 30, max_iter = max_iter, lambda = lambda, ...)
}

convergence_cells <- function() {
  grid <- expand.grid(solver = c("cd", "lbfgs", "adagrad"), order = 2:4, set = c("ml100k", "nips"), stringsAsFactors = FALSE)
  Map(function(solver, order, set) {
    solver_cell("convergence", set, solver, order, convergence_epochs(set, solver, order), penalties[[set]][order - 1])
  }, grid$solver, grid$order, grid$set, USE.NAMES = FALSE)
}

# A step size is given, since calibrating one takes passes over the data too.
epoch_cells <- function() {
  grid <- expand.grid(solver = c("cd", "lbfgs", "adagrad"), order = 2:8, set = c("ml100k", "nips"), stringsAsFactors = FALSE)
  Map(function(solver, order, set) {
    max_iter <- if (set == "ml100k") 5 else if (solver == "adagrad") 1 else 2
    solver_cell("epoch", set, solver, order, max_iter, 1e-3, eta = 0.01)
  }, grid$solver, grid$order, grid$set, USE.NAMES = FALSE)
}

#' The trace of a fit
#'
#' Other work on the machine lengthens the seconds on the clock, so they are scaled to the processor time of the fit.
make_trace <- function(cell, train) {
  control <- hofm_control(max_iter = cell$max_iter, tol = 0, extrapolate = FALSE, eta = cell$eta, threads = 1, seed = 1,
                          keep_fitted = FALSE)
  used <- system.time(fit <- quietly(hofm(train, order = cell$key$order, rank = cell$rank, lambda = cell$lambda, model = "shared",
                                          solver = cell$key$solver, negatives = "given", common = FALSE,
                                          standardize = FALSE, tied = FALSE, control = control)))
  share <- min(1, (used[["user.self"]] + used[["sys.self"]]) / used[["elapsed"]])
  data.frame(iteration = fit$trace$iteration, processor_seconds = fit$trace$seconds * share, objective = fit$trace$objective)
}

# An iteration is a sweep, a step of L-BFGS, or a pass of AdaGrad.
per_iteration <- function(trace) diff(range(trace$processor_seconds)) / diff(range(trace$iteration))

by_fit <- function(traces, f) {
  key <- paste(traces$set, traces$solver, traces$order)
  do.call(rbind, unname(lapply(split(traces, factor(key, unique(key))), f)))
}

# Iterations of a fit cost the same, but the other work on the machine comes and goes: each gets an equal share of the time.
even_seconds <- function(trace) {
  data.frame(trace[c("set", "solver", "order", "iteration")], seconds = trace$iteration * per_iteration(trace),
             objective = trace$objective)
}

seconds_per_epoch <- function(trace) data.frame(trace[1, c("set", "solver", "order")], seconds = per_iteration(trace))

folders <- paper_folders()
training <- function(set) {
  split_graph(scale_graph(read_graph(set, folders$data), scaling_of[[set]]), 1)$train
}
for (set in names(penalties)) {
  train <- training(set)
  own <- Filter(function(cell) cell$key$set == set, c(convergence_cells(), epoch_cells()))
  run_cells(own, function(cell) make_trace(cell, train), folders$work)
}
write_table(by_fit(gather_cells(convergence_cells(), folders$work), even_seconds), "convergence", folders$results)
write_table(by_fit(gather_cells(epoch_cells(), folders$work), seconds_per_epoch), "epochs", folders$results)
write_time("solvers", c(convergence_cells(), epoch_cells()), folders)
