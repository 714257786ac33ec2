# Comparing models of more than two classes: probabilities of each class, log loss, accuracy, confusion.

# Ways to ask for a matrix of probabilities, by class of model; others are tried with the words that predict() methods use for it.
class_predict_table <- function() {
  ask <- function(...) {
    words <- list(...)
    function(model, newdata, args) call_predict(model, c(list(newdata = newdata), words), args)
  }
  list(
    "function" = function(model, newdata, args) do.call(model, c(list(newdata), args)),
    hofm_classes = ask(type = "prob"), multinom = ask(type = "probs"), nnet = ask(type = "raw"), rpart = ask(type = "prob"),
    lda = function(model, newdata, args) call_predict(model, list(newdata = newdata), args)$posterior,
    qda = function(model, newdata, args) call_predict(model, list(newdata = newdata), args)$posterior,
    glmnet = predict_glmnet, cv.glmnet = predict_glmnet,
    ranger = function(model, newdata, args) call_predict(model, list(data = newdata), args)$predictions,
    model_fit = predict_parsnip, workflow = predict_parsnip,
    Learner = function(model, newdata, args) call_predict(model, list(newdata = newdata, predict_type = "prob"), args))
}

#' A matrix of probabilities, a column for each of `levels`
#' @noRd
model_probabilities <- function(model, name, newdata, args, levels, n) {
  table <- class_predict_table()
  how <- table[[known_class(model, table)]]
  if (is.null(how)) how <- predict_unknown
  if (any(c("two", "...") %in% names(formals(how)))) found <- try_prediction(how(model, newdata, args, TRUE), name)
  else found <- try_prediction(how(model, newdata, args), name)
  as_probabilities(found, name, levels, n)
}

# What predict() gives without a type is then judged, and what is wrong with it told.
predict_unknown <- function(model, newdata, args) {
  tryCatch(call_predict(model, list(newdata = newdata, type = "prob"), args),
           error = function(e) call_predict(model, list(newdata = newdata), args))
}

try_prediction <- function(code, name) tryCatch(code, error = function(e) abort_prediction(e, name))

as_probabilities <- function(found, name, levels, n) {
  if (is.data.frame(found)) found <- data.matrix(found)
  if (length(dim(found)) == 3 && dim(found)[3] == 1) found <- array(found, dim(found)[1:2], dimnames(found)[1:2])
  bad <- function(came) {
    hofm_abort(sprintf(paste("%s must predict a matrix of probabilities with a column for each of the classes %s, not %s:",
                             "ask its predict() for them in `args`, or with a function in the place of the model."), model_label(name),
                       enumerate(quoted(levels)), came), c("hofm_error_prediction", "hofm_error_input"), argument = "models", model = name)
  }
  if (!is.matrix(found) || !is.numeric(found)) bad(describe(found))
  if (nrow(found) != n) bad(sprintf("%d rows for %d", nrow(found), n))
  if (!is.null(colnames(found))) {
    if (!all(levels %in% colnames(found))) bad(sprintf("columns %s", enumerate(quoted(colnames(found)))))
    found <- found[, levels, drop = FALSE]
  }
  if (ncol(found) != length(levels)) bad(counted(ncol(found), "column"))
  if (!all(is.na(found) | (found >= 0 & found <= 1 + 1e-8))) bad("numbers beyond 0 and 1")
  matrix(found, n, dimnames = list(NULL, levels))
}

# Log loss with the interval of its mean, accuracy, and a paired t test of the log losses for each pair.
compare_class_losses <- function(predictions, y, level) {
  y <- factor(y, colnames(predictions[[1]]))
  at <- cbind(seq_along(y), as.integer(y))
  losses <- lapply(predictions, function(p) -log(p[at]))
  chosen <- lapply(predictions, function(p) factor(levels(y)[max.col(p, "first")], levels(y)))
  bounds <- vapply(losses, function(l) t_summary(l, level)[c("difference", "lower", "upper")], numeric(3))
  models <- data.frame(
    log_loss = bounds["difference", ], log_loss_lower = bounds["lower", ], log_loss_upper = bounds["upper", ],
    accuracy = vapply(chosen, function(c) mean(c == y), 0), slope = vapply(predictions, class_slope, 0, y))
  list(models = models, tests = each_pair(losses, function(a, b) t_summary(a - b, level)), losses = losses,
       confusion = lapply(chosen, function(c) table(truth = y, predicted = c)))
}

# The power s for which probabilities proportional to p^s fit best: 1 if they are right, less if they are too sure of themselves.
class_slope <- function(p, y) {
  link <- log(pmax(p, 1e-12))
  at <- cbind(seq_along(y), as.integer(y))
  loss <- function(s) mean(log_sum_exp(s * link) - s * link[at])
  best <- stats::optimize(loss, c(0, 20), tol = 1e-6)$minimum
  if (best < 19.9) best else NA_real_                     # classes are told apart without an error: no s is too large
}
