# Small data with a known shape, and settings that make a fit take milliseconds.

quick <- function(...) hofm_control(max_iter = 20, seed = 1, ...)

small_matrix <- function(n = 40, d = 4, names = letters[seq_len(d)]) {
  seeded(1, matrix(round(rnorm(n * d), 3), n, d, dimnames = if (!is.null(names)) list(NULL, names)))
}

small_response <- function(x) seeded(2, x[, 1] + x[, 2] * x[, 3] + rnorm(nrow(x), sd = 0.1))

# Evaluate with R's generator seeded, and leave the generator as it was.
seeded <- function(seed, code) {
  old <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit({
    if (is.null(old)) rm(".Random.seed", envir = globalenv())
    else assign(".Random.seed", old, globalenv())
  })
  set.seed(seed)
  code
}

# A data frame with every kind of variable.
mixed_data <- function(n = 60) {
  seeded(3, {
    d <- data.frame(
      num = rnorm(n), int = sample(0:3, n, TRUE), fac = factor(sample(c("u", "v w", "z"), n, TRUE)),
      chr = sample(c("p", "q"), n, TRUE), lgl = sample(c(TRUE, FALSE), n, TRUE), stringsAsFactors = FALSE)
    d$y <- d$num + (d$fac == "u") * 2 - d$lgl + rnorm(n, sd = 0.1)
    d$class <- factor(ifelse(d$y > median(d$y), "high", "low"), levels = c("low", "high"))
    d
  })
}

quick_fit <- function(..., control = quick()) {
  collapsing(hofm(..., rank = 2, lambda = 0.01, control = control))
}

# On the paper's scale, for comparison with formulas and other programs.
paper_fit <- function(..., lambda = 1e-3) hofm(..., lambda = lambda, standardize = FALSE)

# For fits whose factors may well end at zero, or that stop short of the minimum, where that is not the point.
collapsing <- function(code) {
  muffle <- function(w) invokeRestart("muffleWarning")
  withCallingHandlers(code, hofm_warning_collapsed = muffle, hofm_warning_not_converged = muffle, hofm_warning_idle_degree = muffle)
}

# Indicator columns the slow way, for comparison.
slow_indicators <- function(f) {
  f <- factor(f)
  out <- sapply(levels(f), function(l) as.numeric(f == l))
  matrix(out, nrow = length(f), dimnames = list(NULL, levels(f)))
}
