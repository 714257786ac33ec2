# Usage: Rscript run.R [FOLDER [QUESTION ...]]. Answers the questions (default: all), each by the script of that name, and writes
# bench.csv and bench.md into FOLDER (default: here), after every question, so that what is done is not lost.
here <- system.file("bench", package = "hofm")
source(file.path(here, "common.R"))

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments)) arguments[1] else "."
questions <- c("cd", "objective", "stochastic", "passes", "specialised", "growth", "memory", "formula", "libsvm", "peers")
asked <- if (length(arguments) > 1) arguments[-1] else questions
if (!all(asked %in% questions)) stop("questions are ", paste(questions, collapse = ", "), call. = FALSE)

answer <- function(question) {
  body <- parse(file.path(here, paste0(question, ".R")))
  ask <- function() NULL
  body(ask) <- as.call(c(as.name("{"), body)) # so that a script may return() early
  ask()
}

machine <- function() {
  cpu <- if (file.exists("/proc/cpuinfo")) grep("model name", readLines("/proc/cpuinfo"), value = TRUE)[1] else NA
  commit <- setting("HOFM_COMMIT", "unknown")
  c(machine = sub(".*: *", "", cpu), cores = parallel::detectCores(), R = R.version.string, hofm = format(utils::packageVersion("hofm")),
    commit = commit, date = format(Sys.Date()), runs = runs)
}

shown <- function(x, digits = 3) ifelse(is.na(x), "", formatC(x, digits = digits, format = "g"))
markdown <- function(table) {
  facts <- machine()
  ratio <- ifelse(is.na(table$ratio), "", ifelse(table$sense == "times faster", paste0(shown(table$ratio, 2), " x faster"),
                                                paste(shown(table$ratio, 2), "epochs")))
  cells <- cbind(table$question, table$job, shown(table$order), shown(table$rank), shown(table$threads), shown(table$seconds),
                 shown(table$yardstick), ratio, shown(table$target, 2), table$note)
  c(paste0("Benchmarks of hofm: ", paste(names(facts), facts, sep = " ", collapse = ", "), "."), "",
    "Seconds are medians of interleaved runs. `yardstick`: seconds of the textbook coordinate descent in the same minutes, per epoch or for ten.", "",
    "| question | job | order | rank | threads | seconds | yardstick | ratio | target | note |",
    "|---|---|---|---|---|---|---|---|---|---|", apply(cells, 1, function(cell) paste0("| ", paste(cell, collapse = " | "), " |")))
}

table <- NULL
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
for (question in asked) {
  table <- rbind(table, answer(question))
  utils::write.csv(cbind(table, as.list(machine())), file.path(folder, "bench.csv"), row.names = FALSE)
  writeLines(markdown(table), file.path(folder, "bench.md"))
}
say("wrote ", file.path(folder, "bench.md"), " and bench.csv")
