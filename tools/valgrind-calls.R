# Fits of every model by every solver for every loss, on every shape of data, and what one does with them: tiny, since
# valgrind is slow. Ends with one line "calls: ..." that counts them. Run by tools/valgrind.R.

library(hofm)
set.seed(1)
x <- matrix(rnorm(60) * rbinom(60, 1, 0.7), 12, 5, dimnames = list(NULL, letters[1:5]))
A <- matrix(rnorm(15), 5, 3)
B <- matrix(rnorm(8), 4, 2)
ends <- data.frame(i = rep(1:5, 4), j = rep(1:4, each = 5))
ends$y <- as.numeric(seq_len(20) %% 3 == 0)
links <- link_pairs(A, B, ends[1:15, ])
split <- split_links(A, edges = cbind(1:4, 2:5), seed = 1)

responses <- list(squared = x[, 1] + x[, 2] * x[, 3], logistic = x[, 1] > 0, squared_hinge = x[, 1] > 0,
                  huber = c(9, 1:11 / 4), poisson = rep(0:3, 3), auc = x[, 1] > 0)
fitted <- refused <- 0

# A combination that the package refuses is counted as such; any other error ends the run.
attempt <- function(code) {
  tryCatch({
    suppressWarnings(code)
    fitted <<- fitted + 1
  }, hofm_error = function(e) refused <<- refused + 1)
}

use_rows <- function(fit) {
  predict(fit, x)
  predict(fit, x[1:3, ], type = "terms")
  if (fit$model %in% c("hofm", "shared", "simplex", "all_subsets")) interactions(fit, n = 3)
}

use_links <- function(fit) {
  predict(fit, links)
  score_links(fit, A, B)
  top_links(fit, links, n = 3)
  auc(fit, links, ci = TRUE)
}

settings <- function(solver) hofm_control(max_iter = 3, seed = 1, threads = 2,
                                          validation = if (solver %in% c("sgd", "adagrad")) 0.25 else 0)
combinations <- expand.grid(model = c("hofm", "shared", "simplex", "all_subsets", "polynomial", "bilinear"),
                            solver = c("cd", "lbfgs", "adagrad", "sgd"),
                            loss = names(responses), stringsAsFactors = FALSE)
for (row in seq_len(nrow(combinations))) {
  model <- combinations$model[row]
  solver <- combinations$solver[row]
  loss <- combinations$loss[row]
  order <- if (model %in% c("hofm", "shared", "simplex", "polynomial")) list(order = 3)
  fit <- function(...) do.call(hofm, c(list(..., rank = 2, model = model, solver = solver, loss = loss,
                                            control = settings(solver)), order))
  if (model != "bilinear") {
    attempt(use_rows(fit(x, responses[[loss]])))
    attempt(fit(methods::as(x, "CsparseMatrix"), responses[[loss]], weights = rep(1:2, 6), offset = rep(0.1, 12)))
  }
  attempt(use_links(fit(links)))
  attempt(fit(links, negatives = "all"))
}

for (sweep in c("single", "joint")) {
  control <- hofm_control(max_iter = 3, seed = 1, sweep = sweep)
  for (order in c(2, 3, 5)) {
    attempt(hofm(x, responses$squared, order = order, rank = 3, control = control))
    attempt(hofm(links, order = order, rank = 3, control = control))
  }
}
control <- hofm_control(max_iter = 3, seed = 1)
rest_fit <- suppressWarnings(hofm(split$train, rank = 2, negatives = "all", control = control))
attempt(auc(rest_fit, split$test, ci = TRUE))
attempt(roc_curve(rest_fit, split$test))
attempt(top_links(rest_fit, split$test, n = 2, by = "node"))
attempt(cv_hofm(x, responses$squared, rank = 1, lambda = c(1, 0.1), nfolds = 3, control = control))
attempt(auc_test(responses$logistic, x[, 2], x[, 3]))
for (degree in c(0, 1, 2, 6)) for (method in c("dp", "power_sums")) {
  attempt(anova_kernel(rnorm(5), x, degree, method))
  attempt(anova_gradient(rnorm(5), x, degree, method))
}
attempt(all_subsets_kernel(rnorm(5), x))
attempt(all_subsets_gradient(rnorm(5), x))
file <- tempfile()
attempt(write_libsvm(x, responses$squared, file))
attempt(read_libsvm(file))
cat(sprintf("calls: %d answered, %d refused\n", fitted, refused))
