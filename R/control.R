#' Settings of the solvers
#'
#' Everything about *how* the objective of [hofm()] is minimised, and nothing about *what* is minimised.
#' `NULL` means that the value is chosen for the solver or from the data.
#'
#' @param max_iter Most iterations: sweeps over all coordinates for `"cd"`, steps for `"lbfgs"`, passes over
#'   the data for `"adagrad"` and `"sgd"`. `NULL` leaves it to the solver.
#' @param tol Stop when the objective falls by less than this share of itself in an iteration. `NULL` leaves
#'   it to the solver; 0 runs to `max_iter`.
#' @param init_sd Standard deviation (not variance) of the normal draws that P starts from (and gamma, in a
#'   polynomial network); one positive number or one for each degree 2, ..., `order`. `NULL` takes it from the
#'   data, such that a term of each degree starts out with a visible share of the spread of the response.
#' @param sweep How `"cd"` goes over the parameters: `"single"`, one at a time; `"joint"`, all factors of a feature together, in
#'   vector operations, with one step along their common direction; or `"auto"`: joint for data with more
#'   features than rows, where it is faster, and more so the larger the rank is, and single otherwise. Neither ever raises the objective.
#' @param extrapolate `TRUE` lets `"cd"` try, from the second sweep on, a point further along the last two sweeps, and keep it if the
#'   objective is lower there. That takes one evaluation of the objective, and often spares most of the sweeps.
#'   `FALSE` is the coordinate descent of the paper.
#' @param eta Step size of `"sgd"` and `"adagrad"`. `NULL` calibrates it on a sample of the data.
#' @param batch Number of samples per stochastic step of `"sgd"` and `"adagrad"`. Steps on several samples at once are less noisy, and
#'   fewer: an epoch then often gets less far, and is seldom much faster.
#' @param validation Share of the rows, from 0 to less than 1, that `"sgd"` and `"adagrad"` hold out of training, of each class the
#'   same share. The mean loss on them, without penalty, is watched after each epoch, and the fit has the parameters of the epoch at
#'   which it was least. 0 holds out none; other solvers have no epochs to stop at.
#' @param patience Epochs in a row without a lower loss on the rows held out after which `"sgd"` and `"adagrad"` stop; epochs that
#'   had to be undone because the step was too long do not count.
#' @param threads Number of threads. The result does not depend on it.
#' @param seed A whole number from which the start and the order of the samples are drawn. `NULL` goes on with
#'   R's own generator, so that [set.seed()] is enough.
#' @param verbose `TRUE` reports progress in messages.
#' @param keep_fitted `TRUE` keeps the fitted values, residuals and prior weights of the training rows in the
#'   fit, for [fitted()], [residuals()] and the like, and which features met in a row, for [interactions()].
#' @param checkpoint `NULL`, or the name of a file in which a fit to shards keeps where it stands: see [hofm.hofm_shards()].
#' @param ... Nothing else: an unknown name is an error.
#' @return A list of class `hofm_control` with one element for each argument.
#' @seealso [hofm()], whose `control` argument takes this.
#' @examples
#' hofm_control(max_iter = 50, seed = 1)
#' @export
hofm_control <- function(max_iter = NULL, tol = NULL, init_sd = NULL, sweep = c("auto", "single", "joint"), extrapolate = TRUE,
                         eta = NULL, batch = 1, validation = 0, patience = 5, threads = getOption("hofm.threads", 2), seed = NULL,
                         verbose = getOption("hofm.verbose", FALSE), keep_fitted = TRUE, checkpoint = NULL, ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  optional <- function(x, check, ...) if (is.null(x)) NULL else check(x, ...)
  structure(list(
    max_iter = optional(max_iter, check_count, "max_iter"),
    tol = optional(tol, check_number, "tol", min = 0),
    init_sd = optional(init_sd, check_init_sd),
    sweep = if (missing(sweep)) "auto" else check_choice(sweep, "sweep", c("auto", "single", "joint")),
    extrapolate = check_flag(extrapolate, "extrapolate"),
    eta = optional(eta, check_number, "eta", above = 0),
    batch = check_count(if (is.null(batch)) 1 else batch, "batch"),
    validation = check_share(validation),
    patience = check_count(patience, "patience"),
    threads = check_count(threads, "threads", max = 1024),
    seed = optional(seed, check_count, "seed", min = -.Machine$integer.max),
    verbose = check_flag(verbose, "verbose"),
    keep_fitted = check_flag(keep_fitted, "keep_fitted"),
    checkpoint = optional(checkpoint, check_checkpoint)
  ), class = "hofm_control")
}

check_init_sd <- function(x) {
  ok <- is_plain_number(x) && length(x) >= 1 && all(is.finite(x)) && all(x > 0)
  if (!ok) must_be("init_sd", "one positive number or one for each matrix of factors P", x)
  as.double(x)
}

check_share <- function(x) {
  ok <- is_plain_number(x) && length(x) == 1 && isTRUE(x >= 0 && x < 1)
  if (!ok) must_be("validation", "a single number from 0 to less than 1", x)
  as.double(x)
}

check_checkpoint <- function(x) if (is_string(x) && nzchar(x)) as.vector(x) else must_be("checkpoint", "the name of a file", x)

# A control object may have been edited by hand, or be a plain list: build it anew.
check_control <- function(control, factors) {
  if (!is.list(control) || is.data.frame(control)) must_be("control", "made by hofm_control()", control)
  named <- !length(control) || (!is.null(names(control)) && !anyDuplicated(names(control)))
  if (!named) must_be("control", "made by hofm_control()", control)
  control <- do.call(hofm_control, unclass(control), quote = TRUE)   # a field may be language: it is data, not code
  n <- length(control$init_sd)
  if (n > 1 && n != factors) {
    hofm_abort(sprintf("`init_sd` must be one number or one for each of the %d matrices of factors P, not %d numbers.",
                       factors, n), argument = "init_sd")
  }
  control
}

#' @rdname hofm_control
#' @param x A control object.
#' @export
print.hofm_control <- function(x, ...) {
  check_control(x, length(x$init_sd))
  cat("Settings of the solvers (hofm_control):\n")
  show <- function(value) if (is.null(value)) "NULL (chosen)" else paste(format(value), collapse = ", ")
  settings <- unclass(x)
  if (is.null(settings$checkpoint)) settings$checkpoint <- NULL   # none is none, and not chosen later
  shown <- vapply(settings, show, "")
  cat(sprintf("  %-12s%s\n", names(shown), shown), sep = "")
  invisible(x)
}
