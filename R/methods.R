#' What else a fit can be asked
#'
#' Methods for the questions that users of [glm()] ask of a fit. A fit keeps no training data: what needs it
#' works from the fitted values that `hofm_control(keep_fitted = TRUE)`, the default, keeps, or says that it
#' cannot.
#'
#' @param object,x,formula A fit from [hofm()].
#' @param degree `NULL` for all parameters; 0, 1, ..., `order` for those of one degree.
#' @param scale `"model"` for the parameters as they were fitted, to standardised columns if `standardize = TRUE`; `"original"` for those
#'   that go with the columns as they were given. The link is then `intercept` plus `w` times the columns plus products: of order 1 these
#'   are the coefficients that [glm()] has, and up to order 2, or where no column was centred, the whole model. From order 3 on with
#'   centred columns `P` holds the highest degree only.
#' @param type For `residuals()`: `"response"` is the response minus the fitted mean (classes coded 0, 1; -1,
#'   1 for the squared hinge loss); `"deviance"`, `"pearson"` and `"working"` are as in [residuals.glm()].
#' @param data A data frame or matrix of samples.
#' @param parm,level,scope Not used.
#' @param newdata,y Of `anova()`: the rows to compare on and their response, as in [compare_models()].
#' @param nsim,seed As in [simulate()].
#' @param formula. A new formula, or a change to that of the fit, as in [update.formula()].
#' @param evaluate Whether to fit, or only to return the call.
#' @param row.names,optional Not used.
#' @param ... For `update()`: arguments to add to the call or to change. For `anova()`: further fits. Otherwise not used.
#' @return
#' * `coef()`: a list with `intercept`, `w` and `P`, which [hofm()] takes as `init`; with `degree`, one of
#'   them.
#' * `fitted()`, `residuals()`, `weights()`: a value for each training row; rows that [na.exclude()] took out
#'   are `NA`.
#' * `nobs()`: the number of rows used.
#' * `deviance()`: the weighted sum of twice the loss above its least possible value: of \eqn{(y - f)^2},
#'   twice the logistic or squared hinge loss, or the Poisson deviance.
#' * `logLik()`: the log-likelihood without the penalty, for the losses that have one. Its degrees of freedom
#'   are `NA`, and so are [AIC()] and [BIC()], with a warning: a penalised, over-parametrised model has no count of parameters
#'   that they would be valid for. [cv_hofm()] and [compare_models()] compare models on rows that were held out.
#' * `family()`: the [family] whose deviance the loss is half of.
#' * `formula()`, `terms()`, `variable.names()`: the formula, its terms, and the names of the features.
#' * `update()`: a new fit, or its call.
#' * `simulate()`: a data frame of `nsim` responses drawn from the fit.
#' * `model.matrix()`: the sparse columns that the fit makes of `data`.
#' * `as.data.frame()`: the parameters, a row each, with columns `degree` (`NA` where degrees share the
#'   parameters), `feature`, `factor` (the column of P) and `value`.
#' * `anova()`: with `newdata`, rows that none of the fits has seen, [compare_models()] of them, with a paired test of whether a higher
#'   order helps. Without, and `drop1()`, `model.frame()`, `vcov()`, `confint()`: an error of class `hofm_error_unsupported` that says why
#'   and what to use.
#' @name hofm_methods
#' @seealso [hofm()], [predict.hofm()]
#' @examples
#' cars <- transform(mtcars, am = am == 1, hp = hp / 100)
#' fit <- hofm(am ~ hp + wt, cars, rank = 2, control = hofm_control(seed = 1))
#' coef(fit, degree = 1)
#' deviance(fit)
#' deviance(update(fit, . ~ . + qsec))
NULL

#' @rdname hofm_methods
#' @export
coef.hofm <- function(object, degree = NULL, scale = c("model", "original"), ...) {
  check_fit(object)
  scale <- if (missing(scale)) "model" else check_choice(scale, "scale", c("model", "original"))
  if (scale == "original") object[c("intercept", "w", "P")] <- original_parameters(object)
  if (is.null(degree)) return(Filter(Negate(is.null),
                                     unclass(object)[c("intercept", "w", "P", "theta", "gamma", "common")]))
  if (object$model != "hofm") {
    hofm_abort("`degree` needs `model = \"hofm\"`: the degrees of other models share their parameters.", argument = "degree")
  }
  degree <- check_count(degree, "degree", min = 0, max = object$order)
  if (degree == 0) object$intercept else if (degree == 1) object$w else object$P[[as.character(degree)]]
}

#' Parameters that go with the columns as they were given
#'
#' The link is a polynomial in x = (raw - center) / scale that is linear in every column, and so it is in the raw columns: its intercept
#' is its value at zero and its weights of single features are its slopes there. Products of the highest degree have the factors
#' P / scale. Those of lower degrees gain from the higher ones where columns are centred, which no factors of the same rank could hold.
#' @return list(intercept, w, P): P has the degrees that are exact, which at order 2 and without centred columns are all.
#' @noRd
original_parameters <- function(fit) {
  standard <- fit$blueprint$standard
  if (is.null(standard)) return(list(intercept = fit$intercept, w = fit$w, P = fit$P))
  if (fit$model != "hofm" && any(standard$center != 0)) {
    unsupported(sprintf("The parameters of `model = \"%s\"` with centred columns have no form on the original scale.", fit$model))
  }
  P <- lapply(fit$P, function(p) p[seq_len(nrow(p)), , drop = FALSE] / standard$scale[match(rownames(p), fit$features)])
  if (all(standard$center == 0)) return(list(intercept = fit$intercept, w = if (fit$linear) fit$w / standard$scale, P = P))
  zero <- -standard$center / standard$scale                # where the raw columns are zero
  list(intercept = intercept_at(fit, zero), w = slopes_at(fit, zero) / standard$scale, P = P[names(P) == as.character(fit$order)])
}

intercept_at <- function(fit, x) {
  parts <- Map(function(p, t) sum(anova_kernel(x, t(p), t)), fit$P, as.integer(names(fit$P)))
  fit$intercept + sum(fit$w * x) + sum(unlist(parts))
}

# A^t(p, x) is symmetric in p and x: its slopes in x are those in the first argument.
slopes_at <- function(fit, x) {
  parts <- Map(function(p, t) colSums(anova_gradient(x, t(p), t)), fit$P, as.integer(names(fit$P)))
  slopes <- Reduce(`+`, parts, if (fit$linear) fit$w else numeric(length(x)))
  stats::setNames(slopes, fit$features)
}

#' @rdname hofm_methods
#' @export
fitted.hofm <- function(object, ...) {
  check_fit(object, shown = TRUE)
  mean <- loss_facts(object$loss)$mean(kept_values(object, "linear.predictors"))
  stats::napredict(object$na.action, mean)
}

#' @rdname hofm_methods
#' @export
residuals.hofm <- function(object, type = c("response", "deviance", "pearson", "working"), ...) {
  check_fit(object, shown = TRUE)
  type <- if (missing(type)) "response" else check_choice(type, "type", eval(formals()$type))
  if (object$loss == "auc") unsupported("Scores of `loss = \"auc\"` are compared with each other, not with the response: no residuals.")
  raw <- kept_values(object, "residuals")
  stats::naresid(object$na.action, if (type == "response") raw else scaled_residuals(object, raw, type))
}

scaled_residuals <- function(fit, raw, type) {
  facts <- loss_facts(fit$loss)
  link <- kept_values(fit, "linear.predictors")
  mean <- facts$mean(link)
  if (type != "deviance" && is.null(facts$variance)) {
    unsupported(sprintf("Residuals of type \"%s\" need a variance, which the %s loss does not have.", type,
                        fit$loss))
  }
  weights <- prior_weights(fit)
  if (type == "deviance" && fit$response$kind == "proportion") {
    return(sign(raw) * sqrt(pmax(0, stats::binomial()$dev.resids(pmin(1, pmax(0, mean + raw)), mean, weights))))
  }
  switch(type,
    deviance = sign(raw) * sqrt(pmax(0, weights * facts$deviance(coded_response(fit, mean + raw), link))),
    pearson = raw * sqrt(weights) / sqrt(facts$variance(mean)),
    working = raw / facts$slope(link))
}

# The response as the loss has it, from mean plus residual; classes are rounded back to what they were.
coded_response <- function(fit, y) {
  loss_facts(fit$loss)$coded(y)
}

prior_weights <- function(fit) if (is.null(fit$prior.weights)) rep(1, fit$n) else fit$prior.weights

unsupported <- function(message) hofm_abort(message, "hofm_error_unsupported")

#' @rdname hofm_methods
#' @export
weights.hofm <- function(object, ...) {
  check_fit(object, shown = TRUE)
  if (object$weights_given) kept_values(object, "prior.weights")
  stats::naresid(object$na.action, prior_weights(object))
}

#' @rdname hofm_methods
#' @export
nobs.hofm <- function(object, ...) check_fit(object, shown = TRUE)$n

#' @rdname hofm_methods
#' @export
deviance.hofm <- function(object, ...) check_fit(object, shown = TRUE)$deviance

#' @rdname hofm_methods
#' @export
logLik.hofm <- function(object, ...) {
  check_fit(object, shown = TRUE)
  if (is.null(loss_facts(object$loss)$family)) {
    unsupported(sprintf("The %s loss is not the logarithm of a likelihood.", object$loss))
  }
  structure(object$loglik, df = NA_real_, nobs = object$n, class = "logLik")
}

#' @rdname hofm_methods
#' @param k As in [AIC()].
#' @importFrom stats AIC BIC
#' @export
AIC.hofm <- function(object, ..., k = 2) without_count(object, "AIC", NextMethod())

#' @rdname hofm_methods
#' @export
BIC.hofm <- function(object, ...) without_count(object, "BIC", NextMethod())

# `code` is the answer of the default method, NA for a fit.
without_count <- function(fit, what, code) {
  check_fit(fit, shown = TRUE)
  hofm_warn(sprintf(paste("%s() is NA: the parameters of a factorization machine are penalised, and no count of them would be right.",
                          "Compare models on held-out rows: cv_hofm(), compare_models()."), what), "hofm_warning_no_count")
  code
}

#' @rdname hofm_methods
#' @export
family.hofm <- function(object, ...) {
  check_fit(object, shown = TRUE)
  family <- loss_facts(object$loss)$family
  if (is.null(family)) unsupported(sprintf("The %s loss belongs to no family of distributions.", object$loss))
  family()
}

#' @rdname hofm_methods
#' @export
formula.hofm <- function(x, ...) {
  check_fit(x, "x", shown = TRUE)
  formula <- x$blueprint$formula
  if (is.null(formula)) unsupported("The fit was made from a matrix or data frame `x`: it has no formula.")
  formula
}

#' @rdname hofm_methods
#' @export
terms.hofm <- function(x, ...) {
  check_fit(x, "x", shown = TRUE)
  if (!is.null(x$blueprint$terms_object)) return(x$blueprint$terms_object)
  # as in lm(), a column that is taken out of the dot is in it first
  variables <- union(x$blueprint$variables, setdiff(all.vars(stats::formula(x)[[3]]), "."))
  columns <- as.data.frame(sapply(variables, function(v) numeric(0), simplify = FALSE), optional = TRUE)
  stats::terms(stats::formula(x), data = columns)
}

#' @rdname hofm_methods
#' @export
variable.names.hofm <- function(object, ...) check_fit(object)$features

#' @rdname hofm_methods
#' @export
update.hofm <- function(object, formula., ..., evaluate = TRUE) {
  check_fit(object, shown = TRUE)
  call <- stats::getCall(object)
  # The formula of the terms has a dot written out, which update.formula() needs.
  if (!missing(formula.)) call$x <- stats::update.formula(stats::formula(stats::terms(object)), formula.)
  extras <- match.call(expand.dots = FALSE)$...
  call[names(extras)] <- extras
  if (!check_flag(evaluate, "evaluate")) return(call)
  check_call(call, parent.frame())
  eval(call, parent.frame())
}

# Data that came by value was taken out of the call, see tidy_call(); other data may be gone by now, or be elsewhere.
check_call <- function(call, env) {
  gone <- vapply(as.list(call), function(arg) is.symbol(arg) && grepl("^<.*>$", as.character(arg)), NA)
  if (any(gone)) {
    unsupported(sprintf("The fit was given its data by value and does not keep it: give %s to `update()`.",
                        enumerate(ticked(names(call)[gone]))))
  }
  named <- as.list(call)[intersect(names(call), c("x", "y", "data"))]
  lost <- names(named)[vapply(named, function(arg) is.symbol(arg) && !exists(as.character(arg), envir = env), NA)]
  if (!length(lost)) return(invisible())
  unsupported(sprintf("%s of the fit, %s, is not found where `update()` was called: give it to `update()`.", ticked(lost[1]),
                      ticked(as.character(named[[lost[1]]]))))
}

#' @rdname hofm_methods
#' @importFrom stats simulate
#' @export
simulate.hofm <- function(object, nsim = 1, seed = NULL, ...) {
  check_fit(object, shown = TRUE)
  nsim <- check_count(nsim, "nsim")
  facts <- loss_facts(object$loss)
  if (is.null(facts$family)) unsupported(sprintf("The %s loss has no distribution to draw from.", object$loss))
  mean <- facts$mean(kept_values(object, "linear.predictors"))
  if (8 * as.double(nsim) * length(mean) > memory_bytes() / 4) {
    hofm_abort(sprintf("`nsim` must be smaller: %d responses of %d rows do not fit into memory.", nsim, length(mean)),
               c("hofm_error_memory", "hofm_error_input"), argument = "nsim")
  }
  if (!exists(".Random.seed", envir = globalenv(), inherits = FALSE)) stats::runif(1)
  before <- state <- get(".Random.seed", envir = globalenv())
  if (!is.null(seed)) {
    on.exit(assign(".Random.seed", before, envir = globalenv()))
    set.seed(check_count(seed, "seed", min = -.Machine$integer.max))
    state <- structure(seed, kind = as.list(RNGkind()))
  }
  draw <- if (object$response$kind == "proportion") draw_share else facts$draw
  draws <- replicate(nsim, stats::naresid(object$na.action, draw(object, mean)), simplify = FALSE)
  structure(list2DF(stats::setNames(draws, paste0("sim_", seq_len(nsim)))), seed = state)   # as.data.frame() is slow for many
}

#' @rdname hofm_methods
#' @importFrom stats model.matrix
#' @export
model.matrix.hofm <- function(object, data, ...) {
  if (missing(data)) unsupported("A fit does not keep its training data: give `data`.")
  check_fit(object)
  as_given <- replace(fit_blueprint(object), "standard", list(NULL))
  design <- design_for(as_given, data, arg = "data")
  x <- design$x
  x@x[design$missing[x@i + 1L]] <- NA
  dimnames(x) <- list(NULL, object$features)
  x
}

#' @rdname hofm_methods
#' @export
as.data.frame.hofm <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_fit(x, "x")
  linear <- if (x$linear) data.frame(degree = 1L, feature = x$features, factor = NA_integer_,
                                     value = unname(x$w))
  higher <- lapply(names(x$P), function(name) {
    P <- x$P[[name]]
    degree <- if (x$model == "hofm") as.integer(name) else NA_integer_
    data.frame(degree = rep(degree, length(P)), feature = rep(rownames(P), ncol(P)),
               factor = rep(seq_len(ncol(P)), each = nrow(P)), value = as.vector(P))
  })
  first <- data.frame(degree = 0L, feature = NA_character_, factor = NA_integer_, value = x$intercept)
  do.call(rbind, c(list(first, linear), higher))
}

#' @rdname hofm_methods
#' @importFrom stats model.frame
#' @export
model.frame.hofm <- function(formula, ...) {
  unsupported("A fit does not keep its training data, so it has no model frame.")
}

#' @rdname hofm_methods
#' @importFrom stats vcov
#' @export
vcov.hofm <- function(object, ...) {
  unsupported(paste("The parameters of a factorization machine have no covariance matrix: they are penalised,",
                    "and the columns of P may be exchanged without changing the model.",
                    "bootstrap_hofm() shows how predictions vary."))
}

#' @rdname hofm_methods
#' @importFrom stats confint
#' @export
confint.hofm <- function(object, parm, level = 0.95, ...) {
  unsupported(paste("The parameters of a factorization machine have no confidence intervals: they are penalised,",
                    "and not unique. bootstrap_hofm() shows how predictions vary."))
}

#' @rdname hofm_methods
#' @importFrom stats anova
#' @export
anova.hofm <- function(object, ..., newdata = NULL, y = NULL) {
  check_fit(object, shown = TRUE)
  others <- list(...)
  fits <- vapply(others, inherits, NA, "hofm")
  if (!all(fits)) must_be(sprintf("argument %d", which(!fits)[1] + 1L), "a fit from hofm()", others[!fits][[1]])
  if (!length(others)) {
    unsupported(paste("A factorization machine has no analysis of variance by terms: `interactions(by = \"variable\")` shows",
                      "shares of variables, and `anova(fit1, fit2, newdata = )` compares fits on new rows."))
  }
  if (is.null(newdata)) {
    unsupported(paste("Penalised fits have no degrees of freedom that a likelihood ratio could be held against, and the larger one",
                      "always fits its own rows better. Give `newdata`, rows that neither has seen, for a paired test on them."))
  }
  models <- c(list(object), others)
  names(models) <- comparison_names(match.call(expand.dots = FALSE), length(models))
  compare_models(models, newdata, y)
}

# What the caller wrote for the fits where that is a name, else a number.
comparison_names <- function(call, n) {
  written <- c(list(call$object), as.list(call$...))
  names <- vapply(seq_len(n), function(k) if (is.symbol(written[[k]])) as.character(written[[k]]) else paste("fit", k), "")
  make.unique(names, sep = " ")
}

#' @rdname hofm_methods
#' @importFrom stats drop1
#' @export
drop1.hofm <- function(object, scope, ...) {
  check_fit(object, shown = TRUE)
  unsupported(paste("What a fit loses without a variable is seen on new rows, not by a criterion of the training rows:",
                    "compare_models() of the fit and `update(fit, . ~ . - variable)` tests it, and variable_importance() ranks all."))
}
