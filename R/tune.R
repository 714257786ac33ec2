# Penalties chosen from the training rows, for `lambda = NULL`. Called by fit_checked().
#
# One degree at a time, from 1 up: with the penalties of the lower degrees settled, that of the next goes down a path until the loss on
# rows held out has turned, and the degree is left at zero unless it is better there than without it by a standard error. A path
# is in steps of the prior variance V of what a degree adds to the link: with normal priors on k factors a degree t adds a
# variance of k sd^(2t) E_t, E_t the mean of A^t(x^2, 1) over rows, and a penalty of lambda_t belongs to sd^2 = noise / (n lambda_t). So
# lambda_t = (noise / n) (k E_t / V)^(1/t), which gives all degrees, scales and ranks their fair share.

# Rows that are enough to choose penalties from. Of ids with few rows each a part of the rows says too little: a fifth of a million ratings
# asked for penalties of factors that were three times too large.
tuning_rows <- 1e6
tuning_nonzeros <- 2e7

#' Choose penalties
#' @param problem,spec as in fit.R, standardised already; lambda of spec is not looked at.
#' @param groups The group of each feature, or NULL where penalties of features are given.
#' @return A list: `lambda`, `off` (degrees that are left at zero), `penalty_factor` (NULL: all equal), and `tuning` for the fit to keep;
#'   NULL where there are too few rows to choose from.
#' @noRd
tune_penalties <- function(problem, spec, control, groups) {
  seed <- if (is.null(control$seed)) sample.int(.Machine$integer.max, 1L) else control$seed
  pieces <- with_seed(seed, tuning_pieces(problem))
  if (!length(pieces)) return(NULL)
  control <- utils::modifyList(control, list(seed = seed, validation = 0, verbose = FALSE, tol = 1e-4, max_iter = 200L))
  spec$solver <- "auto"
  steps <- if (model_table()[[spec$model]]$per_degree) c(if (spec$linear) 1L, fitted_degrees(spec)) else NA_integer_
  state <- first_state(pieces, spec, control)
  null <- mean_loss(state, state$loss)
  for (t in steps) state <- tune_degree(state, t)
  state <- tune_scale(tune_groups(state, groups))
  share <- rows_used(state$pieces) / sum(problem$weights > 0)
  list(lambda = whole_lambda(state, share), off = state$off, penalty_factor = state$penalty_factor,
       tuning = list(table = state$table, rows = length(state$loss), folds = length(pieces), off = state$off, exponent = state$exponent,
                     loss = mean_loss(state, state$loss), null = null))
}

#' Training and held-out rows: ten or five folds of few rows, one split of many
#' @noRd
tuning_pieces <- function(problem) {
  rows <- which(problem$weights > 0)
  nonzeros <- mean_nonzeros(problem)
  most <- max(1000, min(tuning_rows, tuning_nonzeros / max(nonzeros, 1)))
  if (length(rows) > most) rows <- sort(sample(rows, most))
  folds <- if (length(rows) <= 1000) 10 else 5
  if (length(rows) < 2 * folds) folds <- length(rows) %/% 2
  if (folds < 2) return(list())
  strata <- if (length(unique(problem$y[rows])) == 2) problem$y[rows] else rep(1, length(rows))
  fold <- deal_rows(folds, strata)
  used <- if (length(rows) <= 5000 && length(rows) * nonzeros <= 2e6) seq_len(folds) else 1L
  pieces <- lapply(used, function(f) {
    list(train = take_samples(problem, rows[fold != f]), held = take_samples(problem, rows[fold == f]))
  })
  Filter(function(piece) length(unique(piece$train$y)) > 1, pieces)
}

# Nonzeros of a row, on average.
mean_nonzeros <- function(problem) {
  sum(vapply(problem$blocks, function(block) length(block$x@i) / max(1, nrow(block$x)), 0))
}

# Before anything is fitted: the intercept alone.
first_state <- function(pieces, spec, control) {
  fits <- lapply(pieces, function(piece) {
    link <- null_link(piece$train$y, spec$loss, piece$train$weights, piece$train$offset, spec$intercept)
    list(link = rep_len(link[1] - if (length(piece$train$offset)) piece$train$offset[1] else 0, piece$held$n))
  })
  state <- list(pieces = pieces, spec = spec, control = control, lambda = rep(NA_real_, length(spec$lambda)), off = integer(),
                exponent = 0, parameters = NULL, table = NULL)
  state$loss <- held_losses(state, fits)
  state
}

# ---- One degree --------------------------------------------------------------------------------------------

tune_degree <- function(state, t) {
  spec <- up_to_degree(state$spec, t, state$off)
  path <- degree_path(state, t)
  best <- list(loss = Inf)
  last <- state
  for (lambda in path) {
    tried <- try_lambda(state, spec, t, lambda, last$parameters)
    state$table <- rbind(state$table, tried$row)
    if (is.null(tried$loss)) break
    if (mean_loss(state, tried$loss) < mean_loss(state, best$loss)) best <- c(tried, list(at = lambda))
    if (turned(state$table, t)) break
    last <- tried
  }
  settle_degree(state, t, best, path)
}

# The linear part is taken unless it is worse than nothing: shrunken far it costs nothing. Factors have to earn their place.
settle_degree <- function(state, t, best, path) {
  place <- if (is.na(t)) 1L else t
  gain <- if (is.null(best$parameters)) -Inf else paired_gain(state, best$loss)
  if (!(gain > if (isTRUE(t > 1)) needed_gain(t) else 0)) {
    state$lambda[place] <- path[1]
    if (isTRUE(t > 1)) state$off <- c(state$off, t)
    return(state)
  }
  state$lambda[place] <- best$at
  state[c("loss", "parameters")] <- best[c("loss", "parameters")]
  state
}

# The best of a path is the best of several chances, and a third degree is tried after a second: what is taken for its gain
# has to be larger.
needed_gain <- function(t) if (t == 2) 1 else 2

# Held-out gain over what the state has, in standard errors of the mean of its differences.
paired_gain <- function(state, loss) {
  weights <- held_weights(state)
  gain <- state$loss - loss
  mean <- sum(weights * gain)
  mean / max(sqrt(sum(weights^2 * (gain - mean)^2)), .Machine$double.xmin)
}

up_to_degree <- function(spec, t, off) {
  if (is.na(t)) return(spec)
  spec$rank <- ifelse(seq_len(t)[-1] %in% off, 0L, spec$rank[seq_len(t - 1L)])
  spec$rank <- as.integer(spec$rank)
  replace(spec, "order", as.integer(t))
}

#' lambda from large to small, as V goes up
#' @noRd
degree_path <- function(state, t) {
  degree <- if (is.na(t)) model_degree(state$spec) else t
  rank <- if (degree == 1) 1 else if (is.na(t)) state$spec$rank else state$spec$rank[t - 1L]
  spread <- mean_spread(state$pieces[[1]]$train, degree)
  V <- 10^(if (degree == 1) seq(-2, 4, 0.5) else seq(-4, 4, if (is.na(t)) 0.5 else 1))
  path <- noise(state) / state$pieces[[1]]$train$n * (rank * spread / V)^(1 / degree)
  if (all(is.finite(path) & path > 0)) path else 10^seq(0, -6, -0.5)
}

# The degree whose spread stands for a model that mixes degrees.
model_degree <- function(spec) if (spec$model == "polynomial" && spec$order == 1) 1L else 2L

# E_t, of columns divided by their largest value, so that no product overflows on the way.
mean_spread <- function(problem, degree) {
  x <- joined_sample(problem)
  scale <- max(abs(x@x), 1e-300)
  kernel_spread_cpp(with_values(x, x@x / scale), degree)[degree] * scale^(2 * degree)
}

# The variance of a row about its link, on the scale that lambda is on.
noise <- function(state) {
  y <- state$pieces[[1]]$train$y
  unit <- if (is.null(state$spec$unit)) 1 else state$spec$unit
  switch(state$spec$loss, squared = , huber = mean_loss(state, state$loss) / unit^2, poisson = 1 / max(mean(y), 1e-3), 4)
}

try_lambda <- function(state, spec, t, lambda, init) {
  spec$lambda <- if (is.na(t)) lambda else replace(state$lambda[seq_len(t)], t, lambda)
  spec$lambda[is.na(spec$lambda)] <- lambda                     # of a linear part that is not in the model
  fits <- lapply(seq_along(state$pieces), function(q) fit_piece(state$pieces[[q]], spec, state$control, init[[q]], t))
  loss <- held_losses(state, fits)
  list(loss = loss, parameters = lapply(fits, `[[`, "parameters"),
       row = data.frame(degree = t, lambda = lambda, exponent = state$exponent, loss = mean_loss(state, loss),
                        alive = any(vapply(fits, `[[`, NA, "alive"))))
}

# From where the last lambda ended, with factors drawn anew where they are at zero.
fit_piece <- function(piece, spec, control, init, t) {
  fresh <- with_seed(control$seed, starting_values(piece$train, spec, control$init_sd))
  start <- if (is.null(init)) fresh else grown_start(init, fresh)
  fit <- expect_collapse(fit_model(piece$train, spec, control, c(start, list(drawn = is.null(init)))))
  own <- if (is.na(t)) names(fresh$P) else intersect(as.character(t), names(fresh$P))
  list(parameters = parameters_of(fit), alive = !length(own) || any(unlist(alive(fit$P[own], fresh$P[own]))),
       link = link_values(c(fit[c("intercept", "w", "P", "theta", "gamma")], spec[c("model", "order", "rank", "linear")]),
                                                           piece$held$blocks, control$threads))
}

# Parameters of fewer degrees as a start for more.
grown_start <- function(init, fresh) {
  start <- fresh
  start[c("intercept", "w", "theta", "gamma")] <- init[c("intercept", "w", "theta", "gamma")]
  known <- intersect(names(init$P), names(fresh$P))
  start$P[known] <- init$P[known]
  start <- revive(start, fresh)
  Filter(Negate(is.null), start)
}

# ---- Losses on held-out rows -------------------------------------------------------------------------------

held_losses <- function(state, fits) {
  deviance <- loss_facts(state$spec$loss)$deviance
  losses <- unlist(Map(function(piece, fit) {
    deviance(piece$held$y, fit$link + if (length(piece$held$offset)) piece$held$offset else 0)
  }, state$pieces, fits))
  pmin(losses, .Machine$double.xmax^0.25)
}

held_weights <- function(state) normalise(unlist(lapply(state$pieces, function(piece) piece$held$weights * piece$held$n)))

mean_loss <- function(state, loss) if (length(loss) == 1) Inf else sum(held_weights(state) * loss)

# Two steps beyond the best of this degree, and worse than it for sure. Where its factors are still at zero, losses differ by chance.
turned <- function(table, t) {
  loss <- table$loss[table$degree %in% t & table$alive]
  if (!length(loss)) return(FALSE)
  best <- which.min(loss)
  length(loss) - best >= 2 && loss[length(loss)] > loss[best] * (1 + 1e-4)
}

# ---- Groups of features ------------------------------------------------------------------------------------

#' Penalties that grow with how much is known of a group of features
#'
#' Levels of a factor with few rows each, such as persons, need another penalty than a number that every row has. Groups are told apart by
#' m_g, the mean sum of squares of their columns, and get factors (m_g / min m)^a: a = 0, 1/2 and 1 are tried.
#' @noRd
tune_groups <- function(state, groups) {
  factors <- if (!is.null(groups) && length(state$parameters)) group_factors(state$pieces[[1]]$train, groups)
  if (is.null(factors)) return(state)
  for (a in c(0.5, 1)) {
    tried <- walk_scale(with_exponent(state, factors^a, a), step = 10^0.5)
    better <- mean_loss(state, tried$loss) < mean_loss(state, state$loss)
    if (better) state <- tried else state$table <- tried$table
    if (!better) break
  }
  state
}

# m_g / min m for each feature; NULL where groups hardly differ.
group_factors <- function(problem, groups) {
  squares <- unlist(lapply(problem$blocks, function(block) {
    as.vector(Matrix::crossprod(with_values(block$x, block$x@x^2), block_weights(block, problem$weights)))
  }))
  means <- c(tapply(squares, groups, mean))
  means <- means[means > 0]
  if (length(means) < 2 || max(means) < 4 * min(means)) return(NULL)
  ratio <- means[groups] / min(means)
  as.vector(ifelse(is.na(ratio), 1, ratio))                    # tapply() makes arrays, which no matrix can be multiplied by
}

# As things stand before a fit with these penalties: features of another scale, and nothing known of its loss.
with_exponent <- function(state, penalty_factor, exponent) {
  earlier <- if (is.null(state$penalty_factor)) 1 else state$penalty_factor
  change <- penalty_factor / earlier
  state$pieces <- lapply(state$pieces, function(piece) lapply(piece, function(part) {
    replace(part, "blocks", list(penalised_blocks(part$blocks, change)))
  }))
  state$parameters <- lapply(state$parameters, scale_features, sqrt(change))
  state$loss <- NULL
  replace(state, c("exponent", "penalty_factor"), list(exponent, penalty_factor))
}

# Paths have wide steps: at the end all penalties are multiplied by what serves best.
tune_scale <- function(state) if (length(state$parameters)) walk_scale(state, step = 10^0.25) else state

#' All penalties times a power of `step`, up while that lowers the loss, else down while that does
#' @noRd
walk_scale <- function(state, step, most = 4L) {
  start <- if (is.null(state$loss)) scaled_state(state, 1) else state
  best <- start
  for (way in c(step, 1 / step)) {
    for (q in seq_len(most)) {
      tried <- scaled_state(best, way)
      gains <- mean_loss(tried, tried$loss) < mean_loss(best, best$loss)
      if (gains) best <- tried else best$table <- tried$table
      if (!gains) break
    }
    if (any(best$lambda != start$lambda, na.rm = TRUE)) break
  }
  best
}

# The state after a fit of all degrees with other penalties.
scaled_state <- function(state, times) {
  top <- max(which(!is.na(state$lambda)), 1L)
  t <- if (model_table()[[state$spec$model]]$per_degree) top else NA_integer_
  fitted <- setdiff(seq_along(state$lambda), state$off)     # a degree that is left at zero keeps the penalty that holds it there
  state$lambda[fitted] <- times * state$lambda[fitted]
  tried <- try_lambda(state, up_to_degree(state$spec, t, state$off), t, state$lambda[top], state$parameters)
  state$table <- rbind(state$table, tried$row)
  replace(state, c("loss", "parameters"), tried[c("loss", "parameters")])
}

# Each row is held out in one piece, or is in the training part of the only one.
rows_used <- function(pieces) pieces[[1]]$train$n + pieces[[1]]$held$n

# ---- For all rows ------------------------------------------------------------------------------------------

# Of a part of the rows: the prior stays, and the rows are more, so that lambda is inversely proportional to their number. A fold that was
# held out is no such part: for factors of ids what served best without it served best with it, too. Degrees that are not fitted go
# with the others.
whole_lambda <- function(state, share) {
  lambda <- state$lambda * share
  lambda[is.na(lambda)] <- max(lambda, 0, na.rm = TRUE)
  lambda
}
