# A small graph with a signal: nodes of like first feature are linked.
small_graph <- function(n = 30, directed = FALSE) {
  seeded(21, {
    A <- matrix(rnorm(n * 4), n, dimnames = list(NULL, letters[1:4]))
    all <- subset(expand.grid(i = seq_len(n), j = seq_len(n)), if (directed) i != j else i < j)
    score <- A[all$i, 1] * A[all$j, 1] + 0.3 * rnorm(nrow(all))
    list(A = A, links = all[order(-score)[1:60], ])
  })
}

rank_fit <- function(..., solver = "adagrad", max_iter = 30, threads = 1) {
  collapsing(hofm(..., rank = 3, lambda = 1e-3, loss = "auc", solver = solver,
                  control = hofm_control(max_iter = max_iter, seed = 5, threads = threads)))
}

test_that("the trace's loss is the pairwise loss of the pairs reported on, plus the penalty", {
  x <- small_matrix(30)
  y <- small_response(x) > 0
  fit <- rank_fit(x, y)
  problem <- list(blocks = NULL, y = ifelse(y, 1, -1), weights = rep(1 / 30, 30), offset = numeric(), task = list(kind = "ranking"))
  reported <- with_seed(fit$seed, training_of(problem))$task$reported
  f <- predict(fit, x, type = "link")
  loss <- mean(log(1 + exp(-(f[reported$links] - f[reported$others]))))
  penalty <- 1e-3 / 2 * (sum(fit$w^2) + sum(fit$P[["2"]]^2))
  expect_equal(fit$objective, loss + penalty)
  expect_equal(fit$deviance, 2 * sum(y) * loss)
  expect_equal(fit$null.deviance, 2 * sum(y) * log(2))
  expect_gte(length(reported$links), 1e4)
  expect_true(all(y[reported$links]) && !any(y[reported$others]))
})

test_that("the mean over the pairs reported on is near that over all pairs of a tiny graph", {
  graph <- small_graph(12)
  pairs <- link_pairs(graph$A, pairs = graph$links[1:20, ])
  fit <- rank_fit(pairs)
  score <- score_links(fit, graph$A)
  all <- subset(expand.grid(i = 1:12, j = 1:12), i < j)
  linked <- paste(all$i, all$j) %in% paste(pairs$i, pairs$j)
  f <- score[as.matrix(all)]
  each <- log(1 + exp(-outer(f[linked], f[!linked], "-")))
  expect_equal(fit$deviance / 2 / 20, mean(each), tolerance = 0.05)
})

test_that("others are never links, never (i, i), and of each pair only once", {
  graph <- small_graph()
  for (directed in c(FALSE, TRUE)) {
    pairs <- link_pairs(graph$A, pairs = rbind(graph$links, data.frame(i = 1, j = 1)), directed = directed)
    known <- graph_of_links(pairs)
    problem <- list(blocks = pair_blocks(pairs), y = rep(1, 61), weights = rep(1 / 61, 61), offset = numeric(),
                    task = list(kind = "ranking", graph = known))
    ranked <- seeded(1, training_of(problem))
    expect_length(ranked$task$links, 60)                            # (1, 1) is none
    i <- ranked$blocks[[1]]$index[-(1:60)]
    j <- ranked$blocks[[2]]$index[-(1:60)]
    expect_true(all(if (directed) i != j else i < j))
    expect_length(intersect(paste(i, j), paste(pairs$i, pairs$j)), 0)
    expect_identical(as.numeric(length(unique(paste(i, j)))), known$size - 60)       # ten thousand draws find them all
  }
})

test_that("training on links ranks links it has not seen, about as well as the logistic loss", {
  split <- split_links(debian_r$features, edges = debian_r$links, directed = TRUE, seed = 1)
  fit_with <- function(loss, ...) {
    collapsing(hofm(split$train, rank = 4, lambda = 1e-4, loss = loss, solver = "adagrad",
                    control = hofm_control(seed = 1, ...)))
  }
  value <- auc(fit_with("auc", max_iter = 20), split$test)
  start <- auc(fit_with("auc", max_iter = 1, eta = 1e-12), split$test)
  expect_gt(value, start + 0.2)
  expect_gt(value, auc(fit_with("logistic", max_iter = 20), split$test) - 0.03)
})

test_that("bits depend neither on threads nor on a detour through a file, for both solvers and kinds of others", {
  graph <- small_graph(directed = TRUE)
  links <- link_pairs(graph$A, pairs = graph$links, directed = TRUE)
  x <- small_matrix()
  y <- small_response(x) > 0
  fields <- c("w", "P", "objective", "eta", "linear.predictors")
  for (solver in c("adagrad", "sgd")) {
    one <- rank_fit(links, solver = solver)
    rows <- rank_fit(x, y, solver = solver)
    for (threads in c(2, 3, 8)) {
      expect_identical(rank_fit(links, solver = solver, threads = threads)[fields], one[fields])
      expect_identical(rank_fit(x, y, solver = solver, threads = threads)[fields], rows[fields])
    }
  }
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(one, file)
  expect_identical(predict(readRDS(file), links), predict(one, links))
})

test_that("there is no intercept, and a score is a score", {
  graph <- small_graph()
  links <- link_pairs(graph$A, pairs = graph$links)
  fit <- rank_fit(links)
  expect_identical(fit$intercept, 0)
  expect_false(fit$has_intercept)
  expect_identical(fit$solver, "adagrad")
  expect_identical(collapsing(hofm(links, loss = "auc", rank = 2, control = quick()))$solver, "adagrad")
  expect_identical(predict(fit, links), predict(fit, links, type = "link"))
  expect_error(predict(fit, links, type = "class"), "use `type = \"link\"`", class = "hofm_error_input")
  expect_error(residuals(fit), class = "hofm_error_unsupported")
  expect_error(logLik(fit), class = "hofm_error_unsupported")
  expect_output(print(fit), "60 links ranked above others drawn from 375 pairs of nodes")
  expect_output(print(summary(fit)), "no intercept")
})

test_that("scores go through everything that ranks", {
  graph <- small_graph(directed = TRUE)
  split <- split_links(graph$A, edges = graph$links, directed = TRUE, seed = 1)
  fit <- rank_fit(split$train)
  expect_identical(dim(score_links(fit, graph$A)), c(30L, 30L))
  expect_identical(nrow(top_links(fit, split$test, n = 3)), 3L)
  value <- auc(fit, split$test)
  expect_true(value > 0.5 && value <= 1)
  expect_equal(auc(roc_curve(split$train$y, predict(fit, split$train))), auc(fit, split$train))
})

test_that("cross-validation measures the area, of matrices and of pairs that are given", {
  x <- small_matrix(60)
  y <- small_response(x) > 0
  control <- hofm_control(max_iter = 5, seed = 1)
  cv <- collapsing(cv_hofm(x, y, loss = "auc", rank = 2, lambda = c(0.1, 0.01), nfolds = 3, control = control))
  expect_identical(names(cv$name), "auc")
  expect_true(all(cv$cvm > 0.5))
  expect_identical(cv$fit$loss, "auc")
  expect_error(cv_hofm(x, y, loss = "auc", measure = "mse", lambda = 1, nfolds = 3), "`measure` must be \"auc\"",
               class = "hofm_error_input")
  graph <- small_graph(directed = TRUE)
  pairs <- split_links(graph$A, edges = graph$links, directed = TRUE, seed = 1)$train
  cv <- collapsing(cv_hofm(pairs, loss = "auc", rank = 2, lambda = 0.01, nfolds = 3, control = control))
  expect_identical(cv$fit$ranking$drawn, "rows")
  expect_error(cv_hofm(pairs, loss = "auc", negatives = "all", lambda = 1, nfolds = 3), "`negatives` must be \"given\"",
               class = "hofm_error_input")
})

test_that("weights and offsets of rows count", {
  x <- small_matrix(20)
  y <- small_response(x) > 0
  shifted <- collapsing(hofm(x, y, order = 1, loss = "auc", offset = ifelse(y, 50, 0), control = quick()))
  expect_lt(shifted$objective, 1e-6)                           # the offset has ranked them already
  weights <- seq_len(20)
  fit <- collapsing(hofm(x, y, order = 1, lambda = 0.01, loss = "auc", weights = weights, control = quick()))
  problem <- list(y = ifelse(y, 1, -1), weights = weights / sum(weights), offset = numeric(), task = list(kind = "ranking"))
  reported <- with_seed(fit$seed, training_of(problem))$task$reported
  f <- predict(fit, x)
  loss <- log(1 + exp(-(f[reported$links] - f[reported$others])))
  expect_equal(fit$objective, stats::weighted.mean(loss, weights[reported$links] * weights[reported$others]) + 0.005 * sum(fit$w^2))
  # rows without weight are never drawn
  some <- rep(c(1, 0), 10)
  half <- collapsing(hofm(x, y, order = 1, lambda = 0.01, loss = "auc", weights = some, control = quick()))
  kept <- collapsing(hofm(x[some > 0, ], y[some > 0], order = 1, lambda = 0.01, loss = "auc", control = quick()))
  expect_equal(half$w, kept$w)
})

test_that("what cannot be ranked is an error that names the argument and the cure", {
  graph <- small_graph()
  links <- link_pairs(graph$A, pairs = graph$links)
  expect_error(hofm(links, loss = "auc", solver = "cd"), "`solver` must be \"auto\", \"adagrad\" or \"sgd\"", class = "hofm_error_input")
  expect_error(hofm(links, loss = "auc", solver = "lbfgs"), "`solver`", class = "hofm_error_input")
  expect_error(hofm(links, loss = "auc", model = "simplex"), "model = \"shared\"", class = "hofm_error_input")
  expect_error(hofm(links, loss = "auc", negative_weight = 1), "`negative_weight`", class = "hofm_error_input")
  expect_error(hofm(links, loss = "auc", offset = rep(0, 60)), "`negatives` be \"given\"", class = "hofm_error_input")
  context <- link_pairs(graph$A, pairs = graph$links, context = matrix(1, 60))
  expect_error(hofm(context, loss = "auc"), "`context`", class = "hofm_error_input")
  none <- link_pairs(graph$A, pairs = cbind(graph$links, y = 0))
  expect_error(hofm(none, loss = "auc"), "at least one link", class = "hofm_error_input")
  full <- link_pairs(graph$A[1:2, ], pairs = data.frame(i = 1, j = 2))
  expect_error(hofm(full, loss = "auc"), "all of them are links", class = "hofm_error_input")
  expect_error(hofm(links, loss = "auc", negatives = "given"), "two classes", class = "hofm_error_input")
  x <- small_matrix()
  expect_error(hofm(x, small_response(x), loss = "auc"), "only 0 and 1", class = "hofm_error_input")
})

test_that("every model but the simplex can be ranked with", {
  graph <- small_graph()
  links <- link_pairs(graph$A, pairs = graph$links)
  for (model in c("shared", "all_subsets", "polynomial", "bilinear")) {
    fit <- rank_fit(links, model = model, max_iter = 10)
    expect_lt(fit$objective, fit$trace$objective[1])
  }
})

test_that("a ranking is tidied and written to files like any fit, but has no residuals", {
  skip_if_broken("generics")
  x <- data.frame(small_matrix(40))
  x$y <- small_response(as.matrix(x)) > 0
  fit <- rank_fit(y ~ ., x)
  expect_named(generics::augment(fit, x), c(names(x), ".fitted"))
  expect_named(generics::augment(fit, newdata = x), c(names(x), ".fitted"))
  expect_identical(generics::glance(fit)$loss, "auc")
  file <- tempfile(fileext = ".json")
  on.exit(unlink(file))
  write_hofm_json(fit, file)
  expect_identical(predict(read_hofm_json(file), x), predict(fit, x))
})
