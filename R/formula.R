# Reading a formula and its data: the response, the values of the variables, weights, offset and na.action as
# in glm, and a blueprint (see blueprint.R) that keeps none of the data.

#' Read the call of hofm.formula()
#' @param formula The formula, whose environment is where names outside `data` are looked up.
#' @param data A data frame, list or environment, or NULL.
#' @param call The matched call, for the unevaluated `weights`, `offset`, `subset` and `na.action`.
#' @return A list: `x` (dgCMatrix), `blueprint`, `y`, `weights`, `offset`, `offset_given`, `intercept`,
#'   `na.action`.
#' @noRd
read_formula <- function(formula, data, call, caller) {
  described <- describe_formula(formula, data, call, caller)
  c(learn_frame(described$values, described$blueprint, "data"), described[setdiff(names(described), c("values", "blueprint"))])
}

#' The same before any column is encoded: `values` of the variables, and a `blueprint` that does not know their levels yet
#' @noRd
describe_formula <- function(formula, data, call, caller) {
  check_formula(formula)
  data <- check_data(data)
  dot <- plain_dot(formula, data)
  frame <- if (is.null(dot)) frame_by_terms(formula, data, call, caller)
           else frame_by_dot(formula, data, dot, call)
  if (nrow(frame) < 1) hofm_abort("No rows are left after `subset` and `na.action`.", argument = "data")
  parts <- if (is.null(dot)) blueprint_by_terms(formula, data, frame)
           else blueprint_by_dot(formula, data, frame, dot)
  c(parts, list(
    y = strip_names(frame[[1]]), weights = strip_names(frame[["(weights)"]]),
    offset_given = "(offset)" %in% names(frame), na.action = attr(frame, "na.action")))
}

check_formula <- function(formula) {
  if (length(formula) == 3 && !is.null(formula[[2]])) return(refuse_bars(formula))
  hofm_abort("`x` must be a formula with a response, as in `y ~ a + b`.", argument = "x")
}

check_data <- function(data) {
  if (is.null(data) || is.environment(data)) return(data)
  if (is.list(data) && !is.data.frame(data)) data <- tryCatch(as.data.frame(data), error = function(e) NULL)
  if (!is.data.frame(data)) must_be("data", "a data frame", data)
  names(data) <- frame_names(data, "data")
  data
}

strip_names <- function(x) {
  if (is.null(dim(x))) names(x) <- NULL
  x
}

# ---- `y ~ .` without expanding the dot ---------------------------------------------------------------------

# terms() takes minutes for 1e5 columns. When the right-hand side only adds and takes away plain columns from
# `.`, they can be had without it: this returns their names and whether there is an intercept, or NULL when
# terms() is needed after all.
plain_dot <- function(formula, data) {
  if (!is.data.frame(data)) return(NULL)
  leaves <- signed_leaves(formula[[3]])
  words <- vapply(leaves, function(leaf) if (is.symbol(leaf$expr)) as.character(leaf$expr) else "", "")
  numbers <- vapply(leaves, function(leaf) is.numeric(leaf$expr) && leaf$expr %in% c(0, 1), NA)
  added <- vapply(leaves, `[[`, NA, "added")
  taken <- words[nzchar(words) & !added]
  columns <- setdiff(names(data), all.vars(formula[[2]]))
  simple <- sum(words == ".") == 1 && !"." %in% taken && all(nzchar(words) | numbers) &&
    all(setdiff(words[nzchar(words) & added], ".") %in% columns)
  if (!simple) return(NULL)
  value <- vapply(leaves[numbers], function(leaf) leaf$added == (leaf$expr == 1), NA)
  list(columns = setdiff(columns, taken), intercept = if (length(value)) value[length(value)] else TRUE)
}

# The operands of + and -, each with whether it is added.
signed_leaves <- function(expr, added = TRUE) {
  operator <- if (is.call(expr)) as.character(expr[[1]])[1] else ""
  if (!operator %in% c("+", "-")) return(list(list(expr = expr, added = added)))
  last <- expr[[length(expr)]]
  second <- signed_leaves(last, if (operator == "-") !added else added)
  if (length(expr) == 2) second else c(signed_leaves(expr[[2]], added), second)
}

frame_by_dot <- function(formula, data, dot, call) {
  if (!length(dot$columns)) hofm_abort("`data` must have a column besides the response.", argument = "data")
  n <- nrow(data)
  env <- environment(formula)
  frame <- c(list(evaluate_call(formula[[2]], data, env, "data")), as_columns(data)[dot$columns])
  names(frame)[1] <- deparsed(formula[[2]])
  frame[["(weights)"]] <- evaluate_extra(call, "weights", data, env, n)
  frame[["(offset)"]] <- evaluate_extra(call, "offset", data, env, n)
  if (NROW(frame[[1]]) != n) {
    hofm_abort(sprintf("The response must have one value for each of the %d rows, not %d.", n,
                       NROW(frame[[1]])))
  }
  frame <- structure(frame, class = "data.frame", row.names = attr(data, "row.names"))
  apply_na_action(take_subset(frame, call, data, env), call, env)
}

evaluate_extra <- function(call, extra, data, env, n) {
  value <- evaluate_call(call[[extra]], data, env, "data")
  if (!is.null(value) && NROW(value) != n) {
    hofm_abort(sprintf("`%s` must have one value for each of the %d rows, not %d values.", extra, n,
                       NROW(value)),
               argument = extra)
  }
  value
}

take_subset <- function(frame, call, data, env) {
  rows <- subset_rows(call, data, env)
  if (is.null(rows)) frame else frame[rows, , drop = FALSE]
}

# The rows that `subset` asks for, as numbers; NULL for all of them.
subset_rows <- function(call, data, env) {
  rows <- evaluate_call(call$subset, data, env, "data")
  if (is.null(rows)) return(NULL)
  indexes <- is.null(dim(rows)) && (is.logical(rows) || is.numeric(rows) || is.character(rows)) && !is.object(rows)
  if (!indexes) must_be("subset", "logical or row numbers", rows)
  if (is.logical(rows)) rows <- rows & !is.na(rows)
  n <- nrow(data)
  numbers <- if (is.character(rows)) match(rows, row.names(data))
             else tryCatch(seq_len(n)[rows], error = function(e) NA_integer_)
  if (!anyNA(numbers)) return(numbers)
  hofm_abort(sprintf("`subset` must choose among the %d rows of `data`.", n), argument = "subset")
}

apply_na_action <- function(frame, call, env) {
  action <- if ("na.action" %in% names(call)) eval(call$na.action, env) else getOption("na.action")
  if (is.null(action)) return(frame)
  not_one <- function(e) must_be("na.action", "a function or its name", action)
  action <- tryCatch(match.fun(action), error = not_one)
  # Asking first whether anything is missing spares a copy of the whole frame.
  if (!anyNA(frame, recursive = TRUE)) return(frame)
  failed <- function(e) hofm_abort(sprintf("`na.action` failed: %s", conditionMessage(e)),
                                   argument = "na.action")
  tryCatch(action(frame), error = failed)
}

blueprint_by_dot <- function(formula, data, frame, dot) {
  values <- structure(as_columns(frame)[dot$columns], rows = nrow(frame))
  env <- trim_environment(list(formula), environment(formula), names(data))
  environment(formula) <- env
  blueprint <- list(kind = "frame", variables = dot$columns, needed = dot$columns, formula = formula)
  list(values = values, blueprint = blueprint, offset = as_offset(frame[["(offset)"]]), intercept = dot$intercept)
}

as_offset <- function(value) if (is.null(value)) NULL else strip_names(value)

# Offsets of the formula and of the argument, added; stats::model.offset() would add whatever they are.
frame_offset <- function(frame, terms) {
  columns <- c(unname(as_columns(frame)[attr(terms, "offset")]), list(frame[["(offset)"]]))
  columns <- Filter(Negate(is.null), columns)
  if (length(columns)) as_offset(Reduce(`+`, lapply(columns, check_row_values, "offset", nrow(frame))))
}

# ---- Any other formula -------------------------------------------------------------------------------------

# The idiom of glm(): the caller's own expressions are evaluated in `data`, then where the formula was made.
frame_by_terms <- function(formula, data, call, caller) {
  parts <- call[c(1L, match(c("subset", "weights", "na.action", "offset"), names(call), 0L))]
  parts[[1]] <- quote(stats::model.frame)
  if (is.data.frame(data)) parts$subset <- subset_rows(call, data, environment(formula))
  parts$formula <- formula
  parts$data <- data
  env <- caller
  tryCatch(eval(parts, env), hofm_error = stop, error = function(e) {
    hofm_abort(sprintf("The formula cannot be evaluated: %s", conditionMessage(e)), argument = "x")
  })
}

blueprint_by_terms <- function(formula, data, frame) {
  terms <- attr(frame, "terms")
  factors <- attr(terms, "factors")
  if (!length(factors)) {
    hofm_abort("`x` must have at least one variable on its right-hand side.", argument = "x")
  }
  used <- which(rowSums(factors) > 0)
  members <- lapply(seq_len(ncol(factors)), function(k) match(which(factors[, k] > 0), used))
  calls <- as.list(attr(terms, "predvars"))[-1]
  offsets <- calls[attr(terms, "offset")]
  needed <- data_variables(c(calls[used], offsets), formula, data)
  env <- trim_environment(c(calls, formula), environment(formula), c(needed, names(data)))
  environment(formula) <- env
  attr(terms, ".Environment") <- env
  blueprint <- list(
    kind = "frame", variables = variable_labels(terms, used), calls = unname(calls[used]), needed = needed,
    terms = if (any(lengths(members) > 1) || !identical(unlist(members), seq_along(used))) members,
    offsets = unname(offsets), env = env, formula = formula, terms_object = terms)
  values <- structure(as_columns(frame)[used], rows = nrow(frame), names = blueprint$variables)
  list(values = values, blueprint = blueprint, offset = frame_offset(frame, terms), intercept = attr(terms, "intercept") == 1)
}

# Plain columns go by their own name, without the backticks that terms() puts around `a b`.
variable_labels <- function(terms, used) {
  variables <- as.list(attr(terms, "variables"))[-1][used]
  labels <- rownames(attr(terms, "factors"))[used]
  unname(ifelse(vapply(variables, is.symbol, NA), vapply(variables, deparsed_symbol, ""), labels))
}

deparsed_symbol <- function(expr) if (is.symbol(expr)) as.character(expr) else ""

# Names in `calls` that stand for data and so must be in newdata: columns of `data`, and vectors of as many
# values as the response found elsewhere.
data_variables <- function(calls, formula, data) {
  env <- environment(formula)
  n <- NROW(eval(formula[[2]], data, env))
  is_data <- function(name) {
    if (name %in% names(data)) return(TRUE)
    value <- get0(name, envir = env, inherits = TRUE)
    !is.null(value) && !is.function(value) && NROW(value) == n
  }
  names <- unique(unlist(lapply(calls, all.vars)))
  names[vapply(names, is_data, NA)]
}

# ---- A small environment for the formula -------------------------------------------------------------------

# A formula made inside a function drags everything in that function along when the fit is saved. Keep only
# the functions and constants that the expressions name, under the global environment.
trim_environment <- function(exprs, env, data_names) {
  slim <- new.env(parent = globalenv())
  seen <- list2env(structure(list(slim), names = env_key(env)))
  copy_used(setdiff(unique(unlist(lapply(exprs, all.names))), data_names), env, slim, seen)
  slim
}

env_key <- function(env) sub("^<environment: (.*)>$", "\\1", format.default(env))

copy_used <- function(names, env, slim, seen) {
  for (name in names) {
    value <- find_local(name, env)
    if (is.null(value) || exists(name, slim, inherits = FALSE)) next
    if (typeof(value) == "closure" && !is_lasting(environment(value))) copy_function(name, value, slim, seen)
    else assign(name, value, slim)
  }
}

# A closure gets a slim environment too, one for each it came from, so that functions that call each other
# still do.
copy_function <- function(name, fun, slim, seen) {
  home <- environment(fun)
  key <- env_key(home)
  if (is.null(seen[[key]])) seen[[key]] <- new.env(parent = globalenv())
  uses <- setdiff(unique(unlist(lapply(c(body(fun), formals(fun)), all.names))), names(formals(fun)))
  environment(fun) <- seen[[key]]
  attr(fun, "srcref") <- NULL
  assign(name, fun, slim)
  copy_used(uses, home, seen[[key]], seen)
}

# The value of a name defined below the global environment and outside packages, or NULL.
find_local <- function(name, env) {
  while (!is_lasting(env)) {
    if (exists(name, envir = env, inherits = FALSE)) return(get(name, envir = env))
    env <- parent.env(env)
  }
  NULL
}

is_lasting <- function(env) {
  is.null(env) || identical(env, globalenv()) || identical(env, emptyenv()) || identical(env, baseenv()) ||
    isNamespace(env) || !is.null(attr(env, "name"))
}
