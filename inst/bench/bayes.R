# Rscript bayes.R [part ...]: held-out RMSE, coverage of 90 % predictive intervals and seconds of bayes_hofm(), nothing tuned.
#
# Parts: insteval (package lme4), ml100k, ml1m (folders of HOFM_DATA). HOFM_ITER, HOFM_CHAINS and HOFM_RANK change the defaults of 1000
# sweeps, two chains and rank 16 (8 for insteval); HOFM_ORDERS, such as "1,2,3", the orders.
library(hofm)

setting <- function(variable, default) {
  value <- Sys.getenv(variable)
  if (nzchar(value)) value else default
}
number <- function(variable, default) as.integer(setting(variable, default))
folder <- setting("HOFM_DATA", "")

measure <- function(label, formula, train, test, y, order, rank) {
  control <- hofm_control(seed = 1, threads = 1)
  took <- system.time(fit <- bayes_hofm(formula, train, order = order, rank = rank, iter = number("HOFM_ITER", 1000),
                                        chains = number("HOFM_CHAINS", 2), keep = 200, control = control))[["user.self"]]
  told <- predict(fit, test, interval = "predictive", allow_new_levels = TRUE)
  diagnostics <- summary(fit)$diagnostics
  row <- data.frame(data = label, order = order, rank = rank, rmse = sqrt(mean((test[[y]] - told[, "fit"])^2)),
                    coverage = mean(test[[y]] >= told[, "lower"] & test[[y]] <= told[, "upper"]), seconds = took,
                    rhat = stats::median(diagnostics$rhat, na.rm = TRUE))
  print(row, digits = 5, row.names = FALSE)
  row
}

each_order <- function(...) {
  for (order in as.integer(strsplit(setting("HOFM_ORDERS", "2"), ",")[[1]])) measure(..., order = order)
}

insteval <- function() {
  data("InstEval", package = "lme4", envir = environment())
  set.seed(1)
  test <- sample(nrow(InstEval), nrow(InstEval) %/% 5)
  each_order("InstEval", y ~ s + d + studage + lectage + service + dept, InstEval[-test, ], InstEval[test, ], "y",
             rank = number("HOFM_RANK", 8))
}

ratings <- function(label, data, share) {
  data$user <- factor(data$user)
  data$movie <- factor(data$movie)
  set.seed(1)
  test <- sample(nrow(data), round(share * nrow(data)))
  each_order(label, rating ~ user + movie, data[-test, ], data[test, ], "rating", rank = number("HOFM_RANK", 16))
}

ml100k <- function() {
  data <- utils::read.delim(gzfile(file.path(folder, "ml100k", "u.data.gz")), header = FALSE,
                            col.names = c("user", "movie", "rating", "time"))
  ratings("MovieLens 100K", data, 0.2)
}

ml1m <- function() ratings("MovieLens 1M", utils::read.delim(gzfile(file.path(folder, "ml1m", "ratings.tsv.gz"))), 0.1)

parts <- list(insteval = insteval, ml100k = ml100k, ml1m = ml1m)
wanted <- commandArgs(TRUE)
for (part in if (length(wanted)) wanted else names(parts)) parts[[part]]()
