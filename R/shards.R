# Shards: a design in files, some rows in each, for data beyond memory. src/hofm/io/shard.h has the format of a file. A folder of shards
# has a manifest, written last: without it nothing opens, so that writing that was killed leaves nothing to be taken for data.

#' Data beyond memory: a folder of shards
#'
#' `write_shards()` takes data, a part at a time, into a folder of binary files, which [hofm()] then fits with a few of them in memory
#' at a time. `open_shards()` opens such a folder.
#'
#' Every file has checksums of all that is in it, which are compared whenever it is read: a file that is missing, damaged, cut off,
#' exchanged or written by a newer version is an error of class `hofm_error_file` that names it. A file takes 4 bytes for each nonzero of
#' a design of ones, and 5, 8 or 12 if the values are small whole numbers, are exact as float32, or are neither; besides up to 8 for
#' each row.
#'
#' @section Sources:
#' *A data frame*, or *a function* that is called without arguments and returns the next data frame each time, and `NULL` at the end:
#' the response is on the left of the `formula`, or the column named by `y`, and then all others are features. `weights` and `offset`
#' may be names of columns. What is encoded is the same as in [hofm()], a part of the rows at a time: the design as a whole is never in
#' memory. Of a data frame the levels of all factors are known beforehand, and its features are those of [hofm()]. A function gives
#' levels as they come: one that is first seen in the last rows gets the last column, and shards before it are not touched. The bases of
#' terms such as `poly(a, 2)` are those of the first data frame that a function returns. A formula must not multiply variables (`a:b`):
#' products of features are part of the model. With a formula, rows in which anything is missing are left out, as [glm()] does;
#' otherwise they are an error.
#'
#' *Text* in the format of [read_libsvm()], which libFM shares: the name of a file, plain or compressed, or a connection.
#'
#' *A matrix or Matrix*, with its response `y`.
#'
#' `hash_bits` spares the memory of a dictionary, and the order of levels: a level is one of `2^hash_bits` features by its name and
#' that of its variable. Levels that share a feature by chance are not told apart, and features have no names.
#'
#' @section Writing that ends early:
#' The manifest of the folder is written last, and replaced as a whole: writing that fails removes its files, writing that is killed
#' leaves files that do not open, and a folder that rows were being appended to is still what it was before.
#'
#' @param source A data frame; a function that returns the next data frame, or `NULL` at the end; a matrix or Matrix; or text in the
#'   format of [read_libsvm()]: the name of a file, plain or compressed, or a connection.
#' @param dir The folder, which is made if it is not there. Unless `append = TRUE` it must not hold shards already.
#' @param formula For data frames: a formula as in [hofm()], or `NULL`.
#' @param y The response of each row, as in [hofm()]; of data frames without a `formula`, the name of its column. Text has its own.
#' @param weights,offset One number for each row, as in [hofm()], or `NULL`; of data frames, the name of a column.
#' @param hash_bits `NULL`, or a number from 1 to 26, for data frames: see below.
#' @param append Whether to add to the shards that are in the folder. Features, response, weights and offset are those of the folder,
#'   and need not be given again; new levels get new columns.
#' @param shard_nonzeros About how many nonzeros go into a file. A fit holds one file for each of its threads, at 12 bytes a nonzero.
#'   Sums over shards cost as much as a nonzero for each parameter and shard: let a shard have ten times as many nonzeros as the model
#'   has parameters, or more, if memory allows. A fit takes at most 4,096 files.
#' @param n_features,base Of text, as in [read_libsvm()]; the base must be known before the text is read.
#' @param verify Whether to read every file whole and compare its checksums. Headers and sizes are always checked.
#' @param x An object of class `hofm_shards`.
#' @param i Which of its files to keep: positive or negative numbers, without repetition.
#' @param ... Nothing: an unknown argument is an error.
#' @return An object of class `hofm_shards`: `dir`, `files` (a data frame with a row for each file), `rows`, `nonzeros`, `features`, what
#'   is known of the response, and `left_out`, the number of rows that were. `dim()` are its rows and features, which may be more than
#'   2^31, `length()` its files; `x[i]` has some of the files.
#' @seealso [hofm.hofm_shards()] to fit them; `vignette("scale")`.
#' @examples
#' set.seed(1)
#' people <- data.frame(age = round(runif(300, 18, 80)),
#'                      town = sample(c("Bonn", "Kyoto", "Lima"), 300, TRUE))
#' people$bought <- people$age > 50 & people$town == "Lima"
#' dir <- tempfile()
#' shards <- write_shards(people, dir, bought ~ log(age) + town, shard_nonzeros = 200)
#' shards
#' dim(open_shards(dir, verify = TRUE)[1:2])
#' unlink(dir, recursive = TRUE)
#'
#' # A function that returns the next rows. From files:
#' files <- vapply(1:3, function(q) {
#'   file <- tempfile(fileext = ".rds")
#'   saveRDS(people[1:100 + 100 * (q - 1), ], file)
#'   file
#' }, "")
#' one_by_one <- function(files, read) {
#'   function() {
#'     if (!length(files)) return(NULL)
#'     rows <- read(files[1])
#'     files <<- files[-1]
#'     rows
#'   }
#' }
#' write_shards(one_by_one(files, readRDS), dir, bought ~ .)
#' unlink(c(files, dir), recursive = TRUE)
#'
#' \dontrun{
#' write_shards(one_by_one(files, data.table::fread), dir, bought ~ .)             # text, by columns
#' write_shards(one_by_one(files, nanoparquet::read_parquet), dir, bought ~ .)     # Parquet
#' write_shards(one_by_one(files, arrow::read_feather), dir, bought ~ .)
#'
#' # A data base, 100,000 rows at a time
#' result <- DBI::dbSendQuery(connection, "SELECT age, town, bought FROM people")
#' next_rows <- function() if (!DBI::dbHasCompleted(result)) DBI::dbFetch(result, 1e5)
#' write_shards(next_rows, dir, bought ~ .)
#' }
#' @concept files
#' @export
write_shards <- function(source, dir, formula = NULL, y = NULL, weights = NULL, offset = NULL, hash_bits = NULL, append = FALSE,
                         shard_nonzeros = 4e6, n_features = NULL, base = 1, ...) {
  check_given()
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  kind <- source_kind(source)
  given <- list(formula = formula, y = y, weights = weights, offset = offset, hash_bits = hash_bits, n_features = n_features)
  check_suits(given, kind, check_flag(append, "append"))
  size <- check_count(shard_nonzeros, "shard_nonzeros", max = 2^30)
  base <- check_count(base, "base", min = 0, max = 1)
  into <- if (append) reopened_folder(dir, size, kind) else new_folder(dir, size)
  on.exit(discard(into))
  switch(kind, text = write_text(source, into, n_features, base), matrix = write_matrix(source, into, given),
         write_frames(source, into, given, parent.frame()))
  finish_folder(into)
  open_shards(dir)
}

source_kind <- function(source) {
  if (is.character(source) || inherits(source, "connection")) return("text")
  if (is.data.frame(source)) return("frame")
  if (is.function(source)) return("function")
  if (is.matrix(source) || is(source, "Matrix")) return("matrix")
  must_be("source", "a data frame, a function, a matrix or Matrix, the name of a file or a connection", source)
}

# Arguments that mean nothing to a source are errors.
check_suits <- function(given, kind, append) {
  frames <- kind %in% c("frame", "function")
  idle <- c(if (!frames) c("formula", "hash_bits"), if (kind == "text") c("y", "weights", "offset") else "n_features",
            if (append && frames) names(given))
  came <- intersect(idle, names(Filter(Negate(is.null), given)))
  if (!length(came)) return(invisible())
  why <- if (append && frames) "it is that of the folder that rows are appended to"
         else switch(kind, text = "text has its responses, and neither weights nor offsets",
                     if (came[1] == "n_features") "it is for text" else "it is for data frames")
  hofm_abort(sprintf("%s must not be given: %s.", ticked(came[1]), why), argument = came[1])
}

# ---- A folder that is being written ------------------------------------------------------------------------

manifest_name <- "manifest.hofm"
shard_name <- function(q) sprintf("shard-%06d.hofm", q)

# What is being written: the files so far, and what is known of features and responses.
new_folder <- function(dir, size) {
  check_dir(dir)
  if (file.exists(file.path(dir, manifest_name))) {
    abort_file(sprintf("%s holds shards already: append to them (`append = TRUE`), remove them, or choose another folder.", quoted(dir)),
               dir)
  }
  make_folder(dir)
  unlink(list.files(dir, "^shard-[0-9]{6}[.]hofm([.]part)?$", full.names = TRUE))      # of writing that was killed
  into <- folder_state(dir, size)
  into$state <- list(files = NULL, values = numeric(), weighted = FALSE, offsets = FALSE, left_out = 0, d = 0L,
                     dictionary = "0000000000000000", response = NULL, intercept = TRUE)
  into
}

folder_state <- function(dir, size) {
  into <- new.env(parent = emptyenv())
  into$dir <- path.expand(dir)
  into$buffer <- new_buffer_cpp(size)
  into$written <- character()
  into
}

make_folder <- function(dir) {
  if (dir.exists(dir) || dir.create(dir, showWarnings = FALSE, recursive = TRUE)) return(invisible())
  abort_file(sprintf("%s cannot be made.", quoted(dir)), dir)
}

check_dir <- function(dir) if (!is_string(dir) || !nzchar(dir)) must_be("dir", "the name of a folder", dir)

# A folder that is written on: all that its manifest says goes on from there.
reopened_folder <- function(dir, size, kind) {
  check_dir(dir)
  manifest <- read_manifest(dir)
  kinds <- c(text = "text", matrix = "matrix", frame = "frame", "function" = "frame")
  if (kinds[[kind]] != manifest$source) {
    hofm_abort(sprintf("`source` must be %s, as the rows were that are in the folder.", switch(
      manifest$source, text = "text", matrix = "a matrix or Matrix", "a data frame, or a function that returns them")),
      argument = "source")
  }
  check_files(opened(dir, manifest), FALSE)
  into <- folder_state(dir, size)
  into$state <- manifest
  columns <- manifest$columns
  set_buffer_columns_cpp(into$buffer, columns$weight, columns$mean, columns$spread, columns$other)
  into
}

# One more file, of what is in the buffer.
flush_buffer <- function(into, features = into$state$d) {
  state <- into$state
  state$d <- max(state$d, as.integer(features))
  name <- shard_name(NROW(state$files) + 1L)
  file <- file.path(into$dir, name)
  into$written <- c(into$written, file)
  facts <- about_shards(write_buffer_cpp(into$buffer, file, state$d, state$dictionary))
  state$files <- rbind(state$files, data.frame(
    file = name, facts[c("rows", "nonzeros", "weight", "y", "spread", "checksum")], dictionary = state$dictionary))
  state$values <- unique(c(range(state$values, facts$values), utils::head(state$values, 3), facts$values))
  state$weighted <- state$weighted || facts$weighted
  state$offsets <- state$offsets || facts$offsets
  into$state <- state
}

# The manifest is a serialised list behind its checksum, which is looked at first: R's own reader may crash on damaged bytes.
finish_folder <- function(into) {
  if (buffered_rows_cpp(into$buffer) > 0) flush_buffer(into)
  state <- into$state
  if (is.null(state$files)) hofm_abort("`source` holds no rows.", argument = "source")
  state$version <- 1L
  state$blueprint <- finished_blueprint(state)
  state$columns <- c(buffer_columns_cpp(into$buffer, state$d), total = sum(state$files$weight))
  bytes <- serialize(state, NULL, version = 3)
  file <- file.path(into$dir, manifest_name)
  replace_file(file, function(put) {
    put(c(charToRaw("HOFMMAN\n"), charToRaw(checksum_cpp(bytes))))
    put(bytes)
  })
  into$written <- character()
}

# The files of writing that failed.
discard <- function(into) unlink(into$written)

# An error about a file from compiled code.
about_shards <- function(code) {
  tryCatch(code, "hofm::FileError" = function(e) {
    what <- conditionMessage(e)
    abort_file(paste0(what, "."), sub("^\"(.*)\" .*$", "\\1", what))
  })
}

# ---- Opening -----------------------------------------------------------------------------------------------

#' @rdname write_shards
#' @export
open_shards <- function(dir, verify = FALSE, ...) {
  check_given()
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  check_dir(dir)
  verify <- check_flag(verify, "verify")
  shards <- opened(dir, read_manifest(dir))
  check_shards(shards, "dir")
  check_files(shards, verify)
  shards
}

opened <- function(dir, manifest) {
  force(manifest)
  structure(list(
    dir = normalizePath(dir), files = manifest$files, rows = sum(manifest$files$rows), nonzeros = sum(manifest$files$nonzeros),
    features = manifest$blueprint$features, blueprint = manifest$blueprint[setdiff(names(manifest$blueprint), "features")],
    response = manifest$response, values = manifest$values, columns = manifest$columns, intercept = manifest$intercept,
    weighted = manifest$weighted, offsets = manifest$offsets, left_out = manifest$left_out), class = "hofm_shards")
}

read_manifest <- function(dir) {
  file <- file.path(dir, manifest_name)
  if (file_kind(dir) == "none") abort_file(sprintf("%s is not there.", quoted(dir)), dir)
  if (file_kind(file) != "regular") abort_file(sprintf("%s is not a folder of shards: it has no manifest.", quoted(dir)), dir)
  parts <- about_file(manifest_parts(file), file, "read")
  damaged <- function(...) abort_file(sprintf("%s is damaged, or not a manifest of shards.", quoted(file)), file)
  if (length(parts$body) < 1 || !identical(parts$head[1:8], charToRaw("HOFMMAN\n"))) damaged()
  if (!identical(parts$head[9:24], charToRaw(checksum_cpp(parts$body)))) damaged()
  manifest <- tryCatch(unserialize(parts$body), error = damaged)
  if (!is.list(manifest) || !is_count(manifest$version)) damaged()
  if (manifest$version > 1) abort_file(sprintf("%s was written by a newer version of the package.", quoted(file)), file)
  manifest
}

manifest_parts <- function(file) {
  con <- file(file, "rb", raw = TRUE)
  on.exit(close(con))
  list(head = readBin(con, "raw", 24), body = readBin(con, "raw", max(0, file.size(file) - 24)))
}

# Every file must be the one that the manifest means.
check_files <- function(shards, whole) {
  for (q in seq_len(nrow(shards$files))) {
    file <- file.path(shards$dir, shards$files$file[q])
    header <- about_shards(shard_header_cpp(file, whole))
    if (header$dictionary != shards$files$dictionary[q]) {
      abort_file(sprintf("%s has other features than the manifest of its folder: it belongs to another one.", quoted(file)), file)
    }
    if (header$checksum != shards$files$checksum[q]) {
      abort_file(sprintf("%s is not the file that the manifest of its folder means.", quoted(file)), file)
    }
  }
}

check_shards <- function(shards, arg = "x") {
  if (!inherits(shards, "hofm_shards")) must_be(arg, "made by write_shards() or open_shards()", shards)
  numbers <- function(s, fields) all(vapply(fields, function(field) are_finite(s$files[[field]], nrow(s$files)), NA))
  check_sound(shards, list(
    dir = function(s) is_string(s$dir),
    files = function(s) {
      is.data.frame(s$files) && nrow(s$files) > 0 && is.character(s$files$file) && is.character(s$files$checksum) &&
        numbers(s, c("rows", "nonzeros", "weight", "y", "spread")) && all(s$files$rows >= 1) && all(s$files$weight >= 0) &&
        !anyDuplicated(s$files$file)
    },
    rows = function(s) is_count(s$rows) && s$rows == sum(s$files$rows), nonzeros = function(s) is_count(s$nonzeros),
    features = function(s) sound_names(s$features),
    columns = function(s) {
      d <- length(s$features)
      is.list(s$columns) && is.logical(s$columns$other) && length(s$columns$other) == d && !anyNA(s$columns$other) &&
        all(vapply(c("weight", "mean", "spread"), function(field) are_finite(s$columns[[field]], d), NA)) && is_finite_one(s$columns$total)
    },
    values = function(s) is_plain_number(s$values) && length(s$values) > 0 && all(is.finite(s$values)),
    response = function(s) {
      is_one_of(s$response$kind, c("numeric", "factor", "character", "logical")) && is_flag(s$response$turned) &&
        absent_or(s$response$levels, function(levels) is.atomic(levels) && !anyNA(levels))
    },
    blueprint = function(s) sound_blueprint(s),
    intercept = function(s) is_flag(s$intercept), weighted = function(s) is_flag(s$weighted), offsets = function(s) is_flag(s$offsets),
    left_out = function(s) is_count(s$left_out)), arg, "object of shards")
}

#' @rdname write_shards
#' @export
print.hofm_shards <- function(x, ...) {
  check_shards(x)
  cat(sprintf("%s of %s rows and %s features, %s nonzeros (hofm_shards)\n", counted(nrow(x$files), "shard"), long_number(x$rows),
              long_number(length(x$features)), long_number(x$nonzeros)))
  cat("  in ", x$dir, "\n", sep = "")
  if (x$left_out > 0) cat(sprintf("  without %s rows of the source, in which something was missing\n", long_number(x$left_out)))
  invisible(x)
}

long_number <- function(x) format(x, big.mark = ",", scientific = FALSE, trim = TRUE)

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
