# What a user should hear of data that may not mean what they seem to, and of a fit that stands but may not be what was wanted. Each is a
# warning or a message with a class, given once for a fit, by fit_checked() and by the reader of data frames.

remark_on_fit <- function(fit, problem, spec) {
  if (!isTRUE(fit$converged)) remark_on_convergence(fit)
  if (problem$task$kind == "samples" && fit$deviance > fit$null.deviance * (1 + 1e-3)) remark_on_null(fit)
  remark_on_idle(problem, spec)
}

# Stochastic solvers are often asked for a number of epochs, or stop early by held-out rows.
remark_on_convergence <- function(fit) {
  asked <- fit$solver %in% c("sgd", "adagrad") && (!is.null(fit$control$max_iter) || !is.null(fit$validation))
  if (asked) return(invisible())
  hofm_warn(sprintf("The fit is %s.", fit$message), "hofm_warning_not_converged")
}

remark_on_null <- function(fit) {
  hofm_warn(sprintf(paste("The fit is worse than its own null model: its deviance is %s, that of the best constant %s.",
                          "Try another `solver`, a larger `max_iter` or a smaller `eta` in hofm_control(), or another start."),
                    format(fit$deviance, digits = 5), format(fit$null.deviance, digits = 5)), "hofm_warning_worse_than_null")
}

# Two factors make rows of two ones: there is no product of three.
remark_on_idle <- function(problem, spec) {
  if (spec$model != "hofm" || problem$task$kind == "shards") return(invisible())
  degrees <- fitted_degrees(spec)
  idle <- degrees[!rows_reach(problem, degrees) & degrees <= length(problem$features)]
  if (!length(idle)) return(invisible())
  hofm_warn(sprintf(paste("There is nothing to fit for degree %s: no row has %d features that are not zero.",
                          "`order = %d` gives the same fit sooner."), enumerate(idle), min(idle), min(idle) - 1L),
            "hofm_warning_idle_degree")
}

# Weights of zero are an answer, but not to the question that was asked.
remark_on_off <- function(degree) {
  hofm_inform(sprintf(paste("Degree %d is left at zero in this fit, since it did not help on rows held out: all its weights are zero.",
                            "A `lambda` of your own fits it all the same."), degree))
}

# Numbers that stand for persons or things: their size means nothing, and neither does a slope.
remark_on_ids <- function(values, names, types) {
  for (k in which(types == "numeric" & is_id_name(names))) {
    distinct <- length(unique(values[[k]]))
    if (distinct < 100 || !all(values[[k]] == round(values[[k]]), na.rm = TRUE)) next
    hofm_inform(sprintf("%s has %d whole numbers and is taken as a number; factor(%s) would make it a factor with a level for each.",
                        ticked(names[k]), distinct, names[k]), variable = names[k])
  }
}

is_id_name <- function(names) {
  things <- "id|user|item|movie|product|customer|client|subject|person|patient|student|teacher|school|store|shop|account|member|zip|sku"
  grepl(sprintf("(^|[._ ])(%s)s?([._ ]?(id|no|nr|num|number|code|key))?$", things), tolower(names)) | grepl("[a-z]I[Dd]$", names)
}

# A random intercept of lme4, which a factor is here.
refuse_bars <- function(formula) {
  for (leaf in signed_leaves(formula[[3]])) {
    inner <- leaf$expr
    while (is.call(inner) && identical(inner[[1]], quote(`(`))) inner <- inner[[2]]
    if (!is.call(inner) || !(identical(inner[[1]], quote(`|`)) || identical(inner[[1]], quote(`||`)))) next
    group <- deparsed(inner[[3]])
    hofm_abort(sprintf("`x` has the term %s, which is for mixed models. A factor is all you need, its levels are penalised here: write %s.",
                       ticked(deparsed(leaf$expr)), ticked(group)), argument = "x")
  }
}
