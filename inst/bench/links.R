# The area under the ROC curve of links that were held out: hofm() as it comes, a bilinear model without the common term, and scores that
# need no model. Everything is chosen from training links.
#
#   Rscript inst/bench/links.R FOLDER [SETS] [SPLITS]
#
# FOLDER holds one folder per data set (cora, nips, dpi_e), each with A.mtx.gz, perhaps B.mtx.gz, and edges.tsv.gz; debian_r comes with
# the package. SETS: names with commas between them, all by default. SPLITS: how many, of half of the links each; 3 by default.

library(hofm)

arguments <- commandArgs(TRUE)
folder <- arguments[1]
sets <- if (length(arguments) > 1) strsplit(arguments[2], ",")[[1]] else c("cora", "nips", "dpi_e", "debian_r")
splits <- if (length(arguments) > 2) as.integer(arguments[3]) else 3L

read_set <- function(name) {
  if (name == "debian_r") return(list(A = debian_r$features, edges = debian_r$links, directed = TRUE))
  file <- function(f) file.path(folder, name, f)
  nodes <- function(f) if (file.exists(file(f))) methods::as(Matrix::readMM(gzfile(file(f))), "CsparseMatrix")
  list(A = nodes("A.mtx.gz"), B = nodes("B.mtx.gz"), edges = utils::read.delim(gzfile(file("edges.tsv.gz")))[, 1:2], directed = FALSE)
}

measure <- function(set, split, seed) {
  best <- link_baselines(split)[1, ]
  control <- hofm_control(seed = seed, threads = 1)
  seconds <- system.time(fit <- suppressWarnings(hofm(split$train, control = control)))[[3]]
  bilinear <- suppressWarnings(hofm(split$train, model = "bilinear", rank = 32, common = FALSE, control = control))
  data.frame(set = set, seed = seed, baseline = best$baseline, best = best$auc, bilinear = auc(bilinear, split$test),
             default = auc(fit, split$test), model = fit$model, seconds = seconds)
}

for (set in sets) {
  data <- read_set(set)
  rows <- do.call(rbind, lapply(seq_len(splits), function(seed) {
    row <- measure(set, split_links(data$A, data$B, edges = data$edges, directed = data$directed, seed = seed), seed)
    print(format(row, digits = 4), row.names = FALSE)
    row
  }))
  cat(sprintf("%s, mean of %d: best baseline %.3f, tuned bilinear %.3f, default %.3f\n", set, splits, mean(rows$best), mean(rows$bilinear),
              mean(rows$default)))
}
