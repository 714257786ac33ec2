# From a formula or a data frame to sparse columns, and to the same columns again at predict time.
#
# A blueprint is a list that says how: `kind` is "matrix" (columns matched by name or position) or "frame"
# (variables encoded one by one). A frame blueprint holds `variables` (labels), `types`, `levels` (of the
# categorical ones), `columns` (names within the matrix-valued ones), `arrival` (the order of its columns, if that is not the order of the
# variables), and, when it comes from a formula with
# more than plain columns, `calls` (what to evaluate, with its data-dependent bases fixed), `terms` (variables
# of each term), `kept` (columns of products that occur), `offsets`, `needed` (columns that newdata must have)
# and `env`. Either kind may hold a `recipe` that new data go through first. No training data is in it.

# ---- Matrices and data frames with a separate response -----------------------------------------------------

learn_design <- function(x) {
  if (is.data.frame(x)) return(learn_data_frame(x))
  design <- as_design(x, "x")
  check_size(design$x, "x")
  features <- if (is.null(design$names)) paste0("V", seq_len(ncol(design$x))) else design$names
  check_cells(design$x, features, "x")
  list(x = design$x, blueprint = list(kind = "matrix", features = features, named = !is.null(design$names)))
}

learn_data_frame <- function(x) {
  check_size(x, "x")
  names(x) <- frame_names(x, "x")
  learn_frame(as_columns(x), list(kind = "frame", variables = names(x), needed = names(x)), "x")
}

frame_names <- function(x, arg) {
  names <- named_columns(names(x), arg)
  if (is.null(names)) hofm_abort(sprintf("%s must have column names.", ticked(arg)), argument = arg)
  names
}

# The columns as a plain list: `[[` on a data frame of 1e5 columns is slow.
as_columns <- function(x) {
  columns <- lapply(seq_along(x), function(j) .subset2(x, j))
  names(columns) <- names(x)
  structure(columns, rows = nrow(x))
}

# ---- Learning how to encode --------------------------------------------------------------------------------

# Fill in a frame blueprint from the values of its variables, and encode them.
learn_frame <- function(values, blueprint, arg) {
  n <- attr(values, "rows")
  blueprint <- learn_variables(values, blueprint, arg)
  pieces <- lapply(seq_along(values), function(k) encode_variable(values[[k]], k, blueprint, n, arg))
  stop_at_missing(pieces, blueprint$variables, arg)
  remark_on_ids(values, blueprint$variables, blueprint$types)
  assembled <- assemble(pieces, blueprint, n)
  blueprint$kept <- assembled$kept
  blueprint$features <- make.unique(enc2utf8(assembled$names), sep = ".")
  list(x = assembled$x, blueprint = blueprint)
}

# What each variable is, without encoding any.
learn_variables <- function(values, blueprint, arg) {
  blueprint$types <- unlist(Map(variable_type, values, names(values), arg), use.names = FALSE)
  categorical <- which(blueprint$types == "factor")
  blueprint$levels <- lapply(values[categorical], occurring_levels)
  names(blueprint$levels) <- blueprint$variables[categorical]
  wide <- which(blueprint$types == "matrix")
  blueprint$columns <- lapply(values[wide], inner_names)
  names(blueprint$columns) <- blueprint$variables[wide]
  blueprint
}

variable_type <- function(value, label, arg) {
  timed <- inherits(value, time_classes, which = TRUE) > 0
  if (is.factor(value) || (is.character(value) && is.null(dim(value)) && !any(timed))) return("factor")
  if (is.logical(value) && is.null(dim(value))) return("logical")
  if (is.matrix(value) && (is.numeric(value) || is.logical(value))) return("matrix")
  if (any(timed) && is.numeric(unclass(value))) return(time_classes[timed][1])
  if (is_number_like(value) && is.null(dim(value))) return("numeric")
  hofm_abort(sprintf("Variable %s in %s must be numeric, logical, a factor or character, not %s.",
                     ticked(label), ticked(arg), describe(value)), argument = arg)
}

# Levels that occur, as glm keeps them. A level NA, as addNA() makes it, is a level like the others.
occurring_levels <- function(value) {
  if (!is.factor(value)) return(enc2utf8(levels(factor(value))))
  enc2utf8(levels(value)[tabulate(value, nlevels(value)) > 0])
}

inner_names <- function(value) {
  if (!is.null(colnames(value))) return(enc2utf8(colnames(value)))
  if (ncol(value) == 1) "" else as.character(seq_len(ncol(value)))
}

stop_at_missing <- function(pieces, labels, arg) {
  gaps <- which(lengths(lapply(pieces, `[[`, "missing")) > 0)
  if (!length(gaps)) return(invisible())
  row <- pieces[[gaps[1]]]$missing[1]
  hofm_abort(sprintf("%s must hold no missing values, but variable %s is missing in row %d.", ticked(arg),
                     ticked(labels[gaps[1]]), row), argument = arg, column = labels[gaps[1]], row = row)
}

# ---- Encoding ----------------------------------------------------------------------------------------------

#' Encode variable k as sparse columns
#' @return A list: `i` (rows from zero), `x`, `counts` (entries of each column), `missing` (rows from one).
#' @noRd
encode_variable <- function(value, k, blueprint, n, arg, allow_new_levels = FALSE) {
  label <- blueprint$variables[k]
  type <- blueprint$types[k]
  if (NROW(value) != n) {
    hofm_abort(sprintf("Variable %s in %s must have %d values, not %d.", ticked(label), ticked(arg), n,
                       NROW(value)))
  }
  # A column of plain NA has no type of its own yet.
  untyped <- is.logical(value) && !is.object(value) && is.null(dim(value)) && all(is.na(value))
  if (untyped && type != "matrix") return(encode_gap(k, blueprint, n))
  check_type(value, type, label, arg)
  switch(type,
    factor = encode_factor(value, label, blueprint$levels[[label]], arg, allow_new_levels),
    matrix = encode_numbers(value, label, length(blueprint$columns[[label]]), arg),
    encode_numbers(value, label, 1L, arg))
}

check_type <- function(value, type, label, arg) {
  came <- variable_type(value, label, arg)
  if (came == type) return(invisible())
  abort_column(label, "Variable %s in %s must be %s as in the training data, not %s.",
               ticked(label), ticked(arg), type_words(type), type_words(came))
}

type_words <- function(type) {
  switch(type, factor = "a factor or character", matrix = "a matrix", logical = , numeric = type,
         paste("of class", type))
}

encode_gap <- function(k, blueprint, n) {
  width <- if (blueprint$types[k] == "factor") length(blueprint$levels[[blueprint$variables[k]]]) else 1L
  list(i = integer(0), x = numeric(0), counts = integer(width), missing = seq_len(n))
}

# One indicator column for each level; a row whose level is new (and allowed) has no entry.
encode_factor <- function(value, label, levels, arg, allow_new_levels) {
  if (!is.factor(value)) value <- factor(value, levels = unique(value))
  codes <- match(enc2utf8(levels(value)), levels)[as.integer(value)]
  gaps <- which(is.na(codes))
  if (length(gaps) && anyNA(levels) && anyNA(as.integer(value))) {
    codes[is.na(value)] <- match(NA, levels)
    gaps <- which(is.na(codes))
  }
  missing <- gaps[is.na(as.integer(value)[gaps])]
  new <- gaps[!is.na(as.integer(value)[gaps])]
  if (length(new) && !allow_new_levels) abort_new_levels(unique(as.character(value[new])), label, arg)
  rows <- order(codes, na.last = NA, method = "radix")
  list(i = rows - 1L, x = rep(1, length(rows)), counts = tabulate(codes, length(levels)), missing = missing)
}

abort_new_levels <- function(new, label, arg) {
  hofm_abort(sprintf(paste0("Variable %s in %s has levels that were not in the training data: %s. ",
                            "Use `allow_new_levels = TRUE` to let them contribute nothing."),
                     ticked(label), ticked(arg), enumerate(quoted(new))),
             c("hofm_error_new_levels", "hofm_error_input"), variable = label, levels = new)
}

encode_numbers <- function(value, label, width, arg) {
  if (NCOL(value) != width) {
    abort_column(label, "Variable %s in %s must have %d columns, not %d.", ticked(label), ticked(arg), width,
                 NCOL(value))
  }
  n <- NROW(value)
  value <- as.double(unclass(value))
  bad <- which(is.infinite(value))
  if (length(bad)) {
    hofm_abort(sprintf("%s must be finite, but variable %s is %s in row %d.", ticked(arg), ticked(label),
                       format(value[bad[1]]), (bad[1] - 1) %% n + 1), argument = arg, column = label)
  }
  gaps <- which(is.na(value))
  kept <- which(value != 0)
  list(i = (kept - 1) %% n, x = value[kept], counts = tabulate((kept - 1) %/% n + 1, width),
       missing = unique((gaps - 1) %% n + 1))
}

# ---- Putting columns together ------------------------------------------------------------------------------

assemble <- function(pieces, blueprint, n) {
  names <- lapply(seq_along(pieces), piece_names, blueprint = blueprint)
  if (is.null(blueprint$terms)) return(list(x = join_pieces(pieces, n), names = unlist(names), kept = NULL))
  parts <- lapply(seq_along(blueprint$terms), function(k) {
    term_columns(blueprint$terms[[k]], pieces, names, n, blueprint$kept[[k]])
  })
  list(x = join_pieces(lapply(parts, `[[`, "piece"), n), names = unlist(lapply(parts, `[[`, "names")),
       kept = lapply(parts, `[[`, "kept"))
}

piece_names <- function(k, blueprint) {
  label <- blueprint$variables[k]
  switch(blueprint$types[k],
    factor = paste0(label, blueprint$levels[[label]]), logical = paste0(label, "TRUE"),
    matrix = paste0(label, blueprint$columns[[label]]), label)
}

# The columns of one term. Products of variables keep only the columns that occur in training: two factors of
# 1e4 levels have 1e8 products, of which the data can hold no more than it has rows.
term_columns <- function(variables, pieces, names, n, kept = NULL) {
  if (length(variables) == 1) {
    return(list(piece = pieces[[variables]], names = names[[variables]], kept = "all"))
  }
  product <- Reduce(row_product, lapply(variables, function(v) join_pieces(pieces[v], n)))
  names <- Reduce(function(a, b) as.vector(outer(a, b, paste, sep = ":")), names[variables])
  if (is.null(kept)) kept <- which(diff(product@p) > 0)
  product <- take_columns(product, kept)
  list(piece = list(i = product@i, x = product@x, counts = diff(product@p)), names = names[kept], kept = kept)
}

# Every column of a times every column of b, a's running fastest as in glm.
row_product <- function(a, b) {
  if (as.double(ncol(a)) * ncol(b) > 1e8) {
    hofm_abort(sprintf(paste("An interaction in the formula has %.0f columns, which is too many.",
                             "Products of features are part of the model already: leave it out."),
                       as.double(ncol(a)) * ncol(b)), argument = "x")
  }
  from_matrix(Matrix::t(Matrix::KhatriRao(Matrix::t(b), Matrix::t(a))))
}

# ---- The same columns for new data -------------------------------------------------------------------------

#' Design of new data
#' @return A list: `x` (finite dgCMatrix), `missing` (logical, a row with a missing value), `offset` (of
#'   offset() terms).
#' @noRd
design_for <- function(blueprint, newdata, allow_new_levels = FALSE, arg = "newdata") {
  if (!is.null(blueprint$recipe)) newdata <- bake_predictors(blueprint, newdata, arg)
  design <- if (blueprint$kind == "matrix") design_from_matrix(blueprint, newdata, arg)
  else design_from_frame(blueprint, newdata, allow_new_levels, arg)
  replace(design, "x", list(standardized(design$x, blueprint$standard)))
}

design_from_matrix <- function(blueprint, newdata, arg) {
  by_position <- !blueprint$named || is(newdata, "sparseVector")
  if (is.data.frame(newdata)) newdata <- numeric_matrix(newdata, blueprint, arg)
  design <- as_design(newdata, arg)
  if (by_position) check_width(ncol(design$x), length(blueprint$features), arg)
  else design$x <- take_columns(design$x, match_columns(design$names, blueprint$features, arg))
  finite <- check_cells(design$x, blueprint$features, arg, missing = TRUE)
  c(split_missing(design$x, none = finite), list(offset = NULL))
}

# A data frame for a fit on a matrix: only the columns that the fit knows need be numbers.
numeric_matrix <- function(newdata, blueprint, arg) {
  if (blueprint$named) newdata <- newdata[match_columns(names(newdata), blueprint$features, arg)]
  plain <- vapply(newdata, function(v) (is_number_like(v) || is.logical(v)) && is.null(dim(v)), NA)
  if (!all(plain)) {
    others <- names(newdata)[!plain]
    abort_column(others, "Columns of %s must be numeric as in the training data, but these are not: %s.",
                 ticked(arg), enumerate(ticked(others)))
  }
  as.matrix(newdata)
}

check_width <- function(came, need, arg) {
  if (came == need) return(invisible())
  abort_column(NULL, "%s must have %d columns like the training data, which had no column names, not %d.",
               ticked(arg), need, came)
}

match_columns <- function(names, features, arg) {
  if (is.null(names)) {
    abort_column(NULL, "%s must have column names, by which columns are matched.", ticked(arg))
  }
  at <- match(features, enc2utf8(names))
  abort_columns(features[is.na(at)], arg)
  at
}

abort_columns <- function(absent, arg) {
  if (!length(absent)) return(invisible())
  how_many <- if (length(absent) == 1) "a column" else sprintf("%d columns", length(absent))
  abort_column(absent, "%s lacks %s of the training data: %s.", ticked(arg), how_many,
               enumerate(ticked(absent)))
}

abort_column <- function(columns, format, ...) {
  hofm_abort(sprintf(format, ...), c("hofm_error_columns", "hofm_error_input"), columns = columns)
}

design_from_frame <- function(blueprint, newdata, allow_new_levels, arg) {
  newdata <- as_newdata(newdata, arg)
  n <- nrow(newdata)
  abort_columns(setdiff(blueprint$needed, names(newdata)), arg)
  if (n == 0) return(empty_design(blueprint))
  if (!is.null(blueprint$hash_bits)) return(hashed_design(blueprint, newdata, arg))
  values <- evaluate_variables(blueprint, newdata, arg)
  pieces <- lapply(seq_along(values), function(k) {
    encode_variable(values[[k]], k, blueprint, n, arg, allow_new_levels)
  })
  missing <- logical(n)
  missing[unlist(lapply(pieces, `[[`, "missing"))] <- TRUE
  x <- assemble(pieces, blueprint, n)$x
  if (!is.null(blueprint$arrival)) x <- take_columns(x, blueprint$arrival)
  list(x = x, missing = missing, offset = evaluate_offsets(blueprint, newdata, arg))
}

as_newdata <- function(newdata, arg) {
  if (is.matrix(newdata) || (is.list(newdata) && !is.data.frame(newdata) && !is.object(newdata))) {
    newdata <- tryCatch(as.data.frame(newdata, stringsAsFactors = FALSE, optional = TRUE),
                        error = function(e) newdata)
  }
  if (!is.data.frame(newdata)) must_be(arg, "a data frame", newdata)
  if (!is.null(names(newdata))) names(newdata) <- enc2utf8(names(newdata))
  newdata
}

empty_design <- function(blueprint) {
  list(x = new_sparse(integer(0), numeric(0), integer(length(blueprint$features)), 0L), missing = logical(0),
       offset = if (length(blueprint$offsets)) numeric(0))
}

evaluate_variables <- function(blueprint, newdata, arg) {
  if (is.null(blueprint$calls)) return(as_columns(newdata)[match(blueprint$variables, names(newdata))])
  lapply(blueprint$calls, evaluate_call, newdata, blueprint$env, arg)
}

evaluate_call <- function(call, data, env, arg) {
  tryCatch(eval(call, data, env), hofm_error = stop, error = function(e) {
    hofm_abort(sprintf("%s cannot be evaluated in %s: %s", ticked(deparsed(call)), ticked(arg),
                       conditionMessage(e)))
  })
}

evaluate_offsets <- function(blueprint, newdata, arg) {
  if (!length(blueprint$offsets)) return(NULL)
  values <- lapply(blueprint$offsets, evaluate_call, newdata, blueprint$env, arg)
  n <- nrow(newdata)
  good <- vapply(values, function(v) is.numeric(v) && NROW(v) == n && NCOL(v) == 1, NA)
  if (!all(good)) {
    hofm_abort(sprintf("An offset in the formula must be numeric with %d values in %s.", n, ticked(arg)))
  }
  total <- Reduce(`+`, lapply(values, as.double))
  if (any(is.infinite(total))) {
    row <- which(is.infinite(total))[1]
    hofm_abort(sprintf("An offset in the formula is infinite in row %d of %s.", row, ticked(arg)))
  }
  total
}

# ---- Which variable a column belongs to --------------------------------------------------------------------

# One string for each of the d features: the variable, or the product of variables, whose column it is. The columns of a
# matrix all belong to `"x"`: nothing says which of them go together.
feature_groups <- function(blueprint, d) {
  if (!has_variables(blueprint)) return(rep("x", d))
  in_arrival(rep(group_labels(blueprint), blueprint_widths(blueprint)), blueprint)
}

# Whether columns belong to variables: those of a matrix, and those that words are hashed into, are all of one kind.
has_variables <- function(blueprint) blueprint$kind == "frame" && is.null(blueprint$hash_bits)

# Something of each column, variable by variable, in the order of the columns.
in_arrival <- function(x, blueprint) if (is.null(blueprint$arrival)) x else x[blueprint$arrival]

group_labels <- function(blueprint) {
  if (is.null(blueprint$terms)) return(blueprint$variables)
  vapply(blueprint$terms, function(term) paste(blueprint$variables[term], collapse = ":"), "")
}

# How many columns each variable, or each term, has.
blueprint_widths <- function(b) {
  if (!is.null(b$hash_bits)) return(2^b$hash_bits)
  each <- rep(1, length(b$variables))
  each[b$types == "factor"] <- lengths(b$levels)[b$variables[b$types == "factor"]]
  each[b$types == "matrix"] <- lengths(b$columns)[b$variables[b$types == "matrix"]]
  if (is.null(b$terms)) return(each)
  vapply(seq_along(b$terms), function(k) {
    if (length(b$terms[[k]]) == 1) each[[b$terms[[k]]]] else as.double(length(b$kept[[k]]))
  }, 0)
}
