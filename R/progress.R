# Progress of a fit: a bar on long fits in interactive sessions, message lines on request, else nothing.

# A list with step(iteration, seconds, objective), or NULL when nothing is to be shown, and done().
new_progress <- function(control, max_iter) {
  if (control$verbose) return(list(step = message_step, done = function() NULL))
  if (!interactive()) return(list(step = NULL, done = function() NULL))
  bar_progress(max_iter)
}

# The same for chains, which have no objective, but an end that can be told: a message for each twentieth of the sweeps.
sampling_progress <- function(control, iter) {
  left <- function(iteration, seconds, ...) sprintf("%.0f s left", seconds / iteration * (iter - iteration))
  if (!control$verbose) return(if (interactive()) bar_progress(iter, left) else list(step = NULL, done = function() NULL))
  told <- 0
  step <- function(iteration, seconds, ...) {
    if (iteration - told >= iter / 20 || iteration == iter) {
      told <<- iteration
      hofm_inform(sprintf("sweep %d of %d, %.2f s, %s", iteration, iter, seconds, left(iteration, seconds)))
    }
  }
  list(step = step, done = function() NULL)
}

message_step <- function(iteration, seconds, objective) {
  hofm_inform(sprintf("iteration %d, %.2f s, objective %.8g", iteration, seconds, objective))
}

# The bar appears once a fit has taken two seconds. status(iteration, seconds, objective) is what it says at its end.
bar_progress <- function(max_iter, status = function(iteration, seconds, objective) sprintf("objective %.6g", objective)) {
  bar <- NULL
  step <- function(iteration, seconds, objective) {
    if (seconds < 2) return(invisible())
    if (is.null(bar)) {
      bar <<- cli::cli_progress_bar(
        "Fitting", total = max_iter, clear = TRUE, .auto_close = FALSE,
        format = "Fitting {cli::pb_bar} {cli::pb_current}/{cli::pb_total} | {cli::pb_elapsed} | {cli::pb_status}"
      )
    }
    cli::cli_progress_update(set = iteration, status = status(iteration, seconds, objective), id = bar)
  }
  list(step = step, done = function() if (!is.null(bar)) cli::cli_progress_done(id = bar))
}
