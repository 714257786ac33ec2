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

# Base graphics are drawn alike by all versions of R that we know. What ggplot2 makes of the same calls changes with its
# version, down to the width of a margin: the marks, titles and labels are the same under every version, and the drawing
# itself is compared where one of the same generation was taken.
expect_picture <- function(title, base, gg) {
  skip_if_broken("vdiffr")
  base <- substitute(base)
  env <- parent.frame()
  vdiffr::expect_doppelganger(paste(title, "base"), function() eval(base, env))
  skip_if_broken("ggplot2")
  expect_marks(title, gg)
  taken <- paste(title, c("ggplot2", "ggplot2 4.0"))
  # testthat removes the pictures of a test that the test has not spoken of
  for (one in taken) announce_snapshot_file(name = picture_file(one, ".svg"))
  mine <- match(as.character(utils::packageVersion("ggplot2")[, 1:2]), c("3.4", "4.0"))
  if (!is.na(mine)) vdiffr::expect_doppelganger(taken[mine], gg)
}

# Names of files as vdiffr makes them.
picture_file <- function(title, ending) paste0(gsub("[^a-z0-9]+", "-", tolower(title)), ending)

expect_marks <- function(title, gg) {
  name <- picture_file(title, "-marks.txt")
  announce_snapshot_file(name = name)
  file <- tempfile(fileext = ".txt")
  writeLines(picture_marks(gg), file)
  expect_snapshot_file(file, name, compare = compare_file_text)
}

# A ggplot in words: what each layer draws, and the titles and labels of scales.
picture_marks <- function(gg) {
  layers <- lapply(seq_along(gg$layers), function(k) c(geom_name(gg$layers[[k]]$geom), layer_marks(gg, k)))
  titles <- vapply(c("x", "y"), function(axis) deparse(gg$labels[[axis]]), "")
  c(unlist(layers), paste(names(titles), titles, sep = ": "), unlist(lapply(gg$scales$scales, scale_words)))
}

geom_name <- function(geom) grep("^Geom", class(geom), value = TRUE)[1]

# Bars are where their edges are.
layer_marks <- function(gg, k) {
  data <- ggplot2::layer_data(gg, k)
  if ("xmin" %in% names(data)) data$x <- NULL
  if ("ymin" %in% names(data)) data$y <- NULL
  placed <- c("x", "y", "xmin", "xmax", "ymin", "ymax", "xintercept", "yintercept", "slope", "intercept")
  numbers <- lapply(data[intersect(placed, names(data))], function(v) formatC(as.numeric(v), digits = 6, format = "g"))
  colours <- lapply(data[intersect(c("colour", "fill"), names(data))], colour_code)
  told <- c("shape", "linetype", "label", "hjust", "vjust", "group")
  others <- lapply(data[intersect(told, names(data))], as.character)
  cells <- c(numbers, colours, others)
  do.call(paste, Map(function(name, value) paste(name, value), names(cells), cells))
}

colour_code <- function(colour) {
  ifelse(is.na(colour), NA, grDevices::rgb(t(grDevices::col2rgb(colour)), maxColorValue = 255))
}

scale_words <- function(scale) {
  labels <- if (is.function(scale$labels) || inherits(scale$labels, "waiver")) "as they come" else scale$labels
  paste0("scale of ", scale$aesthetics[1], ": ", paste(labels, collapse = " | "))
}
