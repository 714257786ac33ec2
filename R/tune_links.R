# Penalty and weight of negatives from the training links, when they are not given. Called by hofm() on link_pairs().

#' The penalty under which links that were held out rank highest
#'
#' A fifth of the training links is held out, and the model fitted to the others for one penalty after another, each half a power of ten
#' from the last: downwards from one that suits the size of the rows until the area under the ROC curve over all other pairs has clearly
#' turned, then upwards if the first was the best. Of all pairs, a larger and a smaller weight of negatives are tried in the end. Seven
#' to ten short fits.
#' @param pairs A link_pairs object.
#' @param fit_with function(pairs, lambda, negative_weight) that fits.
#' @param weight NULL if the weight of negatives is to be chosen, and is one.
#' @return list(lambda, negative_weight, table): the table has a row for each fit.
#' @noRd
tune_links <- function(pairs, fit_with, weight = NULL, all = TRUE) {
  parts <- held_links(pairs)
  if (is.null(parts)) return(list(lambda = base_penalty(pairs), negative_weight = weight, table = NULL))
  tried <- data.frame(lambda = numeric(), weight = numeric(), auc = numeric())
  measure <- function(lambda, factor = 1) {
    w <- if (!all) NULL else if (is.null(weight)) factor * balanced_weight(parts$train) else weight
    fit <- withCallingHandlers(fit_with(parts$train, lambda, w), warning = function(w) invokeRestart("muffleWarning"))
    found <- auc(fit, parts$rest)
    tried[nrow(tried) + 1L, ] <<- list(lambda, factor, found)
    found
  }
  best_lambda <- walk_penalties(base_penalty(pairs), measure)
  if (all && is.null(weight)) for (factor in c(0.3, 3, 10)) {
    if (factor < 10 || which.max(tried$auc) == nrow(tried)) measure(best_lambda, factor)
  }
  best <- tried[which.max(tried$auc), ]
  list(lambda = best$lambda, table = tried,
       negative_weight = if (!all) NULL else if (is.null(weight)) best$weight * balanced_weight(pairs) else weight)
}

# From `first` down by half powers of ten, then up, while there is something to gain.
walk_penalties <- function(first, measure, step = sqrt(10), most = 5L) {
  best <- list(lambda = first, auc = measure(first))
  for (way in c(1 / step, step)) {
    lambda <- first
    for (q in seq_len(most)) {
      lambda <- lambda * way
      found <- measure(lambda)
      if (isTRUE(found > best$auc)) best <- list(lambda = lambda, auc = found) else if (!isTRUE(found > best$auc - 0.003)) break
    }
    if (best$lambda < first) break
  }
  best$lambda
}

# Rows of squared length ten are served by about 1e-3; the penalty is in units of the features squared.
base_penalty <- function(pairs) {
  size <- vapply(list(pairs$A, pairs$B), function(x) sum(x@x^2) / nrow(x), 0)
  max(1e-4 * sqrt(prod(size)), 1e-10)
}

balanced_weight <- function(pairs) all_pairs_of(pairs, NULL)$weight

#' A fifth of the links for judging, and the pairs without them
#' @return list(train, rest), or NULL if there are too few links.
#' @noRd
held_links <- function(pairs) {
  links <- which(pairs$y == 1)
  if (length(links) < 10L) return(NULL)
  held <- links[sample.int(length(links), max(2L, length(links) %/% 5L))]
  train <- pairs[-held]
  if (!is.null(pairs$context)) return(list(train = train, rest = pairs[c(held, which(pairs$y == 0))]))
  rest <- c(unclass(pairs)[c("A", "B", "one_set", "directed", "nodes", "features")],
            list(train = list(i = train$i, j = train$j), links = list(i = pairs$i[held], j = pairs$j[held])))
  list(train = train, rest = structure(rest, class = "link_rest"))
}

#' The same fit again, on fewer links and with other penalties
#' @param values Arguments of hofm() that say what to fit.
#' @noRd
tune_pairs <- function(pairs, values, negatives, negative_weight, control) {
  control <- check_control(control, if (is.list(control)) length(control[["init_sd"]]) else 0L)
  limits <- utils::modifyList(control, list(max_iter = min(control$max_iter, 20L), tol = max(control$tol, 1e-3), keep_fitted = FALSE))
  limits$seed <- if (is.null(control$seed)) sample.int(.Machine$integer.max, 1L) else control$seed
  fit_with <- function(train, lambda, weight) {
    do.call(hofm.link_pairs, c(list(train), values, list(lambda = lambda, negatives = negatives, negative_weight = weight, control = limits)))
  }
  all <- identical(negatives, "all") && !identical(values$loss, "auc")
  with_seed(limits$seed, tune_links(pairs, fit_with, negative_weight, all))
}

# What was tried and chosen stays with the fit.
with_tuning <- function(fit, tuned) {
  if (!is.null(tuned)) fit$tuning <- tuned$table
  fit
}

#' The better of the two models that suit most graphs, by links that were held out
#'
#' Where popular nodes have most of the links, or one side has features of its own, linear terms and products within a node help; where
#' like meets like they only add noise to the products across, which a bilinear model has alone.
#' @noRd
best_link_model <- function(pairs, values, call) {
  bilinear <- is.null(values$linear) && is.null(values$init) && is.null(pairs$context) && length(values$rank) < 2 &&
    is.null(values$weights) && is.null(values$offset)
  fits <- lapply(c("hofm", if (bilinear) "bilinear"), function(model) {
    do.call(hofm.link_pairs, c(list(pairs), replace(values, "model", model), list(lambda = NULL)))
  })
  found <- vapply(fits, function(fit) if (is.null(fit$tuning)) -Inf else max(fit$tuning$auc), 0)
  fit <- fits[[which.max(found)]]
  fit$call <- call
  fit
}
