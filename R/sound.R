# One guard at the door of every method. Objects are saved, read again and edited by hand: what a method relies on must be there, and
# what reaches the compiled code must be sound. The rules of an object are a list with a function for each field, in the order in which
# they can rely on each other.

#' Check an object before it is used
#' @param rules A named list of functions of the object, each TRUE if the field of its name is what it must be.
#' @param kind What the object is called in the message.
#' @noRd
check_sound <- function(object, rules, arg, kind) {
  if (!is.list(object)) abort_damaged(arg, "it is not a list", kind)
  for (field in names(rules)) {
    if (!holds(rules[[field]], object)) {
      abort_damaged(arg, sprintf("its field %s is missing or not what it must be", ticked(field)), kind)
    }
  }
  invisible(object)
}

holds <- function(rule, object) {
  no <- function(condition) FALSE
  tryCatch(isTRUE(rule(object)), error = no, warning = no)
}

abort_damaged <- function(arg, what, kind = "fit") {
  hofm_abort(sprintf("%s is a damaged %s: %s.", ticked(arg), kind, what),
             c(if (kind == "fit") "hofm_error_damaged_fit", "hofm_error_damaged", if (kind != "fit") "hofm_error_input"), argument = arg)
}

# ---- What rules are made of --------------------------------------------------------------------------------

is_one <- function(x) is_plain_number(x) && length(x) == 1 && is.null(names(x))
is_finite_one <- function(x) is_one(x) && is.finite(x)
is_count <- function(x) is_finite_one(x) && x >= 0 && x == round(x)
is_flag <- function(x) is.logical(x) && !is.object(x) && length(x) == 1 && !is.na(x)
is_one_of <- function(x, choices) is_string(x) && x %in% choices
is_string <- function(x) is.character(x) && !is.object(x) && length(x) == 1 && !is.na(x)
are_finite <- function(x, n) is_plain_number(x) && length(x) == n && all(is.finite(x))
absent_or <- function(x, test) is.null(x) || isTRUE(test(x))
