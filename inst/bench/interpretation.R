# What the statements about interactions are worth, on data whose interactions are known. Rscript interpretation.R [simulations] [parts]
# 1. Planted: two factors of 30 levels, a number by a factor, and a triple. Are exactly these the first pairs and the first triple?
# 2. Nothing planted, on numbers and on factors: how often does a combination pass a stability of 0.8?
# 3. Do 90 % intervals of predictions cover the mean prediction of fits to fresh data?
library(hofm)
given <- commandArgs(TRUE)
arguments <- c(given, c("100", "123")[seq_len(2) > length(given)])
sims <- as.integer(arguments[1])
asked <- function(part) grepl(part, arguments[2])
control <- function(seed) hofm_control(seed = seed, threads = 1)
report <- function(what, hits) cat(sprintf("%s: %d of %d\n", what, sum(hits), length(hits)))

planted <- function(n, strength = 1) {
  d <- data.frame(a = factor(sample(30, n, TRUE), 1:30), b = factor(sample(30, n, TRUE), 1:30), g = factor(sample(4, n, TRUE)),
                  u = rnorm(n), v = rnorm(n), w = rnorm(n), z = rnorm(n))
  d$y <- rnorm(30)[d$a] + rnorm(30)[d$b] + d$u + rnorm(n) +
    strength * (rnorm(30)[d$a] * rnorm(30)[d$b] + c(-1.5, -0.5, 0.5, 1.5)[d$g] * d$u + d$v * d$w * d$z)
  d
}

first <- function(s, strength) {
  set.seed(s)
  d <- planted(4000, strength)
  fit <- hofm(y ~ ., d, order = 3, rank = 4, lambda = 2e-3, standardize = FALSE, control = control(s))
  two <- interactions(fit, 2, 2, by = "variable", data = d)
  three <- interactions(fit, 3, 1, by = "variable", data = d)
  setequal(paste(two$variable_1, two$variable_2), c("a b", "g u")) &&
    identical(unlist(three[1:3], use.names = FALSE), c("v", "w", "z"))
}
if (asked(1)) for (strength in c(1, 0.5)) {
  report(sprintf("planted interactions of strength %g are exactly the first", strength), vapply(seq_len(sims), first, NA, strength))
}

numbers <- function(n = 300) {
  d <- data.frame(matrix(rnorm(n * 12), n))
  d$y <- drop(as.matrix(d) %*% rnorm(12)) + rnorm(n)
  d
}
factors <- function(n = 1000) {
  d <- data.frame(a = factor(sample(30, n, TRUE), 1:30), b = factor(sample(30, n, TRUE), 1:30), g = factor(sample(4, n, TRUE)),
                  u = rnorm(n), v = rnorm(n))
  d$y <- rnorm(30)[d$a] + rnorm(30)[d$b] + rnorm(4)[d$g] + d$u + rnorm(n)
  d
}
# `lambda = NULL` has the penalties chosen from the data.
quiet <- function(s, make, lambda, by) {
  set.seed(s)
  d <- make()
  fit <- suppressWarnings(hofm(y ~ ., d, rank = 4, lambda = lambda, standardize = TRUE, control = control(s)))
  boot <- bootstrap_hofm(fit, d, times = 50, seed = s)
  vapply(by, function(by) !any(interactions(boot, data = d, by = by)$stability >= 0.8), NA)
}
if (asked(2)) for (make in c("numbers", "factors")) for (lambda in list(NULL, 0.01)) {
  found <- vapply(seq_len(sims), quiet, logical(2), get(make), lambda, c("feature", "variable"))
  label <- sprintf("%s, lambda %s: nothing passes where there is nothing, by", make, if (is.null(lambda)) "from the data" else lambda)
  report(paste(label, "feature"), found[1, ])
  report(paste(label, "variable"), found[2, ])
}

smooth <- function(n) {
  d <- data.frame(a = factor(sample(5, n, TRUE)), u = rnorm(n), v = rnorm(n))
  d$y <- (1:5)[d$a] / 3 + d$u * d$v + ((1:5)[d$a] - 3) / 2 * d$u + rnorm(n)
  d
}
coverage <- function() {
  set.seed(0)
  new <- smooth(50)
  some <- function(d, seed) hofm(y ~ a + u + v, d, rank = 3, lambda = 0.01, standardize = FALSE, control = control(seed))
  truth <- rowMeans(vapply(seq_len(max(100, sims)), function(s) predict(some(smooth(300), s), new), numeric(50)))
  cover <- vapply(seq_len(sims), function(s) {
    set.seed(1000 + s)
    d <- smooth(300)
    p <- predict(bootstrap_hofm(some(d, s), d, times = 100, seed = s), new, se.fit = TRUE)
    mean(truth >= p$lower & truth <= p$upper)
  }, 0)
  cat(sprintf("90 %% intervals cover the mean fit: %.1f %% of the time\n", 100 * mean(cover)))
}
if (asked(3)) coverage()
