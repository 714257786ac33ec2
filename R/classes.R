#' Fits to more than two classes
#'
#' [hofm()] of a factor (or character vector) with K > 2 classes fits K functions f_1, ..., f_K, each a factorization machine of the same
#' order, rank and penalty, such that the probability of class c is \eqn{\exp(f_c(x)) / \sum_j \exp(f_j(x))}{exp(f_c) / sum_j exp(f_j)}.
#' What is minimised is the mean of minus the logarithm of the probability of what happened, plus the penalties of all K functions.
#'
#' Seen as a function of one f_c, with the others as they are, that objective is the logistic loss of "class c or not" with the offset
#' \eqn{-\log \sum_{j \ne c} \exp(f_j)}{-log sum_(j != c) exp(f_j)}, but for a constant. So the functions are fitted in turn, each by the
#' two-class solver from where it was, until a cycle lowers the objective by less than a share of 1e-4 of it: every step lowers it. The
#' `weights` are as in [hofm()]. An `offset` that all classes share would change no probability and is refused. With `lambda = NULL` the
#' penalties of each function are chosen once, for its class against the others. The order of an ordered factor is not used, and a
#' warning of class `hofm_warning_ordered` says so and names [bayes_hofm()], which uses it.
#'
#' [compare_models()] measures several fits by log loss and accuracy and has their confusion tables; [cv_hofm()] takes two classes.
#' Each function is a fit of its own: `interactions(fit$fits[["b"]])` shows what speaks for class b, on the scale of its link.
#'
#' @param object,x,formula A fit to more than two classes.
#' @param newdata What to predict for, as in [predict.hofm()]; `NULL` stands for the training data.
#' @param type `"prob"`, or `"response"`: probabilities; `"class"`: the likeliest class; `"link"`: the values of the K functions.
#' @param class Of `plot()`: the class whose function is drawn.
#' @param formula.,evaluate As in [update.hofm()].
#' @param data Of `model.matrix()`: a data frame or matrix of samples.
#' @param digits Significant digits of the numbers shown.
#' @param ... For `predict()`: passed on to [predict.hofm()]; for `plot()`: to [plot.hofm()]; for `update()`: to [hofm()]. Else not used.
#' @return `predict()`: a matrix with a row for each row of `newdata` and a column for each class, or for `"class"` a factor. `summary()`: a
#'   list of class `summary.hofm_classes` with a data frame `classes` (for each class its rows, its mean probability, and the share of the
#'   variance of its link that each degree has) and the fit. `coef()`: a list with those of each class. `fitted()`: a matrix of
#'   probabilities. `residuals()`: a matrix, one for what happened and zero for the other classes, minus the probabilities. `logLik()`:
#'   the log-likelihood without the penalty; its degrees of freedom are `NA`, as in [logLik.hofm()]. `plot()`: what [plot.hofm()] draws
#'   of one class. `print()`: `x`, invisibly.
#'
#'   The fit itself is a list of class `hofm_classes` with `fits` (K fits of class `hofm`, by the names of the classes, for
#'   [interactions()] and the like), `levels`, `counts` (rows of each class), `objective`, `trace` (a data frame with columns cycle and
#'   objective), `converged`, `deviance`, `n`, `call`, and of the training rows `linear.predictors` and `y`.
#' @seealso [hofm()]
#' @examples
#' fit <- hofm(Species ~ ., transform(iris, Sepal.Width = Sepal.Width / 2), rank = 1, lambda = 0.01,
#'             control = hofm_control(seed = 1))
#' fit
#' predict(fit, iris[c(1, 51, 101), ], type = "prob")
#' table(predict(fit, type = "class"), iris$Species)
#' @name hofm_classes
NULL

has_many_classes <- function(y, loss) {
  named <- (is.factor(y) && is.null(dim(y))) || (is.character(y) && is.null(dim(y)))
  named && !anyNA(y) && is.null(loss) && length(unique(y)) > 2
}

refuse_many_classes <- function(y, loss) {
  if (is.matrix(y) && ncol(y) == 2) {
    hofm_abort("`y` must be one value for each row here, not two columns: give a row for each outcome, with `weights`.", argument = "y")
  }
  if (!has_many_classes(y, loss)) return(invisible())
  hofm_abort(paste("`y` must have two classes to be cross-validated. hofm() fits more of them and chooses their penalties from the",
                   "data with `lambda = NULL`; compare_models() compares such fits, of several orders or ranks, on rows held out."),
             argument = "y")
}

class_cycles <- 100L

#' Fit K functions in turn
#' @param parts,spec,init,control,call As for fit_checked().
#' @noRd
fit_classes <- function(parts, spec, init, control, call) {
  check_classes_input(parts, init)
  classes <- as_classes(parts$y, "y")
  weights <- check_weights(parts$weights, length(classes))$share
  control <- check_control(control, length(factor_names(spec)))
  begun <- proc.time()[["elapsed"]]
  kept <- control$keep_fitted
  control[c("keep_fitted", "seed")] <- list(TRUE, if (is.null(control$seed)) sample.int(.Machine$integer.max, 1L) else control$seed)
  spec$loss <- "logistic"
  parts$offset_given <- FALSE
  shares <- vapply(levels(classes), function(level) sum(weights[classes == level]), 0)
  state <- list(link = matrix(log(pmax(shares, 1e-12)), length(classes), nlevels(classes), byrow = TRUE), trace = Inf,
                fits = vector("list", nlevels(classes)), penalty = numeric(nlevels(classes)), specs = vector("list", nlevels(classes)))
  for (cycle in seq_len(class_cycles)) {
    for (k in seq_along(state$fits)) state <- fit_one_class(state, k, classes, parts, spec, control, call)
    objective <- sum(weights * class_loss(state$link, classes)) + sum(state$penalty)
    before <- state$trace[cycle]
    state$trace <- c(state$trace, objective)
    converged <- before - objective <= 1e-4 * abs(objective)
    if (converged) break
  }
  if (!converged) {
    hofm_warn(sprintf("The fit is not converged after %d cycles over the classes: a larger `lambda` needs fewer.", class_cycles),
              "hofm_warning_not_converged")
  }
  if (!isTRUE(spec$tune)) report_zero_classes(state$fits, levels(classes))
  fit <- new_classes(state, classes, parts, weights, converged, kept, call)
  replace(fit, "seconds", proc.time()[["elapsed"]] - begun)
}

check_classes_input <- function(parts, init) {
  if (!is.null(init)) hofm_abort("`init` cannot be given for more than two classes.", argument = "init")
  if (length(parts$offset)) {
    hofm_abort("`offset` cannot be given for more than two classes: one that all classes share changes no probability.",
               argument = "offset")
  }
  if (is.ordered(parts$y)) {
    hofm_warn(paste("The response is an ordered factor; its order is not used here, its levels are classes like any others.",
                    "bayes_hofm() uses the order."), "hofm_warning_ordered")
  }
}

# Class k against the others, whose functions are the offset.
fit_one_class <- function(state, k, classes, parts, spec, control, call) {
  parts$y <- factor(as.integer(classes) == k, c(FALSE, TRUE))
  parts$offset <- -log_sum_exp(state$link[, -k, drop = FALSE])
  parts$meeting <- state$fits[[1]]$meeting                  # the rows are the same
  if (is.null(state$specs[[k]])) state$specs[[k]] <- class_spec(parts, spec, control)
  fit <- expect_collapse(fit_checked(parts, state$specs[[k]], state$fits[[k]], control, call, remarks = FALSE))
  state$link[, k] <- fit$linear.predictors - parts$offset
  total <- if (is.null(parts$weights)) length(classes) else sum(parts$weights)
  state$penalty[k] <- fit$objective - fit$deviance / (2 * total)
  state$fits[[k]] <- fit
  state
}

# Penalties are chosen once, or else no step would be sure to lower the objective.
class_spec <- function(parts, spec, control) {
  if (!isTRUE(spec$tune)) return(spec)
  replace(settled_spec(spec, row_problem(parts, spec), control), "tune", FALSE)
}

# Once for all cycles, of penalties that were given.
report_zero_classes <- function(fits, levels) {
  zero <- vapply(fits, function(fit) length(fit$P) > 0 && all(unlist(fit$P) == 0), NA)
  if (!any(zero)) return(invisible())
  hofm_warn(sprintf("The factors of %s ended at zero: a smaller `lambda`, or a larger `init_sd` in hofm_control(), may find more.",
                    enumerate(quoted(levels[zero]))), "hofm_warning_collapsed")
}

log_sum_exp <- function(link) {
  top <- apply(link, 1L, max)
  top + log(rowSums(exp(link - top)))
}

class_loss <- function(link, classes) log_sum_exp(link) - link[cbind(seq_along(classes), as.integer(classes))]

new_classes <- function(state, classes, parts, weights, converged, kept, call) {
  fits <- stats::setNames(state$fits, levels(classes))
  n <- length(classes)
  if (is.null(parts$weights)) total <- n else total <- sum(parts$weights)
  fields <- c("linear.predictors", "residuals", "prior.weights")
  fits <- lapply(fits, function(fit) structure(fit[setdiff(names(fit), fields)], class = "hofm"))
  structure(class = "hofm_classes", list(
    fits = fits, levels = levels(classes), counts = as.vector(table(classes)), n = n,
    objective = state$trace[length(state$trace)],
    trace = data.frame(cycle = seq_along(state$trace)[-1] - 1L, objective = state$trace[-1]), converged = converged,
    deviance = 2 * total * sum(weights * class_loss(state$link, classes)), na.action = parts$na.action,
    linear.predictors = if (kept) state$link, y = if (kept) classes, call = call))
}

# Returns the fit.
check_classes <- function(fit, arg) {
  check_sound(fit, list(
    levels = function(f) is.character(f$levels) && length(f$levels) > 2 && !anyNA(f$levels),
    fits = function(f) {
      is.list(f$fits) && length(f$fits) == length(f$levels) && all(vapply(f$fits, function(one) {
        check_fit(one)
        inherits(one, "hofm")
      }, NA))
    },
    counts = function(f) are_finite(f$counts, length(f$levels)), n = function(f) is_count(f$n), converged = function(f) is_flag(f$converged),
    deviance = function(f) is_one(f$deviance), objective = function(f) is_one(f$objective), call = function(f) is.call(f$call),
    y = function(f) absent_or(f$y, function(y) is.factor(y) && length(y) == f$n && identical(levels(y), f$levels)),
    linear.predictors = function(f) absent_or(f$linear.predictors, function(v) is.matrix(v) && identical(dim(v), c(f$n, length(f$levels))))
  ), arg, "fit")
}

#' @rdname hofm_classes
#' @export
predict.hofm_classes <- function(object, newdata = NULL, type = c("prob", "class", "link", "response"), ...) {
  check_classes(object, "object")
  type <- if (missing(type)) "prob" else check_choice(type, "type", c("prob", "class", "link", "response"))
  link <- if (is.null(newdata)) stats::napredict(object$na.action, kept_values(object, "linear.predictors"))
  else vapply(object$fits, function(fit) predict(fit, newdata, type = "link", ...), numeric(new_row_count(newdata)))
  link <- matrix(link, ncol = length(object$levels), dimnames = list(NULL, object$levels))
  if (type == "link") return(link)
  if (type != "class") return(exp(link - if (nrow(link)) log_sum_exp(link) else numeric()))
  factor(object$levels[max.col(replace(link, is.na(link), 0), "first")], object$levels)[ifelse(is.na(link[, 1]), NA, seq_len(nrow(link)))]
}

new_row_count <- function(newdata) if (is(newdata, "sparseVector")) 1L else NROW(newdata)

#' @rdname hofm_classes
#' @export
print.hofm_classes <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  check_classes(x, "x")
  digits <- check_digits(digits)
  one <- x$fits[[1]]
  cat(sprintf("Factorization machines of %d classes, softmax of one function for each\n\nCall: %s\n", length(x$levels), deparsed(x$call)))
  cat(sprintf("%-12s%s\n", c("Classes:", "Model:", "Rows:", "Log loss:", "Converged:"), c(
    enumerate(sprintf("%s (%d)", x$levels, as.integer(x$counts)), 6),
    sprintf("%s%s", one$model, if (is.na(one$order)) "" else sprintf(", order %d", one$order)), format(x$n, big.mark = ","),
    format(x$deviance / (2 * x$n), digits = digits), if (x$converged) "yes" else sprintf("no, after %d cycles", class_cycles))), sep = "")
  invisible(x)
}

#' @rdname hofm_classes
#' @export
summary.hofm_classes <- function(object, ...) {
  check_classes(object, "object")
  share <- t(vapply(object$fits, function(fit) {
    variance <- fit$degree_variance
    if (variance[["total"]] > 0) variance[names(variance) != "total"] / variance[["total"]] else 0 * variance[names(variance) != "total"]
  }, numeric(length(object$fits[[1]]$degree_variance) - 1)))
  share <- matrix(share, length(object$levels), dimnames = list(NULL, setdiff(names(object$fits[[1]]$degree_variance), "total")))
  classes <- data.frame(class = object$levels, rows = object$counts, share, check.names = FALSE)
  structure(list(fit = object, classes = classes), class = "summary.hofm_classes")
}

#' @rdname hofm_classes
#' @export
print.summary.hofm_classes <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  check_sound(x, list(fit = function(s) inherits(s$fit, "hofm_classes"), classes = function(s) is.data.frame(s$classes)), "x", "summary")
  print(x$fit, digits = digits)
  cat("\nShare of the variance of the link that each degree has:\n")
  print(x$classes, digits = check_digits(digits), row.names = FALSE)
  invisible(x)
}

# ---- What else a user of glm() asks --------------------------------------------------------------------------

#' @rdname hofm_classes
#' @export
coef.hofm_classes <- function(object, ...) lapply(check_classes(object, "object")$fits, coef)

#' @rdname hofm_classes
#' @export
fitted.hofm_classes <- function(object, ...) predict(object, type = "prob")

#' @rdname hofm_classes
#' @export
residuals.hofm_classes <- function(object, ...) {
  check_classes(object, "object")
  happened <- outer(as.integer(kept_values(object, "y")), seq_along(object$levels), `==`)
  link <- kept_values(object, "linear.predictors")
  raw <- happened - exp(link - log_sum_exp(link))
  stats::naresid(object$na.action, matrix(raw, ncol = length(object$levels), dimnames = list(NULL, object$levels)))
}

#' @rdname hofm_classes
#' @export
nobs.hofm_classes <- function(object, ...) check_classes(object, "object")$n

#' @rdname hofm_classes
#' @export
deviance.hofm_classes <- function(object, ...) check_classes(object, "object")$deviance

#' @rdname hofm_classes
#' @export
logLik.hofm_classes <- function(object, ...) {
  check_classes(object, "object")
  structure(-object$deviance / 2, df = NA_real_, nobs = object$n, class = "logLik")
}

#' @rdname hofm_classes
#' @export
formula.hofm_classes <- function(x, ...) formula(check_classes(x, "x")$fits[[1]])

#' @rdname hofm_classes
#' @export
variable.names.hofm_classes <- function(object, ...) check_classes(object, "object")$fits[[1]]$features

#' @rdname hofm_classes
#' @export
model.matrix.hofm_classes <- function(object, data, ...) {
  check_classes(object, "object")
  if (missing(data)) unsupported("A fit does not keep its training data: give `data`.")
  model.matrix(object$fits[[1]], data)
}

#' @rdname hofm_classes
#' @export
update.hofm_classes <- function(object, formula., ..., evaluate = TRUE) {
  check_classes(object, "object")
  call <- object$call
  if (!missing(formula.)) call$x <- stats::update.formula(stats::formula(stats::terms(object$fits[[1]])), formula.)
  extras <- match.call(expand.dots = FALSE)$...
  call[names(extras)] <- extras
  if (!check_flag(evaluate, "evaluate")) return(call)
  check_call(call, parent.frame())
  eval(call, parent.frame())
}

#' @rdname hofm_classes
#' @export
plot.hofm_classes <- function(x, class = x$levels[1], ...) {
  check_classes(x, "x")
  plot(x$fits[[check_choice(class, "class", x$levels)]], ...)
}

#' @rdname hofm_classes
#' @export
auc.hofm_classes <- function(x, ...) {
  unsupported(paste("An area under the curve is about two classes: give one of them, as in",
                    "`auc(truth == \"b\", predict(fit, newdata)[, \"b\"])`; compare_models() has measures of all."))
}

#' @rdname hofm_classes
#' @export
anova.hofm_classes <- function(object, ...) {
  unsupported("Fits to several classes are compared on new rows: compare_models(list(fit1, fit2), newdata) has paired tests.")
}
