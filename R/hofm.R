#' Fit a higher-order factorization machine
#'
#' A factorization machine of order m models the response by all products of up to m distinct features, with
#' weights that form low-rank tensors:
#' \deqn{f(x) = b + \langle w, x\rangle + \sum_{t=2}^m \sum_{s=1}^{k_t} A^t(p_s^{(t)}, x),}{%
#'       f(x) = b + <w, x> + sum_{t=2..m} sum_{s=1..k_t} A^t(p_s^(t), x),}
#' equation (3) of the paper in the kernel form of its equation (6), with an intercept b. \eqn{A^t(p, x)} is
#' the ANOVA kernel, the sum over all sets J of t distinct features of \eqn{\prod_{j \in J} p_j x_j}{prod_{j
#' in J} p_j x_j}, and \eqn{p_s^{(t)}}{p_s^(t)} is column s of the d x k_t matrix \eqn{P^{(t)}}{P^(t)}.
#'
#' @section What is minimised:
#' Equation (4) of the paper, with weights:
#' \deqn{\frac{\sum_i v_i\, \ell(y_i, f(x_i) + o_i)}{\sum_i v_i} + \frac{\lambda_1}{2} \|w\|^2
#'   + \sum_{t=2}^m \frac{\lambda_t}{2} \|P^{(t)}\|^2}{%
#'   sum_i v_i loss(y_i, f(x_i) + o_i) / sum_i v_i + lambda_1/2 |w|^2 + sum_{t=2..m} lambda_t/2 |P^(t)|^2}
#' over b, w and P, where v are the `weights` (all one by default, when the first part is 1/n times the sum of
#' the losses), o is the `offset` (zero by default) and the norms are Euclidean. The intercept b is not
#' penalised. `lambda` is the paper's beta. The objective is not convex for orders above 1: what is found
#' depends on the start. The losses are
#'
#' | `loss` | y | formula |
#' |---|---|---|
#' | `"squared"` | any number; 0, 1 for two classes | \eqn{(y - f)^2 / 2} |
#' | `"huber"` | any number | \eqn{(y - f)^2 / 2} up to an error of one, \eqn{|y - f| - 1/2} beyond |
#' | `"logistic"` | -1, 1 | \eqn{\log(1 + \exp(-y f))}{log(1 + exp(-y f))} |
#' | `"squared_hinge"` | -1, 1 | \eqn{\max(0, 1 - y f)^2}{max(0, 1 - y f)^2} |
#' | `"poisson"` | 0 or more | \eqn{\exp(f) - y f}{exp(f) - y f} |
#' | `"auc"` | -1, 1 | of pairs of samples, see below |
#'
#' `"huber"` is for responses with outliers. Its threshold is one unit of the response, so divide the response by the error above which
#' a value should count as an outlier: 1.345 times the usual spread of the errors loses little where there are none.
#'
#' @section Ranking:
#' `loss = "auc"` fits scores that rank links, or the rows of the second class, above others. The first part of the objective is the
#' mean of
#' \deqn{\log(1 + \exp(-(f(x_i) - f(x_j))))}{log(1 + exp(-(f(x_i) - f(x_j))))}
#' over links i and others j, a smooth bound of one minus the area under the ROC curve; the paper's closing suggestion. Every epoch
#' takes each link once, with another that is drawn anew. Of a matrix, others are the rows of the first class. Of [link_pairs()], they
#' are drawn from all pairs of nodes that are not links, all with the same chance: from (i, j) with i in A and j in B; of one node set
#' without (i, i), and undirected from i < j only. Pairs given with y = 0 count as others like the rest; `negatives = "given"` draws
#' from them alone, and is needed with a `context` or an `offset`. Weights of two rows are multiplied.
#'
#' Only `"adagrad"` (the default) and `"sgd"` can fit it. The intercept would cancel in every difference and is zero. The objective in
#' `trace` is that of a fixed sample of at least ten thousand pairs; `deviance` is twice its loss times the number of links. A score
#' is no probability: `predict(type = "response")` is the score itself, and there is no `type = "class"`.
#'
#' @section Models:
#' `model = "hofm"` is the model above, with a separate P for each degree. The others have one P of d x k, an intercept, and the
#' penalty \eqn{\lambda/2 \|P\|^2}{lambda/2 |P|^2}; section 5 of the paper.
#'
#' | `model` | f(x) - b | also fitted |
#' |---|---|---|
#' | `"shared"` | \eqn{\sum_s A^m([\gamma_s, p_s], [1, \dots, 1, x])}{sum_s A^m([gamma_s, p_s], [1, ..., 1, x])}, m - 1 dummy ones in front of x | `gamma`, (m - 1) x k, penalised like P; `theta`, m x k, the weights of the degrees that it amounts to, \eqn{\sum_s \sum_t \theta_{ts} A^t(p_s, x)}{sum_s sum_t theta_ts A^t(p_s, x)} |
#' | `"simplex"` | \eqn{\sum_s \sum_t \theta_t A^t(p_s, x)}{sum_s sum_t theta_t A^t(p_s, x)} | `theta`, m weights, not negative, with sum 1 |
#' | `"all_subsets"` | \eqn{\sum_s \prod_j (1 + p_{js} x_j)}{sum_s prod_j (1 + p_js x_j)}: products of any number of features | |
#' | `"polynomial"` | \eqn{\sum_s (\gamma_s + \langle p_s, x\rangle)^m}{sum_s (gamma_s + <p_s, x>)^m}: products with repetition | `gamma`, k numbers, penalised like P |
#'
#' Every model takes every loss, and every solver but for `"simplex"`, whose constraint is kept by coordinate descent only.
#'
#' `"bilinear"`, for pairs of nodes only, is \eqn{a_i' U V' b_j}{a_i' U V' b_j}, with the penalty
#' \eqn{\lambda/2 (\|U\|^2 + \|V\|^2)}{lambda/2 (|U|^2 + |V|^2)}.
#'
#' @section Pairs of nodes:
#' The sample of pair (i, j) is the features of i followed by those of j, but such rows are never formed: sums are kept per node.
#' Coordinate descent for the squared loss, the default here as in the paper, takes the same steps as on the joined rows; for
#' the other losses with bounded curvature the bound is renewed once per block and factor instead of once per factor.
#'
#' `negatives = "all"` trains on all pairs of nodes, links with response 1 and all others with response 0, exactly and
#' without visiting them: the objective is
#' \deqn{\frac{\sum_{links} (1 - f)^2 / 2 + w_0 \sum_{others} f^2 / 2}{n_{links} + w_0 n_{others}}}{%
#'   (sum over links of (1 - f)^2 / 2 + w0 sum over others of f^2 / 2) / (n_links + w0 n_others)}
#' plus the penalties, with w0 the `negative_weight`. Pairs given with response 0 count as others like the rest. Of one node
#' set, pairs (i, i) are left out; without direction, a link counts as (i, j) and as (j, i). It needs the squared loss,
#' coordinate descent, and a model whose kernel is a product form: `"hofm"`, `"shared"`, `"all_subsets"` or `"bilinear"`.
#'
#' "The same word on both sides" is thousands of products to a model of factors, and one number to a cosine. `common = TRUE` adds one
#' weight times the cosine of the two nodes, which is fitted with the rest and not penalised. For it, a feature is divided by
#' the root mean square of its nonzeros and multiplied by \eqn{\sqrt{\log(1 + n / n_j)}}{sqrt(log(1 + n / n_j))} if \eqn{n_j}{n_j} of
#' the n nodes have it; one that all nodes have is centred first. `fit$common` has the weight and these numbers. One weight for each
#' feature was tried, and gained nothing on citation graphs.
#'
#' `standardize = TRUE` makes these the features of the whole model: columns scaled so, and the row of a node brought to length one. Of
#' what was tried (features as they are; columns scaled, with and without the logarithm; rows then brought to length one, or not), this
#' served best on words, on counts and on features between 1.5 and 16; zeros stay zeros. It is learned from the nodes, kept in the fit, and
#' applied to new nodes.
#'
#' In an undirected graph of one node set (i, j) and (j, i) are the same pair and have the same score (`tied`). Training sees every pair
#' both ways round; the objective is convex in what the factors multiply up to, so that its minimum has equal sides, and the fit is brought
#' to that form: `P` of order 2 is U above U D, and V of a bilinear model is U D, D a diagonal of signs, which are half the
#' parameters. Models of higher order, and the others, have no such form: of them the scores of (i, j) and (j, i) are averaged.
#'
#' `common = FALSE`, `tied = FALSE` and `standardize = FALSE` with `negatives = "given"` is the model of the paper.
#'
#' What is not given of `model`, `lambda` and `negative_weight` is chosen by a fifth of the training links that is held out, several times
#' where they are few: first a model without factors is tried, then penalties of a bilinear model and of one of order 2, each of
#' which has to be better by half a standard error of the area under the curve, then weights of negatives. The fit ends at `tol = 1e-3`
#' if `control` has no `tol`. A default `rank` of 16 serves graphs of a few thousand nodes.
#'
#' @section Formulas and data frames:
#' A factor or character variable becomes one 0/1 column for *each* level that occurs (no contrasts: the
#' penalty makes them unnecessary), named as in [glm()]; a logical variable becomes one column; numbers stay.
#' Columns are sparse from the first moment. Matrix-valued terms such as `poly(a, 2)`, products `a:b` and
#' `offset()` work as in [glm()], though products of features are part of the model already; of a product of
#' factors, only the combinations that occur get a column. `- 1` leaves out the intercept. `y ~ .` is fast for
#' any number of columns.
#'
#' A two-class response takes the second level as the positive class, as in [glm()]; character values are
#' sorted. Columns of matrices are matched by name at predict time, so names must be unique; a matrix without
#' column names gets `V1`, `V2`, ... and is matched by position.
#'
#' @section Choosing what to fit:
#' Nothing has to be chosen: columns are brought to a common scale and `lambda` is chosen from the data, each degree for itself.
#'
#' `standardize = TRUE` leaves columns of 0 and 1 as they are. A column with few zeros (less than half of the rows) gets mean 0 and
#' standard deviation 1, and any other column, which keeps its zeros, is divided by the root mean square of the rest. Only the values
#' count, not what holds them. The response of the squared loss is measured in its standard deviation. What was done is part of the
#' fit, and `predict()` does it to new rows. `coef(fit, scale = "original")` has the parameters for the columns as they were given.
#' `standardize = FALSE` is the paper's scale.
#'
#' `lambda` decides most. It is the weight of half the sum of the squared parameters beside the *mean* loss of a row: 0 fits as closely as
#' the model can, a large value pulls everything but the intercept to zero. *A number is on the scale of the standardised columns and
#' response, unless* `standardize = FALSE`. `NULL` chooses on rows that are held out: ten or five folds of up to 5,000 rows, one
#' split of more or of very long rows, from at most a million rows. Degree 1 comes first; each higher degree is added if it lowers the
#' held-out loss by more than a standard error (from degree 3 on, two), and is left at zero otherwise (`fit$tuning$off`); in the end all
#' penalties are moved together. That takes the time of about ten fits, and `set.seed()` or a `seed` in the control makes it reproducible.
#'
#' `penalty_factor` multiplies the penalties of single features, for all degrees. Where `lambda` is `NULL` and it is not given, groups of
#' features that differ in how many rows they have, such as persons and their sex, may get different ones: see `groups`.
#'
#' `order = 2` is a good first choice, 1 the comparison to make, and 3 is worth a try where rows have many nonzeros and there are many
#' rows. A `rank` of 4 to 8 is a good start; ratings and links with many nodes may gain from 16 to 64. More rank costs time
#' rather than accuracy, as long as `lambda` is chosen with it.
#'
#' `solver = "auto"` takes coordinate descent, which has no step to tune; L-BFGS for the Poisson loss and for `model = "polynomial"`, whose
#' coordinate steps must be tried out; and AdaGrad for `loss = "auc"`, whose pairs are drawn on the fly.
#'
#' @param x A formula; or a data frame, a base matrix (double, integer or logical) or any matrix of the Matrix
#'   package, with a row for each sample. `data |> hofm(y ~ .)`, the data before the formula, is understood as well.
#' @param data A data frame with the variables of the formula.
#' @param y The response: numeric; or with two classes logical, factor or character. A factor or character vector of more than two
#'   classes gives a fit of class [hofm_classes]. Two columns, `cbind(success, failure)`, are counts of two outcomes as in [glm()], and
#'   with `loss = "logistic"` numbers between 0 and 1 are proportions, with `weights` that say of how many.
#' @param order The highest degree m of feature combinations, 1 to 20. Order 1 is ridge or logistic ridge
#'   regression. The models `"all_subsets"` and `"bilinear"` have none: leave it out, or give `NA`.
#' @param rank The number k of columns of each \eqn{P^{(t)}}{P^(t)}: one number, or one for each degree 2,
#'   ..., `order`. 0 leaves that degree out.
#' @param lambda The penalties: how strongly parameters are pulled to zero, see below. `NULL`, the default, chooses them from the data;
#'   otherwise one number, or one for each degree 1, ..., `order`. For pairs of nodes `NULL`, the default, chooses one number, and the weight of negatives, by links that are held out of the
#'   training links; `fit$tuning` says what was tried.
#' @param model The kind of model; `"hofm"` has a separate P for each degree. For pairs of nodes `NULL`, the default, takes the better of
#'   `"hofm"` and `"bilinear"`, by links that are held out, if neither `lambda` nor `order` is given; otherwise it is `"hofm"`.
#' @param loss `"squared"`, `"huber"`, `"logistic"`, `"squared_hinge"`, `"poisson"` or `"auc"`. By default logistic for a
#'   two-class response (factor, logical or character) and squared for a numeric one.
#' @param solver `"cd"` (coordinate descent), `"lbfgs"`, `"adagrad"`, `"sgd"`, or `"auto"` to have one chosen;
#'   `fit$solver` says which, and the section below when.
#' @param intercept Whether to fit the intercept b.
#' @param linear Whether to fit the degree-1 term <w, x>. `NULL` means yes.
#' @param weights Non-negative weights of the rows. A weight of 2 is the same as the row given twice with all
#'   others once: the loss is a weighted mean.
#' @param offset A number for each row that is added to f, on the scale of the link. When given, `predict()`
#'   needs one too.
#' @param negatives,negative_weight For pairs of nodes: `"given"` trains on the pairs as they are; `"all"` on every pair of nodes, see
#'   below, with the weight `negative_weight` for each pair that is not a link (by default such that links and other pairs have the
#'   same weight in total). `NULL`, the default, is `"all"` wherever that is possible.
#' @param common For pairs of nodes: whether the model has a weight for what two nodes have in common, the cosine of their features, see
#'   below. `NULL`, the default, is `TRUE` wherever that is possible: for one node set, or two with features of the same names, and
#'   solvers `"cd"` and `"lbfgs"`.
#' @param tied For pairs of nodes: whether (i, j) and (j, i) have the same score, with half the parameters, see below. `NULL`, the default, is
#'   `TRUE` for undirected graphs of one node set, where alone it is possible.
#' @param subset,na.action As in [glm()]; `weights`, `offset` and `subset` of the formula method are evaluated
#'   in `data`.
#' @param init A fit to start from, with the same features, order and rank, or a list with some of
#'   `intercept`, `w` and `P`. Epochs of `"adagrad"` and `"sgd"` that start from a fit by the same solver and with the same seed are
#'   those that would have come next.
#' @param control Settings of the solver: see [hofm_control()].
#' @param standardize Whether to bring columns, and the response of the squared loss, to a common scale first; see below.
#' @param penalty_factor `NULL`, or positive numbers, one for each feature (with names of features in any order): relative penalties, as
#'   `penalty.factor` of glmnet.
#' @param groups Which features belong together when their penalties are chosen: `NULL` for the variables of a formula or data frame, or
#'   names, numbers or a factor with a value for each feature.
#' @param ... Nothing: an unknown argument is an error.
#' @return An object of class `hofm`, a plain list without the training data, which [saveRDS()] keeps whole.
#'   Among its fields:
#'   \item{intercept, w, P}{the parameters: a number, a named vector, and a list of matrices named by degree,
#'     with a row for each feature.}
#'   \item{order, rank, lambda, model, loss, solver}{what was fitted; rank and lambda with one value for each
#'     degree.}
#'   \item{tuning}{where `lambda` was chosen: `table`, what was tried, with the mean deviance of rows held out; `loss`, that of
#'     the choice, and `null`, that of the best constant; `off`, degrees that did not help; `exponent`, how far penalties follow the
#'     number of rows that a group of features has.}
#'   \item{objective, trace, converged}{the value reached; a data frame with columns iteration, seconds and
#'     objective; and whether the solver converged.}
#'   \item{deviance, null.deviance}{weighted sum of twice the loss above its least possible value, for the fit
#'     and for the best constant.}
#'   \item{validation}{if rows were held out (see [hofm_control()]): a list with their numbers `rows`, a data frame `trace` of the loss
#'     on them after each epoch, and the `best` epoch, whose parameters the fit has.}
#'   \item{steps}{for `"adagrad"` and `"sgd"`: what `init = fit` needs to go on as if there had been no pause.}
#'   \item{seed, features, call, control, n, format_version}{for the record.}
#'   \item{linear.predictors, residuals, prior.weights}{of the training rows, unless `control` says
#'     otherwise.}
#'   \item{meeting}{which features never met in a training row, for [interactions()]: absent where it is dear to know, see there.}
#' @references Blondel, M., Fujino, A., Ueda, N. and Ishihata, M. (2016). Higher-Order Factorization Machines.
#'   *Advances in Neural Information Processing Systems* 29.
#' @seealso [predict.hofm()], [summary.hofm()], [plot.hofm()], [hofm_control()].
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 100, 3, dimnames = list(NULL, c("a", "b", "c")))
#' y <- x[, "a"] + x[, "b"] * x[, "c"] + rnorm(100, sd = 0.1)
#' fit <- hofm(x, y, order = 2, rank = 2, lambda = 1e-3)
#' fit
#' predict(fit, x[1:3, ])
#'
#' cars <- transform(mtcars, am = am == 1, cyl = factor(cyl), hp = hp / 100)
#' hofm(am ~ cyl + hp + wt, cars, rank = 2, lambda = 0.01)
#' @export
hofm <- function(x, ...) UseMethod("hofm")

#' @rdname hofm
#' @export
hofm.formula <- function(x, data = NULL, order = 2, rank = 8, lambda = NULL, model = "hofm", loss = NULL,
                         solver = "auto", intercept = TRUE, linear = NULL, weights, offset, subset, na.action,
                         init = NULL, control = hofm_control(), standardize = TRUE, penalty_factor = NULL, groups = NULL, ...) {
  if (missing(x)) return(eval(formula_as_x(match.call()), parent.frame()))
  call <- resolve_dots(match.call(), parent.frame())
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  spec <- check_spec(if (!missing(order)) order, rank, lambda, model, loss, solver, intercept, linear)
  parts <- read_formula(x, data, call, parent.frame())
  spec$intercept <- spec$intercept && parts$intercept
  spec <- with_scales(spec, standardize, penalty_factor, groups, parts$blueprint)
  fit_checked(parts, spec, init, control, tidy_call(call, environment(parts$blueprint$formula)))
}

#' @rdname hofm
#' @export
hofm.matrix <- function(x, y, order = 2, rank = 8, lambda = NULL, model = "hofm", loss = NULL,
                        solver = "auto",
                        intercept = TRUE, linear = NULL, weights = NULL, offset = NULL, init = NULL,
                        control = hofm_control(), standardize = TRUE, penalty_factor = NULL, groups = NULL, ...) {
  if (!missing(y) && inherits(y, "formula")) return(eval(data_as_data(match.call(), hofm), parent.frame()))
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  spec <- check_spec(if (!missing(order)) order, rank, lambda, model, loss, solver, intercept, linear)
  parts <- matrix_parts(x, y, weights, offset)
  spec <- with_scales(spec, standardize, penalty_factor, groups, parts$blueprint)
  fit_checked(parts, spec, init, control, tidy_call(resolve_dots(match.call(), parent.frame())))
}

#' @rdname hofm
#' @export
hofm.Matrix <- hofm.matrix

#' @rdname hofm
#' @export
hofm.data.frame <- hofm.matrix

#' @rdname hofm
#' @export
hofm.link_pairs <- function(x, order = 2, rank = 16, lambda = NULL, model = NULL, loss = "squared", solver = "auto",
                            intercept = TRUE, linear = NULL, negatives = NULL, negative_weight = NULL,
                            common = NULL, tied = NULL, weights = NULL, offset = NULL, init = NULL, control = hofm_control(),
                            standardize = TRUE, ...) {
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  call <- tidy_call(resolve_dots(match.call(), parent.frame()))
  if (inherits(init, "hofm") && is.null(lambda)) {                        # a fit goes on with what was chosen for it
    lambda <- if (length(unique(init$lambda)) == 1L) unique(init$lambda) else init$lambda
    if (is.null(model)) model <- init$model
    if (is.null(negative_weight) && !identical(negatives, "given")) negative_weight <- init$negatives$weight
  }
  spec <- check_spec(if (!missing(order)) order, rank, if (is.null(lambda)) 1e-3 else lambda, if (is.null(model)) "hofm" else model,
                     loss, solver, intercept, linear, links = TRUE)
  check_pairs(x, "x")
  scaled <- standardize_nodes(x, standardize, intercept)
  asked <- list(common = common, tied = tied, negatives = negatives, negative_weight = negative_weight, weights = weights, offset = offset)
  if (!is.null(lambda)) return(fit_links(scaled, spec, asked, init, control, call))
  models <- if (is.null(model) && missing(order) && takes_bilinear(x, spec, linear, init)) c("bilinear", "hofm") else spec$model
  tuned_links(scaled, spec, models, asked, init, control, call)
}

#' A fit to pairs whose nodes are on the scale that the model sees
#' @param scaled What standardize_nodes() gives.
#' @param asked Arguments of hofm() that only pairs have, weights and offset.
#' @noRd
fit_links <- function(scaled, spec, asked, init, control, call) {
  pairs <- scaled$pairs
  spec$split <- ncol(pairs$A)
  spec$common <- check_common(asked$common, pairs, spec, scaled$standard)
  spec$tied <- check_tied(asked$tied, pairs)
  check_blocks(pairs, spec)
  negatives <- check_negatives(asked$negatives, pairs, spec, asked$weights, asked$offset, asked$negative_weight)
  parts <- link_parts(pairs, spec, negatives, asked$negative_weight, asked$weights, asked$offset)
  parts$blueprint$standard <- scaled$standard
  fit_checked(parts, spec, init, control, call)
}

#' Samples, and what is trained on where that is something else
#' @noRd
link_parts <- function(pairs, spec, negatives, negative_weight, weights, offset) {
  parts <- sample_parts(pairs, spec, negatives, negative_weight, weights, offset)
  ranked <- identical(spec$loss, "auc")
  if (negatives == "all" && !ranked) {
    parts$training <- all_pairs_problem(pairs, check_all_pairs(parts, spec, negative_weight, pairs), spec$common)
    parts$task <- parts$training$task
    return(parts)
  }
  if (!is.null(negative_weight) && !ranked) {
    hofm_abort("`negative_weight` needs `negatives = \"all\"`.", argument = "negative_weight")
  }
  if (spec$tied) {
    weights <- check_weights(weights, parts$n)$given
    offset <- if (parts$offset_given) check_offset(offset, parts$n)
    both <- sample_parts(mirrored_pairs(pairs), spec, negatives, negative_weight, c(weights, weights), c(offset, offset))
    parts$training <- c(row_problem(both, spec)$problem, list(mirrored = TRUE))
  }
  parts
}

sample_parts <- function(pairs, spec, negatives, negative_weight, weights, offset) {
  parts <- pair_parts(pairs, weights, offset)
  parts$blocks <- compared_blocks(parts$blocks, spec$common)
  if (identical(spec$loss, "auc")) check_auc_negatives(pairs, parts, negatives, negative_weight) else parts
}

#' @rdname hofm
#' @export
hofm.default <- function(x, ...) {
  need <- "a formula, a matrix, a Matrix or a data frame"
  if (missing(x)) hofm_abort(sprintf("`x` is missing: it must be %s.", need), argument = "x")
  must_be("x", need, x)
}

# `hofm(formula = y ~ a, ...)`, as one would write it for glm().
formula_as_x <- function(call) {
  names(call)[names(call) == "formula"] <- "x"
  call[[1]] <- hofm
  call
}

# `data |> hofm(y ~ a)`: the formula is where the response of a matrix would be.
data_as_data <- function(call, generic) {
  names(call)[match(c("y", "x"), names(call))] <- c("x", "data")
  call[[1]] <- generic
  ahead <- match(c("x", "data"), names(call))
  call[c(1, ahead, setdiff(seq_along(call)[-1], ahead))]
}

solver_names <- function() c("auto", "cd", "lbfgs", "adagrad", "sgd")

#' Everything that says what to fit, checked
#' @param order,linear NULL if not given.
#' @noRd
check_spec <- function(order, rank, lambda, model, loss, solver, intercept, linear, links = FALSE) {
  model <- check_model(model, links)
  rules <- model_table()[[model]]
  order <- check_order(order, model, rules)
  linear <- check_linear(linear, model, rules)
  spec <- list(
    model = model, order = order, rank = check_rank(rank, order, rules),
    lambda = check_lambda(if (is.null(lambda)) 1e-3 else lambda, order, rules), tune = is.null(lambda),
    loss = if (!is.null(loss)) check_choice(loss, "loss", names(loss_table())),
    solver = check_solver(solver, model, rules), intercept = check_flag(intercept, "intercept"), linear = linear)
  if (!linear && !any(spec$rank > 0)) {
    hofm_abort("There is nothing to fit: there is no linear term and no degree has a positive `rank`.", argument = "rank")
  }
  check_pairwise(spec)
}

# How features are scaled and penalised: what only fits to rows have.
with_scales <- function(spec, standardize, penalty_factor, groups, blueprint) {
  spec$standardize <- check_flag(standardize, "standardize")
  spec["penalty_factor"] <- list(check_penalty_factor(penalty_factor, blueprint$features))
  spec$groups <- check_groups(groups, blueprint)
  spec
}

check_model <- function(model, links) {
  model <- check_choice(model, "model", model_names())
  if (model != "bilinear" || links) return(model)
  hofm_abort("`model = \"bilinear\"` is for link_pairs() only: it multiplies features of two nodes.", argument = "model")
}

check_order <- function(order, model, rules) {
  if (is.null(rules$orders)) {
    if (is.null(order) || is_unset(order)) return(NA_integer_)
    hofm_abort(sprintf("`order` must not be given for `model = \"%s\"`: %s.", model, if (model == "bilinear") {
      "it is of degree 2"
    } else {
      "it has products of any number of features"
    }), argument = "order")
  }
  if (is.null(order)) 2L else check_count(order, "order", min = rules$orders[1], max = rules$orders[2])
}

# NA says that there is none, as the field `order` of such a fit does.
is_unset <- function(order) is.atomic(order) && length(order) == 1 && is.na(order) && !is.nan(order)

check_linear <- function(linear, model, rules) {
  linear <- if (is.null(linear)) rules$linear else check_flag(linear, "linear")
  if (linear && !rules$linear) {
    hofm_abort(sprintf("`linear` must not be TRUE for `model = \"%s\"`: it has no linear term apart from its kernel.", model),
               argument = "linear")
  }
  linear
}

check_rank <- function(rank, order, rules) {
  if (!rules$per_degree) return(check_count(rank, "rank"))
  if (order == 1) check_idle_rank(rank) else check_per_degree(rank, "rank", seq_len(order)[-1], whole = TRUE)
}

check_lambda <- function(lambda, order, rules) {
  if (rules$per_degree) check_per_degree(lambda, "lambda", seq_len(order)) else check_number(lambda, "lambda", min = 0)
}

check_solver <- function(solver, model, rules) {
  solver <- check_choice(solver, "solver", solver_names())
  if (solver == "auto" || solver %in% rules$solvers) return(solver)
  hofm_abort(sprintf("`solver` must be \"auto\" or %s for `model = \"%s\"`, not \"%s\": %s.",
                     enumerate(quoted(rules$solvers)), model, solver, rules$why), argument = "solver")
}

# At order 1 there is no P, so that a rank (such as the default) means nothing; nonsense is still an error.
check_idle_rank <- function(rank) {
  if (length(rank)) check_per_degree(rank, "rank", seq_along(rank), whole = TRUE)
  integer(0)
}

#' What the methods for matrices and data frames hand on: columns, response, weights and offset
#' @noRd
matrix_parts <- function(x, y, weights, offset) {
  if (missing(y)) hofm_abort("`y`, the response, is missing.", argument = "y")
  c(learn_design(x), list(y = y, weights = weights, offset = offset, offset_given = !is.null(offset)))
}

#' The same of pairs of nodes, whose columns are in blocks
#' @noRd
pair_parts <- function(pairs, weights, offset) {
  list(blocks = pair_blocks(pairs), n = length(pairs$i), y = as.double(pairs$y), weights = weights, offset = offset,
       offset_given = !is.null(offset), blueprint = list(kind = "matrix", features = pairs$features, named = TRUE))
}

#' From checked columns to a fit
#' @param parts A list: `x`, `blueprint`, `y`, `weights`, `offset`, `offset_given` and perhaps `na.action`; or `blocks`
#'   and `n` in place of `x`. `task` says what is learned, see fit.R, if it is not the rows as they are; for all pairs of nodes
#'   `training` is the problem that is trained on, and the rows are those that measures of the fit are about.
#' @param remarks Whether to say what a user should hear of the fit: not of one of many.
#' @noRd
fit_checked <- function(parts, spec, init, control, call, remarks = TRUE) {
  if (has_many_classes(parts$y, spec$loss)) return(fit_classes(parts, spec, init, control, call))
  if (!is.null(parts$x) && is_proportions(parts$y, spec$loss)) return(fit_proportions(parts, spec, init, control, call))
  control <- check_control(control, length(factor_names(spec)))
  check_parameter_count(length(parts$blueprint$features), spec$rank)
  checked <- row_problem(parts, spec)
  problem <- checked$problem
  spec <- settled_spec(spec, checked, control)
  init <- check_init(init, problem$features, spec)
  training <- if (is.null(parts$training)) problem else parts$training
  engine <- switch(training$task$kind,
    all_pairs = fit_model(training, replace(spec, "solver", "cd"), control, init, report_on = problem$blocks),
    fit_penalised(training, spec, control, init))
  if (isTRUE(spec$tied)) engine <- tie_engine(engine, training, problem, spec, control)
  fit <- new_hofm(engine, problem, spec, control, response_facts(checked$response), checked$weights, checked$parts, call)
  if (remarks) remark_on_fit(fit, training, spec)
  fit
}

# The loss that suits the response, its unit, and penalties that suit the rows where none were given.
settled_spec <- function(spec, checked, control) {
  spec$loss <- checked$response$loss
  spec$unit <- if (isTRUE(spec$standardize)) response_unit(checked$problem, spec$loss) else 1
  if (!isTRUE(spec$tune) || is.null(spec$standardize) || is.null(loss_facts(spec$loss)$deviance)) return(spec)
  problem <- replace(checked$problem, "blocks", list(penalised_blocks(checked$problem$blocks, spec$penalty_factor)))
  begun <- proc.time()[["elapsed"]]
  chosen <- tune_penalties(problem, spec, control, if (is.null(spec$penalty_factor)) spec$groups)
  if (is.null(chosen)) return(spec)
  chosen$tuning$seconds <- proc.time()[["elapsed"]] - begun
  spec[c("lambda", "off", "tuning")] <- chosen[c("lambda", "off", "tuning")]
  if (!is.null(chosen$penalty_factor)) spec$penalty_factor <- chosen$penalty_factor
  spec
}

# Features with penalties of their own: see penalised_blocks().
fit_penalised <- function(problem, spec, control, init) {
  times <- if (!is.null(spec$penalty_factor)) sqrt(spec$penalty_factor)
  problem$blocks <- penalised_blocks(problem$blocks, spec$penalty_factor)
  engine <- fit_model(problem, spec, control, scale_features(init, times))
  scale_features(engine, if (!is.null(times)) 1 / times)
}

#' Columns, response, weights and offset, checked against each other, as the engine takes them
#' @param loss NULL for the one that suits the response.
#' @return A list: `problem` (see fit.R), `response` (as code_response() gives it), `weights` (as given).
#' @noRd
row_problem <- function(parts, spec) {
  n <- if (is.null(parts[["n"]])) nrow(parts$x) else parts[["n"]]   # `$n` would also find `na.action`
  check_columns(parts$blueprint$features)
  check_response_length(parts$y, n)
  response <- code_response(parts$y, spec$loss)
  weights <- check_weights(parts$weights, n)
  if (isTRUE(spec$standardize)) parts <- standardize_parts(parts, weights$share, spec$intercept)
  task <- if (is.null(parts$task)) row_task_value(response$loss) else parts$task
  if (is.null(parts$task)) check_varies(response, weights$share)
  blocks <- if (is.null(parts$blocks)) list(list(x = parts$x, index = NULL)) else parts$blocks
  problem <- list(blocks = blocks, n = n, features = parts$blueprint$features, y = response$y, weights = weights$share,
                  offset = check_offset(parts$offset, n), task = task)
  list(problem = problem, response = response, weights = weights$given, parts = parts)
}

# What is learned from rows as they are: a ranking of the two classes, or the response.
row_task_value <- function(loss) list(kind = if (loss == "auc") "ranking" else "samples")

# Interactions in a formula keep the columns that occur, which may be none.
check_columns <- function(features) {
  if (length(features)) return(invisible())
  hofm_abort("`x` must have at least one column that is not zero in every row: there is nothing to fit.", argument = "x")
}

check_response_length <- function(y, n) {
  if (NROW(y) == n) return(invisible())
  hofm_abort(sprintf("`y` must have one value for each of the %d rows, not %d values.", n, NROW(y)),
             argument = "y")
}

# The core counts the cells of a matrix in integers. In memory there are at least four numbers for each parameter at a time: the start,
# the solver's own, their slopes or where they were before, and the result or what is tried.
check_parameter_count <- function(d, rank, memory = memory_bytes()) {
  count <- as.double(d) * sum(as.double(rank))
  if (as.double(d) * max(rank, 0) > .Machine$integer.max) {
    hofm_abort(sprintf("`rank` must be smaller: %d features times a rank of %d are more than %d parameters.",
                       d, max(rank), .Machine$integer.max), argument = "rank")
  }
  if (4 * 8 * count <= memory) return(invisible())
  hofm_abort(sprintf(paste("`rank` must be smaller: %d features and a rank of %s make %.3g parameters, which need about %.0f GB of",
                           "memory, and there are %.0f."), d, per_degree(rank), count, 32 * count / 1e9, memory / 1e9),
             argument = "rank")
}

# What the machine has, where the system tells; else what a good one has.
memory_bytes <- function() {
  lines <- tryCatch(readLines("/proc/meminfo", n = 5), error = function(e) character(), warning = function(e) character())
  total <- suppressWarnings(as.double(gsub("[^0-9]", "", grep("^MemTotal:", lines, value = TRUE))))
  if (length(total) == 1 && is.finite(total) && total > 0) 1024 * total else 16 * 2^30
}

# A function that hands its own `...` on has arguments such as `..2` in the call, which mean nothing
# elsewhere: put what was written for them in their place.
resolve_dots <- function(call, caller) {
  index <- vapply(as.list(call), dot_number, 0L)
  if (all(is.na(index))) return(call)
  written <- as.list(eval(quote(substitute(list(...))), caller))[-1]
  for (k in which(index <= length(written))) call[[k]] <- written[[index[k]]]
  call
}

# 2 for the symbol `..2`, NA for anything else.
dot_number <- function(arg) {
  name <- if (is.symbol(arg)) as.character(arg) else ""
  if (grepl("^[.][.][0-9]+$", name)) as.integer(substring(name, 3)) else NA_integer_
}

# The call as the user would type it again. Data that came in by value, as do.call() passes it, must not stay
# in the fit.
tidy_call <- function(call, env = globalenv()) {
  call[[1]] <- quote(hofm)
  for (k in seq_along(call)[-1]) {
    value <- call[[k]]
    if (missing(value) || is.symbol(value)) next
    if (inherits(value, "formula") && !is.null(environment(value))) {
      environment(value) <- env
      call[[k]] <- value
    } else if (!is.call(value) && utils::object.size(value) > 5000) {
      call[[k]] <- as.name(sprintf("<%s>", class(value)[1]))
    }
  }
  call
}
