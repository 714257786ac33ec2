# What shards are made of: text, a matrix, or data frames that come one after the other. Called by write_shards(); `into` is the folder
# that is being written (shards.R), whose `state` becomes the manifest.

# ---- Matrices ----------------------------------------------------------------------------------------------

write_matrix <- function(x, into, given) {
  if (is.null(given$y)) hofm_abort("`y`, the response, is missing.", argument = "y")
  check_size(x, "source")
  n <- nrow(x)
  check_response_length(given$y, n)
  y <- coded_rows(into, given$y)
  weights <- row_weights(given$weights, n)
  offset <- row_offset(given$offset, n)
  learn_columns(into, x)
  state <- into$state
  # A dense matrix becomes sparse in parts: as a whole it might not fit.
  block <- if (is.matrix(x)) max(1, 2^21 %/% max(1, ncol(x))) else n
  for (first in seq(1, n, by = block)) {
    at <- first:min(n, first + block - 1)
    part <- if (length(at) == n) x else x[at, , drop = FALSE]
    design <- as_design(part, "source")$x
    check_cells(design, state$blueprint$features, "source")
    rows <- max(1, min(length(at), floor(5e5 * length(at) / max(1, length(design@i)))))
    add_matrix_cpp(into$buffer, design, y[at], weights[at], offset[at], rows, function() flush_buffer(into))
  }
}

# The features of a matrix: by their names if it has any.
learn_columns <- function(into, x) {
  names <- named_columns(colnames(x), "source")
  state <- into$state
  if (is.null(state$blueprint)) {
    features <- if (is.null(names)) paste0("V", seq_len(ncol(x))) else names
    state$blueprint <- list(kind = "matrix", features = features, named = !is.null(names))
    state$dictionary <- dictionary_cpp(state$dictionary, features)
    state$d <- length(features)
    state$source <- "matrix"
  } else if (!identical(if (state$blueprint$named) names else paste0("V", seq_len(ncol(x))), state$blueprint$features)) {
    hofm_abort("`source` must have the columns of the shards that it is appended to, in their order.", argument = "source")
  }
  into$state <- state
}

row_weights <- function(weights, n) if (is.null(weights)) rep(1, n) else check_weights(weights, n)$given
row_offset <- function(offset, n) if (is.null(offset)) numeric(n) else check_offset(offset, n)

# ---- Text --------------------------------------------------------------------------------------------------

# In pieces of whole lines, of a few megabytes.
write_text <- function(file, into, n_features, base) {
  n_features <- if (is.null(n_features)) -1L else check_features(n_features)
  state <- into$state
  if (!is.null(state$source)) {
    n_features <- max(n_features, if (isTRUE(state$fixed)) state$d else -1L)
    base <- state$base
  }
  with_source(file, function(next_block, name) {
    lines <- 0
    d <- 0L
    rows <- 0
    for_pieces(next_block, 2^21, function(bytes) {
      data <- add_libsvm_cpp(into$buffer, bytes, base, n_features, largest_index(), function(features) {
        flush_buffer(into, max(d, features))
      })
      if (!is.null(data$error)) abort_line(replace(data, "line", data$line + lines), name)
      lines <<- lines + data$lines
      rows <<- rows + data$rows
      d <<- max(d, data$features)
      into$state$d <- max(into$state$d, d)
    })
    if (rows == 0) abort_file(sprintf("%s holds no data.", quoted(name)), name)
  })
  state <- into$state
  check_columns(seq_len(state$d))
  state$source <- "text"
  state$base <- base
  state$fixed <- n_features > 0
  state$blueprint <- list(kind = "matrix", features = paste0("x", seq_len(state$d)), named = FALSE)
  state$response <- list(kind = "numeric", levels = NULL, turned = FALSE)
  into$state <- state
}

# f of pieces of about `size` bytes that end with a line.
for_pieces <- function(next_block, size, f) {
  held <- list()
  repeat {
    block <- next_block()
    held <- c(held, list(block))
    if (length(block) && sum(lengths(held)) < size) next
    bytes <- do.call(c, held)
    end <- if (length(block)) max(0L, which(bytes == as.raw(10L))) else length(bytes)
    if (end > 0) f(bytes[seq_len(end)])
    if (!length(block)) return(invisible())
    held <- list(bytes[seq_along(bytes) > end])
  }
}

# ---- Data frames -------------------------------------------------------------------------------------------

write_frames <- function(source, into, given, caller) {
  next_frame <- if (is.data.frame(source)) frame_parts(source) else checked_frames(source)
  first <- next_frame()
  if (is.null(first)) hofm_abort("`source` returned no data frame.", argument = "source")
  if (is.null(into$state$source)) describe_source(into, if (is.data.frame(source)) source else first, given, caller)
  if (is.data.frame(source)) know_levels(into, source)
  numbers <- lapply(given[c("weights", "offset")], function(v) if (!is_string(v)) v)
  if (is.function(source) && length(Filter(Negate(is.null), numbers))) {
    hofm_abort("`weights` and `offset` must be names of columns where a function returns the data.",
               argument = names(Filter(Negate(is.null), numbers))[1])
  }
  if (is.data.frame(source)) numbers <- list(weights = row_numbers(numbers$weights, check_weights, nrow(source)),
                                             offset = row_numbers(numbers$offset, check_offset, nrow(source)))
  frame <- first
  seen <- 0
  while (!is.null(frame)) {
    n <- nrow(frame)
    at <- seen + seq_len(n)
    if (n > 0) add_frame(into, frame, lapply(numbers, function(v) if (!is.null(v)) v[at]), seen)
    seen <- seen + n
    frame <- next_frame()
  }
}

row_numbers <- function(value, check, n) {
  if (is.null(value)) return(NULL)
  value <- check(value, n)
  if (is.list(value)) value$given else value
}

# The rows of a data frame, some at a time, and columns by themselves: classes of data frames differ in what `[` does.
frame_parts <- function(frame) {
  check_size(frame, "source")
  names(frame) <- frame_names(frame, "source")
  columns <- as_columns(frame)
  n <- nrow(frame)
  block <- max(1, 2^20 %/% length(columns))
  first <- 1
  function() {
    if (first > n) return(NULL)
    at <- first:min(n, first + block - 1)
    first <<- first + block
    plain_frame(lapply(columns, function(v) if (is.null(dim(v))) v[at] else v[at, , drop = FALSE]), length(at))
  }
}

plain_frame <- function(columns, n) structure(columns, class = "data.frame", row.names = .set_row_names(n), rows = NULL)

checked_frames <- function(source) {
  function() {
    frame <- tryCatch(source(), hofm_error = stop, error = function(e) {
      hofm_abort(sprintf("`source` failed: %s", conditionMessage(e)), argument = "source", parent = e)
    })
    if (is.null(frame)) return(NULL)
    if (!is.data.frame(frame)) must_be("source", "a function that returns data frames, and NULL at the end", frame)
    names(frame) <- frame_names(frame, "source")
    plain_frame(as_columns(frame), nrow(frame))
  }
}

#' What is made of data frames: variables, their types, response, weights and offset, and an empty dictionary
#' @noRd
describe_source <- function(into, frame, given, caller) {
  if (!nrow(frame)) hofm_abort("`source` must have a row in its first data frame.", argument = "source")
  described <- if (is.null(given$formula)) describe_columns(frame, given) else describe_by_formula(frame, given, caller)
  blueprint <- learn_variables(described$values, described$blueprint, "source")
  blueprint$levels <- lapply(blueprint$levels, function(v) character())
  if (!is.null(given$hash_bits)) blueprint$hash_bits <- check_count(given$hash_bits, "hash_bits", max = 26)
  state <- into$state
  state$source <- "frame"
  state$blueprint <- blueprint
  state$reads <- list(y = described$y, weights = column_given(given$weights, frame, "weights"),
                      offset = column_given(given$offset, frame, "offset"))
  state$intercept <- described$intercept
  state$omits <- !is.null(given$formula)
  state$place <- lapply(seq_along(blueprint$variables), function(k) integer())
  if (!is.null(blueprint$hash_bits)) {
    state$d <- as.integer(2^blueprint$hash_bits)
    state$dictionary <- dictionary_cpp(state$dictionary, paste("hash", state$d))
  }
  into$state <- state
}

column_given <- function(value, frame, arg) {
  if (!is_string(value)) return(NULL)
  if (!value %in% names(frame)) must_be(arg, "the name of a column of the data frame, or numbers", value)
  value
}

describe_columns <- function(frame, given) {
  if (!is_one_of(given$y, names(frame))) {
    if (is.null(given$y)) hofm_abort("`formula`, or `y`, the name of the response's column, must be given.", argument = "formula")
    must_be("y", "the name of a column of the data frame", given$y)
  }
  names(frame) <- frame_names(frame, "source")
  named <- function(v) if (is_string(v)) v
  variables <- setdiff(names(frame), c(given$y, named(given$weights), named(given$offset)))
  if (!length(variables)) hofm_abort("`source` must have a column besides the response.", argument = "source")
  values <- structure(as_columns(frame)[variables], rows = nrow(frame))
  list(values = values, blueprint = list(kind = "frame", variables = variables, needed = variables), y = as.name(given$y),
       intercept = TRUE)
}

describe_by_formula <- function(frame, given, caller) {
  if (!is.null(given$y)) hofm_abort("`y` must not be given: the response is on the left of the `formula`.", argument = "y")
  if (!inherits(given$formula, "formula")) must_be("formula", "a formula, as in `y ~ a + b`", given$formula)
  frame <- plain_frame(as_columns(frame), nrow(frame))
  drop <- c(if (is_string(given$weights)) given$weights, if (is_string(given$offset)) given$offset)
  described <- describe_formula(given$formula, frame[setdiff(names(frame), drop)], quote(hofm()), caller)
  if (!is.null(described$blueprint$terms)) {
    hofm_abort("`formula` must not multiply variables, as in `a:b`: products of features are part of the model already.",
               argument = "formula")
  }
  list(values = described$values, blueprint = described$blueprint, y = given$formula[[2]], intercept = described$intercept)
}

# Of a data frame that is there as a whole all levels are known, and columns are in the order in which hofm() has them.
know_levels <- function(into, frame) {
  state <- into$state
  if (!is.null(state$blueprint$hash_bits)) return(invisible())
  frame <- plain_frame(as_columns(frame), nrow(frame))
  values <- evaluate_variables(state$blueprint, frame, "source")
  for (k in seq_along(values)) {
    if (state$blueprint$types[k] == "factor") grow_levels(into, k, occurring_levels(values[[k]])) else place_numbers(into, k)
  }
}

# Columns for levels of variable k that were not there before.
grow_levels <- function(into, k, levels) {
  state <- into$state
  label <- state$blueprint$variables[k]
  new <- levels[is.na(match(levels, state$blueprint$levels[[label]]))]
  if (!length(new)) return(invisible())
  state$blueprint$levels[[label]] <- c(state$blueprint$levels[[label]], new)
  into$state <- placed(state, k, paste0(label, "=", new))
}

# Those of a variable of numbers are there from its first rows on.
place_numbers <- function(into, k) {
  state <- into$state
  if (length(state$place[[k]])) return(invisible())
  label <- state$blueprint$variables[k]
  inner <- if (state$blueprint$types[k] == "matrix") state$blueprint$columns[[label]] else ""
  into$state <- placed(state, k, paste0(label, "|", inner))
}

placed <- function(state, k, names) {
  if (state$d + length(names) > .Machine$integer.max - 1) {
    hofm_abort("There are too many levels for a dictionary: use `hash_bits`.", argument = "source")
  }
  state$place[[k]] <- c(state$place[[k]], state$d + seq_along(names))
  state$d <- state$d + length(names)
  state$dictionary <- dictionary_cpp(state$dictionary, enc2utf8(names))
  state
}

#' Encode some rows and put them into the buffer
#' @param numbers Weights and offset of these rows where they were given as numbers.
#' @param seen Rows before these, for messages.
#' @noRd
add_frame <- function(into, frame, numbers, seen) {
  state <- into$state
  n <- nrow(frame)
  abort_columns(setdiff(c(state$blueprint$needed, unlist(state$reads[c("weights", "offset")])), names(frame)), "source")
  env <- if (is.null(state$blueprint$env)) globalenv() else state$blueprint$env
  y <- evaluate_call(state$reads$y, frame, env, "source")
  check_response_length(y, n)
  values <- evaluate_variables(state$blueprint, frame, "source")
  extra <- Map(function(given, column) if (is.null(given) && !is.null(column)) frame[[column]] else given, numbers[c("weights", "offset")],
               state$reads[c("weights", "offset")])
  names(extra) <- c("weights", "offset")
  gone <- missing_rows(values, n) | is.na(strip_names(y))
  for (v in extra) if (!is.null(v)) gone <- gone | is.na(v)
  if (any(gone)) {
    if (!state$omits) {
      hofm_abort(sprintf("`source` must hold no missing values, but something is missing in row %.0f.", seen + which(gone)[1]),
                 argument = "source", row = seen + which(gone)[1])
    }
    into$state$left_out <- into$state$left_out + sum(gone)
    keep <- which(!gone)
    if (!length(keep)) return(invisible())
    shorter <- plain_frame(lapply(as_columns(frame), function(v) if (is.null(dim(v))) v[keep] else v[keep, , drop = FALSE]), length(keep))
    return(add_frame(into, shorter, lapply(numbers, function(v) if (!is.null(v)) v[keep]), seen))
  }
  entries <- frame_entries(into, values, n)
  offset <- row_offset(extra$offset, n)
  more <- evaluate_offsets(state$blueprint, frame, "source")
  add_entries_cpp(into$buffer, entries$i, entries$j, entries$x, coded_rows(into, y), row_weights(extra$weights, n),
                  if (is.null(more)) offset else offset + more, function() flush_buffer(into))
}

missing_rows <- function(values, n) {
  gone <- logical(n)
  for (v in values) {
    bad <- if (is.factor(v)) is.na(as.integer(v)) else is.na(v)
    gone <- gone | if (is.null(dim(bad))) bad else rowSums(bad) > 0
  }
  gone
}

# Entries (i, j, x) from zero; x is empty where all are one.
frame_entries <- function(into, values, n) {
  parts <- lapply(seq_along(values), function(k) variable_entries(into, values[[k]], k, n))
  x <- lapply(parts, `[[`, "x")
  ones <- all(lengths(x) == 0)
  if (!ones) x <- Map(function(x, part) if (length(x)) x else rep(1, length(part$i)), x, parts)
  list(i = unlist(lapply(parts, `[[`, "i"), use.names = FALSE), j = unlist(lapply(parts, `[[`, "j"), use.names = FALSE),
       x = if (ones) numeric() else unlist(x, use.names = FALSE))
}

variable_entries <- function(into, value, k, n) {
  blueprint <- into$state$blueprint
  label <- blueprint$variables[k]
  type <- blueprint$types[k]
  if (NROW(value) != n) {
    hofm_abort(sprintf("Variable %s in `source` must have %d values, not %d.", ticked(label), n, NROW(value)), argument = "source")
  }
  check_type(value, type, label, "source")
  if (type == "factor") return(factor_entries(into, value, k))
  width <- if (type == "matrix") length(blueprint$columns[[label]]) else 1L
  numbers <- encode_numbers(value, label, width, "source")
  if (is.null(blueprint$hash_bits)) place_numbers(into, k)
  at <- if (is.null(blueprint$hash_bits)) into$state$place[[k]] else hashed_columns(blueprint, k)
  list(i = as.integer(numbers$i), j = rep(at, numbers$counts) - 1L, x = numbers$x)
}

# Levels of these rows, with columns for new ones.
factor_entries <- function(into, value, k) {
  if (!is.factor(value)) value <- factor(value, levels = sort(unique(value), method = "radix"))
  codes <- as.integer(value)
  levels <- enc2utf8(levels(value))
  blueprint <- into$state$blueprint
  if (!is.null(blueprint$hash_bits)) {
    column <- hashed_levels(blueprint, k, levels)
  } else {
    grow_levels(into, k, levels[tabulate(codes, length(levels)) > 0])
    state <- into$state
    column <- state$place[[k]][match(levels, state$blueprint$levels[[state$blueprint$variables[k]]])]
  }
  list(i = seq_along(codes) - 1L, j = column[codes] - 1L, x = numeric())
}

# ---- Hashing -----------------------------------------------------------------------------------------------

hashed_levels <- function(blueprint, k, levels) {
  hash_words_cpp(enc2utf8(paste0(blueprint$variables[k], "=", levels)), blueprint$hash_bits) + 1L
}

hashed_columns <- function(blueprint, k) {
  label <- blueprint$variables[k]
  inner <- if (blueprint$types[k] == "matrix") blueprint$columns[[label]] else ""
  hash_words_cpp(enc2utf8(paste0(label, "|", inner)), blueprint$hash_bits) + 1L
}

# New rows of a hashed design: called by design_from_frame().
hashed_design <- function(blueprint, newdata, arg) {
  n <- nrow(newdata)
  values <- evaluate_variables(blueprint, newdata, arg)
  missing <- missing_rows(values, n)
  parts <- lapply(seq_along(values), function(k) {
    value <- values[[k]]
    label <- blueprint$variables[k]
    check_type(value, blueprint$types[k], label, arg)
    if (blueprint$types[k] == "factor") {
      value <- as.factor(value)
      kept <- which(!is.na(as.integer(value)))
      return(list(i = kept, j = hashed_levels(blueprint, k, levels(value))[as.integer(value)[kept]], x = rep(1, length(kept))))
    }
    width <- if (blueprint$types[k] == "matrix") length(blueprint$columns[[label]]) else 1L
    numbers <- encode_numbers(value, label, width, arg)
    list(i = numbers$i + 1, j = rep(hashed_columns(blueprint, k), numbers$counts), x = numbers$x)
  })
  gather <- function(field) unlist(lapply(parts, `[[`, field), use.names = FALSE)
  x <- Matrix::sparseMatrix(i = gather("i"), j = gather("j"), x = gather("x"), dims = c(n, 2^blueprint$hash_bits))
  list(x = from_matrix(x), missing = missing, offset = evaluate_offsets(blueprint, newdata, arg))
}

# ---- Responses ---------------------------------------------------------------------------------------------

#' Responses as numbers, classes counted from zero in the order in which they come
#' @noRd
coded_rows <- function(into, y) {
  y <- plain_response(y, "y")
  kind <- if (is.factor(y)) "factor" else if (is.numeric(y)) "numeric" else typeof(y)
  response <- into$state$response
  if (is.null(response)) response <- list(kind = kind, came = character(), declared = character())
  if (kind != response$kind && !all(c(kind, response$kind) %in% c("factor", "character"))) {
    hofm_abort(sprintf("The response must be %s in all rows, not %s as well.", response$kind, kind), argument = "y")
  }
  if (kind == "numeric") {
    into$state$response <- c(response["kind"], list(levels = NULL, turned = FALSE, came = character(), declared = character()))
    return(as.double(y))
  }
  if (kind == "logical") {
    into$state$response <- replace(response, c("levels", "turned"), list(c(FALSE, TRUE), FALSE))
    return(as.double(y))
  }
  into$state$response <- grown_classes(response, y)
  as.double(match(as.character(y), into$state$response$came) - 1L)
}

# Two classes at most, whose order is that of a factor's levels, and else that of the alphabet; `turned` if they came the other way round.
grown_classes <- function(response, y) {
  occurs <- unique(as.character(y))
  response$came <- c(response$came, setdiff(enc2utf8(occurs), response$came))
  if (is.factor(y)) response$declared <- union(response$declared, enc2utf8(levels(y)))
  if (length(response$came) > 2) hofm_abort(not_two_classes(response$came, "y"), argument = "y")
  levels <- levels(factor(response$came))
  if (response$kind == "factor") levels <- intersect(union(response$declared, response$came), response$came)
  response$levels <- levels
  response$turned <- !identical(levels, response$came)
  response
}

# ---- The blueprint of what was written ---------------------------------------------------------------------

# Names of features, and their order where that is not the order of the variables.
finished_blueprint <- function(state) {
  blueprint <- state$blueprint
  if (state$source != "frame") return(blueprint)
  if (!is.null(blueprint$hash_bits)) {
    blueprint$features <- sprintf("h%d", seq_len(state$d))
    return(blueprint)
  }
  names <- make.unique(enc2utf8(unlist(lapply(seq_along(blueprint$variables), piece_names, blueprint = blueprint))), sep = ".")
  at <- order(unlist(state$place))
  blueprint$arrival <- if (!identical(at, seq_along(at))) at
  blueprint$features <- names[at]
  blueprint
}
