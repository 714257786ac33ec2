# Data with two factors, two numbers and a flag, and all products of t columns by enumeration.
mixed_rows <- function(n = 200) {
  set.seed(3)
  d <- data.frame(a = factor(sample(letters[1:6], n, TRUE)), b = factor(sample(LETTERS[1:5], n, TRUE)), u = round(rnorm(n), 1),
                  v = rnorm(n), l = runif(n) > 0.5)
  d <- d[!(d$a == "a" & d$b == "A"), ]
  d$y <- with(d, as.integer(a) / 2 + 2 * (a == "c") * (b == "B") + u * v + rnorm(nrow(d), sd = 0.3))
  d
}

mixed_fit <- function(d) {
  hofm(y ~ a + b + u + v + l, d, order = 3, rank = 3, lambda = 1e-3, standardize = FALSE, control = hofm_control(seed = 1, max_iter = 60))
}

products_slow <- function(fit, x, t) {
  sets <- utils::combn(ncol(x), t)
  P <- fit$P[[as.character(t)]]
  one <- function(J) {
    product <- apply(x[, J], 1, prod)
    c(weight = sum(apply(P[J, ], 2, prod)), rows = sum(product != 0), sd = stats::sd(product))
  }
  as.data.frame(t(apply(sets, 2, one)))
}

# f at columns that need not be indicators: products of columns of different variables only.
multilinear_slow <- function(fit, x, groups) {
  value <- fit$intercept + x %*% fit$w
  for (t in names(fit$P)) {
    P <- fit$P[[t]]
    for (set in utils::combn(length(groups), as.integer(t), simplify = FALSE)) {
      parts <- lapply(groups[set], function(g) x[, g, drop = FALSE] %*% P[g, , drop = FALSE])
      value <- value + rowSums(Reduce(`*`, parts))
    }
  }
  value
}

test_that("interactions that occur equal enumeration over the products that occur, by weight and by effect", {
  d <- mixed_rows()
  fit <- mixed_fit(d)
  x <- as.matrix(model.matrix(fit, d))
  for (t in 2:3) {
    all <- products_slow(fit, x, t)
    all$effect <- all$weight * all$sd
    all <- all[all$rows > 0, ]
    for (sort in c("weight", "effect")) for (n in c(1, 7, 1000)) {
      want <- utils::head(all[order(-abs(all[[sort]])), ], n)
      got <- interactions(fit, t, n, data = d, sort = sort)
      expect_identical(nrow(got), nrow(want))
      expect_equal(got$weight, want$weight, tolerance = 1e-12)
      expect_equal(got$rows, want$rows)
      expect_equal(got$effect, want$effect, tolerance = 1e-12)
    }
  }
})

test_that("without rows, levels of one factor are known to exclude each other; possible = FALSE has everything", {
  d <- mixed_rows()
  fit <- mixed_fit(d)
  fit$meeting <- NULL
  found <- interactions(fit, 2, 1000)
  group <- sub(" = .*", "", as.matrix(found[1:2]))
  expect_false(any(group[, 1] == group[, 2]))
  expect_equal(nrow(found), choose(14, 2) - choose(6, 2) - choose(5, 2))
  everything <- interactions(fit, 2, 1000, possible = FALSE)
  expect_identical(nrow(everything), 91L)
  P <- fit$P[["2"]]
  expect_equal(everything$weight, { W <- (P %*% t(P))[upper.tri(diag(14))]; W[order(-abs(W))] }, tolerance = 1e-12)
  expect_true("a = c" %in% found$feature_1)
  expect_true("l" %in% found$feature_2)
})

test_that("shares of variables are those of the functional analysis of variance", {
  d <- mixed_rows(60)
  fit <- mixed_fit(d)
  link <- function(frame) predict(fit, frame, type = "link")
  # The mean over all variables but those in `kept`, each drawn by itself: over the product of the marginals of the others.
  variables <- c("a", "b", "u", "v", "l")
  average <- function(kept) {
    x <- as.matrix(model.matrix(fit, d))
    groups <- list(a = 1:6, b = 7:11, u = 12, v = 13, l = 14)
    means <- colMeans(x)
    # f has at most one column of each variable in a product, so that averaging over a variable is putting in the means of its columns.
    for (v in setdiff(variables, kept)) x[, groups[[v]]] <- rep(means[groups[[v]]], each = nrow(x))
    drop(multilinear_slow(fit, x, groups))
  }
  spread <- function(v) mean((v - mean(v))^2)
  pair <- average(c("u", "v")) - average("u") - average("v") + average(character())
  shares <- interactions(fit, 2, by = "variable", data = d)
  got <- shares$share[shares$variable_1 == "u" & shares$variable_2 == "v"]
  expect_equal(got, spread(pair) / spread(link(d)), tolerance = 1e-8)
  mixed <- average(c("a", "u")) - average("a") - average("u") + average(character())
  expect_equal(shares$share[shares$variable_1 == "a" & shares$variable_2 == "u"], spread(mixed) / spread(link(d)), tolerance = 1e-8)
  expect_identical(paste(shares$variable_1, shares$variable_2)[1], "u v")
})

test_that("a matrix of single columns has shares that are squared effects of centred products", {
  set.seed(1)
  x <- matrix(rnorm(200), 50, dimnames = list(NULL, letters[1:4]))
  fit <- hofm(x, x[, 1] * x[, 2] + x[, 3], rank = 2, lambda = 1e-3, standardize = FALSE)
  centred <- scale(x, scale = FALSE)
  shares <- interactions(fit, by = "variable", data = x)
  weight <- sum(fit$P[["2"]]["a", ] * fit$P[["2"]]["b", ])
  spread <- function(v) mean((v - mean(v))^2)
  expect_equal(shares$share[1], spread(weight * centred[, 1] * centred[, 2]) / spread(predict(fit, x)), tolerance = 1e-10)
  expect_error(interactions(hofm(x, x[, 1], model = "all_subsets", rank = 1), by = "variable", data = x), class = "hofm_error_unsupported")
})

test_that("what needs the training rows says so", {
  d <- mixed_rows()
  fit <- mixed_fit(d)
  expect_error(interactions(fit, by = "variable"), "`data`, the training rows", class = "hofm_error_input")
  expect_error(interactions(fit, sort = "effect"), "keeps none", class = "hofm_error_input")
  expect_error(interactions(fit, resample = 5), "`data`", class = "hofm_error_input")
  x <- as.matrix(d[c("u", "v")])
  expect_error(interactions(hofm(x, d$y, lambda = 0.1), data = x, resample = 5), "bootstrap_hofm", class = "hofm_error_input")
  expect_error(interactions(fit, 4, data = d), "`degree`", class = "hofm_error_input")
  expect_error(interactions(fit, data = d["a"]), class = "hofm_error_columns")
})

test_that("by effect it is exact for rare and common, large and small features too", {
  set.seed(9)
  x <- Matrix::rsparsematrix(80, 25, 0.2, rand.x = function(n) rnorm(n) * 10^sample(-2:1, n, TRUE))
  colnames(x) <- sprintf("x%d", 1:25)
  fit <- hofm(x, rnorm(80), order = 3, rank = 3, lambda = 0, standardize = FALSE, control = hofm_control(seed = 1, max_iter = 5))
  for (t in 2:3) {
    all <- products_slow(fit, as.matrix(x), t)
    want <- sort(abs((all$weight * all$sd)[all$rows > 0]), decreasing = TRUE)
    for (n in c(1, 10, 60)) expect_equal(abs(interactions(fit, t, n, data = x)$effect), utils::head(want, n), tolerance = 1e-10)
  }
})

test_that("with rows the effect is what orders, unless the weight is asked for", {
  d <- mixed_rows()
  fit <- mixed_fit(d)
  expect_identical(interactions(fit, n = 9, data = d), interactions(fit, n = 9, data = d, sort = "effect"))
  expect_false(is.unsorted(-abs(interactions(fit, n = 9, data = d, sort = "weight")$weight)))
})

test_that("a refit counts no more of the strongest than chance allows", {
  d <- mixed_rows()
  fit <- mixed_fit(d)
  boot <- bootstrap_hofm(fit, d, times = 6, seed = 1)
  sets <- choose(14, 2) - choose(6, 2) - choose(5, 2)                     # 66
  expect_identical(stable_count(fit, list(by = "feature", degree = 2)), floor(sqrt(0.6 * sets)))
  expect_equal(sum(interactions(boot, n = 500)$stability), floor(sqrt(0.6 * sets)))
  expect_equal(sum(interactions(boot, n = 500, top = 11)$stability), 11)
  expect_identical(stable_count(fit, list(by = "variable", degree = 3)), floor(sqrt(0.6 * 10)))
  triples <- utils::combn(14, 3)
  group <- exclusive_groups(fit)
  own <- apply(triples, 2, function(J) !anyDuplicated(group[J][group[J] >= 0]))
  expect_identical(stable_count(fit, list(by = "feature", degree = 3)), floor(sqrt(0.6 * sum(own))))
  expect_error(interactions(boot, top = 0), "`top`", class = "hofm_error_input")
})

test_that("what is strongest in a degree that was pulled to zero is not stable", {
  d <- mixed_rows()
  fit <- mixed_fit(d)
  boot <- bootstrap_hofm(fit, d, times = 4, seed = 1)
  expect_gt(max(interactions(boot)$stability), 0.9)
  boot$fits <- lapply(boot$fits, function(refit) {
    refit$P[["2"]] <- 1e-9 * refit$P[["2"]]
    refit$degree_variance[["degree 2"]] <- 1e-36 * refit$degree_variance[["degree 2"]]
    refit
  })
  expect_identical(max(interactions(boot)$stability), 0)
})
