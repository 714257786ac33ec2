# Usage: Rscript tools/install-dependencies.R run|test|check|docs|site|spelling|frameworks|bench|attack
# Installs those packages among the dependencies in DESCRIPTION that are missing or too old; does nothing, and needs no
# network, when there are none. Who may use apt (root, or sudo without a password) gets Debian's prebuilt packages;
# what Debian does not have, and everything for everyone else, is built from CRAN.

source("tools/library.R")
source("tools/frameworks.R")

# A data frame of name and version (the least that will do, "0" for any) from fields of DESCRIPTION.
needs <- function(fields) {
  entries <- unlist(strsplit(read.dcf("DESCRIPTION", fields = fields), ",", fixed = TRUE))
  entries <- trimws(gsub("[[:space:]]+", " ", entries[!is.na(entries)]))
  version <- ifelse(grepl(">=", entries), sub(".*>= *([0-9.-]+).*", "\\1", entries), "0")
  need <- data.frame(name = sub("[ (].*", "", entries), version = version)
  unique(need[!need$name %in% c("R", rownames(installed.packages(priority = "base"))), ])
}

# Tests need no vignette builder, which drags in much that takes long to compile.
needs_of <- function(set) {
  run <- needs(c("Imports", "LinkingTo"))
  suggested <- needs("Suggests")
  without <- function(names) rbind(run, suggested[!suggested$name %in% names, ])
  switch(set,
    run = run,
    test = without(c("knitr", "rmarkdown", frameworks)),
    check = without(frameworks),
    docs = rbind(run, data.frame(name = "roxygen2", version = "7.2.0")),
    site = rbind(needs_of("check"), data.frame(name = "pkgdown", version = "2.0.0")),
    spelling = data.frame(name = "spelling", version = "2.0"),
    frameworks = rbind(without(c("knitr", "rmarkdown")), beneath),
    attack = run,
    bench = rbind(run, data.frame(name = c("glmnet", "rsparse"), version = "0")),
    give_up("the set of dependencies must be run, test, check, docs, site, spelling, frameworks, bench or attack, not '", set, "'.")
  )
}

missing_from <- function(need) {
  present <- mapply(function(name, version) {
    path <- find.package(name, lib.loc = .libPaths(), quiet = TRUE)
    length(path) > 0 && packageVersion(name, lib.loc = dirname(path[1])) >= version
  }, need$name, need$version)
  need$name[!as.logical(present)]
}

# The words before an apt-get command, or NULL for those who may not use it. Prebuilt packages fit Debian's own R only.
apt_prefix <- function() {
  if (!nzchar(Sys.which("apt-get")) || !startsWith(R.home(), "/usr/lib/R")) return(NULL)
  if (identical(system2("id", "-u", stdout = TRUE), "0")) return("env")
  may_sudo <- nzchar(Sys.which("sudo")) && system2("sudo", c("-n", "true"), stdout = FALSE, stderr = FALSE) == 0
  if (may_sudo) c("sudo", "-n", "env")
}

apt_get <- function(prefix, ...) {
  command <- c(prefix, "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y", ...)
  system2(command[1], command[-1], stdout = FALSE)
}

# Installs those of the Debian packages that exist; a failure shows in what is still missing afterwards.
apt_install <- function(prefix, packages) {
  apt_get(prefix, "update")
  known <- packages[vapply(packages, function(package) {
    system2("apt-cache", c("show", package), stdout = FALSE, stderr = FALSE) == 0
  }, NA)]
  if (length(known) == 0) return(invisible())
  message("hofm: apt-get install ", paste(known, collapse = " "))
  apt_get(prefix, "install", "--no-install-recommends", known)
  # Debian's libraries may not have existed when this R started.
  site <- strsplit(Sys.getenv("R_LIBS_SITE"), .Platform$path.sep, fixed = TRUE)[[1]]
  .libPaths(c(.libPaths(), site))
}

# testthat needs fs, and fs needs libuv: its own copy if there is a cmake to build that, else the one of Debian,
# which anyone may fetch and unpack. It stays in the library, where fs looks for it from then on.
provide_libuv <- function(library) {
  if (nzchar(Sys.which("cmake"))) return(Sys.setenv(USE_BUNDLED_LIBUV = "1"))
  if (!nzchar(Sys.which("apt-get"))) return(invisible())
  place <- file.path(library, "libuv")
  script <- 'cd "$(mktemp -d)" && apt-get -q download libuv1 libuv1-dev && for deb in *.deb; do dpkg-deb -x $deb "$0"; done'
  system2("sh", c("-c", shQuote(script), shQuote(place)), stdout = FALSE)
  shared <- dirname(Sys.glob(file.path(place, "usr", "lib", "*", "libuv.so")))
  if (length(shared) == 1)
    Sys.setenv(CPATH = file.path(place, "usr", "include"), LIBRARY_PATH = shared, LD_RUN_PATH = shared)
}

cran_install <- function(packages) {
  library <- first_writable_library()
  if (any(getOption("repos") %in% c("@CRAN@", ""))) chooseCRANmirror(ind = 1)
  message("hofm: installing from CRAN into ", library, ": ", paste(packages, collapse = " "))
  options(timeout = 600, warn = 1)
  compile_on_all_cores()
  if (!file.exists("/usr/include/uv.h")) provide_libuv(library)
  install.packages(packages, lib = library, quiet = TRUE, Ncpus = max(1, parallel::detectCores(), na.rm = TRUE))
}

install_packages <- function(need, spared = character()) {
  wanted <- missing_from(need)
  prefix <- if (length(wanted) > 0) apt_prefix()
  if (!is.null(prefix)) {
    apt_install(prefix, paste0("r-cran-", tolower(wanted)))
    wanted <- missing_from(need)
  }
  left_out <- intersect(wanted, spared)
  if (length(left_out) > 0) message("hofm: tests that need ", paste(left_out, collapse = ", "), " will be skipped")
  need <- need[!need$name %in% left_out, ]
  wanted <- setdiff(wanted, left_out)
  if (length(wanted) > 0) cran_install(wanted)
  wanted <- missing_from(need)
  if (length(wanted) > 0) give_up("could not install ", paste(wanted, collapse = ", "), "; see the messages above.")
}

# Vignettes need pandoc, which is no R package. Without the right to install it, `make check` leaves vignettes out.
install_pandoc <- function() {
  if (nzchar(Sys.which("pandoc"))) return(invisible())
  prefix <- apt_prefix()
  if (!is.null(prefix)) apt_install(prefix, "pandoc")
  if (!is.null(prefix) && !nzchar(Sys.which("pandoc"))) give_up("could not install pandoc; see the messages above.")
}

# libFuzzer is part of clang's runtime library, which is a package of its own; its name holds clang's version.
attack_tools <- c("clang", "libclang-rt-14-dev", "valgrind")

has_libfuzzer <- function() {
  if (!nzchar(Sys.which("clang++"))) return(FALSE)
  runtime <- system2("clang++", "-print-resource-dir", stdout = TRUE)
  length(list.files(runtime, "^libclang_rt[.]fuzzer(-[a-z0-9_]+)?[.]a$", recursive = TRUE)) > 0
}

install_attack_tools <- function() {
  missing <- function() {
    commands <- c("clang++", "valgrind")
    c(commands[!nzchar(Sys.which(commands))], if (!has_libfuzzer()) "libFuzzer")
  }
  if (!length(missing())) return(invisible())
  prefix <- apt_prefix()
  if (!is.null(prefix)) apt_install(prefix, attack_tools)
  if (length(missing())) give_up("could not find ", paste(missing(), collapse = ", "), ": install the Debian packages ",
                                 paste(attack_tools, collapse = ", "), ".")
}

set <- commandArgs(trailingOnly = TRUE)
sets <- "run|test|check|docs|site|spelling|frameworks|bench|attack"
if (length(set) != 1) give_up("usage: Rscript tools/install-dependencies.R ", sets)
install_packages(needs_of(set), spared = if (set != "frameworks") prebuilt else character())
if (set %in% c("check", "site")) install_pandoc()
if (set == "attack") install_attack_tools()
