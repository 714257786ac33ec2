# Rscript bayes.R [part ...]: held-out RMSE, coverage of 90 % predictive intervals and seconds of bayes_hofm() as it comes, nothing tuned.
#
# Parts: insteval (package lme4), ml100k, ml100k_side, ml1m, ml1m_side (folders of HOFM_DATA), and sweeps, which puts the processor seconds
# of a sweep beside those of an epoch of coordinate descent; all unless some are named. HOFM_ORDERS, such
# as "1,2,3", are the orders (2); HOFM_SPLITS how many splits (1), with seeds 1, 2, ...; HOFM_RANK, HOFM_ITER and HOFM_CHAINS change
# the defaults of bayes_hofm(). Each line is printed when it is known: seconds are processor seconds of fitting, by one thread.
library(hofm)
suppressPackageStartupMessages(library(Matrix))

setting <- function(variable, default = "") {
  value <- Sys.getenv(variable)
  if (nzchar(value)) value else default
}
numbers <- function(variable, default) as.integer(strsplit(setting(variable, default), ",")[[1]])
folder <- setting("HOFM_DATA")

changed <- function() {
  given <- c(rank = setting("HOFM_RANK"), iter = setting("HOFM_ITER"), chains = setting("HOFM_CHAINS"))
  lapply(as.list(given[nzchar(given)]), as.integer)
}

# fit(order, ...) and what it must predict.
measure <- function(label, split, fit, test, truth) {
  for (order in numbers("HOFM_ORDERS", "2")) {
    control <- hofm_control(seed = split, threads = 1, keep_fitted = FALSE)
    took <- system.time(posterior <- do.call(fit, c(list(order = order, control = control), changed())))
    told <- predict(posterior, test, interval = "predictive", allow_new_levels = TRUE)
    known <- summary(posterior)$diagnostics
    links <- startsWith(known$variable, "link")
    print(data.frame(data = label, split = split, order = order, rank = posterior$spec$rank[1], chains = posterior$plan$chains,
                     iter = posterior$plan$iter, rmse = sqrt(mean((truth - told[, "fit"])^2)),
                     coverage = mean(truth >= told[, "lower"] & truth <= told[, "upper"]),
                     seconds = took[["user.self"]] + took[["sys.self"]], rhat = max(known$rhat[links]), ess = min(known$ess[links])),
          digits = 5, row.names = FALSE)
  }
}

splits <- function(n, share, use) {
  for (split in seq_len(numbers("HOFM_SPLITS", "1"))) {
    set.seed(split)
    use(split, sample(n, round(share * n)))
  }
}

insteval <- function() {
  data("InstEval", package = "lme4", envir = environment())
  splits(nrow(InstEval), 0.2, function(split, test) {
    measure("InstEval", split, function(...) bayes_hofm(y ~ s + d + studage + lectage + service + dept, InstEval[-test, ], ...),
            InstEval[test, ], InstEval$y[test])
  })
}

read_ml100k <- function() {
  utils::read.delim(gzfile(file.path(folder, "ml100k", "u.data.gz")), header = FALSE, col.names = c("user", "movie", "rating", "time"))
}
read_ml1m <- function() utils::read.delim(gzfile(file.path(folder, "ml1m", "ratings.tsv.gz")))

by_ids <- function(label, data, share) {
  data$user <- factor(data$user)
  data$movie <- factor(data$movie)
  splits(nrow(data), share, function(split, test) {
    measure(label, split, function(...) bayes_hofm(rating ~ user + movie, data[-test, ], ...), data[test, ], data$rating[test])
  })
}
ml100k <- function() by_ids("MovieLens 100K", read_ml100k(), 0.2)
ml1m <- function() by_ids("MovieLens 1M", read_ml1m(), 0.1)

# Who the user is, which movie it is, and what is known of them: a group for each field.
one_hot <- function(x) {
  x <- factor(x)
  sparseMatrix(i = seq_along(x), j = as.integer(x), x = 1, dims = c(length(x), nlevels(x)))
}
fields <- function(file, sep) {
  con <- gzfile(file)
  on.exit(close(con))
  strsplit(iconv(readLines(con), "latin1", "UTF-8"), sep, fixed = TRUE)
}
column <- function(rows, k) vapply(rows, `[`, "", k)

with_side <- function(label, data, share, users, movies, user_fields, movie_fields) {
  A <- c(list(one_hot(users)), user_fields)
  B <- c(list(one_hot(movies)), movie_fields)
  groups <- rep(c(paste0("A", seq_along(A)), paste0("B", seq_along(B))), vapply(c(A, B), ncol, 0L))
  A <- do.call(cbind, A)
  B <- do.call(cbind, B)
  x <- cbind(A[match(data$user, users), ], B[match(data$movie, movies), ])
  splits(nrow(data), share, function(split, test) {
    measure(label, split, function(...) bayes_hofm(x[-test, ], data$rating[-test], groups = groups, ...), x[test, ], data$rating[test])
  })
}

ml100k_side <- function() {
  data <- read_ml100k()
  users <- fields(file.path(folder, "ml100k", "u.user.gz"), "|")
  movies <- fields(file.path(folder, "ml100k", "u.item.gz"), "|")
  genres <- as(t(vapply(movies, function(row) as.double(row[6:24]), numeric(19))), "CsparseMatrix")
  with_side("MovieLens 100K with side features", data, 0.2, as.integer(column(users, 1)), as.integer(column(movies, 1)),
            list(one_hot(as.integer(column(users, 2)) %/% 5), one_hot(column(users, 3)), one_hot(column(users, 4))),
            list(genres, one_hot(substring(column(movies, 3), 8))))
}

ml1m_side <- function() {
  data <- read_ml1m()
  users <- fields(file.path(folder, "ml1m", "users.dat.gz"), "::")
  movies <- fields(file.path(folder, "ml1m", "movies.dat.gz"), "::")
  genres <- strsplit(column(movies, 3), "|", fixed = TRUE)
  kinds <- sort(unique(unlist(genres)))
  genres <- sparseMatrix(i = rep(seq_along(genres), lengths(genres)), j = match(unlist(genres), kinds), x = 1,
                         dims = c(length(genres), length(kinds)))
  with_side("MovieLens 1M with side features", data, 0.1, as.integer(column(users, 1)), as.integer(column(movies, 1)),
            list(one_hot(column(users, 2)), one_hot(column(users, 3)), one_hot(column(users, 4))),
            list(genres, one_hot(sub(".*\\(([0-9]{4})\\)$", "\\1", column(movies, 2)))))
}

# What one more sweep, or epoch, costs: the difference between long and short runs. Both without anything that is done once.
sweeps <- function() {
  seconds <- function(code) sum(system.time(code)[c("user.self", "sys.self")])
  cost <- function(run) {
    run(2)
    (seconds(run(22)) - seconds(run(2))) / 20
  }
  beside <- function(label, order, rank, x, ...) {
    quiet <- function(...) suppressWarnings(...)
    sweep <- cost(function(iter) quiet(bayes_hofm(x, ..., order = order, rank = rank, iter = iter, warmup = iter - 1, chains = 1, keep = 0,
                                                 control = hofm_control(seed = 1, threads = 1, keep_fitted = FALSE))))
    epoch <- cost(function(iter) quiet(hofm(x, ..., order = order, rank = rank, lambda = 1e-6, standardize = FALSE, solver = "cd",
                                            control = hofm_control(seed = 1, threads = 1, max_iter = iter, tol = 0, sweep = "single",
                                                                   extrapolate = FALSE))))
    print(data.frame(data = label, order = order, rank = rank, sweep = sweep, epoch = epoch, ratio = sweep / epoch), digits = 3,
          row.names = FALSE)
  }
  ids <- function(data) cbind(one_hot(data$user), one_hot(data$movie))
  data <- read_ml100k()
  nodes <- function(file, ids) {
    known <- methods::as(readMM(gzfile(file.path(folder, "ml100k", file))), "CsparseMatrix")
    cbind(one_hot(seq_len(ids)), known[seq_len(ids), ])
  }
  pairs <- link_pairs(nodes("A.mtx.gz", 943), nodes("B.mtx.gz", 1682),
                      data.frame(i = data$user, j = data$movie, y = as.integer(data$rating > 3)))
  for (order in 2:3) {
    beside("MovieLens 100K, features, rows", order, 16, model.matrix(pairs), data$rating)
    beside("MovieLens 100K, features, pairs, liked or not", order, 16, pairs, negatives = "given")
  }
  data <- read_ml1m()
  beside("MovieLens 1M, rows", 2, 16, ids(data), data$rating)
}

parts <- list(insteval = insteval, ml100k = ml100k, ml100k_side = ml100k_side, ml1m = ml1m, ml1m_side = ml1m_side,
              sweeps = sweeps)
wanted <- commandArgs(TRUE)
for (part in if (length(wanted)) wanted else names(parts)) parts[[part]]()
