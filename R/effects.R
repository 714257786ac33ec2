#' How predictions depend on one or two variables
#'
#' `method = "pdp"`, partial dependence, is the mean prediction over the rows of `data` with the variables set to each value in turn. It
#' also asks for combinations that the data may not have. `method = "ale"`, accumulated local effects, adds up the mean differences of
#' predictions between the ends of intervals over the rows that lie in them, so that variables that go together with this one do not
#' count for it; its mean over the rows is zero. Levels of a factor are taken in their order, each step over the rows that have one
#' of the two levels. Of two variables they are the accumulated second differences without the effects of each variable: what
#' the two do together. Where no row lies in a rectangle of the grid, that of the nearest one with rows is taken.
#'
#' Partial dependence of two variables is the whole of what they do; take `"ale"` for what is left beyond the effects of each.
#'
#' @param fit A fit from [hofm()], or refits from [bootstrap_hofm()], which add percentile bands.
#' @param variables The names of one or two variables of the fit.
#' @param data The rows to average over, best the training rows: a data frame, or a matrix with column names. Of more than `rows` rows,
#'   that many are taken, evenly spaced.
#' @param method `"pdp"` or `"ale"`.
#' @param type `"response"` or `"link"`.
#' @param points How many values of a number: quantiles of it. The second of two numbers has five.
#' @param level Confidence level of the bands.
#' @param rows The most rows to average over.
#' @param x,object Effects.
#' @param ... For `plot()`: passed on to [graphics::plot.default()]. For `autoplot()`: not used.
#' @return A data frame of class `hofm_effects`: a column for each variable, `effect`, and with refits `lower` and `upper`. `plot()`: it,
#'   invisibly. `autoplot()`: a ggplot.
#' @references Apley, D. W. and Zhu, J. (2020). Visualizing the effects of predictor variables in black box supervised learning models.
#'   *Journal of the Royal Statistical Society B* 82, 1059-1086.
#' @seealso [interactions()], [variable_importance()]
#' @examples
#' cars <- transform(mtcars, cyl = factor(cyl), hp = hp / 100)
#' fit <- hofm(mpg ~ cyl + hp + wt, cars, rank = 2, lambda = 0.01)
#' effects_hofm(fit, "cyl", cars)
#' boot <- bootstrap_hofm(fit, cars, times = 10, seed = 1)
#' plot(effects_hofm(boot, "wt", cars, method = "ale", points = 8))
#' plot(effects_hofm(fit, c("hp", "cyl"), cars, points = 8))
#' @export
effects_hofm <- function(fit, variables, data, method = c("pdp", "ale"), type = c("response", "link"), points = 20, level = 0.9,
                         rows = 1000) {
  check_given()
  refits <- if (inherits(fit, "hofm_bootstrap")) check_bootstrap(fit, "fit")$fits
  if (!is.null(refits)) fit <- fit$fit
  fit <- one_fit(fit, "fit")
  check_one_fit(fit)
  method <- if (missing(method)) "pdp" else check_choice(method, "method", c("pdp", "ale"))
  type <- if (missing(type)) "response" else check_choice(type, "type", c("response", "link"))
  check_level(level)
  data <- effect_rows(data, check_count(rows, "rows"))
  variables <- check_effect_variables(variables, data, fit)
  grid <- effect_grid(data, variables, check_count(points, "points", min = 2))
  values <- function(fit) if (method == "pdp") partial_dependence(fit, data, grid, type) else local_effects(fit, data, grid, type)
  effects <- expand.grid(grid, stringsAsFactors = FALSE, KEEP.OUT.ATTRS = FALSE)
  effects$effect <- values(fit)
  if (!is.null(refits)) {
    effects[c("lower", "upper")] <- refit_bounds(matrix(vapply(refits, values, numeric(nrow(effects))), nrow(effects)), level)[-1]
  }
  structure(effects, variables = variables, method = method, type = type, class = c("hofm_effects", "data.frame"))
}

# A data frame of at most `most` rows.
effect_rows <- function(data, most) {
  if (is.matrix(data) && !is.null(colnames(data))) data <- as.data.frame(data, optional = TRUE)
  if (!is.data.frame(data) || !nrow(data)) must_be("data", "a data frame, or a matrix with column names, with at least one row", data)
  as.data.frame(data)[unique(round(seq(1, nrow(data), length.out = min(most, nrow(data))))), , drop = FALSE]
}

check_effect_variables <- function(variables, data, fit) {
  named <- is.character(variables) && !anyNA(variables) && length(variables) %in% 1:2 && !anyDuplicated(variables)
  if (!named) must_be("variables", "the names of one or two variables of the fit", variables)
  known <- model_variables(fit)
  unknown <- setdiff(variables, known)
  if (length(unknown)) {
    hofm_abort(sprintf("`variables` must be variables of the fit, and %s is none.%s", quoted(unknown[1]),
                       did_you_mean(unknown[1], known)), argument = "variables")
  }
  missing <- setdiff(variables, names(data))
  if (length(missing)) hofm_abort(sprintf("`data` must have the variable %s.", quoted(missing[1])), argument = "data")
  variables
}

# The columns that newdata must have.
model_variables <- function(fit) {
  if (fit$blueprint$kind == "matrix") fit$features else if (length(fit$blueprint$needed)) fit$blueprint$needed else fit$blueprint$variables
}

# The values of each variable: quantiles of a number, all levels of a factor, both values of a flag.
effect_grid <- function(data, variables, points) {
  counts <- c(points, 5L)[seq_along(variables)]
  stats::setNames(Map(function(name, count) {
    value <- data[[name]]
    if (is.numeric(value)) return(unique(stats::quantile(value, seq(0, 1, length.out = count), names = FALSE, na.rm = TRUE)))
    if (is.factor(value)) factor(levels(droplevels(value)), levels(value)) else sort(unique(value))
  }, variables, counts), variables)
}

partial_dependence <- function(fit, data, grid, type) {
  cells <- expand.grid(lapply(grid, seq_along))
  vapply(seq_len(nrow(cells)), function(r) {
    for (name in names(grid)) data[[name]] <- rep(grid[[name]][cells[[name]][r]], nrow(data))
    mean(predict(fit, data, type = type), na.rm = TRUE)
  }, 0)
}

#' Accumulated local effects of one or two variables at the values of their grid
#'
#' For each variable, `step[i, k]` says whether row i counts for the step from value k to the next: of a number, whether it lies between
#' them; of a factor, whether it has one of the two levels. `place[i, ]` is where the row is on the grid: half at each end of its interval,
#' or at its level.
#' @noRd
local_effects <- function(fit, data, grid, type) {
  whole <- Reduce(`&`, lapply(data[names(grid)], function(v) !is.na(v)))
  data <- data[whole, , drop = FALSE]
  at <- function(rows, values) {
    data <- data[rows, , drop = FALSE]
    for (name in names(values)) data[[name]] <- rep(values[[name]], nrow(data))
    predict(fit, data, type = type)
  }
  parts <- Map(local_parts, data[names(grid)], grid)
  if (length(grid) == 1) local_effects_one(parts[[1]], grid, at) else as.vector(local_effects_two(parts, grid, at))
}

local_parts <- function(column, values) {
  ordered <- is.numeric(values)
  cell <- if (ordered) pmax(1L, findInterval(column, values, rightmost.closed = TRUE, left.open = TRUE)) else match(column, values)
  count <- length(values)
  steps <- seq_len(max(0L, count - 1L))
  step <- outer(cell, steps, if (ordered) `==` else function(c, k) c == k | c == k + 1L)
  place <- outer(cell, seq_len(count), `==`) + 0
  if (ordered && count > 1) place <- (place + cbind(0, place[, -count, drop = FALSE])) / 2
  list(step = step, place = place)
}

local_effects_one <- function(part, grid, at) {
  value <- function(k) stats::setNames(list(grid[[1]][k]), names(grid))
  steps <- vapply(seq_len(ncol(part$step)), function(k) {
    rows <- which(part$step[, k])
    if (length(rows)) mean(at(rows, value(k + 1L)) - at(rows, value(k)), na.rm = TRUE) else 0
  }, 0)
  total <- cumsum(c(0, steps))
  total - mean(part$place %*% total)
}

local_effects_two <- function(parts, grid, at) {
  size <- lengths(grid)
  differences <- matrix(NA_real_, size[1] - 1L, size[2] - 1L)
  for (k in seq_len(size[1] - 1L)) for (m in seq_len(size[2] - 1L)) {
    rows <- which(parts[[1]]$step[, k] & parts[[2]]$step[, m])
    if (!length(rows)) next
    corner <- function(a, b) at(rows, stats::setNames(list(grid[[1]][a], grid[[2]][b]), names(grid)))
    differences[k, m] <- mean(corner(k + 1L, m + 1L) - corner(k, m + 1L) - corner(k + 1L, m) + corner(k, m), na.rm = TRUE)
  }
  total <- matrix(0, size[1], size[2])
  if (all(size > 1)) total[-1, -1] <- lower_ones(size[1] - 1L) %*% from_nearest(differences) %*% t(lower_ones(size[2] - 1L))
  total <- total - own_effect(total, parts[[1]]$step, parts[[2]]$place) -
    rep(own_effect(t(total), parts[[2]]$step, parts[[1]]$place), each = size[1])
  total - mean(rowSums((parts[[1]]$place %*% total) * parts[[2]]$place))
}

# Its product with a vector is the vector's cumulative sums.
lower_ones <- function(n) outer(seq_len(n), seq_len(n), `>=`) + 0

# The accumulated effect of the first variable that is in a table of two.
own_effect <- function(total, step, place) {
  steps <- vapply(seq_len(ncol(step)), function(k) {
    rows <- which(step[, k])
    if (length(rows)) mean(place[rows, , drop = FALSE] %*% (total[k + 1L, ] - total[k, ])) else 0
  }, 0)
  cumsum(c(0, steps))
}

# Gaps take the value of the cell that is fewest steps away.
from_nearest <- function(cells) {
  known <- which(!is.na(cells), arr.ind = TRUE)
  for (gap in which(is.na(cells))) {
    place <- arrayInd(gap, dim(cells))
    cells[gap] <- cells[known[which.min((known[, 1] - place[1])^2 + (known[, 2] - place[2])^2), , drop = FALSE]]
  }
  cells
}

#' @rdname effects_hofm
#' @export
plot.hofm_effects <- function(x, ...) {
  facts <- effect_facts(x, "x")
  curves <- split(as.data.frame(x), facts$curve)
  at <- if (facts$number) x[[facts$first]] else as.integer(factor(x[[facts$first]], unique(x[[facts$first]])))
  settings <- list(x = range(at) + if (facts$number) 0 else c(-0.3, 0.3), y = range(x$effect, x$lower, x$upper), type = "n", log = "",
                   xlab = facts$first, ylab = facts$label, las = 1, xaxt = if (facts$number) "s" else "n")
  old <- open_axes(settings, ...)
  on.exit(graphics::par(old))
  if (!facts$number) graphics::axis(1, unique(at), as.character(unique(x[[facts$first]])))
  places <- split(at, facts$curve)
  aside <- if (facts$number) 0 * seq_along(curves) else 0.06 * (seq_along(curves) - mean(seq_along(curves)))
  for (k in seq_along(curves)) draw_effect(places[[k]] + aside[k], curves[[k]], k, facts$number, length(curves))
  if (length(curves) > 1) {
    draw <- function(corner, plot = TRUE) {
      graphics::legend(corner, names(curves), title = facts$second, col = rep_len(curve_colours, length(curves)),
                       pch = (1:25)[seq_along(curves)], lty = rep_len(curve_types, length(curves)), bty = "n", cex = 0.9, plot = plot)
    }
    draw(free_corner(draw, at, x$effect))
  }
  invisible(x)
}

draw_effect <- function(at, curve, k, number, curves) {
  colour <- rep_len(curve_colours, k)[k]
  if (!is.null(curve$lower) && number) {
    graphics::polygon(c(at, rev(at)), c(curve$lower, rev(curve$upper)), border = NA, col = grDevices::adjustcolor(colour, 0.15))
  } else if (!is.null(curve$lower)) {
    graphics::segments(at, curve$lower, at, curve$upper, col = colour)
  }
  many <- curves > 1 || !number
  graphics::lines(at, curve$effect, type = if (number) (if (many) "b" else "l") else if (curves > 1) "b" else "p", col = colour, lwd = 2,
                  lty = rep_len(curve_types, k)[k], pch = if (curves > 1) k else 16, cex = 0.8)
}

#' @rdname effects_hofm
#' @exportS3Method ggplot2::autoplot
autoplot.hofm_effects <- function(object, ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  facts <- effect_facts(object, "object")
  data <- data.frame(at = object[[facts$first]], effect = object$effect, curve = facts$curve)
  if (!facts$number) data$at <- factor(data$at, unique(data$at))
  data[c("lower", "upper")] <- if (is.null(object$lower)) NULL else as.data.frame(object)[c("lower", "upper")]
  count <- nlevels(facts$curve)
  several <- count > 1
  aside <- ggplot2::position_dodge(if (facts$number) 0 else 0.06 * count)
  band <- if (facts$number) ggplot2::geom_ribbon(mapping(ymin = "lower", ymax = "upper", fill = "curve"), alpha = 0.15, colour = NA)
  else ggplot2::geom_linerange(mapping(ymin = "lower", ymax = "upper"), linetype = "solid", position = aside)
  bare_ggplot(data, x = "at", y = "effect", colour = "curve", linetype = "curve", shape = "curve", group = "curve") +
    (if (!is.null(data$lower)) band) +
    (if (facts$number || several) ggplot2::geom_line(position = aside)) +
    (if (!facts$number || several) ggplot2::geom_point(position = aside)) +
    ggplot2::scale_colour_manual(facts$second, values = rep_len(curve_colours, count)) +
    ggplot2::scale_fill_manual(facts$second, values = rep_len(curve_colours, count)) +
    ggplot2::scale_linetype_manual(facts$second, values = rep_len(curve_types, count)) +
    ggplot2::scale_shape_manual(facts$second, values = if (several) seq_len(count) else 16) +
    ggplot2::labs(x = facts$first, y = facts$label) + ggplot2::theme(legend.position = if (several) "bottom" else "none")
}

# What both pictures need: names, the curve of each row, whether the axis is of numbers.
effect_facts <- function(x, arg) {
  variables <- attr(x, "variables")
  check_sound(x, list(
    variables = function(v) is.character(variables) && length(variables) %in% 1:2 && all(variables %in% names(v)),
    effect = function(v) is_plain_number(v$effect) && length(v$effect) > 0 && all(is.finite(v$effect)),
    lower = function(v) absent_or(v$lower, is_plain_number),
    upper = function(v) absent_or(v$upper, is_plain_number) && is.null(v$upper) == is.null(v$lower)), arg, "table of effects")
  second <- if (length(variables) == 2) x[[variables[2]]]
  label <- function(v) if (is.numeric(v)) format(v, digits = 3, trim = TRUE) else as.character(v)
  list(first = variables[1], second = if (length(variables) == 2) variables[2],
       curve = if (is.null(second)) factor(rep("", nrow(x))) else factor(label(second), unique(label(second))),
       number = is.numeric(x[[variables[1]]]),
       label = if (!identical(attr(x, "method"), "ale")) "Mean prediction"
       else if (is.null(second)) "Accumulated local effect" else "Joint local effect")
}

#' How much a fit relies on each variable
#'
#' By permutation: how much the mean deviance of the rows rises when the values of one variable are shuffled among the rows, which breaks
#' every tie between it and the response, through products too. By variance: the share of the variance of the link that is the
#' variable's own (see [interactions()] with `by = "variable"` and `degree = 1`), without what it does together with others.
#'
#' @param fit A fit from [hofm()].
#' @param data Rows, best new ones: a data frame, or for a fit to a matrix one with column names.
#' @param y Their response, unless the fit has a formula and it is in `data`.
#' @param method `"permutation"` or `"variance"`.
#' @param times How often each variable is shuffled.
#' @param seed Of the shuffling; `NULL` draws one.
#' @return A data frame, the most important variable first: `variable`, `importance`, and for permutation `se`, the standard error of its
#'   mean over the times (`NA` for one).
#' @seealso [interactions()], [effects_hofm()]
#' @examples
#' cars <- transform(mtcars, cyl = factor(cyl), hp = hp / 100)
#' fit <- hofm(mpg ~ cyl + hp + wt, cars, rank = 2, lambda = 0.01)
#' variable_importance(fit, cars, seed = 1)
#' variable_importance(fit, cars, method = "variance")
#' @export
variable_importance <- function(fit, data, y = NULL, method = c("permutation", "variance"), times = 10, seed = NULL) {
  check_given()
  fit <- one_fit(fit, "fit")
  check_one_fit(fit)
  method <- if (missing(method)) "permutation" else check_choice(method, "method", c("permutation", "variance"))
  times <- check_count(times, "times")
  if (method == "variance") {
    shares <- variable_shares(fit, interaction_rows(fit, data), 1L, length(fit$features))
    return(data.frame(variable = shares$variable_1, importance = shares$share))
  }
  data <- effect_rows(data, .Machine$integer.max)
  seed <- if (is.null(seed)) sample.int(.Machine$integer.max, 1L) else check_count(seed, "seed", min = 0)
  if (is.null(loss_facts(fit$loss)$deviance)) unsupported("Scores of `loss = \"auc\"` have no deviance: use `method = \"variance\"`.")
  deviance <- row_deviances(fit, response_of(fit, data, y))
  variables <- model_variables(fit)
  base <- deviance(data)
  rises <- with_seed(seed, vapply(variables, function(name) {
    vapply(seq_len(times), function(q) deviance(replace(data, name, list(data[[name]][sample.int(nrow(data))]))), 0) - base
  }, numeric(times)))
  rises <- matrix(rises, times)
  table <- data.frame(variable = variables, importance = colMeans(rises), se = apply(rises, 2L, stats::sd) / sqrt(times))
  table <- table[order(-table$importance), ]
  rownames(table) <- NULL
  table
}

# The mean deviance of rows as a function of them; of proportions, of all outcomes.
row_deviances <- function(fit, y) {
  facts <- loss_facts(fit$loss)
  if (fit$response$kind != "proportion") return(function(rows) mean(facts$deviance(y, predict(fit, rows, type = "link")), na.rm = TRUE))
  counted <- proportions_of(y, NULL)
  function(rows) {
    link <- predict(fit, rows, type = "link")
    stats::weighted.mean(counted$y * facts$deviance(1, link) + (1 - counted$y) * facts$deviance(-1, link), counted$weights, na.rm = TRUE)
  }
}

# The response of new rows, coded as that of the fit.
response_of <- function(fit, data, y) {
  if (is.null(y) && is.null(fit$blueprint$formula)) hofm_abort("`y`, the response, must be given: the fit has no formula.", argument = "y")
  if (is.null(y)) y <- evaluate_call(fit$blueprint$formula[[2]], data, fit$blueprint$env, "data")
  check_response_length(y, nrow(data))
  if (fit$response$kind == "proportion") return(y)
  if (is.null(fit$response$levels) || (is.numeric(y) && !loss_facts(fit$loss)$classes)) return(as.double(y))
  second <- as.character(y) == as.character(fit$response$levels[2])
  if (loss_facts(fit$loss)$classes) ifelse(second, 1, -1) else as.double(second)
}
