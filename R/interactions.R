#' The strongest interactions of a fit
#'
#' A factorization machine gives every combination of t distinct features a weight: for `model = "hofm"`
#' \deqn{W^{(t)}_{j_1 \dots j_t} = \sum_s p^{(t)}_{j_1 s} \cdots p^{(t)}_{j_t s},}{W^(t)_{j1...jt} = sum_s p^(t)_{j1 s} ... p^(t)_{jt s},}
#' so that f(x) is the sum over all combinations of weight times product of features (section 2 of the paper, "Interpretability").
#' `interactions()` finds the combinations with the largest weights in absolute value without forming the tensor W.
#'
#' In the models that share their factors between degrees the sum over s is weighted: by `theta` for `"shared"` and `"simplex"`, by 1
#' for `"all_subsets"`, and by \eqn{m!/(m-t)!\, \gamma_s^{m-t}}{m!/(m-t)! gamma_s^(m-t)} for `"polynomial"`, whose products with
#' repetition are left out. `"bilinear"` has products of a feature of A and a feature of B.
#'
#' @section What can occur:
#' Every combination has a weight, also one that no row can have, such as two levels of one factor: nothing in the data speaks for or
#' against it, and no prediction uses it. Such combinations are left out unless `possible = FALSE`. Of a fit to a formula or a data frame
#' the levels of a factor are known to exclude each other. A fit keeps no data: with `data`, the training rows, combinations whose
#' features never meet in a row are left out as well, and each of the others is shown with the number of `rows` in which it is not zero
#' and its `effect`, the weight times the standard deviation of the product over all rows. A large weight of a rare level has a small
#' effect.
#'
#' @section Variables:
#' `by = "variable"` speaks of variables rather than of their levels: for each pair (triple, ...) of variables, the share of the variance
#' of the link that is due to what they do together. The fitted function is taken apart into a constant, functions of one variable, of
#' two, and so on, each with mean zero over any of its variables when these are drawn independently of each other (the functional
#' analysis of variance); of products of more features than variables are asked for, the rest is averaged. So a main effect that is
#' written into a product of indicators counts as a main effect. The share is the variance over the rows of `data`, or ten thousand of
#' them, divided by that of the link; shares do not add up to one where variables depend on each other. `degree = 1` has the main effects.
#' It is there for the models `"hofm"`, `"shared"` and `"simplex"`. Each column of a matrix is a variable.
#'
#' @section Stability:
#' Where no combination matters, some are the strongest all the same, and the longer the list, the more of them come back in any
#' resample. So a refit counts for `stability` only the `top` strongest: by default `n`, but no more than \eqn{\sqrt{0.6 p}}{sqrt(0.6 p)}
#' of the p combinations that there are, rounded down and at least one. With so many, fewer than one combination is expected to reach
#' 0.8 by chance (Meinshausen and Buehlmann, 2010, theorem 1, under exchangeability of those that do not matter).
#'
#' That needs a penalty that suits the data, as `lambda = NULL` in [hofm()] chooses it: then nothing passed 0.8 in at least 98 of 100
#' simulated data sets without interactions, of twelve numbers or of factors with 30 levels. With a penalty far too small the rows of rare
#' products come back in every resample with their noise: two factors of 30 levels in 1,000 rows with `lambda = 0.01` had a stable product
#' in 97 of 100. Look whether the degree pays on new rows ([compare_models()]) before asking what is stable in it.
#'
#' @section Exactness and cost:
#' The result is exact, for any number of features: combinations are skipped only when Hoelder's inequality,
#' \eqn{|W_J| \le \prod_{j \in J} \|p_j\|_t}{|W_J| <= prod_{j in J} ||p_j||_t}, shows that they cannot be among the `n` largest.
#' Memory is O(dk + n). The time depends on how unequal the features are: fractions of a second where some stand out, seconds where none
#' does. Ties are broken by the order of the features. With `data`, only sets whose features have a row in common are followed further;
#' effects are bounded by the root mean square of the product of the features chosen so far times the largest values of the others.
#'
#' @param fit A fit from [hofm()] or [bayes_hofm()], or refits of one from [bootstrap_hofm()]. Of a Bayesian fit, `sort` and
#'   `resample` cannot be chosen, and `data` may be left out: it has its training rows.
#' @param degree The number t of features combined: 1 for the weights of single features, up to the order of the fit.
#' @param n How many combinations; all of them if there are fewer.
#' @param possible Whether to leave out combinations that cannot occur.
#' @param data The training rows: a data frame, matrix or [link_pairs()] as in [predict.hofm()]. Needed for `by = "variable"`,
#'   `sort = "effect"` and `resample`.
#' @param by `"feature"` for combinations of features, `"variable"` for combinations of variables.
#' @param sort What makes a combination of features strong: its `"weight"` or its `"effect"`; `NULL` is the effect where `data` are given.
#' @param resample How many refits to bootstrap samples of `data` to make, for the column `stability`; see [bootstrap_hofm()]. 0 for none.
#'   Of a fit to a matrix, which cannot find its response, give the refits as `fit`.
#' @param top Of how many strongest of a refit a combination must be one for `stability`; see below.
#' @param seed Of the resampling; `NULL` draws one.
#' @param workers How many processes share the refits; the result is the same for any number.
#' @return A data frame with a row per combination, strongest first. By feature: `feature_1`, ..., `feature_t` (names, in the order of the
#'   columns; a level of a factor as `variable = level`) and `weight`; with `data` also `rows` and `effect`. By variable: `variable_1`, ...
#'   and `share`. With refits also `lower` and `upper`, percentiles of its weight (by variable: share) over them that hold 90%, and
#'   `stability`, the share of them in which the combination is among the `top` strongest, of a degree with more than a millionth
#'   of the variance of the link. No
#'   rows if the degree is not in the model. Of a fit from [bayes_hofm()], on the standardised scale of its features: `weight` is the
#'   posterior mean, beside the standard deviation `sd`, the ends `lower` and `upper` of a 90% interval, and `sign`, the probability of
#'   the likelier sign; by variable the mean `share` with its `sd`, `lower` and `upper`.
#' @references Meinshausen, N. and Buehlmann, P. (2010). Stability selection. *Journal of the Royal Statistical Society B* 72, 417-473.
#' @seealso [plot.hofm()] with `which = "interactions"`, [predict.hofm()] with `type = "terms"`, [effects_hofm()].
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(1000), 200, 5, dimnames = list(NULL, letters[1:5]))
#' y <- 2 * x[, "a"] * x[, "b"] * x[, "e"] + rnorm(200, sd = 0.1)
#' fit <- hofm(x, y, order = 3, rank = 2)
#' interactions(fit, degree = 3, n = 3)
#' plot(fit, "interactions", n = 5)
#'
#' cars <- transform(mtcars, cyl = factor(cyl), gear = factor(gear), hp = hp / 100)
#' fit <- hofm(mpg ~ cyl + gear + hp + wt, cars, rank = 2, lambda = 0.01)
#' interactions(fit, n = 3, data = cars)
#' interactions(fit, by = "variable", data = cars, resample = 20, seed = 1)
#' @export
interactions <- function(fit, degree = 2, n = 20, possible = TRUE, data = NULL, by = c("feature", "variable"),
                         sort = NULL, resample = 0, seed = NULL, workers = 1, top = NULL) {
  check_given()
  if (inherits(fit, "bayes_hofm")) {
    plain <- c(sort = is.null(sort), resample = missing(resample), seed = missing(seed), workers = missing(workers), top = is.null(top))
    if (!all(plain)) {
      hofm_abort(sprintf("`%s` must be left out for a fit from bayes_hofm(): its draws say how sure a weight is.", names(plain)[!plain][1]),
                 argument = names(plain)[!plain][1])
    }
    by <- if (missing(by)) "feature" else check_choice(by, "by", c("feature", "variable"))
    return(bayes_interactions(fit, degree, n, check_flag(possible, "possible"), by, data))
  }
  refits <- if (inherits(fit, "hofm_bootstrap")) check_bootstrap(fit, "fit")$fits
  if (!is.null(refits)) fit <- fit$fit
  fit <- one_fit(fit, "fit")
  check_one_fit(fit)
  how <- list(degree = check_degree(degree, fit), n = check_count(n, "n"), possible = check_flag(possible, "possible"),
              by = if (missing(by)) "feature" else check_choice(by, "by", c("feature", "variable")),
              sort = if (!is.null(sort)) check_choice(sort, "sort", c("weight", "effect")) else if (is.null(data)) "weight" else "effect")
  resample <- check_count(resample, "resample", min = 0)
  if (!is.null(top)) top <- check_count(top, "top")
  check_data_given(data, c(`by = "variable"` = how$by == "variable", `sort = "effect"` = how$sort == "effect", resample = resample > 0))
  if (resample > 0 && is.null(refits)) refits <- resampled(fit, data, resample, seed, workers)
  x <- if (!is.null(data)) interaction_rows(fit, data)
  if (how$degree %in% fit$tuning$off) remark_on_off(how$degree)
  found <- interaction_table(fit, x, how)
  if (is.null(refits)) return(found)
  with_refits(found, lapply(refits, replace, "meeting", list(fit$meeting)), x, how,
              if (is.null(top)) min(how$n, stable_count(fit, how)) else top)
}

# The columns lower, upper and stability, from what the refits have for the same combinations and among their own strongest.
with_refits <- function(found, refits, x, how, top) {
  by_variable <- how$by == "variable"
  tables <- lapply(refits, interaction_table, x, replace(how, "n", list(if (by_variable) .Machine$integer.max else top)))
  own <- combination_keys(found)
  values <- if (by_variable) lapply(tables, function(table) table$share[match(own, combination_keys(table))])
  else lapply(refits, combination_weights, found, how$degree)
  ends <- refit_bounds(matrix(unlist(values), length(own)), 0.9)
  found$lower <- as.double(ends$lower)
  found$upper <- as.double(ends$upper)
  alive <- !vapply(refits, is_idle, NA, how$degree)
  found$stability <- stability(found, Map(utils::head, tables, ifelse(alive, top, 0L)))
  found
}

# The weights that a refit has for combinations of features named in a table.
combination_weights <- function(refit, found, degree) {
  factors <- degree_factors(refit, degree)
  if (is.null(factors)) return(numeric(nrow(found)))
  rows <- lapply(unname(found[seq_len(degree)]), match, feature_labels(refit))
  drop(Reduce(`*`, lapply(rows, function(j) factors$P[j, , drop = FALSE])) %*% factors$c)
}

check_one_fit <- function(fit) {
  if (inherits(fit, "hofm_classes")) {
    hofm_abort(sprintf("`fit` has a function for each of %d classes: give that of one, such as `fit$fits[[%s]]`.",
                       length(fit$levels), quoted(fit$levels[1])), argument = "fit")
  }
  if (!inherits(fit, "hofm")) must_be("fit", "a fit from hofm()", fit)
  check_fit(fit, "fit")
}

resampled <- function(fit, data, times, seed, workers) {
  if (is.null(fit$blueprint$formula) && is.null(fit$blueprint$recipe)) {
    hofm_abort(paste("`resample` needs the response, which a fit to a matrix cannot find: give `bootstrap_hofm(fit, x, y)` as `fit`,",
                     "and leave `resample` out."), argument = "resample")
  }
  bootstrap_hofm(fit, data, times = times, seed = seed, workers = workers)$fits
}

# So many of the combinations that there are may a refit name for fewer than one of them to reach 0.8 by chance.
stable_count <- function(fit, how) {
  groups <- exclusive_groups(fit)
  sizes <- if (how$by == "variable") rep(1, length(unique(feature_variables(fit))))
  else c(rep(1, length(fit$features) - sum(groups >= 0)), tabulate(groups[groups >= 0] + 1L))
  sets <- Reduce(function(e, size) e + size * c(0, e[-length(e)]), sizes, c(1, numeric(how$degree)))[how$degree + 1]
  max(1, floor(sqrt(0.6 * sets)))
}

check_data_given <- function(data, needed) {
  if (!is.null(data) || !any(needed)) return(invisible())
  hofm_abort(sprintf("`data`, the training rows, must be given for %s: a fit keeps none.", ticked(names(needed)[needed][1])),
             argument = "data")
}

# The training rows as the model sees them, without those that lack a value, and without stored zeros.
interaction_rows <- function(fit, data) {
  design <- if (inherits(data, "link_pairs")) pair_design(fit, data)
  else design_for(fit_blueprint(fit), data, allow_new_levels = TRUE, arg = "data")
  x <- from_matrix(blocks_matrix(design_blocks(design)))
  if (any(design$missing)) x <- from_matrix(x[!design$missing, , drop = FALSE])
  if (!nrow(x)) hofm_abort("`data` must have at least one row without missing values.", argument = "data")
  Matrix::drop0(x)
}

interaction_table <- function(fit, x, how) {
  if (how$by == "variable") return(variable_shares(fit, x, how$degree, how$n))
  factors <- degree_factors(fit, how$degree)
  if (is.null(factors)) factors <- list(P = matrix(0, 0L, 1L), c = 0)
  group <- if (how$possible) exclusive_groups(fit) else integer()
  pairs <- if (how$possible && is.null(x)) partner_lists(fit$meeting, nrow(factors$P)) else list()
  found <- within_memory(interactions_cpp(factors$P, factors$c, how$degree, how$n, group, pairs, if (how$possible) x,
                                          how$possible && how$sort == "effect"))
  if (!all(is.finite(found$weight))) abort_overflow()
  table <- interaction_frame(found$features, found$weight, feature_labels(fit))
  if (is.null(x)) return(table)
  if (!how$possible) found <- product_facts(found, x)
  table$rows <- found$rows
  table$effect <- found$weight * found$sd
  if (how$sort == "effect" && !how$possible) table <- table[order(-abs(table$effect)), ]
  table
}

# Of combinations that need not occur: in how many rows they do, and the standard deviation of their product.
product_facts <- function(found, x) {
  facts <- vapply(seq_along(found$weight), function(q) {
    product <- Reduce(`*`, lapply(found$features[q, ], function(j) x[, j]))
    c(sum(product != 0), if (length(product) > 1) stats::sd(product) else 0)
  }, numeric(2))
  replace(found, c("rows", "sd"), list(facts[1, ], facts[2, ]))
}

# Of each combination, the share of the refits that have it among their strongest.
stability <- function(found, tables) {
  own <- combination_keys(found)
  seen <- unlist(lapply(tables, function(table) {
    combination_keys(table)[(if (is.null(table$share)) table$weight else table$share) != 0]
  }))
  tabulate(match(seen, own), length(own)) / length(tables)
}

combination_keys <- function(table) {
  do.call(paste, c(unname(table[grepl("^(feature|variable)_[0-9]+$", names(table))]), sep = "\r"))
}

check_degree <- function(degree, fit) {
  degree <- check_count(degree, "degree")
  most <- max_degree(fit)
  if (degree <= most) return(degree)
  need <- if (most == 1) "1" else sprintf("a whole number from 1 to %d", most)
  why <- switch(fit$model, all_subsets = "the fit combines up to %d features", bilinear = "a bilinear fit has degree %d",
                "the fit has order %d")
  hofm_abort(sprintf("`degree` must be %s, not %d: %s.", need, degree, sprintf(why, most)), argument = "degree")
}

max_degree <- function(fit) {
  switch(fit$model, all_subsets = min(max_order, length(fit$features)), bilinear = 2L, fit$order)
}

interaction_frame <- function(index, weight, features) {
  columns <- named_columns_cpp(index, features)
  names(columns) <- sprintf("feature_%d", seq_along(columns))
  list2DF(c(columns, list(weight = weight)))
}

# ---- Features and variables ----------------------------------------------------------------------------------

# Of each feature, the number of the factor (or product of factors) that it is a level of, -1 for others: levels exclude each other.
exclusive_groups <- function(fit) {
  b <- fit$blueprint
  if (!has_variables(b)) return(integer())
  terms <- if (is.null(b$terms)) as.list(seq_along(b$variables)) else b$terms
  exclusive <- vapply(terms, function(term) all(b$types[term] == "factor"), NA)
  in_arrival(rep(ifelse(exclusive, seq_along(terms) - 1L, -1L), blueprint_widths(b)), b)
}

# Names as people write them: "Records = no" for the column Recordsno.
feature_labels <- function(fit) {
  b <- fit$blueprint
  if (!has_variables(b)) return(fit$features)
  pieces <- lapply(seq_along(b$variables), function(k) {
    label <- b$variables[k]
    switch(b$types[k], factor = paste(label, "=", b$levels[[label]]), logical = label, matrix = paste0(label, b$columns[[label]]), label)
  })
  if (is.null(b$terms)) return(in_arrival(unlist(pieces), b))
  unlist(lapply(seq_along(b$terms), function(k) {
    names <- Reduce(function(u, v) as.vector(outer(u, v, paste, sep = " : ")), pieces[b$terms[[k]]])
    if (length(b$terms[[k]]) == 1) names else names[b$kept[[k]]]
  }))
}

# Of each feature its variable; each column of a matrix is one.
feature_variables <- function(fit) {
  if (!has_variables(fit$blueprint)) fit$features else feature_groups(fit$blueprint, length(fit$features))
}

# ---- Shares of variables -------------------------------------------------------------------------------------

#' The share of the variance of the link that combinations of variables have
#'
#' One factor of degree t is the coefficient of z^t in prod_g (1 + sum_m a_gm z^m), over variables g, where a_gm is the ANOVA kernel of
#' degree m of the variable's own columns. With a_gm = mean + rest, the part of a set U of variables is the product of the rests within U
#' and of the means outside, of all powers that make t.
#' @noRd
variable_shares <- function(fit, x, degree, n) {
  if (!fit$model %in% c("hofm", "shared", "simplex")) {
    unsupported(sprintf("`by = \"variable\"` is not there for `model = \"%s\"`: use `sort = \"effect\"`.", fit$model))
  }
  groups <- split(seq_along(fit$features), factor(feature_variables(fit), unique(feature_variables(fit))))
  if (choose(length(groups), degree) > 20000) {
    hofm_abort(sprintf(paste("`by = \"variable\"` would take apart %.0f combinations of %d variables.",
                             "Use `by = \"feature\"` with `sort = \"effect\"`, which finds the largest."),
                       choose(length(groups), degree), length(groups)), argument = "by")
  }
  x <- x[unique(round(seq(1, nrow(x), length.out = 10000))), , drop = FALSE]
  total <- spread(link_values(fit, list(list(x = from_matrix(x), index = NULL)), fit$control$threads))
  terms <- lapply(Filter(Negate(is.null), lapply(seq_len(fit$order), function(t) {
    factors <- degree_factors(fit, t)
    if (!is.null(factors) && t >= degree) c(factors, t = t)
  })), variable_kernels, x = x, groups = groups, single = exclusive_groups(fit))
  sets <- if (length(groups) >= degree) utils::combn(length(groups), degree) else matrix(0L, degree, 0L)
  variance <- apply(sets, 2L, function(set) {
    spread(Reduce(`+`, lapply(terms, set_part, set), numeric(nrow(x))))
  })
  best <- utils::head(order(-variance), n)
  columns <- lapply(seq_len(degree), function(r) names(groups)[sets[r, best]])
  names(columns) <- sprintf("variable_%d", seq_len(degree))
  list2DF(c(columns, list(share = if (total > 0) variance[best] / total else 0 * variance[best])))
}

spread <- function(v) mean((v - mean(v))^2)

# For each variable and m = 1, ..., t the n x k values of its own kernels, taken apart into `mean` and `rest`.
variable_kernels <- function(term, x, groups, single) {
  kernels <- lapply(groups, function(columns) {
    most <- if (length(single) && single[columns[1]] >= 0) 1L else min(term$t, length(columns))
    powers <- if (most == 1L) list(as.matrix(x[, columns, drop = FALSE] %*% term$P[columns, , drop = FALSE]))
    else kernels_of_columns(x, term$P, columns, most)
    means <- lapply(powers, colMeans)
    list(mean = means, rest = Map(function(a, mean) sweep(a, 2L, mean), powers, means))
  })
  list(kernels = kernels, c = term$c, t = term$t)
}

# A^1, ..., A^most of these columns, feature by feature.
kernels_of_columns <- function(x, P, columns, most) {
  sums <- rep(list(matrix(0, nrow(x), ncol(P))), most)
  for (j in columns) {
    step <- outer(x[, j], P[j, ])
    for (m in rev(seq_len(most))) sums[[m]] <- sums[[m]] + step * if (m == 1L) 1 else sums[[m - 1L]]
  }
  sums
}

# The part of one degree that the variables in `set` have together.
set_part <- function(term, set) {
  inside <- Reduce(function(p, g) times_series(p, c(list(0), term$kernels[[g]]$rest), term$t), set, list(1))
  others <- if (term$t > length(set)) setdiff(seq_along(term$kernels), set)     # of top degree there is no room for others
  outside <- Reduce(function(p, g) times_series(p, c(list(1), term$kernels[[g]]$mean), term$t - length(set)), others, list(1))
  total <- 0
  for (m in length(set):term$t) {
    rest <- term$t - m
    if (m + 1L > length(inside) || rest + 1L > length(outside)) next
    scale <- rep_len(outside[[rest + 1L]], length(term$c)) * term$c
    if (is.matrix(inside[[m + 1L]])) total <- total + drop(inside[[m + 1L]] %*% scale)
  }
  if (length(total) == 1) numeric(nrow(term$kernels[[1L]]$rest[[1L]])) else total
}

# The product of two power series, elementwise in their coefficients, up to power `most`.
times_series <- function(a, b, most) {
  lapply(0:min(most, length(a) + length(b) - 2L), function(m) {
    Reduce(`+`, lapply(max(0L, m - length(b) + 1L):min(m, length(a) - 1L), function(u) a[[u + 1L]] * b[[m - u + 1L]]))
  })
}

times_sign <- " \u00d7 "

# "a x b x c", one per row.
interaction_labels <- function(found) {
  do.call(paste, c(unname(found[startsWith(names(found), "feature_")]), sep = times_sign))
}
