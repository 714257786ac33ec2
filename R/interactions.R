#' The strongest interactions of a fit
#'
#' A factorization machine gives every combination of t distinct features a weight: for `model = "hofm"`
#' \deqn{W^{(t)}_{j_1 \dots j_t} = \sum_s p^{(t)}_{j_1 s} \cdots p^{(t)}_{j_t s},}{W^(t)_{j1...jt} = sum_s p^(t)_{j1 s} ... p^(t)_{jt s},}
#' so that f(x) is the sum over all combinations of weight times product of features (section 2 of the paper, "Interpretability").
#' `interactions()` finds the combinations with the largest weights in absolute value without forming the tensor W.
#'
#' In the models that share their factors between degrees the sum over s is weighted: by `theta` for `"shared"` and `"simplex"`, by 1
#' for `"all_subsets"`, and by \eqn{m!/(m-t)!\, \gamma_s^{m-t}}{m!/(m-t)! gamma_s^(m-t)} for `"polynomial"`, whose products with
#' repetition are left out. `"bilinear"` has products of a feature of A and a feature of B.
#'
#' Every combination has a weight, also one that cannot occur, such as two levels of one factor: no row has both, so that nothing in
#' the data speaks for or against it. Its weight follows from those of other products, and no prediction uses it.
#'
#' @section Exactness and cost:
#' The result is exact, for any number of features: combinations are skipped only when Hoelder's inequality,
#' \eqn{|W_J| \le \prod_{j \in J} \|p_j\|_t}{|W_J| <= prod_{j in J} ||p_j||_t}, shows that they cannot be among the `n` largest.
#' Memory is O(dk + n). The time depends on how unequal the features are: fractions of a second where some stand out, seconds where none
#' does. Ties are broken by the order of the features.
#'
#' @param fit A fit from [hofm()].
#' @param degree The number t of features combined: 1 for the weights of single features, up to the order of the fit.
#' @param n How many combinations; all of them if there are fewer.
#' @return A data frame with a row per combination, strongest first: `feature_1`, ..., `feature_t` (names, in the order of the
#'   columns) and `weight`. No rows if the degree is not in the model.
#' @seealso [plot.hofm()] with `which = "interactions"`, [predict.hofm()] with `type = "terms"`.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(1000), 200, 5, dimnames = list(NULL, letters[1:5]))
#' y <- 2 * x[, "a"] * x[, "b"] * x[, "e"] + rnorm(200, sd = 0.1)
#' fit <- hofm(x, y, order = 3, rank = 2)
#' interactions(fit, degree = 3, n = 3)
#' plot(fit, "interactions", n = 5)
#' @export
interactions <- function(fit, degree = 2, n = 20) {
  check_given()
  if (!inherits(fit, "hofm")) must_be("fit", "a fit from hofm()", fit)
  check_fit(fit, "fit")
  degree <- check_degree(degree, fit)
  n <- check_count(n, "n")
  factors <- degree_factors(fit, degree)
  if (is.null(factors)) return(interaction_frame(matrix(0L, 0L, degree), numeric(), fit$features))
  found <- within_memory(interactions_cpp(factors$P, factors$c, degree, n))
  if (!all(is.finite(found$weight))) abort_overflow()
  interaction_frame(found$features, found$weight, fit$features)
}

check_degree <- function(degree, fit) {
  degree <- check_count(degree, "degree")
  most <- max_degree(fit)
  if (degree <= most) return(degree)
  need <- if (most == 1) "1" else sprintf("a whole number from 1 to %d", most)
  why <- switch(fit$model, all_subsets = "the fit combines up to %d features", bilinear = "a bilinear fit has degree %d",
                "the fit has order %d")
  hofm_abort(sprintf("`degree` must be %s, not %d: %s.", need, degree, sprintf(why, most)), argument = "degree")
}

max_degree <- function(fit) {
  switch(fit$model, all_subsets = min(max_order, length(fit$features)), bilinear = 2L, fit$order)
}

interaction_frame <- function(index, weight, features) {
  columns <- named_columns_cpp(index, features)
  names(columns) <- sprintf("feature_%d", seq_along(columns))
  list2DF(c(columns, list(weight = weight)))
}

times_sign <- " \u00d7 "

# "a x b x c", one per row.
interaction_labels <- function(found) {
  do.call(paste, c(unname(found[startsWith(names(found), "feature_")]), sep = times_sign))
}
