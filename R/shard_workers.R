# Who sums over shards in a pass of L-BFGS: processes on this machine or others. Sums are integers, so that it does not matter who had
# which shard, nor that some were done twice because a worker died.
#
# An engine is a list: sum(pass), which returns the bytes of the sums over all shards, and close(). A pass holds what a worker must know:
# the source, the shape of the model, parameters, loss, whether slopes are wanted, exponents. Workers by sockets have a loop of our own:
# after a worker dies, that of the package parallel fails, and later returns answers to questions that were asked before.

check_workers <- function(workers, solver) {
  if (is.null(workers)) return(list(close = function() invisible()))
  if (!solver %in% c("auto", "lbfgs")) {
    hofm_abort("`workers` need `solver = \"lbfgs\"` or `\"auto\"`: stochastic steps follow one another.", argument = "workers")
  }
  if (is.function(workers)) return(task_engine(workers, 16L))
  if (inherits(workers, "hofm_allreduce")) return(allreduce_engine(workers))
  if (identical(workers, "mirai")) return(mirai_engine(NULL))
  if (inherits(workers, "cluster")) return(cluster_engine(workers))
  if (is_plain_number(workers) && length(workers) == 1) return(local_engine(check_count(workers, "workers", max = 1024)))
  must_be("workers", "NULL, a number, a cluster of the package parallel, \"mirai\", or a function of tasks and a function", workers)
}

cluster_engine <- function(cluster) {
  if (!length(cluster)) hofm_abort("`workers` must have a process.", argument = "workers")
  sockets <- vapply(seq_along(cluster), function(k) inherits(cluster[[k]], c("SOCKnode", "SOCK0node")), NA)
  if (all(sockets)) return(socket_engine(cluster))
  if (inherits(cluster, "miraiCluster")) return(mirai_engine(attr(cluster, "id")))
  task_engine(function(tasks, fun) parallel::clusterApply(cluster, tasks, fun), length(cluster))
}

# Processes of our own, with the libraries of this one.
local_engine <- function(n) {
  cluster <- parallel::makePSOCKcluster(n)
  paths <- .libPaths()
  parallel::clusterCall(cluster, travelling(function(paths) invisible(.libPaths(paths))), paths)
  engine <- socket_engine(cluster)
  engine$close <- function() for (k in seq_along(cluster)) try(suppressWarnings(parallel::stopCluster(cluster[k])), silent = TRUE)
  engine
}

# The function that compiled code calls for a pass: parameters go out, sums of integers come back.
elsewhere_of <- function(workers, problem, spec) {
  if (is.null(workers$sum)) return(NULL)
  shape <- cpp_model(with_seed(1, starting_values(problem, spec, 1)), replace(spec, "lambda", list(solver_lambda(spec))))
  columns <- vapply(shape$terms, function(term) nrow(term$P), 0L)
  shape$terms <- lapply(shape$terms, function(term) replace(term, "P", list(term$P[0L, , drop = FALSE])))
  source <- problem$task$train
  function(parameters, slopes, exponents) {
    workers$sum(list(id = pass_number(), source = source, model = shape, columns = columns, parameters = parameters, loss = spec$loss,
                     slopes = slopes, exponents = exponents))
  }
}

# A number that no other pass of any process has.
pass_number <- function() {
  worker_memory$passes <- worker_memory$passes + 1
  sprintf("%d.%.0f.%.0f", Sys.getpid(), worker_memory$passes, 1e6 * as.double(Sys.time()))
}

# ---- What a worker does ------------------------------------------------------------------------------------

# What a worker holds during a pass, and no longer; and how many passes this process has begun.
worker_memory <- new.env(parent = emptyenv())
worker_memory$passes <- 0

begin_pass <- function(pass) {
  new_pass_cpp(pass$model, pass$columns, pass$parameters, pass$loss, pass$slopes, pass$exponents)
}

# What goes wrong comes back as a value, with the file that it is about.
caught <- function(code, file) {
  tryCatch(code, error = function(e) list(state = "error", message = conditionMessage(e), file = file))
}

# The sums over some shards of a pass at once.
sum_task <- function(task) {
  sums <- begin_pass(task$pass)
  for (q in task$shards) {
    done <- caught({
      about_shards(pass_shard_cpp(sums, task$pass$source, q))
      NULL
    }, task$pass$source$files[q])
    if (!is.null(done)) return(done)
  }
  list(state = "sums", bytes = pass_sums_cpp(sums))
}

# One more shard on top of those that this worker has done in this pass, of which it knows if it was told, or is told now.
add_task <- function(task) {
  if (!is.null(task$pass)) {
    worker_memory$sums <- begin_pass(task$pass)
    worker_memory$source <- task$pass$source
    worker_memory$id <- task$id
  }
  if (!identical(worker_memory$id, task$id)) return(list(state = "unknown"))
  caught({
    about_shards(pass_shard_cpp(worker_memory$sums, worker_memory$source, task$shard))
    list(state = "done")
  }, worker_memory$source$files[task$shard])
}

# What these add up to.
collect_task <- function(task) {
  if (!identical(worker_memory$id, task$id)) return(list(state = "unknown"))
  list(state = "sums", bytes = pass_sums_cpp(worker_memory$sums))
}

forget_task <- function(task) {
  suppressWarnings(rm(list = intersect(c("sums", "source", "id"), ls(worker_memory)), envir = worker_memory))
  list(state = "done")
}

# A function that takes nothing along on its way to a worker.
travelling <- function(f) {
  environment(f) <- baseenv()
  attr(f, "srcref") <- NULL
  f
}

at_worker <- travelling(function(name, task) get(name, envir = asNamespace("hofm"))(task))
sum_at_worker <- travelling(function(task) get("sum_task", envir = asNamespace("hofm"))(task))

abort_task <- function(message, file) {
  hofm_abort(sprintf("Summing over %s failed: %s", quoted(file), message), c("hofm_error_worker", "hofm_error_file"), file = file)
}

# ---- Sockets -----------------------------------------------------------------------------------------------

most_lost <- 3L

socket_engine <- function(cluster) {
  state <- new.env(parent = emptyenv())
  state$nodes <- lapply(seq_along(cluster), function(k) cluster[[k]])
  state$names <- vapply(seq_along(cluster), function(k) {
    host <- tryCatch(as.character(cluster[[k]]$host), error = function(e) character())
    sprintf("worker %d%s", k, if (length(host) == 1) sprintf(" (%s)", host) else "")
  }, "")
  state$alive <- rep(TRUE, length(cluster))
  list(sum = function(pass) socket_pass(state, pass), close = function() forget_pass(state))
}

#' One pass: shards are handed out one by one, and what a worker has added up is fetched when there are none left
#' @noRd
socket_pass <- function(state, pass) {
  n <- length(pass$source$files)
  p <- new.env(parent = emptyenv())
  p$pass <- pass
  p$queue <- seq_len(n)
  p$lost <- integer(n)                                        # how often each shard was lost with its worker
  p$holds <- lapply(state$nodes, function(node) integer())    # shards that a worker has added up
  p$busy <- rep(NA_integer_, length(state$nodes))             # the shard at work; 0 while sums are fetched
  p$tag <- rep("", length(state$nodes))
  p$told <- rep(FALSE, length(state$nodes))
  p$sums <- NULL
  p$asked <- 0
  on.exit(drain(state, p))
  repeat {
    for (k in which(state$alive & is.na(p$busy))) give_work(state, p, k)
    at_work <- which(!is.na(p$busy))
    if (!length(at_work) && !length(p$queue) && !any(lengths(p$holds) > 0)) return(p$sums)
    if (!any(state$alive)) {
      hofm_abort(sprintf("All %d workers were lost, and there is none left to sum over %s.", length(state$nodes),
                         quoted(pass$source$files[c(p$queue, 1L)[1L]])), "hofm_error_worker")
    }
    for (k in ready_nodes(state, at_work)) take_answer(state, p, k)
  }
}

give_work <- function(state, p, k) {
  if (length(p$queue)) {
    shard <- p$queue[1L]
    p$queue <- p$queue[-1L]
    p$busy[k] <- shard
    ask(state, p, k, "add_task", list(id = p$pass$id, shard = shard, pass = if (!p$told[k]) p$pass))
    p$told[k] <- TRUE
  } else if (length(p$holds[[k]])) {
    p$busy[k] <- 0L
    ask(state, p, k, "collect_task", list(id = p$pass$id))
  }
}

# In the words of the package parallel, whose processes answer.
ask <- function(state, p, k, name, task) {
  p$asked <- p$asked + 1
  p$tag[k] <- sprintf("%s.%.0f", p$pass$id, p$asked)
  message <- list(type = "EXEC", data = list(fun = at_worker, args = list(name, task), return = TRUE, tag = p$tag[k]))
  sent <- tryCatch({
    serialize(message, state$nodes[[k]]$con, xdr = FALSE)
    TRUE
  }, error = function(e) cut_off(state, k, e, FALSE))
  if (!sent) lose(state, p, k)
}

# What went wrong on a connection counts as the loss of its worker, but for a limit of setTimeLimit() that ran out just then: half a
# message may be on its way, so the connection is given up, and the limit is told.
cut_off <- function(state, k, error, value) {
  if (!is_time_limit(error)) return(value)
  state$alive[k] <- FALSE
  try(close(state$nodes[[k]]$con), silent = TRUE)
  stop(error)
}

# Those of the nodes that have something to say, or are gone.
ready_nodes <- function(state, at) {
  at <- at[state$alive[at]]
  if (!length(at)) return(integer())
  at[socketSelect(lapply(state$nodes[at], `[[`, "con"), FALSE, 1)]
}

# R tells of it in these words only.
is_time_limit <- function(error) {
  limits <- c("reached elapsed time limit", "reached CPU time limit", "reached session elapsed time limit", "reached session CPU time limit")
  conditionMessage(error) %in% c(limits, gettext(limits, domain = "R"))
}

read_answer <- function(state, k) tryCatch(unserialize(state$nodes[[k]]$con), error = function(e) cut_off(state, k, e, NULL))

take_answer <- function(state, p, k) {
  answer <- read_answer(state, k)
  if (is.null(answer)) return(lose(state, p, k))
  if (!identical(answer$tag, p$tag[k])) return(invisible())  # to a question of before
  shard <- p$busy[k]
  p$busy[k] <- NA_integer_
  value <- answer$value
  if (!is.list(value)) {
    said <- trimws(paste(as.character(value), collapse = " "))
    hofm_abort(sprintf("%s failed: %s", capitalised(state$names[k]), said), "hofm_error_worker")
  }
  switch(value$state,
    done = p$holds[[k]] <- c(p$holds[[k]], shard),
    sums = {
      p$sums <- if (is.null(p$sums)) value$bytes else add_sums_cpp(list(p$sums, value$bytes))
      p$holds[[k]] <- integer()
    },
    unknown = {                                               # it was started anew
      p$told[k] <- FALSE
      p$queue <- c(p$queue, p$holds[[k]], if (shard > 0) shard)
      p$holds[[k]] <- integer()
    },
    abort_task(value$message, value$file))
}

capitalised <- function(words) paste0(toupper(substring(words, 1, 1)), substring(words, 2))

# A worker is gone, and all that it had added up: its shards go elsewhere.
lose <- function(state, p, k) {
  state$alive[k] <- FALSE
  shard <- p$busy[k]
  p$busy[k] <- NA_integer_
  if (!is.na(shard) && shard > 0) {
    p$lost[shard] <- p$lost[shard] + 1L
    if (p$lost[shard] > most_lost) {
      hofm_abort(sprintf("%d workers were lost while they summed over %s, %s the last of them.", p$lost[shard],
                         quoted(p$pass$source$files[shard]), state$names[k]), "hofm_error_worker", file = p$pass$source$files[shard])
    }
  }
  p$queue <- c(p$queue, p$holds[[k]], if (!is.na(shard) && shard > 0) shard)
  p$holds[[k]] <- integer()
}

# Nothing may be left in a connection that a later call would take for its answer: answers are awaited, for a shard takes seconds; where
# none comes the connection is closed.
drain <- function(state, p, seconds = 60) {
  end <- Sys.time() + seconds
  at <- which(!is.na(p$busy) & state$alive)
  while (length(at) && Sys.time() < end) {
    for (k in ready_nodes(state, at)) {
      answer <- read_answer(state, k)
      if (is.null(answer)) state$alive[k] <- FALSE
      if (is.null(answer) || identical(answer$tag, p$tag[k])) p$busy[k] <- NA_integer_
    }
    at <- which(!is.na(p$busy) & state$alive)
  }
  for (k in at) {
    state$alive[k] <- FALSE
    try(close(state$nodes[[k]]$con), silent = TRUE)
  }
}

# Parameters may be large: workers need not keep them.
forget_pass <- function(state) {
  p <- new.env(parent = emptyenv())
  p$pass <- list(id = pass_number())
  p$asked <- 0
  p$tag <- rep("", length(state$nodes))
  p$busy <- rep(NA_integer_, length(state$nodes))
  p$holds <- lapply(state$nodes, function(node) integer())
  p$queue <- integer()
  for (k in which(state$alive)) {
    p$busy[k] <- 0L
    ask(state, p, k, "forget_task", list())
  }
  drain(state, p)
}

# ---- Anyone who can call a function on a list of tasks -------------------------------------------------------

#' @param call A function of tasks and a function.
#' @param count How many tasks a pass is cut into, at most.
#' @noRd
task_engine <- function(call, count) {
  list(close = function() invisible(), sum = function(pass) {
    n <- length(pass$source$files)
    tasks <- lapply(unname(split(seq_len(n), rep_len(seq_len(min(n, count)), n))), function(shards) list(pass = pass, shards = shards))
    results <- vector("list", length(tasks))
    left <- seq_along(tasks)
    for (tries in 0:most_lost) {
      results[left] <- called(call, tasks[left], tries == most_lost)
      for (result in results) if (is_answer(result) && result$state == "error") abort_task(result$message, result$file)
      left <- which(!vapply(results, is_answer, NA))
      if (!length(left)) return(add_sums_cpp(lapply(results, `[[`, "bytes")))
    }
    hofm_abort(sprintf("`workers` must return a list with what the function gives for each task; for that of %s it was %s.",
                       quoted(pass$source$files[tasks[[left[1L]]]$shards[1L]]), worker_words(results[[left[1L]]])), "hofm_error_worker")
  })
}

# What a worker said instead of an answer.
worker_words <- function(result) {
  if (inherits(result, "condition")) return(conditionMessage(result))
  if (is.character(result) && length(result) == 1) return(trimws(result))
  describe(result)
}

is_answer <- function(result) {
  is.list(result) && (identical(result$state, "error") || (identical(result$state, "sums") && is.raw(result$bytes)))
}

# A call that fails as a whole has lost its connection, as far as one can tell: the tasks themselves do not fail.
called <- function(call, tasks, last) {
  results <- tryCatch(call(tasks, sum_at_worker), error = function(e) {
    if (is_time_limit(e)) stop(e)
    if (!last && !is_missing_package(e)) return(NULL)
    hofm_abort(sprintf("A worker did not come back with its sums: %s", conditionMessage(e)), "hofm_error_worker")
  })
  if (is.list(results) && length(results) == length(tasks)) results else vector("list", length(tasks))
}

is_missing_package <- function(e) grepl("no package called", conditionMessage(e), fixed = TRUE)

# ---- mirai -------------------------------------------------------------------------------------------------

#' @param profile Where the daemons are known, NULL for the default.
#' @noRd
mirai_engine <- function(profile) {
  need_package("mirai", "`workers = \"mirai\"`")
  n <- mirai_count(profile)
  if (n == 0) {
    hofm_abort(paste("`workers = \"mirai\"` found no process that is connected. Start some with `mirai::daemons(2)`, with the environment",
                     "variable R_LIBS set if the package is not in a library that R always looks at."), "hofm_error_worker")
  }
  compute <- if (is.null(profile)) list() else list(.compute = profile)
  task_engine(function(tasks, fun) {
    asked <- lapply(tasks, function(task) do.call(mirai::mirai, c(list(quote(fun(task)), .args = list(fun = fun, task = task)), compute)))
    lapply(asked, function(m) {
      value <- mirai::call_mirai(m)$data
      if (inherits(value, "miraiError")) hofm_abort(sprintf("A process of mirai failed: %s", as.character(value)), "hofm_error_worker")
      value
    })
  }, n)
}

# Daemons that are connected, for whom we wait a few seconds.
mirai_count <- function(profile, seconds = 10) {
  end <- Sys.time() + seconds
  repeat {
    status <- tryCatch(if (is.null(profile)) mirai::status() else mirai::status(profile), error = function(e) NULL)
    n <- suppressWarnings(as.integer(status$connections))
    if (length(n) == 1 && !is.na(n) && n > 0) return(n)
    if (!is.character(status$daemons) && length(status$daemons) && identical(as.integer(status$daemons)[1], 0L)) return(0L)
    if (Sys.time() > end) return(0L)
    Sys.sleep(0.1)
  }
}

# ---- Programs of which every process does the same -----------------------------------------------------------

#' Workers that call hofm() all together, each for its part of the shards: inst/mpi/fit.R
#' @param rank,size Which of how many this process is, from zero.
#' @param sum,max Functions that add up a vector of doubles over all processes, or take the largest, place by place.
#' @noRd
allreduce_workers <- function(rank, size, sum, max) {
  structure(list(rank = as.integer(rank), size = as.integer(size), sum = sum, max = max), class = "hofm_allreduce")
}

# One that fails must say so to the others, who would wait for it for ever.
allreduce_engine <- function(workers) {
  list(close = function() invisible(), sum = function(pass) {
    n <- length(pass$source$files)
    mine <- caught(sum_task(list(pass = pass, shards = which((seq_len(n) - 1L) %% workers$size == workers$rank))), "")
    failed <- mine$state == "error"
    if (workers$max(as.double(failed)) > 0) {
      if (failed) abort_task(mine$message, mine$file)
      hofm_abort("Another process of this program failed.", "hofm_error_worker")
    }
    parts <- split_sums_cpp(mine$bytes)
    joined_sums_cpp(workers$sum(parts$sum), workers$max(parts$max), pass$exponents)
  })
}
