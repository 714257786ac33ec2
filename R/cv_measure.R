# What is measured on the rows held out, and which combination is best.

#' The measure and its standard error at each lambda
#' @param links Link values of the held-out rows, a column for each lambda.
#' @return A data frame: cvm, cvsd, cvup, cvlo.
#' @noRd
measure_links <- function(links, task, foldid, measure) {
  problem <- task$problem
  rows <- split(seq_len(problem$n), foldid)
  total <- vapply(rows, function(r) sum(problem$weights[r]), 0)
  each <- vapply(rows, function(r) {
    fold_measure(links[r, , drop = FALSE], problem$y[r], problem$weights[r], task$response$loss, measure)
  }, numeric(ncol(links)))
  each <- matrix(each, ncol(links))
  share <- total / sum(total)
  cvm <- drop(each %*% share)
  cvsd <- sqrt(drop((each - cvm)^2 %*% share) / (length(rows) - 1))
  data.frame(cvm = cvm, cvsd = cvsd, cvup = cvm + cvsd, cvlo = cvm - cvsd)
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

#' The best combination and its lambdas
#'
#' Of equals the smallest order and rank and the largest lambda win.
#' @return A list: `spec` (its number), `index` (places of lambda.min and lambda.1se).
#' @noRd
choose_best <- function(curves, specs, lambda, measure) {
  sign <- if (measure == "auc") -1 else 1
  best <- vapply(curves, function(curve) min(sign * curve$cvm), 0)
  spec <- which.min(best)
  curve <- curves[[spec]]
  at <- which.min(sign * curve$cvm)
  within <- which(sign * curve$cvm <= sign * curve$cvm[at] + curve$cvsd[at])
  list(spec = spec, index = c(min = at, "1se" = min(within)))
}
