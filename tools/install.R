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

# Compilers have much to say about Eigen's headers, so what they say is kept in a file and shown if something fails.
r_cmd <- function(what, ..., log) {
  status <- system2(file.path(R.home("bin"), "R"), c("CMD", what, ...), stdout = log, stderr = log)
  if (status == 0) return(invisible())
  lines <- readLines(log)
  writeLines(unique(c(grep("error|ERROR", lines, value = TRUE), tail(lines, 20))), stderr())
  give_up("R CMD ", what, " failed; all it said is in .build/", log)
}

library_path <- first_writable_library()
stamp <- file.path(library_path, "hofm", "fingerprint")
now <- fingerprint()
if (file.exists(stamp) && identical(readLines(stamp), now)) {
  message("hofm: these sources are installed in ", library_path, " already")
  quit()
}
message("hofm: building and installing into ", library_path, ", which may take a minute or two")
compile_on_all_cores()
dir.create(".build", showWarnings = FALSE)
sources <- getwd()
setwd(".build")
unlink(Sys.glob("hofm_*.tar.gz"))
r_cmd("build", "--no-build-vignettes", shQuote(sources), log = "build.log")
r_cmd("INSTALL", paste0("--library=", shQuote(library_path)), Sys.glob("hofm_*.tar.gz"), log = "install.log")
writeLines(now, stamp)
