# Predictions and facts of models of other packages, for compare_models(): each class says in one place how
# its predict() wants to be called and how large a model is. A class that is not here is called as
# predict(model, newdata = ).

#' How models of a class are asked for the mean of the response
#'
#' Each element takes the model, the new data, further arguments of predict() and whether there are two
#' classes.
#' @noRd
predict_table <- function() {
  on_response_scale <- function(model, newdata, args, two) {
    call_predict(model, list(newdata = newdata, type = "response"), args)
  }
  list(
    "function" = function(model, newdata, args, two) do.call(model, c(list(newdata), args)),
    hofm = on_response_scale, cv_hofm = on_response_scale, bayes_hofm = on_response_scale, glm = on_response_scale,
    glmnet = predict_glmnet, cv.glmnet = predict_glmnet,
    ranger = function(model, newdata, args, two) call_predict(model, list(data = newdata), args)$predictions,
    model_fit = predict_parsnip, workflow = predict_parsnip,
    Learner = function(model, newdata, args, two) {
      call_predict(model, list(newdata = newdata, predict_type = if (two) "prob" else "response"), args)
    }
  )
}

# What the user gave comes first.
call_predict <- function(model, defaults, args) {
  do.call(stats::predict, c(list(model), args, defaults[setdiff(names(defaults), names(args))]))
}

# glmnet matches columns by position; here they go by name where both sides have names.
predict_glmnet <- function(model, newdata, args, two) {
  beta <- if (is.null(model$glmnet.fit)) model$beta else model$glmnet.fit$beta
  if (is.null(args$newx)) newdata <- columns_for(newdata, rownames(beta))
  call_predict(model, list(newx = newdata, type = "response"), args)
}

columns_for <- function(newdata, features) {
  if (is.null(colnames(newdata)) || is.null(features)) return(newdata)
  newdata <- newdata[, match_columns(colnames(newdata), features, "newdata"), drop = FALSE]
  if (is.data.frame(newdata)) data.matrix(newdata) else newdata
}

predict_parsnip <- function(model, newdata, args, two) {
  found <- call_predict(model, list(new_data = newdata, type = if (two) "prob" else "numeric"), args)
  stats::setNames(found, sub("^[.]pred_", "", names(found)))
}

#' One number for each row, higher for the second class
#' @param levels The names of the two classes, or NULL for a regression.
#' @noRd
model_scores <- function(model, name, newdata, args, levels, n) {
  how <- predict_table()[[known_class(model, predict_table())]]
  if (is.null(how)) how <- function(model, newdata, args, two) call_predict(model, list(newdata = newdata), args)
  found <- tryCatch(how(model, newdata, args, !is.null(levels)), error = function(e) abort_prediction(e, name))
  scores <- as_scores(found, name, levels)
  if (length(scores) == n) return(as.double(scores))
  hofm_abort(sprintf("%s must give one prediction for each of the %d rows of `newdata`, not %d.", model_label(name),
                     n, length(scores)), c("hofm_error_prediction", "hofm_error_input"), argument = "models",
             model = name)
}

# The first of the model's classes that the table has, or "" for none.
known_class <- function(model, table) {
  known <- if (is.function(model)) "function" else intersect(class(model), names(table))
  if (length(known)) known[1] else ""
}

check_has_predict <- function(model, name) {
  if (is.function(model)) return(invisible())
  has_method <- function(class) !is.null(utils::getS3method("predict", class, optional = TRUE))
  if (any(vapply(class(model), has_method, NA))) return(invisible())
  if (isS4(model) && methods::existsMethod("predict", class(model))) return(invisible())
  hofm_abort(sprintf("%s must have a predict() method or be a function of new data, not %s.", model_label(name),
                     describe(model)), c("hofm_error_no_predict", "hofm_error_input"), argument = "models", model = name)
}

model_label <- function(name) sprintf("Model %s", quoted(name))

# The classes of our own errors stay, so that a handler for missing columns still finds them.
abort_prediction <- function(error, name) {
  own <- grep("^hofm_error_", class(error), value = TRUE)
  hofm_abort(sprintf("%s cannot predict from `newdata`: %s", model_label(name), conditionMessage(error)),
             unique(c("hofm_error_prediction", own, "hofm_error_input")), argument = "newdata", model = name,
             parent = error)
}

as_scores <- function(found, name, levels) {
  if (is.data.frame(found)) found <- data.matrix(found)
  if (is.factor(found) || !is.numeric(found)) {
    abort_scores(name, describe(found), "ask its predict() for probabilities or numbers")
  }
  if (length(dim(found)) < 2) return(as.vector(found))
  if (ncol(found) == 1) return(found[, 1])
  if (is.null(levels) || ncol(found) != 2) {
    abort_scores(name, sprintf("%d columns", ncol(found)), "say which one is meant")
  }
  column <- match(levels[2], colnames(found))
  if (is.na(column) && !is.null(colnames(found))) {
    came <- sprintf("columns %s, of which none is the class %s", enumerate(quoted(colnames(found))), quoted(levels[2]))
    abort_scores(name, came, "give `y` with the classes of the model")
  }
  found[, if (is.na(column)) 2 else column]
}

abort_scores <- function(name, came, hint) {
  hofm_abort(sprintf(paste("%s must predict one number for each row, not %s: %s, in `args` or with a function in the",
                           "place of the model."), model_label(name), came, hint),
             c("hofm_error_prediction", "hofm_error_input"), argument = "models", model = name)
}

# ---- Facts -------------------------------------------------------------------------------------------------

#' What the table says of a model: order and rank of a factorization machine, number of parameters, seconds
#' of the fit
#' @noRd
model_facts <- function(model, args) {
  if (inherits(model, "cv_hofm")) {
    facts <- machine_facts(chosen_fit(model, if (is.null(args$s)) "lambda.min" else args$s))
    if (is_one(model$seconds)) facts$seconds <- model$seconds   # of all folds, not of the last fit
    return(facts)
  }
  if (inherits(model, "hofm_classes")) return(classes_facts(model))
  if (inherits(model, "hofm")) return(machine_facts(model))
  if (inherits(model, "bayes_hofm")) return(posterior_facts(model))
  list(order = NA_integer_, rank = NA_character_, parameters = count_coefficients(model, args),
       seconds = fit_seconds(model))
}

machine_facts <- function(fit) {
  check_fit(fit, "models", shown = TRUE)
  list(order = fit$order, rank = if (length(fit$rank)) per_degree(fit$rank) else NA_character_,
       parameters = as.double(count_parameters(fit)), seconds = max(fit$trace$seconds, 0) + tuning_seconds(fit))
}

# How long it took to choose the penalties.
tuning_seconds <- function(fit) {
  if (is.list(fit$tuning) && is_one(fit$tuning$seconds)) fit$tuning$seconds else 0
}

classes_facts <- function(fit) {
  check_classes(fit, "models")
  one <- fit$fits[[1]]
  list(order = one$order, rank = if (length(one$rank)) per_degree(one$rank) else NA_character_,
       parameters = sum(vapply(fit$fits, function(f) as.double(count_parameters(f)), 0)),
       seconds = if (is_one(fit$seconds)) fit$seconds else NA_real_)
}

posterior_facts <- function(fit) {
  check_bayes(fit, "models")
  terms <- bayes_model(fit)$terms
  list(order = fit$spec$order, rank = if (length(fit$spec$rank)) per_degree(fit$spec$rank) else NA_character_,
       parameters = fit$spec$intercept + sum(vapply(terms, function(t) as.double(length(t$P)), 0)), seconds = fit$seconds)
}

# Coefficients that are there and not zero; NA for models that have none, such as trees.
count_coefficients <- function(model, args) {
  if (is.function(model)) return(NA_real_)
  if (inherits(model, "workflow")) model <- model$fit$fit
  if (inherits(model, "model_fit")) model <- model$fit
  if (inherits(model, "hofm")) return(as.double(count_parameters(model)))
  values <- tryCatch(do.call(stats::coef, c(list(model), args["s"][!is.null(args$s)])), error = function(e) NULL)
  if (is(values, "Matrix")) values <- as.matrix(values)
  if (!is.numeric(values) || NCOL(values) != 1) return(NA_real_)
  sum(!is.na(values) & values != 0)
}

# Frameworks measure the time; other models do not keep it.
fit_seconds <- function(model) {
  if (inherits(model, "workflow")) model <- model$fit$fit
  seconds <- if (inherits(model, "model_fit")) model$elapsed$elapsed[["elapsed"]]
  else if (inherits(model, "Learner")) model$timings[["train"]]
  if (is.numeric(seconds) && length(seconds) == 1) as.double(seconds) else NA_real_
}
