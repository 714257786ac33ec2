# Fits made by hand: what must come out follows from their numbers, not from a solver.
hand_fit <- function(model, order, d_a, d_b, k = 3, loss = "squared", names = NULL) {
  d <- d_a + d_b
  features <- if (is.null(names)) c(paste0("A.V", seq_len(d_a)), paste0("B.V", seq_len(d_b))) else names
  factors <- function(rows = d) matrix(rnorm(rows * k, sd = 0.6), rows)
  one <- function() stats::setNames(list(factors()), order)
  degrees <- seq_len(if (is.na(order)) 1 else order)[-1]
  parts <- switch(model,
    hofm = list(w = rnorm(d), P = stats::setNames(lapply(degrees, function(t) factors()), degrees)),
    shared = list(P = one(), gamma = factors(order - 1)),
    simplex = list(P = one(), theta = seq_len(order) / sum(seq_len(order))),
    all_subsets = list(P = list(all = factors())),
    polynomial = list(P = one(), gamma = rnorm(k)),
    bilinear = list(P = list(U = factors(d_a), V = factors(d_b)), split = d_a))
  if (model == "shared") parts$theta <- theta_from_gamma(parts$gamma)
  rest <- list(
    intercept = 0.3, model = model, order = order, rank = if (model == "hofm") rep(k, order - 1) else k, loss = loss,
    linear = model == "hofm", features = features, blueprint = list(kind = "matrix", named = TRUE),
    response = list(kind = "numeric", levels = c(0, 1)), offset_given = FALSE,
    control = hofm_control(threads = 1), format_version = format_version)
  structure(c(parts, rest), class = "hofm")
}

# The link of one joined row, by the definition of each model.
slow_link <- function(fit, x) {
  over_factors <- function(P, f) sum(vapply(seq_len(ncol(P)), function(s) f(P[, s], s), 0))
  m <- fit$order
  fit$intercept + switch(fit$model,
    hofm = sum(fit$w * x) + sum(vapply(names(fit$P), function(t) {
      over_factors(fit$P[[t]], function(p, s) anova_slow(p, x, as.integer(t)))
    }, 0)),
    shared = over_factors(fit$P[[1]], function(p, s) anova_slow(c(fit$gamma[, s], p), c(rep(1, m - 1), x), m)),
    simplex = over_factors(fit$P[[1]], function(p, s) {
      sum(vapply(seq_len(m), function(t) fit$theta[t] * anova_slow(p, x, t), 0))
    }),
    all_subsets = over_factors(fit$P[[1]], function(p, s) prod(1 + p * x)),
    polynomial = over_factors(fit$P[[1]], function(p, s) (fit$gamma[s] + sum(p * x))^m),
    bilinear = {
      a <- seq_len(nrow(fit$P$U))
      sum((x[a] %*% fit$P$U) * (x[-a] %*% fit$P$V))
    })
}

slow_scores <- function(fit, A, B = A) {
  outer(seq_len(nrow(A)), seq_len(nrow(B)), Vectorize(function(i, j) slow_link(fit, c(A[i, ], B[j, ]))))
}

some_nodes <- function(n, d, density = 0.7) {
  x <- matrix(rnorm(n * d), n)
  x[runif(n * d) > density] <- 0
  x
}

scores_of <- function(fit, A, B = NULL, threads = 1) score_links(fit, A, B, type = "link", threads = threads)

for (model in c("hofm", "shared", "simplex", "all_subsets", "polynomial", "bilinear")) {
  test_that(paste("scores of all pairs are those of the joined rows:", model), {
    set.seed(11)
    orders <- switch(model, hofm = 1:6, polynomial = 1:5, all_subsets = NA, bilinear = NA, 2:5)
    for (order in orders) for (k in c(1, 5)) {
      fit <- hand_fit(model, order, 4, 3, k)
      A <- some_nodes(11, 4)
      B <- some_nodes(6, 3)
      expect_equal(scores_of(fit, A, B), slow_scores(fit, A, B), tolerance = 1e-10)
    }
  })
}

test_that("scores of a fit on the joined matrix are its predictions", {
  set.seed(10)
  A <- some_nodes(20, 4)
  B <- some_nodes(15, 3)
  pairs <- link_pairs(A, B, data.frame(expand.grid(i = 1:20, j = 1:15), y = rbinom(300, 1, 0.4)))
  for (model in setdiff(model_names(), "bilinear")) for (loss in c("squared", "logistic")) {
    order <- if (model != "all_subsets") list(order = 3)
    fit <- collapsing(do.call(hofm, c(order, list(model.matrix(pairs), pairs$y, rank = 2, lambda = 0.001, model = model,
                                                  loss = loss, control = quick()))))
    expect_equal(c(score_links(fit, A, B)), predict(fit, model.matrix(pairs)), tolerance = 1e-10)
    expect_equal(c(score_links(fit, pairs, type = "link")), predict(fit, model.matrix(pairs), type = "link"),
                 tolerance = 1e-10)
  }
})

test_that("one node set is scored in both orders", {
  set.seed(12)
  fit <- hand_fit("hofm", 3, 4, 4)
  A <- some_nodes(9, 4)
  scores <- score_links(fit, A, type = "link")
  expect_equal(scores, slow_scores(fit, A), tolerance = 1e-10)
  expect_false(isSymmetric(scores))
  expect_null(dimnames(scores))
})

test_that("a degree that is left out, and a model without a linear term, are scored", {
  set.seed(13)
  fit <- hand_fit("hofm", 4, 3, 2)
  fit$P[["3"]] <- NULL
  fit$rank[2] <- 0
  fit$w <- NULL
  fit$linear <- FALSE
  A <- some_nodes(5, 3)
  B <- some_nodes(4, 2)
  twin <- fit
  twin$w <- rep(0, 5)
  expect_equal(score_links(fit, A, B), slow_scores(twin, A, B), tolerance = 1e-10)
})

test_that("scores do not depend on threads, place or company", {
  set.seed(14)
  fit <- hand_fit("hofm", 3, 5, 4, k = 20)
  A <- some_nodes(150, 5)
  B <- some_nodes(1100, 4)
  A[c(1, 70, 149), ] <- rep(A[2, ], each = 3)
  B[c(3, 600, 1099), ] <- rep(B[5, ], each = 3)
  scores <- scores_of(fit, A, B)
  for (threads in c(2, 3, 8)) expect_identical(scores_of(fit, A, B, threads), scores)
  expect_length(unique(c(scores[c(1, 2, 70, 149), c(3, 5, 600, 1099)])), 1)
  expect_identical(scores_of(fit, A[7:20, ], B[31:33, ]), scores[7:20, 31:33])
  expect_identical(scores_of(fit, A[7, , drop = FALSE], B[31, , drop = FALSE]), scores[7, 31, drop = FALSE])
})

named_case <- function() {
  set.seed(15)
  A <- some_nodes(12, 4)
  B <- some_nodes(7, 3)
  dimnames(A) <- list(paste0("a", 1:12), c("w", "x", "y", "z"))
  dimnames(B) <- list(paste0("b", 1:7), c("u", "v", "w"))
  names <- c("A.w", "A.x", "A.y", "A.z", "B.u", "B.v", "B.w")
  list(A = A, B = B, fit = hand_fit("hofm", 3, 4, 3, names = names))
}

test_that("columns are matched by name and nodes keep theirs", {
  case <- named_case()
  scores <- score_links(case$fit, case$A, case$B)
  expect_identical(dimnames(scores), list(rownames(case$A), rownames(case$B)))
  expect_equal(unname(scores), unname(slow_scores(case$fit, case$A, case$B)), tolerance = 1e-10)
  shuffled <- cbind(case$A[, c(3, 1, 4, 2)], new = 1)
  expect_identical(score_links(case$fit, shuffled, case$B[, 3:1]), scores)
  expect_error(score_links(case$fit, case$A[, -2], case$B), "`A` lacks a column.*`x`", class = "hofm_error_columns")
  expect_error(score_links(case$fit, case$A, case$A), "`B` lacks 2 columns.*`u`, `v`", class = "hofm_error_columns")
  expect_error(score_links(case$fit, case$A), class = "hofm_error_columns")
  expect_error(score_links(case$fit, unname(case$A), case$B), class = "hofm_error_columns")
  expect_error(score_links(hand_fit("hofm", 2, 4, 3), case$A[, -1], case$B), "4 columns", class = "hofm_error_columns")
})

test_that("nodes of link_pairs and of a test set are scored as they are", {
  case <- named_case()
  pairs <- link_pairs(case$A, case$B, cbind(1:3, 1:3))
  expect_identical(score_links(case$fit, pairs), score_links(case$fit, case$A, case$B))
  rest <- split_links(case$A, case$B, cbind(1:6, 1:6))$test
  expect_identical(score_links(case$fit, rest), score_links(case$fit, case$A, case$B))
})

test_that("scores are on the scale that was asked for", {
  case <- named_case()
  fit <- hand_fit("hofm", 2, 4, 3, loss = "logistic", names = case$fit$features)
  link <- score_links(fit, case$A, case$B, type = "link")
  expect_identical(score_links(fit, case$A, case$B), stats::plogis(link))
  expect_identical(score_links(fit, case$A, case$B, type = "response"), stats::plogis(link))
})

# The best pairs by sorting all of them: `allowed` is a logical matrix.
slow_top <- function(scores, allowed, n) {
  at <- which(allowed, arr.ind = TRUE)
  at <- at[order(-scores[at], at[, 1], at[, 2]), , drop = FALSE]
  at <- utils::head(at, n)
  data.frame(i = unname(at[, 1]), j = unname(at[, 2]), score = scores[at])
}

graph_case <- function(kind, n = 90, d = 3) {
  A <- some_nodes(n, d)
  B <- if (kind == "two_sets") some_nodes(600, 2) else A
  A[5, ] <- A[4, ]                                       # ties
  if (kind != "two_sets") B <- A
  pairs <- matrix(TRUE, nrow(A), nrow(B))
  if (kind == "directed") pairs[row(pairs) == col(pairs)] <- FALSE
  if (kind == "undirected") pairs[row(pairs) >= col(pairs)] <- FALSE
  fit <- hand_fit("hofm", 3, d, ncol(B))
  list(A = A, B = if (kind == "two_sets") B, pairs = pairs, fit = fit, scores = scores_of(fit, A, B),
       edges = which(pairs, arr.ind = TRUE)[sample.int(sum(pairs), 300), ], directed = kind == "directed")
}

for (kind in c("two_sets", "directed", "undirected")) {
  test_that(paste("the best links are those that sorting all pairs gives:", kind), {
    set.seed(16)
    g <- graph_case(kind)
    known <- link_pairs(g$A, g$B, cbind(g$edges, rep(1:0, c(200, 100))), directed = g$directed)
    allowed <- g$pairs
    allowed[g$edges[1:200, ]] <- FALSE
    for (n in c(1, 10, 400)) for (threads in 1:2) {
      expect_identical(top_links(g$fit, known, n = n, threads = threads), slow_top(g$scores, allowed, n))
    }
    both <- if (kind == "undirected") allowed | t(allowed) else allowed
    scores <- g$scores
    if (kind == "undirected") scores[lower.tri(scores)] <- t(scores)[lower.tri(scores)]
    want <- do.call(rbind, lapply(seq_len(nrow(g$A)), function(i) slow_top(scores, both & row(both) == i, 3)))
    for (threads in 1:2) expect_identical(top_links(g$fit, known, n = 3, by = "node", threads = threads), want)
  })

  test_that(paste("the area over all remaining pairs is that of the list of them:", kind), {
    set.seed(17)
    g <- graph_case(kind)
    split <- split_links(g$A, g$B, g$edges, prop = 0.3, ratio = 2, directed = g$directed)
    rest <- g$pairs
    rest[cbind(split$train$i, split$train$j)] <- FALSE
    truth <- matrix(FALSE, nrow(rest), ncol(rest))
    truth[cbind(split$test$links$i, split$test$links$j)] <- TRUE
    for (threads in c(1, 2, 5)) {
      expect_identical(auc(g$fit, split$test, threads = threads), auc(truth[rest], g$scores[rest]))
    }
    expect_equal(auc(g$fit, split$test, ci = TRUE, level = 0.9), auc(truth[rest], g$scores[rest], ci = TRUE, level = 0.9))
    expect_equal(auc(g$fit, split$test, ci = TRUE, method = "logit"),
                 auc(truth[rest], g$scores[rest], ci = TRUE, method = "logit"))
    expect_identical(top_links(g$fit, split$test, n = 20), slow_top(g$scores, rest, 20))
  })

  test_that(paste("the curve over all remaining pairs is that of the list of them, but for points between corners:", kind), {
    set.seed(20)
    g <- graph_case(kind)
    g$scores <- scores_of(g$fit, g$A, g$B)
    split <- split_links(g$A, g$B, g$edges, prop = 0.3, ratio = 2, directed = g$directed)
    rest <- as.data.frame(split$test)
    want <- roc_curve(rest$y, g$scores[cbind(rest$i, rest$j)])
    got <- roc_curve(g$fit, split$test)
    for (threads in c(1, 2, 5)) expect_identical(roc_curve(g$fit, split$test, threads = threads), got)
    at <- match(got$threshold, want$threshold)
    expect_false(anyNA(at))
    expect_equal(got$fpr, want$fpr[at])
    expect_equal(got$tpr, want$tpr[at])
    # what is left out lies on the way from one corner to the next, where tpr does not change
    expect_equal(want$tpr, got$tpr[findInterval(seq_along(want$tpr), at)])
    expect_equal(range(at), c(1, nrow(want)))
    expect_equal(sum(diff(got$fpr) * (got$tpr[-1] + got$tpr[-nrow(got)]) / 2), auc(g$fit, split$test))
    for (what in c("auc", "se", "n_pos", "n_neg", "levels")) expect_equal(attr(got, what), attr(want, what))
    expect_lte(nrow(roc_curve(g$fit, split$test, max_points = 20)), 20)
    expect_identical(auc(roc_curve(g$fit, split$test, max_points = 20)), auc(got))
  })
}

test_that("the curve of given pairs is that of their predictions", {
  case <- named_case()
  pairs <- link_pairs(case$A, case$B, data.frame(i = 1:12, j = rep_len(1:7, 12), y = rep(0:1, 6)))
  expect_identical(roc_curve(case$fit, pairs), roc_curve(pairs$y, predict(case$fit, pairs, type = "link")))
  expect_error(roc_curve(case$fit), "`test` must be given", class = "hofm_error_input")
  expect_error(roc_curve(case$fit, 1:3), "`test` must be", class = "hofm_error_input")
  expect_error(roc_curve(case$fit, pairs, points = 3), "Unknown argument `points`", class = "hofm_error_input")
  expect_error(roc_curve(case$fit, pairs, max_points = 1), "`max_points` must be", class = "hofm_error_input")
})

test_that("the area over given pairs is that of their predictions, whatever the order of columns", {
  case <- named_case()
  day <- matrix(rnorm(40), 20, dimnames = list(NULL, c("day", "hour")))
  pairs <- data.frame(i = sample.int(12, 20, TRUE), j = rep_len(1:7, 20))
  pairs$y <- as.numeric(pairs$i %% 2 == 0)
  fit <- hand_fit("hofm", 3, 4, 5, names = c(case$fit$features, "pair.day", "pair.hour"))
  joined <- cbind(case$A[pairs$i, ], case$B[pairs$j, ], day)
  want <- auc(pairs$y, apply(joined, 1, function(x) slow_link(fit, x)))
  expect_identical(auc(fit, link_pairs(case$A, case$B, pairs, context = day)), want)
  expect_identical(auc(fit, link_pairs(case$A[, 4:1], case$B[, 3:1], pairs, context = cbind(x = 1, day[, 2:1]))), want)
  expect_error(auc(fit, link_pairs(case$A, case$B, pairs)), "`context` lacks 2 columns", class = "hofm_error_columns")
  plain <- auc(case$fit, link_pairs(case$A, case$B, pairs))
  expect_identical(auc(case$fit, link_pairs(case$A, case$B, pairs, context = day)), plain)
})

test_that("fewer links come back where there are fewer", {
  set.seed(18)
  fit <- hand_fit("hofm", 2, 2, 2)
  A <- some_nodes(4, 2)
  expect_identical(nrow(top_links(fit, A, n = 100)), 6L)
  expect_identical(nrow(top_links(fit, A, n = 100, directed = TRUE)), 12L)
  expect_identical(nrow(top_links(fit, A, n = 2, by = "node")), 8L)
  full <- link_pairs(A, pairs = every <- t(utils::combn(4, 2)))
  expect_identical(nrow(top_links(fit, full, n = 2)), 0L)
  expect_named(top_links(fit, full, n = 2), c("i", "j", "score"))
  expect_identical(top_links(fit, A, known = every[6:1, 2:1]), top_links(fit, full))
})

test_that("new nodes are ranked by their features", {
  case <- named_case()
  new <- matrix(c(1, -1, 0.5, 2), 1, dimnames = list("newcomer", c("z", "y", "x", "w")))
  best <- top_links(case$fit, new, B = case$B, n = 3, by = "node")
  scores <- slow_scores(case$fit, new[, 4:1, drop = FALSE], case$B)
  expect_identical(best$i, rep("newcomer", 3))
  expect_identical(best$j, rownames(case$B)[order(-scores)[1:3]])
  expect_equal(best$score, sort(scores, decreasing = TRUE)[1:3])
  left <- top_links(case$fit, new, B = case$B, n = 7, known = data.frame("newcomer", best$j[1]))
  expect_false(best$j[1] %in% left$j)
  expect_identical(nrow(left), 6L)
})

test_that("what cannot be scored is refused", {
  case <- named_case()
  fit <- case$fit
  rest <- split_links(case$A, case$B, cbind(1:6, 1:6))$test
  plain <- hand_fit("hofm", 2, 1, 2, names = c("a", "b", "c"))
  expect_error(score_links(plain, case$A, case$B), "link_pairs", class = "hofm_error_input")
  expect_error(score_links(1, case$A, case$B), "`fit`", class = "hofm_error_input")
  expect_error(score_links(fit), "`A`", class = "hofm_error_input")
  expect_error(score_links(fit, case$A, case$B, type = "class"), "`type`", class = "hofm_error_input")
  expect_error(score_links(fit, case$A, case$B, threads = 0), "`threads`", class = "hofm_error_input")
  expect_error(score_links(fit, rest, case$B), "`B`", class = "hofm_error_input")
  expect_error(score_links(fit, replace(case$A, 3, NaN), case$B), "finite", class = "hofm_error_input")
  in_context <- hand_fit("hofm", 2, 1, 2, names = c("A.a", "B.b", "pair.c"))
  expect_error(score_links(in_context, case$A, case$B), "`pair.c`", class = "hofm_error_unsupported")
  expect_error(top_links(fit, case$A, B = case$B, n = 0), "`n`", class = "hofm_error_input")
  expect_error(top_links(fit, case$A, B = case$B, by = "edge"), "`by`", class = "hofm_error_input")
  expect_error(top_links(fit, case$A, B = case$B, known = cbind(1, 99)), "from 1 to 7", class = "hofm_error_input")
  expect_error(top_links(fit), "`links`", class = "hofm_error_input")
  expect_error(auc(fit), "`test`", class = "hofm_error_input")
  expect_error(auc(fit, case$A), "split_links", class = "hofm_error_input")
  expect_error(auc(fit, rest, level = 2), "`level`", class = "hofm_error_input")
  expect_error(auc(fit, rest, weights = 1), "Unknown argument `weights`", class = "hofm_error_input")
  none <- rest
  none$links <- list(i = integer(), j = integer())
  expect_error(auc(fit, none), "no links", class = "hofm_error_input")
  broken <- rest
  broken$links$i[1] <- 1000L
  expect_error(auc(fit, broken), "from 1 to 12", class = "hofm_error_input")
})

test_that("scores that overflow are an error, not NaN", {
  set.seed(19)
  fit <- hand_fit("hofm", 3, 2, 2)
  A <- matrix(c(1e200, -1e200, 1, 1e200, 1e200, -1), 3)
  expect_error(score_links(fit, A), class = "hofm_error_overflow")
  expect_error(top_links(fit, A), class = "hofm_error_overflow")
  expect_error(auc(fit, split_links(A, edges = cbind(1:2, 2:3), ratio = 0)$test), class = "hofm_error_overflow")
})

test_that("two node sets without a single nonzero are two sets, even if they hold the same empty vectors", {
  set.seed(9)
  fit <- hand_fit("hofm", 3, 3, 2)
  none <- list(i = integer(), x = numeric())
  nothing <- function(n, d) methods::new("dgCMatrix", i = none$i, x = none$x, p = integer(d + 1), Dim = c(n, d))
  expect_identical(score_links_cpp(nothing(3L, 3L), nothing(7L, 2L), link_model(fit), 1L), matrix(0.3, 3, 7))
  expect_identical(unname(scores_of(fit, matrix(0, 3, 3), matrix(0, 7, 2))), matrix(0.3, 3, 7))
})

test_that("the area of new rows is that of their predictions", {
  train <- seq(1, 32, 2)
  cars <- transform(mtcars, am = factor(am, labels = c("automatic", "manual")))
  fit <- hofm(am ~ hp + wt, cars[train, ], order = 1, lambda = 0.1)
  rest <- cars[-train, ]
  expected <- auc(rest$am, predict(fit, rest, type = "link"))
  expect_identical(auc(fit, rest), expected)
  expect_identical(auc(fit, newdata = rest), expected)
  expect_identical(auc(fit, rest[c("hp", "wt")], y = rest$am), expected)
  expect_identical(attr(roc_curve(fit, rest), "auc"), expected)
  expect_equal(auc(fit, rest, ci = TRUE)[["auc"]], expected)
  holed <- replace(rest, "hp", list(replace(rest$hp, 2, NA)))
  expect_warning(area <- auc(fit, holed), "1 row of `test`", class = "hofm_warning_dropped_rows")
  expect_identical(area, auc(fit, rest[-2, ]))
  expect_error(auc(fit, rest[c("hp", "wt")]), "`test` must hold the response, `am`", class = "hofm_error_input")
  expect_error(auc(fit, rest, y = "manuel"), "one value for each of the 16 rows", class = "hofm_error_input")
  expect_error(auc(fit, rest, y = rep("manuel", 16)), "the classes of the fit, but in row 1 it is \"manuel\"", class = "hofm_error_input")
  expect_error(auc(hofm(mpg ~ wt, mtcars, order = 1, lambda = 1), mtcars), "needs two classes", class = "hofm_error_input")
  x <- as.matrix(mtcars[c("hp", "wt")])
  by_matrix <- hofm(x, mtcars$am == 1, order = 1, lambda = 0.1)
  expect_identical(auc(by_matrix, x, y = mtcars$am == 1), auc(mtcars$am == 1, predict(by_matrix, x)))
  expect_error(auc(by_matrix, x), "`y`, the response of `test`, must be given", class = "hofm_error_input")
})
