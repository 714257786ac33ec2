# Data beyond memory at full size: 5e6 rows of 20 one-hot fields with 50,000 levels each, 1e8 nonzeros, 1e6 features, planted orders 2
# and 3. Makes the shards in HOFM_SCALE (about 450 MB), unless they are there, and measures in processes of their own: bytes a nonzero,
# passes and epochs from files and in memory (processor time), peak memory, and two workers beside one (elapsed time).
#
#   HOFM_SCALE=/some/folder Rscript inst/bench/scale.R [what ...]
#
# `what` is some of make, pass, epoch, adagrad, lbfgs, workers; all by default. HOFM_SCALE_ROWS makes less of it.

fields <- 20
levels_each <- 50000
rows <- as.double(Sys.getenv("HOFM_SCALE_ROWS", "5e6"))
folder <- Sys.getenv("HOFM_SCALE", file.path(tempdir(), "scale"))
dir <- file.path(folder, "shards")

# Rows come 1e5 at a time. Every level has factors for degree 2 (four) and degree 3 (two), by which the row's link is made; whether a row
# is positive is drawn.
planted_rows <- function(seed = 1, at_a_time = 1e5) {
  set.seed(seed)
  factors <- matrix(rnorm(fields * levels_each * 6, sd = rep(c(0.2, 0.35), c(4, 2) * fields * levels_each)), ncol = 6)
  labels <- sprintf("%05d", seq_len(levels_each))
  done <- 0
  function() {
    n <- min(at_a_time, rows - done)
    if (n < 1) return(NULL)
    done <<- done + n
    codes <- lapply(seq_len(fields), function(k) sample.int(levels_each, n, replace = TRUE))
    link <- -0.5
    for (s in 1:6) {
      sums <- matrix(0, n, 3)
      for (k in seq_len(fields)) {
        z <- factors[(k - 1) * levels_each + codes[[k]], s]
        sums <- sums + cbind(z, z^2, z^3)
      }
      a <- sums[, 1]
      link <- link + if (s <= 4) (a^2 - sums[, 2]) / 2 else (a^3 - 3 * a * sums[, 2] + 2 * sums[, 3]) / 6
    }
    frame <- lapply(codes, function(code) structure(code, levels = labels, class = "factor"))
    names(frame) <- sprintf("f%02d", seq_len(fields))
    frame$y <- runif(n) < plogis(link)
    structure(frame, class = "data.frame", row.names = .set_row_names(n))
  }
}

peak_mb <- function() as.double(gsub("[^0-9]", "", grep("VmHWM", readLines("/proc/self/status"), value = TRUE))) / 1024
cpu <- function(code) {
  before <- proc.time()
  force(code)
  spent <- proc.time() - before
  sum(spent[c("user.self", "sys.self", "user.child", "sys.child")], na.rm = TRUE)
}
say <- function(...) cat(sprintf(...), "\n", sep = "")

one_thread <- function(...) hofm::hofm_control(seed = 1, threads = 1, ...)

measure <- list(
  make = function() {
    if (file.exists(file.path(dir, "manifest.hofm"))) return(invisible())
    seconds <- cpu(shards <- hofm::write_shards(planted_rows(), dir, y ~ .))
    print(shards)
    bytes <- sum(file.size(file.path(dir, shards$files$file)))
    say("make: %.0f ns a nonzero with making the rows; %.3f bytes a nonzero; peak %.0f MB", 1e9 * seconds / shards$nonzeros,
        bytes / shards$nonzeros, peak_mb())
  },
  pass = function() {
    for (order in 2:3) {
      shards <- hofm::open_shards(dir)
      few <- shards[seq_len(min(3, length(shards)))]
      internal <- function(name) getFromNamespace(name, "hofm")
      response <- internal("shard_response")(shards, NULL)
      d <- length(shards$features)
      ranks <- rep(8L, order - 1)
      spec <- list(model = "hofm", order = order, rank = ranks, lambda = rep(1e-6, order), loss = "logistic", intercept = TRUE,
                   linear = TRUE, solver = "lbfgs")
      set.seed(1)
      start <- list(intercept = 0, w = numeric(d), P = stats::setNames(lapply(ranks, function(k) matrix(rnorm(d * k, sd = 0.1), d)), 2:order))
      model <- internal("cpp_model")(start, spec)
      bare <- model
      bare$terms <- lapply(model$terms, function(term) replace(term, "P", list(term$P[0, , drop = FALSE])))
      parameters <- writeBin(c(0, unlist(lapply(model$terms, function(term) t(term$P)))), raw())
      source <- internal("shard_source")(few, response, few$rows, list())
      from_files <- cpu({
        sums <- internal("new_pass_cpp")(bare, rep(d, order), parameters, "logistic", TRUE, c(-41L, -46L))
        for (q in seq_along(source$files)) internal("pass_shard_cpp")(sums, source, q)
        internal("pass_sums_cpp")(sums)
      })
      x <- do.call(rbind, lapply(seq_len(length(few)), function(q) internal("read_shard")(few, q)$x))
      y <- 2 * internal("shard_truth")(few) - 1
      blocks <- list(list(x = internal("from_matrix")(x), index = NULL))
      target <- list(y = y, weights = rep(1 / length(y), length(y)), offset = numeric())
      options <- internal("solver_options")(spec, one_thread(), 1)
      # the first pass makes the rows, which is no part of it
      twice <- function(times) cpu(internal("objective_cpp")(blocks, target, model, options, times))
      in_memory <- twice(3) - twice(2)
      say("pass, order %d: from files %.1f ns a nonzero, in memory %.1f, ratio %.2f", order, 1e9 * from_files / few$nonzeros,
          1e9 * in_memory / few$nonzeros, from_files / in_memory)
    }
  },
  epoch = function() {
    shards <- hofm::open_shards(dir)
    few <- shards[seq_len(min(3, length(shards)))]
    fit <- function(x, epochs, ...) cpu(hofm::hofm(x, ..., rank = 8, lambda = 1e-6, solver = "adagrad", standardize = FALSE, 
                                                   control = one_thread(max_iter = epochs, eta = 0.1, init_sd = 0.1, tol = 0)))
    from_files <- fit(few, 3) - fit(few, 1)
    internal <- function(name) getFromNamespace(name, "hofm")
    x <- internal("from_matrix")(do.call(rbind, lapply(seq_len(length(few)), function(q) internal("read_shard")(few, q)$x)))
    y <- internal("shard_truth")(few) == 1
    in_memory <- fit(x, 3, y = y) - fit(x, 1, y = y)
    say("AdaGrad epoch with its objective: from files %.1f ns a nonzero, in memory %.1f, ratio %.2f", 5e8 * from_files / few$nonzeros,
        5e8 * in_memory / few$nonzeros, from_files / in_memory)
  },
  adagrad = function() {
    shards <- hofm::open_shards(dir)
    seconds <- cpu(fit <- hofm::hofm(shards, rank = 8, lambda = 1e-6, solver = "adagrad", standardize = FALSE, control = one_thread(max_iter = 1)))
    say("AdaGrad, one epoch of all: %.0f s of processor, objective %.4f to %.4f, peak %.0f MB", seconds, fit$trace$objective[1],
        fit$objective, peak_mb())
  },
  lbfgs = function() {
    shards <- hofm::open_shards(dir)
    seconds <- cpu(fit <- hofm::hofm(shards, rank = 8, lambda = 1e-6, solver = "lbfgs", standardize = FALSE, control = one_thread(max_iter = 5)))
    say("L-BFGS, five steps: %.0f s of processor, objective %.4f to %.4f, peak %.0f MB", seconds, fit$trace$objective[1], fit$objective,
        peak_mb())
  },
  workers = function() {
    shards <- hofm::open_shards(dir)
    elapsed <- vapply(1:2, function(workers) {
      cluster <- parallel::makeCluster(workers)
      on.exit(parallel::stopCluster(cluster))
      steps <- function(n) system.time(fit <<- hofm::hofm(shards, rank = 8, lambda = 1e-6, solver = "lbfgs", standardize = FALSE,
                                                         workers = cluster, control = one_thread(max_iter = n)))[["elapsed"]]
      fit <- NULL
      seconds <- steps(6) - steps(1)
      say("workers: %d, five steps in %.1f s, objective %.17g", workers, seconds, fit$objective)
      seconds
    }, 0)
    say("workers: two are %.2f times as fast as one", elapsed[1] / elapsed[2])
  }
)

what <- commandArgs(TRUE)
if (length(what) == 1 && nzchar(Sys.getenv("HOFM_SCALE_CHILD"))) {
  measure[[what]]()
} else {
  if (!length(what)) what <- names(measure)
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  self <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  Sys.setenv(HOFM_SCALE_CHILD = "1", HOFM_SCALE = folder)
  for (one in what) system2(file.path(R.home("bin"), "Rscript"), c(self, one))
}
