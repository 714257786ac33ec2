test_that("the default loss goes by the response", {
  expect_equal(code_response(c(1, 2, 5))$loss, "squared")
  expect_equal(code_response(c(0, 1, 1))$loss, "squared")
  expect_equal(code_response(c(TRUE, FALSE))$loss, "logistic")
  expect_equal(code_response(factor(c("a", "b")))$loss, "logistic")
  expect_equal(code_response(c("x", "y"))$loss, "logistic")
})

test_that("two classes are coded for the loss, the second level positive", {
  f <- factor(c("no", "yes", "no"), levels = c("yes", "no"))
  expect_equal(code_response(f)$y, c(1, -1, 1))
  expect_equal(code_response(f, "squared")$y, c(1, 0, 1))
  expect_equal(code_response(f, "squared_hinge")$y, c(1, -1, 1))
  expect_equal(code_response(c("b", "a"))$levels, c("a", "b"))
  expect_equal(code_response(c(TRUE, FALSE))$y, c(1, -1))
  expect_equal(code_response(c(TRUE, FALSE))$levels, c(FALSE, TRUE))
  expect_equal(code_response(c(0, 1), "logistic")$y, c(-1, 1))
  expect_equal(code_response(c(-1L, 1L), "squared_hinge")$y, c(-1, 1))
  expect_equal(code_response(c(-1L, 1L), "squared_hinge")$levels, c(-1, 1))
})

test_that("numbers stay numbers", {
  expect_equal(code_response(matrix(c(3, 4)))$y, c(3, 4))
  expect_equal(code_response(data.frame(y = c(3, 4)))$y, c(3, 4))
  expect_equal(code_response(data.frame(y = factor(c("a", "b"))))[c("y", "loss")], list(y = c(-1, 1), loss = "logistic"))
  expect_error(code_response(data.frame(y = 1:2, z = 1:2)), "`y` must be", class = "hofm_error_input")
  expect_equal(code_response(3:4, "poisson")$y, c(3, 4))
  expect_null(code_response(c(3, 4))$levels)
  expect_equal(code_response(c(0, 1), "squared")$levels, c(0, 1))
  expect_null(code_response(c(0, 1), "poisson")$levels)
})

test_that("unused levels are dropped with a warning", {
  f <- factor(c("a", "b"), levels = c("a", "b", "c"))
  expect_warning(coded <- code_response(f), "do not occur, which are dropped: \"c\"",
                 class = "hofm_warning_dropped_levels")
  expect_equal(coded$levels, c("a", "b"))
})

test_that("responses that cannot be used are classed errors", {
  bad <- list(c(1, NA), c(1, Inf), c("a", NA), c(TRUE, NA), numeric(0), list(1, 2), NULL, matrix(1:4, 2),
              as.Date("2020-01-01") + 0:1, complex(2), letters[1:3], factor(letters[1:3]), "a", factor("a"))
  for (y in bad) expect_error(code_response(y), class = "hofm_error_input")
  expect_error(code_response(c(1, 2), "logistic"), "only 0 and 1, or only -1 and 1")
  expect_error(code_response(c(1, 2), "squared_hinge"), class = "hofm_error_input")
  expect_error(code_response(c(1, -2), "poisson"), "row 2 is -2")
  expect_error(code_response(c("a", "b"), "poisson"), class = "hofm_error_input")
  expect_error(code_response(letters[1:3]), "two classes, not 3")
})

test_that("a response must vary over the rows that count", {
  expect_silent(check_varies(code_response(c(1, 2)), c(0.5, 0.5)))
  expect_error(check_varies(code_response(c(1, 1)), c(0.5, 0.5)), "must vary, but all its values are 1")
  expect_error(check_varies(code_response(c(1, 2)), c(1, 0)), "with positive weight")
  expect_error(check_varies(code_response(c("a", "b")), c(0, 1)), "are \"b\"")
  expect_error(check_varies(code_response(c(1, 1), "logistic"), c(1, 1)), "two classes",
               class = "hofm_error_input")
})

test_that("link values become classes of the type of the response", {
  link <- c(-1, NA, 2)
  expect_identical(as_response_class(link, "logistic", list(kind = "factor", levels = c("n", "y"))),
                   factor(c("n", NA, "y")))
  expect_identical(as_response_class(link, "logistic", list(kind = "logical", levels = c(FALSE, TRUE))),
                   c(FALSE, NA, TRUE))
  expect_identical(as_response_class(link, "squared_hinge", list(kind = "numeric", levels = c(-1, 1))),
                   c(-1, NA, 1))
  expect_identical(as_response_class(c(0.4, 0.6), "squared", list(kind = "numeric", levels = c(0, 1))),
                   c(0, 1))
})

test_that("deviances are those of glm", {
  set.seed(1)
  x <- rnorm(50)
  w <- runif(50)
  o <- rnorm(50) / 2
  link <- 0.3 + 0.5 * x
  count <- rpois(50, exp(link))
  class <- rbinom(50, 1, plogis(link))
  unit <- function(loss, y) sum(w * loss_facts(loss)$deviance(y, link))
  expect_equal(unit("squared", count), sum(gaussian()$dev.resids(count, link, w)))
  expect_equal(unit("poisson", count), sum(poisson()$dev.resids(count, exp(link), w)))
  expect_equal(unit("logistic", 2 * class - 1), sum(binomial()$dev.resids(class, plogis(link), w)))
  null <- function(family, y, off) suppressWarnings(glm(y ~ 1, family, weights = w, offset = off)$deviance)
  ours <- function(loss, y, off) sum(w * loss_facts(loss)$deviance(y, null_link(y, loss, w, off, TRUE)))
  for (off in list(numeric(0), o)) {
    glm_off <- if (length(off)) off else rep(0, 50)
    expect_equal(ours("squared", count, off), null(gaussian(), count, glm_off), tolerance = 1e-6)
    expect_equal(ours("poisson", count, off), null(poisson(), count, glm_off), tolerance = 1e-6)
    expect_equal(ours("logistic", 2 * class - 1, off), null(binomial(), class, glm_off), tolerance = 1e-6)
  }
})

test_that("the best constant of the squared hinge loss is a minimum", {
  y <- c(1, 1, -1, 1)
  w <- c(1, 2, 3, 1)
  value <- function(f) sum(w * loss_facts("squared_hinge")$deviance(y, rep(f, 4)))
  best <- null_link(y, "squared_hinge", w, numeric(0), TRUE)[1]
  expect_lt(value(best), value(best + 1e-4))
  expect_lt(value(best), value(best - 1e-4))
})

test_that("log-likelihoods are those of glm at the same link", {
  set.seed(2)
  y <- rpois(30, 2)
  fit <- glm(y ~ 1, poisson)
  expect_equal(log_likelihood(y, "poisson", fit$linear.predictors, rep(1, 30)), as.numeric(logLik(fit)))
  w <- runif(30)
  fit <- lm(y ~ 1, weights = w)
  expect_equal(log_likelihood(y, "squared", unname(fitted(fit)), w), as.numeric(logLik(fit)))
  class <- rep(0:1, 15)
  fit <- glm(class ~ seq_along(class), binomial)
  expect_equal(log_likelihood(2 * class - 1, "logistic", fit$linear.predictors, rep(1, 30)),
               as.numeric(logLik(fit)))
})

test_that("a data frame of one column is a response", {
  x <- small_matrix()
  y <- small_response(x)
  as_frame <- hofm(x, data.frame(y), control = quick())
  expect_identical(coef(as_frame), coef(hofm(x, y, control = quick())))
})

test_that("the best constant beside an offset is found without warnings, however large the offset", {
  y <- c(0, 2, 5, 1)
  offset <- c(-1, 0.5, 2, 300)
  weights <- c(1, 2, 0.5, 1e300)
  constant <- function(y, loss, weights, offset) loss_facts(loss)$constant(y, normalise(weights), offset)
  b <- expect_silent(constant(y, "poisson", c(1, 2, 0.5, 1), c(-1, 0.5, 2, 0.3)))
  score <- function(b) sum(c(1, 2, 0.5, 1) * (y - exp(c(-1, 0.5, 2, 0.3) + b)))
  expect_equal(score(b), 0, tolerance = 1e-8)
  for (loss in names(losses_slow)) {
    coded <- if (loss_facts(loss)$classes) c(-1, 1, 1, -1) else y
    expect_silent(b <- constant(coded, loss, weights, offset))
    expect_true(is.finite(b))
    expect_silent(constant(coded, loss, weights, offset * 1e200))
  }
})

test_that("every loss that rows have says what a fit must know of it, and has a slow twin", {
  losses <- setdiff(names(loss_table()), "auc")
  expect_setequal(losses, names(losses_slow))
  for (loss in losses) {
    facts <- loss_facts(loss)
    problem <- random_problem(20, 3, loss)
    expect_true(is.finite(best_intercept(problem, loss)), info = loss)
    expect_true(is.character(facts$label) && is.logical(facts$bounded) && is.function(facts$deviance), info = loss)
    # the start is where the derivative of the mean loss in a constant is least, for losses with such a formula
    if (loss == "squared_hinge") next
    slope <- function(b) sum(problem$weights * losses_slow[[loss]]$deriv(problem$y, rep(b, 20)))
    expect_equal(slope(best_intercept(problem, loss)), 0, tolerance = 1e-8, info = loss)
  }
})
