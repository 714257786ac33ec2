# Predictions of a posterior: draws on new rows, and what is told of them.

#' Predict from a Bayesian factorization machine
#'
#' Means over draws, and quantiles of them. Rows are taken in blocks, so that memory does not grow with their number.
#'
#' @param object A fit from [bayes_hofm()] that kept draws.
#' @param newdata As for [predict.hofm()]. `NULL` stands for the training data.
#' @param type `"response"`: the mean of the response, for two classes the probability of the second, for ordered classes the mean of
#'   their numbers 1, 2, ...; `"link"`: f(x) plus the offset; `"prob"`: the probability of each class; `"class"`: the likeliest
#'   class; `"terms"`: the means of the parts that the link is the sum of, degree by degree.
#' @param interval `"none"`; `"credible"` for intervals of what `type` asks for; `"predictive"` for intervals of a new response
#'   (`type = "response"` only).
#' @param level Share of the probability that lies in the interval, the same share outside on either side.
#' @param offset,threads As for [predict.hofm()].
#' @param allow_new_levels `TRUE` draws the parameters of a factor level that did not occur in training from the law of its group, so
#'   that intervals are as wide as they should be; `FALSE` makes it an error.
#' @param ... Nothing: an unknown argument is an error.
#' @return A vector with a value for each row; with an interval a matrix with columns `fit`, `lower` and `upper`; for `"prob"` a
#'   matrix with a column for each class, for `"terms"` one with a column for each part.
#' @seealso [bayes_hofm()], [posterior_predict.bayes_hofm()]
#' @examples
#' fit <- bayes_hofm(mpg ~ hp + wt, mtcars, rank = 2, iter = 200, chains = 2,
#'                   control = hofm_control(seed = 1))
#' predict(fit, mtcars[1:3, ], interval = "predictive", level = 0.8)
#' @export
predict.bayes_hofm <- function(object, newdata = NULL, type = c("response", "link", "prob", "class", "terms"),
                               interval = c("none", "credible", "predictive"), level = 0.9, offset = NULL, allow_new_levels = FALSE,
                               threads = NULL, ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  type <- if (missing(type)) "response" else check_choice(type, "type", eval(formals()$type))
  interval <- if (missing(interval)) "none" else check_choice(interval, "interval", eval(formals()$interval))
  check_bayes(object, draws = TRUE)
  level <- check_number(level, "level", min = 0.01, max = 0.9999)
  check_bayes_type(object, type, interval)
  design <- bayes_design(object, newdata, offset, check_flag(allow_new_levels, "allow_new_levels"))
  threads <- if (is.null(threads)) object$control$threads else check_count(threads, "threads", max = 1024)
  if (type == "terms") return(bayes_terms(object, design, threads))
  probs <- (1 + c(-1, 1) * level) / 2
  by_rows(object, design, threads, function(link, rows) switch(type,
    prob = , class = class_means(object, link, rows), told(object, link, type, interval, probs)), type)
}

check_bayes_type <- function(fit, type, interval) {
  if (type %in% c("prob", "class") && fit$family == "gaussian") {
    hofm_abort(sprintf("`type = \"%s\"` needs a response of classes.", type), argument = "type")
  }
  if (interval == "none") return(invisible())
  if (!type %in% c("response", "link")) {
    hofm_abort(sprintf("`interval` must be \"none\" for `type = \"%s\"`.", type), argument = "interval")
  }
  if (interval == "predictive" && type != "response") {
    hofm_abort("`interval = \"predictive\"` needs `type = \"response\"`.", argument = "interval")
  }
}

#' The rows of new data as the draws take them
#' @return A list: `blocks` on the standardised scale, with columns for new levels behind those of the fit; `level_group`, the group of
#'   each of these; `offset`, `missing` and `n`.
#' @noRd
bayes_design <- function(fit, newdata, offset, allow_new_levels = FALSE, arg = "newdata") {
  if (is.null(newdata)) return(training_design(fit))
  if (fit$pairs != inherits(newdata, "link_pairs")) {
    must_be(arg, if (fit$pairs) "made by link_pairs(), as in training" else "a data frame or a matrix, as in training", newdata)
  }
  blueprint <- c(fit$blueprint, list(features = fit$features))
  design <- if (fit$pairs) list(blocks = matched_blocks(fit, newdata, arg), n = length(newdata$i), missing = integer(), offset = NULL)
  else design_for(blueprint, newdata, allow_new_levels, arg)
  design$offset <- total_offset(fit, design, offset)
  n <- design_rows(design)
  gaps <- if (is.logical(design$missing)) design$missing else rep(FALSE, n)
  if (!is.null(design$offset)) gaps <- gaps | is.na(design$offset)
  blocks <- standardized_blocks(design_blocks(design), fit$scaling$x)
  new <- if (allow_new_levels && blueprint$kind == "frame" && n > 0) new_level_columns(blueprint, newdata, fit$groups)
  if (!is.null(new)) blocks[[1]]$x <- cbind(blocks[[1]]$x, new$x)
  list(blocks = blocks, n = n, missing = gaps, level_group = new$group,
       offset = if (!is.null(design$offset)) replace(design$offset, is.na(design$offset), 0))
}

training_design <- function(fit) {
  if (is.null(fit$training)) {
    hofm_abort("`newdata` must be given: the fit was made with `keep_fitted = FALSE` and has no training data.", argument = "newdata")
  }
  list(blocks = standardized_blocks(fit$training$blocks, fit$scaling$x), n = fit$n, missing = rep(FALSE, fit$n),
       level_group = NULL, offset = if (length(fit$training$offset)) fit$training$offset)
}

# A column for each level of a variable that training has not seen; of variables that are a term of their own.
new_level_columns <- function(blueprint, newdata, groups) {
  newdata <- as_newdata(newdata, "newdata")
  values <- evaluate_variables(blueprint, newdata, "newdata")
  found <- lapply(which(blueprint$types == "factor"), function(k) {
    label <- blueprint$variables[k]
    if (!label %in% levels(groups)) return(NULL)
    value <- enc2utf8(as.character(values[[k]]))
    new <- setdiff(unique(value[!is.na(value)]), blueprint$levels[[label]])
    if (!length(new)) return(NULL)
    rows <- which(value %in% new)
    list(i = rows, j = match(value[rows], new), width = length(new), group = match(label, levels(groups)))
  })
  found <- Filter(Negate(is.null), found)
  if (!length(found)) return(NULL)
  width <- vapply(found, `[[`, 0L, "width")
  before <- cumsum(c(0L, width))[seq_along(width)]
  list(x = from_matrix(Matrix::sparseMatrix(
         i = unlist(lapply(found, `[[`, "i")), j = unlist(Map(function(f, b) f$j + b, found, before)), x = 1,
         dims = c(nrow(newdata), sum(width)))),
       group = rep(vapply(found, `[[`, 0L, "group"), width))
}

bayes_shape <- function(fit) list(model = bayes_model(fit), groups = nlevels(fit$groups), classes = fit$response$classes)

# Draws x rows, all chains below each other, on the scale of the link. Rows are found in the transpose, if there is one, without a look at
# all of the matrix.
link_draws <- function(fit, design, rows, threads) {
  blocks <- lapply(design$blocks, function(b) {
    if (!is.null(b$index)) return(list(x = b$x, index = b$index[rows]))
    list(x = if (is.null(b$across)) b$x[rows, , drop = FALSE] else Matrix::t(b$across[, rows, drop = FALSE]), index = NULL)
  })
  scale <- fit$scaling$y
  offset <- if (is.null(design$offset)) numeric() else design$offset[rows] / scale$scale
  level_group <- if (is.null(design$level_group)) integer() else design$level_group
  shape <- bayes_shape(fit)
  link <- do.call(rbind, lapply(seq_along(fit$chains), function(c) {
    within_memory(posterior_link_cpp(blocks, shape, fit$chains[[c]]$draws, offset, level_group, (fit$seed + c) %% 2^32, threads))
  }))
  link * scale$scale + scale$center
}

# One number of each draw, chains one after the other: row `at` of the packed draws.
draw_row <- function(fit, at) unlist(lapply(fit$chains, function(chain) chain$draws[at, ]))
sigma_draws <- function(fit) fit$scaling$y$scale / sqrt(draw_row(fit, 2L))
count_draws <- function(fit) sum(vapply(fit$chains, function(chain) ncol(chain$draws), 0L))

# tell(link draws, rows) for blocks of rows, put together; rows with gaps are NA.
by_rows <- function(fit, design, threads, tell, type = "response") {
  if (design$n == 0) return(if (type == "class") factor(character(), levels = fit$response$levels) else numeric())
  size <- max(1, floor(4e6 / count_draws(fit)))
  starts <- seq(1, design$n, by = size)
  if (length(starts) > 2) design$blocks <- lapply(design$blocks, function(b) if (is.null(b$index)) c(b, across = Matrix::t(b$x)) else b)
  told <- lapply(starts, function(first) {
    rows <- first:min(design$n, first + size - 1)
    tell(link_draws(fit, design, rows, threads), rows)
  })
  told <- if (is.matrix(told[[1]])) do.call(rbind, told) else unlist(told)
  if (is.matrix(told)) told[design$missing, ] <- NA else told[design$missing] <- NA
  if (type != "class") return(told)
  likeliest <- max.col(replace(told, is.na(told), 0), "first")
  class <- factor(fit$response$levels[likeliest], levels = as.character(fit$response$levels),
                  ordered = fit$family == "ordinal")
  class[design$missing] <- NA
  if (fit$response$kind == "logical") as.logical(class) else class
}

# Rows x classes: mean probabilities over draws.
class_means <- function(fit, link, rows) {
  p <- vapply(seq_along(fit$response$levels), function(c) colMeans(class_probability(fit, link, c)), numeric(ncol(link)))
  matrix(p, ncol(link), dimnames = list(NULL, fit$response$levels))
}

# Probability of class c (1, 2, ...) at each link value.
class_probability <- function(fit, link, c) {
  if (fit$family == "probit") return(if (c == 2) stats::pnorm(link) else stats::pnorm(-link))
  last <- fit$response$classes
  upper <- if (c < last) draw_row(fit, 2L + c)
  lower <- if (c > 1) draw_row(fit, 1L + c)
  if (is.null(lower)) return(stats::pnorm(upper - link))
  if (is.null(upper)) return(stats::pnorm(link - lower))
  stats::pnorm(upper - link) - stats::pnorm(lower - link)
}

# The mean of the response at each link value.
expected_draws <- function(fit, link) {
  switch(fit$family, gaussian = link, probit = stats::pnorm(link),
         ordinal = Reduce(`+`, lapply(seq_len(fit$response$classes), function(c) c * class_probability(fit, link, c))))
}

# New responses: numbers, 0/1, or the numbers 1, 2, ... of classes.
response_draws <- function(fit, link) {
  noisy <- link + stats::rnorm(length(link)) * if (fit$family == "gaussian") sigma_draws(fit) else 1
  if (fit$family == "gaussian") return(noisy)
  if (fit$family == "probit") return((noisy > 0) + 0)
  Reduce(`+`, lapply(seq_len(fit$response$classes - 1L), function(c) noisy > draw_row(fit, 2L + c)), matrix(1, nrow(link), ncol(link)))
}

told <- function(fit, link, type, interval, probs) {
  values <- if (type == "link") link else expected_draws(fit, link)
  mean <- colMeans(values)
  if (interval == "none") return(mean)
  if (interval == "predictive") values <- with_seed(fit$seed, response_draws(fit, link))
  ends <- column_quantiles_cpp(values, probs)
  matrix(c(mean, ends), ncol = 3, dimnames = list(NULL, c("fit", "lower", "upper")))
}

# Means over draws of the parts of the link. The constant of a standardised response counts with the intercept.
bayes_terms <- function(fit, design, threads) {
  if (length(design$level_group)) hofm_abort("`type = \"terms\"` knows no new levels.", argument = "type")
  if (fit$spec$model != "hofm") hofm_abort("`type = \"terms\"` needs `model = \"hofm\"`.", argument = "type")
  total <- 0
  for (chain in fit$chains) for (r in seq_len(ncol(chain$draws))) {
    total <- total + degree_values(draw_parameters(fit, chain$draws[, r]), design$blocks, threads)
  }
  total <- total / count_draws(fit) * fit$scaling$y$scale
  total[, 1] <- total[, 1] + fit$scaling$y$center
  colnames(total) <- c("intercept", paste("degree", seq_len(fit$spec$order)))
  if (!is.null(design$offset)) total <- cbind(total, offset = design$offset)
  total[design$missing, ] <- NA
  total
}

# A packed draw as parameters by name, with what degree_values() and degree_factors() ask of a fit.
draw_parameters <- function(fit, draw) {
  at <- 2L + max(0L, fit$response$classes - 1L)
  P <- lapply(bayes_model(fit)$terms, function(term) {
    p <- matrix(draw[at + seq_along(term$P)], nrow(term$P))
    at <<- at + length(term$P) + 2L * ncol(term$P) * (nlevels(fit$groups) + (term$augment > 0))
    p
  })
  spec <- fit$spec
  c(model_parameters(list(intercept = draw[1], P = P), spec, fit$features), spec[c("model", "order", "rank", "linear")])
}

# ---- Draws for others --------------------------------------------------------------------------------------

#' Draws of predictions
#'
#' Methods for the generics of `rstantools` and `loo`, which are found when these packages are loaded.
#'
#' @param object,x A fit from [bayes_hofm()] that kept draws.
#' @param newdata,offset,allow_new_levels As for [predict.bayes_hofm()].
#' @param draws Number of draws, evenly spaced over those that were kept; `NULL` for all.
#' @param ... Handed on by `loo()` and `waic()`; else not used.
#' @return A matrix with a row for each draw and a column for each row of the data: responses (`posterior_predict()`; of two classes 0/1,
#'   of ordered ones 1, 2, ...), their means, link values, or logarithms of the density of the training response (`log_lik()`).
#'   `loo()` and `waic()` return what those of the loo package do, so that `loo::loo_compare()` compares fits, such as
#'   orders.
#' @examplesIf requireNamespace("loo", quietly = TRUE)
#' fit <- bayes_hofm(mpg ~ hp + wt, mtcars, rank = 2, iter = 400, chains = 2,
#'                   control = hofm_control(seed = 1))
#' suppressWarnings(loo::loo(fit))
#' @name posterior_predict.bayes_hofm
#' @exportS3Method rstantools::posterior_predict
posterior_predict.bayes_hofm <- function(object, newdata = NULL, draws = NULL, offset = NULL, allow_new_levels = FALSE, ...) {
  response_draws_of(object, newdata, draws, offset, allow_new_levels, response_draws)
}

#' @rdname posterior_predict.bayes_hofm
#' @exportS3Method rstantools::posterior_epred
posterior_epred.bayes_hofm <- function(object, newdata = NULL, draws = NULL, offset = NULL, allow_new_levels = FALSE, ...) {
  response_draws_of(object, newdata, draws, offset, allow_new_levels, expected_draws)
}

#' @rdname posterior_predict.bayes_hofm
#' @exportS3Method rstantools::posterior_linpred
posterior_linpred.bayes_hofm <- function(object, newdata = NULL, draws = NULL, offset = NULL, allow_new_levels = FALSE, ...) {
  response_draws_of(object, newdata, draws, offset, allow_new_levels, function(fit, link) link)
}

response_draws_of <- function(fit, newdata, draws, offset, allow_new_levels, of) {
  check_bayes(fit, draws = TRUE)
  if (!is.null(draws)) draws <- check_count(draws, "draws", max = count_draws(fit))
  design <- bayes_design(fit, newdata, offset, check_flag(allow_new_levels, "allow_new_levels"))
  values <- of(fit, link_draws(fit, design, seq_len(design$n), fit$control$threads))
  values[, design$missing] <- NA
  if (is.null(draws)) values else values[round(seq(1, nrow(values), length.out = draws)), , drop = FALSE]
}

#' @rdname posterior_predict.bayes_hofm
#' @exportS3Method rstantools::log_lik
log_lik.bayes_hofm <- function(object, ...) {
  check_bayes(object, draws = TRUE)
  design <- training_design(object)
  link <- link_draws(object, design, seq_len(design$n), object$control$threads)
  y <- rep(object$training$y, each = nrow(link))
  density <- switch(object$family,
    gaussian = stats::dnorm(y, link, sigma_draws(object), log = TRUE),
    probit = stats::pnorm((2 * y - 1) * link, log.p = TRUE),
    ordinal = {
      p <- matrix(0, nrow(link), ncol(link))
      for (c in seq_len(object$response$classes)) {
        at <- object$training$y == c - 1
        p[, at] <- class_probability(object, link[, at, drop = FALSE], c)
      }
      log(pmax(p, 1e-300))
    })
  density <- matrix(density, nrow(link))
  weights <- object$training$weights
  if (length(weights)) density * rep(weights, each = nrow(link)) else density
}

chain_numbers <- function(fit) rep(seq_along(fit$chains), vapply(fit$chains, function(chain) ncol(chain$draws), 0L))

#' @rdname posterior_predict.bayes_hofm
#' @exportS3Method loo::loo
loo.bayes_hofm <- function(x, ...) {
  density <- log_lik.bayes_hofm(x)
  loo::loo(density, r_eff = loo::relative_eff(exp(density), chain_id = chain_numbers(x)), ...)
}

#' @rdname posterior_predict.bayes_hofm
#' @exportS3Method loo::waic
waic.bayes_hofm <- function(x, ...) loo::waic(log_lik.bayes_hofm(x), ...)
