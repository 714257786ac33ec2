# The value of `code`, and the iterations of all fits that it makes.
counting_iterations <- function(code) {
  count <- 0
  value <- withCallingHandlers(code, hofm_message = function(m) {
    if (!startsWith(conditionMessage(m), "iteration 0,")) count <<- count + 1
    invokeRestart("muffleMessage")
  })
  list(value = value, iterations = count)
}

# The path and fits from the random start at each of its values: objectives, and iterations of all fits.
path_and_apart <- function(data, control, lambda, order = 2, rank = 3, model = "hofm", loss = "squared", solver = "cd") {
  control$verbose <- TRUE
  spec <- check_specs(order, rank, model, loss, solver, TRUE, NULL)[[1]]
  problem <- row_task(c(learn_design(data$x), list(y = data$y)), spec, control)$problem
  path <- counting_iterations(lambda_path(problem, spec, lambda, control, control$seed, function(l, fit) NULL))
  apart <- counting_iterations(vapply(lambda, function(l) {
    expect_collapse(fit_model(problem, with_lambda(spec, l), control))$objective
  }, 0))
  list(change = path$value$lowest / apart$value - 1, iterations = path$iterations, apart = apart$iterations,
       ratio = path$iterations / apart$iterations)
}

test_that("the path is as good as fits from random starts", {
  for (seed in 1:3) {
    found <- lapply(c(plain = FALSE, extrapolated = TRUE), function(extrapolate) {
      control <- hofm_control(tol = 1e-9, max_iter = 5000, seed = seed, extrapolate = extrapolate)
      path_and_apart(product_data(200), control, 10^seq(1, -3, length.out = 15))
    })
    for (way in found) expect_lt(max(way$change), 1e-4)
    # Extrapolation spares single fits more than the path, which does something like it from one lambda to the next.
    expect_lt(found$plain$ratio, 1 / 2)
    expect_lt(found$extrapolated$ratio, c(0.9, 2 / 3, 2 / 3)[seed])
    expect_lt(found$extrapolated$iterations, found$plain$iterations / 2)
  }
})

test_that("the path takes a third of the iterations of fits from random starts", {
  data <- product_data(400, d = 15)
  classes <- list(x = data$x, y = data$y > 0)
  lambda <- 10^seq(1, -3, length.out = 30)
  ways <- list(list(data), list(data, order = 3), list(data, solver = "lbfgs"), list(classes, loss = "logistic"),
               list(data, order = NULL, model = "all_subsets"))
  for (way in ways) {
    found <- lapply(1:3, function(seed) do.call(path_and_apart, c(way, list(control = hofm_control(seed = seed), lambda = lambda))))
    total <- function(field) sum(vapply(found, `[[`, 0, field))
    expect_lt(total("iterations"), total("apart") / 3)
    expect_lt(found[[1]]$ratio, if (identical(way$order, 3)) 0.4 else 1 / 3)
    for (one in found) expect_lt(mean(one$change), 1e-4)
  }
})

test_that("a random start is taken to its end only if it is lower after a rough fit", {
  walk <- function(rough, fine) list(fresh = "fresh", fit = function(l, init, tol_times = 1) {
    if (identical(init, "fresh")) {
      expect_gt(tol_times, 1)
      return(list(objective = rough, end = FALSE))
    }
    list(objective = fine, end = TRUE)
  })
  fit <- list(objective = 1)
  expect_identical(challenged(fit, walk(1.01, 0.5), 3), fit)
  expect_identical(challenged(fit, walk(0.9, 0.8), 3), list(objective = 0.8, end = TRUE))
  expect_identical(challenged(fit, walk(1 - 1e-6, 1 - 2e-6), 3), fit)
})

test_that("a start ahead is on the line through the last two, and taken only where it is lower", {
  last <- list(intercept = 2, w = NULL, P = list(`2` = matrix(3, 2, 1)), theta = c(0.2, 0.8), gamma = NULL, objective = 1)
  before <- list(intercept = 1, w = NULL, P = list(`2` = matrix(1, 2, 1)), theta = c(0.5, 0.5), gamma = NULL, objective = 2)
  ahead <- go_ahead(last, before, 2)
  expect_identical(ahead[c("intercept", "P", "theta")], list(intercept = 4, P = list(`2` = matrix(7, 2, 1)), theta = c(0.2, 0.8)))
  data <- product_data(100)
  spec <- check_specs(2, 2, "hofm", "squared", "cd", TRUE, NULL)[[1]]
  problem <- row_task(c(learn_design(data$x), list(y = data$y)), spec, quick())$problem
  for (lambda in list(10^(2:-3), 10^seq(0, -2, length.out = 8))) {
    walk <- new_walk(problem, spec, penalty_rows(lambda, spec), hofm_control(), 1, function(l, fit) NULL)
    for (l in seq_along(lambda)) {
      start <- walk$start(l)
      fit <- walk$fit(l, walk$revive(l, start))
      walk$keep(l, fit)
      if (l > 1) expect_lte(start$objective, objective_at(lambda[l], last, lambda[l - 1], spec))
      if (l > 1) expect_equal(start$objective, objective_of(problem, with_lambda(spec, lambda[l]), hofm_control(seed = 1), start))
      last <- fit
    }
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

test_that("a walk in legs ends where a walk at once does", {
  data <- product_data(150)
  spec <- check_specs(3, 2, "hofm", "squared", "cd", TRUE, NULL)[[1]]
  problem <- row_task(c(learn_design(data$x), list(y = data$y)), spec, quick())$problem
  lambda <- outer(10^seq(1, -3, length.out = 15), 1 / 1:3, "^")
  record <- function() {
    links <- matrix(0, 150, 15)
    list(keep = function(l, fit) links[, l] <<- fit$link, links = function() links)
  }
  one <- record()
  at_once <- lambda_path(problem, spec, lambda, hofm_control(), 3, one$keep)
  legs <- record()
  state <- NULL
  for (leg in list(1:6, 7:8, 9:15)) {
    walked <- lambda_path(problem, spec, lambda, hofm_control(), 3, legs$keep, leg, state)
    state <- walked$state
  }
  expect_identical(walked$lowest, at_once$lowest)
  expect_identical(legs$links(), one$links())
})
