# Progress of a fit: a bar on long fits in interactive sessions, message lines on request, else nothing.

# A list with step(iteration, seconds, objective), or NULL when nothing is to be shown, and done().
new_progress <- function(control, max_iter) {
  if (control$verbose) return(list(step = message_step, done = function() NULL))
  if (!interactive()) return(list(step = NULL, done = function() NULL))
  bar_progress(max_iter)
}

message_step <- function(iteration, seconds, objective) {
  hofm_inform(sprintf("iteration %d, %.2f s, objective %.8g", iteration, seconds, objective))
}

# The bar appears once a fit has taken two seconds.
bar_progress <- function(max_iter) {
  bar <- NULL
  step <- function(iteration, seconds, objective) {
    if (seconds < 2) return(invisible())
    if (is.null(bar)) {
      bar <<- cli::cli_progress_bar(
        "Fitting", total = max_iter, clear = TRUE, .auto_close = FALSE,
        format = "Fitting {cli::pb_bar} {cli::pb_current}/{cli::pb_total} | {cli::pb_elapsed} | {cli::pb_status}"
      )
    }
    cli::cli_progress_update(set = iteration, status = sprintf("objective %.6g", objective), id = bar)
  }
  list(step = step, done = function() if (!is.null(bar)) cli::cli_progress_done(id = bar))
}
