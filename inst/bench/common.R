# What the benchmarks share: jobs, the yardstick, interleaved repetitions, and the shape of a result.
#
# HOFM_DATA       a folder with one folder per data set (ml100k, nips): A.mtx.gz and, for two node sets, B.mtx.gz
# HOFM_PAIRS      a folder with ml100k-train.tsv.gz and nips-train.tsv.gz: columns i, j, y
# HOFM_YARDSTICK  the source of a textbook coordinate descent on one ANOVA block, built here with g++ -O2
# HOFM_RUNS       repetitions of everything that is timed; the medians are reported
# Jobs whose files are not there are left out, and without the yardstick so are the ratios to it.

library(hofm)

setting <- function(variable, default = "") {
  value <- Sys.getenv(variable)
  if (nzchar(value)) value else default
}
smoke <- nzchar(setting("HOFM_SMOKE")) # tiny sizes: does it run?
runs <- as.integer(setting("HOFM_RUNS", if (smoke) "1" else "5"))

say <- function(...) message("hofm: ", ...)

# ---- the yardstick ----

yardstick_binary <- local({
  binary <- NULL
  function() {
    source <- setting("HOFM_YARDSTICK")
    if (!is.null(binary) || !file.exists(source)) return(binary)
    path <- file.path(tempdir(), "yardstick")
    if (system2("g++", c("-O2", "-std=c++17", "-o", path, shQuote(source))) != 0) stop("the yardstick does not compile")
    binary <<- path
  }
})

# Seconds and objective of each epoch on a job, or NULL. The start has a standard deviation of 0.01 in the units of the
# files.
run_yardstick <- function(job, m, k = 30, epochs = 1) {
  if (is.null(yardstick_binary())) return(NULL)
  lambda <- job$lambda * job$scale^2
  arguments <- c(shQuote(job$folder), shQuote(job$file), m, k, lambda, epochs, if (job$unit_length) "l2")
  lines <- grep("^epoch", system2(yardstick_binary(), arguments, stdout = TRUE), value = TRUE)
  data.frame(seconds = as.numeric(sub(".*epoch +[0-9]+ +([0-9.]+) s.*", "\\1", lines)),
             objective = as.numeric(sub(".*objective ", "", lines)))
}

yardstick_epoch <- function(job, m, k = 30) {
  epochs <- run_yardstick(job, m, k, epochs = 2)
  if (is.null(epochs)) NA else timed(stats::median(epochs$seconds), yardstick_alive(job, epochs$objective[2]))
}

# ---- life ----

# A model whose factors the penalty has taken to zero is no work: coordinate descent leaves such factors out, and in a
# race there is nothing to reach. So what is timed comes with the share of the factors that are not zero when the clock
# stops, and a row where that is not above nine in ten says so.
least_alive <- 0.9

alive_share <- function(fit) {
  factors <- unlist(fit$P)
  if (length(factors) == 0) NA_real_ else mean(abs(factors) > 1e-8)
}

# Nobody sees the factors of the yardstick. The objective of a dead model is half the mean square of the response.
yardstick_alive <- function(job, objective) as.double(abs(objective / (mean(job$y^2) / 2) - 1) > 1e-3)

# Seconds that know how much of the model was alive.
timed <- function(seconds, alive) structure(seconds, alive = alive)

share_of <- function(seconds) if (is.null(attr(seconds, "alive"))) NA_real_ else attr(seconds, "alive")

# What a row must say of shares that are named after their models.
death_note <- function(alive) {
  dead <- alive[!is.na(alive) & alive <= least_alive]
  sprintf("dead model (%s): %.0f %% of the factors are not zero", names(dead), 100 * dead)
}

# ---- jobs: link pairs, the same pairs as a plain matrix, and how the yardstick finds them ----

read_job <- function(name) {
  folder <- file.path(setting("HOFM_DATA"), name)
  file <- file.path(setting("HOFM_PAIRS"), paste0(name, "-train.tsv.gz"))
  if (!file.exists(file) || !file.exists(file.path(folder, "A.mtx.gz"))) {
    say("no data for ", name, ": its jobs are left out")
    return(NULL)
  }
  unit_length <- name == "nips" # word counts
  nodes <- function(file) {
    x <- methods::as(Matrix::readMM(gzfile(file.path(folder, file))), "CsparseMatrix")
    if (unit_length) x <- x / pmax(sqrt(Matrix::rowSums(x^2)), 1e-300)
    methods::as(x, "CsparseMatrix")
  }
  A <- nodes("A.mtx.gz")
  B <- if (file.exists(file.path(folder, "B.mtx.gz"))) nodes("B.mtx.gz") else A
  pairs <- link_pairs(A, B, stats::setNames(utils::read.delim(gzfile(file)), c("i", "j", "y")))
  list(name = name, pairs = pairs, x = model.matrix(pairs), y = pairs$y, A = A, B = B, lambda = 1e-3,
       scale = 1, folder = folder, file = file, unit_length = unit_length)
}

# A random sparse matrix with `filled` nonzeros per row and a response from a planted model of order 2. The yardstick reads
# pairs, so it gets the rows as one node set and, as the other, a single node without features; `files = FALSE` spares that.
synthetic_job <- function(n, d, filled, seed = 1, files = TRUE) {
  set.seed(seed)
  j <- as.integer(stats::runif(n * filled) * d) + 1L
  x <- Matrix::sparseMatrix(i = rep(seq_len(n), each = filled), j = j, x = stats::rnorm(n * filled), dims = c(n, d))
  P <- matrix(stats::rnorm(d * 4, sd = 0.3), d)
  y <- rowSums(as.matrix(x %*% P)^2 - as.matrix(x^2 %*% P^2)) / 2 + stats::rnorm(n)
  job <- list(name = "synthetic", x = x, y = y, lambda = 1e-3, scale = 1, unit_length = FALSE)
  if (files) c(job, write_pairs(x, y)) else job
}

write_pairs <- function(x, y) {
  folder <- tempfile("synthetic")
  dir.create(folder)
  zip <- function(name) system2("gzip", shQuote(file.path(folder, name)))
  Matrix::writeMM(x, file.path(folder, "A.mtx"))
  writeLines(c("%%MatrixMarket matrix coordinate real general", "1 1 0"), file.path(folder, "B.mtx"))
  utils::write.table(data.frame(i = seq_along(y), j = 1L, y = y), file.path(folder, "pairs.tsv"), sep = "\t",
                     row.names = FALSE, quote = FALSE)
  lapply(c("A.mtx", "B.mtx", "pairs.tsv"), zip)
  list(folder = folder, file = file.path(folder, "pairs.tsv.gz"))
}

# The same job for a start of another standard deviation, as high degrees need: from 0.01 their slopes are next to
# nothing and the penalty is all that is left. The yardstick gets features `scale` times as large and lambda times the
# square of that, which is the same objective in factors `scale` times as small.
started_at <- function(job, sd, lambda) {
  scale <- sd / 0.01
  job[c("start", "lambda", "scale", "unit_length")] <- list(sd, lambda, scale, FALSE)
  files <- write_pairs(job$x * scale, job$y)
  job[names(files)] <- files
  job
}

the_synthetic <- function() if (smoke) synthetic_job(200, 50, 5) else synthetic_job(20000, 5000, 20)

# What is no epoch of anything is measured in these: the yardstick's epoch of that matrix at order 2 and rank 30.
reference_epoch <- local({
  job <- NULL
  function() {
    if (is.null(job)) job <<- the_synthetic()
    yardstick_epoch(job, 2)
  }
})

# ---- fits ----

# A model of degree m alone, as the yardstick has it. No start collapses in the few epochs that are timed.
fit_block <- function(x, ..., m, k = 30, lambda = 1e-3, control) {
  fit <- if (inherits(x, "link_pairs")) fit_given_pairs else hofm
  suppressWarnings(fit(x, ..., order = m, rank = c(rep(0, m - 2), k), lambda = lambda, linear = FALSE, intercept = FALSE,
                       standardize = FALSE, loss = "squared", control = control))
}

# The pairs of the file and nothing else, as the yardstick has them.
fit_given_pairs <- function(...) hofm(..., negatives = "given", common = FALSE, tied = FALSE)

epoch_seconds <- function(fit) timed(stats::median(diff(fit$trace$seconds)), alive_share(fit))

# Objective and gradient of degree m at P, as L-BFGS asks for them again and again: what six more take, in seconds for one.
gradient_seconds <- function(blocks, y, m, P, lambda = 1e-3, threads = 1) {
  model <- list(intercept = 0, fit_intercept = FALSE, terms = list(hofm:::new_term("anova", m, lambda, P)))
  options <- hofm:::solver_options(list(solver = "lbfgs", loss = "squared"), hofm_control(threads = threads), seed = 1)
  response <- list(y = y, weights = rep(1 / length(y), length(y)), offset = numeric())
  evaluate <- function(times) elapsed(hofm:::objective_cpp(blocks, response, model, options, times))
  timed(max(evaluate(7) - evaluate(1), 1e-3) / 6, alive_share(list(P = P))) # the clock has milliseconds
}

elapsed <- function(expression) system.time(expression, gcFirst = FALSE)[["elapsed"]]

# ---- results ----

# Every function of `what` called in turn, `times` over: a matrix with one column per function, and the least shares
# alive.
interleave <- function(what, times = runs) {
  calls <- replicate(times, lapply(what, function(f) f()), simplify = FALSE)
  each <- function(f) t(vapply(calls, function(call) vapply(call, f, 0), double(length(what))))
  timed(each(as.double), apply(each(share_of), 2, min))
}

# Seconds of a function, `times` over, and of the reference epoch after each, which is a clock whatever its model.
beside_reference <- function(seconds, times = runs) {
  table <- interleave(list(hofm = seconds, reference = reference_epoch), times)
  list(seconds = table[, "hofm"], yardstick = table[, "reference"], alive = share_of(table)["hofm"])
}

# One line of the table. The ratio is the yardstick's seconds over ours ("times faster") or ours over the yardstick's.
# `alive` has the shares alive of "hofm" and of other models that matter, the "yardstick" for one.
result <- function(question, job, ..., seconds, yardstick = NA, sense = c("times faster", "of an epoch"), target = NA,
                   note = "", alive = c(hofm = NA_real_)) {
  sense <- match.arg(sense)
  ratio <- if (sense == "times faster") yardstick / seconds else seconds / yardstick
  cells <- utils::modifyList(list(order = NA, rank = NA, threads = NA), list(...))
  data.frame(question = question, job = job, order = cells$order, rank = cells$rank, threads = cells$threads,
             seconds = stats::median(seconds), yardstick = stats::median(yardstick), ratio = stats::median(ratio),
             sense = sense, target = target, alive = alive[["hofm"]],
             note = paste(c(note[nzchar(note)], death_note(alive)), collapse = "; "))
}

# The slope of log(seconds) on log(size): 1 is linear.
exponent <- function(size, seconds) unname(stats::coef(stats::lm(log(seconds) ~ log(size)))[2])
