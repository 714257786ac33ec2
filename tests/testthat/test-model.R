test_that("a fit has the fields of the help page", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x))
  expect_s3_class(fit, "hofm", exact = TRUE)
  expect_true(all(c("intercept", "w", "P", "theta", "gamma", "order", "rank", "lambda", "model", "loss",
                    "solver", "objective",
                    "trace", "converged", "format_version", "features", "seed", "call", "control", "n") %in% names(fit)))
  expect_identical(fit$format_version, 1L)
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
  expect_snapshot(error = TRUE, {
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
    degrees = function(f) plot(f, "degrees"), embedding = function(f) plot(f, "embedding"))
  for (field in names(fit)) for (value in junk) for (show in names(shows)) {
    broken <- fit
    broken[field] <- list(value)
    outcome <- tryCatch({ utils::capture.output(shows[[show]](broken)); TRUE }, hofm_error = function(e) TRUE,
                        error = function(e) conditionMessage(e))
    expect_true(outcome, info = paste(show, field, describe(value)))
  }
  for (show in shows[c("print", "summary")]) {
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
