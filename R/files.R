# Reading and writing files: every failure is a classed error that names the file, and a file is replaced whole or not at all.

#' Stop because of a file
#' @param what What is wrong, as a sentence.
#' @param file Its name; fields `line` and `text` go into `...` where one line is to blame.
#' @noRd
abort_file <- function(what, file, ...) {
  hofm_abort(what, c("hofm_error_file", "hofm_error_input"), argument = "file", file = file, ...)
}

check_file_name <- function(file) {
  good <- is.character(file) && length(file) == 1 && !is.na(file) && nzchar(file)
  if (!good) must_be("file", "the name of a file", file)
  path.expand(file)
}

# The value of `code`; an error or warning in it becomes an error about the file.
about_file <- function(code, file, doing) {
  stop_here <- function(condition) {
    abort_file(sprintf("%s cannot be %s: %s", quoted(file), doing, conditionMessage(condition)), file)
  }
  tryCatch(code, hofm_error = stop, error = stop_here, warning = stop_here)
}

# ---- What a name stands for --------------------------------------------------------------------------------

# "none", "regular", "directory", "stream" (a pipe, a terminal or another device that is read and written in one go)
# or "other".
file_kind <- function(name) file_kind_cpp(enc2native(name))

# What a chain of links ends at, whether it is there or not.
link_end <- function(name, most = 40) {
  end <- name
  for (step in seq_len(most)) {
    target <- Sys.readlink(end)
    if (is.na(target) || !nzchar(target)) return(end)
    end <- if (startsWith(target, "/")) target else file.path(dirname(end), target)
  }
  abort_file(sprintf("%s is a link that leads back to itself.", quoted(name)), name)
}

# ---- Reading -----------------------------------------------------------------------------------------------

#' Call `read` with a function that returns the next bytes of a file
#' @param file A path, plain or compressed, or a connection, which is left open if it was.
#' @param read A function of `next_block`, which returns a raw vector, empty at the end, and of `name`.
#' @noRd
with_source <- function(file, read) {
  if (!inherits(file, "connection")) {
    name <- check_file_name(file)
    return(switch(file_kind(name), regular = read_regular(name, read, name), stream = read_stream(name, read),
                  abort_file(sprintf("%s is not a file that can be read.", quoted(name)), name)))
  }
  name <- about_file(summary(file)$description, "connection", "read")
  if (!isOpen(file)) {
    about_file(open(file, "rb"), name, "opened")
    on.exit(close(file))
  }
  read(block_reader(file, name), name)
}

# `path` is opened and `name` is what the user called it.
read_regular <- function(path, read, name) {
  con <- about_file(gzfile(path, "rb"), name, "opened")      # reads what is not compressed as well
  on.exit(close(con))
  read(whole_reader(block_reader(con, name), path, name), name)
}

# A pipe gives its bytes only once: it is opened once, and never to see first whether it is compressed. If it is, its
# bytes go into a temporary file.
read_stream <- function(name, read) {
  con <- about_file(base::file(name, "rb", raw = TRUE), name, "opened")
  on.exit(close(con))
  next_block <- block_reader(con, name)
  first <- next_block()
  if (!is_compressed(first)) return(read(put_back(first, next_block), name))
  copy <- tempfile("hofm-")
  on.exit(unlink(copy), add = TRUE)
  write_whole(copy, FALSE, function(put) for_blocks(put_back(first, next_block), put), copy)
  read_regular(copy, read, name)
}

# What gzfile() takes for compressed: by gzip, bzip2, xz or lzma.
is_compressed <- function(bytes) {
  starts <- function(...) identical(utils::head(bytes, ...length()), as.raw(c(...)))
  starts(0x1f, 0x8b) || starts(0x42, 0x5a, 0x68) || starts(0xfd, 0x37, 0x7a, 0x58, 0x5a) ||
    starts(0x5d, 0x00, 0x00, 0x80, 0x00)
}

put_back <- function(first, next_block) {
  function() {
    if (is.null(first)) return(next_block())
    bytes <- first
    first <<- NULL
    bytes
  }
}

for_blocks <- function(next_block, f) while (length(block <- next_block())) f(block)

block_reader <- function(con, name, size = 2^20) {
  binary <- summary(con)$text == "binary"
  function() {
    about_file(if (binary) readBin(con, "raw", size) else line_bytes(readLines(con, 10000L, warn = FALSE)), name, "read")
  }
}

# As `next_block`, with an error at the end of a gzip file that was cut off, about which R's own connections say nothing.
whole_reader <- function(next_block, path, name) {
  want <- gzip_size(path)
  size <- 0
  function() {
    bytes <- next_block()
    size <<- size + length(bytes)
    if (!length(bytes) && !is.na(want) && size %% 2^32 != want) {
      cure <- if (path == name) sprintf("use `file = gzfile(\"%s\")`", name) else "unpack them first"
      abort_file(sprintf("%s is a gzip file that was cut off. (If it is several such files in one, %s.)",
                         quoted(name), cure), name)
    }
    bytes
  }
}

# The size modulo 2^32 that a gzip file notes in its last four bytes; NA for any other file.
gzip_size <- function(name) {
  con <- about_file(file(name, "rb", raw = TRUE), name, "opened")
  on.exit(close(con))
  if (!identical(readBin(con, "raw", 2), as.raw(c(0x1f, 0x8b)))) return(NA)
  seek(con, max(0, file.size(name) - 4))
  sum(as.double(readBin(con, "raw", 4)) * 256^(0:3))
}

line_bytes <- function(lines) charToRaw(paste0(lines, rep("\n", length(lines)), collapse = ""))

# ---- Writing -----------------------------------------------------------------------------------------------

#' Call `write` with a function that takes the next bytes
#'
#' A file is written under another name beside the one asked for, which it gets only when it is whole: an
#' error leaves what was there before. A link stays a link, and what it points to is replaced. A pipe or a device is
#' written to as it is, since nothing else could take its place.
#' @param file A path, compressed if it ends in ".gz", or a connection.
#' @param write A function of `put`, which takes a raw vector.
#' @noRd
with_target <- function(file, write) {
  if (inherits(file, "connection")) return(write_to_connection(file, write))
  file <- link_end(check_file_name(file))
  switch(file_kind(file), none = , regular = replace_file(file, write),
         stream = write_open(file, is_packed_name(file), write, file),
         directory = abort_file(sprintf("%s is a directory.", quoted(file)), file),
         abort_file(sprintf("%s is neither a file nor a pipe: it is not written to.", quoted(file)), file))
}

is_packed_name <- function(file) endsWith(tolower(file), ".gz")

write_to_connection <- function(con, write) {
  name <- about_file(summary(con)$description, "connection", "written")
  if (!isOpen(con)) {
    about_file(open(con, "wb"), name, "opened")
    on.exit(close(con))
  }
  binary <- summary(con)$text == "binary"
  write(function(bytes) {
    about_file(if (binary) writeBin(bytes, con) else cat(rawToChar(bytes), file = con), name, "written")
  })
}

replace_file <- function(file, write) {
  beside <- tempfile(paste0(".", basename(file), "-"), dirname(file))
  on.exit(unlink(beside))
  write_whole(beside, is_packed_name(file), write, file)
  if (file.exists(file)) Sys.chmod(beside, file.mode(file), use_umask = FALSE)
  about_file(file.rename(beside, file), file, "replaced")
  invisible(file)
}

# A full disk may go unnoticed until the file turns out too short.
write_whole <- function(path, compressed, write, file) {
  size <- write_open(path, compressed, write, file)
  if (!compressed && file.size(path) != size) {
    abort_file(sprintf("%s cannot be written: only %.0f of %.0f bytes could be.",
                       quoted(file), file.size(path), size), file)
  }
}

# The number of bytes that were written.
write_open <- function(path, compressed, write, file) {
  con <- about_file(if (compressed) gzfile(path, "wb") else base::file(path, "wb", raw = TRUE), file, "written")
  open <- TRUE
  on.exit(if (open) close(con))
  size <- 0
  write(function(bytes) {
    about_file(writeBin(bytes, con), file, "written")
    size <<- size + length(bytes)
  })
  open <- FALSE
  close_whole(con, file)
  size
}

# Closing warns if the last bytes were not taken; the connection is gone only when it is through.
close_whole <- function(con, file) {
  problem <- NULL
  withCallingHandlers(close(con), warning = function(w) {
    problem <<- trimws(conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  if (!is.null(problem)) abort_file(sprintf("%s cannot be written: %s", quoted(file), problem), file)
}
