# Any matrix to one checked form: a dgCMatrix without dimnames whose slots are sound, plus the column names.

#' Normalise a matrix
#' @param x A base matrix, any Matrix or a sparseVector (one row).
#' @return A list: `x` (dgCMatrix, possibly with non-finite cells) and `names` (column names or NULL).
#' @noRd
as_design <- function(x, arg = "x") {
  if (is.matrix(x)) return(list(x = from_base(x, arg), names = named_columns(colnames(x), arg)))
  if (is(x, "Matrix") || is(x, "sparseVector")) check_slots(x, arg)
  if (is(x, "sparseVector")) x <- Matrix::sparseMatrix(i = rep(1L, length(x@i)), j = x@i, x = entries(x),
                                                       dims = c(1L, length(x)))
  if (!is(x, "Matrix")) must_be(arg, "a matrix, a Matrix or a data frame", x)
  list(x = from_matrix(x), names = named_columns(colnames(x), arg))
}

# Pattern vectors (nsparseVector) have no x slot: their entries are ones.
entries <- function(x) if (is(x, "nsparseVector")) rep(1, length(x@i)) else as.double(x@x)

# validObject() finds words for what is wrong; that nothing is, is told faster.
check_slots <- function(x, arg) {
  if (is_dgc(x) && tryCatch(is_sound_cpp(x), error = function(e) FALSE)) return(invisible())  # a slot may not be there at all
  state <- tryCatch(validObject(x, test = TRUE), error = conditionMessage)
  if (isTRUE(state)) return(invisible())
  hofm_abort(sprintf("%s is a damaged %s: %s.", ticked(arg), class(x)[1], paste(state, collapse = "; ")),
             argument = arg)
}

from_base <- function(x, arg) {
  if (!(is.numeric(x) || is.logical(x))) must_be(arg, "a numeric or logical matrix", x)
  kept <- which(is.na(x) | x != 0)
  n <- max(nrow(x), 1L)
  new_sparse(i = (kept - 1) %% n, x = x[kept], counts = tabulate((kept - 1) %/% n + 1, ncol(x)), n = nrow(x))
}

is_dgc <- function(x) identical(as.vector(class(x)), "dgCMatrix")

# A dgCMatrix is only stripped of its names, which spares it another check of its slots. The three steps of all others go through
# virtual classes, which every version of Matrix keeps.
from_matrix <- function(x) {
  if (is_dgc(x)) {
    x@Dimnames <- list(NULL, NULL)
    x@factors <- list()
    return(x)
  }
  x <- as(as(as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  new_sparse(x@i, x@x, diff(x@p), nrow(x))
}

# A dgCMatrix from row indices (from zero), values and the number of entries in each column.
new_sparse <- function(i, x, counts, n) {
  ends <- cumsum(as.double(counts))
  if (length(ends) && ends[length(ends)] > .Machine$integer.max) {
    hofm_abort("The design has more than 2147483647 nonzero cells, the most that a sparse matrix can hold.")
  }
  methods::new("dgCMatrix", i = as.integer(i), p = as.integer(c(0, ends)), x = as.double(x),
               Dim = c(as.integer(n), length(counts)))
}

# NULL when there are no names at all; half-named columns could not be matched at predict time.
named_columns <- function(names, arg) {
  if (is.null(names)) return(NULL)
  if (!is.character(names)) must_be(paste0("colnames(", arg, ")"), "text", names)
  names <- enc2utf8(names)
  empty <- is.na(names) | !nzchar(names)
  if (all(empty)) return(NULL)
  if (any(empty)) {
    hofm_abort(sprintf("%s must have names for all columns or for none, but column %d has none.", ticked(arg),
                       which(empty)[1]), argument = arg)
  }
  twice <- unique(names[duplicated(names)])
  if (length(twice)) {
    hofm_abort(sprintf("%s must have unique column names, but these occur more than once: %s.", ticked(arg),
                       enumerate(ticked(twice))), argument = arg)
  }
  names
}

check_size <- function(x, arg) {
  if (nrow(x) < 1) hofm_abort(sprintf("%s must have at least one row.", ticked(arg)), argument = arg)
  if (ncol(x) < 1) hofm_abort(sprintf("%s must have at least one column.", ticked(arg)), argument = arg)
}

# Stop at the first cell that is not finite; at predict time (`missing = TRUE`) NA and NaN pass. Whether all are finite.
check_cells <- function(x, names, arg, missing = FALSE) {
  if (all_finite(x@x)) return(invisible(TRUE))
  bad <- which(if (missing) is.infinite(x@x) else !is.finite(x@x))
  if (!length(bad)) return(invisible(FALSE))
  column <- names[column_of(x, bad[1])]
  row <- x@i[bad[1]] + 1L
  hofm_abort(sprintf("%s must be finite, but column %s holds %s in row %d.", ticked(arg), ticked(column),
                     format(x@x[bad[1]]), row), argument = arg, column = column, row = row)
}

# One pass and no memory.
all_finite <- function(v) if (is.double(v)) all_finite_cpp(v) else all(is.finite(v))

column_of <- function(x, entry) findInterval(entry - 1, x@p[-1]) + 1L

# Rows with a missing cell, and the matrix with those cells set to zero so that arithmetic stays clean.
split_missing <- function(x, none) {
  if (none) return(list(x = x, missing = logical(nrow(x))))
  gone <- is.na(x@x)
  rows <- logical(nrow(x))
  rows[x@i[gone] + 1L] <- TRUE
  x@x[gone] <- 0
  list(x = x, missing = rows)
}

# The columns of x in the order `at`.
take_columns <- function(x, at) {
  if (identical(as.integer(at), seq_len(ncol(x)))) x else from_matrix(x[, at, drop = FALSE])
}

# Columns of several pieces side by side. A piece is list(i, x, counts): joining the slots takes one pass,
# where cbind() would copy everything once for each piece.
join_pieces <- function(pieces, n) {
  new_sparse(
    i = unlist(lapply(pieces, `[[`, "i"), use.names = FALSE),
    x = unlist(lapply(pieces, `[[`, "x"), use.names = FALSE),
    counts = as.integer(unlist(lapply(pieces, `[[`, "counts"), use.names = FALSE)), n = n)
}
