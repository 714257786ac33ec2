library(hofm)
set.seed(1)
x <- matrix(rnorm(8000), 1000, dimnames = list(NULL, letters[1:8]))
y <- x[, "a"] + 2 * x[, "b"] * x[, "c"] * x[, "d"] + rnorm(1000)
fit <- hofm(x[1:700, ], y[1:700], order = 3, rank = 4, lambda = 0.1)
fit
sqrt(mean((y[701:1000] - predict(fit, x[701:1000, ]))^2))  # the noise alone has 1
interactions(fit, degree = 3, n = 2)                       # b c d was planted with weight 2
