#' hofm: higher-order factorization machines
#'
#' A factorization machine of order m predicts
#' \deqn{f(x) = b + \langle w, x\rangle + \sum_{t=2}^m \sum_{s=1}^{k_t} A^t(p^{(t)}_s, x),}{%
#'       f(x) = b + <w, x> + sum_{t=2..m} sum_{s=1..k_t} A^t(p_s^(t), x),}
#' where the ANOVA kernel \eqn{A^t(p, x)} sums \eqn{\prod_{j \in J} p_j x_j}{prod_{j in J} p_j x_j} over all sets
#' \eqn{J} of t distinct features. Start with [hofm()] and [predict.hofm()].
#'
#' @references Blondel, M., Fujino, A., Ueda, N. and Ishihata, M. (2016). Higher-Order Factorization Machines.
#'   *Advances in Neural Information Processing Systems* 29.
#' @useDynLib hofm, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @importFrom stats coef confint deviance family fitted formula logLik model.frame model.matrix nobs predict residuals simulate
#'   terms update variable.names vcov weights
#' @importFrom graphics lines plot
#' @importFrom methods as is slot validObject
#' @importClassesFrom Matrix dgCMatrix
#' @keywords internal
#' @docType package
#' @name hofm-package
NULL
