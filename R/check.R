# Checks of arguments. Each returns the value in the type the rest of the package relies on, or stops with an
# error that names the argument, what it must be and what came.

must_be <- function(arg, need, value) {
  hofm_abort(sprintf("%s must be %s, not %s.", ticked(arg), need, describe(value)), argument = arg)
}

is_plain_number <- function(x) is.numeric(x) && !is.object(x) && is.null(dim(x))

check_number <- function(x, arg, min = -Inf, max = Inf, above = -Inf) {
  ok <- is_plain_number(x) && length(x) == 1 && is.finite(x) && x >= min && x <= max && x > above
  if (!ok) must_be(arg, paste0("a single finite number", bounds(min, max, above)), x)
  as.double(x)
}

bounds <- function(min, max, above) {
  if (above > -Inf) return(sprintf(" above %s", format(above)))
  if (min > -Inf && max < Inf) return(sprintf(" from %s to %s", format(min), format(max)))
  if (min > -Inf) return(sprintf(" of at least %s", format(min)))
  ""
}

check_count <- function(x, arg, min = 1, max = .Machine$integer.max) {
  ok <- is_plain_number(x) && length(x) == 1 && is.finite(x) && x == round(x) && x >= min && x <= max
  if (!ok) must_be(arg, paste0("a single ", whole_number(min, max)), x)
  as.integer(x)
}

whole_number <- function(min, max) {
  if (max < .Machine$integer.max) return(sprintf("whole number from %.0f to %.0f", min, max))
  if (min == 1) return("positive whole number")
  if (min == 0) return("whole number of at least 0")
  "whole number"
}

check_flag <- function(x, arg) {
  if (!is_flag(x)) must_be(arg, "TRUE or FALSE", x)
  as.vector(x)
}

check_choice <- function(x, arg, choices) {
  if (is_one_of(x, choices)) return(as.vector(x))
  hint <- if (is_string(x)) did_you_mean(x, choices, foreign_choices) else ""
  need <- paste0(if (length(choices) > 1) "one of ", paste(quoted(choices), collapse = ", "))
  hofm_abort(sprintf("%s must be %s, not %s.%s", ticked(arg), need, describe(x), hint), argument = arg)
}

# One number for all degrees or one for each: always returned at full length.
check_per_degree <- function(x, arg, degrees, min = 0, whole = FALSE) {
  n <- length(degrees)
  ok <- is_plain_number(x) && length(x) %in% c(1, n) && all(is.finite(x)) && all(x >= min) &&
    (!whole || all(x == round(x) & x <= .Machine$integer.max))
  if (!ok) must_be(arg, per_degree_words(degrees, min, whole), x)
  x <- rep_len(x, n)
  if (whole) as.integer(x) else as.double(x)
}

per_degree_words <- function(degrees, min, whole) {
  kind <- sprintf("%s of at least %s", if (whole) "whole number" else "finite number", format(min))
  if (length(degrees) == 1) return(paste("a single", kind))
  sprintf("a %s, or one for each of the degrees %d to %d", kind, degrees[1], degrees[length(degrees)])
}

# A numeric vector with one finite value for each of the n rows.
# Points and spans of time have an arithmetic of their own, whatever they are stored as: they are no labels.
time_classes <- c("Date", "POSIXct", "difftime")
is_time <- function(x) inherits(x, time_classes)

check_row_values <- function(x, arg, n) {
  if (is.matrix(x) && ncol(x) == 1) x <- x[, 1]
  if (!is.numeric(x) || inherits(x, c("factor", "integer64")) || !is.null(dim(x))) {
    must_be(arg, "a numeric vector with one value for each row", x)
  }
  if (length(x) != n) {
    hofm_abort(sprintf("%s must have one value for each of the %d rows, not %d values.", ticked(arg), n,
                       length(x)),
               argument = arg)
  }
  x <- as.double(x)
  check_finite_rows(x, arg)
  x
}

check_finite_rows <- function(x, arg) {
  bad <- which(!is.finite(x))
  if (!length(bad)) return(invisible(x))
  hofm_abort(sprintf("%s must be finite, but its value in row %d is %s.", ticked(arg), bad[1],
                     format(x[bad[1]])),
             argument = arg, row = bad[1])
}

# Prior weights: as given, and scaled to sum to one for the weighted mean of the losses.
check_weights <- function(weights, n) {
  if (is.null(weights)) return(list(given = NULL, share = rep(1 / n, n)))
  weights <- check_row_values(weights, "weights", n)
  bad <- which(weights < 0)
  if (length(bad)) {
    hofm_abort(sprintf("`weights` must not be negative, but its value in row %d is %s.", bad[1],
                       format(weights[bad[1]])),
               argument = "weights", row = bad[1])
  }
  if (all(weights == 0)) hofm_abort("`weights` must not all be zero.", argument = "weights")
  list(given = weights, share = normalise(weights))
}

# Dividing by the largest first keeps the sum finite for weights near the largest double.
normalise <- function(weights) {
  weights <- weights / max(weights)
  weights / sum(weights)
}

# Beyond 1e100 no loss has a digit left for what the model adds.
check_offset <- function(offset, n) {
  if (is.null(offset)) return(numeric(0))
  offset <- check_row_values(offset, "offset", n)
  bad <- which(abs(offset) > 1e100)
  if (!length(bad)) return(offset)
  hofm_abort(sprintf("`offset` must lie between -1e100 and 1e100, but its value in row %d is %s.", bad[1], format(offset[bad[1]])),
             argument = "offset", row = bad[1])
}

# An error that names the first argument of the calling function that has no default and was not given.
check_given <- function() {
  env <- parent.frame()
  needed <- names(Filter(function(default) identical(default, quote(expr = )), formals(sys.function(-1))))
  for (name in setdiff(needed, "...")) {
    if (eval(call("missing", as.name(name)), env)) hofm_abort(sprintf("%s must be given.", ticked(name)), argument = name)
  }
}

# As print.default() takes them.
check_digits <- function(digits) check_count(digits, "digits", min = 1, max = 22)

# Arguments that landed in `...`: an error that names them. `dots` is the unevaluated list from match.call().
check_dots <- function(dots, known) {
  if (!length(dots)) return(invisible())
  name <- names(dots)
  if (is.null(name)) name <- rep("", length(dots))
  if (!nzchar(name[1])) {
    hofm_abort(sprintf("Too many unnamed arguments: %s is not expected here.", deparsed(dots[[1]])))
  }
  hint <- did_you_mean(name[1], setdiff(known, "..."), foreign_arguments)
  if (!nzchar(hint) && "control" %in% known) hint <- setting_hint(name[1])
  hofm_abort(sprintf("Unknown argument %s.%s", enumerate(ticked(name[nzchar(name)])), hint),
             argument = name[1])
}

# Settings of the solver are arguments of hofm_control(), not of hofm().
setting_hint <- function(name) {
  settings <- setdiff(names(formals(hofm_control)), "...")
  setting <- if (name %in% settings) name else foreign_arguments[[name]]
  if (is.null(setting) || !setting %in% settings) return("")
  sprintf(" It is a setting of the solver: use `control = hofm_control(%s = )`.", setting)
}

# What other packages call our arguments, and words for what we call otherwise.
foreign_arguments <- list(
  k = "rank", factors = "rank", n_factors = "rank", degree = "order", family = "loss", alpha = "lambda", beta = "lambda",
  penalty = "lambda", newx = "newdata", maxit = "max_iter", maxiter = "max_iter", niter = "max_iter",
  n_iter = "max_iter", epochs = "max_iter", learning_rate = "eta", num_threads = "threads", nthread = "threads",
  nthreads = "threads"
)
foreign_choices <- list(
  prob = "response", probability = "response", probs = "response", binomial = "logistic", gaussian = "squared",
  hinge = "squared_hinge", mse = "squared"
)

deparsed <- function(expr) {
  text <- deparse(expr, width.cutoff = 60L, nlines = 1L)[1]
  if (nchar(text) > 60) paste0(substr(text, 1, 57), "...") else text
}
