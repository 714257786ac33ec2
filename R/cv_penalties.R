# The path of penalties of each combination of order and rank.
#
# A path is a list: `lambda`, a matrix with a row for each place, from large penalties to small, and a column for each penalty of the
# model; `axis`, one number for each row, by which it is known; `spec`, what is fitted along it; `length`, the number of rows that belong
# to it unless it is ended early or widened, and `first`, how many are fitted before the curve is looked at.

# ---- Given ------------------------------------------------------------------------------------------------

#' @return NULL, numbers in falling order, or a matrix with a column for each degree.
#' @noRd
check_path <- function(lambda) {
  if (is.null(lambda)) return(NULL)
  if (identical(lambda, "paper")) return(10^(6:-6))
  if (is.list(lambda)) lambda <- bound_columns(lambda)
  numbers <- is.numeric(lambda) && !is.object(lambda) && (is.null(dim(lambda)) || is.matrix(lambda)) && length(lambda) > 0
  if (!numbers || !all(is.finite(lambda)) || !all(lambda > 0)) {
    must_be("lambda", "NULL, \"paper\" or positive finite numbers, in columns if they differ between degrees", bad_lambda(lambda))
  }
  if (is.matrix(lambda)) unname(lambda) + 0 else sort(unique(as.double(lambda)), decreasing = TRUE)
}

# Columns of one value are as long as the others.
bound_columns <- function(columns) {
  n <- max(lengths(columns), 0)
  if (n == 0 || !all(vapply(columns, is_plain_number, NA)) || !all(lengths(columns) %in% c(1, n))) return(columns)
  do.call(cbind, unname(lapply(columns, rep_len, n)))
}

# Of many numbers, the first that is at fault.
bad_lambda <- function(lambda) {
  if (!is.numeric(lambda) || is.object(lambda) || !length(lambda)) return(lambda)
  lambda[!is.finite(lambda) | lambda <= 0][1]
}

given_path <- function(lambda, spec) {
  lambda <- unique(penalty_rows(lambda, spec)[, seq_along(spec$lambda), drop = FALSE])
  axis <- path_axis(lambda, spec)
  # of rows in the same place, those that penalise the highest degree most come first
  columns <- rev(lapply(seq_len(ncol(lambda)), function(t) -lambda[, t]))
  falling <- do.call(order, c(list(-signif(axis, 12)), columns))
  new_path(lambda[falling, , drop = FALSE], axis[falling], spec)
}

# A column more or less would be taken for another degree.
check_path_columns <- function(lambda, specs) {
  if (!is.matrix(lambda)) return(invisible())
  need <- max(vapply(specs, function(spec) length(spec$lambda), 0L))
  if (ncol(lambda) == need) return(invisible())
  columns <- if (need == 1) "one column: the model has one penalty" else sprintf("%d columns, one for each of the degrees 1 to %d", need, need)
  hofm_abort(sprintf("`lambda` must have %s, not %d.", columns, ncol(lambda)), argument = "lambda")
}

# The lowest degree that is fitted and whose penalties all differ; else the geometric mean.
path_axis <- function(lambda, spec) {
  fitted <- lambda[, penalised(spec), drop = FALSE]
  distinct <- which(apply(fitted, 2, anyDuplicated) == 0)
  if (length(distinct)) fitted[, distinct[1]] else exp(rowMeans(log(fitted)))
}

# Which penalties of a spec there is something to penalise by.
penalised <- function(spec) if (spec$model == "hofm") c(if (spec$linear) 1L, fitted_degrees(spec)) else 1L

new_path <- function(lambda, axis, spec, length = nrow(lambda), first = length) {
  list(lambda = lambda, axis = axis, spec = spec, length = length, first = first)
}

# ---- From the data ----------------------------------------------------------------------------------------

#' A path for each spec, through the penalties that hofm() would choose
#' @return A list of paths.
#' @noRd
default_paths <- function(task, specs, plan, control, seeds, verbose) {
  chosen_for <- largest_of(specs)
  owners <- unique(chosen_for)
  run <- function(job, step) {
    owner <- owners[job]
    seeded <- function(s) utils::modifyList(control, list(seed = seeds[s]))
    centre <- centre_of(task, specs[[owner]], seeded(owner))
    lapply(which(chosen_for == owner), function(s) default_path(task, specs[[s]], centre, plan, seeded(s)))
  }
  label <- function(job) paste0(combination_label(specs[[owners[job]]]), "penalties")
  found <- share_out(length(owners), run, plan$workers, cv_progress(length(owners), verbose, "Choosing penalties"), label, is.list)
  paths <- vector("list", length(specs))
  for (job in seq_along(owners)) paths[chosen_for == owners[job]] <- found[[job]]
  paths
}

# For each spec, that of the largest order with its rank: degrees are settled from 1 up, so that it has the penalties of smaller orders.
largest_of <- function(specs) {
  order <- vapply(specs, function(spec) spec$order, 0L)
  rank <- vapply(specs, shown_rank, 0L)
  vapply(seq_along(specs), function(s) {
    if (is.na(order[s])) return(s)
    same <- if (order[s] == 1L) seq_along(specs) else which(rank == rank[s])
    same[which.max(order[same])]
  }, 0L)
}

#' What hofm() would choose from all rows
#' @return NULL where it would not choose, else a spec with its choice.
#' @noRd
centre_of <- function(task, spec, control) {
  if (!isTRUE(task$tunable)) return(NULL)
  view <- model_view(task$everything, NULL, task$parts, replace(spec, "penalty_factor", list(NULL)))
  checked <- list(problem = view$problem, response = task$response)
  centre <- settled_spec(replace(spec, "tune", TRUE), checked, check_control(control, length(factor_names(spec))))
  if (is.null(centre$tuning)) NULL else with_doubtful_degrees(centre)
}

# hofm() leaves a degree out unless it is better by a standard error. Along a path it is there at its best penalty, if that was any better
# at all: more folds will judge.
with_doubtful_degrees <- function(centre) {
  table <- centre$tuning$table
  for (t in centre$off) {
    tried <- table[table$degree %in% t & table$exponent == 0, ]
    best <- tried[which.min(tried$loss), ]
    if (!isTRUE(best$loss < centre$tuning$loss)) next
    centre$lambda[t] <- centre$lambda[t] * best$lambda / tried$lambda[1]
    centre$off <- setdiff(centre$off, t)
  }
  centre
}

#' From where next to nothing is left to well below what hofm() would choose
#'
#' What multiplies the penalty of the lowest degree by c, multiplies that of degree t by c^(1/t), so that the prior variance of what each
#' degree adds to the link changes alike. Without a centre, one number serves all degrees.
#' @noRd
default_path <- function(task, spec, centre, plan, control) {
  base <- if (is.null(centre)) rep(1, length(spec$lambda)) else centre$lambda[seq_along(spec$lambda)]
  if (!is.null(centre)) spec[c("penalty_factor", "off")] <- list(centre$penalty_factor, intersect(centre$off, seq_along(base)))
  powers <- path_powers(spec, centre)
  at <- function(c) base * c^powers
  top <- largest_multiple(model_view(task$everything, NULL, task$parts, spec), at, control, centre)
  bottom <- if (!is.null(plan$ratio)) top * plan$ratio else if (is.null(centre)) top * 1e-4 else min(1 / 30, top / 100)
  steps <- exp(seq(log(top), by = log(bottom / top) / (plan$n_lambda - 1), length.out = 2 * plan$n_lambda))
  lambda <- t(vapply(steps, at, base))
  if (length(base) == 1) lambda <- t(lambda)
  if (!all(is.finite(lambda)) || !all(is.finite(log(lambda)))) {
    hofm_abort("The features are too large or too small for a path of `lambda`: scale them, or give `lambda`.", "hofm_error_overflow")
  }
  past <- if (is.null(centre)) plan$n_lambda / 2 else sum(steps > 1 / 3) + 1
  new_path(lambda, path_axis(lambda, spec), spec, plan$n_lambda, as.integer(min(ceiling(past), plan$n_lambda)))
}

path_powers <- function(spec, centre) {
  if (is.null(centre) || spec$model != "hofm") return(rep(1, length(spec$lambda)))
  min(penalised(spec)) / seq_along(spec$lambda)
}

#' The least multiple of a path's penalties, to within a factor of two, at which all but the intercept is nearly zero
#'
#' A search by tens, then by halving on the log scale. It begins at a hundred times the centre, or at the mean square of a feature, which
#' is the scale of the loss's curvature.
#' @noRd
largest_multiple <- function(view, at, control, centre) {
  control <- utils::modifyList(control, list(max_iter = 100L, validation = 0))
  spec <- view$spec
  if (spec$solver %in% c("sgd", "adagrad")) spec$solver <- "auto"
  goal <- 0.05 * sqrt(response_variance(view$problem, spec$loss))
  nearly_zero <- function(c) link_spread(view$problem, with_lambda(spec, at(c)), control) < goal
  mean_square <- function(block) max(Matrix::colMeans(block$x^2))
  times <- if (is.null(centre)) max(vapply(view$problem$blocks, mean_square, 0), 1e-6) else 100
  zero <- nearly_zero(times)
  for (step in 1:15) {
    times <- times * if (zero) 0.1 else 10
    if (nearly_zero(times) != zero) break
  }
  bounds <- log(times) + if (zero) c(0, log(10)) else c(-log(10), 0)
  for (step in 1:2) {
    middle <- mean(bounds)
    bounds <- if (nearly_zero(exp(middle))) c(bounds[1], middle) else c(middle, bounds[2])
  }
  exp(bounds[2])
}

link_spread <- function(problem, spec, control) {
  fit <- expect_collapse(fit_model(problem, spec, control))
  link <- fit$link - if (length(problem$offset)) problem$offset else 0
  sqrt(sum(problem$weights * (link - sum(problem$weights * link))^2))
}
