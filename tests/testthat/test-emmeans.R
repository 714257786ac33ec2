marginal_cars <- function() transform(mtcars, cyl = factor(cyl), am = am == 1)

marginal_fit <- function(formula, ...) {
  hofm(formula, marginal_cars(), rank = 2, lambda = 0.02, standardize = TRUE, control = hofm_control(seed = 1), ...)
}

test_that("emmeans averages predictions over its grid", {
  skip_if_broken("emmeans")
  cars <- marginal_cars()
  fit <- marginal_fit(mpg ~ cyl + wt)
  got <- as.data.frame(emmeans::emmeans(fit, "cyl", data = cars))
  at <- data.frame(cyl = factor(c(4, 6, 8)), wt = mean(cars$wt))
  expect_equal(got$emmean, predict(fit, at))
  boot <- bootstrap_hofm(fit, cars, times = 5, seed = 1)
  spread <- as.data.frame(emmeans::emmeans(boot, "cyl", data = cars))
  expect_equal(spread$SE, predict(boot, at, se.fit = TRUE)$se.fit)
  odds <- marginal_fit(am ~ cyl + wt)
  shown <- as.data.frame(emmeans::emmeans(odds, "cyl", data = cars, type = "response"))
  expect_equal(shown$prob, predict(odds, at))
})

test_that("packages that ask for predictions have them", {
  cars <- marginal_cars()
  fit <- marginal_fit(mpg ~ cyl + wt + hp)
  if (requireNamespace("DALEX", quietly = TRUE)) {
    explained <- DALEX::explain(fit, cars, cars$mpg, verbose = FALSE)
    profile <- DALEX::model_profile(explained, variables = "hp", N = NULL, variable_splits = list(hp = c(100, 150, 200)))$agr_profiles
    expect_equal(profile$`_yhat_`, vapply(c(100, 150, 200), function(at) mean(predict(fit, transform(cars, hp = at))), 0))
  }
  if (requireNamespace("iml", quietly = TRUE)) {
    set.seed(1)
    many <- data.frame(u = rnorm(401), v = rnorm(401))                    # a number of rows at which all kinds of quartiles agree
    curved <- hofm(u * v ~ u + v, many, rank = 2, lambda = 0.01, standardize = FALSE, control = hofm_control(seed = 1))
    asked <- iml::Predictor$new(curved, data = many, y = many$u * many$v, predict.function = function(model, newdata) predict(model, newdata))
    local <- iml::FeatureEffect$new(asked, "u", method = "ale", grid.size = 4)$results
    own <- effects_hofm(curved, "u", many, method = "ale", points = 5)
    expect_equal(local$.value, own$effect)
  }
  if (requireNamespace("vip", quietly = TRUE)) {
    set.seed(1)
    ranked <- vip::vi_permute(fit, train = cars, target = "mpg", metric = "rmse", pred_wrapper = function(object, newdata) predict(object, newdata))
    expect_setequal(ranked$Variable[ranked$Importance > 0], c("cyl", "wt", "hp"))
  }
  if (getRversion() >= "4.4" && requireNamespace("marginaleffects", quietly = TRUE)) {
    old <- options(marginaleffects_model_classes = "hofm")
    on.exit(options(old))
    expect_equal(marginaleffects::predictions(fit, newdata = cars, vcov = FALSE)$estimate, predict(fit, cars))
  }
  succeed()
})
