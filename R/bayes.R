#' Sample a Bayesian factorization machine
#'
#' The model of [hofm()] with priors in place of penalties, sampled instead of minimised: nothing is tuned, and predictions come with
#' intervals. The kernel is affine in every parameter, so that each has a normal law given all others, at any order (Gibbs sampling).
#' A numeric response is Gaussian, two classes (links among them) are probit, and an ordered factor is ordinal probit with learned cut
#' points.
#'
#' @section Groups:
#' Features of a group share a prior mean and a prior precision, one pair for each degree and factor, which are learned (see
#' [hofm_prior()]). By default each variable of a formula or data frame is a group and each side of [link_pairs()]; all columns of a
#' matrix are one. Levels of a factor that are new at predict time are drawn from their group's law.
#'
#' @section What to look at:
#' The factors P are defined only up to sign, order and rotation: chains that agree on every prediction differ in P. Look at
#' predictions, at the noise, at weights of interactions ([interactions()]); `summary()` tells R-hat and effective sample size of such
#' numbers, and what to do when they are bad. Draws are averaged as predictions, never as parameters, but within one
#' chain: see [as_hofm()].
#'
#' @inheritParams hofm
#' @param model `"hofm"`, with a separate P for each degree, or `"shared"`.
#' @param weights How often each row counts, for a numeric response only.
#' @param groups `NULL` for the default; or a factor (or vector) with one value for each feature.
#' @param prior See [hofm_prior()].
#' @param iter,warmup Sweeps of each chain, and how many of them are left out at the beginning.
#' @param chains Number of chains, from dispersed starts. Threads are shared among them.
#' @param keep Number of draws kept, of all chains together. 0 keeps means and standard deviations only, in memory
#'   that does not depend on `iter`.
#' @param control Settings: `threads`, `seed`, `verbose` and `keep_fitted` of [hofm_control()] are used; the last says whether the
#'   training data stay in the fit, for [loo::loo()] and `update()`.
#' @return An object of class `bayes_hofm`, a plain list that [saveRDS()] keeps whole.
#' @seealso [predict.bayes_hofm()], [hofm_prior()], [as_hofm()].
#' @examples
#' cars <- transform(mtcars, cyl = factor(cyl))
#' fit <- bayes_hofm(mpg ~ cyl + hp + wt, cars, rank = 2, iter = 200, chains = 2,
#'                   control = hofm_control(seed = 1))
#' predict(fit, cars[1:3, ], interval = "predictive")
#' interactions(fit, degree = 2, n = 3)
#' @export
bayes_hofm <- function(x, ...) UseMethod("bayes_hofm")

#' @rdname bayes_hofm
#' @export
bayes_hofm.formula <- function(x, data = NULL, order = 2, rank = 8, model = "hofm", intercept = TRUE, linear = NULL, weights, offset,
                               subset, na.action, groups = NULL, prior = hofm_prior(), iter = 1000, warmup = iter %/% 2, chains = 4,
                               keep = 400, control = hofm_control(), ...) {
  call <- resolve_dots(match.call(), parent.frame())
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  spec <- bayes_spec(order, rank, model, intercept, linear)
  parts <- read_formula(x, data, call, parent.frame())
  spec$intercept <- spec$intercept && parts$intercept
  sample_checked(parts, spec, groups, prior, bayes_plan(iter, warmup, chains, keep), control,
                 bayes_call(call, environment(parts$blueprint$formula)))
}

#' @rdname bayes_hofm
#' @export
bayes_hofm.matrix <- function(x, y, order = 2, rank = 8, model = "hofm", intercept = TRUE, linear = NULL, weights = NULL, offset = NULL,
                              groups = NULL, prior = hofm_prior(), iter = 1000, warmup = iter %/% 2, chains = 4, keep = 400,
                              control = hofm_control(), ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  spec <- bayes_spec(order, rank, model, intercept, linear)
  parts <- matrix_parts(x, y, weights, offset)
  sample_checked(parts, spec, groups, prior, bayes_plan(iter, warmup, chains, keep), control,
                 bayes_call(resolve_dots(match.call(), parent.frame())))
}

#' @rdname bayes_hofm
#' @export
bayes_hofm.Matrix <- bayes_hofm.matrix

#' @rdname bayes_hofm
#' @export
bayes_hofm.data.frame <- bayes_hofm.matrix

#' @rdname bayes_hofm
#' @param negatives Only `"given"`: sampling all pairs of nodes does not converge in any useful time.
#' @export
bayes_hofm.link_pairs <- function(x, order = 2, rank = 8, model = "hofm", intercept = TRUE, linear = NULL, negatives = "given",
                                  weights = NULL, offset = NULL, groups = NULL, prior = hofm_prior(), iter = 1000,
                                  warmup = iter %/% 2, chains = 4, keep = 400, control = hofm_control(), ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  if (identical(negatives, "all")) {
    hofm_abort(paste("`negatives = \"all\"` cannot be sampled: chains over all pairs of nodes hardly move. Give a sample of pairs that",
                     "are no links, with y = 0, or use hofm()."), argument = "negatives")
  }
  check_choice(negatives, "negatives", "given")
  spec <- bayes_spec(order, rank, model, intercept, linear)
  check_pairs(x, "x")
  spec$split <- ncol(x$A)
  check_blocks(x, spec)
  parts <- pair_parts(x, weights, offset)
  if (all(parts$y %in% c(0, 1))) parts$y <- parts$y == 1   # links and others are two classes
  if (is.null(groups)) groups <- rep(c("A", "B", "context")[seq_along(parts$blocks)], vapply(parts$blocks, function(b) ncol(b$x), 0L))
  sample_checked(parts, spec, groups, prior, bayes_plan(iter, warmup, chains, keep), control,
                 bayes_call(resolve_dots(match.call(), parent.frame())))
}

#' @rdname bayes_hofm
#' @export
bayes_hofm.default <- function(x, ...) {
  need <- "a formula, a matrix, a Matrix, a data frame or link_pairs()"
  if (missing(x)) hofm_abort(sprintf("`x` is missing: it must be %s.", need), argument = "x")
  must_be("x", need, x)
}

bayes_call <- function(call, env = globalenv()) {
  call <- tidy_call(call, env)
  call[[1]] <- quote(bayes_hofm)
  call
}

# ---- Checked arguments -------------------------------------------------------------------------------------

bayes_spec <- function(order, rank, model, intercept, linear) {
  model <- check_choice(model, "model", c("hofm", "shared"))
  check_spec(order, rank, 0, model, NULL, "auto", intercept, linear)
}

bayes_plan <- function(iter, warmup, chains, keep) {
  iter <- check_count(iter, "iter", max = 1e8)
  warmup <- check_count(warmup, "warmup", min = 0)
  if (warmup >= iter) {
    hofm_abort(sprintf("`warmup` must be less than `iter`, which is %d, not %d.", iter, warmup), argument = "warmup")
  }
  chains <- check_count(chains, "chains", max = 1000)
  list(iter = iter, warmup = warmup, chains = chains, keep = check_count(keep, "keep", min = 0, max = 1e7))
}

# Which law the response has, and its numbers: as they are, 0/1, or classes 0, 1, ...
bayes_response <- function(y) {
  if (is.data.frame(y) && ncol(y) == 1) y <- y[[1]]
  if (is.ordered(y)) {
    y <- as_classes(plain_response(y, "y"), "y")
    if (nlevels(y) > 2) {
      return(list(family = "ordinal", y = as.double(as.integer(y) - 1L), kind = "factor", levels = levels(y), classes = nlevels(y)))
    }
  }
  coded <- code_response(y)
  if (is.numeric(y)) return(list(family = "gaussian", y = coded$y, kind = "numeric", levels = NULL, classes = 0L))
  list(family = "probit", y = (coded$y + 1) / 2, kind = coded$kind, levels = coded$levels, classes = 0L)
}

bayes_groups <- function(groups, blueprint, d) {
  if (is.null(groups)) groups <- feature_groups(blueprint, d)
  plain <- (is.factor(groups) || is.atomic(groups)) && is.null(dim(groups)) && length(groups) == d && !anyNA(groups)
  if (!plain) must_be("groups", sprintf("a factor with one value for each of the %d features", d), groups)
  factor(groups, levels = unique(as.character(groups)))
}

# ---- From checked parts to draws ---------------------------------------------------------------------------

sample_checked <- function(parts, spec, groups, prior, plan, control, call) {
  control <- check_control(control, length(factor_names(spec)))
  prior <- check_prior(prior)
  n <- if (is.null(parts[["n"]])) nrow(parts$x) else parts[["n"]]
  features <- parts$blueprint$features
  check_columns(features)
  check_response_length(parts$y, n)
  check_parameter_count(length(features), spec$rank)
  response <- bayes_response(parts$y)
  if (all(response$y == response$y[1])) hofm_abort("`y` must vary: there is nothing to learn from.", argument = "y")
  weights <- bayes_weights(parts$weights, n, response$family)
  offset <- check_offset(parts$offset, n)
  groups <- bayes_groups(groups, parts$blueprint, length(features))
  blocks <- if (is.null(parts$blocks)) list(list(x = parts$x, index = NULL)) else parts$blocks
  share <- if (length(weights)) normalise(weights) else rep(1 / n, n)
  fit <- list(
    spec = spec, family = response$family, response = response[c("kind", "levels", "classes")], features = features, groups = groups,
    prior = prior, scaling = list(x = learn_standard(blocks, share, center = spec$intercept),
                                  y = response_scaling(response, share)),
    plan = plan, n = n, offset_given = parts$offset_given, pairs = !is.null(parts$blocks),
    blueprint = parts$blueprint[setdiff(names(parts$blueprint), "features")], control = control, call = call, na.action = parts$na.action,
    seed = if (is.null(control$seed)) sample.int(.Machine$integer.max, 1L) else control$seed, format_version = 1L)
  check_keep(fit)
  training <- list(blocks = blocks, y = response$y, weights = weights, offset = offset)
  fit <- structure(run_chains(fit, training), class = "bayes_hofm")
  if (control$keep_fitted) fit$training <- training
  report_chains(fit)
  fit
}

bayes_weights <- function(weights, n, family) {
  if (is.null(weights)) return(numeric())
  given <- check_weights(weights, n)$given
  if (family == "gaussian" || all(given == 1)) return(given)
  hofm_abort("`weights` are for a numeric response: repeat rows of classes that count more than once.", argument = "weights")
}

# Weighted mean and standard deviation of a numeric response.
response_scaling <- function(response, share) {
  if (response$family != "gaussian") return(list(center = 0, scale = 1))
  center <- sum(share * response$y)
  most <- max(abs(response$y - center))   # so that squares stay within the range of numbers
  scale <- most * sqrt(sum(share * ((response$y - center) / most)^2))
  if (!(is.finite(scale) && scale > 0)) hofm_abort("`y` must vary over the rows with positive weight.", argument = "y")
  list(center = center, scale = scale)
}

draw_size <- function(fit) {
  terms <- bayes_model(fit)$terms
  cells <- vapply(terms, function(t) as.double(length(t$P)) + 2 * ncol(t$P) * (nlevels(fit$groups) + (t$augment > 0)), 0)
  2 + max(0, fit$response$classes - 1) + sum(cells)
}

# Two copies live at the end.
check_keep <- function(fit, memory = memory_bytes()) {
  need <- 16 * draw_size(fit) * fit$plan$keep
  if (need <= memory / 2) return(invisible())
  hofm_abort(sprintf("`keep` must be smaller: %d draws of %.0f numbers need about %.1f GB of memory, and half of what there is are %.1f.",
                     fit$plan$keep, draw_size(fit), need / 1e9, memory / 2e9), argument = "keep")
}

# The model's shape, all parameters zero, as the core takes it.
bayes_model <- function(fit) {
  d <- length(fit$features)
  spec <- fit$spec
  zeros <- function(k) matrix(0, d, k)
  start <- list(intercept = 0, w = if (spec$linear) numeric(d))
  if (spec$model == "shared") {
    start$gamma <- matrix(0, spec$order - 1L, spec$rank)
    start$P <- list(zeros(spec$rank))
  } else {
    start$P <- lapply(stats::setNames(nm = as.character(fitted_degrees(spec))), function(t) zeros(spec$rank[as.integer(t) - 1L]))
  }
  cpp_model(start, spec)
}

# Chains start at different widths, so that they disagree until they have forgotten their starts.
start_spread <- function(chains, order) rep_len(c(1, 0.5, 1.5, 0.25), chains) * if (order > 2) 1 else 0.2

# A response on the standardised scale, with all that the core needs to know.
bayes_data <- function(fit, training) {
  scale <- fit$scaling$y
  gaussian <- fit$family == "gaussian"
  list(family = fit$family, classes = fit$response$classes,
       y = if (gaussian) (training$y - scale$center) / scale$scale else training$y,
       offset = training$offset / scale$scale, weights = training$weights,
       group = as.integer(fit$groups), groups = nlevels(fit$groups))
}

# The draws of a fit that has none yet, or that goes on from where its chains stand.
run_chains <- function(fit, training, from = list()) {
  blocks <- standardized_blocks(training$blocks, fit$scaling$x)
  model <- bayes_model(fit)
  plan <- fit$plan
  watched <- unique(round(seq(1, fit$n, length.out = 20)))
  progress <- sampling_progress(fit$control, plan$iter)
  on.exit(progress$done())
  sampled <- within_memory(sample_cpp(
    blocks, bayes_data(fit, training), model, cpp_prior(fit$prior, blocks, model),
    list(iter = plan$iter, warmup = plan$warmup, keep = ceiling(plan$keep / plan$chains), watch = 250L, watched = watched,
         threads = fit$control$threads, seed = fit$seed %% 2^32, chains = plan$chains),
    from, start_spread(plan$chains, if (is.na(fit$spec$order)) 2 else fit$spec$order), progress$step))
  fit$chains <- sampled$chains
  fit$seconds <- sampled$seconds
  fit$interrupted <- if (sampled$interrupted) plan$iter else 0
  if (sampled$interrupted) fit$plan$iter <- sweeps_of(sampled$chains) - sweeps_of(lapply(from, function(last) list(last = last)))
  fit$watched <- c(watched_names(fit, model), sprintf("link[%d]", watched))
  fit
}

# Sweeps that all of these chains have made.
sweeps_of <- function(chains) as.integer(min(vapply(chains, function(chain) chain$last$sweeps, 0), if (!length(chains)) 0))

# Names of the numbers that are watched, in the order of the core.
watched_names <- function(fit, model) {
  groups <- levels(fit$groups)
  scales <- lapply(model$terms, function(t) sprintf("scale[%d,%s]", t$degree, c(groups, if (t$augment > 0) "dummies")))
  c("sigma", if (fit$response$classes > 2) sprintf("cut[%d]", seq_len(fit$response$classes - 1)[-1]), unlist(scales))
}

# What can be wrong with chains: an error where nothing is left, else warnings.
report_chains <- function(fit) {
  broken <- vapply(fit$chains, `[[`, "", "broken")
  counts <- vapply(fit$chains, `[[`, 0L, "count")
  if (any(nzchar(broken))) {
    text <- sprintf("A chain left the finite numbers: %s. Scale the features, or use a tighter prior.", broken[nzchar(broken)][1])
    if (all(counts == 0)) hofm_abort(text, "hofm_error_diverged")
    hofm_warn(text, "hofm_warning_chains")
  }
  if (fit$interrupted > 0) {
    if (any(counts == 0)) hofm_abort("Interrupted before the end of the warm-up: there are no draws.", "hofm_error_interrupted")
    hofm_warn(sprintf("Interrupted after %.0f of %.0f sweeps.", fit$plan$iter, fit$interrupted), "hofm_warning_interrupted")
  }
  warn_of_chains(chain_diagnostics(fit))
}
