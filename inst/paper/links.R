# How a cell of the table of AUC is made: one model on one split of one graph.
#
# A cell has `key` (set, model, order, negatives, split), `rank`, `solver`, `scalings` (the exponents of lambda to start from,
# named by scaling), `start` (the same for this model), `nfolds`, `folds`, `tune_iter` and `max_iter`.

#' A function of a cell that gives its row
#' @param read A function of a set that gives its graph.
table_maker <- function(read, work, say = message) {
  graph_of <- remember(read)
  scaled <- remember(function(set, scaling) scale_graph(graph_of(set), scaling))
  scaling_for <- function(cell) {
    if (length(cell$scalings) == 1) return(names(cell$scalings))
    cells <- lapply(names(cell$scalings), scaling_cell, cell = cell)
    tried <- run_cells(cells, function(c) try_scaling(c, scaled(c$key$set, c$key$scaling)), work, say)
    tried$scaling[which.max(tried$cv_auc)]
  }
  function(cell) {
    scaling <- scaling_for(cell)
    parts <- split_graph(scaled(cell$key$set, scaling), cell$key$split)
    made <- if (cell$key$model == "best") make_best(cell, parts, work) else make_plain(cell, parts)
    cbind(made, scaling = scaling)
  }
}

# The last answer of a function, kept as long as the question is the same.
remember <- function(f) {
  question <- NULL
  answer <- NULL
  function(...) {
    if (!identical(question, list(...))) {
      answer <<- f(...)
      question <<- list(...)
    }
    answer
  }
}

make_plain <- function(cell, parts) {
  fitting <- if (cell$key$negatives == "all") list(negatives = "all") else list()
  score <- function(lambda) do.call(validate, c(list(parts$train, cell, lambda), fitting))
  tried <- climb(score, cell$start)
  lambda <- 10^tried$exponent[1]
  fit <- do.call(fit_pairs, c(list(parts$train, cell, lambda, cell$max_iter), fitting))
  fit_row(fit, parts$test, lambda, tried$score[1], nrow(tried))
}

fit_row <- function(fit, test, lambda, cv_auc, tried) {
  data.frame(auc = auc(fit, test), lambda = lambda, cv_auc = cv_auc, tried = tried, chosen_order = fit$order,
             weight = if (is.null(fit$negatives)) NA else fit$negatives$weight, objective = fit$objective)
}

# The order that did best on held-out training pairs, then the weight of the other pairs: the balanced one, or sqrt(10) times
# more or less.
make_best <- function(cell, parts, work) {
  cell$key$model <- "hofm"
  by_order <- gather_cells(lapply(2:3, function(m) { cell$key$order <- m; cell }), work)
  start <- by_order[which.max(by_order$cv_auc), ]
  cell$key$order <- start$order
  score <- function(factor) {
    if (factor == 1) return(start$cv_auc)
    validate(parts$train, cell, start$lambda, negatives = "all", negative_weight = factor * start$weight)
  }
  factors <- c(1, sqrt(10), 1 / sqrt(10))
  scores <- vapply(factors, score, 0)
  weight <- factors[which.max(scores)] * start$weight
  fit <- fit_pairs(parts$train, cell, start$lambda, 2 * cell$max_iter, negatives = "all", negative_weight = weight)
  fit_row(fit, parts$test, start$lambda, max(scores), length(factors))
}

# Scalings are compared by a second-order machine after a few sweeps on two thirds of the training pairs, once for all models of a
# split.
scaling_cell <- function(scaling, cell) {
  list(key = list(set = cell$key$set, model = "hofm", order = 2, split = cell$key$split, scaling = scaling), rank = cell$rank,
       solver = "cd", nfolds = 3, folds = 1, tune_iter = 8, start = cell$scalings[[scaling]])
}

try_scaling <- function(cell, graph) {
  train <- split_graph(graph, cell$key$split)$train
  tried <- climb(function(lambda) validate(train, cell, lambda), cell$start)
  data.frame(cv_auc = tried$score[1], lambda = 10^tried$exponent[1], tried = nrow(tried))
}

summarise_cells <- function(cells) {
  key <- paste(cells$set, cells$model, cells$order, cells$negatives)
  rows <- lapply(split(cells, factor(key, unique(key))), function(part) {
    n <- nrow(part)
    data.frame(part[1, c("set", "model", "order", "negatives")], splits = n, auc = mean(part$auc),
               se = if (n > 1) stats::sd(part$auc) / sqrt(n) else NA, lambda = paste(sort(unique(part$lambda)), collapse = " "),
               scaling = paste(unique(part$scaling), collapse = " "), minutes = sum(part$seconds) / 60)
  })
  do.call(rbind, unname(rows))
}
