#' Use the result of a cross-validation
#'
#' `predict()` and `coef()` are those of the chosen model, fitted to all data. `plot()` draws the measure of
#' the chosen order and rank against lambda with bars of one standard error, and dotted lines at
#' `lambda.min` and `lambda.1se`; other combinations are lines without bars.
#'
#' @param object,x A result of [cv_hofm()].
#' @param newdata What to predict for, as in [predict.hofm()].
#' @param s Which lambda: `"lambda.min"`, `"lambda.1se"`, or a number that is one of the two. For another
#'   lambda, fit with [hofm()].
#' @param digits Significant digits of the numbers shown.
#' @param ... For `predict()` and `coef()`: passed on to [predict.hofm()], [coef.hofm()]. For `plot()`:
#'   passed on to [plot()].
#' @return `predict()` and `coef()`: as for a fit. `print()`: `x`, invisibly. `plot()`: the table that is
#'   drawn, invisibly.
#' @seealso [cv_hofm()]
#' @examples
#' set.seed(1)
#' cars <- transform(mtcars, cyl = factor(cyl), hp = hp / 100)
#' cv <- cv_hofm(mpg ~ cyl + hp + wt, cars, order = 1:2, rank = 2, nfolds = 5, n_lambda = 10)
#' cv
#' plot(cv)
#' predict(cv, cars[1:3, ], s = "lambda.1se")
#' coef(cv, degree = 1)
#' @name cv_hofm_methods
NULL

#' @rdname cv_hofm_methods
#' @export
predict.cv_hofm <- function(object, newdata = NULL, s = c("lambda.min", "lambda.1se"), ...) {
  predict(chosen_fit(object, if (missing(s)) "lambda.min" else s), newdata, ...)
}

#' @rdname cv_hofm_methods
#' @export
coef.cv_hofm <- function(object, s = c("lambda.min", "lambda.1se"), ...) {
  coef(chosen_fit(object, if (missing(s)) "lambda.min" else s), ...)
}

chosen_fit <- function(cv, s) {
  if (is.numeric(s)) {
    s <- check_number(s, "s", above = 0)
    at <- which(abs(s / c(cv$lambda.min, cv$lambda.1se) - 1) < 1e-6)
    if (length(at)) return(if (at[1] == 1) cv$fit else cv$fit.1se)
    hofm_abort(sprintf("`s` must be `lambda.min` (%s) or `lambda.1se` (%s), not %s: for another lambda, fit with hofm().",
                       format(cv$lambda.min), format(cv$lambda.1se), format(s)), argument = "s")
  }
  if (check_choice(s, "s", c("lambda.min", "lambda.1se")) == "lambda.min") cv$fit else cv$fit.1se
}

#' @rdname cv_hofm_methods
#' @export
print.cv_hofm <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  cat(headline(x$fit), ", by cross-validation\n", sep = "")
  cat(sprintf("%-12s%s\n", "Call:", deparsed_call(x$call)))
  cat(sprintf("%-12s%s, %d folds\n\n", "Measure:", x$name, length(unique(x$foldid))))
  shown <- data.frame(Lambda = x$lambda[x$index], Index = x$index, Measure = x$cvm[x$index], SE = x$cvsd[x$index],
                      row.names = names(x$index))
  print(shown, digits = digits)
  best <- best_rows(x)
  if (nrow(best) > 1) {
    cat("\nBest of each order and rank:\n")
    print(stats::setNames(best, c("Order", "Rank", "Lambda", "Measure", "SE")), digits = digits, row.names = FALSE)
  }
  invisible(x)
}

# The best row of the table for each order and rank.
best_rows <- function(cv) {
  sign <- if (names(cv$name) == "auc") -1 else 1
  shown <- c("order", "rank", "lambda", "cvm", "cvsd")
  rows <- lapply(combinations(cv), function(part) part[which.min(sign * part$cvm), shown])
  do.call(rbind, unname(rows))
}

# The table, taken apart by order and rank.
combinations <- function(cv) {
  key <- paste(cv$table$order, cv$table$rank)
  split(cv$table, factor(key, unique(key)))
}

#' @rdname cv_hofm_methods
#' @export
plot.cv_hofm <- function(x, ...) {
  parts <- combinations(x)
  chosen <- names(parts) == paste(x$order, x$rank)
  looks <- curve_looks(chosen)
  draw_cv_frame(x, parts, ...)
  graphics::abline(v = c(x$lambda.min, x$lambda.1se), lty = 3, col = "grey40")
  for (k in which(!chosen)) {
    graphics::lines(parts[[k]]$lambda, parts[[k]]$cvm, type = "b", col = looks$col[k], lty = looks$lty[k],
                    pch = looks$pch[k], cex = 0.7)
  }
  draw_bars(parts[[which(chosen)]])
  if (length(parts) > 1) draw_cv_legend(parts, chosen, looks)
  invisible(x$table)
}

# Black dots for the chosen curve, the Okabe-Ito colours for the others, with line types and symbols that
# tell them apart in grey.
curve_looks <- function(chosen) {
  colours <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
  spread_out <- function(values, own) {
    out <- rep(own, length(chosen))
    out[!chosen] <- rep_len(values, sum(!chosen))
    out
  }
  list(col = spread_out(colours, "black"), lty = spread_out(1:6, NA), pch = spread_out(c(2, 0, 5, 1, 6, 4), 16))
}

draw_cv_frame <- function(cv, parts, ...) {
  y <- c(cv$cvup, cv$cvlo, unlist(lapply(parts, `[[`, "cvm")))
  settings <- list(x = range(cv$lambda), y = range(y[is.finite(y)]), type = "n", log = "x", xaxt = "n",
                   xlab = expression(lambda), ylab = unname(cv$name), las = 1)
  settings <- utils::modifyList(settings, list(...))
  do.call(graphics::plot, settings)
  if (is.null(list(...)$xaxt)) draw_powers(range(cv$lambda))
}

# Powers of ten below the axis, if two of them fit; else whatever R would write.
draw_powers <- function(range) {
  powers <- seq(ceiling(log10(range[1]) - 0.05), floor(log10(range[2]) + 0.05))
  if (diff(log10(range)) < 2) return(graphics::axis(1))
  graphics::axis(1, at = 10^powers, labels = parse(text = paste0("10^", powers)))
}

draw_bars <- function(part) {
  graphics::segments(part$lambda, part$cvlo, part$lambda, part$cvup, col = "grey60")
  graphics::points(part$lambda, part$cvm, pch = 16)
}

# On the left, above or below the curves.
draw_cv_legend <- function(parts, chosen, looks) {
  first <- do.call(rbind, lapply(parts, function(part) part[1, ]))
  label <- paste0(ifelse(is.na(first$order), "", paste("order", first$order)),
                  ifelse(first$rank > 0, paste0(ifelse(is.na(first$order), "", ", "), "rank ", first$rank), ""))
  left <- mean(vapply(parts, function(part) part$cvm[nrow(part)], 0))
  corner <- if (left > mean(graphics::par("usr")[3:4])) "bottomleft" else "topleft"
  graphics::legend(corner, paste0(label, ifelse(chosen, " (chosen)", "")), col = looks$col, pch = looks$pch,
                   lty = looks$lty, bty = "n", cex = 0.9, inset = 0.01)
}
