# What is measured on the rows held out, and which combination is best.

#' The measure of each fold at each place of a path
#' @param links Link values of the held-out rows, a column for each place.
#' @return A list: `each`, a matrix with a column for each fold, and `share`, the weight of each fold.
#' @noRd
fold_values <- function(links, task, foldid, measure) {
  problem <- task$problem
  rows <- split(seq_len(problem$n), foldid)
  total <- vapply(rows, function(r) sum(problem$weights[r]), 0)
  each <- vapply(rows, function(r) {
    fold_measure(links[r, , drop = FALSE], problem$y[r], problem$weights[r], task$response$loss, measure)
  }, numeric(ncol(links)))
  list(each = matrix(each, ncol(links)), share = total / sum(total))
}

#' The mean over folds and its standard error
#' @return A data frame: cvm, cvsd, cvup, cvlo.
#' @noRd
curve_of <- function(values) {
  cvm <- drop(values$each %*% values$share)
  cvsd <- sqrt(drop((values$each - cvm)^2 %*% values$share) / (length(values$share) - 1))
  data.frame(cvm = cvm, cvsd = cvsd, cvup = cvm + cvsd, cvlo = cvm - cvsd)
}

# Whether smaller is better.
measure_sign <- function(measure) if (measure == "auc") -1 else 1

#' Whether a path goes on
#'
#' It ends where the curve has clearly turned; at its length, unless the best value is at the end and still gaining; and at its widest.
#' @return "go on", "ended", or "widest" if the best value is at the end even there.
#' @noRd
judge_path <- function(path, values, measure) {
  done <- nrow(values$each)
  if (path$first == path$length && nrow(path$lambda) == path$length) return("ended")
  if (has_turned(values, measure)) return("ended")
  if (done < path$length) return("go on")
  if (!still_gaining(values, measure)) return("ended")
  if (done < nrow(path$lambda)) "go on" else "widest"
}

# Four places beyond the best or more, and worse than it by more than a standard error of the difference between folds.
has_turned <- function(values, measure) {
  cvm <- measure_sign(measure) * curve_of(values)$cvm
  best <- which.min(cvm)
  last <- length(cvm)
  if (!length(best) || last - best < 4) return(FALSE)
  loss <- measure_sign(measure) * (values$each[last, ] - values$each[best, ])
  mean <- sum(values$share * loss)
  isTRUE(mean > sqrt(sum(values$share * (loss - mean)^2) / (length(loss) - 1)))
}

# By more than a fiftieth of a standard error over the last three places: a curve that has become flat is not worth going on for.
still_gaining <- function(values, measure) {
  curve <- curve_of(values)
  cvm <- measure_sign(measure) * curve$cvm
  last <- length(cvm)
  identical(which.min(cvm), last) && isTRUE(cvm[max(last - 3, 1)] - cvm[last] > 0.02 * curve$cvsd[last])
}

fold_measure <- function(links, y, weights, loss, measure) {
  if (measure == "auc") {
    given <- if (any(weights != weights[1])) weights
    return(apply(links, 2, function(f) auc(y > 0, f, weights = given)))
  }
  facts <- loss_facts(loss)
  error <- function(f) response_values(y, loss) - facts$mean(f)
  unit <- switch(measure,
    deviance = function(f) facts$deviance(y, f), class = function(f) (f > facts$threshold) != (y > 0),
    mse = function(f) error(f)^2, mae = function(f) abs(error(f)))
  apply(links, 2, function(f) sum(weights * unit(f)) / sum(weights))
}

measure_name <- function(measure, loss) {
  words <- switch(measure,
    auc = "AUC", class = "Misclassification error", mse = "Mean squared error", mae = "Mean absolute error",
    deviance = loss_facts(loss)$label)
  stats::setNames(words, measure)
}

#' The best combination and its places
#'
#' Of equals the smallest order and rank and the largest lambda win.
#' @return A list: `spec` (its number), `index` (places of lambda.min and lambda.1se).
#' @noRd
choose_best <- function(curves, measure) {
  sign <- measure_sign(measure)
  best <- vapply(curves, function(curve) min(sign * curve$cvm), 0)
  spec <- which.min(best)
  curve <- curves[[spec]]
  at <- which.min(sign * curve$cvm)
  within <- which(sign * curve$cvm <= sign * curve$cvm[at] + curve$cvsd[at])
  list(spec = spec, index = c(min = at, "1se" = min(within)))
}

#' A path whose best value is at its end may not be where the best lambda is
#' @noRd
report_path_end <- function(path, verdict, choice) {
  end <- if (verdict == "widest" && choice$index[["min"]] == nrow(path$lambda)) "smallest"
         else if (choice$index[["min"]] == 1L && nrow(path$lambda) > path$length) "largest"
  if (is.null(end)) return(invisible())
  hofm_warn(if (end == "smallest") {
    sprintf("The smallest `lambda` of the path, %s, is the best one even after it was widened: give smaller values.",
            format(path$axis[nrow(path$lambda)], digits = 3))
  } else {
    "The largest `lambda` of the path is the best one: nothing was found that predicts better than the intercept alone."
  }, "hofm_warning_path_end", end = end)
}
