#' Plot a fit
#'
#' Five pictures of a fit, in base graphics by `plot()` and for ggplot2, where it is installed, by `autoplot()`.
#'
#' * `"model"`, the default: the largest weights of each degree from 1 to 4, as for `"interactions"`, under the share of the variance of
#'   the link that the degree has, as for `"degrees"`. Of a fit whose weights are all zero, the picture of the degrees.
#' * `"convergence"`: the objective, on a log scale if it is positive, against the iterations or the time spent. The end point is
#'   filled if the solver converged. A fit with rows held out (`validation` in [hofm_control()]) has the mean loss on
#'   them as a second, dashed line, and a dotted line at the epoch that it was least at, whose parameters the fit has.
#' * `"interactions"`: the strongest [interactions()] of each degree as bars, positive weights to the right in blue, negative ones to
#'   the left in orange. Each degree has an axis of its own.
#' * `"degrees"`: for each degree, the variance of its part of the link divided by that of the link, over the training rows (ten
#'   thousand of them, if there are more) or those of `newdata`. The intercept has no part in it. Shares do not add up to one when
#'   the parts are correlated; a line above the picture then says so.
#' * `"embedding"`: a map of the features, the rows of P in the plane of their first two principal components. The components are
#'   taken about the origin, so that at degree 2 features in the same direction have a positive interaction, those in opposite
#'   directions a negative one. Titles of the axes say how much of the sum of squares of P is on each. The features with the longest
#'   rows have their names; a name for which there is no room is left out.
#'
#' Colours are those of Okabe and Ito, which colour-blind readers can tell apart, and nothing is told by colour alone.
#'
#' @param x,object A fit from [hofm()].
#' @param which What to draw.
#' @param against The horizontal axis of `"convergence"`.
#' @param degree Of `"interactions"`: how many features are combined; `NULL` for all degrees from 2 to 4 that the fit has, of `"model"`
#'   from 1 to 4. Of
#'   `"embedding"`: whose P; `NULL` for the lowest degree that has one. Models that share P between degrees have but one map.
#' @param n How many interactions of each degree are shown (fewer where the figure is too small for them), or how many features
#'   have their names on the map. `NULL` is 15, and 8 for `"model"`.
#' @param newdata For `"degrees"`: rows to take the variances over, as in [predict.hofm()]; `NULL` for the training rows.
#' @param ... For `plot()`: passed on to [graphics::plot.default()], such as `main` or `cex.lab`. For `autoplot()`: not used.
#' @return `plot()`: what is drawn, a data frame, invisibly. `autoplot()`: a ggplot.
#' @seealso [plot.roc_curve()] and [plot.cv_hofm()] for the other pictures.
#' @examples
#' cars <- scale(mtcars[c("wt", "qsec", "drat", "hp", "disp")])
#' fit <- hofm(cars, mtcars$mpg, order = 3, rank = 2, lambda = 0.1, control = hofm_control(seed = 1))
#' plot(fit)
#' plot(fit, "convergence", against = "seconds", main = "Fuel")
#' watched <- hofm_control(seed = 1, validation = 0.3)
#' plot(hofm(cars, mtcars$mpg, rank = 2, solver = "adagrad", control = watched), "convergence")
#' plot(fit, "interactions", n = 5)
#' plot(fit, "degrees")
#' plot(fit, "embedding")
#' if (requireNamespace("ggplot2", quietly = TRUE)) ggplot2::autoplot(fit, "interactions", n = 5)
#' @export
plot.hofm <- function(x, which = c("model", "convergence", "interactions", "degrees", "embedding"),
                      against = c("iteration", "seconds"), degree = NULL, n = NULL, newdata = NULL, ...) {
  which <- if (missing(which)) "model" else check_choice(which, "which", eval(formals()$which))
  against <- if (missing(against)) "iteration" else check_choice(against, "against", eval(formals()$against))
  data <- picture_data(x, which, degree, n, newdata, "x")
  switch(drawn_as(which, data),
    convergence = draw_convergence(data, against, ...), interactions = draw_interactions(data, ...),
    degrees = draw_degrees(data, ...), embedding = draw_embedding(data, ...))
  invisible(data)
}

#' @rdname plot.hofm
#' @exportS3Method ggplot2::autoplot
autoplot.hofm <- function(object, which = c("model", "convergence", "interactions", "degrees", "embedding"),
                          against = c("iteration", "seconds"), degree = NULL, n = NULL, newdata = NULL, ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  which <- if (missing(which)) "model" else check_choice(which, "which", eval(formals()$which))
  against <- if (missing(against)) "iteration" else check_choice(against, "against", eval(formals()$against))
  data <- picture_data(object, which, degree, n, newdata, "object")
  switch(drawn_as(which, data),
    convergence = gg_convergence(data, against), interactions = gg_interactions(data), degrees = gg_degrees(data),
    embedding = gg_embedding(data))
}

# What is drawn, whoever draws it. `arg`: what the fit is called there.
picture_data <- function(fit, which, degree, n, newdata, arg) {
  check_fit(fit, arg)
  if (is.null(n)) n <- if (which == "model") 8 else 15
  if (which == "model") {
    found <- model_data(fit, degree, n, arg)
    if (!is.null(found)) return(found)
    which <- "degrees"
  }
  switch(which,
    convergence = convergence_data(fit, arg), interactions = interactions_data(fit, degree, n),
    degrees = degrees_data(fit, newdata, arg), embedding = embedding_data(fit, degree, n))
}

# The model is drawn as its interactions, or without any as its degrees.
drawn_as <- function(which, data) if (which != "model") which else if (is.null(data$interaction)) "degrees" else "interactions"
