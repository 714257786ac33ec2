learn <- function(d) learn_data_frame(d)

test_that("each kind of variable becomes the columns it should", {
  d <- mixed_data()[c("num", "int", "fac", "chr", "lgl")]
  got <- learn(d)
  want <- cbind(d$num, d$int, slow_indicators(d$fac), slow_indicators(d$chr), d$lgl)
  expect_equal(unname(as.matrix(got$x)), unname(want))
  expect_equal(got$blueprint$features, c("num", "int", "facu", "facv w", "facz", "chrp", "chrq", "lglTRUE"))
  expect_true(validObject(got$x))
})

test_that("names are those of glm", {
  d <- mixed_data()
  parts <- read_formula(y ~ num + poly(int, 2) + lgl + num:fac, d, quote(hofm()), environment())
  all_levels <- list(fac = contrasts(d$fac, contrasts = FALSE))
  dense <- model.matrix(y ~ num + poly(int, 2) + lgl + num:fac, d, contrasts.arg = all_levels)[, -1]
  expect_equal(parts$blueprint$features, colnames(dense))
  expect_equal(unname(as.matrix(parts$x)), unname(dense), ignore_attr = TRUE)
})

test_that("products are those of model.matrix, less the columns that never occur", {
  d <- mixed_data()
  parts <- read_formula(y ~ fac:chr + fac:chr:num + num:int, d, quote(hofm()), environment())
  full <- list(fac = contrasts(d$fac, contrasts = FALSE), chr = contrasts(factor(d$chr), contrasts = FALSE))
  dense <- model.matrix(y ~ fac:chr + fac:chr:num + num:int - 1, transform(d, chr = factor(chr)),
                        contrasts.arg = full)
  dense <- dense[, colSums(dense != 0) > 0]
  expect_setequal(parts$blueprint$features, colnames(dense))
  got <- as.matrix(parts$x)
  colnames(got) <- parts$blueprint$features
  expect_equal(unname(got[, colnames(dense)]), unname(dense), ignore_attr = TRUE)
  expect_identical(design_for(parts$blueprint, d)$x, parts$x)
  expect_identical(design_for(parts$blueprint, d[1:3, ])$x, parts$x[1:3, ])
})

test_that("new data gets the same columns, whatever its rows", {
  d <- mixed_data()
  d$fac <- factor(d$fac, levels = c("z", "u", "unused", "v w"))
  for (f in list(y ~ . - class, y ~ poly(num, 3) + fac * lgl + log(int + 1) + chr)) {
    parts <- read_formula(f, d, quote(hofm()), environment())
    expect_false(any(grepl("unused", parts$blueprint$features)))
    for (rows in list(1:60, 7, c(3, 3, 1), 60:1)) {
      new <- d[rows, setdiff(names(d), "y")]
      new$fac <- as.character(new$fac)
      new$chr <- factor(new$chr)
      expect_equal(as.matrix(design_for(parts$blueprint, new)$x), as.matrix(parts$x)[rows, , drop = FALSE])
    }
  }
})

test_that("a level NA is a level, and matches NA", {
  d <- data.frame(f = addNA(factor(c("a", NA, "b", NA))), y = 1:4)
  parts <- read_formula(y ~ ., d, quote(hofm()), environment())
  expect_equal(parts$blueprint$features, c("fa", "fb", "fNA"))
  expect_equal(as.vector(as.matrix(parts$x)[, 3]), c(0, 1, 0, 1))
  new <- design_for(parts$blueprint, data.frame(f = c("b", NA)))
  expect_equal(as.matrix(new$x), rbind(c(0, 1, 0), c(0, 0, 1)))
  expect_false(any(new$missing))
})

test_that("unseen levels are a classed error, or contribute nothing", {
  bp <- learn(data.frame(f = c("a", "b")))$blueprint
  e <- expect_error(design_for(bp, data.frame(f = c("a", "c", "d"))), class = "hofm_error_new_levels")
  expect_equal(e$variable, "f")
  expect_equal(e$levels, c("c", "d"))
  expect_match(conditionMessage(e), "Variable `f` in `newdata` has levels that were not in the training data: \"c\", \"d\".",
               fixed = TRUE)
  e <- expect_error(design_for(bp, data.frame(f = letters)), class = "hofm_error_new_levels")
  expect_match(conditionMessage(e), "and 19 more", fixed = TRUE)
  new <- design_for(bp, data.frame(f = factor(c("c", "b", NA))), allow_new_levels = TRUE)
  expect_equal(as.matrix(new$x), rbind(c(0, 0), c(0, 1), c(0, 0)))
  expect_equal(new$missing, c(FALSE, FALSE, TRUE))
})

test_that("levels are matched across encodings", {
  latin <- c("caf\xe9", "th\xe9")
  Encoding(latin) <- "latin1"
  bp <- learn(data.frame(f = latin))$blueprint
  expect_equal(bp$features, c("fcaf\u00e9", "fth\u00e9"))
  expect_equal(as.matrix(design_for(bp, data.frame(f = c("th\u00e9", "caf\u00e9")))$x),
               rbind(c(0, 1), c(1, 0)))
})

test_that("columns that would share a name are made unique", {
  d <- data.frame(a = c("1", "2"), a1 = 1:2)
  expect_equal(learn(d)$blueprint$features, c("a1", "a2", "a1.1"))
})

test_that("columns of another type are a classed error", {
  d <- mixed_data()[c("num", "fac", "lgl")]
  bp <- learn(d)$blueprint
  swaps <- list(num = "a", num = TRUE, num = factor("a"), fac = 3, fac = TRUE, lgl = 1, lgl = "TRUE",
                num = as.Date("2020-01-01"))
  for (k in seq_along(swaps)) {
    new <- d[1, ]
    new[[names(swaps)[k]]] <- swaps[[k]]
    expect_error(design_for(bp, new), class = "hofm_error_columns", info = k)
  }
  new <- d[1, ]
  new$num <- 3L
  expect_silent(design_for(bp, new))
})

test_that("missing columns are listed, others are ignored", {
  d <- mixed_data()[c("num", "int", "fac", "chr", "lgl")]
  bp <- learn(d)$blueprint
  expect_equal(design_for(bp, cbind(extra = "x", d[rev(names(d))]))$x, learn(d)$x)
  e <- expect_error(design_for(bp, d["int"]), class = "hofm_error_columns")
  expect_equal(e$columns, c("num", "fac", "chr", "lgl"))
  parts <- read_formula(y ~ log(int + 1) + num, mixed_data(), quote(hofm()), environment())
  num <- 1:60
  expect_error(design_for(parts$blueprint, d["int"]), "lacks a column of the training data: `num`",
               class = "hofm_error_columns")
})

test_that("missing values mark their rows, infinite ones are an error", {
  d <- mixed_data()[c("num", "fac", "lgl")]
  bp <- learn(d)$blueprint
  new <- d[1:4, ]
  new$num[1] <- NaN
  new$fac[2] <- NA
  new$lgl[3] <- NA
  expect_equal(design_for(bp, new)$missing, c(TRUE, TRUE, TRUE, FALSE))
  new$num <- NA
  new$fac <- NA
  expect_equal(design_for(bp, new)$missing, rep(TRUE, 4))
  new$num <- c(1, Inf, 1, 1)
  expect_error(design_for(bp, new), "variable `num` is Inf in row 2", class = "hofm_error_input")
})

test_that("matrix columns are matched by name, or by position when there were no names", {
  x <- small_matrix(5)
  bp <- learn_design(x)$blueprint
  want <- as_design(x)$x
  expect_equal(design_for(bp, x[, 4:1])$x, want)
  expect_equal(design_for(bp, cbind(x, extra = NA))$x, want)
  expect_equal(design_for(bp, as.data.frame(x[, 4:1]))$x, want)
  expect_equal(design_for(bp, cbind(as.data.frame(x), extra = "a"))$x, want)
  expect_error(design_for(bp, x[, -2]), "lacks a column of the training data: `b`",
               class = "hofm_error_columns")
  expect_error(design_for(bp, unname(x)), "must have column names", class = "hofm_error_columns")
  expect_error(design_for(bp, transform(as.data.frame(x), b = "z")), "`b`", class = "hofm_error_columns")
  bp <- learn_design(unname(x))$blueprint
  expect_equal(bp$features, paste0("V", 1:4))
  expect_equal(design_for(bp, unname(x))$x, want)
  expect_error(design_for(bp, unname(x)[, 1:3]), "must have 4 columns", class = "hofm_error_columns")
  expect_equal(design_for(bp, Matrix::sparseVector(2, 3, 4))$x, as_design(matrix(c(0, 0, 2, 0), 1))$x)
})

test_that("factors of very many levels stay sparse and quick", {
  n <- 1e5
  d <- data.frame(a = factor(seq_len(n)), b = as.character(seq_len(n)))
  time <- system.time(got <- learn(d))[["user.self"]]
  expect_equal(dim(got$x), c(n, 2 * n))
  expect_equal(length(got$x@x), 2 * n)
  expect_lt(time, 20)
})

test_that("every feature knows its variable", {
  data <- data.frame(y = 1:6, n = c(2, 5, 1, 4, 3, 6), g = factor(c("a", "b", "c", "a", "b", "c")), l = c(TRUE, FALSE))
  groups <- function(formula) {
    fit <- hofm(formula, data, order = 1, lambda = 1)
    stats::setNames(feature_groups(fit$blueprint, length(fit$features)), fit$features)
  }
  expect_identical(groups(y ~ n + g + l), c(n = "n", ga = "g", gb = "g", gc = "g", lTRUE = "l"))
  products <- groups(y ~ g + poly(n, 2) + n:l)
  expect_identical(unname(products[c("ga", "poly(n, 2)1", "poly(n, 2)2")]), c("g", "poly(n, 2)", "poly(n, 2)"))
  expect_identical(unname(products[length(products)]), "n:l")
  expect_identical(feature_groups(hofm(diag(3), 1:3, order = 1, lambda = 1)$blueprint, 3), rep("x", 3))
})

test_that("a column of missing values takes any type, unless it claims a class that its numbers cannot have", {
  fit <- hofm(dist ~ day, data.frame(dist = cars$dist, day = as.Date(cars$speed, origin = "2000-01-01")), order = 1, lambda = 1)
  expect_identical(predict(fit, data.frame(day = c(NA, NA))), c(NA_real_, NA_real_))
  expect_error(predict(fit, data.frame(day = structure(c(NA, NA), class = "Date"))), "`day`", class = "hofm_error_columns")
})
