test_that("a fit has the fields of the help page", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x))
  expect_s3_class(fit, "hofm", exact = TRUE)
  expect_true(all(c("intercept", "w", "P", "theta", "gamma", "order", "rank", "lambda", "model", "loss",
                    "solver", "objective",
                    "trace", "converged", "format_version", "features", "seed", "call", "control", "n") %in% names(fit)))
  expect_identical(fit$format_version, 2L)
  expect_named(fit$trace, c("iteration", "seconds", "objective"))
})

test_that("damaged fits are refused by predict, whatever the damage", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x))
  expect_silent(check_fit(fit))
  damage <- list(
    w_gone = function(f) { f["w"] <- list(NULL); f }, w_short = function(f) { f$w <- f$w[-1]; f },
    w_text = function(f) { f$w <- "a"; f }, w_na = function(f) { f$w[1] <- NA; f },
    P_gone = function(f) { f$P <- NULL; f }, P_empty = function(f) { f$P <- list(); f },
    P_text = function(f) { f$P[["2"]][1] <- "a"; f }, P_na = function(f) { f$P[["2"]][1] <- NaN; f },
    P_rows = function(f) { f$P[["2"]] <- f$P[["2"]][-1, ]; f }, P_cols = function(f) { f$P[["2"]] <- f$P[["2"]][, 1]; f },
    P_name = function(f) { names(f$P) <- "7"; f }, order = function(f) { f$order <- 9; f },
    order_huge = function(f) { f$order <- 1e9; f }, rank = function(f) { f$rank <- -1L; f },
    version = function(f) { f$format_version <- 99L; f }, version_gone = function(f) { f$format_version <- NULL; f },
    features = function(f) { f$features <- f$features[-1]; f }, features_na = function(f) { f$features[1] <- NA; f },
    intercept = function(f) { f$intercept <- NA_real_; f }, loss = function(f) { f$loss <- "other"; f },
    model = function(f) { f$model <- NULL; f }, blueprint = function(f) { f$blueprint <- NULL; f },
    kind = function(f) { f$blueprint$kind <- "other"; f }, control = function(f) { f$control <- NULL; f },
    threads = function(f) { f$control$threads <- "a"; f }, response = function(f) { f$response <- 3; f })
  for (name in names(damage)) {
    expect_error(predict(damage[[name]](fit), x), class = "hofm_error_damaged_fit", info = name)
  }
  expect_errors({
    predict(damage$w_short(fit), x)
    predict(damage$version(fit), x)
  })
})

test_that("whatever field is replaced by whatever, predict gives numbers or a classed error", {
  d <- mixed_data()
  fit <- quick_fit(y ~ num + fac * lgl, d)
  junk <- list(NULL, NA, -1, "a", list(), 1e9, numeric(0), matrix(0, 2, 2), mean)
  check <- function(broken) {
    tryCatch(is.numeric(predict(broken, d[1:3, ])), hofm_error = function(e) TRUE,
             error = function(e) conditionMessage(e))
  }
  for (field in names(fit)) for (value in junk) {
    broken <- fit
    broken[field] <- list(value)
    expect_true(check(broken), info = paste(field, describe(value)))
  }
  for (field in names(fit$blueprint)) for (value in junk) {
    broken <- fit
    broken$blueprint[field] <- list(value)
    expect_true(check(broken), info = paste("blueprint", field, describe(value)))
  }
})

test_that("whatever field is replaced by whatever, a fit is shown or refused with a classed error", {
  fit <- quick_fit(y ~ num + fac, mixed_data(), order = 3)
  junk <- list(NULL, NA, -1, "a", list(), numeric(0), matrix(0, 2, 2), mean)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  shows <- list(
    print = print, summary = function(f) print(summary(f)), convergence = plot, interactions = function(f) plot(f, "interactions"),
    degrees = function(f) plot(f, "degrees"), embedding = function(f) plot(f, "embedding"), fitted = fitted, residuals = residuals,
    deviance_residuals = function(f) residuals(f, "deviance"), weights = weights, logLik = logLik, family = family, nobs = nobs,
    deviance = deviance, formula = formula, terms = terms, names = variable.names, simulate = function(f) simulate(f, seed = 1),
    coef = coef, degree = function(f) coef(f, degree = 2), training = function(f) predict(f), table = as.data.frame,
    call = function(f) update(f, evaluate = FALSE), json = function(f) write_hofm_json(f, tempfile()),
    tidy = function(f) tidy.hofm(f, "interactions"), glance = glance.hofm)
  for (field in names(fit)) for (value in junk) for (show in names(shows)) {
    broken <- fit
    broken[field] <- list(value)
    outcome <- tryCatch({ utils::capture.output(shows[[show]](broken)); TRUE }, hofm_error = function(e) TRUE,
                        error = function(e) conditionMessage(e))
    expect_true(outcome, info = paste(show, field, describe(value)))
  }
  for (show in shows) {
    broken <- fit
    broken$w <- "a"
    expect_error(show(broken), class = "hofm_error_damaged_fit")
  }
})

test_that("an engine that ended in NaN is an error", {
  expect_error(check_engine(list(intercept = NaN, w = 1, link = 1, P = list())),
               class = "hofm_error_diverged")
  expect_silent(check_engine(list(intercept = 0, w = NULL, link = 1, P = list(`2` = diag(2)))))
})

# Written by version 0.1.0: they must be usable for ever. The expected values come from the numbers in them.
test_that("fits saved by the first version are still used", {
  fits <- readRDS(test_path("fixtures", "fits-version-1.rds"))
  set.seed(1)
  x <- matrix(round(rnorm(60), 2), 12, dimnames = list(NULL, letters[1:5]))
  sum_of <- function(fit, kernel) fit$intercept + rowSums(apply(fit$P[[1]], 2, kernel))
  for (name in c("matrix", "logistic", "adagrad")) {
    expect_equal(predict(fits[[name]], x, type = "link"), link_slow(parameters(fits[[name]]), x))
  }
  cars <- transform(mtcars, cyl = factor(cyl), hp = hp / 100)
  columns <- cbind(outer(cars$cyl, c("4", "6", "8"), "=="), cars$wt, log(cars$hp))
  expect_equal(predict(fits$formula, cars), link_slow(parameters(fits$formula), cbind(columns, columns[, 1:3] * cars$wt)))
  shared <- fits$shared
  dummies <- function(s) vapply(seq_len(12), function(i) anova_kernel(c(shared$gamma[, s], shared$P[[1]][, s]), c(1, 1, x[i, ]), 3), 0)
  expect_equal(predict(shared, x), shared$intercept + dummies(1) + dummies(2))
  simplex <- fits$simplex
  mixed <- function(p) drop(vapply(1:3, function(t) anova_kernel(p, x, t), numeric(12)) %*% simplex$theta)
  expect_equal(predict(simplex, x), sum_of(simplex, mixed))
  expect_equal(predict(fits$all_subsets, x), sum_of(fits$all_subsets, function(p) all_subsets_kernel(p, x)))
  polynomial <- fits$polynomial
  expect_equal(predict(polynomial, x), polynomial$intercept + rowSums((rep(1, 12) %o% drop(polynomial$gamma) + x %*% polynomial$P[[1]])^2))
  bilinear <- fits$bilinear
  expect_equal(unname(score_links(bilinear, x[1:6, 1:2], x[7:12, 3:5])),
               unname(bilinear$intercept + x[1:6, 1:2] %*% bilinear$P$U %*% t(x[7:12, 3:5] %*% bilinear$P$V)))
  expect_equal(predict(fits$cv, x), link_slow(parameters(fits$cv$fit), x))
  for (fit in fits) expect_output(print(fit))
  for (fit in fits[names(fits) != "cv"]) {
    expect_output(print(summary(fit)))
    expect_length(fitted(fit), fit$n)
    expect_s3_class(interactions(fit, n = 2), "data.frame")
  }
  expect_s3_class(hofm(x, rnorm(12), rank = 2, solver = "adagrad", init = fits$adagrad, control = hofm_control(max_iter = 2)), "hofm")
})

test_that("a deviance that is not finite is damage", {
  fit <- hofm(dist ~ speed, cars, order = 1, lambda = 1)
  fit$deviance <- Inf
  expect_error(deviance(fit), "damaged", class = "hofm_error_damaged_fit")
})
