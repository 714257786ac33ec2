# Early stopping: a share of the rows is held out of training, and the loss on them watched.

# Whether samples are to be held out, which only the solvers by epochs of stochastic steps can do.
check_validation <- function(control, solver) {
  if (control$validation == 0) return(invisible())
  if (solver %in% c("sgd", "adagrad")) return(invisible())
  hofm_abort(sprintf("`validation` must be 0 for `solver = \"%s\"`: early stopping is for \"adagrad\" and \"sgd\".", solver),
             argument = "validation")
}

#' Rows to hold out: a share of each class where there are two
#' @noRd
held_out_rows <- function(y, share) {
  classes <- unique(y)
  groups <- if (length(classes) == 2) split(seq_along(y), y) else list(seq_along(y))
  held <- lapply(groups, function(rows) rows[sample.int(length(rows), round(share * length(rows)))])
  if (all(lengths(held) > 0) && all(lengths(held) < lengths(groups))) return(sort(unlist(held, use.names = FALSE)))
  hofm_abort(sprintf("A `validation` share of %s of %s leaves no row%s for %s.", format(share), counted(length(y), "row"),
                     if (length(groups) == 2) " of one of the classes" else "",
                     if (any(lengths(held) == 0)) "validation" else "training"), argument = "validation")
}

#' A problem in two parts
#' @return A list: `train`, and unless nothing is held out `held` and its `rows`.
#' @noRd
hold_out <- function(problem, share) {
  if (share == 0) return(list(train = problem))
  rows <- if (isTRUE(problem$mirrored)) held_out_rows(problem$y[seq_len(problem$n / 2)], share) else held_out_rows(problem$y, share)
  out <- c(rows, if (isTRUE(problem$mirrored)) rows + problem$n %/% 2L)         # both ways round of a pair
  list(train = take_samples(problem, seq_len(problem$n)[-out]), held = take_samples(problem, out), rows = rows)
}

# What training_of() made of the rows held out, as fit_cpp() takes it.
held_out_part <- function(held) {
  if (!is.null(held)) list(blocks = held$blocks, response = held$task$response, reported = held$task$reported)
}

# What the fit keeps of it.
validation_record <- function(fitted, parts) {
  if (!length(fitted$validation)) return(NULL)
  list(rows = parts$rows, trace = data.frame(iteration = seq_along(fitted$validation) - 1L, loss = fitted$validation),
       best = fitted$best_epoch)
}

# How a fit with rows held out ended, for print(); NULL for others.
validation_words <- function(fit) {
  if (is.null(fit$validation)) return(NULL)
  last <- max(fit$trace$iteration)
  how <- if (!isTRUE(fit$converged)) "not converged" else if (fit$validation$best < last) "stopped early" else "converged"
  sprintf("%s, best epoch %d by validation", how, fit$validation$best)
}
