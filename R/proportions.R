# Counts of two outcomes, as glm() takes them: cbind(success, failure), or a proportion with weights.

# A numeric response that `loss = "logistic"` takes as shares rather than classes.
is_proportions <- function(y, loss) {
  if (!(is.null(loss) || identical(loss, "logistic"))) return(FALSE)
  if (is.matrix(y)) return(is.numeric(y) && ncol(y) == 2)
  is_number_like(y) && is.null(dim(y)) && !is.null(loss) && all(is.finite(y)) && all(y >= 0 & y <= 1) && any(y > 0 & y < 1)
}

# Shares, and of how many each is one.
proportions_of <- function(y, weights) {
  weights <- check_weights(weights, NROW(y))$given
  if (is.null(weights)) weights <- rep(1, NROW(y))
  if (!is.matrix(y)) return(list(y = as.double(y), weights = weights))
  if (!all(is.finite(y)) || any(y < 0)) {
    hofm_abort("`y` of two columns must be counts of successes and failures: finite and not negative.", argument = "y")
  }
  total <- rowSums(y)
  list(y = ifelse(total > 0, y[, 1] / pmax(total, .Machine$double.xmin), 0), weights = weights * total)
}

#' Each row twice, as a success and as a failure, weighted by how often it was
#' @param parts,spec,init,control,call As for fit_checked().
#' @noRd
fit_proportions <- function(parts, spec, init, control, call) {
  counted <- proportions_of(parts$y, parts$weights)
  n <- length(counted$y)
  check_response_length(counted$y, nrow(parts$x))
  if (!any(counted$weights > 0)) hofm_abort("`y` must have at least one success or failure.", argument = "y")
  kept <- check_control(control, length(factor_names(spec)))$keep_fitted
  twice <- replace(parts, c("x", "y", "weights"), list(
    from_matrix(rbind(parts$x, parts$x)), rep(c(1, 0), each = n), counted$weights * c(counted$y, 1 - counted$y)))
  if (length(parts$offset)) twice$offset <- rep(parts$offset, 2)
  fit <- fit_checked(twice, replace(spec, "loss", "logistic"), init, replace(control, "keep_fitted", TRUE), call)
  link <- fit$linear.predictors[seq_len(n)]
  least <- 2 * sum(counted$weights * share_entropy(counted$y))
  fit[c("deviance", "null.deviance", "loglik", "n", "response", "weights_given")] <- list(
    max(0, fit$deviance - least), fit$null.deviance - least, share_loglik(counted, link), n,
    list(kind = "proportion", levels = c(0, 1)), !is.null(parts$weights))
  fit$na.action <- parts$na.action
  fit$control$keep_fitted <- kept
  fields <- c("linear.predictors", "residuals", "prior.weights")
  if (!kept) return(structure(fit[setdiff(names(fit), c(fields, "meeting"))], class = "hofm"))
  fit[fields] <- list(link, counted$y - stats::plogis(link), counted$weights)
  fit
}

# Half of the deviance that a share has at best, as outcomes one by one.
share_entropy <- function(y) -(ifelse(y > 0, y * log(y), 0) + ifelse(y < 1, (1 - y) * log(1 - y), 0))

# As that of glm(): counts are rounded to whole numbers.
share_loglik <- function(counted, link) {
  size <- round(counted$weights)
  sum(ifelse(size > 0, stats::dbinom(round(counted$weights * counted$y), size, stats::plogis(link), log = TRUE), 0))
}

draw_share <- function(fit, mean) {
  size <- round(prior_weights(fit))
  ifelse(size > 0, stats::rbinom(length(mean), size, mean) / pmax(size, 1), 0)
}
