# How much of the variance of the link each degree accounts for.

#' @param newdata NULL for the training rows.
#' @return A data frame: degree (text), variance, share (of the variance of the link; zero if that does not vary).
#' @noRd
degrees_data <- function(fit, newdata, arg = "x") {
  variance <- if (is.null(newdata)) fit$degree_variance else terms_variance(predict(fit, newdata, type = "terms"))
  names <- degree_names(fit)[-1L]
  sound <- is.numeric(variance) && identical(names(variance), c(names, "total")) && all(is.finite(variance))
  if (!sound) abort_damaged(arg, "its field `degree_variance` is missing or not what it must be")
  total <- variance[["total"]]
  variance <- unname(variance[names])
  data.frame(degree = sub("degree ", "", names), variance = variance, share = if (total > 0) variance / total else 0 * variance)
}

# As degree_variance(), of rows with nothing missing. Offsets are not part of the model.
terms_variance <- function(terms) {
  terms <- terms[stats::complete.cases(terms), setdiff(colnames(terms), "offset"), drop = FALSE]
  spread <- function(v) mean((v - mean(v))^2)
  if (!nrow(terms)) hofm_abort("`newdata` must have at least one row without missing values.", argument = "newdata")
  c(apply(terms[, -1L, drop = FALSE], 2L, spread), total = spread(rowSums(terms)))
}

percent <- function(share) sprintf("%.*f%%", ifelse(share > 0 & share < 0.0995, 1L, 0L), 100 * share)

# The height of the picture: that of the highest bar, or everything if there is none.
share_top <- function(data) if (any(data$share > 0)) max(data$share) else 1

draw_degrees <- function(data, ...) {
  settings <- list(
    x = c(0.5, nrow(data) + 0.5), y = c(0, 1.08 * share_top(data)), type = "n", xaxt = "n", yaxt = "n", yaxs = "i", log = "",
    xlab = "Degree", ylab = "Share of the variance of the link", bty = "l")
  old <- open_axes(settings, ...)
  on.exit(graphics::par(old))
  at <- pretty(c(0, share_top(data)))
  graphics::axis(2, at, paste0(100 * at, "%"), las = 1)
  graphics::axis(1, seq_len(nrow(data)), data$degree, tick = FALSE)
  graphics::rect(seq_len(nrow(data)) - 0.35, 0, seq_len(nrow(data)) + 0.35, data$share, border = NA, col = okabe_ito[["blue"]])
  graphics::text(seq_len(nrow(data)), data$share, percent(data$share), pos = 3, offset = 0.25, cex = 0.9)
  draw_note(shares_note(data))
}

gg_degrees <- function(data) {
  note <- shares_note(data)
  data$degree <- factor(data$degree, data$degree)
  data$label <- percent(data$share)
  bare_ggplot(data, x = "degree", y = "share") + ggplot2::geom_col(width = 0.7, fill = okabe_ito[["blue"]]) +
    ggplot2::geom_text(mapping(label = "label"), vjust = -0.4, size = 3.2) +
    ggplot2::scale_y_continuous(labels = function(at) paste0(100 * at, "%"), expand = ggplot2::expansion(c(0, 0.08))) +
    ggplot2::expand_limits(y = share_top(data)) +
    ggplot2::labs(x = "Degree", y = "Share of the variance of the link", caption = note)
}
