# Priors of bayes_hofm(), and the scale on which they are stated.

#' Priors of a Bayesian factorization machine
#'
#' All are stated on the standardised scale. Columns of zeros and ones stay as they are; other columns get mean 0 and standard deviation 1,
#' but where most of their values are zero these stay zero, and the others get mean square 1. A numeric response gets mean 0 and standard
#' deviation 1.
#'
#' Parameters of degree t and factor s that belong to group g are normal with mean mu and precision lambda; lambda has a gamma
#' law with this `shape` and with a rate such that, at lambda = `shape` / rate, every degree has the same spread `scale` of its part of f
#' over the training rows; mu given lambda is normal with mean 0 and precision `mean_strength` times lambda. The precision of the noise of
#' a numeric response has a gamma law. The intercept is normal around 0. Gaps between cut points of an ordered response are log-normal
#' (0, 1).
#'
#' @param shape Shape of the gamma law of each lambda: the smaller, the weaker.
#' @param scale Spread of each degree's part of f under the prior, in standard deviations of the response.
#' @param mean_strength How many features the prior knowledge that a group's mean is zero is worth.
#' @param noise Shape and rate of the gamma law of the noise's precision.
#' @param intercept_sd Standard deviation of the intercept.
#' @param lambda `NULL` to learn the precisions; or one number, or one for each term (degree 1, then the higher degrees), at which they
#'   are fixed, with means fixed at zero.
#' @param noise_sd `NULL` to learn the standard deviation of the noise; or a number at which it is fixed.
#' @return A list of class `hofm_prior` with one element for each argument.
#' @seealso [bayes_hofm()]
#' @examples
#' hofm_prior(scale = 0.5)
#' @export
hofm_prior <- function(shape = 1, scale = 1, mean_strength = 1, noise = c(0.5, 0.05), intercept_sd = 10, lambda = NULL,
                       noise_sd = NULL) {
  positive <- function(x) is_plain_number(x) && length(x) >= 1 && all(is.finite(x)) && all(x > 0)
  if (!(positive(noise) && length(noise) == 2)) must_be("noise", "two positive numbers, shape and rate", noise)
  if (!(is.null(lambda) || positive(lambda))) must_be("lambda", "NULL or positive numbers", lambda)
  structure(list(
    shape = check_number(shape, "shape", above = 0), scale = check_number(scale, "scale", above = 0),
    mean_strength = check_number(mean_strength, "mean_strength", above = 0), noise = as.double(noise),
    intercept_sd = check_number(intercept_sd, "intercept_sd", above = 0),
    lambda = if (!is.null(lambda)) as.double(lambda),
    noise_sd = if (!is.null(noise_sd)) check_number(noise_sd, "noise_sd", above = 0)), class = "hofm_prior")
}

# A prior may have been edited by hand: build it anew.
check_prior <- function(prior) {
  if (!inherits(prior, "hofm_prior") || !is.list(prior)) must_be("prior", "made by hofm_prior()", prior)
  known <- names(formals(hofm_prior))
  if (!all(names(prior) %in% known)) must_be("prior", "made by hofm_prior()", prior)
  do.call(hofm_prior, unclass(prior), quote = TRUE)
}

# As the core takes it. A term of degree t with parameters of variance v has a spread proportional to v^(t/2).
cpp_prior <- function(prior, blocks, model) {
  degree <- vapply(model$terms, `[[`, 0, "degree")
  fixed <- prior$lambda
  if (!is.null(fixed) && !length(fixed) %in% c(1L, length(degree))) {
    hofm_abort(sprintf("`lambda` of the prior must be one number or one for each of the %d terms, not %d numbers.",
                       length(degree), length(fixed)), argument = "prior")
  }
  rate <- prior$shape * unit_variance_cpp(blocks, model) * prior$scale^(2 / degree)
  list(shape = prior$shape, mean_strength = prior$mean_strength, rate = rate,
       fixed = if (is.null(fixed)) numeric() else rep_len(fixed, length(degree)),
       noise_shape = prior$noise[1], noise_rate = prior$noise[2],
       noise_fixed = if (is.null(prior$noise_sd)) 0 else prior$noise_sd^-2, intercept_sd = prior$intercept_sd)
}

#' @rdname hofm_prior
#' @param x A prior.
#' @param ... Not used.
#' @export
print.hofm_prior <- function(x, ...) {
  x <- check_prior(x)
  cat("Priors of a Bayesian factorization machine (hofm_prior):\n")
  show <- function(value) if (is.null(value)) "NULL (learned)" else paste(format(value), collapse = ", ")
  shown <- vapply(unclass(x), show, "")
  cat(sprintf("  %-15s%s\n", names(shown), shown), sep = "")
  invisible(x)
}
