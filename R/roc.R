#' ROC curve
#'
#' The receiver operating characteristic of a score: for every threshold, the share of negatives (`fpr`) and
#' of positives (`tpr`) whose score reaches it. A higher score speaks for the positive class, always; the
#' direction is never guessed, so a score that ranks the wrong way round has an area below one half.
#'
#' @param x The true classes; may also be given as `truth = `. Or a fit of [hofm()] on pairs of nodes: see [roc_curve.hofm()].
#' @param truth The true classes: a logical vector, a factor (its second level is the positive class, as in
#'   [glm()]), numbers 0/1 or -1/1, or character strings of two kinds (the second in sorting order is
#'   positive). Levels of a factor that do not occur are ignored when there are more than two.
#' @param score Numbers, one per element of `truth`. `-Inf` and `Inf` are allowed and ordered; missing
#'   values are not. Scores that are equal are tied, scores that differ in the last bit are not.
#' @param weights Optional numbers >= 0, one per element of `truth`; a weight of 2 equals an observation
#'   given twice.
#' @param max_points `NULL` for every point of the curve, or the largest number of points to keep (at least
#'   3) when there are millions of scores and the curve is only drawn. Points that are kept are exact; both
#'   ends are, and of the others the first in each of `max_points - 2` equal cells of `fpr + tpr`, so that a
#'   point left out lies less than `2 / (max_points - 2)` in `fpr + tpr` behind one that is kept. The area
#'   always comes from all scores.
#' @param ... For methods; the one described here takes nothing more.
#'
#' @details The two classes are sorted apart by a radix sort, within 8 bytes of work space per score (16
#'   with weights) beside the arguments and the result; a `truth` that is not logical takes up to 8 bytes
#'   more. The result itself has 24 bytes per distinct score unless `max_points` is set. Forty million
#'   scores take a few seconds and 320 MB.
#'
#' @return A data frame of class `roc_curve` with columns `threshold`, `fpr`, `tpr`: first (0, 0) at
#'   threshold `Inf`, where nothing is called positive, then one row per distinct score from the highest to
#'   the lowest, ending at (1, 1). Its attributes are `auc`, `se` (DeLong's standard error of the area; `NA`
#'   with weights), `weighted`, `n_pos`, `n_neg` (numbers of observations of positive weight) and `levels`
#'   (negative class, positive class). When only one class occurs, the share of the other and the area are
#'   `NA`, with a warning of class `hofm_warning_one_class`.
#' @seealso [auc()], [auc_test()], [plot.roc_curve()]
#' @examples
#' truth <- mtcars$am == 1
#' curve <- roc_curve(truth, -mtcars$wt)
#' curve
#' plot(curve)
#' @export
roc_curve <- function(x, ...) UseMethod("roc_curve")

#' @rdname roc_curve
#' @export
roc_curve.default <- function(x, score, weights = NULL, max_points = NULL, ..., truth = x) {
  check_dots(list(...), names(formals(roc_curve.default)))
  if (missing(x) && missing(truth)) refuse_input("`truth` must be given.")
  classes <- check_truth(truth)
  score <- check_score(score, length(truth))
  weights <- check_score_weights(weights, length(truth))
  points <- roc_points_cpp(classes$positive, score, weights, check_max_points(max_points))
  stats <- points$summary
  warn_one_class(stats)
  new_roc_curve(points, stats, classes$levels, weighted = length(weights) > 0)
}

new_roc_curve <- function(points, stats, levels, weighted) {
  columns <- lapply(points[c("threshold", "fpr", "tpr")], nan_to_na)
  structure(
    list2DF(columns),
    class = c("roc_curve", "data.frame"),
    auc = nan_to_na(stats[["auc"]]),
    se = if (weighted) NA_real_ else nan_to_na(sqrt(stats[["variance"]])),
    weighted = weighted, n_pos = stats[["n_pos"]], n_neg = stats[["n_neg"]], levels = levels
  )
}

#' Area under the ROC curve
#'
#' The probability that a positive has a higher score than a negative, both drawn at random, where a tie
#' counts one half:
#' \deqn{AUC = \frac{1}{n_+ n_-} \sum_{i \in +} \sum_{j \in -} [s_i > s_j] + \tfrac12 [s_i = s_j].}{%
#'       AUC = mean over positives i and negatives j of [s_i > s_j] + [s_i = s_j] / 2.}
#' A higher score speaks for the positive class, always: an area below one half is reported as it is.
#'
#' @param x For the default method the true classes, as `truth` in [roc_curve()]; may also be given as
#'   `truth = `. Or a curve made by [roc_curve()].
#' @param score,weights As in [roc_curve()].
#' @param ci Whether to add a confidence interval (not available with weights).
#' @param level Confidence level, between 0 and 1.
#' @param method `"delong"`: area plus or minus a normal quantile times DeLong's standard error, cut to `[0,
#'   1]`; `"logit"`: the same on the scale of `log(auc / (1 - auc))`, which stays inside by itself and is
#'   better near 1.
#' @param truth Another name for `x`.
#' @param ... For methods; the ones described here take nothing more.
#'
#' @details Work space is 8 bytes per score (16 with weights) beside the arguments, as in [roc_curve()].
#'
#' @return A number if `ci` is `FALSE`. Otherwise a named numeric vector `auc`, `lower`, `upper` of class
#'   `hofm_auc` with attributes `level` and `method`. If only one class occurs, `NA` (or three of them) and
#'   a warning of class `hofm_warning_one_class`; if a class has a single member, the bounds are `NA`, and
#'   the warning's class is `hofm_warning_no_interval`.
#' @references DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the areas under two
#'   or more correlated receiver operating characteristic curves: a nonparametric approach. *Biometrics* 44,
#'   837-845.
#' @seealso [roc_curve()], [auc_test()]
#' @examples
#' truth <- mtcars$am == 1
#' auc(truth, -mtcars$wt)
#' auc(truth, -mtcars$wt, ci = TRUE)
#' plot(roc_curve(truth, -mtcars$wt))
#' @export
auc <- function(x, ...) UseMethod("auc")

#' @rdname auc
#' @export
auc.default <- function(x, score, ci = FALSE, level = 0.95, method = c("delong", "logit"), weights = NULL,
                        ..., truth = x) {
  check_dots(list(...), names(formals(auc.default)))
  if (missing(x) && missing(truth)) refuse_input("`truth` must be given.")
  classes <- check_truth(truth)
  score <- check_score(score, length(truth))
  weights <- check_score_weights(weights, length(truth))
  method <- check_auc_options(ci, level, method, weighted = length(weights) > 0)
  stats <- auc_cpp(classes$positive, score, weights)
  warn_one_class(stats)
  if (!ci) return(nan_to_na(stats[["auc"]]))
  auc_interval(stats[["auc"]], sqrt(stats[["variance"]]), level, method)
}

#' @rdname auc
#' @export
auc.roc_curve <- function(x, ci = FALSE, level = 0.95, method = c("delong", "logit"), ...) {
  check_dots(list(...), names(formals(auc.roc_curve)))
  area <- attr(x, "auc")
  if (is.null(area)) refuse_input("`x` has lost its area; make it anew with `roc_curve()`.")
  check_curve(x, "x")
  method <- check_auc_options(ci, level, method, attr(x, "weighted"))
  if (ci) auc_interval(area, attr(x, "se"), level, method) else area
}

# A curve is a data frame, which users cut and edit; its facts are attributes.
check_curve <- function(curve, arg) {
  share <- function(field) function(x) is.numeric(x[[field]]) && is.null(dim(x[[field]]))
  fact <- function(name) function(x) is_one(attr(x, name))
  check_sound(curve, list(
    fpr = share("fpr"), tpr = share("tpr"), threshold = share("threshold"), auc = fact("auc"), se = fact("se"), n_pos = fact("n_pos"),
    n_neg = fact("n_neg"), weighted = function(x) is_flag(attr(x, "weighted")), levels = function(x) length(attr(x, "levels")) == 2
  ), arg, "ROC curve")
}

check_curves <- function(curves, arg) {
  check_sound(curves, list(), arg, "list of ROC curves")
  if (!length(curves)) abort_damaged(arg, "it holds no curve", "list of ROC curves")
  for (i in seq_along(curves)) {
    if (!inherits(curves[[i]], "roc_curve")) abort_damaged(arg, sprintf("its element %d is no curve", i), "list of ROC curves")
    check_curve(curves[[i]], sprintf("%s[[%d]]", arg, i))
  }
  invisible(curves)
}

auc_interval <- function(area, se, level, method) {
  bounds <- auc_bounds(area, se, level, method)
  if (!is.na(area) && anyNA(bounds)) {
    hofm_warn("A confidence interval needs two observations of each class.", "hofm_warning_no_interval")
  }
  structure(nan_to_na(c(auc = area, lower = bounds[1], upper = bounds[2])),
    class = "hofm_auc", level = level, method = method)
}

auc_bounds <- function(area, se, level, method = "delong") {
  z <- c(-1, 1) * stats::qnorm(1 - (1 - level) / 2)
  if (method == "delong") return(pmin(pmax(area + z * se, 0), 1))
  # The logit of 0 or 1 is infinite, but there the placements do not vary and the interval is that one point.
  if (isTRUE(se == 0)) return(c(area, area))
  stats::plogis(stats::qlogis(area) + z * se / (area * (1 - area)))
}

#' @export
print.hofm_auc <- function(x, digits = 4, ...) {
  sound <- is.numeric(x) && length(x) == 3 && is_one_of(attr(x, "method"), c("delong", "logit")) && is_one(attr(x, "level"))
  if (!sound) abort_damaged("x", "it has lost its bounds, level or method", "AUC")
  digits <- check_digits(digits)
  label <- c(delong = "DeLong", logit = "DeLong, logit scale")[[attr(x, "method")]]
  value <- format_area(unclass(x), digits)
  interval <- paste0(100 * attr(x, "level"), "% interval ", value[2], " to ", value[3])
  cat("AUC ", value[1], " (", interval, ", ", label, ")\n", sep = "")
  invisible(x)
}

#' Compare two areas under ROC curves
#'
#' DeLong's test of whether two scores of the same observations have the same area under their ROC curves.
#' It uses that the two areas are correlated, and so sees smaller differences than two separate intervals
#' do.
#'
#' @param truth The true classes, as in [roc_curve()].
#' @param score1,score2 Two scores, each as in [roc_curve()]; higher speaks for the positive class in both.
#' @param level Confidence level of the interval for the difference.
#'
#' @return A list of class `htest`: `statistic` (Z), `p.value` (two-sided), `estimate` (both areas),
#'   `conf.int` (of the first area minus the second), `null.value`, `stderr`, `alternative`, `method`,
#'   `data.name`. Scores that rank alike give Z = 0 and p = 1. If only one class occurs, or a class has a
#'   single member, the numbers are `NA`, with a warning of class `hofm_warning_one_class` or
#'   `hofm_warning_no_interval`.
#' @details Work space is 32 bytes per observation beside the arguments.
#' @inherit auc references
#' @seealso [auc()], [roc_curve()]
#' @examples
#' truth <- mtcars$am == 1
#' auc_test(truth, -mtcars$wt, mtcars$mpg)
#' plot(c(weight = roc_curve(truth, -mtcars$wt), consumption = roc_curve(truth, mtcars$mpg)))
#' @export
auc_test <- function(truth, score1, score2, level = 0.95) {
  check_given()
  data_name <- paste0(deparse1(substitute(score1)), " and ", deparse1(substitute(score2)), " for ",
    deparse1(substitute(truth)))
  classes <- check_truth(truth)
  score1 <- check_score(score1, length(truth), "score1")
  score2 <- check_score(score2, length(truth), "score2")
  check_level(level)
  pair <- auc_pair_cpp(classes$positive, score1, score2)
  warn_few(classes$positive)
  new_auc_test(nan_to_na(pair$auc), nan_to_na(sqrt(pair$variance)), level, data_name)
}

new_auc_test <- function(areas, se, level, data_name) {
  difference <- areas[1] - areas[2]
  z <- if (isTRUE(difference == 0 && se == 0)) 0 else difference / se
  structure(class = "htest", list(
    statistic = c(Z = z),
    p.value = 2 * stats::pnorm(-abs(z)),
    estimate = c("AUC of score 1" = areas[1], "AUC of score 2" = areas[2]),
    conf.int = structure(difference + c(-1, 1) * stats::qnorm(1 - (1 - level) / 2) * se, conf.level = level),
    null.value = c("difference in AUC" = 0),
    stderr = se,
    alternative = "two.sided",
    method = "DeLong's paired test of two areas under ROC curves",
    data.name = data_name
  ))
}

# ---- Printing ----------------------------------------------------------------------------------------------

#' @export
print.roc_curve <- function(x, n = 6, ...) {
  if (is.null(attr(x, "auc"))) return(NextMethod())
  check_curve(x, "x")
  n <- check_count(n, "n")
  cat("ROC curve: area ", format_area(attr(x, "auc"), 4), ", ", describe_classes(x), "\n", sep = "")
  shown <- unique(round(seq(1, nrow(x), length.out = min(n, nrow(x)))))
  print(as.data.frame(x)[shown, ], digits = 4)
  if (length(shown) < nrow(x)) cat("# ", length(shown), " of ", count_text(nrow(x)), " points\n", sep = "")
  invisible(x)
}

describe_classes <- function(x) {
  levels <- attr(x, "levels")
  counts <- count_text(c(attr(x, "n_neg"), attr(x, "n_pos")))
  paste0(counts[2], " positives (", levels[2], "), ", counts[1], " negatives (", levels[1], ")")
}

format_area <- function(area, digits) ifelse(is.na(area), "NA", formatC(area, digits = digits, format = "f"))
count_text <- function(n) format(n, big.mark = ",", scientific = FALSE, trim = TRUE)

# ---- Input -------------------------------------------------------------------------------------------------

refuse_input <- function(...) hofm_abort(paste0(...))

# The two classes as a logical vector and their names. Works without tables of distinct values where it can:
# `truth` may have tens of millions of elements.
check_truth <- function(truth) {
  if (length(truth) == 0) refuse_input("`truth` must have at least one element.")
  if (!is.atomic(truth) || is_time(truth)) truth_error(paste0("an object of class ", class(truth)[1]))
  check_none_missing(truth, "truth")
  if (is.logical(truth)) return(list(positive = as.vector(truth), levels = c("FALSE", "TRUE")))
  if (is.factor(truth)) return(two_levels(truth))
  if (is.numeric(truth)) return(two_numbers(truth))
  if (is.character(truth)) return(two_levels(factor(truth)))
  truth_error(paste0("of type ", typeof(truth)))
}

two_levels <- function(truth) {
  if (nlevels(truth) > 2) truth <- droplevels(truth)
  if (nlevels(truth) > 2) truth_error(paste0("one with ", nlevels(truth), " classes"))
  list(positive = as.integer(truth) == 2L, levels = c(levels(truth), NA)[1:2])
}

two_numbers <- function(truth) {
  low <- min(truth)
  if (low == 1) low <- 0
  positive <- as.vector(truth == 1)
  if (!low %in% c(-1, 0) || sum(positive) + sum(truth == low) != length(truth)) {
    odd <- which(!(positive | truth == (if (low == -1) -1 else 0)))[1]
    truth_error(paste0("one whose element ", odd, " is ", format(truth[[odd]])))
  }
  list(positive = positive, levels = format(c(low, 1), trim = TRUE))
}

truth_error <- function(what) {
  refuse_input("`truth` must be a vector of two classes (logical, factor, 0/1, -1/1 or character), not ", what,
    ".")
}

check_score <- function(score, n, name = "score") {
  if (missing(score)) refuse_input("`", name, "` must be given.")
  if (!is.numeric(score) || inherits(score, "integer64")) must_be(name, "a numeric vector", score)
  check_same_length(score, n, name)
  check_none_missing(score, name)
  if (is.double(score)) score else as.double(score)
}

check_score_weights <- function(weights, n) {
  if (is.null(weights)) return(numeric(0))
  weights <- check_score(weights, n, "weights")
  if (min(weights) >= 0 && max(weights) < Inf) return(weights)
  bad <- which(weights < 0 | is.infinite(weights))[1]
  refuse_input("`weights` must be finite and not negative, but element ", bad, " is ",
    format(weights[bad]), ".")
}

check_same_length <- function(x, n, name) {
  if (length(x) == n) return(invisible())
  refuse_input("`", name, "` must have one element per element of `truth` (", n, "), not ", length(x), ".")
}

check_none_missing <- function(x, name) {
  if (!anyNA(x)) return(invisible())
  at <- which(is.na(x))
  more <- if (length(at) > 1) paste0(" (and ", length(at) - 1, " more)") else ""
  refuse_input("`", name, "` must not have missing values, but element ", at[1], " is ",
    format(x[[at[1]]]), more, ".")
}

# 0 stands for "all" in the core.
check_max_points <- function(max_points) {
  if (is.null(max_points) || identical(max_points, Inf)) return(0)
  ok <- is_plain_number(max_points) && length(max_points) == 1 &&
    isTRUE(max_points >= 3 && max_points == round(max_points))
  if (!ok) must_be("max_points", "NULL or a single whole number of at least 3", max_points)
  as.double(max_points)
}

check_level <- function(level) {
  ok <- is_one(level) && isTRUE(level > 0 && level < 1)
  if (!ok) must_be("level", "a single number between 0 and 1", level)
}

check_auc_options <- function(ci, level, method, weighted) {
  check_level(level)
  if (check_flag(ci, "ci") && weighted) {
    refuse_input("`ci` must be FALSE when `weights` are given: DeLong's interval is for single observations.")
  }
  choices <- c("delong", "logit")
  if (identical(method, choices)) "delong" else check_choice(method, "method", choices)
}

warn_one_class <- function(stats) {
  if (stats[["n_pos"]] > 0 && stats[["n_neg"]] > 0) return(invisible())
  which <- if (stats[["n_pos"]] > 0) "positive" else "negative"
  hofm_warn(paste0("`truth` has only the ", which, " class: the area under the ROC curve is not defined (NA)."),
    "hofm_warning_one_class")
}

warn_few <- function(positive) {
  n_pos <- sum(positive)
  n_neg <- length(positive) - n_pos
  warn_one_class(c(n_pos = n_pos, n_neg = n_neg))
  if (min(n_pos, n_neg) == 1) {
    hofm_warn("The test needs at least two observations of each class.", "hofm_warning_no_interval")
  }
}

# Only written to where there is something to change: a curve's columns may be hundreds of megabytes.
nan_to_na <- function(x) {
  if (anyNA(x)) x[is.nan(x)] <- NA_real_
  x
}
