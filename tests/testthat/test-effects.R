effect_data <- function(n = 80) {
  set.seed(6)
  d <- data.frame(g = factor(sample(c("p", "q", "r"), n, TRUE)), u = rnorm(n))
  d$v <- d$u + rnorm(n)
  d$y <- with(d, u * v + (g == "q") * u + rnorm(n, sd = 0.3))
  d
}

effect_fit <- function(d) hofm(y ~ g + u + v, d, rank = 2, lambda = 0.01, standardize = FALSE, control = hofm_control(seed = 1))

test_that("partial dependence is the mean prediction with the variable set", {
  d <- effect_data()
  fit <- effect_fit(d)
  got <- effects_hofm(fit, "g", d)
  expect_equal(got$effect, vapply(levels(d$g), function(l) mean(predict(fit, transform(d, g = factor(l, levels(d$g))))), 0, USE.NAMES = FALSE))
  two <- effects_hofm(fit, c("u", "g"), d, points = 4)
  expect_identical(nrow(two), 12L)
  at <- two[7, ]
  expect_equal(at$effect, mean(predict(fit, transform(d, u = at$u, g = at$g))))
})

test_that("accumulated local effects are those of the definition", {
  d <- effect_data()
  fit <- effect_fit(d)
  got <- effects_hofm(fit, "u", d, method = "ale", points = 6)
  ends <- quantile(d$u, seq(0, 1, 0.2), names = FALSE)
  total <- 0
  for (k in 2:6) {
    own <- d[d$u > ends[k - 1] & d$u <= ends[k] | (k == 2 & d$u == ends[1]), ]
    total[k] <- total[k - 1] + mean(predict(fit, transform(own, u = ends[k])) - predict(fit, transform(own, u = ends[k - 1])))
  }
  expect_equal(diff(got$effect), diff(total))
  # of an additive model both methods have the same shape
  straight <- hofm(y ~ g + u + v, d, order = 1, lambda = 0.01, standardize = FALSE)
  ale <- effects_hofm(straight, "u", d, method = "ale")$effect
  expect_equal(diff(ale), diff(effects_hofm(straight, "u", d)$effect))
  expect_equal(diff(effects_hofm(straight, "g", d, method = "ale")$effect), unname(diff(straight$w[1:3])))
})

test_that("refits add bands, and pictures are drawn", {
  d <- effect_data()
  boot <- bootstrap_hofm(effect_fit(d), d, times = 6, seed = 1)
  one <- effects_hofm(boot, "u", d, points = 5, level = 0.8)
  each <- sapply(boot$fits, function(f) effects_hofm(f, "u", d, points = 5)$effect)
  expect_equal(one$lower, apply(each, 1, quantile, 0.1, names = FALSE))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (shown in list(one, effects_hofm(boot, "g", d), effects_hofm(boot$fit, c("u", "g"), d), effects_hofm(boot$fit, c("g", "u"), d))) {
    expect_silent(plot(shown))
    skip_if_broken("ggplot2")
    expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(shown)))
  }
})

test_that("importance by permutation is a rise of the deviance, and a variable that is not used has none", {
  d <- effect_data()
  d$idle <- 1
  fit <- effect_fit(d)
  table <- variable_importance(fit, d, seed = 3, times = 4)
  expect_setequal(table$variable, c("g", "u", "v"))
  expect_true(all(diff(table$importance) <= 0))
  orders <- with_seed(3, replicate(4, sample.int(80)))
  shuffled <- apply(orders, 2, function(o) mean((d$y - predict(fit, transform(d, g = g[o])))^2))
  expect_equal(table$importance[table$variable == "g"], mean(shuffled) - mean((d$y - predict(fit, d))^2))
  shares <- variable_importance(fit, d, method = "variance")
  expect_equal(shares$importance, interactions(fit, 1, by = "variable", data = d)$share)
  x <- as.matrix(d[c("u", "v")])
  expect_error(variable_importance(hofm(x, d$y), x), "`y`", class = "hofm_error_input")
  both <- variable_importance(hofm(x, d$y > 0, rank = 1), x, d$y > 0, times = 2)
  expect_identical(nrow(both), 2L)
})

test_that("a variable that is not there is named", {
  d <- effect_data()
  fit <- effect_fit(d)
  expect_error(effects_hofm(fit, "w", d), "\"w\" is none", class = "hofm_error_input")
  expect_error(effects_hofm(fit, "idle", transform(d, idle = 1)), "variables of the fit", class = "hofm_error_input")
  expect_error(effects_hofm(fit, "u", d[c("g", "v")]), "`data`", class = "hofm_error_input")
  expect_error(effects_hofm(fit, c("u", "v", "g"), d), "one or two", class = "hofm_error_input")
  expect_error(effects_hofm(fit, "u", 3), "`data`", class = "hofm_error_input")
})

# Apley and Zhu's second-order effect of two numbers, cell by cell and row by row.
joint_slow <- function(fit, d, z1, z2) {
  cell <- function(v, z) pmax(1, findInterval(v, z, rightmost.closed = TRUE, left.open = TRUE))
  c1 <- cell(d$u, z1)
  c2 <- cell(d$v, z2)
  f <- function(rows, a, b) predict(fit, transform(d[rows, ], u = a, v = b))
  h <- matrix(0, length(z1), length(z2))
  for (k in 2:length(z1)) for (m in 2:length(z2)) {
    rows <- which(c1 == k - 1 & c2 == m - 1)
    step <- mean(f(rows, z1[k], z2[m]) - f(rows, z1[k - 1], z2[m]) - f(rows, z1[k], z2[m - 1]) + f(rows, z1[k - 1], z2[m - 1]))
    h[k, m] <- h[k - 1, m] + h[k, m - 1] - h[k - 1, m - 1] + step
  }
  own <- function(h, ca, cb) {
    total <- 0
    for (k in 2:nrow(h)) {
      rows <- which(ca == k - 1)
      total[k] <- total[k - 1] + mean((h[k, cb[rows]] + h[k, cb[rows] + 1]) / 2 - (h[k - 1, cb[rows]] + h[k - 1, cb[rows] + 1]) / 2)
    }
    total
  }
  h <- h - outer(own(h, c1, c2), own(t(h), c2, c1), `+`)
  h - mean((h[cbind(c1, c2)] + h[cbind(c1 + 1, c2)] + h[cbind(c1, c2 + 1)] + h[cbind(c1 + 1, c2 + 1)]) / 4)
}

test_that("joint local effects are those of the definition, and none where variables only add", {
  d <- effect_data(400)
  fit <- effect_fit(d)
  got <- effects_hofm(fit, c("u", "v"), d, method = "ale", points = 4)
  grid <- list(quantile(d$u, 0:3 / 3, names = FALSE), quantile(d$v, 0:4 / 4, names = FALSE))
  cells <- table(cut(d$u, grid[[1]]), cut(d$v, grid[[2]]))
  skip_if(any(cells == 0))
  expect_equal(matrix(got$effect, 4), joint_slow(fit, d, grid[[1]], grid[[2]]), tolerance = 1e-10)
  straight <- hofm(y ~ g + u + v, d, order = 1, lambda = 0.01, standardize = FALSE)
  for (pair in list(c("u", "v"), c("g", "u"), c("v", "g"))) {
    expect_lt(max(abs(effects_hofm(straight, pair, d, method = "ale")$effect)), 1e-10)
  }
  # of a factor and a number: slopes of the number differ between levels as the weights do
  joint <- effects_hofm(fit, c("u", "g"), d, method = "ale", points = 3)
  slope <- tapply(joint$effect, joint$g, function(e) (e[3] - e[1]) / diff(range(joint$u)))
  weight <- tcrossprod(fit$P[["2"]])["u", 1:3]
  expect_equal(as.vector(diff(slope)), unname(diff(weight)), tolerance = 1e-8)
})

test_that("gaps in the grid take the nearest cell", {
  cells <- matrix(c(1, NA, NA, 4, 5, NA), 2)
  expect_identical(from_nearest(cells), matrix(c(1, 1, 1, 4, 5, 4), 2))
})
