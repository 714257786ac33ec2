# The machinery behind the tables of inst/paper, on a graph of a few nodes.

machinery <- function() {
  own <- new.env()
  for (file in c("common.R", "links.R")) sys.source(system.file("paper", file, package = "hofm"), own)
  own
}

tiny_graph <- function() {
  set.seed(1)
  A <- Matrix::rsparsematrix(20, 6, 0.5, rand.x = function(n) rep(1, n))
  B <- Matrix::rsparsematrix(15, 5, 0.5, rand.x = function(n) rep(1, n))
  near <- as.matrix(A[, 1:5] %*% Matrix::t(B))
  edges <- which(near >= sort(near, decreasing = TRUE)[60], arr.ind = TRUE)
  list(A = A, B = B, edges = as.data.frame(edges[seq_len(60), ]))
}

tiny_cell <- function(model, order, negatives = "given", split = 1, scalings = c(raw = -3)) {
  list(key = list(set = "tiny", model = model, order = order, negatives = negatives, split = split), rank = 2, solver = "cd",
       scalings = scalings, start = -3, nfolds = 3, folds = 1, tune_iter = 3, max_iter = 5)
}

# A maker that counts the cells it makes.
counting <- function(make) {
  made <- 0
  list(make = function(cell) { made <<- made + 1; make(cell) }, made = function() made)
}

fresh_folder <- function() {
  folder <- tempfile("paper")
  dir.create(folder)
  folder
}

test_that("each cell is made once, and a damaged or outdated one again", {
  paper <- machinery()
  work <- fresh_folder()
  on.exit(unlink(work, recursive = TRUE))
  quiet <- function(line) NULL
  counter <- counting(paper$table_maker(function(set) tiny_graph(), work, quiet))
  cells <- list(tiny_cell("hofm", 2), tiny_cell("shared", 3), tiny_cell("bilinear", NA))

  first <- paper$run_cells(cells, counter$make, work, quiet)
  expect_identical(counter$made(), 3)
  expect_length(list.files(work), 3)
  expect_identical(paper$run_cells(cells, counter$make, work, quiet), first)
  expect_identical(counter$made(), 3)

  file <- paper$cell_path(cells[[2]], work)
  writeBin(readBin(file, "raw", file.size(file) %/% 2), file)
  again <- paper$run_cells(cells, counter$make, work, quiet)
  expect_identical(counter$made(), 4)
  expect_identical(again$auc, first$auc)

  cells[[1]]$max_iter <- 6
  paper$run_cells(cells, counter$make, work, quiet)
  expect_identical(counter$made(), 5)
})

test_that("a cell that fails leaves no file behind", {
  paper <- machinery()
  work <- fresh_folder()
  on.exit(unlink(work, recursive = TRUE))
  expect_error(paper$run_cells(list(tiny_cell("hofm", 2)), function(cell) stop("no luck"), work), "no luck")
  expect_length(list.files(work), 0)
  expect_null(paper$gather_cells(list(tiny_cell("hofm", 2)), work))
})

test_that("a row holds the AUC over all other pairs of the fit with the chosen lambda", {
  paper <- machinery()
  work <- fresh_folder()
  on.exit(unlink(work, recursive = TRUE))
  cell <- tiny_cell("hofm", 2)
  row <- paper$table_maker(function(set) tiny_graph(), work)(cell)

  graph <- tiny_graph()
  parts <- split_links(graph$A, graph$B, edges = graph$edges, prop = 0.5, seed = 1)
  fit <- suppressWarnings(hofm(parts$train, order = 2, rank = 2, lambda = row$lambda, solver = "cd", model = "hofm",
                               negatives = "given", common = FALSE, standardize = FALSE, tied = FALSE,
                               control = hofm_control(max_iter = 5, extrapolate = FALSE, threads = 1, seed = 1)),
                          classes = "hofm_warning_collapsed")
  scores <- score_links(fit, graph$A, graph$B)
  truth <- matrix(FALSE, 20, 15)
  truth[cbind(parts$test$links$i, parts$test$links$j)] <- TRUE
  rest <- matrix(TRUE, 20, 15)
  rest[cbind(parts$train$i, parts$train$j)] <- FALSE
  expect_equal(row$auc, auc(truth[rest], scores[rest]), tolerance = 1e-12)
  expect_gte(row$tried, 3)
})

test_that("the best row takes its order and weight from held-out training pairs", {
  paper <- machinery()
  work <- fresh_folder()
  on.exit(unlink(work, recursive = TRUE))
  quiet <- function(line) NULL
  make <- paper$table_maker(function(set) tiny_graph(), work, quiet)
  cells <- list(tiny_cell("hofm", 2, "all"), tiny_cell("hofm", 3, "all"), tiny_cell("best", NA, "all"))
  rows <- paper$run_cells(cells, make, work, quiet)
  winner <- which.max(rows$cv_auc[1:2])
  expect_equal(rows$chosen_order[3], winner + 1)
  expect_identical(rows$lambda[3], rows$lambda[winner])
  expect_true(any(abs(rows$weight[3] / rows$weight[winner] / c(1, sqrt(10), 1 / sqrt(10)) - 1) < 1e-12))
  expect_gte(rows$cv_auc[3], rows$cv_auc[winner])
})

test_that("the scaling with the best held-out AUC is used, and each is tried once", {
  paper <- machinery()
  work <- fresh_folder()
  on.exit(unlink(work, recursive = TRUE))
  quiet <- function(line) NULL
  scalings <- c(raw = -3, unit = -3)
  cells <- list(tiny_cell("hofm", 2, scalings = scalings), tiny_cell("shared", 2, scalings = scalings))
  rows <- paper$run_cells(cells, paper$table_maker(function(set) tiny_graph(), work, quiet), work, quiet)
  expect_length(list.files(work), 4)
  tried <- paper$gather_cells(lapply(names(scalings), paper$scaling_cell, cell = cells[[1]]), work)
  expect_identical(unique(rows$scaling), tried$scaling[which.max(tried$cv_auc)])
})

test_that("climbing finds the top of a curve with one top, within the paper's range", {
  paper <- machinery()
  for (top in -6:6) {
    asked <- 0
    tried <- paper$climb(function(lambda) { asked <<- asked + 1; -abs(log10(lambda) - top) }, start = -3)
    expect_equal(tried$exponent[1], top)
    expect_identical(asked, as.numeric(nrow(tried)))
    expect_true(all(abs(tried$exponent) <= 6))
  }
  expect_equal(paper$climb(function(lambda) 1, start = 0)$exponent[1], 6)
})

test_that("scalings of counts", {
  paper <- machinery()
  counts <- Matrix::Matrix(c(3, 0, 4, 1, 0, 0, 0, 2, 0), 3, sparse = TRUE)
  expect_identical(paper$scalings$raw(counts), counts)
  expect_equal(as.matrix(paper$scalings$log(counts)), log(1 + as.matrix(counts)))
  expect_equal(as.matrix(paper$scalings$unit(counts))[1, ], c(3, 1, 0) / sqrt(10))
  weighted <- log(1 + as.matrix(counts)) * rep(log(3 / c(2, 1, 1)), each = 3)
  expect_equal(as.matrix(paper$scalings$tfidf(counts)), weighted / sqrt(rowSums(weighted^2)))
})

test_that("an undirected graph is trained on both ways round", {
  paper <- machinery()
  A <- diag(3)
  both <- paper$both_ways(link_pairs(A, pairs = data.frame(i = c(1, 2), j = c(2, 3), y = c(1, 0))))
  expect_identical(as.data.frame(both), data.frame(i = c(1L, 2L, 2L, 3L), j = c(2L, 3L, 1L, 2L), y = c(1, 0, 1, 0)))
})

test_that("means and standard errors over splits", {
  paper <- machinery()
  cells <- data.frame(set = "s", model = c("a", "a", "b"), order = c(2, 2, NA), negatives = "given", auc = c(0.6, 0.8, 0.5),
                      lambda = c(0.1, 0.01, 1), scaling = "raw", seconds = 60)
  table <- paper$summarise_cells(cells)
  expect_equal(table$auc, c(0.7, 0.5))
  expect_equal(table$se, c(0.1, NA))
  expect_identical(table$lambda, c("0.01 0.1", "1"))
  expect_equal(table$minutes, c(2, 1))
})

test_that("the time of a run is that of its cells, each counted once", {
  paper <- machinery()
  work <- fresh_folder()
  on.exit(unlink(work, recursive = TRUE))
  cells <- list(tiny_cell("hofm", 2), tiny_cell("hofm", 3), tiny_cell("hofm", 4))
  paper$store_cell(cells[[1]], data.frame(auc = c(1, 1), seconds = 60, processor = 30), work)
  paper$store_cell(cells[[2]], data.frame(auc = 1, seconds = 120, processor = 30), work)
  paper$write_time("tiny", cells, list(work = work, results = work))
  time <- utils::read.csv(file.path(work, "time-tiny.csv"))
  expect_equal(time, data.frame(script = "tiny", cells = 2L, clock = 3L, processor = 1L))
})
