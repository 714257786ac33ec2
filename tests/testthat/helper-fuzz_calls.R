# What random calls are made of: a target for each exported function and each method, with arguments that would do.

# Objects that calls share. They take a second to make, and are the same every time.
fuzz_pool <- function() {
  seeded(41, collapsing({
    x <- matrix(rnorm(48) * rbinom(48, 1, 0.7), 12, 4, dimnames = list(NULL, letters[1:4]))
    y <- x[, 1] + x[, 2] * x[, 3] + rnorm(12, sd = 0.1)
    frame <- data.frame(u = rnorm(15), v = factor(sample(c("p", "q r", "s"), 15, TRUE)), w = rnorm(15) > 0,
                        t = sample(letters[1:3], 15, TRUE))
    frame$y <- frame$u * frame$w + rnorm(15, sd = 0.1)
    frame$class <- factor(ifelse(frame$y > 0, "yes", "no"))
    A <- matrix(rnorm(18), 6, 3, dimnames = list(paste0("n", 1:6), c("a", "b", "c")))
    B <- matrix(rnorm(10), 5, 2)
    edges <- data.frame(i = c(1, 2, 3, 4, 5, 1, 2), j = c(2, 3, 4, 5, 6, 4, 5))
    pairs <- data.frame(i = rep(1:6, 2), j = rep(1:4, 3), y = rep(c(1, 0, 0), 4))
    control <- hofm_control(max_iter = 3, threads = 1, seed = 1)
    pool <- list(x = x, y = y, frame = frame, A = A, B = B, edges = edges, pairs = pairs, control = control)
    pool$links <- link_pairs(A, B, pairs)
    pool$split <- split_links(A, edges = edges, seed = 1)
    pool$fits <- fuzz_fits(pool)
    pool$link_fit <- hofm(pool$links, rank = 2, control = control)
    pool$grid_fit <- hofm(pool$split$train, rank = 2, negatives = "all", control = control)
    pool$cvs <- list(
      cv_hofm(x, y, rank = 1, lambda = c(1, 0.1), nfolds = 3, control = control),
      cv_hofm(class ~ u + v, frame, rank = 1, lambda = c(1, 0.1), nfolds = 3, control = control, keep = TRUE))
    sampled <- function(...) suppressWarnings(bayes_hofm(..., rank = 1, iter = 10, chains = 2, keep = 8, control = control))
    pool$bayes <- list(rows = sampled(y ~ u + v, frame), pairs = sampled(pool$links), classes = sampled(class ~ u + v, frame))
    pool$curve <- roc_curve(frame$class, frame$u)
    pool$curves <- c(one = pool$curve, two = roc_curve(frame$class, frame$y))
    pool$area <- auc(frame$class, frame$u, ci = TRUE)
    pool$boot <- suppressWarnings(bootstrap_hofm(pool$fits$formula, frame, times = 2, seed = 1))
    pool$calibration <- calibration_curve(frame$class, stats::plogis(frame$u), bins = 3)
    pool$effects <- effects_hofm(pool$boot, "u", frame, points = 3)
    pool$x3 <- as.matrix(iris[c(1:4, 51:54, 101:104), 1:2])
    pool$classes <- hofm(pool$x3, iris$Species[c(1:4, 51:54, 101:104)], order = 1, control = control)
    pool$compared <- compare_models(list(a = pool$fits$formula, b = function(newdata) newdata$u), frame)
    pool$recipe <- if (requireNamespace("recipes", quietly = TRUE)) recipes::recipe(y ~ u + w, frame)
    pool$files <- fuzz_files(pool)
    pool$shards <- write_shards(x, file.path(pool$files$folder, "shards"), y = y, shard_nonzeros = 12)
    pool$class_shards <- write_shards(x, file.path(pool$files$folder, "classes"), y = y > 0, shard_nonzeros = 12)
    pool
  }))
}

# One fit of each kind.
fuzz_fits <- function(pool) {
  fit <- function(...) hofm(..., control = pool$control)
  two <- pool$y > 0
  list(
    formula = fit(y ~ u + v * w + t, pool$frame, rank = 2),
    logistic = fit(class ~ u + poly(y, 2) + v, pool$frame, rank = 1, loss = "logistic"),
    matrix = fit(pool$x, pool$y, order = 3, rank = 2),
    linear = fit(pool$x, pool$y, order = 1),
    huber = fit(pool$x, c(50, 1:11 / 4), loss = "huber", rank = 1),
    poisson = fit(pool$x, rep(0:3, 3), loss = "poisson", rank = 1, offset = rep(0.1, 12)),
    hinge = fit(pool$x, two, loss = "squared_hinge", rank = 1, solver = "lbfgs"),
    shared = fit(pool$x, pool$y, model = "shared", order = 3, rank = 2),
    simplex = fit(pool$x, pool$y, model = "simplex", order = 3, rank = 2),
    subsets = fit(pool$x, pool$y, model = "all_subsets", rank = 2),
    polynomial = fit(pool$x, pool$y, model = "polynomial", order = 3, rank = 2),
    stochastic = hofm(pool$x, two, loss = "logistic", rank = 1, solver = "adagrad",
                      control = hofm_control(max_iter = 3, threads = 1, seed = 1, validation = 0.3)),
    bare = hofm(pool$x, pool$y, rank = 1, control = hofm_control(max_iter = 3, seed = 1, keep_fitted = FALSE)))
}

fuzz_files <- function(pool) {
  folder <- tempfile("fuzz")
  dir.create(folder)
  names <- c(data = "data.txt", packed = "data.txt.gz", json = "fit.json", none = "none", out = "out")
  files <- c(as.list(stats::setNames(file.path(folder, names), names(names))), folder = folder)
  write_libsvm(pool$x, pool$y, files$data)
  write_libsvm(pool$x, pool$y, files$packed)
  if (requireNamespace("jsonlite", quietly = TRUE)) write_hofm_json(pool$fits$formula, files$json)
  files
}

# The data that a fit of the pool was made from, or a few rows of it.
fuzz_newdata <- function(fit, pool) {
  rows <- pick(0, 1, 3, 12)
  if (inherits(fit$blueprint$formula, "formula")) pool$frame[seq_len(rows), ] else pool$x[seq_len(rows), , drop = FALSE]
}

fuzz_shape <- function(x) {
  make <- pick(
    identity, as.data.frame, function(x) methods::as(x, "CsparseMatrix"), function(x) methods::as(x, "TsparseMatrix"),
    function(x) methods::as(x, "RsparseMatrix"), function(x) x != 0, function(x) methods::as(x != 0, "CsparseMatrix"),
    function(x) data.frame(f = factor(sample(letters[1:3], nrow(x), TRUE)), x), function(x) Matrix::Matrix(x))
  tryCatch(make(x), error = function(e) x)
}

fuzz_matrix <- function() {
  n <- pick(1, 2, 5, 12)
  d <- pick(1, 2, 4)
  x <- matrix(rnorm(n * d) * rbinom(n * d, 1, 0.6), n, d)
  if (runif(1) < 0.2) x <- x * 10^sample(-300:300, 1)
  if (runif(1) < 0.5) colnames(x) <- pick(letters[seq_len(d)], paste("\u00e9", seq_len(d)))
  fuzz_shape(x)
}

fuzz_response <- function(n) {
  pick(rnorm(n), rnorm(n) * 10^sample(-300:300, 1), rbinom(n, 1, 0.5), rbinom(n, 1, 0.5) == 1, rpois(n, 2),
       factor(sample(c("a", "b"), n, TRUE)), sample(c(-1, 1), n, TRUE))
}

# What all methods of hofm() take.
fuzz_settings <- function(pool, n) {
  model <- pick("hofm", "hofm", "hofm", "shared", "simplex", "all_subsets", "polynomial")
  settings <- list(
    order = pick(1, 2, 3, 5), rank = pick(1, 2, 0), lambda = pick(0.1, 0, 1, 1e-8), model = model,
    loss = pick(NULL, NULL, "squared", "logistic", "poisson", "squared_hinge", "huber"),
    solver = pick("auto", "cd", "lbfgs", "adagrad", "sgd"), intercept = pick(TRUE, FALSE),
    weights = pick(NULL, runif(n)), offset = pick(NULL, rnorm(n)), control = pool$control)
  if (model == "all_subsets") settings$order <- NULL
  keep <- runif(length(settings)) < 0.7 | names(settings) %in% c("model", "control")
  settings[keep]
}

fuzz_fit_args <- function(pool) {
  x <- fuzz_matrix()
  c(list(x = x, y = fuzz_response(nrow(x))), fuzz_settings(pool, nrow(x)))
}

fuzz_formula_args <- function(pool) {
  formula <- pick(y ~ ., y ~ u + v, class ~ u * w, y ~ log(u + 10) + t, y ~ poly(u, 2), class ~ v:w + offset(u),
                  y ~ 0 + v, y ~ 1, y ~ nowhere, log(y) ~ u, ~ u, y ~ u + offset(t), y ~ I(u^2) + factor(w),
                  y ~ lag(u) + ns(u, 2))
  c(list(x = formula, data = pool$frame), fuzz_settings(pool, nrow(pool$frame)),
    pick(list(), list(subset = 1:9), list(na.action = stats::na.exclude)))
}

fuzz_link_args <- function(pool) {
  links <- pick(pool$links, pool$split$train)
  settings <- fuzz_settings(pool, length(links$i))
  settings$model <- pick("hofm", "hofm", "bilinear", "shared", "all_subsets", "polynomial")
  settings$loss <- pick(NULL, "squared", "logistic", "auc")
  settings[c("tied", "standardize", "common")] <- list(pick(NULL, TRUE, FALSE), pick(TRUE, FALSE), pick(NULL, NULL, TRUE, FALSE))
  c(list(x = links), settings, pick(list(), list(negatives = "all"), list(negatives = "all", negative_weight = 0.1)))
}

# Cross-validation of few folds and few lambdas.
fuzz_cv_args <- function(args) {
  args$lambda <- pick(c(1, 0.1), 0.1, NULL)
  plan <- list(nfolds = pick(2, 3), n_lambda = 3)
  plan$measure <- if (runif(1) < 0.7) "default" else pick("auc", "deviance", "class", "mse", "mae")
  plan$keep <- pick(TRUE, FALSE)
  c(args[names(args) != "init"], plan)
}

fuzz_kernel_args <- function(degree = TRUE, gamma = FALSE) {
  d <- pick(1, 3, 6)
  x <- pick(rnorm(d), matrix(rnorm(3 * d), 3, d))
  c(list(p = rnorm(d), x = x), if (degree) list(degree = pick(0, 1, 2, 3, 8)), if (gamma) list(gamma = rnorm(1)))
}

fuzz_scores <- function() {
  n <- pick(2, 10, 40)
  truth <- pick(rep(c(0, 1), length.out = n), rep(c(TRUE, FALSE), length.out = n),
                factor(rep(c("a", "b"), length.out = n)))
  list(truth = truth, score = round(rnorm(n), 1))
}

# ---- Targets ------------------------------------------------------------------------------------------------

# A target: `args`, a function without arguments; `judge` of the answer; `kept`, arguments that are never spoilt.
# `foreign`: the generic is another package's, and whatever is not of our class is its business.
target <- function(fun, args, judge = any_answer, foreign = FALSE, kept = character()) {
  list(fun = fun, args = args, judge = judge, foreign = foreign, kept = kept)
}

fuzz_targets <- function(pool) {
  targets <- c(fit_targets(pool), cv_targets(pool), fit_method_targets(pool), bayes_targets(pool),
               link_targets(pool), roc_targets(pool),
               kernel_targets(pool), file_targets(pool), framework_targets(pool))
  targets[!vapply(targets, is.null, NA)]
}

fit_targets <- function(pool) {
  fixed <- function(shape) function() {
    x <- shape(pool$x[sample.int(12, 8), , drop = FALSE])
    args <- replace(fuzz_fit_args(pool), "x", list(x))
    args$y <- fuzz_response(8)
    for (name in intersect(c("weights", "offset"), names(args))) args[[name]] <- runif(8)
    args
  }
  list(
    hofm.default = target(hofm, function() fuzz_fit_args(pool), judge_fit),
    hofm.matrix = target(hofm, fixed(identity), judge_fit),
    hofm.Matrix = target(hofm, fixed(function(x) methods::as(x, "CsparseMatrix")), judge_fit),
    hofm.data.frame = target(hofm, fixed(as.data.frame), judge_fit),
    hofm.formula = target(hofm, function() fuzz_formula_args(pool)),
    hofm.link_pairs = target(hofm, function() fuzz_link_args(pool), judge_fit),
    hofm.recipe = if (!is.null(pool$recipe)) {
      target(hofm, function() list(x = pool$recipe, data = pool$frame, rank = 1, control = pool$control), kept = "x")
    },
    hofm_control = target(hofm_control, function() {
      list(max_iter = 3, tol = 1e-3, init_sd = 0.1, sweep = "auto", extrapolate = TRUE, eta = 0.1, batch = 2,
           validation = 0.1, patience = 2, threads = 1, seed = 1, verbose = FALSE, keep_fitted = TRUE, checkpoint = NULL)
    }))
}

cv_targets <- function(pool) {
  cv <- function() list(object = one_of(pool$cvs))
  named_x <- function(args) stats::setNames(args, c("x", names(args)[-1]))
  data_of <- function(cv) if (is.null(cv$fit$blueprint$formula)) pool$x else pool$frame
  with_data <- function(object) c(object, list(newdata = data_of(object[[1]]), s = pick("lambda.min", "lambda.1se")))
  args <- function(make) function() fuzz_cv_args(make(pool))
  on_x <- function(shape) function() {
    own <- list(x = shape(pool$x), y = pool$y, weights = NULL, offset = NULL)
    replace(fuzz_cv_args(fuzz_fit_args(pool)), names(own), own)
  }
  handed <- c("coef", "summary", "fitted", "residuals", "weights", "nobs", "deviance", "logLik", "AIC", "BIC", "family", "simulate", "vcov",
              "confint", "variable.names", "model.matrix")
  asked <- lapply(stats::setNames(nm = paste0(handed, ".cv_hofm")), function(name) {
    generic <- get(sub(".cv_hofm", "", name, fixed = TRUE))
    target(generic, function() c(cv(), list(s = pick("lambda.min", "lambda.1se"))), foreign = TRUE)
  })
  c(asked, list(
    cv_hofm.default = target(cv_hofm, args(fuzz_fit_args), judge_fit),
    cv_hofm.matrix = target(cv_hofm, on_x(identity), judge_fit),
    cv_hofm.Matrix = target(cv_hofm, on_x(function(x) methods::as(x, "CsparseMatrix")), judge_fit),
    cv_hofm.data.frame = target(cv_hofm, on_x(as.data.frame), judge_fit),
    cv_hofm.formula = target(cv_hofm, args(fuzz_formula_args)),
    cv_hofm.link_pairs = target(cv_hofm, args(fuzz_link_args), judge_fit),
    cv_hofm.recipe = if (!is.null(pool$recipe)) {
      target(cv_hofm, function() list(x = pool$recipe, data = pool$frame, rank = 1, lambda = c(1, 0.1), nfolds = 2,
                                      control = pool$control), kept = "x")
    },
    predict.cv_hofm = target(predict, function() with_data(cv()), judge_predictions, foreign = TRUE),
    auc.cv_hofm = target(auc, function() named_x(with_data(cv())), foreign = TRUE),
    roc_curve.cv_hofm = target(roc_curve, function() named_x(with_data(cv())), foreign = TRUE),
    update.cv_hofm = target(update, function() c(cv(), list(nfolds = 2, evaluate = pick(TRUE, FALSE))), foreign = TRUE),
    formula.cv_hofm = target(formula, function() named_x(cv()), foreign = TRUE),
    terms.cv_hofm = target(terms, function() named_x(cv()), foreign = TRUE),
    model.frame.cv_hofm = target(model.frame, function() stats::setNames(cv(), "formula"), foreign = TRUE),
    as.data.frame.cv_hofm = target(as.data.frame, function() named_x(cv()), foreign = TRUE),
    print.cv_hofm = target(print, function() named_x(c(cv(), list(digits = 3))), foreign = TRUE),
    plot.cv_hofm = target(plot, function() named_x(cv()), foreign = TRUE),
    autoplot.cv_hofm = optional_target("ggplot2", "autoplot", cv),
    tidy.cv_hofm = optional_target("generics", "tidy", function() named_x(cv())),
    glance.cv_hofm = optional_target("generics", "glance", function() named_x(cv())),
    augment.cv_hofm = optional_target("generics", "augment", function() named_x(with_data(cv())))))
}

judge_posterior <- function(value, args) {
  if (!inherits(value, "bayes_hofm")) return("not a fit")
  if (not_finite(unlist(lapply(value$chains, `[`, c("draws", "mean"))))) "a draw that is not finite"
}

bayes_targets <- function(pool) {
  fit <- function() one_of(pool$bayes)
  short <- function(...) list(..., rank = 1, iter = 6, chains = 2, keep = 4, control = pool$control)
  named <- function(name) stats::setNames(list(fit()), name)
  plain <- function(generic, name = "object", judge = any_answer) target(generic, function() named(name), judge, foreign = TRUE)
  list(
    bayes_hofm = target(bayes_hofm, function() short(x = pool$x, y = pool$y), judge_posterior),
    bayes_hofm.matrix = target(bayes_hofm, function() short(x = pool$x, y = pool$y, model = pick("hofm", "shared")), judge_posterior),
    bayes_hofm.Matrix = target(bayes_hofm, function() short(x = Matrix::Matrix(pool$x, sparse = TRUE), y = pool$y), judge_posterior),
    bayes_hofm.data.frame = target(bayes_hofm, function() short(x = pool$frame[c("u", "v")], y = pool$frame$class), judge_posterior),
    bayes_hofm.formula = target(bayes_hofm, function() short(x = y ~ u + v, data = pool$frame), judge_posterior),
    bayes_hofm.link_pairs = target(bayes_hofm, function() short(x = pool$links), judge_posterior),
    bayes_hofm.default = target(bayes_hofm, function() list(x = pick(1, "a", NULL)), judge_posterior),
    hofm_prior = target(hofm_prior, function() list(shape = 1, scale = 1, noise = c(1, 1), lambda = NULL)),
    print.hofm_prior = target(print, function() list(x = hofm_prior()), foreign = TRUE),
    predict.bayes_hofm = target(predict, function() list(object = pool$bayes$rows, newdata = pool$frame, type = pick("response", "link"),
                                                         interval = pick("none", "credible"), level = 0.9), foreign = TRUE),
    print.bayes_hofm = plain(print, "x"), summary.bayes_hofm = plain(summary),
    print.summary.bayes_hofm = target(print, function() list(x = suppressWarnings(summary(fit())), digits = 3), foreign = TRUE),
    update.bayes_hofm = target(update, function() list(object = fit(), iter = 2, keep = 2), foreign = TRUE),
    as_hofm = target(as_hofm, function() list(fit = fit(), chain = 1)),
    fitted.bayes_hofm = plain(fitted), residuals.bayes_hofm = plain(residuals), nobs.bayes_hofm = plain(nobs), coef.bayes_hofm = plain(coef),
    formula.bayes_hofm = plain(formula, "x"), variable.names.bayes_hofm = plain(variable.names), sigma.bayes_hofm = plain(stats::sigma),
    simulate.bayes_hofm = target(simulate, function() list(object = fit(), nsim = 2, seed = 1), foreign = TRUE),
    plot.bayes_hofm = target(plot, function() list(x = fit(), n = 2), foreign = TRUE),
    model.frame.bayes_hofm = plain(model.frame, "formula"), vcov.bayes_hofm = plain(vcov), confint.bayes_hofm = plain(confint),
    logLik.bayes_hofm = plain(logLik), deviance.bayes_hofm = plain(deviance),
    posterior_predict.bayes_hofm = optional_target("rstantools", "posterior_predict", function() named("object")),
    posterior_epred.bayes_hofm = optional_target("rstantools", "posterior_epred", function() named("object")),
    posterior_linpred.bayes_hofm = optional_target("rstantools", "posterior_linpred", function() named("object")),
    log_lik.bayes_hofm = optional_target("rstantools", "log_lik", function() named("object")),
    as_draws.bayes_hofm = optional_target("posterior", "as_draws", function() named("x")),
    loo.bayes_hofm = optional_target("loo", "loo", function() named("x")),
    waic.bayes_hofm = optional_target("loo", "waic", function() named("x")))
}

# Methods for generics of packages that may not be there.
optional_target <- function(package, generic, args, judge = any_answer) {
  if (requireNamespace(package, quietly = TRUE)) target(getExportedValue(package, generic), args, judge, foreign = TRUE)
}

fit_method_targets <- function(pool) {
  fit <- function() one_of(pool$fits)
  plain <- function(generic, judge = any_answer, ..., name = "object") {
    more <- list(...)
    target(generic, function() c(stats::setNames(list(fit()), name), lapply(more, one_of)), judge, foreign = TRUE)
  }
  predict_args <- function() {
    object <- fit()
    c(list(object = object, newdata = fuzz_newdata(object, pool), type = pick("response", "link", "class", "terms", "prob")),
      pick(list(), list(offset = 0.5), list(threads = 2), list(allow_new_levels = TRUE)))
  }
  which <- list("model", "convergence", "interactions", "degrees", "embedding")
  list(
    predict.hofm = target(predict, predict_args, judge_predictions, foreign = TRUE),
    print.hofm = plain(print, digits = list(3), name = "x"),
    summary.hofm = plain(summary),
    print.summary.hofm = target(print, function() list(x = summary(fit()), digits = 3), foreign = TRUE),
    coef.hofm = plain(coef, degree = list(NULL, 1, 2)),
    fitted.hofm = plain(fitted, judge_numbers),
    residuals.hofm = plain(residuals, judge_numbers, type = list("response", "deviance", "pearson", "working")),
    weights.hofm = plain(weights, judge_numbers),
    nobs.hofm = plain(nobs, judge_numbers),
    deviance.hofm = plain(deviance, judge_numbers),
    logLik.hofm = plain(logLik, any_answer),                     # infinite for a perfect fit
    AIC.hofm = plain(function(...) suppressWarnings(stats::AIC(...), classes = "hofm_warning_no_count"), any_answer),
    BIC.hofm = plain(function(...) suppressWarnings(stats::BIC(...), classes = "hofm_warning_no_count"), any_answer),
    family.hofm = plain(family),
    formula.hofm = plain(formula, name = "x"),
    terms.hofm = plain(terms, name = "x"),
    variable.names.hofm = plain(variable.names),
    vcov.hofm = plain(vcov),
    confint.hofm = plain(confint, level = list(0.9)),
    model.frame.hofm = plain(model.frame, name = "formula"),
    anova.hofm = target(anova, function() list(object = pool$fits$formula, newdata = pool$frame), foreign = TRUE),
    drop1.hofm = plain(drop1),
    model.matrix.hofm = target(model.matrix, function() {
      object <- fit()
      list(object = object, data = fuzz_newdata(object, pool))
    }, foreign = TRUE),
    as.data.frame.hofm = plain(as.data.frame, judge_frame, name = "x"),
    simulate.hofm = plain(simulate, judge_frame, nsim = list(1, 3), seed = list(NULL, 1)),
    # The call is evaluated, as that of any model is: only what is new in it may be wrong.
    update.hofm = target(update, function() list(object = fit(), rank = 1, evaluate = FALSE), foreign = TRUE,
                         kept = c("object", "evaluate")),
    interactions = target(interactions, function() {
      more <- pick(list(), list(), list(data = pool$frame, by = pick("feature", "variable"), resample = pick(0, 2), seed = 1, top = pick(NULL, 2)))
      c(list(fit = if (length(more)) pool$fits$formula else fit(), degree = pick(2, 3), n = 5, possible = pick(TRUE, FALSE)), more)
    }, judge_frame, kept = "resample"),
    recover_data.hofm = optional_target("emmeans", "recover_data", function() list(object = pool$fits$formula, data = pool$frame)),
    recover_data.hofm_bootstrap = optional_target("emmeans", "recover_data", function() list(object = pool$boot, data = pool$frame)),
    emm_basis.hofm = optional_target("emmeans", "emm_basis", function() list(object = pool$fits$formula, grid = pool$frame)),
    emm_basis.hofm_bootstrap = optional_target("emmeans", "emm_basis", function() list(object = pool$boot, grid = pool$frame)),
    calibration_curve = target(calibration_curve, function() {
      list(truth = pool$frame$class, predicted = stats::plogis(pool$frame$u), bins = pick(2, 10), level = 0.9)
    }, judge_frame),
    print.calibration_curve = target(print, function() list(x = pool$calibration, digits = 3), foreign = TRUE),
    plot.calibration_curve = target(plot, function() list(x = pool$calibration), foreign = TRUE),
    autoplot.calibration_curve = optional_target("ggplot2", "autoplot", function() list(object = pool$calibration)),
    bootstrap_hofm = target(bootstrap_hofm, function() list(fit = pool$fits$formula, data = pool$frame, times = 2, seed = 1),
                            kept = "times"),                     # a million of them take their time
    predict.hofm_bootstrap = target(predict, function() {
      list(object = pool$boot, newdata = pool$frame, se.fit = pick(TRUE, FALSE), level = 0.9)
    }, foreign = TRUE),
    print.hofm_bootstrap = target(print, function() list(x = pool$boot, digits = 3), foreign = TRUE),
    predict.hofm_classes = target(predict, function() {
      list(object = pool$classes, newdata = pool$x3, type = pick("prob", "class", "link", "response"))
    }, foreign = TRUE),
    coef.hofm_classes = target(coef, function() list(object = pool$classes), foreign = TRUE),
    fitted.hofm_classes = target(fitted, function() list(object = pool$classes), foreign = TRUE),
    residuals.hofm_classes = target(residuals, function() list(object = pool$classes), foreign = TRUE),
    nobs.hofm_classes = target(nobs, function() list(object = pool$classes), foreign = TRUE),
    deviance.hofm_classes = target(deviance, function() list(object = pool$classes), foreign = TRUE),
    logLik.hofm_classes = target(logLik, function() list(object = pool$classes), foreign = TRUE),
    formula.hofm_classes = target(formula, function() list(x = pool$classes), foreign = TRUE),
    variable.names.hofm_classes = target(variable.names, function() list(object = pool$classes), foreign = TRUE),
    model.matrix.hofm_classes = target(model.matrix, function() list(object = pool$classes, data = pool$x3), foreign = TRUE),
    update.hofm_classes = target(update, function() list(object = pool$classes, rank = 1, evaluate = FALSE), foreign = TRUE,
                                 kept = c("object", "evaluate")),
    plot.hofm_classes = target(plot, function() list(x = pool$classes, class = pick("setosa", "virginica")), foreign = TRUE),
    auc.hofm_classes = target(auc, function() list(x = pool$classes), foreign = TRUE),
    anova.hofm_classes = target(anova, function() list(object = pool$classes), foreign = TRUE),
    print.hofm_classes = target(print, function() list(x = pool$classes, digits = 3), foreign = TRUE),
    summary.hofm_classes = target(summary, function() list(object = pool$classes), foreign = TRUE),
    print.summary.hofm_classes = target(print, function() list(x = summary(pool$classes), digits = 3), foreign = TRUE),
    effects_hofm = target(effects_hofm, function() {
      list(fit = pick(pool$boot, pool$fits$formula), variables = pick("u", "v", c("u", "v")), data = pool$frame, method = pick("pdp", "ale"), points = 3)
    }, judge_frame),
    plot.hofm_effects = target(plot, function() list(x = pool$effects), foreign = TRUE),
    autoplot.hofm_effects = optional_target("ggplot2", "autoplot", function() list(object = pool$effects)),
    variable_importance = target(variable_importance, function() {
      list(fit = pool$fits$formula, data = pool$frame, method = pick("permutation", "variance"), times = 2, seed = 1)
    }, judge_frame, kept = "times"),
    plot.hofm = plain(plot, which = which, name = "x"),
    autoplot.hofm = optional_target("ggplot2", "autoplot", function() list(object = fit(), which = one_of(which))),
    tidy.hofm = optional_target("generics", "tidy", function() {
      list(x = fit(), what = pick("parameters", "interactions"), n = 3)
    }, judge_frame),
    glance.hofm = optional_target("generics", "glance", function() list(x = fit())),
    augment.hofm = optional_target("generics", "augment", function() {
      x <- fit()
      list(x = x, newdata = fuzz_newdata(x, pool))
    }),
    print.hofm_control = target(print, function() list(x = pool$control), foreign = TRUE),
    compare_models = target(compare_models, function() {
      if (runif(1) < 0.2) {
        known <- function(newdata) newdata$i
        return(list(models = list(a = known), newdata = pick(pool$split, pool$split$test), baselines = pick(TRUE, FALSE)))
      }
      list(models = list(a = pool$fits$formula, b = pick(pool$fits$formula, function(newdata) newdata$u)),
           newdata = pool$frame, y = pick(NULL, "y", pool$frame$y), level = 0.9, adjust = pick("holm", "none"))
    }),
    print.model_comparison = target(print, function() list(x = pool$compared, digits = 3), foreign = TRUE),
    as.data.frame.model_comparison = target(as.data.frame, function() {
      list(x = pool$compared, what = pick("models", "tests", "orders"))
    }, foreign = TRUE),
    plot.model_comparison = target(plot, function() list(x = pool$compared, which = pick("measure", "tests")),
                                   foreign = TRUE),
    autoplot.model_comparison = optional_target("ggplot2", "autoplot", function() {
      list(object = pool$compared, which = pick("measure", "tests"))
    }))
}

link_targets <- function(pool) {
  sparse <- methods::as(pool$A, "CsparseMatrix")
  nodes <- function() pick(list(A = pool$A), list(A = pool$A, B = pool$B), list(A = sparse))
  link_fit <- function() pick(pool$link_fit, pool$grid_fit)
  sides <- function(fit) if (identical(fit, pool$link_fit)) list(A = pool$A, B = pool$B) else list(A = pool$A)
  rest <- function() pool$split$test
  list(
    link_pairs = target(link_pairs, function() {
      c(nodes(), list(pairs = pool$pairs[1:4, ], directed = pick(TRUE, FALSE)))
    }),
    split_links = target(split_links, function() {
      c(nodes(), list(edges = pool$edges[1:4, ], prop = 0.5, ratio = pick(0, 1), seed = pick(NULL, 1)))
    }),
    link_baselines = target(link_baselines, function() list(split = pool$split, max_pairs = pick(1e8, 1e5))),
    sample_negatives = target(sample_negatives, function() {
      c(nodes(), list(edges = pool$edges[1:4, ], n = pick(NULL, 3), seed = pick(NULL, 1)))
    }),
    score_links = target(score_links, function() {
      fit <- link_fit()
      c(list(fit = fit), sides(fit), list(type = pick("response", "link"), threads = pick(NULL, 1, 2)))
    }, judge_numbers),
    top_links = target(top_links, function() {
      fit <- link_fit()
      two_sets <- identical(fit, pool$link_fit)
      data <- if (two_sets) list(links = pick(pool$links, pool$A), B = pool$B)
              else list(links = pick(rest(), pool$split$train))
      if (inherits(data$links, "link_pairs")) data$B <- NULL
      c(list(fit = fit), data, list(n = pick(1, 5, 100), by = pick("overall", "node"), threads = pick(NULL, 1)))
    }, judge_frame),
    auc.hofm = target(auc, function() {
      list(x = pool$grid_fit, test = pick(rest(), pool$split$train), ci = pick(TRUE, FALSE), level = 0.9)
    }, judge_share),
    roc_curve.hofm = target(roc_curve, function() {
      list(x = pool$grid_fit, test = pick(rest(), pool$split$train), max_points = pick(NULL, 5))
    }),
    "[.link_pairs" = target(`[`, function() list(x = pool$links, k = pick(1:3, -1, c(TRUE, FALSE))), foreign = TRUE),
    dim.link_pairs = target(dim, function() list(x = pool$links), foreign = TRUE),
    print.link_pairs = target(print, function() list(x = pool$links), foreign = TRUE),
    print.link_split = target(print, function() list(x = pool$split), foreign = TRUE),
    print.link_rest = target(print, function() list(x = rest()), foreign = TRUE),
    as.data.frame.link_pairs = target(as.data.frame, function() list(x = pool$links), foreign = TRUE),
    as.data.frame.link_rest = target(as.data.frame, function() list(x = rest(), max_pairs = pick(1, 100)),
                                     foreign = TRUE),
    model.matrix.link_pairs = target(model.matrix, function() list(object = pool$links), foreign = TRUE),
    predict.link_pairs = target(predict, function() {
      list(object = pool$link_fit, newdata = pool$links, type = pick("response", "link", "terms"))
    }, judge_predictions, foreign = TRUE))
}

roc_targets <- function(pool) {
  scores <- function(...) stats::setNames(fuzz_scores(), c(...))
  list(
    auc.default = target(auc, function() {
      c(scores("x", "score"), list(ci = pick(TRUE, FALSE), level = 0.9, method = pick("delong", "logit")))
    }, judge_share),
    auc.roc_curve = target(auc, function() list(x = pool$curve, ci = pick(TRUE, FALSE), level = 0.9), judge_share),
    roc_curve.default = target(roc_curve, function() c(scores("x", "score"), pick(list(), list(max_points = 5)))),
    auc_test = target(auc_test, function() {
      s <- fuzz_scores()
      list(truth = s$truth, score1 = s$score, score2 = rnorm(length(s$score)), level = 0.9)
    }),
    print.hofm_auc = target(print, function() list(x = pool$area, digits = 3), foreign = TRUE, kept = "x"),
    print.roc_curve = target(print, function() list(x = pool$curve, n = 3), foreign = TRUE),
    print.roc_curves = target(print, function() list(x = pool$curves), foreign = TRUE),
    c.roc_curve = target(c, function() list(a = pool$curve, b = pool$curve), foreign = TRUE),
    c.roc_curves = target(c, function() list(pool$curves, b = pool$curve), foreign = TRUE),
    plot.roc_curve = target(plot, function() list(x = pool$curve, level = 0.9, max_points = pick(10, 5000)),
                            foreign = TRUE),
    plot.roc_curves = target(plot, function() list(x = pool$curves, level = 0.9, legend = pick(TRUE, FALSE)),
                             foreign = TRUE),
    lines.roc_curve = target(drawn_lines, function() list(x = pool$curve, max_points = pick(10, 5000)), foreign = TRUE),
    autoplot.roc_curve = optional_target("ggplot2", "autoplot", function() list(object = pool$curve)),
    autoplot.roc_curves = optional_target("ggplot2", "autoplot", function() list(object = pool$curves, level = 0.9)))
}

drawn_lines <- function(x, ...) {
  graphics::plot.new()
  graphics::lines(x, ...)
}

kernel_targets <- function(pool) {
  anova <- function() c(fuzz_kernel_args(), list(method = pick("dp", "power_sums")))
  list(
    anova_kernel = target(anova_kernel, anova, judge_kernel),
    anova_gradient = target(anova_gradient, anova, judge_kernel),
    all_subsets_kernel = target(all_subsets_kernel, function() fuzz_kernel_args(degree = FALSE), judge_kernel),
    all_subsets_gradient = target(all_subsets_gradient, function() fuzz_kernel_args(degree = FALSE), judge_kernel),
    polynomial_kernel = target(polynomial_kernel, function() fuzz_kernel_args(gamma = TRUE), judge_kernel),
    polynomial_gradient = target(polynomial_gradient, function() fuzz_kernel_args(gamma = TRUE), judge_kernel))
}

file_targets <- function(pool) {
  out <- function() pick(pool$files$out, paste0(pool$files$out, ".gz"), pool$files$folder,
                         file.path(pool$files$none, "deeper"))
  json <- requireNamespace("jsonlite", quietly = TRUE)
  list(
    write_shards = target(write_shards, function() {
      x <- fuzz_matrix()
      if (runif(1) < 0.5) {
        return(list(source = x, dir = tempfile("fuzz"), y = fuzz_response(nrow(x)), weights = pick(NULL, rep(2, nrow(x))),
                    shard_nonzeros = pick(5, 1e6)))
      }
      once <- list(pool$frame)
      rows <- function() {
        frame <- once[[1]]
        once[1] <<- list(NULL)
        frame
      }
      list(source = pick(pool$frame, rows), dir = tempfile("fuzz"), formula = y ~ u + v, hash_bits = pick(NULL, 4), shard_nonzeros = 5)
    }),
    open_shards = target(open_shards, function() list(dir = pick(pool$shards$dir, pool$files$none), verify = pick(TRUE, FALSE))),
    print.hofm_shards = target(print, function() list(x = pool$shards), foreign = TRUE),
    dim.hofm_shards = target(dim, function() list(x = pool$shards), foreign = TRUE),
    length.hofm_shards = target(length, function() list(x = pool$shards), foreign = TRUE),
    `[.hofm_shards` = target(`[`, function() list(x = pool$shards, i = pick(1, 1:2, -1)), foreign = TRUE),
    hofm.hofm_shards = target(hofm, function() {
      list(x = pool$shards, order = pick(1, 2, 3), rank = pick(1, 2), lambda = pick(0.1, NULL), solver = pick("auto", "lbfgs", "adagrad", "sgd"),
           standardize = pick(TRUE, FALSE), validation = pick(NULL, pool$shards[1]),
           workers = pick(NULL, function(tasks, fun) lapply(tasks, fun)), control = pool$control)
    }, judge_fit),
    auc.hofm_shards = target(auc, function() list(x = pool$class_shards, fit = pool$fits$matrix, ci = pick(TRUE, FALSE))),
    read_libsvm = target(read_libsvm, function() {
      list(file = pick(pool$files$data, pool$files$packed, pool$files$none, pool$files$folder, pool$files$json),
           n_features = pick(NULL, 4, 100), base = pick(NULL, 0, 1))
    }),
    write_libsvm = target(write_libsvm, function() {
      x <- fuzz_matrix()
      list(x = x, y = fuzz_response(nrow(x)), file = out(), base = pick(0, 1), qid = pick(NULL, seq_len(nrow(x))))
    }),
    export_libfm = target(export_libfm, function() list(fit = one_of(pool$fits), file = out())),
    write_hofm_json = if (json) target(write_hofm_json, function() list(fit = one_of(pool$fits), file = out())),
    read_hofm_json = if (json) {
      target(read_hofm_json, function() list(file = pick(pool$files$json, pool$files$data, pool$files$none)))
    })
}

# Without the packages behind them these are refused, which is an answer as well.
framework_targets <- function(pool) {
  specified <- requireNamespace("parsnip", quietly = TRUE)
  list(
    factorization_machine = target(factorization_machine, function() {
      list(mode = pick("regression", "classification"), order = 2, rank = 2, penalty = 0.1)
    }),
    update.factorization_machine = if (specified) {
      target(update, function() list(object = factorization_machine("regression"), rank = 2), foreign = TRUE)
    },
    fit_factorization_machine = target(fit_factorization_machine, function() {
      list(x = pool$x, y = pool$y, rank = 1, control = pool$control)
    }, judge_fit),
    fm_order = target(fm_order, function() list(range = c(1, 3))),
    fm_rank = target(fm_rank, function() list(range = c(2, 8))))
}
