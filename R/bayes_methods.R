# What a posterior is asked besides predictions.

# ---- Do chains agree? --------------------------------------------------------------------------------------

# Split R-hat: each chain is cut in two halves, so that one that drifts disagrees with itself. `draws`: times x chains.
split_rhat <- function(draws) {
  draws <- halves(draws)
  n <- nrow(draws)
  within <- mean(apply(draws, 2, stats::var))
  if (!is.finite(within) || within <= 0) return(NA_real_)
  sqrt((n - 1) / n + stats::var(colMeans(draws)) / within)
}

halves <- function(draws) {
  half <- nrow(draws) %/% 2
  if (half < 2) return(matrix(NA_real_, 2, 2))
  cbind(draws[seq_len(half), , drop = FALSE], draws[nrow(draws) - half + seq_len(half), , drop = FALSE])
}

# Effective size by autocorrelations over all split chains, added up while sums of neighbours are positive and fall (Geyer 1992).
effective_size <- function(draws) {
  draws <- halves(draws)
  n <- nrow(draws)
  if (n < 4 || anyNA(draws) || all(apply(draws, 2, stats::var) <= 0)) return(NA_real_)
  covariance <- rowMeans(apply(draws, 2, function(v) stats::acf(v, n - 1, "covariance", plot = FALSE)$acf[, 1, 1]))
  within <- covariance[1] * n / (n - 1)
  total <- within * (n - 1) / n + stats::var(colMeans(draws))
  rho <- 1 - (within - covariance * n / (n - 1)) / total
  rho[1] <- 1
  pairs <- rho[seq(1, n - 1, 2)] + rho[seq(2, n, 2)]
  last <- match(TRUE, pairs < 0, nomatch = length(pairs) + 1) - 1
  pairs <- cummin(pairs[seq_len(max(1, last))])
  min(length(draws) / max(2 * sum(pairs) - 1, 1 / log10(length(draws))), length(draws) * log10(length(draws)))
}

# Chains that disagree, or that have not said enough yet, in numbers that should be known: prior scales need not be.
warn_of_chains <- function(diagnostics, least = 0) {
  d <- diagnostics[!startsWith(diagnostics$variable, "scale["), ]
  advice <- "Go on with update(fit, iter = ), or use a lower `order` or a smaller `rank`."
  if (any(d$rhat > 1.1, na.rm = TRUE)) {
    at <- which.max(d$rhat)
    hofm_warn(sprintf("Chains disagree: R-hat is %.2f for %s, and above 1.1 for %d of %d numbers that are watched. %s",
                      d$rhat[at], d$variable[at], sum(d$rhat > 1.1, na.rm = TRUE), nrow(d), advice), "hofm_warning_chains")
  } else if (any(d$ess < least, na.rm = TRUE)) {
    at <- which.min(d$ess)
    hofm_warn(sprintf("Chains are short: the draws of %s are worth %.0f independent ones. %s", d$variable[at], d$ess[at], advice),
              "hofm_warning_chains")
  }
}

# A row for each number that is watched; noise and link values on the scale of the response.
chain_diagnostics <- function(fit) {
  times <- min(vapply(fit$chains, function(chain) ncol(chain$watched), 0L))
  tell <- vapply(seq_along(fit$watched), function(v) {
    draws <- vapply(fit$chains, function(chain) chain$watched[v, seq_len(times)], numeric(times))
    draws <- matrix(draws, times)
    c(mean(draws), stats::sd(draws), split_rhat(draws), effective_size(draws))
  }, numeric(4))
  d <- data.frame(variable = fit$watched, mean = tell[1, ], sd = tell[2, ], rhat = tell[3, ], ess = tell[4, ])
  link <- startsWith(d$variable, "link[")
  natural <- link | d$variable == "sigma"
  d[natural, c("mean", "sd")] <- d[natural, c("mean", "sd")] * fit$scaling$y$scale
  d$mean[link] <- d$mean[link] + fit$scaling$y$center
  if (fit$family == "gaussian") d else d[d$variable != "sigma", ]
}

# ---- The object --------------------------------------------------------------------------------------------

check_bayes <- function(fit, arg = "object", draws = FALSE) {
  if (!inherits(fit, "bayes_hofm")) must_be(arg, "a fit from bayes_hofm()", fit)
  check_sound(unclass(fit), bayes_rules(), arg, "fit")
  if (draws && count_draws(fit) == 0) {
    why <- if (fit$plan$keep == 0) "it was made with `keep = 0`: fit again with draws, or use as_hofm()"
    else "it was interrupted before the first was kept: go on with update(), or use as_hofm()"
    hofm_abort(sprintf("%s has no draws, since %s.", ticked(arg), why), "hofm_error_unsupported")
  }
}

bayes_rules <- function() {
  list(
    format_version = function(f) identical(as.double(f$format_version), 1),
    family = function(f) is_one_of(f$family, c("gaussian", "probit", "ordinal")),
    spec = function(f) {
      s <- f$spec
      is_one_of(s$model, c("hofm", "shared")) && is_count(s$order) && s$order %in% 1:max_order && is_flag(s$linear) &&
        is_flag(s$intercept) && is_plain_number(s$rank) && length(s$rank) == (if (s$model == "hofm") s$order - 1 else 1) &&
        all(s$rank >= 0 & s$rank == round(s$rank)) && is_plain_number(s$lambda)
    },
    features = function(f) sound_names(f$features),
    groups = function(f) is.factor(f$groups) && length(f$groups) == length(f$features) && !anyNA(f$groups) &&
      all(as.integer(f$groups) %in% seq_len(nlevels(f$groups))),
    response = function(f) {
      is_count(f$response$classes) && f$response$classes == (if (f$family == "ordinal") length(f$response$levels) else 0)
    },
    prior = function(f) inherits(check_prior(f$prior), "hofm_prior"),
    blueprint = sound_blueprint,
    scaling = function(f) {
      s <- f$scaling
      are_finite(s$x$center, length(f$features)) && are_finite(s$x$scale, length(f$features)) && is_finite_one(s$y$center) &&
        is_finite_one(s$y$scale)
    },
    n = function(f) is_count(f$n), seed = function(f) is_finite_one(f$seed), pairs = function(f) is_flag(f$pairs),
    offset_given = function(f) is_flag(f$offset_given), call = function(f) is.call(f$call),
    plan = function(f) all(vapply(f$plan[c("iter", "warmup", "chains", "keep")], is_count, NA)) && f$plan$chains == length(f$chains),
    control = function(f) inherits(f$control, "hofm_control") && is_count(f$control$threads) && f$control$threads >= 1,
    watched = function(f) is.character(f$watched) && length(f$watched) > 0,
    chains = function(f) length(f$chains) > 0 && all(vapply(f$chains, sound_chain, NA, size = draw_size(f), watched = length(f$watched))),
    training = function(f) absent_or(f$training, function(t) sound_training(t, f)))
}

sound_chain <- function(chain, size, watched) {
  is.matrix(chain$draws) && is.double(chain$draws) && (ncol(chain$draws) == 0 || nrow(chain$draws) == size) && all_finite(chain$draws) &&
    is.matrix(chain$watched) && is.double(chain$watched) && (ncol(chain$watched) == 0 || nrow(chain$watched) == watched) &&
    is_plain_number(chain$mean) && is.double(chain$mean) && length(chain$mean) %in% c(0, size) && is_count(chain$count) &&
    is_string(chain$broken) && are_finite(chain$last$state, size) && is_plain_number(chain$last$step) && is_count(chain$last$sweeps)
}

sound_training <- function(training, fit) {
  index <- function(b) if (is.null(b$index)) nrow(b$x) == fit$n else length(b$index) == fit$n && all(b$index %in% seq_len(nrow(b$x)))
  are_finite(training$y, fit$n) && length(training$weights) %in% c(0, fit$n) && length(training$offset) %in% c(0, fit$n) &&
    all(vapply(training$blocks, function(b) is_dgc(b$x) && is_sound_cpp(b$x) && index(b), NA)) &&
    sum(vapply(training$blocks, function(b) ncol(b$x), 0L)) == length(fit$features)
}

#' Print and summarise a Bayesian fit
#'
#' `summary()` tells for the standard deviation of the noise, cut points, prior scales of each degree and group (on the standardised scale),
#' and link values of some training rows: posterior mean and standard deviation, split R-hat and effective sample size. It warns where R-hat
#' is above 1.1, or an effective size below 50, for the noise, a cut point or a link value: then more sweeps are needed, `update(fit, iter = )`.
#' The scale of a degree that the data say nothing of may stay vague.
#'
#' @param x,object A fit from [bayes_hofm()], or its summary.
#' @param digits Significant digits of the numbers shown.
#' @param ... Not used.
#' @return `x`, invisibly; `summary()` an object of class `summary.bayes_hofm`: a list with the fit and the data frame `diagnostics`.
#' @examples
#' fit <- bayes_hofm(mpg ~ hp + wt, mtcars, rank = 2, iter = 200, chains = 2,
#'                   control = hofm_control(seed = 1))
#' summary(fit)
#' @export
print.bayes_hofm <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  check_bayes(x, "x")
  digits <- check_digits(digits)
  d <- chain_diagnostics(x)
  cat("Bayesian factorization machine of order ", x$spec$order, if (length(x$spec$rank)) paste0(", rank ", per_degree(x$spec$rank)),
      if (x$spec$model == "shared") ", shared factors", "\n", sep = "")
  cat(call_lines(x$call), sep = "\n")
  facts <- c(
    Response = paste0(x$family, if (x$family == "probit") sprintf(", positive class %s", quoted(as.character(x$response$levels[2])))),
    Data = sprintf("%s, %s in %s", counted(x$n, "row"), counted(length(x$features), "feature"), counted(nlevels(x$groups), "group")),
    Chains = sprintf("%s of %d sweeps, %d for warm-up; %s kept", counted(length(x$chains), "chain"), x$plan$iter, x$plan$warmup,
                     counted(count_draws(x), "draw")),
    `R-hat` = sprintf("at most %s; effective sizes from %s", shown_end(max, d$rhat, digits), shown_end(min, round(d$ess), digits)))
  cat(sprintf("%-12s%s\n", paste0(names(facts), ":"), facts), sep = "")
  invisible(x)
}

shown_end <- function(end, x, digits) if (all(is.na(x))) "unknown" else format(end(x, na.rm = TRUE), digits = digits)

#' @rdname print.bayes_hofm
#' @export
summary.bayes_hofm <- function(object, ...) {
  check_bayes(object)
  diagnostics <- chain_diagnostics(object)
  warn_of_chains(diagnostics, least = 50)
  structure(list(fit = object, diagnostics = diagnostics), class = "summary.bayes_hofm")
}

#' @rdname print.bayes_hofm
#' @export
print.summary.bayes_hofm <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  check_sound(unclass(x), list(fit = function(s) inherits(s$fit, "bayes_hofm"), diagnostics = function(s) is.data.frame(s$diagnostics)),
              "x", "summary")
  digits <- check_digits(digits)
  print(x$fit, digits = digits)
  cat("\nWatched:\n")
  print(x$diagnostics, digits = digits, row.names = FALSE)
  invisible(x)
}

#' Draws for the posterior package
#'
#' The noise, cut points, the scale of each prior, weights of single features and, if asked for, weights of interactions and predictions.
#' Never the factors P themselves: they are defined only up to sign, order and rotation, and their means over draws mean nothing.
#'
#' @param x A fit from [bayes_hofm()] that kept draws.
#' @param interactions `NULL`, or a list of vectors with names of features, each an interaction.
#' @param newdata `NULL`, or rows as for [predict.bayes_hofm()], whose mean responses are added.
#' @param offset As for [predict.bayes_hofm()].
#' @param ... Not used.
#' @return A `draws_array` of the posterior package: `sigma`, the noise's standard deviation, of a numeric response; `cut[c]`, the upper
#'   ends of ordered classes, from the second on; `scale[t,g]`, the root mean square of the parameters of degree t and group g under their prior;
#'   `w[feature]` and `W[feature,feature]`, weights in the unit of the response on standardised columns; `pred[i]`.
#' @examplesIf requireNamespace("posterior", quietly = TRUE)
#' fit <- bayes_hofm(mpg ~ hp + wt, mtcars, rank = 2, iter = 200, chains = 2,
#'                   control = hofm_control(seed = 1))
#' draws <- posterior::as_draws(fit, interactions = list(c("hp", "wt")), newdata = mtcars[1:2, ])
#' posterior::summarise_draws(draws)
#' @exportS3Method posterior::as_draws
as_draws.bayes_hofm <- function(x, interactions = NULL, newdata = NULL, offset = NULL, ...) {
  check_bayes(x, "x", draws = TRUE)
  sets <- lapply(interactions, match_features, features = x$features)
  pred <- if (!is.null(newdata)) response_draws_of(x, newdata, NULL, offset, FALSE, expected_draws)
  each <- min(vapply(x$chains, function(chain) ncol(chain$draws), 0L))
  chain_of <- chain_numbers(x)
  values <- lapply(seq_along(x$chains), function(c) {
    draws <- x$chains[[c]]$draws[, seq_len(each), drop = FALSE]
    cbind(told_parameters(x, draws, sets), pred[utils::head(which(chain_of == c), each), , drop = FALSE])
  })
  names <- c(told_names(x), vapply(sets, function(set) sprintf("W[%s]", paste(x$features[set], collapse = ",")), ""),
             if (!is.null(pred)) sprintf("pred[%d]", seq_len(ncol(pred))))
  array <- array(unlist(values), c(each, length(names), length(values)), list(NULL, names, NULL))
  posterior::as_draws_array(aperm(array, c(1, 3, 2)))
}

told_names <- function(fit) {
  c(if (fit$family == "gaussian") "sigma", watched_names(fit, bayes_model(fit))[-1], if (fit$spec$linear) sprintf("w[%s]", fit$features))
}

# Packed draws, a column each, as rows of numbers that have a meaning.
told_parameters <- function(fit, draws, sets) {
  one <- function(draw) {
    parameters <- draw_parameters(fit, draw)
    c(if (fit$family == "gaussian") fit$scaling$y$scale / sqrt(draw[2]), draw[2L + seq_len(max(0L, fit$response$classes - 1L))][-1],
      prior_scales(fit, draw), parameters$w * fit$scaling$y$scale,
      fit$scaling$y$scale * vapply(sets, function(set) interaction_weight(parameters, set), 0))
  }
  t(matrix(apply(draws, 2, one), ncol = ncol(draws)))
}

# The root mean square of a parameter of each term and group under its prior.
prior_scales <- function(fit, draw) {
  at <- 2L + max(0L, fit$response$classes - 1L)
  unlist(lapply(bayes_model(fit)$terms, function(term) {
    groups <- nlevels(fit$groups) + (term$augment > 0)
    size <- ncol(term$P) * groups
    lambda <- draw[at + length(term$P) + seq_len(size)]
    mu <- draw[at + length(term$P) + size + seq_len(size)]
    at <<- at + length(term$P) + 2L * size
    sqrt(rowMeans(matrix(1 / lambda + mu^2, groups)))
  }))
}

match_features <- function(set, features) {
  at <- if (is.character(set)) match(set, features) else NA
  if (!length(at) || anyNA(at) || anyDuplicated(at)) must_be("interactions", "a list of vectors with names of distinct features", set)
  at
}

# W_J = sum_s c_s prod_{j in J} p_js of one draw.
interaction_weight <- function(draw, set) {
  factors <- degree_factors(draw, length(set))
  if (is.null(factors)) return(0)
  sum(factors$c * apply(factors$P[set, , drop = FALSE], 2, prod))
}

# The strongest combinations of a posterior: candidates are the strongest of some draws, judged by all draws.
bayes_interactions <- function(fit, degree, n, possible = TRUE, by = "feature", data = NULL, level = 0.9) {
  check_bayes(fit, "fit", draws = TRUE)
  degree <- check_degree(degree, c(fit$spec, fit["features"]))
  n <- check_count(n, "n")
  x <- if (by == "variable" || !is.null(data)) standardised_rows(fit, data)
  if (by == "variable") return(bayes_variable_shares(fit, x, degree, n, level))
  factors <- lapply(all_draws(fit), degree_factors, t = degree)
  if (is.null(factors[[1]])) return(bayes_interaction_frame(matrix(0L, 0L, degree), matrix(0, length(factors), 0), fit, level))
  group <- if (possible) exclusive_groups(fit) else integer()
  strongest <- function(f) interactions_cpp(f$P, f$c, degree, 2L * n, group, list(), if (possible) x, FALSE)$features
  found <- unique(do.call(rbind, lapply(factors[some_of(factors, 20)], strongest)))
  weights <- vapply(factors, function(f) {
    products <- Reduce(`*`, lapply(seq_len(degree), function(q) f$P[found[, q], , drop = FALSE]))
    drop(products %*% f$c)
  }, numeric(nrow(found)))
  weights <- t(matrix(weights, nrow(found)))
  best <- utils::head(order(-abs(colMeans(weights))), n)
  bayes_interaction_frame(found[best, , drop = FALSE], weights[, best, drop = FALSE], fit, level)
}

all_draws <- function(fit) {
  unlist(lapply(fit$chains, function(chain) lapply(seq_len(ncol(chain$draws)), function(r) draw_parameters(fit, chain$draws[, r]))),
         recursive = FALSE)
}

# Places of `most` elements, evenly spaced.
some_of <- function(x, most) unique(round(seq(1, length(x), length.out = most)))

# Rows as the draws take them, joined: those of training unless there are others.
standardised_rows <- function(fit, data) {
  design <- if (is.null(data)) training_design(fit) else bayes_design(fit, data, if (fit$offset_given) rep(0, data_rows(data)), arg = "data")
  x <- from_matrix(blocks_matrix(design$blocks))
  if (any(design$missing)) x <- from_matrix(x[!design$missing, , drop = FALSE])
  if (!nrow(x)) hofm_abort("`data` must have at least one row without missing values.", argument = "data")
  Matrix::drop0(x)
}

data_rows <- function(data) if (inherits(data, "link_pairs")) length(data$i) else NROW(data)

# Shares of variables in the variance of the link, in fifty draws: they cost as much as those of fifty fits.
bayes_variable_shares <- function(fit, x, degree, n, level) {
  draws <- all_draws(fit)
  tables <- lapply(draws[some_of(draws, 50)], function(draw) {
    variable_shares(c(draw, fit[c("features", "blueprint", "control")]), x, degree, .Machine$integer.max)
  })
  keys <- combination_keys(tables[[1]])
  shares <- vapply(tables, function(table) table$share[match(keys, combination_keys(table))], numeric(length(keys)))
  shares <- t(matrix(shares, length(keys)))
  best <- utils::head(order(-colMeans(shares)), n)
  frame <- tables[[1]][best, seq_len(degree), drop = FALSE]
  frame$share <- colMeans(shares)[best]
  frame <- cbind(frame, spread_of(shares[, best, drop = FALSE], level))
  rownames(frame) <- NULL
  frame
}

# Standard deviation and interval of each column.
spread_of <- function(values, level) {
  ends <- if (ncol(values)) column_quantiles_cpp(values, (1 + c(-1, 1) * level) / 2) else matrix(0, 0, 2)
  data.frame(sd = if (ncol(values)) apply(values, 2, stats::sd) else numeric(), lower = ends[, 1], upper = ends[, 2])
}

bayes_interaction_frame <- function(index, weights, fit, level) {
  weights <- weights * fit$scaling$y$scale
  frame <- cbind(interaction_frame(index, colMeans(weights), feature_labels(fit)), spread_of(weights, level))
  frame$sign <- pmax(colMeans(weights > 0), colMeans(weights < 0))
  frame
}

#' Go on sampling
#'
#' @param object A fit from [bayes_hofm()] that has its training data.
#' @param iter How many more sweeps each chain makes, all of which count: there is no further warm-up.
#' @param keep Draws kept of these; `NULL` as before. Draws of the fit so far are kept, too.
#' @param ... Nothing else can be changed.
#' @return A fit with all draws. Chains go on where they were: a fit in two parts has the chains of a fit in one.
#' @examples
#' fit <- bayes_hofm(mpg ~ hp + wt, mtcars, rank = 2, iter = 100, chains = 2,
#'                   control = hofm_control(seed = 1))
#' update(fit, iter = 100)
#' @export
update.bayes_hofm <- function(object, iter, keep = NULL, ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  check_given()
  check_bayes(object)
  if (is.null(object$training)) hofm_abort("`object` has no training data: it was made with `keep_fitted = FALSE`.", argument = "object")
  iter <- check_count(iter, "iter", max = 1e8)
  keep <- if (is.null(keep)) object$plan$keep else check_count(keep, "keep", min = 0, max = 1e7)
  further <- object
  further$plan <- list(iter = iter, warmup = 0L, chains = object$plan$chains, keep = keep)
  check_keep(further)
  further <- run_chains(further, object$training, lapply(object$chains, `[[`, "last"))
  object$chains <- Map(join_chains, object$chains, further$chains)
  object$plan$iter <- object$plan$iter + further$plan$iter
  object$plan$keep <- object$plan$keep + keep
  object$interrupted <- if (further$interrupted > 0) object$plan$iter - further$plan$iter + iter else 0
  report_chains(object)
  object
}

# Two runs of a chain. Means of both, with the weights of their lengths.
join_chains <- function(a, b) {
  share <- b$count / max(1, a$count + b$count)
  mean_of <- function(field) if (!a$count) b[[field]] else if (!b$count) a[[field]] else a[[field]] + share * (b[[field]] - a[[field]])
  off <- if (a$count && b$count) (b$link_mean - a$link_mean)^2 * a$count * share else 0
  squares <- if (!a$count) b$link_squares else if (!b$count) a$link_squares else a$link_squares + b$link_squares + off
  list(draws = cbind(a$draws, b$draws), watched = cbind(a$watched, b$watched), mean = mean_of("mean"), link_mean = mean_of("link_mean"),
       link_squares = squares, count = a$count + b$count, broken = if (nzchar(a$broken)) a$broken else b$broken, last = b$last)
}

#' A Bayesian fit as an ordinary one
#'
#' The mean of the parameters over one chain, as a fit of [hofm()], which predicts faster and needs no draws. Never a mean over chains:
#' factors of different chains have nothing to do with each other. Within a chain the signs seldom change, and predictions are nearly as
#' good as those of all draws.
#'
#' @param fit A fit from [bayes_hofm()] to a numeric response. The ordinary fit has the same scales of columns, as with
#'   `hofm(standardize = TRUE)`; nodes of pairs cannot be centred there, so that those of `fit` must not be, either.
#' @param chain Number of the chain.
#' @return A fit of class `hofm`.
#' @examples
#' fit <- bayes_hofm(mpg ~ hp + wt, mtcars, rank = 2, iter = 200, chains = 2,
#'                   control = hofm_control(seed = 1))
#' predict(as_hofm(fit), mtcars[1:3, ])
#' @export
as_hofm <- function(fit, chain = 1) {
  check_given()
  check_bayes(fit, "fit")
  chain <- check_count(chain, "chain", max = length(fit$chains))
  check_can_be_hofm(fit, chain)
  standard <- if (!fit$pairs) fit$scaling$x
  blocks <- standardized_blocks(fit$training$blocks, standard)
  spec <- replace(fit$spec, c("loss", "lambda", "standardize"),
                  list("squared", numeric(if (fit$spec$model == "hofm") fit$spec$order else 1L), !fit$pairs))
  engine <- c(mean_parameters(fit, chain), list(solver = "gibbs", converged = TRUE, seed = fit$seed))
  if (fit$pairs) engine <- scale_features(engine, 1 / fit$scaling$x$scale)
  training <- fit$training
  weights <- if (length(training$weights)) training$weights
  problem <- list(blocks = blocks, n = fit$n, features = fit$features, y = training$y, weights = check_weights(weights, fit$n)$share,
                  offset = training$offset, task = list(kind = "samples"))
  engine$link <- link_values(c(engine, spec[c("model", "order", "rank", "linear")]), blocks, fit$control$threads) +
    if (length(training$offset)) training$offset else 0
  engine$objective <- sum(problem$weights * (problem$y - engine$link)^2) / 2
  engine$trace <- data.frame(iteration = fit$plan$iter, seconds = fit$seconds, objective = engine$objective)
  blueprint <- c(fit$blueprint, list(features = fit$features, standard = standard))
  new_hofm(engine, problem, spec, fit$control, list(kind = "numeric", levels = NULL), weights,
           list(offset_given = fit$offset_given, na.action = fit$na.action, blueprint = blueprint), fit$call)
}

check_can_be_hofm <- function(fit, chain) {
  if (fit$family != "gaussian") {
    hofm_abort("`fit` must have a numeric response: hofm() has no probit link. Use predict() of the fit itself.", "hofm_error_unsupported")
  }
  if (fit$pairs && any(fit$scaling$x$center != 0)) {
    hofm_abort("`fit` has nodes whose columns were centred, which hofm() does not do: use predict() of the fit itself.",
               "hofm_error_unsupported")
  }
  if (is.null(fit$training)) hofm_abort("`fit` has no training data: it was made with `keep_fitted = FALSE`.", argument = "fit")
  if (!length(fit$chains[[chain]]$mean)) hofm_abort(sprintf("Chain %d of `fit` has no draws.", chain), argument = "chain")
}

# The mean over a chain, on the scale of the response. Its spread c is shared by the factors of a product: c prod p_j = prod (c^(1/t) p_j).
mean_parameters <- function(fit, chain) {
  mean <- draw_parameters(fit, fit$chains[[chain]]$mean)
  y <- fit$scaling$y
  root <- function(t) y$scale^(1 / t)
  out <- list(intercept = mean$intercept * y$scale + y$center, w = if (!is.null(mean$w)) mean$w * y$scale)
  if (fit$spec$model == "hofm") {
    out$P <- lapply(stats::setNames(nm = names(mean$P)), function(t) mean$P[[t]] * root(as.integer(t)))
  } else {
    out$P <- lapply(mean$P, `*`, root(fit$spec$order))
    out$gamma <- mean$gamma * root(fit$spec$order)
    out$theta <- theta_from_gamma(out$gamma)
  }
  out
}
