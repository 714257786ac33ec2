# Model, penalty and weight of negatives from the training links, when they are not given. Called by hofm() on link_pairs().
#
# A fifth of the training links is held out, more than once where there are few, and what ranks them highest among all pairs that were not
# trained on is taken: of simple and less simple models the simple one, unless the other is better by more than chance.

# Held-out links that are enough to judge by.
judging_links <- 300L

#' What ranks held-out links highest
#'
#' First the model without factors, which is all that a penalty beyond all bounds would leave: where that ranks nearly all links first, no
#' factor can add to it. Then, for each model, one penalty after another, each half a power of ten from the last: downwards from one that
#' suits the size of the rows until the area under the ROC curve has clearly turned, then upwards if the first was the best. For
#' the best of them, a larger and a smaller weight of negatives.
#' @param pairs A link_pairs object.
#' @param fit_with function(pairs, kept, model, lambda, negative_weight) that fits; `kept` are the rows of `pairs` in the whole.
#' @param choice list(models, all, weight, none): names of models to choose from; whether they are trained on all pairs; the weight of
#'   negatives, NULL if it is to be chosen and is one; and whether a model without factors is one to try.
#' @return list(model, lambda, weight, table): the table has a row for each fit.
#' @noRd
tune_links <- function(pairs, fit_with, choice) {
  parts <- held_links(pairs)
  weight_of <- function(pairs, factor) {
    if (!choice$all) NULL else if (is.null(choice$weight)) factor * balanced_weight(pairs) else choice$weight
  }
  tried <- data.frame(model = character(), lambda = numeric(), weight = numeric(), auc = numeric())
  measure <- function(model, lambda, factor = 1) {
    found <- mean(vapply(parts, function(part) {
      weight <- weight_of(part$train, factor)
      fit <- withCallingHandlers(fit_with(part$train, part$kept, model, lambda, weight), warning = function(w) invokeRestart("muffleWarning"))
      auc(fit, part$rest)
    }, 0))
    tried[nrow(tried) + 1L, ] <<- list(model, lambda, factor, found)
    found
  }
  chosen <- function(model, lambda, factor = 1) {
    list(model = model, lambda = lambda, weight = weight_of(pairs, factor), table = if (nrow(tried)) tried)
  }
  first <- base_penalty(pairs)
  none <- 1e4 * first
  if (is.null(parts)) return(chosen(choice$models[1L], first))
  if (choice$none && isTRUE(measure(choice$models[1L], none) > 0.999)) return(chosen(choice$models[1L], none))
  best <- tried[tried$lambda == none, ]
  for (model in choice$models) {
    first <- walk_penalties(first, function(lambda) measure(model, lambda))
    of_model <- tried[tried$model == model & tried$lambda < none, ]
    best <- better_choice(best, of_model[which.max(of_model$auc), ], sum(lengths(lapply(parts, `[[`, "held"))))
  }
  if (choice$all && is.null(choice$weight) && best$lambda < none) for (factor in c(0.3, 3, 10)) {
    if (factor == 10 && best$weight != 3) break
    measure(best$model, best$lambda, factor)
    last <- tried[nrow(tried), ]
    if (isTRUE(last$auc > best$auc)) best <- last
  }
  chosen(best$model, best$lambda, best$weight)
}

# The simpler model comes first, and another has to be better by half a standard error of the area of so many held-out links.
better_choice <- function(simple, other, links) {
  if (!nrow(simple)) return(other)
  noise <- 0.5 * sqrt(max(simple$auc * (1 - simple$auc), 0) / links)
  if (isTRUE(other$auc > simple$auc + noise)) other else simple
}

# From `first` down by half powers of ten, then up: a way ends where the area has clearly turned, or after two steps without a gain.
walk_penalties <- function(first, measure, step = sqrt(10), most = 6L) {
  best <- list(lambda = first, auc = measure(first))
  for (way in c(1 / step, step)) {
    lambda <- first
    idle <- 0L
    for (q in seq_len(most)) {
      lambda <- lambda * way
      found <- measure(lambda)
      idle <- if (isTRUE(found > best$auc + 5e-4)) 0L else idle + 1L
      turned <- !isTRUE(found > best$auc - 0.003)
      if (isTRUE(found > best$auc)) best <- list(lambda = lambda, auc = found)
      if (turned || idle == 2L) break
    }
    if (best$lambda < first) break
  }
  best$lambda
}

# The penalty is in units of the features squared, and the smaller, the more links there are; rows of length one are served by about 1e-4
# where there are 2,500.
base_penalty <- function(pairs) {
  size <- vapply(list(pairs$A, pairs$B), function(x) sum(x@x^2) / nrow(x), 0)
  max(0.25 / max(sum(pairs$y), 100) * sqrt(prod(size)), 1e-10)
}

balanced_weight <- function(pairs) all_pairs_of(pairs, NULL)$weight

#' A fifth of the links for judging, and the pairs without them: once, or with other links up to five times where they are few
#' @return A list of list(train, kept, held, rest), `kept` and `held` being rows of `pairs`; NULL if there are too few links.
#' @noRd
held_links <- function(pairs) {
  links <- which(pairs$y == 1)
  if (length(links) < 10L) return(NULL)
  size <- max(2L, length(links) %/% 5L)
  drawn <- sample(links)
  lapply(seq_len(min(5L, ceiling(judging_links / size))), function(q) {
    held_part(pairs, drawn[(q - 1L) * size + seq_len(size)])
  })
}

held_part <- function(pairs, held) {
  train <- pairs[-held]
  kept <- seq_along(pairs$i)[-held]
  if (!is.null(pairs$context)) return(list(train = train, kept = kept, held = held, rest = pairs[c(held, which(pairs$y == 0))]))
  rest <- c(unclass(pairs)[c("A", "B", "one_set", "directed", "nodes", "features")],
            list(train = list(i = train$i, j = train$j), links = list(i = pairs$i[held], j = pairs$j[held])))
  list(train = train, kept = kept, held = held, rest = structure(rest, class = "link_rest"))
}

#' A fit with what suits links that were held out
#' @param scaled,asked As fit_links() takes them.
#' @param models Names of models to choose from.
#' @noRd
tuned_links <- function(scaled, spec, models, asked, init, control, call) {
  control <- check_control(control, if (is.list(control)) length(control[["init_sd"]]) else 0L)
  seed <- if (is.null(control$seed)) sample.int(.Machine$integer.max, 1L) else control$seed
  limits <- utils::modifyList(control, list(max_iter = min(control$max_iter, 20L), tol = max(control$tol, 1e-3), keep_fitted = FALSE,
                                            verbose = FALSE, validation = 0, seed = seed))
  n <- length(scaled$pairs$i)
  asked["weights"] <- list(check_weights(asked$weights, n)$given)
  asked["offset"] <- list(if (!is.null(asked$offset)) check_offset(asked$offset, n))
  choice <- list(models = models, weight = asked$negative_weight, none = !is.null(check_common(asked$common, scaled$pairs, spec)),
                 all = !identical(spec$loss, "auc") && "all" == check_negatives(
                   asked$negatives, scaled$pairs, spec, asked$weights, asked$offset, asked$negative_weight))
  fit_with <- function(train, kept, model, lambda, weight) {
    asked[c("negative_weight", "weights", "offset")] <- list(weight, asked$weights[kept], asked$offset[kept])
    part <- list(pairs = train, standard = scaled$standard)
    fit <- fit_links(part, with_penalty(spec, model, lambda), asked, NULL, limits, call)
    fit$blueprint$standard <- NULL                        # what it is judged by is on its scale already
    fit
  }
  tuned <- with_seed(seed, tune_links(scaled$pairs, fit_with, choice))
  if (choice$all) asked$negative_weight <- tuned$weight
  if (is.null(control$tol)) control$tol <- 1e-3             # as it was judged: the ranking of links is settled long before the last digits
  fit <- withCallingHandlers(fit_links(scaled, with_penalty(spec, tuned$model, tuned$lambda), asked, init, control, call),
                             hofm_warning_collapsed = function(w) invokeRestart("muffleWarning"))
  fit$tuning <- tuned$table
  fit
}

# The same spec with this model and one penalty for all degrees.
with_penalty <- function(spec, model, lambda) {
  if (model != spec$model) {
    spec[c("model", "order", "linear")] <- list(model, NA_integer_, FALSE)
    spec$rank <- spec$rank[1L]
    return(replace(spec, "lambda", lambda))
  }
  replace(spec, "lambda", list(rep(lambda, length(spec$lambda))))
}

# Whether a bilinear model is an answer to what was asked. Where like meets like, products of features across the two nodes are all there
# is, and it has them alone. Where popular nodes have most of the links, linear terms and products within a node help.
takes_bilinear <- function(pairs, spec, linear, init) {
  is.null(linear) && is.null(init) && is.null(pairs$context) && length(unique(spec$rank)) == 1 && spec$rank[1L] > 0
}
