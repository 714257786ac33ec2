# Who sums over shards must not show in a single bit, and neither must who died.

fit_with <- function(shards, workers = NULL, threads = 1, max_iter = 12) {
  fit <- hofm(shards, rank = 2, lambda = 1e-3, standardize = FALSE, solver = "lbfgs", init = start_at(matrix(0, 1, 12)), workers = workers,
              control = hofm_control(threads = threads, max_iter = max_iter, seed = 1, tol = 0))
  fit[c("intercept", "w", "P", "objective")]
}

some_pass <- function(shards) {
  spec <- list(model = "hofm", order = 1L, rank = integer(), lambda = 0, loss = "squared", intercept = TRUE, linear = TRUE)
  model <- hofm:::cpp_model(list(intercept = 0, w = numeric(length(shards$features)), P = list()), spec)
  columns <- nrow(model$terms[[1]]$P)
  model$terms[[1]]$P <- model$terms[[1]]$P[0, , drop = FALSE]
  list(id = "a test", source = hofm:::shard_source(shards, list(code = c(0, 1)), shards$rows, list()), model = model, columns = columns,
       parameters = writeBin(numeric(1 + length(shards$features)), raw()), loss = "squared", slopes = TRUE, exponents = c(-40L, -40L))
}

libraries <- function(cluster) parallel::clusterCall(cluster, function(paths) invisible(.libPaths(paths)), .libPaths())

test_that("threads, the order of files, and functions of tasks do not change a bit", {
  data <- binary()
  shards <- sharded(data$x, data$f)
  one <- fit_with(shards)
  expect_identical(fit_with(shards, threads = 2), one)
  expect_identical(fit_with(shards[rev(seq_len(length(shards)))]), one)
  expect_identical(fit_with(shards, function(tasks, fun) lapply(tasks, fun)), one)
  expect_identical(fit_with(shards, function(tasks, fun) rev(lapply(rev(tasks), fun))), one)
  skip_on_os("windows")
  expect_identical(fit_with(shards, function(tasks, fun) parallel::mclapply(tasks, fun, mc.cores = 2)), one)
})

test_that("one, two and three workers by sockets, of our own or forked, give the same bits", {
  skip_on_cran()
  data <- binary()
  shards <- sharded(data$x, data$f)
  one <- fit_with(shards)
  expect_identical(fit_with(shards, 2), one)
  for (n in 1:3) {
    cluster <- parallel::makeCluster(n)
    libraries(cluster)
    expect_identical(fit_with(shards, cluster), one)
    expect_identical(fit_with(shards, cluster, threads = 2), one)
    # nothing is left in the connections
    expect_identical(parallel::clusterApply(cluster, seq_len(n), identity), as.list(seq_len(n)))
    expect_true(all(unlist(parallel::clusterCall(cluster, function() is.null(asNamespace("hofm")$worker_memory$sums)))))
    parallel::stopCluster(cluster)
  }
  skip_on_os("windows")
  for (n in 1:2) {
    cluster <- parallel::makeForkCluster(n)
    expect_identical(fit_with(shards, cluster), one)
    parallel::stopCluster(cluster)
  }
})

test_that("a worker that is killed in the middle of a pass loses nothing", {
  skip_on_cran()
  skip_on_os("windows")
  data <- binary(2000)
  shards <- sharded(data$x, data$f, size = 150)
  one <- fit_with(shards, max_iter = 40)
  for (kind in c("PSOCK", "FORK")) {
    cluster <- parallel::makeCluster(3, type = kind)
    libraries(cluster)
    pids <- unlist(parallel::clusterCall(cluster, Sys.getpid))
    # the killer waits until the second worker is in a pass
    parallel::clusterCall(cluster[2], function() assign("fatal", TRUE, envir = globalenv()))
    killer <- start_r(sprintf("Sys.sleep(0.25); tools::pskill(%d, 9); Sys.sleep(0.2); tools::pskill(%d, 9)", pids[2], pids[3]))
    fits <- 0
    repeat {                                                  # passes go on until both are dead
      expect_identical(fit_with(shards, cluster, max_iter = 40), one)
      fits <- fits + 1
      if ((!is_running(pids[2]) && !is_running(pids[3])) || fits > 50) break
    }
    wait_for(!is_running(killer), 10)
    expect_identical(fit_with(shards, cluster, max_iter = 40), one)
    expect_identical(parallel::clusterCall(cluster[1], function() 7), list(7))
    tools::pskill(pids[1], 9)
    error <- expect_error(fit_with(shards, cluster), "none left", class = "hofm_error_worker")
    for (k in 1:3) try(suppressWarnings(parallel::stopCluster(cluster[k])), silent = TRUE)
  }
})

test_that("a shard that kills its workers is tried three times more", {
  skip_on_cran()
  skip_on_os("windows")
  # The loop itself, with workers that die whenever they are given shard 2: a task that kills whoever takes it.
  data <- binary(400)
  shards <- sharded(data$x, data$f)
  cluster <- parallel::makeForkCluster(5)
  on.exit(for (k in 1:5) try(suppressWarnings(parallel::stopCluster(cluster[k])), silent = TRUE))
  parallel::clusterCall(cluster, function() {
    space <- asNamespace("hofm")
    real <- get("add_task", envir = space)
    unlockBinding("add_task", space)
    assign("add_task", function(task) if (task$shard == 2) tools::pskill(Sys.getpid(), 9) else real(task), envir = space)
    NULL
  })
  error <- expect_error(fit_with(shards, cluster), "4 workers were lost", class = "hofm_error_worker")
  expect_match(conditionMessage(error), shards$files$file[2], fixed = TRUE)
})

test_that("an error of the task comes back with the shard's name, is not tried again, and leaves no answers behind", {
  skip_on_cran()
  data <- binary()
  shards <- sharded(data$x, data$f)
  file <- file.path(shards$dir, shards$files$file[3])
  bytes <- readBin(file, "raw", 1e6)
  bytes[300] <- xor(bytes[300], as.raw(1))
  cluster <- parallel::makeCluster(2)
  on.exit(parallel::stopCluster(cluster))
  libraries(cluster)
  one <- fit_with(shards, cluster)
  whole <- readBin(file, "raw", 1e6)
  writeBin(bytes, file)
  calls <- 0
  counting <- function(tasks, fun) {
    calls <<- calls + 1
    lapply(tasks, fun)
  }
  for (workers in list(cluster, counting)) {
    error <- expect_error(hofm:::check_workers(workers, "lbfgs")$sum(some_pass(shards)), basename(file), class = "hofm_error_worker")
    expect_s3_class(error, "hofm_error_file")
    expect_identical(error$file, file)
  }
  expect_identical(calls, 1)
  expect_identical(parallel::clusterApply(cluster, 1:2, function(i) i * 10), list(10, 20))
  writeBin(whole, file)
  expect_identical(fit_with(shards, cluster), one)
})

test_that("an interrupted pass leaves no answers behind either", {
  skip_on_cran()
  data <- binary(2000)
  shards <- sharded(data$x, data$f, size = 100)
  cluster <- parallel::makeCluster(2)
  on.exit(for (k in 1:2) try(parallel::stopCluster(cluster[k]), silent = TRUE))
  libraries(cluster)
  result <- tryCatch({
    setTimeLimit(elapsed = 0.7, transient = TRUE)
    repeat fit_with(shards, cluster, max_iter = 200)
  }, error = function(e) "ended")
  setTimeLimit()
  expect_identical(result, "ended")
  # a limit that runs out in the middle of a message leaves a closed connection, never an answer to an earlier question
  answer <- tryCatch(parallel::clusterApply(cluster, 1:2, function(i) i * 10), error = function(e) NULL)
  expect_true(is.null(answer) || identical(answer, list(10, 20)))
})

test_that("a time limit is no lost connection", {
  state <- list2env(list(alive = c(TRUE, TRUE), nodes = list(list(con = NULL), list(con = NULL))))
  limit <- tryCatch({
    setTimeLimit(elapsed = 0.05, transient = TRUE)
    repeat Sys.sleep(0.01)
  }, error = identity)
  setTimeLimit()
  expect_error(hofm:::cut_off(state, 2, limit, FALSE), conditionMessage(limit), fixed = TRUE)
  expect_identical(state$alive, c(TRUE, FALSE))
  expect_identical(hofm:::cut_off(state, 1, simpleError("error reading from connection"), FALSE), FALSE)
  expect_error(hofm:::called(function(tasks, fun) stop(limit), list(1), FALSE), conditionMessage(limit), fixed = TRUE)
})

test_that("lost connections are tried three times, and a worker without the package is named", {
  data <- binary(60)
  shards <- sharded(data$x, data$f)
  calls <- 0
  shaky <- function(tasks, fun) {
    calls <<- calls + 1
    if (calls %in% 2:4) stop("the line is dead")
    results <- lapply(tasks, fun)
    if (calls == 6) results[[1]] <- NULL
    if (calls == 8) results[1] <- list(structure("killed", class = "try-error"))
    results
  }
  expect_identical(fit_with(shards, shaky), fit_with(shards))
  calls <- 0
  failing <- function(tasks, fun) {
    calls <<- calls + 1
    stop("the line is dead")
  }
  expect_error(fit_with(shards, failing), "the line is dead", class = "hofm_error_worker")
  expect_identical(calls, 4)
  expect_error(fit_with(shards, function(tasks, fun) list()), class = "hofm_error_worker")
  for (bad in list(0, "none", NA, c(1, 2))) expect_error(fit_with(shards, bad), class = "hofm_error_input")
  expect_error(hofm(shards, rank = 1, lambda = 1, solver = "adagrad", workers = failing), class = "hofm_error_input")

  skip_on_cran()
  cluster <- parallel::makeCluster(2)
  on.exit(parallel::stopCluster(cluster))
  empty <- tempfile("library")
  dir.create(empty)
  hide <- function(empty) assign(".lib.loc", empty, envir = environment(.libPaths))
  environment(hide) <- globalenv()                             # that of this file would take the package along
  parallel::clusterCall(cluster, hide, empty)
  seconds <- system.time(error <- expect_error(fit_with(shards, cluster), "no package called", class = "hofm_error_worker"))[["elapsed"]]
  expect_match(conditionMessage(error), "Worker [12]")
  expect_lt(seconds, 20)
  expect_identical(parallel::clusterApply(cluster, 1:2, function(i) i), list(1L, 2L))
})

test_that("mirai gives the same bits, by name and as a cluster, and when one of its processes is killed", {
  skip_on_cran()
  skip_if_broken("mirai")
  data <- binary()
  shards <- sharded(data$x, data$f)
  one <- fit_with(shards)
  expect_error(fit_with(shards, "mirai"), "daemons", class = "hofm_error_worker")
  old <- Sys.getenv("R_LIBS")
  Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  on.exit(Sys.setenv(R_LIBS = old))
  mirai::daemons(2)
  on.exit(mirai::daemons(0), add = TRUE)
  expect_identical(fit_with(shards, "mirai"), one)
  expect_identical(fit_with(shards, "mirai", threads = 2), one)
  pid <- mirai::call_mirai(mirai::mirai(Sys.getpid()))$data
  killer <- start_r(sprintf("Sys.sleep(0.3); tools::pskill(%d, 9)", pid))
  for (fit in 1:20) {
    expect_identical(fit_with(shards, "mirai"), one)
    if (!is_running(pid)) break
  }
  expect_identical(fit_with(shards, "mirai"), one)
  mirai::daemons(0)
  cluster <- mirai::make_cluster(2)
  on.exit(mirai::stop_cluster(cluster), add = TRUE, after = FALSE)
  expect_identical(fit_with(shards, cluster), one)
})

test_that("future gives the same bits", {
  skip_on_cran()
  skip_if_broken("future.apply")
  data <- binary()
  shards <- sharded(data$x, data$f)
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  expect_identical(fit_with(shards, function(tasks, fun) future.apply::future_lapply(tasks, fun), max_iter = 4), fit_with(shards, max_iter = 4))
})

# ---- MPI ---------------------------------------------------------------------------------------------------

run_mpi <- function(ranks, lines, shards) {
  script <- tempfile(fileext = ".R")
  writeLines(lines, script)
  mpirun <- Sys.which("mpirun")
  out <- suppressWarnings(system2(mpirun, c("--oversubscribe", "--allow-run-as-root", "-np", ranks, file.path(R.home("bin"), "Rscript"), script),
                                  stdout = TRUE, stderr = TRUE,
                                  env = c(paste0("R_LIBS=", paste(.libPaths(), collapse = .Platform$path.sep)),
                                          "OMPI_MCA_btl_vader_single_copy_mechanism=none", "HOFM_THREADS=1")))
  out
}

skip_without_mpi <- function() {
  skip_on_cran()
  skip_if(!nzchar(Sys.which("mpirun")), "mpirun is not installed")
  # Not loaded here: a process that is part of MPI itself cannot start mpirun.
  skip_if(!nzchar(system.file(package = "Rmpi")), "Rmpi is not installed")
  loads <- system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote("invisible(loadNamespace('Rmpi'))")), stdout = FALSE, stderr = FALSE)
  skip_if(loads != 0, "Rmpi cannot be loaded")
}

test_that("one, two and three processes under mpirun give the same bits, by a sum of doubles that hold integers", {
  skip_without_mpi()
  data <- binary()
  shards <- sharded(data$x, data$f)
  one <- fit_with(shards)
  script <- system.file("mpi", "fit.R", package = "hofm")
  for (ranks in 1:3) {
    file <- tempfile(fileext = ".rds")
    init <- tempfile(fileext = ".rds")
    saveRDS(start_at(matrix(0, 1, 12)), init)
    out <- run_mpi(ranks, c(
      sprintf("arguments <- list(dir = %s, out = %s, fit = list(rank = 2, lambda = 1e-3, standardize = FALSE, solver = 'lbfgs', init = readRDS(%s),",
              deparse(shards$dir), deparse(file), deparse(init)),
      "  control = hofm::hofm_control(threads = 1, max_iter = 12, seed = 1, tol = 0)))",
      sprintf("source(%s)", deparse(script))), shards)
    expect_true(file.exists(file), info = paste(out, collapse = "\n"))
    if (file.exists(file)) expect_identical(readRDS(file)[names(one)], one)
  }
})

test_that("an error at one process under mpirun ends them all, with its message", {
  skip_without_mpi()
  data <- binary()
  shards <- sharded(data$x, data$f)
  file <- file.path(shards$dir, shards$files$file[2])
  bytes <- readBin(file, "raw", 1e6)
  bytes[length(bytes) - 100] <- xor(bytes[length(bytes) - 100], as.raw(1))
  bytes[300] <- xor(bytes[300], as.raw(1))
  writeBin(bytes, file)
  out <- run_mpi(2, c(sprintf("arguments <- list(dir = %s, out = tempfile(), fit = list(rank = 1, lambda = 0.1, solver = 'lbfgs', standardize = FALSE))",
                              deparse(shards$dir)), sprintf("source(%s)", deparse(system.file("mpi", "fit.R", package = "hofm")))), shards)
  expect_match(paste(out, collapse = "\n"), basename(file), fixed = TRUE)
})

test_that("sums split for a network come back, whoever adds them", {
  data <- binary()
  shards <- sharded(data$x, data$f)
  pass <- some_pass(shards)
  whole <- hofm:::sum_task(list(pass = pass, shards = seq_len(length(shards))))$bytes
  parts <- lapply(seq_len(length(shards)), function(q) hofm:::split_sums_cpp(hofm:::sum_task(list(pass = pass, shards = q))$bytes))
  sum <- Reduce(`+`, lapply(parts, `[[`, "sum"))
  max <- do.call(pmax, lapply(parts, `[[`, "max"))
  expect_identical(hofm:::joined_sums_cpp(sum, max, pass$exponents), whole)
})
