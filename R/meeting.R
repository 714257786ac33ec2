# Which features never meet in a training row. A fit keeps no rows; this much of them it keeps where it is cheap, so that interactions()
# need not list what cannot occur.

# Products of two values within a row that are looked at when a fit is made (some 0.1 seconds), and pairs that it keeps.
meeting_work <- 1e7
meeting_pairs_kept <- 250000L

#' The pairs of features that meet, or those that do not, whichever are fewer
#'
#' Features that are in every row meet all others and are not spoken of.
#' @param blocks of a problem.
#' @param group As exclusive_groups() gives it: pairs within a group are known anyway.
#' @return A list: `meet` (whether the pairs listed are those that meet), `partial` (features that are not in every row), `first` and
#'   `second` (features of a pair, the first smaller). NULL where it would cost too much, or of pairs of nodes.
#' @noRd
meeting_pairs <- function(blocks, group) {
  if (length(blocks) != 1L || !is.null(blocks[[1L]]$index)) return(NULL)
  x <- blocks[[1L]]$x
  partial <- which(diff(x@p) < nrow(x))
  x <- Matrix::drop0(x[, partial, drop = FALSE])
  if (sum(tabulate(x@i + 1L, nrow(x))^2) > meeting_work) return(NULL)
  met <- as(Matrix::crossprod(as(x, "nMatrix"), boolArith = TRUE), "generalMatrix")
  met <- cbind(first = met@i + 1L, second = rep(seq_along(partial), diff(met@p)))
  met <- met[met[, 1L] < met[, 2L], , drop = FALSE]
  groups <- if (length(group)) group[partial] else rep(-1L, length(partial))
  apart <- choose(length(partial), 2) - sum(choose(table(groups[groups >= 0]), 2)) - nrow(met)
  if (min(apart, nrow(met)) > meeting_pairs_kept) return(NULL)
  meet <- nrow(met) < apart
  ends <- if (meet) met else pairs_apart(split(met[, 1L], factor(met[, 2L], seq_along(partial))), groups)
  list(meet = meet, partial = partial, first = partial[ends[, 1L]], second = partial[ends[, 2L]])
}

# Pairs of columns of which the first is not among those that `met` the second, nor in its group.
pairs_apart <- function(met, groups) {
  found <- lapply(seq_along(met)[-1L], function(j) {
    others <- setdiff(seq_len(j - 1L), met[[j]])
    others <- others[groups[others] < 0 | groups[others] != groups[j]]
    cbind(others, rep(j, length(others)))
  })
  do.call(rbind, c(list(matrix(0L, 0L, 2L)), found))
}

# As interactions_cpp() takes them: the partners of each feature, counted from zero.
partner_lists <- function(meeting, d) {
  if (is.null(meeting)) return(list())
  from <- c(meeting$first, meeting$second)
  to <- c(meeting$second, meeting$first)
  list(start = c(0L, cumsum(tabulate(from, d))), partner = to[order(from, to)] - 1L, partial = seq_len(d) %in% meeting$partial,
       meet = meeting$meet)
}

sound_meeting <- function(meeting, d) {
  within <- function(v) is.integer(v) && !anyNA(v) && all(v >= 1L & v <= d)
  is_flag(meeting$meet) && within(meeting$partial) && within(meeting$first) && within(meeting$second) &&
    length(meeting$first) == length(meeting$second)
}
