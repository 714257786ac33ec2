# The table of AUC: every model and order on every graph, lambda chosen on the training pairs alone.
#
#   Rscript table.R [data]
#
# Cells come in the order of their weight for the table, and the tables are written after each stage.
source(system.file("paper", "common.R", package = "hofm"))
source(system.file("paper", "links.R", package = "hofm"))

# ---- What is run -------------------------------------------------------------------------------------------

# How each graph is treated. `scalings` are those among which the training pairs decide; `tune_iter` and `max_iter` are
# sweeps while tuning and in the last fit.
graphs <- list(
  ml100k = list(scalings = c(raw = -3), tune_iter = 20, max_iter = 40),
  nips = list(scalings = c(raw = 0, log = -2, unit = -4, tfidf = -4), tune_iter = 8, max_iter = 16),
  cora = list(scalings = c(raw = -2, unit = -3), tune_iter = 15, max_iter = 30),
  dpi_e = list(scalings = c(raw = -3), tune_iter = 10, max_iter = 20)
)

# Coordinate descent, as in the paper, but for polynomial networks, whose kernel is not multi-linear: there L-BFGS is several
# times faster.
table_cell <- function(set, model, order, negatives, split) {
  graph <- graphs[[set]]
  polynomial <- model == "polynomial"
  list(key = list(set = set, model = model, order = order, negatives = negatives, split = split), rank = 30,
       solver = if (polynomial) "lbfgs" else "cd", scalings = graph$scalings,
       start = if (negatives == "all") -4 else min(graph$scalings), nfolds = 3, folds = 3,
       tune_iter = if (polynomial) 60 else graph$tune_iter, max_iter = if (polynomial) 200 else graph$max_iter)
}

stage <- function(set, models, orders, splits, negatives = "given") {
  grid <- expand.grid(split = splits, model = models, order = orders, stringsAsFactors = FALSE)
  Map(function(model, order, split) table_cell(set, model, order, negatives, split), grid$model, grid$order, grid$split)
}
with_order <- c("hofm", "shared", "simplex", "polynomial")
without <- c("all_subsets", "bilinear")

table_cells <- function() {
  unname(c(
    stage("ml100k", c("hofm", "shared"), 2:3, 1:5),
    stage("nips", c("hofm", "shared"), 2:3, 1:2),
    stage("ml100k", "hofm", 3, 1:5, "all"), stage("ml100k", "hofm", 2, 1:5, "all"), stage("ml100k", "best", NA, 1:5, "all"),
    stage("ml100k", without, NA, 1:5), stage("ml100k", c("simplex", "polynomial"), 2:3, 1:2),
    stage("cora", c("hofm", "shared"), 2:3, 1:2), stage("cora", without, NA, 1:2), stage("dpi_e", "hofm", 2, 1:2),
    stage("dpi_e", without, NA, 1:2), stage("dpi_e", "shared", 2, 1:2), stage("dpi_e", "hofm", 2, 1:2, "all"),
    stage("cora", "hofm", 2, 1:2, "all"), stage("nips", without, NA, 1:2), stage("cora", "hofm", 3, 1:2, "all"),
    stage("cora", "best", NA, 1:2, "all"), stage("dpi_e", "hofm", 3, 1:2, "all"), stage("dpi_e", "best", NA, 1:2, "all"),
    stage("ml100k", with_order, 4, 1:2), stage("cora", c("simplex", "polynomial"), 2:3, 1:2),
    stage("dpi_e", c("hofm", "shared"), 3, 1:2), stage("nips", "hofm", 2:3, 1:2, "all"), stage("nips", "best", NA, 1:2, "all"),
    stage("ml100k", with_order, 5, 1:2), stage("dpi_e", c("polynomial", "simplex"), 2:3, 1:2),
    stage("nips", c("polynomial", "simplex"), 2:3, 1:2),
    stage("cora", with_order, 4:5, 1:2), stage("dpi_e", with_order, 4:5, 1:2),
    stage("nips", with_order, 4:5, 1:2)))
}

# ---- The run -----------------------------------------------------------------------------------------------

write_tables <- function(folders) {
  cells <- gather_cells(table_cells(), folders$work)
  write_table(cells, "auc-cells", folders$results)
  write_table(summarise_cells(cells), "auc", folders$results)
  write_time("table", table_cells(), folders)
  several <- Filter(function(cell) length(cell$scalings) > 1, table_cells())
  tried <- unlist(lapply(several, function(cell) lapply(names(cell$scalings), scaling_cell, cell = cell)), recursive = FALSE)
  tried <- gather_cells(tried, folders$work)
  if (!is.null(tried)) write_table(unique(tried[c("set", "split", "scaling", "lambda", "cv_auc")]), "scalings", folders$results)
}

folders <- paper_folders()
make <- table_maker(function(set) read_graph(set, folders$data), folders$work)
invisible(run_cells(table_cells(), make, folders$work, after = function() write_tables(folders)))
write_tables(folders)
