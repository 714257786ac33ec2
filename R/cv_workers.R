# The paths of all folds and combinations of a cross-validation, shared out among processes.

#' Link values of every row when it was held out
#'
#' In legs: all folds fit the first places of a path, and where its curve has not turned yet, the next few.
#' @param judge What becomes of a path, given the link values so far: see judge_path().
#' @return For each path a list: `links`, a matrix with a row for each row of the data and a column for each place, and `verdict`.
#' @noRd
held_out_links <- function(task, paths, drawn, control, workers, verbose, judge) {
  runs <- lapply(paths, function(path) list(done = 0L, verdict = "go on", folds = vector("list", length(drawn$folds))))
  repeat {
    open <- which(vapply(runs, function(run) run$verdict == "go on", NA))
    if (!length(open)) return(lapply(runs, `[`, c("links", "verdict")))
    goals <- Map(next_leg, paths, runs)
    found <- run_legs(task, paths, runs, open, goals, drawn, control, workers, verbose)
    for (s in open) {
      runs[[s]]$folds <- found[[s]]
      runs[[s]]$done <- goals[[s]]
      runs[[s]]$links <- joined_links(found[[s]], drawn, seq_len(goals[[s]]))
      runs[[s]]$verdict <- judge(paths[[s]], runs[[s]]$links)
    }
  }
}

# Up to which place a path is fitted next.
next_leg <- function(path, run) if (run$done == 0L) path$first else min(run$done + 4L, nrow(path$lambda))

run_legs <- function(task, paths, runs, open, goals, drawn, control, workers, verbose) {
  jobs <- expand.grid(fold = seq_along(drawn$folds), path = open)
  leg <- function(s) seq(runs[[s]]$done + 1L, goals[[s]])
  run <- function(job, step) {
    s <- jobs$path[job]
    f <- jobs$fold[job]
    fit_fold(task, paths[[s]], drawn$folds[f], drawn$foldid, leg(s), runs[[s]]$folds[[f]], control, drawn$seeds[s, f], step)
  }
  label <- function(job) fold_label(paths[[jobs$path[job]]]$spec, drawn$folds[jobs$fold[job]], leg(jobs$path[job]))
  total <- sum(lengths(lapply(jobs$path, leg)))
  found <- share_out(nrow(jobs), run, workers, cv_progress(total, verbose), label, is.list)
  lapply(seq_along(paths), function(s) found[jobs$path == s])
}

joined_links <- function(folds, drawn, places) {
  links <- matrix(NA_real_, length(drawn$foldid), length(places))
  for (f in seq_along(folds)) links[drawn$foldid == drawn$folds[f], ] <- folds[[f]]$links[, places]
  links
}

#' The fits of one fold at some places of a path
#' @param known What this returned for the places before them, or NULL.
#' @return A list: `links` of the held-out rows, with a column for each place of the widest path, and `state` of the walk.
#' @noRd
fit_fold <- function(task, path, fold, foldid, places, known, control, seed, step) {
  held <- take_samples(task$problem, which(foldid == fold))
  view <- model_view(task$training(task$training_rows(fold, foldid), fold, foldid), held, task$parts, path$spec)
  links <- if (is.null(known)) matrix(NA_real_, held$n, nrow(path$lambda)) else known$links
  offset <- if (length(held$offset)) held$offset else 0
  walked <- lambda_path(view$problem, view$spec, path$lambda, control, seed, function(l, fit) {
    step(l - places[1L] + 1L)
    links[, l] <<- link_values(c(parameters_of(fit), path$spec), view$held$blocks, control$threads) + offset
  }, places, known$state, path$length)
  list(links = links, state = walked$state)
}

fold_label <- function(spec, fold, leg) {
  paste0(combination_label(spec), sprintf("fold %d", fold), if (leg[1L] > 1L) sprintf(", lambda %d to %d", leg[1L], leg[length(leg)]))
}

combination_label <- function(spec) {
  order <- if (!is.na(spec$order)) sprintf("order %d, ", spec$order)
  paste0(order, if (length(spec$rank)) sprintf("rank %d, ", spec$rank[1]))
}

#' Run jobs 1, ..., n here, in forked processes, or as the future plan says
#' @param sound Whether what a job returned is a result.
#' @noRd
share_out <- function(n, run, workers, progress, label, sound = is.matrix) {
  on.exit(progress$done())
  apart <- function(job) tryCatch(run(job, function(l) NULL), error = identity)
  if (workers > 1 && .Platform$OS.type == "unix") {
    return(whole(parallel::mclapply(seq_len(n), apart, mc.cores = min(workers, n), mc.set.seed = FALSE,
                                    mc.preschedule = FALSE), sound))
  }
  if (workers == 1 && has_future_plan()) {
    return(whole(future.apply::future_lapply(seq_len(n), apart, future.seed = NULL), sound))
  }
  lapply(seq_len(n), function(job) {
    found <- run(job, progress$step)
    progress$job(label(job))
    found
  })
}

# An error in a worker is raised again here; one that was killed leaves no result.
whole <- function(found, sound) {
  failed <- Find(function(f) inherits(f, "error"), found)
  if (!is.null(failed)) stop(failed)
  if (all(vapply(found, sound, NA))) return(found)
  hofm_abort("A worker process ended without a result: try fewer `workers`.", "hofm_error_worker")
}

# Whether the user has loaded future and set a plan with more than one worker.
has_future_plan <- function() {
  isNamespaceLoaded("future") && requireNamespace("future.apply", quietly = TRUE) && future::nbrOfWorkers() > 1
}

# A bar over fits in interactive sessions, a line for each path on request, else nothing.
cv_progress <- function(total, verbose, title = "Cross-validating") {
  nothing <- list(step = function(l) NULL, job = function(label) NULL, done = function() NULL)
  if (verbose) return(utils::modifyList(nothing, list(job = path_message)))
  if (!interactive()) return(nothing)
  bar <- cli::cli_progress_bar(title, total = total, clear = TRUE, .auto_close = FALSE)
  finished <- 0
  reached <- 0
  list(
    # a fit on the way back has been counted
    step = function(l) {
      reached <<- max(reached, l)
      cli::cli_progress_update(set = finished + reached, id = bar)
    },
    job = function(label) {
      finished <<- finished + reached
      reached <<- 0
    },
    done = function() cli::cli_progress_done(id = bar)
  )
}

path_message <- function(label) hofm_inform(label)
