# What the scripts of this folder share: data, tuning on training pairs, and cells that are made once.
#
# HOFM_DATA     a folder with one folder per data set (ml100k, nips, cora, dpi_e, ml1m, lastfm); the first argument of a
#               script does the same
# HOFM_WORK     where finished cells are kept; .build/paper unless set
# HOFM_RESULTS  where the tables are written; inst/paper/results unless set

library(hofm)

# ---- Folders -----------------------------------------------------------------------------------------------

paper_folders <- function(arguments = commandArgs(trailingOnly = TRUE)) {
  data <- if (length(arguments)) arguments[1] else Sys.getenv("HOFM_DATA")
  if (!nzchar(data)) stop("Give the folder of the data as an argument, or in the variable HOFM_DATA.", call. = FALSE)
  if (!dir.exists(data)) stop("There is no folder ", data, ".", call. = FALSE)
  list(data = data, work = Sys.getenv("HOFM_WORK", file.path(".build", "paper")),
       results = Sys.getenv("HOFM_RESULTS", file.path("inst", "paper", "results")))
}

# ---- Cells -------------------------------------------------------------------------------------------------
# A cell is a list of settings; its result is a data frame. Each is one file, which also holds the settings: when these
# have changed, or the file is damaged, the cell is made again. Failures are not kept.

cell_path <- function(cell, work) {
  file.path(work, paste0(gsub("[^A-Za-z0-9._-]", "_", paste(unlist(cell$key), collapse = "-")), ".rds"))
}

stored_cell <- function(cell, work) {
  file <- cell_path(cell, work)
  if (!file.exists(file)) return(NULL)
  kept <- tryCatch(suppressWarnings(readRDS(file)), error = function(e) NULL)
  sound <- is.list(kept) && is.data.frame(kept$result) && isTRUE(all.equal(kept$cell, cell))
  if (sound) kept$result
}

# Written beside its place and then moved there, so that a run that is ended half-way leaves no half file.
store_cell <- function(cell, result, work) {
  dir.create(work, recursive = TRUE, showWarnings = FALSE)
  file <- cell_path(cell, work)
  saveRDS(list(cell = cell, result = result), paste0(file, ".part"))
  file.rename(paste0(file, ".part"), file)
  result
}

#' The results of cells, in their order: those at hand are read, the others made
#' @param make A function of a cell that gives a data frame.
#' @param after Called after each cell that was made.
#' @return A data frame: the keys, the results and the seconds that each took.
run_cells <- function(cells, make, work, say = message, after = function() NULL) {
  rows <- lapply(seq_along(cells), function(k) {
    cell <- cells[[k]]
    result <- stored_cell(cell, work)
    if (is.null(result)) {
      seconds <- system.time(result <- make(cell))
      result$seconds <- seconds[["elapsed"]]
      result$processor <- seconds[["user.self"]] + seconds[["sys.self"]]
      store_cell(cell, result, work)
      say(sprintf("%s  %d of %d  %s  %.0f s", format(Sys.time(), "%H:%M:%S"), k, length(cells),
                  paste(unlist(cell$key), collapse = " "), seconds[["elapsed"]]))
      after()
    }
    cbind(as.data.frame(cell$key, stringsAsFactors = FALSE), result)
  })
  do.call(rbind, rows)
}

# The results of those cells that are there.
gather_cells <- function(cells, work) {
  found <- Filter(function(cell) !is.null(stored_cell(cell, work)), cells)
  run_cells(found, stop, work)
}

# Minutes on the clock and of the processor that went into those cells that are there.
write_time <- function(script, cells, folders) {
  found <- Filter(Negate(is.null), lapply(cells, stored_cell, work = folders$work))
  minutes <- function(column) sum(vapply(found, function(result) result[[column]][1], 0)) / 60
  time <- data.frame(script = script, cells = length(found), clock = minutes("seconds"), processor = minutes("processor"))
  write_table(time, paste0("time-", script), folders$results)
}

write_table <- function(table, name, folder) {
  dir.create(folder, recursive = TRUE, showWarnings = FALSE)
  numbers <- vapply(table, is.double, NA)
  table[numbers] <- lapply(table[numbers], signif, 6)
  utils::write.csv(table, file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
}

# ---- Graphs ------------------------------------------------------------------------------------------------

read_graph <- function(set, data) {
  folder <- file.path(data, set)
  nodes <- function(file) {
    if (!file.exists(file.path(folder, file))) return(NULL)
    methods::as(methods::as(Matrix::readMM(gzfile(file.path(folder, file))), "generalMatrix"), "CsparseMatrix")
  }
  edges <- utils::read.delim(gzfile(file.path(folder, "edges.tsv.gz")))
  list(A = nodes("A.mtx.gz"), B = nodes("B.mtx.gz"), edges = edges[1:2])
}

# Ways to scale counts of words.
scalings <- list(
  raw = identity,
  log = function(x) { x@x <- log1p(x@x); x },
  unit = function(x) unit_rows(x),
  tfidf = function(x) unit_rows(Matrix::t(Matrix::t(scalings$log(x)) * inverse_frequency(x)))
)

unit_rows <- function(x) x / pmax(sqrt(Matrix::rowSums(x^2)), 1e-300)
inverse_frequency <- function(x) log(nrow(x) / pmax(Matrix::colSums(x != 0), 1))

scale_graph <- function(graph, scaling) {
  graph[c("A", "B")] <- lapply(graph[c("A", "B")], function(x) if (!is.null(x)) scalings[[scaling]](x))
  graph
}

split_graph <- function(graph, split) {
  split_links(graph$A, graph$B, edges = graph$edges, prop = 0.5, ratio = 1, seed = split)
}

# ---- Fitting and tuning ------------------------------------------------------------------------------------

# Columns that a large penalty pulls to zero are no news here, nor is an end at the number of iterations that was asked for.
quietly <- function(code) {
  muffle <- function(w) invokeRestart("muffleWarning")
  withCallingHandlers(code, hofm_warning_collapsed = muffle, hofm_warning_not_converged = muffle)
}

# Coordinate descent as in the paper, without extrapolation. Of an undirected graph every pair is given both ways round: nothing else
# tells the model that (i, j) and (j, i) are the same.
fit_pairs <- function(pairs, settings, lambda, max_iter, ...) {
  if (pairs$one_set && !pairs$directed) pairs <- both_ways(pairs)
  control <- hofm_control(max_iter = max_iter, extrapolate = FALSE, threads = 1, seed = settings$key$split, keep_fitted = FALSE)
  arguments <- list(pairs, rank = settings$rank, lambda = lambda, model = settings$key$model, solver = settings$solver,
                    common = FALSE, standardize = FALSE, tied = FALSE, control = control, ...)
  if (is.null(arguments$negatives)) arguments$negatives <- "given"
  if (!settings$key$model %in% c("all_subsets", "bilinear")) arguments$order <- settings$key$order
  quietly(do.call(hofm, arguments))
}

both_ways <- function(pairs) {
  i <- pairs$i
  pairs$i <- c(i, pairs$j)
  pairs$j <- c(pairs$j, i)
  pairs$y <- rep(pairs$y, 2)
  pairs
}

#' Folds of the training pairs, the same for every model of a split
deal_folds <- function(pairs, nfolds, seed) {
  set.seed(seed)
  fold <- integer(length(pairs$y))
  for (class in 0:1) {
    rows <- which(pairs$y == class)
    fold[rows] <- sample(rep_len(seq_len(nfolds), length(rows)))
  }
  fold
}

#' Mean AUC of the held-out training pairs, at one lambda
#' @param settings `nfolds` says how the pairs are cut, `folds` how many of the parts are held out in turn.
validate <- function(pairs, settings, lambda, ...) {
  fold <- deal_folds(pairs, settings$nfolds, settings$key$split)
  values <- vapply(seq_len(settings$folds), function(f) {
    fit <- fit_pairs(pairs[fold != f], settings, lambda, settings$tune_iter, ...)
    auc(fit, pairs[fold == f])
  }, 0)
  mean(values)
}

#' The best power of ten, by climbing from a start until both neighbours are worse
#'
#' Within 10^-6 to 10^6. Of equals the larger lambda wins.
#' @param score A function of lambda, the higher the better.
#' @return A data frame of what was tried: exponent, score; the best first.
climb <- function(score, start = -3, range = c(-6, 6)) {
  tried <- data.frame(exponent = numeric(), score = numeric())
  at <- start
  repeat {
    for (exponent in setdiff(c(at, at + 1, at - 1), tried$exponent)) {
      if (exponent < range[1] || exponent > range[2]) next
      tried <- rbind(tried, data.frame(exponent = exponent, score = score(10^exponent)))
    }
    tried <- tried[order(-tried$score, -tried$exponent), ]
    if (tried$exponent[1] == at) return(tried)
    at <- tried$exponent[1]
  }
}
