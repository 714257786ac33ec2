#' ANOVA kernel and its gradient
#'
#' The ANOVA kernel of degree m, eq. (5) of Blondel et al. (2016), sums products over all sets of m distinct features,
#' \deqn{A^m(p, x) = \sum_{j_1 < \dots < j_m} \prod_{t=1}^m p_{j_t} x_{j_t}.}{A^m(p, x) = sum_{j_1 < ... < j_m} prod_t p_{j_t} x_{j_t}.}
#' It is the building block of a factorization machine and is multi-linear: affine in each \eqn{p_j}.
#'
#' @param p numeric vector, one weight per feature.
#' @param x numeric vector of the same length, or a matrix with one sample per row and one column per feature.
#' @param degree the number m of features that are combined, at least 0. `A^0` is 1, and `A^m` is 0 where m is above the number of
#'   features.
#' @param method `"dp"`: the dynamic programme of Algorithm 1 and, for the gradient, reverse mode along it (Algorithm 2), in
#'   O(dm) and without a subtraction. `"power_sums"`: the recursion (11) over \eqn{D^t = \sum_j (p_j x_j)^t}{D^t = sum_j (p_j x_j)^t}
#'   and reverse mode on it (appendix C), in O(dm + m^2); it subtracts and loses digits for high degrees.
#' @return `anova_kernel()`: one number per row of `x`. `anova_gradient()`: the derivatives in `p`, a vector as long as `p` if
#'   `x` is a vector, else a matrix shaped like `x`.
#' @references Blondel, M., Fujino, A., Ueda, N. and Ishihata, M. (2016). Higher-Order Factorization Machines.
#'   *Advances in Neural Information Processing Systems* 29.
#' @examples
#' p <- c(0.5, -1, 2, 0.1)
#' x <- c(1, 2, 0, 3)
#' anova_kernel(p, x, 2)
#' sum(combn(p * x, 2, prod)) # the definition
#' anova_gradient(p, x, 2)
#' @export
anova_kernel <- function(p, x, degree, method = c("dp", "power_sums")) {
  check_given()
  power_sums <- check_power_sums(if (missing(method)) "dp" else method)
  arguments <- check_kernel(p, x, degree)
  if (arguments$degree > length(arguments$p)) return(numeric(nrow(arguments$x)))
  check_power_sums_result(within_memory(anova_value_cpp(arguments$p, arguments$x, arguments$degree, power_sums)))
}

#' @rdname anova_kernel
#' @export
anova_gradient <- function(p, x, degree, method = c("dp", "power_sums")) {
  check_given()
  power_sums <- check_power_sums(if (missing(method)) "dp" else method)
  arguments <- check_kernel(p, x, degree)
  if (arguments$degree %in% seq_along(arguments$p)) {
    gradient <- check_power_sums_result(within_memory(anova_gradient_cpp(arguments$p, arguments$x, arguments$degree, power_sums)))
  } else {
    gradient <- array(0, dim(arguments$x))
  }
  if (is.matrix(x)) gradient else gradient[1L, ]
}

# Powers of large numbers are infinite before the kernel is, and their differences no numbers.
check_power_sums_result <- function(value) {
  if (!anyNA(value)) return(value)
  hofm_abort("Products of `p` and `x` are too large for a number: divide them by a common scale, or use `method = \"dp\"`.",
             "hofm_error_overflow")
}

check_power_sums <- function(method) check_choice(method, "method", c("dp", "power_sums")) == "power_sums"

check_kernel <- function(p, x, degree) {
  if (!is.numeric(p) || !is.null(dim(p)) || anyNA(p)) must_be("p", "a numeric vector without missing values", p)
  if (!is.numeric(x) || anyNA(x)) must_be("x", "a numeric vector or matrix without missing values", x)
  degree <- check_count(degree, "degree", min = 0)
  x <- if (is.matrix(x)) x else matrix(x, nrow = 1L)
  if (ncol(x) != length(p)) {
    hofm_abort(sprintf("`x` must have one value per element of `p` (%d), not %d.", length(p), ncol(x)), argument = "x")
  }
  storage.mode(x) <- "double"
  list(p = as.double(p), x = unname(x), degree = degree)
}

#' All-subsets and polynomial kernels and their gradients
#'
#' The all-subsets kernel (section 5.2 of Blondel et al., 2016) sums products over *all* sets of distinct features, the empty one
#' included, and the polynomial kernel over all products of `degree` features and a constant, with repetition:
#' \deqn{S(p, x) = \prod_j (1 + p_j x_j), \qquad (\gamma + \langle p, x\rangle)^m.}{S(p, x) = prod_j (1 + p_j x_j),   (gamma + <p, x>)^m.}
#' They are the kernels of `model = "all_subsets"` and `model = "polynomial"` in [hofm()]. The gradient of the first is
#' computed from products before and behind each feature: nothing is divided by \eqn{1 + p_j x_j}{1 + p_j x_j}.
#'
#' @inheritParams anova_kernel
#' @param degree The exponent m, at least 0.
#' @param gamma The constant, one number.
#' @return The kernels: one number per row of `x`. The gradients in `p`: a vector as long as `p` if `x` is a vector, else a matrix
#'   shaped like `x`.
#' @seealso [anova_kernel()]
#' @examples
#' p <- c(0.5, -1, 2)
#' x <- c(1, 2, 3)
#' all_subsets_kernel(p, x)
#' 1 + sum(sapply(1:3, function(m) anova_kernel(p, x, m))) # the sum of all degrees
#' all_subsets_gradient(p, x)
#' polynomial_kernel(p, x, degree = 2, gamma = 1)
#' polynomial_gradient(p, x, degree = 2, gamma = 1)
#' @export
all_subsets_kernel <- function(p, x) {
  check_given()
  arguments <- check_kernel(p, x, 0)
  all_subsets_value_cpp(arguments$p, arguments$x)
}

#' @rdname all_subsets_kernel
#' @export
all_subsets_gradient <- function(p, x) {
  check_given()
  arguments <- check_kernel(p, x, 0)
  gradient <- all_subsets_gradient_cpp(arguments$p, arguments$x)
  if (is.matrix(x)) gradient else gradient[1L, ]
}

#' @rdname all_subsets_kernel
#' @export
polynomial_kernel <- function(p, x, degree, gamma = 0) {
  check_given()
  arguments <- check_kernel(p, x, degree)
  (check_number(gamma, "gamma") + drop(arguments$x %*% arguments$p))^arguments$degree
}

#' @rdname all_subsets_kernel
#' @export
polynomial_gradient <- function(p, x, degree, gamma = 0) {
  check_given()
  arguments <- check_kernel(p, x, degree)
  gamma <- check_number(gamma, "gamma")
  slope <- if (arguments$degree > 0L) arguments$degree * polynomial_kernel(p, x, arguments$degree - 1L, gamma) else 0
  gradient <- slope * arguments$x
  if (is.matrix(x)) gradient else gradient[1L, ]
}
