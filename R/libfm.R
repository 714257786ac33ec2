#' Export a fit to libFM
#'
#' Writes the parameters of a fit of order 1 or 2 as the text file that libFM (version 1.4.4) saves and loads:
#' the bias, the weights of single features and the factors, under their headings.
#'
#' libFM predicts \eqn{w_0 + \sum_j w_j x_j + \sum_{i<j} \langle v_i, v_j\rangle x_i x_j}{w0 + sum_j w_j x_j +
#' sum_{i<j} <v_i, v_j> x_i x_j}, which is the model of [hofm()] at order 2: the numbers go into the file as
#' they are, in the fewest digits that identify them. Its value is the link, `predict(fit, type = "link")`.
#' All three parts are always there, as zeros if the fit has no intercept or no linear term, so that the file
#' is loaded with `-dim 1,1,k`, where k is the rank. A fit of rank 1 gets a second column of zeros (k is then
#' 2), because libFM cannot load a file with a single one.
#'
#' Names of features are not part of the format: feature j of the fit, in the order of `variable.names(fit)`,
#' is index j - 1 of libFM. Nor are offsets, the loss, or how a formula makes columns of variables:
#' `model.matrix(fit, data)` does that, and [write_libsvm()] with `base = 0` writes the columns as libFM reads
#' them.
#'
#' @param fit A fit from [hofm()] with `model = "hofm"` and order 1 or 2.
#' @param file The name of the file, which is written under a temporary name and renamed when it is whole, or
#'   a connection, as in [write_libsvm()].
#' @param ... Nothing: an unknown argument is an error.
#' @return `file`, invisibly.
#' @seealso [write_libsvm()] for the data, [write_hofm_json()] for fits of every kind.
#' @examples
#' cars <- transform(mtcars, cyl = factor(cyl), hp = hp / 100)
#' fit <- hofm(mpg ~ cyl + hp, cars, rank = 2, lambda = 0.1, control = hofm_control(seed = 1))
#' model <- tempfile()
#' data <- tempfile()
#' export_libfm(fit, model)
#' write_libsvm(model.matrix(fit, cars), cars$mpg, data, base = 0)
#' readLines(model)
#' readLines(data, n = 3)
#' unlink(c(model, data))
#' @concept files
#' @export
export_libfm <- function(fit, file, ...) {
  check_given()
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  if (!inherits(fit, "hofm")) must_be("fit", "a fit from hofm()", fit)
  check_fit(fit, "fit")
  if (fit$model != "hofm" || fit$order > 2) {
    unsupported(sprintf("libFM has models of order 2 only: `fit` must have `model = \"hofm\"` and order 1 or 2, but is a %s.",
                        tolower(headline(fit))))
  }
  lines <- libfm_lines(fit)
  with_target(file, function(put) put(line_bytes(lines)))
  invisible(file)
}

libfm_lines <- function(fit) {
  d <- length(fit$features)
  raw <- original_parameters(fit)                         # libFM knows of no standardised columns
  w <- if (is.null(raw$w)) numeric(d) else raw$w
  V <- if (length(raw$P)) raw$P[["2"]] else matrix(0, d, 0)
  if (ncol(V) == 1) V <- cbind(V, 0)
  c("#global bias W0", number_text_cpp(raw$intercept), "#unary interactions Wj", number_text_cpp(w),
    "#pairwise interactions Vj,f", joined_rows(V, " "))
}

# The numbers of each row of a matrix as one string.
joined_rows <- function(x, between) {
  text <- matrix(number_text_cpp(x), nrow(x))
  do.call(paste, c(list(rep("", nrow(x)))[ncol(x) == 0], lapply(seq_len(ncol(x)), function(s) text[, s]), list(sep = between)))
}
