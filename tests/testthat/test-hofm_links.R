# Training on pairs of nodes must be training on the joined rows, which are then written out for comparison only.

small_graph <- function(one_set = FALSE, context = FALSE) {
  A <- Matrix::rsparsematrix(8, 5, 0.6)
  B <- if (!one_set) Matrix::rsparsematrix(9, 4, 0.6)
  nodes <- if (one_set) 8 else 9
  pairs <- expand.grid(i = 1:8, j = seq_len(nodes))
  if (one_set) pairs <- pairs[pairs$i != pairs$j, ]
  pairs <- pairs[sample(nrow(pairs), 40), ]
  pairs$y <- rep(0:1, 20)
  link_pairs(A, B, pairs, context = if (context) matrix(rnorm(80), 40))
}

# Few steps on few rows: factors may end at zero, and the first steps of SGD may be too long for cubes.
fit_quietly <- function(..., model = "hofm", standardize = FALSE) {
  suppressWarnings(hofm(..., model = model, standardize = standardize), classes = c("hofm_warning_collapsed", if (model == "polynomial") "hofm_warning_step_halved"))
}

test_that("all models and solvers reach on pairs what they reach on the joined rows, from one start", {
  set.seed(1)
  for (context in c(FALSE, TRUE)) {
    pairs <- small_graph(context = context)
    x <- model.matrix(pairs)
    for (model in c("hofm", "shared", "simplex", "all_subsets", "polynomial")) {
      order <- if (model == "all_subsets") list() else list(order = 3)
      for (solver in if (model == "simplex") "cd" else c("cd", "lbfgs", "adagrad", "sgd")) {
        settings <- c(list(rank = 3, lambda = 1e-3, model = model, solver = solver, loss = "squared",
                           control = hofm_control(seed = 4, init_sd = 0.3, max_iter = 6, tol = 0)), order)
        a <- do.call(fit_quietly, c(list(pairs, negatives = "given", common = FALSE), settings))
        b <- do.call(fit_quietly, c(list(x, pairs$y), settings))
        tolerance <- if (solver == "lbfgs") 1e-6 else 1e-9            # line searches multiply rounding errors
        expect_equal(a$P, b$P, tolerance = tolerance, info = paste(model, solver))
        expect_equal(a$objective, b$objective, tolerance = tolerance)
        expect_equal(predict(a, pairs), predict(b, x), tolerance = 1e-6)
      }
    }
  }
})

test_that("other losses end where the joined rows end", {
  set.seed(2)
  pairs <- small_graph()
  x <- model.matrix(pairs)
  for (loss in c("logistic", "squared_hinge", "poisson")) {
    settings <- list(order = 2, rank = 1, lambda = 0.1, loss = loss, solver = "cd",
                     control = hofm_control(seed = 4, init_sd = 0.3, max_iter = 5000, tol = 1e-12))
    a <- do.call(fit_quietly, c(list(pairs), settings))
    b <- do.call(fit_quietly, c(list(x, pairs$y), settings))
    expect_equal(a$objective, b$objective, tolerance = 1e-5)
    expect_true(all(diff(a$trace$objective) <= 1e-12))
  }
})

test_that("the bilinear model is a' U V' b", {
  set.seed(3)
  pairs <- small_graph()
  fit <- fit_quietly(pairs, model = "bilinear", rank = 2, control = hofm_control(seed = 1))
  expect_named(fit$P, c("U", "V"))
  by_hand <- fit$intercept + rowSums((as.matrix(pairs$A)[pairs$i, ] %*% fit$P$U) * (as.matrix(pairs$B)[pairs$j, ] %*% fit$P$V))
  expect_equal(predict(fit, pairs), by_hand)
  scores <- score_links(fit, pairs)
  expect_equal(scores[cbind(pairs$i, pairs$j)], by_hand, ignore_attr = TRUE)
  expect_equal(rowSums(predict(fit, pairs, type = "terms")), by_hand)
  expect_error(hofm(small_graph(context = TRUE), model = "bilinear"), "context", class = "hofm_error_input")
  expect_error(hofm(pairs, model = "bilinear", order = 2), "`order` must not be given", class = "hofm_error_input")
})

test_that("all negatives equal training on every pair written out with its weight", {
  for (kind in c("two_sets", "directed", "undirected")) {
    set.seed(4)
    one_set <- kind != "two_sets"
    A <- Matrix::rsparsematrix(7, 5, 0.7)
    B <- if (!one_set) Matrix::rsparsematrix(6, 4, 0.7)
    links <- if (one_set) cbind(c(1, 2, 3, 5), c(2, 4, 6, 7)) else cbind(c(1, 2, 3, 7), c(1, 3, 6, 5))
    pairs <- link_pairs(A, B, data.frame(i = links[, 1], j = links[, 2], y = 1), directed = kind == "directed")
    grid <- expand.grid(i = 1:7, j = seq_len(if (one_set) 7 else 6))
    if (one_set) grid <- grid[grid$i != grid$j, ]
    linked <- paste(links[, 1], links[, 2])
    if (kind == "undirected") linked <- c(linked, paste(links[, 2], links[, 1]))
    grid$y <- as.integer(paste(grid$i, grid$j) %in% linked)
    all_pairs <- link_pairs(A, B, grid, directed = TRUE)
    x <- model.matrix(all_pairs)
    for (model in c("hofm", "shared", "all_subsets", if (!one_set) "bilinear")) {
      order <- if (model %in% c("all_subsets", "bilinear")) list() else list(order = 3)
      settings <- c(list(rank = 2, lambda = 1e-3, model = model), order)
      control <- hofm_control(seed = 2, init_sd = 0.4, max_iter = 25, tol = 0)
      for (w0 in c(0.1, 1)) {
        a <- do.call(fit_quietly, c(list(pairs, negatives = "all", negative_weight = w0, tied = FALSE, control = control), settings))
        b <- do.call(fit_quietly, c(list(all_pairs, weights = ifelse(grid$y == 1, 1, w0), solver = "cd", control = control), settings))
        expect_equal(a$objective, b$objective, tolerance = 1e-7, info = paste(kind, model, w0))
        expect_equal(a$P, b$P, tolerance = 1e-6)
      }
    }
    expect_equal(a$negatives$pairs, nrow(grid))
    expect_equal(a$negatives$links, sum(grid$y))
  }
})

test_that("all negatives are refused where they cannot be had", {
  set.seed(5)
  pairs <- small_graph()
  refused <- function(..., match) expect_error(hofm(pairs, negatives = "all", ...), match, class = "hofm_error_input")
  refused(loss = "logistic", match = "`loss` must be \"squared\"")
  refused(solver = "sgd", match = "`solver` must be")
  refused(model = "polynomial", match = "`model` must be")
  refused(weights = rep(1, 40), match = "`weights` must be")
  refused(negative_weight = -1, match = "`negative_weight` must be")
  expect_error(hofm(pairs, negatives = "given", negative_weight = 1), "needs `negatives = \"all\"`", class = "hofm_error_input")
  expect_error(hofm(pairs, negatives = "some"), "`negatives` must be", class = "hofm_error_input")
})

test_that("bits do not depend on threads, and a saved fit scores the same", {
  set.seed(6)
  pairs <- small_graph()
  for (solver in c("cd", "lbfgs", "sgd")) {
    fits <- lapply(c(1, 2, 5), function(threads) {
      fit_quietly(pairs, order = 3, rank = 4, lambda = 1e-3, solver = solver, control = hofm_control(seed = 1, threads = threads, max_iter = 4))
    })
    for (k in 2:3) expect_identical(fits[[k]][c("P", "w", "objective")], fits[[1]][c("P", "w", "objective")])
  }
  file <- tempfile()
  saveRDS(fits[[1]], file)
  expect_identical(score_links(readRDS(file), pairs), score_links(fits[[1]], pairs))
})

test_that("columns are matched by name, and other columns are refused", {
  set.seed(7)
  A <- matrix(rnorm(24), 8, dimnames = list(NULL, c("a", "b", "c")))
  B <- matrix(rnorm(18), 9, dimnames = list(NULL, c("u", "v")))
  ends <- data.frame(i = rep(1:8, 2), j = c(1:8, 2:9), y = rep(0:1, 8))
  fit <- fit_quietly(link_pairs(A, B, ends), rank = 2)
  expect_equal(predict(fit, link_pairs(A[, c(3, 1, 2)], B[, 2:1], ends)), predict(fit, link_pairs(A, B, ends)))
  expect_error(predict(fit, link_pairs(A[, 1:2], B, ends)), class = "hofm_error_columns")
})

test_that("a damaged link_pairs object is an error and no crash: its numbers reach the compiled code", {
  set.seed(8)
  pairs <- small_graph()
  fit <- fit_quietly(pairs, rank = 2, control = hofm_control(max_iter = 2, seed = 1))
  damage <- list(
    i_beyond = list(i = replace(pairs$i, 4, 99999999L)), i_missing = list(i = replace(pairs$i, 2, NA)), i_gone = list(i = NULL),
    i_short = list(i = pairs$i[1:3]), i_text = list(i = as.character(pairs$i)), j_zero = list(j = replace(pairs$j, 1, 0L)),
    y_short = list(y = 1), y_other = list(y = replace(pairs$y, 1, 7)),
    A_rows = list(A = pairs$A[1:2, ]), A_columns = list(A = pairs$A[, 1:2]), A_dense = list(A = as.matrix(pairs$A)),
    A_slots = list(A = local({ pairs$A@i[1] <- 1000000L; pairs$A })), A_nan = list(A = local({ pairs$A@x[1] <- NaN; pairs$A })),
    context = list(context = Matrix::rsparsematrix(3, 1, 1)), one_set = list(one_set = TRUE), features = list(features = 1))
  for (what in names(damage)) {
    bad <- pairs
    bad[names(damage[[what]])] <- damage[[what]]
    class(bad) <- "link_pairs"
    expect_error(hofm(bad, rank = 2), class = "hofm_error_input")
    expect_error(hofm(bad, rank = 2, negatives = "all"), class = "hofm_error_input")
    expect_error(predict(fit, bad), class = "hofm_error_input")
  }
  narrow <- pairs
  narrow$A <- pairs$A[, 1:2]
  expect_error(score_links(fit, narrow), class = "hofm_error_input")
  expect_error(top_links(fit, narrow), class = "hofm_error_input")
})

test_that("a fit that knows nothing of pairs does not predict for them", {
  set.seed(9)
  x <- matrix(rnorm(90), 10)
  fit <- fit_quietly(x, rnorm(10), rank = 2, control = hofm_control(max_iter = 2))
  expect_error(predict(fit, small_graph()), "link_pairs", class = "hofm_error_input")
})

test_that("coordinate descent of the bilinear model equals a slow twin, and its fits can be saved", {
  set.seed(8)
  problem <- random_problem(8, 5)
  P <- matrix(rnorm(10, sd = 0.5), 5)
  value <- function(P) rowSums((problem$dense[, 1:2] %*% P[1:2, ]) * (problem$dense[, 3:5] %*% P[3:5, ]))
  spec <- list(model = "bilinear", order = NA_integer_, rank = 2L, split = 2L, lambda = 0.01, loss = "squared", solver = "cd",
               intercept = TRUE, linear = FALSE)
  start <- list(intercept = 0.1, P = list(U = P[1:2, ], V = P[3:5, ]))
  fit <- fit_from(problem, spec, start, max_iter = 1, tol = 0)
  b <- 0.1 - mean(0.1 + value(P) - problem$y)
  for (s in 1:2) for (j in 1:5) {                       # affine in each parameter: the slope is a difference
    up <- P
    up[j, s] <- up[j, s] + 1
    D <- value(up) - value(P)
    P[j, s] <- P[j, s] - (mean((b + value(P) - problem$y) * D) + 0.01 * P[j, s]) / (mean(D^2) + 0.01)
  }
  expect_equal(fit$intercept, b)
  expect_equal(unname(rbind(fit$P$U, fit$P$V)), P, tolerance = 1e-10)

  skip_if_broken("callr")
  pairs <- small_graph()
  bilinear <- fit_quietly(pairs, model = "bilinear", rank = 2, control = hofm_control(seed = 1))
  file <- tempfile(fileext = ".rds")
  saveRDS(bilinear, file)
  there <- callr::r(function(file, pairs) predict(readRDS(file), pairs), list(file, pairs), package = "hofm")
  expect_identical(there, predict(bilinear, pairs))
})

test_that("the call of a fit to pairs shows what was written, also when it came through dots", {
  A <- diag(3)
  pairs <- link_pairs(A, diag(2), data.frame(i = 1:3, j = c(1, 2, 1), y = c(1, 0, 1)))
  through <- function(...) hofm(pairs, order = 2, rank = 1, ...)
  fit <- suppressWarnings(through(lambda = 0.1, control = hofm_control(seed = 1, max_iter = 2)))
  expect_identical(deparse(fit$call$control), "hofm_control(seed = 1, max_iter = 2)")
  expect_identical(fit$call$lambda, 0.1)
})
