# The library that dependencies and the package itself are installed into: the first one that can be written to,
# or else the user's own, made if need be.

first_writable_library <- function() {
  writable <- .libPaths()[file.access(.libPaths(), 2) == 0]
  if (length(writable) > 0) return(writable[1])
  own <- strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep, fixed = TRUE)[[1]][1]
  if (is.na(own) || own == "NULL" || !dir.create(own, recursive = TRUE, showWarnings = FALSE))
    give_up("no R library can be written to; set R_LIBS to a directory of your own.")
  .libPaths(c(own, .libPaths()))
  own
}

# Compilers run side by side, unless the user has said how many.
compile_on_all_cores <- function() {
  if (!nzchar(Sys.getenv("MAKEFLAGS"))) Sys.setenv(MAKEFLAGS = paste0("-j", max(1L, parallel::detectCores(), na.rm = TRUE)))
}

# Ends the script with one line and a status that make sees.
give_up <- function(...) {
  message("hofm: ", ...)
  quit(status = 1)
}
