# What a fit says, in one picture: how much each degree does, and its strongest weights.

#' @return As interactions_data(), with degree 1 as well, and attributes: `headings`, by degree, and `note`. NULL if all weights are zero.
#' @noRd
model_data <- function(fit, degree, n, arg) {
  shares <- degrees_data(fit, NULL, arg)
  degrees <- if (is.null(degree)) seq_len(min(4L, max_degree(fit), length(fit$features))) else degree
  found <- interaction_bars(fit, degrees, n)
  if (!NROW(found)) return(NULL)
  share <- shares$share[match(found$degree, shares$degree)]
  found <- found[is.na(share) | share > idle_share, ]
  shown <- as.character(unique(found$degree))
  if (!length(shown)) return(NULL)
  share <- shares$share[match(shown, shares$degree)]
  headings <- paste0("Degree ", shown, ifelse(is.na(share), "", paste0(": ", percent(share), " of the variance")))
  structure(found, headings = stats::setNames(headings, shown), note = shares_note(shares))
}

# A degree with less of the variance was pulled to zero, or as good as: what is strongest in it means nothing.
idle_share <- 1e-6

is_idle <- function(fit, degree) isTRUE(degree_shares(fit)[degree] <= idle_share)

# Why shares do not add up to one, or nothing.
shares_note <- function(shares) {
  total <- sum(shares$share)
  if (!any(shares$share > 0) || abs(total - 1) < 0.01) return(NULL)
  sprintf("Shares of degrees add up to %.0f%%: the degrees' parts are correlated.", 100 * total)
}

draw_note <- function(note) if (!is.null(note)) graphics::mtext(note, 3, 0.4, cex = 0.75 * graphics::par("cex"), col = "grey30")
