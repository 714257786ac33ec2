#' Errors and warnings of the package
#'
#' Every error the package raises on purpose inherits from `hofm_error`, every warning from `hofm_warning`, so
#' that `tryCatch(hofm(...), hofm_error = function(e) ...)` catches them all. The finer classes are
#'
#' * `hofm_error_input`: an argument is not what it must be (field `argument`, and `row` where one row is to blame);
#' * `hofm_error_columns`: `newdata` lacks columns, or they are of another type (field `columns`);
#' * `hofm_error_new_levels`: `newdata` holds factor levels that were not there in training (fields
#'   `variable`, `levels`);
#' * `hofm_error_damaged`: an object of the package lacks a field or holds one that cannot be right; if it is a fit, also
#'   `hofm_error_damaged_fit`;
#' * `hofm_error_memory`: the work needs more memory than can be had;
#' * `hofm_error_unsupported`: a question such as `vcov()` that a fit of this kind has no answer to;
#' * `hofm_error_diverged`: the solver ended at values that are not finite, or had no digit right to start with;
#' * `hofm_error_overflow`: predictions, scores or weights of interactions are too large for a number;
#' * `hofm_error_file`: a file cannot be read or written, or does not hold what it should (fields `file`, and `line` and
#'   `text` where one line is to blame);
#' * `hofm_error_missing_package`: a package that the call needs is not installed (field `package`);
#' * `hofm_error_no_predict`: one of the models of [compare_models()] has no `predict()` (field `model`);
#' * `hofm_error_prediction`: one of them did not predict what it should (field `model`);
#' * `hofm_error_worker`: a process of [cv_hofm()], or a worker of [hofm.hofm_shards()], did not come back with a result;
#' * `hofm_error_interrupted`: [bayes_hofm()] was interrupted before there was a draw;
#' * `hofm_warning_dropped_levels`: unused levels of the response were dropped;
#' * `hofm_warning_ordered`: the order of an ordered factor with more than two levels was not used;
#' * `hofm_warning_dropped_rows`: [compare_models()] or [auc()] left out rows that some model has no prediction for;
#' * `hofm_warning_path_end`: the best lambda of [cv_hofm()] is at an end of its path (field `end`: `"smallest"` or `"largest"`);
#' * `hofm_warning_collapsed`: all factors of a degree ended at zero;
#' * `hofm_warning_idle_degree`: no row has as many features as a degree multiplies;
#' * `hofm_warning_not_converged`: the solver stopped at its `max_iter`;
#' * `hofm_warning_worse_than_null`: a constant would fit better;
#' * `hofm_warning_no_count`: [AIC()] or [BIC()] of a fit, which are `NA`;
#' * `hofm_warning_chains`: chains of [bayes_hofm()] disagree, or one left the finite numbers;
#' * `hofm_warning_interrupted`: [bayes_hofm()] was interrupted and returns the draws that there are;
#' * `hofm_warning_step_halved`: a stochastic solver had to shorten its step, or found none that lowers the objective;
#' * `hofm_warning_precision`: coordinate descent ended early, since rounding errors would have decided what comes next;
#' * `hofm_warning_scale`: the response is far from the scale that its loss is made for;
#' * `hofm_warning_one_class`: only one class is there, so that an area under the ROC curve is `NA`;
#' * `hofm_warning_no_interval`: a class has a single member, so that an interval or a test is `NA`;
#' * `hofm_warning_self_links`: links of nodes to themselves were left out.
#'
#' Messages inherit from `hofm_message`: progress, and a variable named like an identifier that is taken as a number (field `variable`).
#'
#' @name hofm_conditions
#' @aliases hofm_error hofm_warning
#' @return Nothing: this page describes condition classes.
#' @examples
#' tryCatch(hofm(matrix(1:6, 3), 1:3, rank = -1), hofm_error_input = function(e) conditionMessage(e))
NULL

#' Stop with a classed error
#' @param message One or more strings, joined as they are.
#' @param class The finer class or classes, put before `hofm_error`.
#' @param ... Named fields that a handler may want.
#' @noRd
hofm_abort <- function(message, class = "hofm_error_input", ..., call = NULL) {
  stop(new_condition(message, c(class, "hofm_error", "error"), ..., call = call))
}

hofm_warn <- function(message, class = NULL, ..., call = NULL) {
  warning(new_condition(message, c(class, "hofm_warning", "warning"), ..., call = call))
}

hofm_inform <- function(message, ...) {
  message(new_condition(paste0(message, "\n"), c("hofm_message", "message"), ...))
}

# What compiled code asks for beyond what there is.
within_memory <- function(code) {
  too_much <- function(e) {
    hofm_abort(paste("This needs more memory than can be had. A smaller `rank`, `order` or `degree`, fewer rows at a time,",
                     "or sparser data need less."), "hofm_error_memory")
  }
  tryCatch(code, "std::bad_alloc" = too_much, "std::length_error" = too_much)
}

new_condition <- function(message, class, ..., call = NULL) {
  fields <- list(message = paste0(message, collapse = ""), call = call, ...)
  structure(fields, class = c(unique(class), "condition"))
}

# What came, in a few words, for the end of "must be ..., not ...".
describe <- function(value) {
  if (is.null(value)) return("NULL")
  if (is.function(value)) return("a function")
  if (is.atomic(value) && !is.object(value) && is.null(dim(value))) return(describe_atomic(value))
  if (is.matrix(value)) {
    return(sprintf("%s matrix of %d x %d", with_article(typeof(value)), nrow(value), ncol(value)))
  }
  sprintf("an object of class %s", quoted(class(value)[1]))
}

describe_atomic <- function(value) {
  if (length(value) == 1) return(if (is.character(value)) quoted(value) else format(value, digits = 15))
  kind <- if (is.numeric(value)) "numeric" else typeof(value)
  sprintf("%s vector of length %d", with_article(kind), length(value))
}

with_article <- function(word) paste(if (grepl("^[aeiou]", word)) "an" else "a", word)

quoted <- function(words) ifelse(is.na(words), "NA", paste0("\"", words, "\""))

ticked <- function(words) paste0("`", words, "`")

# "a", "b", "c" and 4 more: long lists in messages stop after `n`.
enumerate <- function(words, n = 5) {
  more <- length(words) - n
  text <- paste(utils::head(words, n), collapse = ", ")
  if (more > 0) sprintf("%s and %d more", text, more) else text
}

# The known word closest to a misspelt one, or NULL when none is close.
nearest <- function(word, known) {
  if (!length(known) || is.na(word) || !validUTF8(word) || !nzchar(word)) return(NULL)
  apart <- utils::adist(word, known, ignore.case = TRUE)[1, ]
  starts <- startsWith(known, word)
  if (any(starts)) return(known[starts][1])
  best <- which.min(apart)
  if (apart[best] <= max(1, nchar(word) %/% 3)) known[best]
}

# `foreign` lists what a word of another package is called here.
did_you_mean <- function(word, known, foreign = list()) {
  guess <- if (isTRUE(foreign[[word]] %in% known)) foreign[[word]] else nearest(word, known)
  if (is.null(guess)) "" else sprintf(" Did you mean %s?", ticked(guess))
}
