# Data with a strong product, and settings that end where they should.
product_data <- function(n = 90, d = 4, seed = 31) {
  seeded(seed, {
    x <- matrix(rnorm(n * d), n, d, dimnames = list(NULL, letters[seq_len(d)]))
    list(x = x, y = x[, 1] + 2 * x[, 2] * x[, 3] + rnorm(n, sd = 0.3))
  })
}

exact <- function(...) hofm_control(tol = 1e-14, max_iter = 5000, seed = 1, ...)

# Two node sets whose links depend on the product of two features.
linked_pairs <- function(n_a = 12, n_b = 10, one_set = FALSE) {
  seeded(32, {
    A <- matrix(rnorm(n_a * 3), n_a)
    B <- if (!one_set) matrix(rnorm(n_b * 3), n_b)
    second <- if (one_set) A else B
    ends <- expand.grid(i = seq_len(n_a), j = seq_len(nrow(second)))
    if (one_set) ends <- ends[ends$i < ends$j, ]
    ends$y <- as.numeric(rowSums(A[ends$i, ] * second[ends$j, ]) > 0.5)
    link_pairs(A, B, ends[sample(nrow(ends), 0.8 * nrow(ends)), ])
  })
}

# What does not depend on the time it took.
timeless <- function(cv) {
  for (fit in c("fit", "fit.1se")) cv[[fit]][c("trace", "call")] <- NULL
  cv[c("call", "seconds")] <- NULL
  cv
}
