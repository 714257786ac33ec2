# What a fit says of rows in shards, one file at a time. Called through predict(), auc() and compare_models().

#' Values of all rows, shard by shard: in a vector, or in files
#' @noRd
predict_shards <- function(fit, shards, type, threads, dir = NULL) {
  check_shards(shards, "newdata")
  if (type == "terms") hofm_abort("`type = \"terms\"` is not for shards: predict rows that are in memory.", argument = "type")
  check_same_features(fit, shards)
  if (!is.null(dir)) return(predict_to_files(fit, shards, type, threads, dir))
  values <- list()
  shard_links(fit, shards, threads, function(q, link) values[[q]] <<- link)
  on_scale(fit, unlist(values), type)
}

check_same_features <- function(fit, shards) {
  if (identical(shards$features, fit$features)) return(invisible())
  hofm_abort("`newdata` must have the features of the fit, in the same order.", "hofm_error_columns", columns = character())
}

# f(number of the file, link values)
shard_links <- function(fit, shards, threads, f) {
  q <- 0L
  over_shards(fit, shards, list(code = c(0, 1)), list(standard = fit$blueprint$standard), threads, function(part, link) {
    q <<- q + 1L
    f(q, link)
  })
}

# A file for each shard, written under another name and renamed: one that is there is whole.
predict_to_files <- function(fit, shards, type, threads, dir) {
  check_dir(dir)
  make_folder(dir)
  files <- file.path(dir, sub("[.]hofm$", ".rds", shards$files$file))
  shard_links(fit, shards, threads, function(q, link) {
    replace_file(files[q], function(put) put(serialize(on_scale(fit, link, type), NULL)))
  })
  invisible(files)
}

# Every row's response as it was written: numbers, or classes from zero.
shard_truth <- function(shards) {
  y <- unlist(lapply(seq_len(nrow(shards$files)), function(q) read_shard(shards, q)$y), use.names = FALSE)
  if (shards$response$turned) 1 - y else y
}

# The same in the type that the response had.
shard_classes <- function(shards) {
  y <- shard_truth(shards)
  levels <- shards$response$levels
  switch(shards$response$kind, numeric = y, logical = y == 1, factor(levels[1 + y], levels = levels))
}

#' Area under the ROC curve on shards
#'
#' The area of a fit on data that stay in shards, which are read one at a time.
#'
#' @param x Shards with a response of two classes, see [write_shards()].
#' @param fit A fit with the same features.
#' @param ci,level,method As in [auc()].
#' @param ... Nothing: an unknown argument is an error.
#' @return As of [auc()].
#' @examples
#' set.seed(1)
#' x <- matrix(rbinom(2000, 1, 0.2), 200, 10)
#' dir <- tempfile()
#' shards <- write_shards(x, dir, y = x[, 1] * x[, 2] + rnorm(200, sd = 0.5) > 0, shard_nonzeros = 100)
#' fit <- hofm(shards[-1], rank = 2, lambda = 1e-3, control = hofm_control(seed = 1))
#' auc(shards[1], fit)
#' unlink(dir, recursive = TRUE)
#' @concept files
#' @export
auc.hofm_shards <- function(x, fit, ci = FALSE, level = 0.95, method = c("delong", "logit"), ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  check_shards(x)
  if (missing(fit) || !inherits(fit, "hofm")) must_be("fit", "a fit of hofm()", if (missing(fit)) NULL else fit)
  check_fit(fit, "fit")
  score <- predict_shards(fit, x, "link", fit$control$threads)
  truth <- shard_truth(x)
  if (length(unique(truth)) > 2) hofm_abort("`x` must have a response of two classes.", argument = "x")
  auc.default(truth == max(truth, if (x$response$kind == "numeric") max(x$values) else 1), score, ci = ci, level = level, method = method)
}
