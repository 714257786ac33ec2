# The fitted object: every field in one place, and the check that they are all there and sound.

# Raised when a change of the fields would make older code misread them; check_fit() then upgrades older fits.
format_version <- 1L

#' Put a fitted object together
#' @param engine What fit_model() returned.
#' @param problem,spec,control What it was given.
#' @param response `kind` and `levels` of the response.
#' @param weights Prior weights as given, or NULL.
#' @param parts What the front end read: `blueprint`, `offset_given`, `na.action`.
#' @noRd
new_hofm <- function(engine, problem, spec, control, response, weights, parts, call) {
  check_engine(engine)
  measures <- fit_measures(engine$link, problem, spec, if (is.null(weights)) rep(1, problem$n) else weights)
  fit <- list(
    intercept = as.double(engine$intercept), w = name_rows(engine$w, problem$features),
    P = lapply(engine$P, name_rows, problem$features), theta = engine$theta, gamma = engine$gamma,
    order = spec$order, rank = spec$rank, lambda = spec$lambda, model = spec$model, loss = spec$loss,
    solver = engine$solver, has_intercept = spec$intercept, linear = spec$linear,
    objective = engine$objective, trace = engine$trace, converged = engine$converged,
    message = engine$message, seed = engine$seed, eta = engine$eta,
    deviance = measures$deviance, null.deviance = measures$null,
    loglik = measures$loglik, n = problem$n, features = problem$features, response = response,
    offset_given = parts$offset_given, weights_given = !is.null(weights), na.action = parts$na.action,
    blueprint = parts$blueprint[setdiff(names(parts$blueprint), "features")], control = control, call = call,
    format_version = format_version)
  if (control$keep_fitted) fit <- c(fit, training_values(engine$link, problem, spec$loss, weights))
  structure(fit, class = "hofm")
}

check_engine <- function(engine) {
  values <- c(engine$intercept, engine$w, engine$link, unlist(engine$P, use.names = FALSE))
  if (all(is.finite(values))) return(invisible())
  hofm_abort(paste("The solver ended at values that are not finite. Scale the features to about unit size,",
                   "or use a larger `lambda`, or a smaller `eta` or `init_sd` in hofm_control()."),
             "hofm_error_diverged")
}

name_rows <- function(x, features) {
  if (is.matrix(x)) dimnames(x) <- list(features, NULL)
  else if (!is.null(x)) names(x) <- features
  x
}

# Numbers about the fit that need the training response.
fit_measures <- function(link, problem, spec, weights) {
  unit <- loss_facts(spec$loss)$deviance
  base <- null_link(problem$y, spec$loss, weights, problem$offset, spec$intercept)
  list(deviance = sum(weights * unit(problem$y, link)), null = sum(weights * unit(problem$y, base)),
       loglik = log_likelihood(problem$y, spec$loss, link, weights))
}

training_values <- function(link, problem, loss, weights) {
  mean <- loss_facts(loss)$mean(link)
  list(linear.predictors = link, residuals = response_values(problem$y, loss) - mean, prior.weights = weights)
}

# ---- Starting values ---------------------------------------------------------------------------------------

#' Starting values from a fit or a list
#' @return NULL, or a list with `intercept`, `w` and `P`, complete: an intercept or w that is not given, or
#'   not in the model, is zero.
#' @noRd
check_init <- function(init, features, spec) {
  if (is.null(init)) return(NULL)
  if (inherits(init, "hofm")) init <- init_from_fit(init, features, spec)
  known <- c("intercept", "w", "P")
  if (!is.list(init) || is.null(names(init)) || !all(names(init) %in% known)) {
    must_be("init", "a fit, or a list with elements `intercept`, `w` and `P`", init)
  }
  d <- length(features)
  intercept <- if (is.null(init$intercept)) 0 else check_number(init$intercept, "init$intercept")
  list(intercept = if (spec$intercept) intercept else 0,
       w = check_init_w(init$w, d, spec), P = check_init_factors(init$P, d, spec))
}

init_from_fit <- function(init, features, spec) {
  check_fit(init, "init")
  same <- c(features = identical(init$features, features), order = init$order == spec$order,
            rank = identical(init$rank, spec$rank), model = init$model == spec$model)
  if (!all(same)) {
    hofm_abort(sprintf("`init` must be a fit with the same features, order, rank and model. It differs in: %s.",
                       paste(names(same)[!same], collapse = ", ")), argument = "init")
  }
  coef(init)
}

check_init_w <- function(w, d, spec) {
  if (is.null(w) || !spec$linear) return(numeric(d))
  sound <- is.numeric(w) && length(w) == d && all(is.finite(w))
  if (!sound) must_be("init$w", sprintf("%d finite numbers", d), w)
  as.double(w)
}

check_init_factors <- function(P, d, spec) {
  degrees <- which(c(0L, spec$rank) > 0)
  used <- as.character(degrees)
  if (length(used) && !(is.list(P) && all(used %in% names(P)))) {
    must_be("init$P", sprintf("a list with matrices named %s", enumerate(quoted(used))), P)
  }
  checked <- lapply(degrees, function(t) {
    given <- P[[as.character(t)]]
    if (!sound_factors(given, d, spec$rank[t - 1])) {
      need <- sprintf("a finite numeric matrix of %d x %d", d, spec$rank[t - 1])
      must_be(sprintf("init$P[[\"%d\"]]", t), need, given)
    }
    matrix(as.double(given), d)
  })
  stats::setNames(checked, used)
}

sound_factors <- function(P, d, k) {
  is.numeric(P) && is.matrix(P) && nrow(P) == d && ncol(P) == k && all(is.finite(P))
}

# ---- Is a fit whole? ---------------------------------------------------------------------------------------

#' Check a fit before it is used
#'
#' Fits are read from files and edited by hand; what reaches the compiled code must be sound. The checks are
#' in the order in which they can rely on each other.
#' @noRd
check_fit <- function(fit, arg = "object") {
  damaged <- function(what) {
    hofm_abort(sprintf("%s is a damaged fit: %s.", ticked(arg), what), "hofm_error_damaged_fit",
               argument = arg)
  }
  if (!is.list(fit)) damaged("it is not a list")
  version <- fit$format_version
  if (!(is_plain_number(version) && length(version) == 1 && version %in% format_version)) {
    damaged(sprintf("its `format_version` is %s, and this version reads %d", describe(version),
                    format_version))
  }
  rules <- fit_rules()
  no <- function(condition) FALSE
  for (field in names(rules)) {
    sound <- tryCatch(isTRUE(rules[[field]](fit)), error = no, warning = no)
    if (!sound) damaged(sprintf("its field %s is missing or not what it must be", ticked(field)))
  }
  invisible(fit)
}

fit_rules <- function() {
  one <- function(x) is_plain_number(x) && length(x) == 1
  all_finite <- function(x, n) is_plain_number(x) && length(x) == n && all(is.finite(x))
  one_of <- function(x, choices) is.character(x) && length(x) == 1 && x %in% choices
  flag <- function(x) is.logical(x) && length(x) == 1 && !is.na(x)
  kinds <- c("numeric", "factor", "character", "logical")
  list(
    model = function(f) one_of(f$model, names(model_names())),
    loss = function(f) one_of(f$loss, names(loss_table())),
    order = function(f) one(f$order) && f$order %in% seq_len(max_order),
    rank = function(f) all_finite(f$rank, f$order - 1) && all(f$rank >= 0 & f$rank == round(f$rank)),
    linear = function(f) flag(f$linear),
    features = function(f) sound_names(f$features),
    intercept = function(f) all_finite(f$intercept, 1),
    w = function(f) if (f$linear) all_finite(f$w, length(f$features)) else is.null(f$w),
    P = sound_P,
    blueprint = sound_blueprint,
    response = function(f) one_of(f$response$kind, kinds) && length(f$response$levels) %in% c(0, 2),
    offset_given = function(f) flag(f$offset_given),
    control = function(f) inherits(f$control, "hofm_control") && one(f$control$threads) && f$control$threads >= 1)
}

sound_names <- function(x) is.character(x) && length(x) > 0 && !anyNA(x) && !anyDuplicated(x)

sound_P <- function(fit) {
  degrees <- as.character(seq_len(fit$order)[-1])
  here <- names(fit$P)
  sound <- function(t) sound_factors(fit$P[[t]], length(fit$features), fit$rank[as.integer(t) - 1])
  is.list(fit$P) && all(degrees[fit$rank > 0] %in% here) && all(here %in% degrees) && !anyDuplicated(here) &&
    all(vapply(here, sound, NA))
}

# A frame blueprint must make exactly one column for each feature; products are counted by the columns they kept.
sound_blueprint <- function(fit) {
  b <- fit$blueprint
  if (!is.list(b) || !identical(length(b$kind), 1L)) return(FALSE)
  if (b$kind == "matrix") return(is.logical(b$named) && length(b$named) == 1 && !is.na(b$named))
  n <- length(b$variables)
  b$kind == "frame" && is.character(b$variables) && is.character(b$types) && is.character(b$needed) &&
    is.list(b$levels) && is.list(b$columns) && length(b$types) == n &&
    (is.null(b$calls) || length(b$calls) == n) && sum(blueprint_widths(b)) == length(fit$features)
}

blueprint_widths <- function(b) {
  each <- rep(1, length(b$variables))
  each[b$types == "factor"] <- lengths(b$levels)[b$variables[b$types == "factor"]]
  each[b$types == "matrix"] <- lengths(b$columns)[b$variables[b$types == "matrix"]]
  if (is.null(b$terms)) return(each)
  vapply(seq_along(b$terms), function(k) {
    if (length(b$terms[[k]]) == 1) each[[b$terms[[k]]]] else as.double(length(b$kept[[k]]))
  }, 0)
}
