# The folds and combinations of a cross-validation, shared out among processes.

#' Link values of every row when it was held out
#' @return For each spec a matrix with a row for each row of the data and a column for each lambda.
#' @noRd
held_out_links <- function(task, specs, drawn, lambda, control, workers, verbose) {
  jobs <- expand.grid(fold = seq_along(drawn$folds), spec = seq_along(specs))
  run <- function(job, step) {
    spec <- specs[[jobs$spec[job]]]
    fold <- drawn$folds[jobs$fold[job]]
    fit_fold(task, spec, fold, drawn$foldid, lambda, control, drawn$seeds[jobs$spec[job], jobs$fold[job]], step)
  }
  label <- function(job) fold_label(specs[[jobs$spec[job]]], drawn$folds[jobs$fold[job]])
  found <- share_out(nrow(jobs), run, workers, cv_progress(nrow(jobs) * length(lambda), verbose), label)
  lapply(seq_along(specs), function(s) {
    links <- matrix(NA_real_, task$problem$n, length(lambda))
    for (job in which(jobs$spec == s)) links[drawn$foldid == drawn$folds[jobs$fold[job]], ] <- found[[job]]
    links
  })
}

fit_fold <- function(task, spec, fold, foldid, lambda, control, seed, step) {
  held <- take_samples(task$problem, which(foldid == fold))
  links <- matrix(NA_real_, held$n, length(lambda))
  training <- task$training(task$training_rows(fold, foldid), fold, foldid)
  lambda_path(training, spec, lambda, control, seed, function(l, fit) {
    step(l)
    links[, l] <<- link_values(c(parameters_of(fit), spec), held$blocks, control$threads) +
      if (length(held$offset)) held$offset else 0
  })
  links
}

fold_label <- function(spec, fold) {
  order <- if (!is.na(spec$order)) sprintf("order %d, ", spec$order)
  paste0(order, if (length(spec$rank)) sprintf("rank %d, ", spec$rank[1]), sprintf("fold %d", fold))
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
