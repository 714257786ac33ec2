# One random call of hofm() and predict(): "fit" when the answer is finite and of the right length, "error"
# for an error of class hofm_error, else what went wrong.

pick <- function(...) {
  options <- list(...)
  options[[sample.int(length(options), 1)]]
}

# Mostly a good value, now and then one of the bad ones.
rarely <- function(good, ...) if (runif(1) < 0.93) good else pick(...)

fuzz_matrix <- function(n, d) {
  x <- matrix(rnorm(n * d) * rbinom(n * d, 1, 0.6), n, d)
  if (runif(1) < 0.1 && length(x)) x[sample.int(length(x), 1)] <- pick(NA, NaN, Inf, -Inf, 1e300)
  names <- rarely(pick(NULL, letters[seq_len(d)], paste("\u00e9", seq_len(d))), rep("a", d), rep("", d))
  if (d) colnames(x) <- names
  x
}

fuzz_shape <- function(x) {
  make <- pick(
    identity, as.data.frame, function(x) as(x, "CsparseMatrix"), function(x) as(x, "TsparseMatrix"),
    function(x) as(x, "RsparseMatrix"), function(x) x != 0, function(x) as(x != 0, "CsparseMatrix"),
    function(x) data.frame(f = factor(sample(letters[1:3], nrow(x), TRUE)), x), function(x) Matrix::Matrix(x))
  tryCatch(make(x), error = function(e) x)
}

fuzz_response <- function(n) {
  y <- rarely(
    pick(rnorm(n), rbinom(n, 1, 0.5), rbinom(n, 1, 0.5) == 1, rpois(n, 2),
         factor(sample(c("a", "b"), n, TRUE)),
         sample(c(-1, 1), n, TRUE)),
    sample(letters[1:3], n, TRUE), rep(1, n), rnorm(n + 1), factor(rep("a", n)), c(NA, rnorm(max(n - 1, 0))))
  y
}

fuzz_once <- function() {
  n <- rarely(pick(5, 12), 0, 1, 2)
  d <- rarely(pick(1, 2, 4), 0)
  args <- list(
    x = fuzz_shape(fuzz_matrix(n, d)), y = fuzz_response(n), order = rarely(pick(1, 2, 3), 0, NA, 2.5, "2"),
    rank = rarely(pick(1, 2, 0), -1, NULL, c(1, 2), NA), lambda = rarely(pick(0.1, 0, 1), -1, NA, c(1, 1)),
    loss = pick(NULL, NULL, "squared", "logistic", "poisson", "squared_hinge"),
    solver = pick("auto", "cd", "lbfgs", "adagrad", "sgd"),
    weights = rarely(pick(NULL, runif(n)), -1, rep(0, n)),
    offset = rarely(pick(NULL, rnorm(n)), Inf), control = hofm_control(max_iter = 3, threads = 1))
  tryCatch(fuzz_outcome(args), hofm_error = function(e) "error",
           error = function(e) paste("unclassed:", conditionMessage(e)))
}

fuzz_outcome <- function(args) {
  fit <- withCallingHandlers(do.call(hofm, args), hofm_warning = function(w) invokeRestart("muffleWarning"))
  rows <- sample.int(nrow(args$x), pick(0, 1, 3), replace = TRUE)
  offset <- if (!is.null(args$offset)) args$offset[rows]
  link <- predict(fit, args$x[rows, , drop = FALSE], type = "link", offset = offset)
  if (length(link) == length(rows) && is.numeric(link) && all(is.finite(link))) "fit" else "wrong answer"
}
