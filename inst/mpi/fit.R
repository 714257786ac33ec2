# A fit to shards by all processes that mpirun starts, on one machine or many. Every process runs this file; sums are added up in a tree
# (MPI_Allreduce), so that no process sends its parameters to all others. The bits are those of any other way to fit.
#
#   mpirun -np 64 --hostfile hosts Rscript fit.R shards fit.rds 'rank = 8, lambda = 1e-6'
#
# All see the folder of shards under the same name, and have the packages hofm and Rmpi. Each sums over every np-th shard, and keeps all
# parameters and the vectors of L-BFGS. `solver = "lbfgs"` unless given: an epoch of AdaGrad would be taken by all of them.
#
# A list `arguments` with dir, out and fit (arguments of hofm()), made before this file is sourced, takes the place of the command line.

library(Rmpi)

if (!exists("arguments")) {
  given <- commandArgs(TRUE)
  if (length(given) < 2) stop("give the folder of shards, the file for the fit and, if you like, arguments of hofm()")
  arguments <- list(dir = given[1], out = given[2], fit = eval(str2lang(sprintf("list(%s)", paste(given[-(1:2)], collapse = ", ")))))
}

rank <- mpi.comm.rank(0)
reduced <- function(op) function(x) mpi.allreduce(as.double(x), type = 2, op = op, comm = 0)
workers <- getFromNamespace("allreduce_workers", "hofm")(rank, mpi.comm.size(0), reduced("sum"), reduced("max"))

# One that fails on its own must not leave the others waiting.
tryCatch({
  settings <- utils::modifyList(list(solver = "lbfgs", workers = workers), arguments$fit)
  if (is.null(settings$control$seed)) {
    if (is.null(settings$control)) settings$control <- hofm::hofm_control()
    settings$control$seed <- 1L                               # the same start everywhere
  }
  # The first process writes the checkpoint; the others go on from it as well, and write into files of their own.
  file <- settings$control$checkpoint
  if (rank > 0 && !is.null(file)) {
    settings$control$checkpoint <- tempfile("checkpoint")
    if (file.exists(file)) file.copy(file, settings$control$checkpoint)
  }
  mpi.barrier(0)
  fit <- do.call(hofm::hofm, c(list(hofm::open_shards(arguments$dir)), settings))
  if (rank == 0) saveRDS(fit, arguments$out)
}, error = function(e) {
  message("process ", rank, ": ", conditionMessage(e))
  mpi.abort(0)
})
invisible(mpi.barrier(0))
mpi.finalize()
