# Shards: a design in files, some rows in each, for data beyond memory. src/hofm/io/shard.h has the format of a file. A folder of shards
# has a manifest, written last: without it nothing opens, so that writing that was killed leaves nothing to be taken for data.

#' Data beyond memory: a folder of shards
#'
#' `write_shards()` takes a design and its response, a part at a time, into a folder of binary files, which [hofm()] then fits with a
#' few of them in memory at a time. `open_shards()` opens such a folder.
#'
#' Every file has checksums of all that is in it, which are compared whenever it is read: a file that is damaged, cut off, exchanged or
#' written by a newer version is an error of class `hofm_error_file` that names it. A file takes 4 bytes for each nonzero of a design of
#' ones, and 5, 8 or 12 if the values are small whole numbers, are exact as float32, or are neither; besides up to 8 for each row.
#'
#' Text is read once, in pieces: a shard is held in memory and not the whole. Every factor of a data frame has the levels of the whole
#' frame, to learn which takes as much memory as its sparse columns.
#'
#' @param source A matrix or Matrix; a data frame; or text in the format of [read_libsvm()]: the name of a file, plain or compressed, or
#'   a connection.
#' @param dir The folder, which is made if it is not there. It must not hold shards already.
#' @param y The response of each row, as in [hofm()]; of a data frame, the name of its column. Text has its own.
#' @param weights,offset One number for each row, as in [hofm()], or `NULL`.
#' @param shard_nonzeros About how many nonzeros go into a file. A fit holds one file for each of its threads, at 12 bytes a nonzero.
#'   Sums over shards cost as much as a nonzero for each parameter and shard: let a shard have ten times as many nonzeros as the model
#'   has parameters, or more, if memory allows.
#' @param n_features,base Of text, as in [read_libsvm()]; the base must be known before the text is read.
#' @param verify Whether to read every file whole and compare its checksums. Headers and sizes are always checked.
#' @param x An object of class `hofm_shards`.
#' @param i Which of its files to keep: positive or negative numbers, without repetition.
#' @param ... Nothing: an unknown argument is an error.
#' @return An object of class `hofm_shards`: `dir`, `files` (a data frame with a row for each file), `rows`, `nonzeros`, `features` and
#'   what is known of the response. `dim()` are its rows and features, `length()` its files; `x[i]` has some of the files.
#' @seealso [hofm.hofm_shards()] to fit them.
#' @examples
#' set.seed(1)
#' x <- matrix(rbinom(2000, 1, 0.2), 200, 10, dimnames = list(NULL, letters[1:10]))
#' y <- x[, 1] * x[, 2] + rnorm(200, sd = 0.1)
#' dir <- tempfile()
#' shards <- write_shards(x, dir, y, shard_nonzeros = 100)
#' shards
#' dim(open_shards(dir, verify = TRUE)[1:2])
#' unlink(dir, recursive = TRUE)
#' @concept files
#' @export
write_shards <- function(source, dir, y = NULL, weights = NULL, offset = NULL, shard_nonzeros = 4e6, n_features = NULL, base = 1,
                         ...) {
  check_given()
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  size <- check_count(shard_nonzeros, "shard_nonzeros", max = 2^30)
  text <- is.character(source) || inherits(source, "connection")
  given <- c(if (!is.null(y)) "y", if (!is.null(weights)) "weights", if (!is.null(offset)) "offset")
  if (text && length(given)) {
    hofm_abort(sprintf("%s must not be given: text has its responses, and neither weights nor offsets.", ticked(given[1])),
               argument = given[1])
  }
  into <- new_folder(dir)
  if (text) write_text(source, into, size, n_features, check_count(base, "base", min = 0, max = 1))
  else if (is.data.frame(source)) write_frame(source, into, size, y, weights, offset)
  else write_matrix(source, into, size, y, weights, offset)
  open_shards(dir)
}

# ---- Writing -----------------------------------------------------------------------------------------------

# What is being written: the files so far and what is known of their responses.
new_folder <- function(dir) {
  if (!is_string(dir) || !nzchar(dir)) must_be("dir", "the name of a folder", dir)
  if (file.exists(file.path(dir, manifest_name))) {
    abort_file(sprintf("%s holds shards already: remove them, or choose another folder.", quoted(dir)), dir)
  }
  if (!dir.exists(dir) && !dir.create(dir, showWarnings = FALSE, recursive = TRUE)) {
    abort_file(sprintf("%s cannot be made.", quoted(dir)), dir)
  }
  into <- new.env(parent = emptyenv())
  into$dir <- path.expand(dir)
  into$files <- list()
  into$used <- logical()
  into$values <- numeric()
  into$offsets <- FALSE
  into
}

manifest_name <- "manifest.hofm"

# One more file. `part`: x, a dgCMatrix of all columns, and y, weights and offset, checked.
add_shard <- function(into, part, dictionary) {
  name <- sprintf("shard-%06d.hofm", length(into$files) + 1L)
  checksum <- about_shards(write_shard_cpp(file.path(into$dir, name), part$x, part$y, part$weights, part$offset, dictionary))
  rows <- nrow(part$x)
  into$files[[name]] <- data.frame(file = name, rows = as.double(rows), nonzeros = as.double(length(part$x@i)), checksum = checksum,
                                    weight = sum(part$weights), y = sum(part$weights * part$y))
  used <- diff(part$x@p) > 0
  length(into$used) <- max(length(into$used), length(used))
  into$used[is.na(into$used)] <- FALSE
  into$used[seq_along(used)] <- into$used[seq_along(used)] | used
  into$values <- unique(c(range(into$values, part$y), utils::head(into$values, 3), utils::head(unique(part$y), 3)))
  into$offsets <- into$offsets || any(part$offset != 0)
}

# The manifest is a serialised list behind its checksum, which is looked at first: R's own reader may crash on damaged bytes.
finish_folder <- function(into, blueprint, response, weighted) {
  manifest <- list(version = 1L, files = do.call(rbind, unname(into$files)), values = into$values,
                   used = into$used, offsets = into$offsets, weighted = weighted, blueprint = blueprint, response = response)
  bytes <- serialize(manifest, NULL, version = 3)
  file <- file.path(into$dir, manifest_name)
  part <- paste0(file, ".part")
  about_file({
    writeBin(c(charToRaw("HOFMMAN\n"), charToRaw(checksum_cpp(bytes)), bytes), part)
    if (!file.rename(part, file)) stop("it cannot be renamed")
  }, file, "written")
}

# An error about a file from compiled code.
about_shards <- function(code) {
  tryCatch(code, "hofm::ShardError" = function(e) {
    what <- conditionMessage(e)
    abort_file(paste0(what, "."), sub("^\"(.*)\" .*$", "\\1", what))
  })
}

# Names of features as a number that all shards of a folder share.
dictionary_of <- function(features) checksum_cpp(charToRaw(paste(enc2utf8(features), collapse = "\n")))

# Rows of about as many nonzeros as wanted: the first row of each part.
cut_rows <- function(counts, size) {
  part <- floor(cumsum(as.double(counts)) / size)
  which(!duplicated(part))
}

write_matrix <- function(x, into, size, y, weights, offset) {
  if (is.null(y)) hofm_abort("`y`, the response, is missing.", argument = "y")
  design <- learn_design(x)
  check_size(design$x, "source")
  rows <- shard_rows(y, weights, offset, nrow(design$x))
  write_parts(into, rows, design$blueprint, cut_rows(tabulate(design$x@i + 1L, nrow(design$x)), size),
              function(at) design$x[at, , drop = FALSE])
}

# Levels are those of the whole frame, which learning its columns makes one sparse matrix of, for as long as that takes.
write_frame <- function(frame, into, size, y, weights, offset) {
  if (!is_one_of(y, names(frame))) must_be("y", "the name of a column of the data frame", y)
  rows <- shard_rows(frame[[y]], weights, offset, nrow(frame))
  columns <- frame[setdiff(names(frame), y)]
  blueprint <- learn_design(columns)$blueprint
  write_parts(into, rows, blueprint, cut_rows(rep(length(columns), nrow(frame)), size),
              function(at) design_for(blueprint, columns[at, , drop = FALSE], arg = "source")$x)
}

# Responses as numbers, classes counted from zero, with weights and offsets.
shard_rows <- function(y, weights, offset, n) {
  check_response_length(y, n)
  y <- plain_response(y, "y")
  classes <- if (!is.numeric(y)) as_classes(y, "y")
  if (!is.null(classes) && nlevels(classes) != 2) hofm_abort(not_two_classes(levels(classes), "y"), argument = "y")
  given <- check_weights(weights, n)$given
  offset <- check_offset(offset, n)
  kind <- if (is.factor(y)) "factor" else if (is.numeric(y)) "numeric" else typeof(y)
  list(y = if (is.null(classes)) as.double(y) else as.integer(classes) - 1, weights = if (is.null(given)) rep(1, n) else given,
       offset = if (length(offset)) offset else numeric(n), weighted = !is.null(given),
       response = list(kind = kind, levels = if (kind == "logical") c(FALSE, TRUE) else levels(classes)))
}

write_parts <- function(into, rows, blueprint, first, columns_of) {
  last <- c(first[-1] - 1L, length(rows$y))
  dictionary <- dictionary_of(blueprint$features)
  for (q in seq_along(first)) {
    at <- first[q]:last[q]
    x <- columns_of(at)
    check_cells(x, blueprint$features, "source")
    add_shard(into, c(list(x = x), lapply(rows[c("y", "weights", "offset")], `[`, at)), dictionary)
  }
  finish_folder(into, blueprint, rows$response, rows$weighted)
}

# Text in pieces of whole lines, about 12 bytes for each nonzero.
write_text <- function(file, into, size, n_features, base) {
  n_features <- if (is.null(n_features)) -1L else check_features(n_features)
  with_source(file, function(next_block, name) {
    lines <- 0
    for_pieces(next_block, 12 * size, function(bytes) {
      data <- read_libsvm_cpp(once(bytes), base, n_features, largest_index())
      if (!is.null(data$error)) abort_line(replace(data, "line", data$line + lines), name)
      lines <<- lines + sum(bytes == as.raw(10L))
      n <- length(data$y)
      if (n) add_shard(into, list(x = data$x, y = data$y, weights = rep(1, n), offset = numeric(n)), "0")
    })
    if (!length(into$files)) abort_file(sprintf("%s holds no data.", quoted(name)), name)
  })
  d <- if (n_features > 0) n_features else length(into$used)
  check_columns(seq_len(d))
  length(into$used) <- d
  into$used[is.na(into$used)] <- FALSE
  finish_folder(into, list(kind = "matrix", features = paste0("x", seq_len(d)), named = FALSE),
                list(kind = "numeric", levels = NULL), FALSE)
}

once <- function(bytes) {
  function() {
    now <- bytes
    bytes <<- raw()
    now
  }
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

# ---- Opening -----------------------------------------------------------------------------------------------

#' @rdname write_shards
#' @export
open_shards <- function(dir, verify = FALSE, ...) {
  check_given()
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  if (!is_string(dir) || !nzchar(dir)) must_be("dir", "the name of a folder", dir)
  verify <- check_flag(verify, "verify")
  manifest <- read_manifest(dir)
  shards <- structure(list(
    dir = normalizePath(dir), files = manifest$files, rows = sum(manifest$files$rows), nonzeros = sum(manifest$files$nonzeros),
    features = manifest$blueprint$features, blueprint = manifest$blueprint[setdiff(names(manifest$blueprint), "features")],
    response = manifest$response, values = manifest$values, used = manifest$used, weighted = manifest$weighted,
    offsets = manifest$offsets), class = "hofm_shards")
  check_shards(shards, "dir")
  check_files(shards, verify)
  shards
}

read_manifest <- function(dir) {
  file <- file.path(dir, manifest_name)
  if (file_kind(file) != "regular") abort_file(sprintf("%s is not a folder of shards: it has no manifest.", quoted(dir)), dir)
  bytes <- about_file(readBin(file, "raw", file.size(file)), file, "read")
  damaged <- function(...) abort_file(sprintf("%s is damaged, or not a manifest of shards.", quoted(file)), file)
  if (length(bytes) < 25 || !identical(bytes[1:8], charToRaw("HOFMMAN\n"))) damaged()
  if (!identical(bytes[9:24], charToRaw(checksum_cpp(bytes[-(1:24)])))) damaged()
  manifest <- tryCatch(unserialize(bytes[-(1:24)]), error = damaged)
  if (!is.list(manifest) || !is_count(manifest$version)) damaged()
  if (manifest$version > 1) abort_file(sprintf("%s was written by a newer version of the package.", quoted(file)), file)
  manifest
}

# Every file must be the one that the manifest means.
check_files <- function(shards, whole) {
  dictionary <- if (isTRUE(shards$blueprint$named) || shards$blueprint$kind == "frame") dictionary_of(shards$features)
  for (q in seq_len(nrow(shards$files))) {
    file <- file.path(shards$dir, shards$files$file[q])
    header <- about_shards(shard_header_cpp(file, whole))
    if (header$checksum != shards$files$checksum[q]) {
      abort_file(sprintf("%s is not the file that the manifest of its folder means.", quoted(file)), file)
    }
    if (!is.null(dictionary) && header$dictionary != dictionary) {
      abort_file(sprintf("%s has other features than the manifest of its folder.", quoted(file)), file)
    }
  }
}

check_shards <- function(shards, arg = "x") {
  if (!inherits(shards, "hofm_shards")) must_be(arg, "made by write_shards() or open_shards()", shards)
  check_sound(shards, list(
    dir = function(s) is_string(s$dir),
    files = function(s) {
      is.data.frame(s$files) && nrow(s$files) > 0 && is.character(s$files$file) && is.character(s$files$checksum) &&
        are_finite(s$files$rows, nrow(s$files)) && are_finite(s$files$nonzeros, nrow(s$files)) &&
        are_finite(s$files$weight, nrow(s$files)) && are_finite(s$files$y, nrow(s$files)) && !anyDuplicated(s$files$file)
    },
    rows = function(s) is_count(s$rows) && s$rows > 0, nonzeros = function(s) is_count(s$nonzeros),
    features = function(s) sound_names(s$features),
    used = function(s) is.logical(s$used) && length(s$used) == length(s$features) && !anyNA(s$used),
    values = function(s) is_plain_number(s$values) && length(s$values) > 0 && all(is.finite(s$values)),
    response = function(s) is_one_of(s$response$kind, c("numeric", "factor", "character", "logical")),
    blueprint = function(s) is.list(s$blueprint) && is_one_of(s$blueprint$kind, c("matrix", "frame")),
    weighted = function(s) is_flag(s$weighted), offsets = function(s) is_flag(s$offsets)), arg, "object of shards")
}

#' @rdname write_shards
#' @export
print.hofm_shards <- function(x, ...) {
  check_shards(x)
  cat(sprintf("%s of %s rows and %d features, %s nonzeros (hofm_shards)\n", counted(nrow(x$files), "shard"),
              format(x$rows, big.mark = ","), length(x$features), format(x$nonzeros, big.mark = ",")))
  cat("  in ", x$dir, "\n", sep = "")
  invisible(x)
}

#' @rdname write_shards
#' @export
dim.hofm_shards <- function(x) {
  check_shards(x)
  c(x$rows, length(x$features))
}

#' @rdname write_shards
#' @export
length.hofm_shards <- function(x) {
  check_shards(x)
  nrow(x$files)
}

#' @rdname write_shards
#' @export
`[.hofm_shards` <- function(x, i) {
  check_shards(x)
  n <- nrow(x$files)
  at <- if (is_plain_number(i) && length(i) && all(is.finite(i)) && all(i == round(i)) && all(abs(i) <= n)) {
    tryCatch(seq_len(n)[i], error = function(e) integer())
  }
  if (!length(at) || anyDuplicated(at)) must_be("i", sprintf("different numbers from 1 to %d, at least one", n), i)
  x$files <- x$files[at, , drop = FALSE]
  x$rows <- sum(x$files$rows)
  x$nonzeros <- sum(x$files$nonzeros)
  x
}
