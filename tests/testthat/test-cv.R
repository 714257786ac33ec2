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
  cv$call <- NULL
  cv
}

test_that("order 1 has the curve and the choices of cv.glmnet", {
  skip_if_not_installed("glmnet")
  set.seed(33)
  x <- matrix(rnorm(120 * 6), 120)
  y <- drop(x %*% rnorm(6)) + rnorm(120)
  foldid <- rep(1:6, 20)
  # glmnet divides a numeric response by its spread in each training set: make that one everywhere
  for (k in 1:6) y[foldid == k] <- scale(y[foldid == k]) * sqrt(20 / 19)
  lambda <- 10^seq(1, -3, length.out = 15)
  theirs <- glmnet::cv.glmnet(x, y, alpha = 0, standardize = FALSE, foldid = foldid, lambda = lambda, thresh = 1e-20)
  ours <- cv_hofm(x, y, order = 1, foldid = foldid, lambda = lambda, control = exact())
  expect_equal(ours$cvm, theirs$cvm, tolerance = 1e-4)
  expect_equal(ours$cvsd, theirs$cvsd, tolerance = 1e-4)
  expect_equal(c(ours$lambda.min, ours$lambda.1se), c(theirs$lambda.min, theirs$lambda.1se))

  weights <- rep(1:3, 40)
  class <- factor(ifelse(y + rnorm(120) > 0, "b", "a"))
  for (measure in c("deviance", "class", "auc")) {
    theirs <- glmnet::cv.glmnet(x, class, family = "binomial", alpha = 0, standardize = FALSE, foldid = foldid,
                                lambda = lambda, thresh = 1e-20, weights = weights, type.measure = measure)
    ours <- cv_hofm(x, class, order = 1, foldid = foldid, lambda = lambda, weights = weights, measure = measure,
                    control = exact())
    expect_equal(ours$cvm, theirs$cvm, tolerance = 1e-4)
    expect_equal(c(ours$lambda.min, ours$lambda.1se), c(theirs$lambda.min, theirs$lambda.1se))
  }
})

test_that("a point of the curve is what separate fits and predictions give", {
  data <- product_data()
  foldid <- rep(1:3, 30)
  cv <- cv_hofm(data$x, data$y, order = 2, rank = 2, foldid = foldid, lambda = c(0.01, 0.1), keep = TRUE, measure = "mae",
                control = exact())
  for (k in 1:3) {
    fit <- hofm(data$x[foldid != k, ], data$y[foldid != k], rank = 2, lambda = 0.01, control = exact())
    expect_equal(cv$fit.preval[foldid == k, 2], predict(fit, data$x[foldid == k, ]), tolerance = 1e-4)
  }
  expect_equal(cv$cvm, colMeans(abs(data$y - cv$fit.preval)))
  by_fold <- apply(abs(data$y - cv$fit.preval), 2, tapply, foldid, mean)
  expect_equal(cv$cvsd, apply(by_fold, 2, sd) / sqrt(3))
  expect_equal(cv$cvup - cv$cvlo, 2 * cv$cvsd)
  expect_identical(cv$lambda, c(0.1, 0.01))
})

test_that("the path is as good as fits from random starts", {
  data <- product_data(200)
  spec <- check_specs(2, 3, "hofm", "squared", "cd", TRUE, NULL)[[1]]
  problem <- row_task(c(learn_design(data$x), list(y = data$y)), spec, quick())$problem
  lambda <- 10^seq(1, -3, length.out = 15)
  for (seed in 1:3) {
    control <- hofm_control(tol = 1e-9, max_iter = 5000, seed = seed)
    sweeps <- 0
    path <- lambda_path(problem, spec, lambda, control, seed, function(l, fit) sweeps <<- sweeps + max(fit$trace$iteration))
    apart <- lapply(lambda, function(l) expect_collapse(fit_model(problem, with_lambda(spec, l), control)))
    expect_true(all(path <= vapply(apart, `[[`, 0, "objective") * (1 + 1e-4)))
    expect_lt(sweeps, sum(vapply(apart, function(fit) max(fit$trace$iteration), 0)))
  }
})

test_that("factors that the penalty has pulled to zero come back at smaller lambdas", {
  set.seed(34)
  x <- matrix(rnorm(400 * 5), 400)
  y <- 2 * x[, 1] * x[, 2] * x[, 3] + rnorm(400, sd = 0.3)
  cv <- cv_hofm(x, y, order = 3, rank = 2, nfolds = 3, lambda = 10^(2:-3))
  expect_gt(cv$cvm[1], 0.8 * var(y))
  expect_lt(min(cv$cvm), 0.1 * var(y))
})

test_that("the default path begins where next to nothing is left and spans what was asked for", {
  data <- product_data()
  for (order in 1:3) for (scale in c(0.01, 100)) {
    cv <- cv_hofm(data$x * scale, data$y, order = order, rank = 2, nfolds = 3, n_lambda = 5, control = hofm_control(seed = 1))
    expect_length(cv$lambda, 5)
    expect_equal(diff(log10(cv$lambda)), rep(-1, 4))
    at <- function(lambda) {
      sd(fitted(collapsing(hofm(data$x * scale, data$y, order = order, rank = 2, lambda = lambda, control = hofm_control(seed = 1)))))
    }
    expect_lt(at(cv$lambda[1]), 0.051 * sd(data$y))
    expect_gt(at(cv$lambda[1] / 10), 0.051 * sd(data$y))
  }
  expect_equal(cv_hofm(data$x, data$y, order = 1, lambda = "paper", nfolds = 3)$lambda, 10^(6:-6))
})

test_that("order and rank are chosen from the table, and the fits are those of the whole data", {
  data <- product_data()
  cv <- cv_hofm(data$x, data$y, order = 2:1, rank = 2:1, nfolds = 5, n_lambda = 8, control = exact())
  expect_identical(unique(cv$table[c("order", "rank")])$order, c(1L, 2L, 2L))
  expect_identical(unique(cv$table[c("order", "rank")])$rank, c(0L, 1L, 2L))
  expect_identical(cv$order, 2L)
  best <- cv$table[which.min(cv$table$cvm), ]
  expect_identical(c(best$rank, best$lambda), c(cv$rank, cv$lambda.min))
  expect_gte(cv$lambda.1se, cv$lambda.min)
  expect_lte(cv$cvm[cv$index[["1se"]]], cv$cvup[cv$index[["min"]]])
  again <- hofm(data$x, data$y, rank = cv$rank, lambda = cv$lambda.min, control = exact())
  expect_equal(predict(cv, data$x), predict(again, data$x), tolerance = 1e-3)
  expect_identical(predict(cv, data$x, s = "lambda.1se"), predict(cv$fit.1se, data$x))
  expect_identical(predict(cv, data$x, s = cv$lambda.1se), predict(cv$fit.1se, data$x))
  expect_identical(coef(cv), coef(cv$fit))
  expect_identical(coef(cv, degree = 1), cv$fit$w)
  expect_error(predict(cv, data$x, s = 123), "`s` must be `lambda.min`", class = "hofm_error_input")
  expect_error(predict(cv, data$x, s = "lambda"), "`s` must be one of", class = "hofm_error_input")
  expect_identical(eval(cv$fit$call$lambda), cv$lambda.min)
})

test_that("the result depends on the seed and on nothing else", {
  data <- product_data(60)
  run <- function(..., control = hofm_control(seed = 7)) {
    timeless(cv_hofm(data$x, data$y > 0, order = 1:2, rank = 2, nfolds = 3, n_lambda = 4, keep = TRUE, control = control, ...))
  }
  one <- run()
  expect_identical(run(workers = 2), one)
  # R CMD check allows two processes
  if (!nzchar(Sys.getenv("_R_CHECK_LIMIT_CORES_"))) expect_identical(run(workers = 5), one)
  expect_identical(run(foldid = one$foldid)$foldid, one$foldid)
  set.seed(1)
  first <- run(control = hofm_control())
  set.seed(1)
  expect_identical(run(control = hofm_control()), first)
  expect_false(identical(run(control = hofm_control())$foldid, first$foldid))
  state <- .Random.seed
  run()
  expect_identical(.Random.seed, state)
})

test_that("a plan of the future package gives the same result", {
  skip_if_not_installed("future.apply")
  skip_on_os("windows")
  data <- product_data(60)
  run <- function() timeless(cv_hofm(data$x, data$y, rank = 2, nfolds = 3, n_lambda = 4, control = hofm_control(seed = 7)))
  one <- run()
  old <- future::plan(future::multicore, workers = 2)
  on.exit(future::plan(old))
  skip_if(future::nbrOfWorkers() < 2)
  expect_true(has_future_plan())
  expect_identical(run(), one)
})

test_that("all interfaces agree", {
  data <- product_data(60)
  frame <- data.frame(data$x, y = data$y)
  foldid <- rep(1:3, 20)
  run <- function(...) {
    cv_hofm(..., rank = 2, foldid = foldid, lambda = c(1, 0.1), control = hofm_control(seed = 1))[c("cvm", "cvsd", "lambda.min")]
  }
  by_matrix <- run(data$x, data$y)
  expect_identical(run(Matrix::Matrix(data$x, sparse = TRUE), data$y), by_matrix)
  expect_identical(run(frame[1:4], data$y), by_matrix)
  expect_identical(run(y ~ ., frame), by_matrix)
  expect_identical(run(y ~ a + b + c + d, data = frame), by_matrix)
  expect_identical(run(formula = y ~ ., data = frame), by_matrix)
  frame$a[5] <- NA
  expect_length(cv_hofm(y ~ ., frame, rank = 1, foldid = foldid, lambda = 1)$foldid, 59)
})

test_that("offset and weights take part", {
  data <- product_data(60)
  foldid <- rep(1:3, 20)
  o <- seeded(1, rnorm(60))
  run <- function(x = data$x, y = data$y, id = foldid, ...) {
    cv_hofm(x, y, rank = 1, foldid = id, lambda = c(1, 0.1, 0.01), control = exact(), ...)
  }
  plain <- run()
  expect_equal(run(y = data$y + o, offset = o)$cvm, plain$cvm, tolerance = 1e-5)
  twice <- rep(1:2, 30)
  rows <- rep(1:60, twice)
  expect_equal(run(weights = twice)$cvm, run(data$x[rows, ], data$y[rows], foldid[rows])$cvm, tolerance = 1e-5)
})

test_that("folds are even in each class, and in links for nodes", {
  set.seed(35)
  class <- rep(c(-1, 1), c(47, 16))
  counts <- table(deal_rows(5, class), class)
  expect_lte(max(apply(counts, 2, function(n) diff(range(n)))), 1)
  expect_lte(diff(range(rowSums(counts))), 1)
  pairs <- linked_pairs()
  foldid <- deal_nodes(4, pairs)
  expect_true(all(tapply(foldid, pairs$i, function(f) length(unique(f))) == 1))
  expect_setequal(foldid, 1:4)
})

test_that("whole nodes are held out of training", {
  for (one_set in c(FALSE, TRUE)) for (negatives in c("given", "all")) {
    pairs <- linked_pairs(one_set = one_set)
    foldid <- ifelse(pairs$i <= 4, 1, 2)
    run <- function(p) {
      cv_hofm(p, rank = 2, foldid = foldid, hold_out = "nodes", negatives = negatives, lambda = c(0.1, 0.01), keep = TRUE,
              control = hofm_control(seed = 1))
    }
    cv <- run(pairs)
    # what is predicted for fold 1 must not change with the links of its nodes
    turned <- pairs
    own <- pairs$i <= 4 | (one_set & pairs$j <= 4)
    turned$y[which(own)[c(TRUE, FALSE)]] <- 1 - turned$y[which(own)[c(TRUE, FALSE)]]
    expect_identical(run(turned)$fit.preval[foldid == 1, ], cv$fit.preval[foldid == 1, ])
    expect_false(identical(run(turned)$fit.preval[foldid == 2, ], cv$fit.preval[foldid == 2, ]))
    expect_s3_class(cv$fit, "hofm")
  }
  expect_error(cv_hofm(pairs, foldid = rep_len(1:2, length(pairs$i)), hold_out = "nodes"), "`foldid` must put all pairs of a node",
               class = "hofm_error_input")
  expect_error(cv_hofm(pairs, nfolds = 50, hold_out = "nodes"), "`nfolds` must be at most", class = "hofm_error_input")
})

test_that("pairs held out play no part in training on all pairs", {
  for (one_set in c(FALSE, TRUE)) {
    pairs <- linked_pairs(one_set = one_set)
    foldid <- rep_len(1:3, length(pairs$i))
    run <- function(p, weight = 0.2) {
      cv_hofm(p, rank = 2, foldid = foldid, negatives = "all", negative_weight = weight, lambda = 0.01, keep = TRUE,
              control = hofm_control(seed = 1))
    }
    turned <- pairs
    turned$y[foldid == 1][1:5] <- 1 - turned$y[foldid == 1][1:5]
    expect_identical(run(turned)$fit.preval[foldid == 1, ], run(pairs)$fit.preval[foldid == 1, ])
  }
  # against the same training set with every pair given
  pairs <- linked_pairs()
  foldid <- rep_len(1:3, length(pairs$i))
  ends <- expand.grid(i = 1:12, j = 1:10)
  at <- match(paste(pairs$i, pairs$j), paste(ends$i, ends$j))
  ends$y <- 0
  ends$y[at] <- pairs$y
  kept <- !seq_len(120) %in% at[foldid == 1]
  every <- link_pairs(pairs$A, pairs$B, ends[kept, ])
  fit <- hofm(every, rank = 2, lambda = 0.01, weights = ifelse(every$y == 1, 1, 0.2), control = exact())
  cv <- cv_hofm(pairs, rank = 2, foldid = foldid, negatives = "all", negative_weight = 0.2, lambda = 0.01, keep = TRUE,
                control = exact())
  expect_equal(drop(cv$fit.preval)[foldid == 1], predict(fit, pairs[foldid == 1]), tolerance = 1e-3)
})

test_that("every model can be tuned", {
  pairs <- linked_pairs()
  for (model in model_names()) {
    cv <- cv_hofm(pairs, model = model, rank = 1:2, nfolds = 3, n_lambda = 4, measure = "auc", control = quick())
    expect_identical(nrow(cv$table), 8L)
    expect_true(all(cv$cvm >= 0 & cv$cvm <= 1))
    expect_identical(cv$fit$model, model)
    expect_output(print(cv), "by cross-validation")
  }
})

test_that("bad input is refused by name", {
  data <- product_data(30)
  x <- data$x
  y <- data$y
  class <- factor(rep(c("no", "yes"), c(26, 4)))
  refuse <- function(code, pattern) expect_error(code, pattern, class = "hofm_error_input")
  for (lambda in list(0, -1, c(1, NA), Inf, "path", list(1), numeric(), TRUE)) {
    refuse(cv_hofm(x, y, lambda = lambda), "`lambda` must be NULL, \"paper\" or positive finite numbers")
  }
  refuse(cv_hofm(x, y, nfolds = 31), "`nfolds` must be at most 30, the number of rows, not 31")
  for (nfolds in list(1, 2.5, NA, "5", c(3, 4))) refuse(cv_hofm(x, y, nfolds = nfolds), "`nfolds` must be")
  refuse(cv_hofm(x, y, foldid = rep(1:3, 9)), "`foldid` must have one value for each of the 30 rows, not 27")
  refuse(cv_hofm(x, y, foldid = rep(1, 30)), "`foldid` must name at least two folds")
  for (foldid in list(rep(c(1, NA), 15), rep(0:1, 15), rep(c(1, 1.5), 15), rep("a", 30))) {
    refuse(cv_hofm(x, y, foldid = foldid), "`foldid` must be positive whole numbers")
  }
  refuse(cv_hofm(x, class, foldid = rep(1:2, c(20, 10))), "`foldid` must .* fold 1 has no row of class \"yes\"")
  refuse(cv_hofm(x, class, nfolds = 5), "`nfolds` must .* no row of class \"yes\": use fewer folds")
  refuse(cv_hofm(x, rep(c(1, 2), c(15, 15)), foldid = rep(1:2, c(15, 15))), "the response does not vary outside fold 1")
  refuse(cv_hofm(x, y, foldid = rep(1:2, 15), weights = rep(0:1, 15)), "fold 1 has no row of positive weight")
  refuse(cv_hofm(x, y, measure = "auc"), "`measure = \"auc\"` needs a response with two classes")
  refuse(cv_hofm(x, y, measure = "rmse"), "`measure` must be one of")
  refuse(cv_hofm(x, y, order = 0), "`order` must be")
  refuse(cv_hofm(x, y, order = "2"), "`order` must be one or more whole numbers")
  refuse(cv_hofm(x, y, rank = numeric()), "`rank` must be one or more whole numbers")
  refuse(cv_hofm(x, y, rank = c(2, -1)), "`rank` must be")
  refuse(cv_hofm(x, y, workers = 0), "`workers` must be")
  refuse(cv_hofm(x, y, n_lambda = 1), "`n_lambda` must be")
  refuse(cv_hofm(x, y, lambda_min_ratio = 2), "`lambda_min_ratio` must be")
  refuse(cv_hofm(x, y, keep = NA), "`keep` must be TRUE or FALSE")
  refuse(cv_hofm(x, y, folds = 3), "Unknown argument `folds`")
  refuse(cv_hofm(x), "`y`, the response, is missing")
  refuse(cv_hofm(x, y[-1]), "`y` must have one value for each of the 30 rows")
  refuse(cv_hofm(TRUE), "`x` must be")
  refuse(cv_hofm(), "`x` is missing")
  refuse(cv_hofm(linked_pairs(), hold_out = "edges"), "`hold_out` must be one of")
  refuse(cv_hofm(linked_pairs(), negative_weight = 2), "`negative_weight` needs")
})

test_that("one row may be a fold, and an error in a worker reaches the user", {
  data <- product_data(16)
  cv <- cv_hofm(data$x, data$y > 0, order = 1, nfolds = 16, n_lambda = 3)
  expect_identical(as.vector(table(cv$foldid)), rep(1L, 16))
  fail <- function(job, step) hofm_abort("no")
  skip_on_os("windows")
  expect_error(share_out(2, fail, 2, cv_progress(2, FALSE), identity), "no", class = "hofm_error_input")
  lost <- function(job, step) tools::pskill(Sys.getpid(), tools::SIGKILL)
  expect_error(suppressWarnings(share_out(2, lost, 2, cv_progress(2, FALSE), identity)), "without a result", class = "hofm_error_worker")
})

test_that("it says what was found, and only when asked what it is doing", {
  data <- product_data(40)
  run <- function(...) cv_hofm(data$x, data$y, order = 1:2, rank = 2, nfolds = 2, lambda = c(1, 0.1), control = quick(...))
  expect_silent(cv <- run())
  lines <- capture_messages(run(verbose = TRUE))
  expect_match(lines[1:4], "^(order 1|order 2, rank 2), fold [12]\n$")
  out <- capture_output(shown <- print(cv))
  expect_match(out, "Measure: +Mean squared error, 2 folds")
  expect_match(out, "Lambda Index +Measure +SE")
  expect_match(out, "Best of each order and rank")
  expect_identical(shown, cv)
})

test_that("the plot shows the table and keeps the device's settings", {
  data <- product_data(40)
  cv <- cv_hofm(data$x, data$y, order = 1:2, rank = 2, nfolds = 3, n_lambda = 6, control = quick())
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  old <- graphics::par(no.readonly = TRUE)[c("mar", "mfrow", "las")]
  expect_identical(plot(cv, main = "Title"), cv$table)
  expect_identical(graphics::par(no.readonly = TRUE)[c("mar", "mfrow", "las")], old)
  usr <- graphics::par("usr")
  expect_true(all(log10(cv$lambda) >= usr[1] & log10(cv$lambda) <= usr[2]))
  expect_true(all(c(cv$cvup, cv$cvlo, cv$table$cvm) >= usr[3] & c(cv$cvup, cv$cvlo, cv$table$cvm) <= usr[4]))
  one <- cv_hofm(data$x, data$y, order = 1, nfolds = 3, lambda = 1)
  expect_identical(plot(one), one$table)
})
