# The recommender appendix: root mean squared error against rank on MovieLens 1M and Last.fm.
#
#   Rscript recommender.R [data]
#
# A sample is one-hot encoded user and item. Three quarters of the ratings train, the others test; lambda is chosen at rank 10 by
# holding out a quarter of the training ratings, and then serves all ranks.
source(system.file("paper", "common.R", package = "hofm"))

ranks <- list(lastfm = c(5, 10, 20, 30), ml1m = c(5, 10, 20))
models <- c("FM" = "hofm", "FM-augmented" = "shared", "All-subsets" = "all_subsets", "Polynomial network" = "polynomial")

# Listening counts span five decades: their logarithm is predicted.
read_ratings <- function(set, data) {
  file <- c(ml1m = "ratings.tsv.gz", lastfm = "user_artists.tsv.gz")[[set]]
  ratings <- utils::read.delim(gzfile(file.path(data, set, file)))
  data.frame(user = ratings[[1]], item = ratings[[2]], y = if (set == "ml1m") ratings[[3]] else log10(ratings[[3]]))
}

one_hot <- function(ratings) {
  user <- match(ratings$user, unique(ratings$user))
  item <- match(ratings$item, unique(ratings$item))
  n <- nrow(ratings)
  Matrix::sparseMatrix(rep(seq_len(n), 2), c(user, max(user) + item), x = 1, dims = c(n, max(user) + max(item)))
}

# Sweeps while tuning and in the last fit; steps of L-BFGS are cheaper and take it less far.
iterations <- list(lastfm = c(10, 25), ml1m = c(6, 12))

rating_cell <- function(part, set, label, rank) {
  slower <- if (label == "Polynomial network") 5 else 1
  list(key = list(part = part, set = set, label = label, rank = rank), model = models[[label]],
       solver = if (label == "Polynomial network") "lbfgs" else "cd", start = if (set == "ml1m") -5 else -4,
       tune_iter = iterations[[set]][1] * slower, max_iter = iterations[[set]][2] * slower)
}

rating_cells <- function(part, set, ranks) {
  grid <- expand.grid(label = names(models), rank = ranks, stringsAsFactors = FALSE)
  Map(function(label, rank) rating_cell(part, set, label, rank), grid$label, grid$rank, USE.NAMES = FALSE)
}

#' Root mean squared error on `test` of a fit to the rows `train`
rating_error <- function(x, y, train, test, cell, lambda, max_iter) {
  control <- hofm_control(max_iter = max_iter, extrapolate = FALSE, threads = 1, seed = 1, keep_fitted = FALSE)
  arguments <- list(x[train, ], y[train], rank = cell$key$rank, lambda = lambda, model = cell$model, loss = "squared",
                    solver = cell$solver, standardize = FALSE, control = control)
  fit <- quietly(do.call(hofm, arguments))
  c(test = sqrt(mean((predict(fit, x[test, ]) - y[test])^2)), objective = fit$objective)
}

tune_ratings <- function(cell, x, y, train) {
  held <- train[seq_len(length(train) %/% 4)]                    # the rows are in random order
  score <- function(lambda) -rating_error(x, y, setdiff(train, held), held, cell, lambda, cell$tune_iter)[["test"]]
  tried <- climb(score, cell$start)
  data.frame(lambda = 10^tried$exponent[1], held_out = -tried$score[1], tried = nrow(tried))
}

run_ratings <- function(set, folders) {
  ratings <- read_ratings(set, folders$data)
  x <- one_hot(ratings)
  set.seed(1)
  train <- sample.int(nrow(x), round(0.75 * nrow(x)))
  test <- setdiff(seq_len(nrow(x)), train)
  tuned <- run_cells(rating_cells("lambda", set, 10), function(cell) tune_ratings(cell, x, ratings$y, train), folders$work)
  errors <- run_cells(rating_cells("rmse", set, ranks[[set]]), function(cell) {
    lambda <- tuned$lambda[tuned$label == cell$key$label]
    error <- rating_error(x, ratings$y, train, test, cell, lambda, cell$max_iter)
    data.frame(lambda = lambda, rmse = error[["test"]], objective = error[["objective"]])
  }, folders$work)
  constant <- sqrt(mean((ratings$y[test] - mean(ratings$y[train]))^2))
  cbind(errors[c("set", "label", "rank", "lambda", "rmse")], constant = constant)
}

folders <- paper_folders()
errors <- NULL
for (set in names(ranks)) {
  errors <- rbind(errors, run_ratings(set, folders))
  write_table(errors, "recommender", folders$results)
}
all_cells <- lapply(names(ranks), function(set) c(rating_cells("lambda", set, 10), rating_cells("rmse", set, ranks[[set]])))
write_time("recommender", unlist(all_cells, recursive = FALSE), folders)
