quiet <- function(...) suppressWarnings(bayes_hofm(...), classes = "hofm_warning_chains")
one <- function(seed = 1, threads = 1, ...) hofm_control(seed = seed, threads = threads, ...)
cars <- transform(mtcars, cyl = factor(cyl), gear = factor(gear))
sampled <- function(formula = mpg ~ cyl + gear + wt, ..., iter = 200) quiet(formula, cars, rank = 2, iter = iter, chains = 2, control = one(), ...)

test_that("R-hat and effective sizes are those of the posterior package", {
  skip_if_broken("posterior")
  draws <- with_seed(3, apply(matrix(rnorm(800), 200), 2, function(e) stats::filter(e, 0.6, "recursive")))
  expect_equal(split_rhat(draws), posterior::rhat_basic(draws), tolerance = 1e-8)
  expect_equal(effective_size(draws), posterior::ess_basic(draws), tolerance = 0.1)
})

test_that("chains that disagree are a warning with advice", {
  expect_warning(bayes_hofm(mpg ~ ., mtcars, order = 3, rank = 4, iter = 12, chains = 3, control = one()), "update\\(fit, iter",
                 class = "hofm_warning_chains")
  fit <- quiet(mpg ~ ., mtcars, order = 3, rank = 4, iter = 12, chains = 3, control = one())
  expect_warning(summary(fit), class = "hofm_warning_chains")
  good <- quiet(mpg ~ wt, mtcars, order = 1, iter = 1000, control = one())
  expect_silent(summary(good))
  d <- chain_diagnostics(good)
  expect_equal(d$mean[d$variable == "link[1]"], predict(good)[1], tolerance = 0.01)
  expect_equal(d$mean[d$variable == "sigma"], sigma(lm(mpg ~ wt, mtcars)), tolerance = 0.1)
  expect_output(print(summary(good)), "Watched")
})

test_that("draws are handed to the posterior package", {
  skip_if_broken("posterior")
  fit <- sampled()
  draws <- posterior::as_draws(fit, interactions = list(c("cyl4", "wt"), "wt"), newdata = cars[1:2, ])
  expect_s3_class(draws, "draws_array")
  names <- posterior::variables(draws)
  expect_true(all(c("sigma", "scale[1,cyl]", "scale[2,wt]", "w[wt]", "W[cyl4,wt]", "W[wt]", "pred[2]") %in% names))
  expect_false(any(grepl("^P|intercept", names)))
  expect_identical(as.vector(draws[, , "W[wt]"]), as.vector(draws[, , "w[wt]"]))
  expect_equal(mean(draws[, , "pred[2]"]), predict(fit, cars[2, ]))
  expect_equal(mean(draws[, , "W[cyl4,wt]"]), with(interactions(fit, 2, 20), weight[feature_1 == "cyl = 4" & feature_2 == "wt"]))
  d <- chain_diagnostics(fit)
  watched <- fit$watched == "scale[2,gear]"
  slow <- mean(vapply(fit$chains, function(chain) mean(chain$watched[watched, ]), 0))
  expect_equal(mean(draws[, , "scale[2,gear]"]), slow, tolerance = 0.2)
  expect_error(posterior::as_draws(fit, interactions = list("nobody")), "`interactions`", class = "hofm_error_input")
  classes <- quiet(ordered(gear) ~ wt, cars, rank = 1, iter = 40, chains = 2, control = one())
  expect_identical(posterior::variables(posterior::as_draws(classes))[1:2], c("cut[2]", "scale[1,wt]"))
  skip_if_broken("bayesplot")
  expect_s3_class(bayesplot::mcmc_areas(draws, pars = c("sigma", "W[cyl4,wt]")), "ggplot")
})

test_that("interactions have intervals, and never two levels of a factor", {
  fit <- sampled()
  w <- interactions(fit, degree = 2, n = 100)
  expect_named(w, c("feature_1", "feature_2", "weight", "sd", "lower", "upper", "sign"))
  expect_false(any(sub(" = .*", "", w$feature_1) == sub(" = .*", "", w$feature_2)))
  expect_true(any(sub(" = .*", "", interactions(fit, 2, 100, possible = FALSE)$feature_1) ==
                  sub(" = .*", "", interactions(fit, 2, 100, possible = FALSE)$feature_2)))
  expect_true(all(w$lower <= w$upper & w$sign >= 0.5 & w$sign <= 1))
  draws <- unlist(lapply(fit$chains, function(chain) apply(chain$draws, 2, function(draw) {
    P <- matrix(draw[2 + 7 + 6 + 1:14], 7)   # seven features, three groups
    sum(P[match("cyl4", fit$features), ] * P[match("wt", fit$features), ])
  }))) * fit$scaling$y$scale
  of <- w[w$feature_1 == "cyl = 4" & w$feature_2 == "wt", ]
  expect_equal(c(of$weight, of$sd, of$lower, of$upper, of$sign),
               unname(c(mean(draws), sd(draws), quantile(draws, c(0.05, 0.95)), max(mean(draws > 0), mean(draws < 0)))))
  v <- interactions(fit, degree = 2, by = "variable")
  expect_named(v, c("variable_1", "variable_2", "share", "sd", "lower", "upper"))
  expect_identical(nrow(v), 3L)
  expect_true(all(v$share >= 0 & v$share <= 1 & !is.unsorted(-v$share)))
  expect_equal(v, interactions(fit, degree = 2, by = "variable", data = cars))
  expect_error(interactions(fit, resample = 5), "`resample`", class = "hofm_error_input")
  expect_error(interactions(fit, degree = 3), "`degree`", class = "hofm_error_input")
  expect_identical(nrow(interactions(sampled(order = 1), degree = 1)), 7L)
})

test_that("an ordinary fit stands for the mean of a chain", {
  link_of_mean <- function(fit) {
    blocks <- standardized_blocks(fit$training$blocks, fit$scaling$x)
    fit$scaling$y$center + fit$scaling$y$scale * link_values(draw_parameters(fit, fit$chains[[2]]$mean), blocks, 1)
  }
  for (model in c("hofm", "shared")) {
    fit <- sampled(order = 3, model = model)
    plain <- as_hofm(fit, chain = 2)
    expect_s3_class(plain, "hofm")
    expect_equal(predict(plain, cars), as.vector(link_of_mean(fit)), info = model)
    expect_equal(predict(plain), predict(plain, cars), info = model)
  }
  d <- with_seed(5, data.frame(u = factor(sample(6, 300, TRUE)), v = factor(sample(6, 300, TRUE))))
  d$y <- with_seed(6, 5 + as.integer(d$u) * as.integer(d$v) / 3 + rnorm(300))
  ids <- quiet(y ~ u + v, d, rank = 2, iter = 200, chains = 2, control = one())
  expect_equal(predict(as_hofm(ids), d), predict(ids, d), tolerance = 0.05)
  expect_error(as_hofm(sampled(am == 1 ~ wt)), "probit", class = "hofm_error_unsupported")
  expect_error(as_hofm(ids, chain = 3), "`chain`", class = "hofm_error_input")
})

test_that("sampling goes on where it was", {
  fit <- sampled(iter = 60)
  more <- suppressWarnings(update(fit, iter = +40))
  expect_identical(more$plan$iter, 100L)
  expect_identical(count_draws(more), count_draws(fit) + 80L)
  expect_error(update(fit, iter = 0), "`iter`", class = "hofm_error_input")
  expect_error(update(fit), "`iter`", class = "hofm_error_input")
  expect_error(update(fit, iter = 10, order = 3), class = "hofm_error_input")
  bare <- quiet(mpg ~ wt, cars, rank = 1, iter = 20, chains = 1, control = one(keep_fitted = FALSE))
  expect_error(update(bare, iter = 10), "keep_fitted", class = "hofm_error_input")
  expect_error(predict(bare), "`newdata`", class = "hofm_error_input")
})

test_that("fits are compared with others, and by loo between orders", {
  fit <- sampled(mpg ~ wt + cyl)
  compared <- compare_models(list(bayes = fit, linear = lm(mpg ~ wt + cyl, cars)), cars)
  expect_identical(compared$models$order, c(2L, NA))
  expect_equal(compared$models$parameters[1], 1 + 4 + 8)
  expect_equal(compared$predictions$bayes, predict(fit, cars))
  skip_if_broken("loo")
  one <- suppressWarnings(loo::loo(sampled(mpg ~ wt + cyl, order = 1)))
  expect_identical(nrow(loo::loo_compare(list(a = suppressWarnings(loo::loo(fit)), b = one))), 2L)
  expect_s3_class(suppressWarnings(loo::waic(fit)), "waic")
})
