# What the statements about interactions are worth, on data whose interactions are known. Rscript interpretation.R [simulations]
# 1. Planted: two factors of 30 levels, a number by a factor, and a triple. Are exactly these the first pairs and the first triple?
# 2. Nothing planted: how often does a pair of features pass a stability of 0.8 among the 5 strongest?
# 3. Do 90 % intervals of predictions cover the mean prediction of fits to fresh data?
library(hofm)
sims <- as.integer(c(commandArgs(TRUE), "100")[1])
control <- function(seed) hofm_control(seed = seed, threads = 1)

planted <- function(n, strength = 1) {
  d <- data.frame(a = factor(sample(30, n, TRUE), 1:30), b = factor(sample(30, n, TRUE), 1:30), g = factor(sample(4, n, TRUE)),
                  u = rnorm(n), v = rnorm(n), w = rnorm(n), z = rnorm(n))
  d$y <- rnorm(30)[d$a] + rnorm(30)[d$b] + d$u + rnorm(n) +
    strength * (rnorm(30)[d$a] * rnorm(30)[d$b] + c(-1.5, -0.5, 0.5, 1.5)[d$g] * d$u + d$v * d$w * d$z)
  d
}
model <- function(d, seed, lambda = 2e-3) hofm(y ~ ., d, order = 3, rank = 4, lambda = lambda, control = control(seed))

first <- vapply(seq_len(sims), function(s) {
  set.seed(s)
  d <- planted(4000)
  fit <- model(d, s)
  two <- interactions(fit, 2, 2, by = "variable", data = d)
  three <- interactions(fit, 3, 1, by = "variable", data = d)
  setequal(paste(two$variable_1, two$variable_2), c("a b", "g u")) &&
    identical(unlist(three[1:3], use.names = FALSE), c("v", "w", "z"))
}, NA)
cat(sprintf("planted interactions are exactly the first: %d of %d\n", sum(first), sims))

none <- function(n) {
  x <- matrix(rnorm(n * 12), n, dimnames = list(NULL, letters[1:12]))
  list(x = x, y = drop(x %*% rnorm(12)) + rnorm(n))
}
quiet <- vapply(seq_len(sims), function(s) {
  set.seed(s)
  d <- none(300)
  fit <- suppressWarnings(hofm(d$x, d$y, rank = 4, lambda = 0.05, control = control(s)))
  boot <- bootstrap_hofm(fit, d$x, d$y, times = 50, seed = s)
  !any(interactions(boot, n = 5)$stability >= 0.8)
}, NA)
cat(sprintf("nothing passes where there is nothing: %d of %d\n", sum(quiet), sims))

smooth <- function(n) {
  d <- data.frame(a = factor(sample(5, n, TRUE)), u = rnorm(n), v = rnorm(n))
  d$y <- (1:5)[d$a] / 3 + d$u * d$v + ((1:5)[d$a] - 3) / 2 * d$u + rnorm(n)
  d
}
set.seed(0)
new <- smooth(50)
some <- function(d, seed) hofm(y ~ a + u + v, d, rank = 3, lambda = 0.01, control = control(seed))
truth <- rowMeans(vapply(seq_len(100), function(s) predict(some(smooth(300), s), new), numeric(50)))
cover <- vapply(seq_len(sims), function(s) {
  set.seed(1000 + s)
  d <- smooth(300)
  p <- predict(bootstrap_hofm(some(d, s), d, times = 100, seed = s), new, se.fit = TRUE)
  mean(truth >= p$lower & truth <= p$upper)
}, 0)
cat(sprintf("90 %% intervals cover the mean fit: %.1f %% of the time\n", 100 * mean(cover)))
