# Runs tools/valgrind-calls.R under valgrind's memcheck, once with each instruction set that valgrind knows, and counts
# the errors whose stack goes through the package's library. R and others have some of their own, which are counted
# apart.

source("tools/library.R")

place <- file.path(getwd(), ".build", "valgrind")
dir.create(place, recursive = TRUE, showWarnings = FALSE)

# Reports as XML have one <error> for each place, with all its frames.
run_road <- function(road) {
  xml <- file.path(place, paste0(road, ".xml"))
  log <- file.path(place, paste0(road, ".log"))
  options <- c("--tool=memcheck", "--leak-check=no", "--track-origins=no", "--num-callers=40", "--xml=yes",
               paste0("--xml-file=", xml))
  env <- c(paste0("HOFM_ISA=", road), paste0("R_LIBS=", paste(.libPaths(), collapse = ":")), "TZ=UTC")
  status <- system2(file.path(R.home("bin"), "R"),
                    c("-d", shQuote(paste("valgrind", paste(options, collapse = " "))), "--vanilla", "--no-echo", "-f",
                      "tools/valgrind-calls.R"),
                    stdout = log, stderr = log, env = env)
  calls <- grep("^calls: ", readLines(log, warn = FALSE), value = TRUE)
  if (status != 0 || !length(calls)) give_up("the calls did not end well (status ", status, "); see .build/valgrind/",
                                             road, ".log")
  list(calls = sub("^calls: ", "", calls), errors = errors_in(readLines(xml, warn = FALSE)))
}

# One string for each error: what it is and the frames within the package, or none.
errors_in <- function(lines) {
  begin <- grep("^<error>", lines)
  end <- grep("^</error>", lines)
  vapply(seq_along(begin), function(e) {
    body <- lines[begin[e]:end[e]]
    frames <- split(body, cumsum(grepl("<frame>", body)))
    ours <- Filter(function(frame) any(grepl("/hofm[.]so</obj>", frame)), frames)
    if (!length(ours)) return("")
    text <- function(tag, from) {
      sub(sprintf(".*<%s>(.*)</%s>.*", tag, tag), "\\1", grep(sprintf("<%s>", tag), from, value = TRUE))[1]
    }
    what <- c(text("what", body), text("text", body))
    paste0(what[!is.na(what)][1], " in ", text("fn", ours[[1]]), " (", text("file", ours[[1]]), ":",
           text("line", ours[[1]]), ")")
  }, "")
}

roads <- c("best", "generic")
found <- vapply(roads, function(road) {
  message("hofm: valgrind with the instruction set \"", road, "\", which takes several minutes")
  result <- run_road(road)
  ours <- result$errors[nzchar(result$errors)]
  if (length(ours)) message(paste0("  ", unique(ours), collapse = "\n"))
  message(sprintf("hofm: %s; %d error(s) in the package, %d elsewhere", result$calls, length(ours),
                  sum(!nzchar(result$errors))))
  length(ours)
}, 0L)
message("hofm: ", sum(found), " finding(s) by valgrind; whole reports are in .build/valgrind")
quit(status = if (sum(found) > 0) 1 else 0)
