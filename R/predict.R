#' Predict from a higher-order factorization machine
#'
#' @param object A fit from [hofm()].
#' @param newdata What to predict for: a data frame with the variables of the formula, or a matrix, Matrix or
#'   data frame with the columns of the training matrix, or [link_pairs()] for a fit to such, or shards (see [write_shards()]) with the
#'   features of the fit, whose offsets count. Columns are matched by name: their
#'   order does not matter, others are ignored. Columns of a fit on a matrix without column names are matched by position.
#'   `NULL` stands for the training data.
#' @param type `"response"`: the mean of the response (a probability for the logistic loss, a rate for the
#'   Poisson loss, the same as the link otherwise: under `loss = "auc"` a score, not a probability); `"link"`: f(x) plus the
#'   offset; `"class"`: the likelier of the two classes, which is the second when the link is above 0
#'   (above 0.5 for the squared loss; not for `loss = "auc"`);
#'   `"terms"`: the parts that the link is the sum of; `"prob"`: the probabilities of both classes, for the logistic loss.
#' @param offset The offset of the new rows; needed if the fit was given `offset`. Offsets in the formula are
#'   taken from `newdata`.
#' @param allow_new_levels `TRUE` lets a factor level that did not occur in training contribute nothing;
#'   `FALSE` makes it an error of class `hofm_error_new_levels`.
#' @param clip `TRUE` moves predictions of a numeric response that are beyond the smallest or largest training response to it, as suits
#'   ratings; two numbers are limits of your own. For `type = "response"` only.
#' @param threads Number of threads; `NULL` takes that of the fit.
#' @param dir For shards: `NULL`, or a folder that gets a file for each shard, named like it, for [readRDS()]; their names are
#'   returned.
#' @param ... Nothing: an unknown argument is an error.
#' @return One value for each row of `newdata`, in a vector without names, `NA` where a variable the fit uses
#'   is missing: numbers for `"response"` and `"link"`; for `"class"` a factor with the levels of the
#'   response, logical for a logical response and numbers for a numeric one. For `"terms"` a matrix with
#'   columns `intercept`, `degree 1`, ..., `degree m` and, if there is an offset, `offset`, whose row sums are
#'   the link. For `"prob"` a matrix with a column for each class. All-subsets has `degree 1` to `degree 5` and `higher degrees`; the constant part of a kernel counts with the
#'   intercept.
#' @seealso [hofm()]
#' @examples
#' cars <- transform(mtcars, cyl = factor(cyl), hp = hp / 100)
#' fit <- hofm(mpg ~ cyl + hp + wt, cars, rank = 2, lambda = 0.01)
#' predict(fit, cars[1:3, ])
#' predict(fit, cars[1:3, ], type = "terms")
#' @export
predict.hofm <- function(object, newdata = NULL, type = c("response", "link", "class", "terms", "prob"),
                         offset = NULL, allow_new_levels = FALSE, clip = FALSE, threads = NULL, dir = NULL, ...) {
  refuse_se(match.call(expand.dots = FALSE)$...)
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  type <- if (missing(type)) "response" else check_choice(type, "type", eval(formals()$type))
  check_fit(object)
  allow_new_levels <- check_flag(allow_new_levels, "allow_new_levels")
  threads <- if (is.null(threads)) object$control$threads else check_count(threads, "threads", max = 1024)
  if (is.null(newdata) && !is.null(dir)) hofm_abort("`dir` needs shards as `newdata`.", argument = "dir")
  limits <- check_clip(clip, object, type)
  if (!is.null(limits)) {
    if (!is.null(dir)) hofm_abort("`clip` must be left out with `dir`.", argument = "clip")
    open <- predict(object, newdata, type, offset = offset, allow_new_levels = allow_new_levels, threads = threads)
    return(pmin(pmax(open, limits[1]), limits[2]))
  }
  if (is.null(newdata)) return(predict_training(object, type, offset))
  if (inherits(newdata, "hofm_shards")) return(predict_shards(object, newdata, type, threads, dir))
  if (!is.null(dir)) hofm_abort("`dir` is for shards: the predictions of rows in memory are returned.", argument = "dir")
  design <- if (inherits(newdata, "link_pairs")) pair_design(object, newdata)
  else design_for(fit_blueprint(object), newdata, allow_new_levels)
  design$offset <- total_offset(object, design, offset)
  if (type == "terms") predict_terms(object, design, threads)
  else predict_values(object, design, type, threads)
}

refuse_se <- function(dots) {
  if (!"se.fit" %in% names(dots)) return(invisible())
  unsupported("A fit has no standard errors of its own: use predict(bootstrap_hofm(fit, data), newdata, se.fit = TRUE).")
}

# NULL, or the least and the largest prediction there may be.
check_clip <- function(clip, fit, type) {
  if (identical(clip, FALSE)) return(NULL)
  limits <- is_plain_number(clip) && length(clip) == 2 && all(is.finite(clip)) && clip[1] < clip[2]
  if (!limits && !identical(clip, TRUE)) must_be("clip", "TRUE, FALSE or two numbers, the least and the largest prediction", clip)
  if (type != "response" || fit$response$kind != "numeric" || loss_facts(fit$loss)$classes) {
    hofm_abort("`clip` needs a numeric response and `type = \"response\"`.", argument = "clip")
  }
  if (limits) return(clip)
  if (is.null(fit$response$range)) unsupported("The fit does not know the range of its response: give two numbers as `clip`.")
  fit$response$range
}

fit_blueprint <- function(fit) c(fit$blueprint, list(features = fit$features))

# Offsets of the formula and of the argument together; a fit that had the argument cannot do without it.
total_offset <- function(fit, design, offset) {
  if (is.null(offset) && fit$offset_given) {
    hofm_abort("`offset` must be given, since the fit was made with one.", argument = "offset")
  }
  if (is.null(offset)) return(design$offset)
  offset <- check_new_offset(offset, design_rows(design))
  if (is.null(design$offset)) offset else offset + design$offset
}

# A missing offset makes the prediction missing, so NA passes here.
check_new_offset <- function(offset, n) {
  gaps <- is.na(offset)
  if (is.numeric(offset)) offset[gaps] <- 0
  else if (is.logical(offset) && all(gaps)) offset <- rep(0, length(offset))
  offset <- check_row_values(offset, "offset", n)
  offset[gaps] <- NA
  offset
}

predict_values <- function(fit, design, type, threads) {
  link <- if (design_rows(design)) link_values(fit, design_blocks(design), threads) else numeric(0)
  link <- as.vector(link)
  if (!all_finite(link)) abort_overflow()
  if (!is.null(design$offset)) link <- link + design$offset
  if (any(is.infinite(link))) abort_overflow()              # a large link and a large offset
  link[design$missing] <- NA
  on_scale(fit, link, type)
}

design_blocks <- function(design) if (is.null(design$blocks)) list(list(x = design$x, index = NULL)) else design$blocks

design_rows <- function(design) if (is.null(design$blocks)) nrow(design$x) else design$n

# Pairs of nodes: nothing can be missing, and offsets come as an argument only.
pair_design <- function(fit, pairs) {
  check_pair_fit(fit, "object")
  list(blocks = matched_blocks(fit, pairs), n = length(pairs$i), missing = integer(), offset = NULL)
}

# Link values on the scale that was asked for.
on_scale <- function(fit, link, type) {
  if (type == "link") return(link)
  if (type == "response") return(mean_response(fit, link))
  if (type == "prob") return(both_probabilities(fit, link))
  if (is.null(fit$response$levels)) {
    hofm_abort("`type = \"class\"` needs a response with two classes, and that of this fit is numeric.",
               argument = "type")
  }
  if (is.na(loss_facts(fit$loss)$threshold)) {
    hofm_abort(sprintf("`type = \"class\"` needs a threshold, and scores of `loss = \"%s\"` have none: use `type = \"link\"`.",
                       fit$loss), argument = "type")
  }
  as_response_class(link, fit$loss, fit$response)
}

both_probabilities <- function(fit, link) {
  if (fit$loss != "logistic") {
    hofm_abort(sprintf("`type = \"prob\"` needs `loss = \"logistic\"`: values of \"%s\" are no probabilities; use `type = \"response\"`.", fit$loss), argument = "type")
  }
  matrix(c(stats::plogis(-link), stats::plogis(link)), ncol = 2L, dimnames = list(NULL, as.character(fit$response$levels)))
}

# A rate of the Poisson loss may be beyond the largest double where its logarithm is not.
mean_response <- function(fit, link) {
  mean <- loss_facts(fit$loss)$mean(link)
  if (identical(mean, link) || all_finite(mean) || !any(is.infinite(mean))) return(mean)
  hofm_abort("Predicted rates are too large for a number: use `type = \"link\"`, their logarithm.", "hofm_error_overflow")
}

predict_terms <- function(fit, design, threads) {
  n <- design_rows(design)
  names <- degree_names(fit)
  terms <- if (n) degree_values(fit, design_blocks(design), threads) else matrix(0, 0, length(names))
  dimnames(terms) <- list(NULL, names)
  if (!all_finite(terms)) abort_overflow()
  terms[design$missing, ] <- NA
  if (!is.null(design$offset)) terms <- cbind(terms, offset = design$offset)
  if (any(is.infinite(rowSums(terms)))) abort_overflow()
  terms
}

predict_training <- function(fit, type, offset) {
  if (!is.null(offset)) {
    hofm_abort("`offset` needs `newdata`: the training data has its own.", argument = "offset")
  }
  if (type == "terms") {
    hofm_abort("`type = \"terms\"` needs `newdata`: a fit does not keep its training data.",
               argument = "newdata")
  }
  on_scale(fit, stats::napredict(fit$na.action, kept_values(fit, "linear.predictors")), type)
}

# Values of the training rows, if the fit has them.
kept_values <- function(fit, field) {
  if (!is.null(fit[[field]])) return(fit[[field]])
  hofm_abort("The fit did not keep its fitted values: use `hofm_control(keep_fitted = TRUE)`, or give `newdata`.",
             c("hofm_error_unsupported", "hofm_error_input"))
}
