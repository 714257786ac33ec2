# Objects to draw whose numbers are written down here, so that pictures are the same on every machine and in every run.

still_fit <- function() {
  x <- small_matrix(names = c("age", "income", "town = north", "a name of some length"))
  fit <- quick_fit(x, small_response(x), order = 3)
  fit$P[["2"]][] <- c(2, -1, 0.5, 1, 0.25, 1.5, -1, 0.75)
  fit$P[["3"]][] <- c(1, 1, 0, -0.5, 0, 0.5, 1, 1)
  fit$degree_variance <- c("degree 1" = 3, "degree 2" = 6, "degree 3" = 0.5, total = 10)
  fit$trace <- data.frame(iteration = 0:6, seconds = (0:6) / 100, objective = 5 * 0.4^(0:6) + 0.1)
  fit$converged <- TRUE
  fit
}

still_cv <- function() {
  lambda <- 10^(2:-3)
  curve <- function(order, rank, cvm) {
    cvsd <- cvm / c(5, 6, 7, 8, 7, 6)
    data.frame(order = order, rank = rank, lambda = lambda, cvm = cvm, cvsd = cvsd, cvup = cvm + cvsd, cvlo = cvm - cvsd)
  }
  table <- rbind(curve(1L, 0L, c(9, 8, 7, 6, 6, 6.5)), curve(2L, 4L, c(9, 7, 4, 2, 2.2, 3)))
  best <- table[7:12, ]
  structure(c(
    as.list(best[-(1:2)]),
    list(index = c(min = 4L, "1se" = 4L), lambda.min = 0.1, lambda.1se = 1, order = 2L, rank = 4L, table = table,
         name = c(deviance = "Mean squared error"))), class = "cv_hofm")
}

still_curves <- function() {
  truth <- rep(c(FALSE, TRUE), 20)
  score <- rep(1:20, each = 2)
  c("order 2" = roc_curve(truth, score + 6 * truth), "order 3" = roc_curve(truth, score + 9 * truth))
}

plain_data <- function(x) as.data.frame(unclass(x)[seq_along(x)])

# Draw where no one looks; returns par("ylog") of the picture.
drawn <- function(code) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  force(code)
  graphics::par("ylog")
}

# Base graphics are drawn alike by all versions of R that we know; what ggplot2 makes of the same calls changes with its version.
expect_picture <- function(title, base, gg) {
  skip_if_broken("vdiffr")
  base <- substitute(base)
  env <- parent.frame()
  vdiffr::expect_doppelganger(paste(title, "base"), function() eval(base, env))
  skip_if_broken("ggplot2")
  skip_if(utils::packageVersion("ggplot2") >= "3.5", "pictures were taken with ggplot2 3.4")
  vdiffr::expect_doppelganger(paste(title, "ggplot2"), gg)
}
