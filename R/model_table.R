# The models: what each is made of, in one place. A model is an intercept and a list of terms (see src/hofm/model/model.h); everything that
# depends on `model =` asks here.

# orders: the orders it takes, or NULL if it has none. per_degree: separate P, rank and lambda for each degree.
# linear: whether it has a degree-1 term of its own. solvers: all, or those that can fit it, and why not the others.
model_table <- function() {
  all <- c("cd", "lbfgs", "adagrad", "sgd")
  list(
    hofm = list(orders = c(1L, max_order), per_degree = TRUE, linear = TRUE, solvers = all),
    shared = list(orders = c(2L, max_order), per_degree = FALSE, linear = FALSE, solvers = all),
    simplex = list(
      orders = c(2L, max_order), per_degree = FALSE, linear = FALSE, solvers = "cd",
      why = "its `theta` is kept on the simplex by alternating with the factors, which only coordinate descent does"
    ),
    all_subsets = list(orders = NULL, per_degree = FALSE, linear = FALSE, solvers = all),
    polynomial = list(orders = c(1L, max_order), per_degree = FALSE, linear = FALSE, solvers = all),
    bilinear = list(orders = NULL, per_degree = FALSE, linear = FALSE, solvers = all)
  )
}

model_names <- function() names(model_table())

# The core keeps its sums of up to this degree on the stack (kMaxOrder in src/hofm/model/model.h).
max_order <- 20L

# Dummy ones in front of the features: their weights are gamma.
dummies <- function(spec) switch(spec$model, shared = spec$order - 1L, polynomial = 1L, 0L)

# The degrees >= 2 of a "hofm" that are in the model: rank 0 leaves a degree out.
fitted_degrees <- function(spec) which(c(0L, spec$rank) > 0L)

# Names of the elements of P.
factor_names <- function(spec) {
  switch(spec$model,
    hofm = as.character(fitted_degrees(spec)), all_subsets = "all", bilinear = c("U", "V"), as.character(spec$order)
  )
}

# One term as the core takes it.
new_term <- function(kernel, degree, lambda, P, augment = 0L, split = 0L, theta = numeric()) {
  list(kernel = kernel, degree = degree, lambda = lambda, P = P, augment = augment, split = split, theta = theta)
}

#' Parameters as the core takes them.
#'
#' @param parameters A list with `intercept`, `w`, `P`, `theta` and `gamma`, as far as the model has them.
#' @param spec What is fitted; of a fit, the fit itself.
#' @noRd
cpp_model <- function(parameters, spec) {
  P <- parameters$P
  one <- if (length(P)) P[[1L]]
  terms <- switch(spec$model,
    hofm = separate_terms(parameters, spec),
    shared = list(new_term("anova", spec$order, spec$lambda, rbind(parameters$gamma, one), augment = spec$order - 1L)),
    simplex = list(new_term("mix", spec$order, spec$lambda, one, theta = parameters$theta)),
    all_subsets = list(new_term("all_subsets", 1L, spec$lambda, one)),
    polynomial = list(new_term("polynomial", spec$order, spec$lambda, rbind(parameters$gamma, one), augment = 1L)),
    bilinear = list(new_term("bilinear", 2L, spec$lambda, rbind(P$U, P$V), split = nrow(P$U)))
  )
  list(intercept = parameters$intercept, fit_intercept = isTRUE(spec$intercept), common = parameters$common$weight, terms = terms)
}

separate_terms <- function(parameters, spec) {
  linear <- if (spec$linear) list(new_term("anova", 1L, spec$lambda[1L], matrix(parameters$w, ncol = 1L)))
  c(linear, lapply(fitted_degrees(spec), function(t) {
    new_term("anova", t, spec$lambda[t], parameters$P[[as.character(t)]])
  }))
}

# ... and back, with names.
model_parameters <- function(fitted, spec, features) {
  P <- fitted$P
  out <- list(intercept = fitted$intercept, w = NULL, P = NULL, theta = NULL, gamma = NULL)
  if (!is.null(spec$common)) out$common <- replace(spec$common, "weight", fitted$common)
  if (spec$model == "hofm" && spec$linear) {
    out$w <- stats::setNames(P[[1L]][, 1L], features)
    P <- P[-1L]
  }
  if (dummies(spec) > 0L) {
    out$gamma <- P[[1L]][seq_len(dummies(spec)), , drop = FALSE]
    P[[1L]] <- P[[1L]][-seq_len(dummies(spec)), , drop = FALSE]
  }
  if (spec$model == "polynomial") out$gamma <- drop(out$gamma)
  if (spec$model == "shared") out$theta <- theta_from_gamma(out$gamma)
  if (spec$model == "simplex") out$theta <- fitted$theta[[1L]]
  P <- lapply(P, function(p) {
    rownames(p) <- features
    p
  })
  if (spec$model == "bilinear") P <- list(P[[1L]][seq_len(spec$split), , drop = FALSE], P[[1L]][-seq_len(spec$split), , drop = FALSE])
  out$P <- stats::setNames(P, factor_names(spec))
  out
}

#' Weights of the degrees from the weights of the dummies, factor by factor.
#'
#' Unrolling multi-linearity (7) over the dummies: A^m of [gamma, p] and [1, x] is the sum over t of e_(m-t)(gamma) A^t(p, x), where
#' e_u is the u-th elementary symmetric polynomial. So theta_t = e_(m-t)(gamma), and theta_m = 1.
#' @param gamma (m - 1) x k.
#' @return m x k.
#' @noRd
theta_from_gamma <- function(gamma) {
  m <- nrow(gamma) + 1L
  apply(gamma, 2L, function(g) vapply(seq_len(m), function(t) anova_kernel(g, rep(1, m - 1L), m - t), 0))
}

#' The weights of single features and of their products, degree by degree
#'
#' The weight of a set J of t distinct features is W^(t)_J = sum_s c_s prod_(j in J) p_js.
#' @return list(P = d x k, c = k weights), or NULL if degree t is not in the model.
#' @noRd
degree_factors <- function(fit, t) {
  P <- fit$P[[if (fit$model == "hofm") as.character(t) else 1L]]
  weights <- switch(fit$model,
    hofm = if (!is.null(P)) rep(1, ncol(P)),
    shared = if (t <= fit$order) fit$theta[t, ],
    simplex = if (t <= fit$order) rep(fit$theta[t], ncol(P)),
    all_subsets = rep(1, ncol(P)),
    polynomial = if (t <= fit$order) factorial(fit$order) / factorial(fit$order - t) * fit$gamma^(fit$order - t)
  )
  if (fit$model == "bilinear") return(if (t == 2L) bilinear_factors(fit$P$U, fit$P$V))
  if (fit$model == "hofm" && t == 1L) return(if (!is.null(fit$w)) list(P = as.matrix(fit$w), c = 1))
  if (is.null(weights)) NULL else list(P = P, c = weights)
}

# <u, v> for a feature of each side and 0 for two of the same: (u, u) and (v, -v) with weights 1/2 and -1/2.
bilinear_factors <- function(U, V) {
  list(P = rbind(cbind(U, U), cbind(V, -V)), c = rep(c(0.5, -0.5), each = ncol(U)))
}
