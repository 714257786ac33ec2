# Builds the package in .build, outside the sources, and installs it into the first library that can be written to,
# unless the very same sources are installed there already: compiling takes about a minute.

source("tools/library.R")

# What the installed package is made of: its sources, the compiler's R, and the headers it is compiled with.
fingerprint <- function() {
  parts <- c("DESCRIPTION", "NAMESPACE", ".Rbuildignore", "LICENSE",
             list.files(c("R", "src", "data", "inst", "man"), recursive = TRUE, full.names = TRUE))
  parts <- sort(grep("[.](o|so|dll)$", parts[file.exists(parts)], value = TRUE, invert = TRUE), method = "radix")
  headers <- trimws(strsplit(read.dcf("DESCRIPTION", fields = "LinkingTo"), ",", fixed = TRUE)[[1]])
  versions <- vapply(headers, function(name) format(packageVersion(name)), "")
  c(R.version.string, paste(headers, versions), paste(tools::md5sum(parts), parts))
}

r_cmd <- function(...) system2(file.path(R.home("bin"), "R"), c("CMD", ...))

library_path <- first_writable_library()
stamp <- file.path(library_path, "hofm", "fingerprint")
now <- fingerprint()
if (file.exists(stamp) && identical(readLines(stamp), now)) {
  message("hofm: these sources are installed in ", library_path, " already")
  quit()
}
message("hofm: building and installing into ", library_path)
dir.create(".build", showWarnings = FALSE)
sources <- getwd()
setwd(".build")
unlink(Sys.glob("hofm_*.tar.gz"))
if (r_cmd("build", "--no-build-vignettes", shQuote(sources)) != 0) give_up("R CMD build failed; see above.")
arguments <- c("INSTALL", paste0("--library=", shQuote(library_path)), Sys.glob("hofm_*.tar.gz"))
if (do.call(r_cmd, as.list(arguments)) != 0) give_up("R CMD INSTALL failed; see above.")
writeLines(now, stamp)
