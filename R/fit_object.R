# The fitted object: every field in one place, and the check that they are all there and sound.

# Raised when a change of the fields would make older code misread them. Version 1 knew of no standardised columns.
format_version <- 2L
readable_versions <- 1:2

#' Put a fitted object together
#' @param engine What fit_model() returned.
#' @param problem,spec,control What it was given.
#' @param response `kind` and `levels` of the response.
#' @param weights Prior weights as given, or NULL.
#' @param parts What the front end read: `blueprint`, `offset_given`, `na.action`.
#' @noRd
new_hofm <- function(engine, problem, spec, control, response, weights, parts, call) {
  check_engine(engine)
  measures <- engine$measures                             # of samples in shards
  if (is.null(measures)) measures <- fit_measures(engine, problem, spec, if (is.null(weights)) rep(1, problem$n) else weights)
  fit <- list(
    intercept = as.double(engine$intercept), w = engine$w, P = engine$P, theta = engine$theta, gamma = engine$gamma,
    common = engine$common,
    order = spec$order, rank = spec$rank, split = spec$split, tied = spec$tied, lambda = spec$lambda, penalty = solver_lambda(spec),
    penalty_factor = spec$penalty_factor, standardize = !is.null(parts$blueprint$standard) || isTRUE(spec$standardize), tuning = spec$tuning, model = spec$model, loss = spec$loss,
    solver = engine$solver, has_intercept = spec$intercept, linear = spec$linear,
    objective = engine$objective, trace = engine$trace, converged = engine$converged,
    message = engine$message, seed = engine$seed, eta = engine$eta, steps = engine$steps,
    ranking = engine$ranking, validation = engine$validation,
    deviance = measures$deviance, null.deviance = measures$null,
    loglik = measures$loglik, n = problem$n, features = problem$features, response = response,
    negatives = negatives_facts(problem$task),
    offset_given = parts$offset_given, weights_given = !is.null(weights), na.action = parts$na.action,
    blueprint = parts$blueprint[setdiff(names(parts$blueprint), "features")], control = control, call = call,
    format_version = format_version)
  fit$degree_variance <- degree_variance(fit, problem)
  if (control$keep_fitted) {
    fit$meeting <- if (is.null(parts$meeting)) meeting_pairs(problem$blocks, exclusive_groups(fit)) else parts$meeting
    fit <- c(fit, training_values(engine$link, problem, spec$loss, weights))
  }
  structure(fit, class = "hofm")
}

check_engine <- function(engine) {
  values <- c(engine[c("intercept", "w", "link", "theta", "gamma", "objective")], engine$P, engine$common["weight"])
  if (all(vapply(values, function(value) is.null(value) || all_finite(value), TRUE))) return(invisible())
  hofm_abort(paste("The solver ended at values that are not finite. Scale the features to about unit size,",
                   "or use a larger `lambda`, or a smaller `eta` or `init_sd` in hofm_control()."),
             "hofm_error_diverged")
}

# Numbers about the fit that need the training response.
fit_measures <- function(engine, problem, spec, weights) {
  if (spec$loss == "auc") return(ranking_measures(engine, problem, weights))
  link <- engine$link
  unit <- loss_facts(spec$loss)$deviance
  base <- null_link(problem$y, spec$loss, weights, problem$offset, spec$intercept)
  list(deviance = sum(weights * unit(problem$y, link)), null = sum(weights * unit(problem$y, base)),
       loglik = log_likelihood(problem$y, spec$loss, link, weights))
}

# Twice the loss of the pairs watched, for each link; with equal scores the loss is log 2.
ranking_measures <- function(engine, problem, weights) {
  links <- sum(weights[problem$y > 0])
  list(deviance = 2 * links * engine$loss_value, null = 2 * links * log(2), loglik = NA_real_)
}

training_values <- function(link, problem, loss, weights) {
  if (loss == "auc") return(list(linear.predictors = link, prior.weights = weights))
  mean <- loss_facts(loss)$mean(link)
  list(linear.predictors = link, residuals = response_values(problem$y, loss) - mean, prior.weights = weights)
}

# ---- Is a fit whole? ---------------------------------------------------------------------------------------

#' Check a fit before it is used
#' @param shown Whether to check also the fields that predictions do without: what is there to be shown, and the values of the training
#'   rows.
#' @noRd
check_fit <- function(fit, arg = "object", shown = FALSE) {
  if (!is.list(fit)) abort_damaged(arg, "it is not a list")
  version <- fit$format_version
  if (!(is_one(version) && version %in% readable_versions)) {
    abort_damaged(arg, sprintf("its `format_version` is %s, and this version reads %s", describe(version),
                               paste(readable_versions, collapse = " and ")))
  }
  check_sound(fit, c(fit_rules(), if (shown) c(shown_rules(), training_rules())), arg, "fit")
}

# What print() and summary() need besides. A trace may be missing.
shown_rules <- function() {
  number <- function(field) function(f) is_one(f[[field]])
  list(
    call = function(f) is.call(f$call),
    lambda = function(f) is_plain_number(f$lambda) && length(f$lambda) > 0,
    solver = function(f) is_string(f$solver),
    penalty = function(f) absent_or(f$penalty, is_plain_number),
    penalty_factor = function(f) absent_or(f$penalty_factor, function(v) are_finite(v, length(f$features))),
    trace = function(f) absent_or(f$trace, is_trace),
    converged = function(f) is_flag(f$converged),
    objective = number("objective"), deviance = function(f) is_finite_one(f$deviance) && f$deviance >= 0, null.deviance = number("null.deviance"),
    seed = function(f) absent_or(f$seed, is_finite_one), eta = function(f) absent_or(f$eta, is_finite_one),
    split = function(f) absent_or(f$split, is_count),
    loglik = function(f) is.null(loss_facts(f$loss)$family) || is_one(f$loglik), n = function(f) is_count(f$n),
    message = function(f) absent_or(f$message, is.character),
    has_intercept = function(f) is_flag(f$has_intercept),
    degree_variance = function(f) {
      is_plain_number(f$degree_variance) && identical(names(f$degree_variance), c(degree_names(f)[-1L], "total"))
    },
    ranking = function(f) absent_or(f$ranking, function(r) {
      is_count(r$links) && is_count(r$others) && is_one_of(r$drawn, c("rows", "pairs"))
    }),
    validation = function(f) absent_or(f$validation, function(v) is_count(v$best)),
    negatives = function(f) absent_or(f$negatives, function(v) is_count(v$pairs) && is_count(v$links)))
}

# That of links is a table alone.
sound_tuning <- function(tuning) {
  if (is.data.frame(tuning)) return(TRUE)
  is.list(tuning) && is.data.frame(tuning$table) && is_count(tuning$folds) && is_plain_number(tuning$off)
}

is_trace <- function(trace) {
  is.data.frame(trace) && all(vapply(trace[c("iteration", "seconds", "objective")], is_plain_number, NA)) &&
    !anyNA(trace$iteration)
}

# What fitted(), residuals(), weights(), simulate() and terms() need: a fit may have kept nothing of its training rows.
training_rules <- function() {
  values <- function(field) function(f) absent_or(f[[field]], function(v) are_finite(v, f$n))
  list(
    linear.predictors = values("linear.predictors"), prior.weights = values("prior.weights"),
    residuals = function(f) absent_or(f$residuals, function(v) is_plain_number(v) && length(v) == f$n),
    weights_given = function(f) is_flag(f$weights_given),
    na.action = function(f) absent_or(f$na.action, function(a) {
      is.numeric(a) && inherits(a, c("omit", "exclude")) && !anyNA(a) && all(a >= 1)
    }),
    blueprint = function(f) {
      absent_or(f$blueprint$formula, function(v) inherits(v, "formula")) &&
        absent_or(f$blueprint$terms_object, function(v) inherits(v, "terms"))
    })
}

fit_rules <- function() {
  kinds <- c("numeric", "factor", "character", "logical", "proportion")
  list(
    model = function(f) is_one_of(f$model, model_names()),
    loss = function(f) is_one_of(f$loss, names(loss_table())),
    order = function(f) length(f$order) == 1 && sound_order(f$order, model_table()[[f$model]]$orders),
    rank = function(f) {
      are_finite(f$rank, if (f$model == "hofm") f$order - 1 else 1) && all(f$rank >= 0 & f$rank == round(f$rank))
    },
    linear = function(f) is_flag(f$linear) && (!f$linear || model_table()[[f$model]]$linear),
    features = function(f) sound_names(f$features),
    intercept = function(f) are_finite(f$intercept, 1),
    w = function(f) if (f$linear) are_finite(f$w, length(f$features)) else is.null(f$w),
    P = sound_P,
    theta = function(f) if (f$model %in% c("shared", "simplex")) sound_theta(f$theta, f) else is.null(f$theta),
    gamma = function(f) if (dummies(f) > 0) sound_gamma(f$gamma, f) else is.null(f$gamma),
    common = function(f) absent_or(f$common, function(rule) sound_common(rule, f$features)),
    tied = function(f) absent_or(f$tied, is_flag) && (!isTRUE(f$tied) || sound_sides(f$features)),
    blueprint = sound_blueprint,
    tuning = function(f) absent_or(f$tuning, sound_tuning),
    meeting = function(f) absent_or(f$meeting, function(m) sound_meeting(m, length(f$features))),
    response = function(f) is_one_of(f$response$kind, kinds) && length(f$response$levels) %in% c(0, 2) &&
      absent_or(f$response$range, function(v) are_finite(v, 2)),
    offset_given = function(f) is_flag(f$offset_given),
    control = function(f) inherits(f$control, "hofm_control") && is_finite_one(f$control$threads) && f$control$threads >= 1)
}

sound_names <- function(x) is.character(x) && !is.object(x) && is.null(dim(x)) && length(x) > 0 && !anyNA(x) && !anyDuplicated(x)

# Both sides of a pair have the same features, so that they can be exchanged.
sound_sides <- function(features) {
  a <- block_features(features, "A")
  length(a) > 0 && identical(a, block_features(features, "B"))
}

sound_order <- function(order, orders) {
  if (is.null(orders)) is.na(order) else is_plain_number(order) && order %in% orders[1]:orders[2]
}

sound_P <- function(fit) {
  size <- factor_sizes(length(fit$features), fit)
  is.list(fit$P) && identical(names(fit$P), if (length(size)) names(size) else names(fit$P)) &&
    length(fit$P) == length(size) &&
    all(mapply(function(P, size) sound_factors(P, size[1], size[2]), fit$P, size))
}

# A frame blueprint must make exactly one column for each feature; products are counted by the columns they kept.
sound_blueprint <- function(fit) {
  b <- fit$blueprint
  if (!is.list(b) || !identical(length(b$kind), 1L)) return(FALSE)
  if (!absent_or(b$standard, function(s) sound_standard(s, length(fit$features)))) return(FALSE)
  if (b$kind == "matrix") return(is.logical(b$named) && length(b$named) == 1 && !is.na(b$named))
  n <- length(b$variables)
  b$kind == "frame" && is.character(b$variables) && is.character(b$types) && is.character(b$needed) &&
    is.list(b$levels) && is.list(b$columns) && length(b$types) == n &&
    (is.null(b$calls) || length(b$calls) == n) && sum(blueprint_widths(b)) == length(fit$features) &&
    absent_or(b$hash_bits, is_count) &&
    absent_or(b$arrival, function(at) identical(sort(as.double(at)), as.double(seq_along(fit$features))))
}
