# mlr3 learners. mlr3 is a suggestion only: the classes are made and put into its dictionary when both
# packages are loaded.

#' Factorization machines for mlr3
#'
#' The learners `"classif.hofm"`, for two classes, and `"regr.hofm"` for the package mlr3, which finds them
#' in its dictionary once both packages are loaded: `mlr3::lrn("classif.hofm")`.
#'
#' Hyperparameters are the arguments of [hofm()] `order`, `rank`, `lambda`, `model`, `loss`, `solver`,
#' `intercept` and `linear`; those of [hofm_control()] `max_iter`, `tol`, `init_sd`, `sweep`, `extrapolate`, `eta`, `batch`,
#' `validation`, `patience`, `threads` (1 at first, as is the custom in mlr3), `seed` and `keep_fitted`; and for
#' predictions `allow_new_levels` of [predict.hofm()]. Weights of the task are used. Features may be logical, integer,
#' numeric, character, factors and ordered factors, which count as factors. Probabilities need the logistic
#' loss, the default.
#'
#' @return Nothing: this page describes the learners.
#' @name mlr_learners_hofm
#' @aliases classif.hofm regr.hofm
#' @seealso [hofm()], [factorization_machine()]
#' @examplesIf requireNamespace("mlr3", quietly = TRUE)
#' learner <- mlr3::lrn("regr.hofm", order = 2, rank = 2, lambda = 0.01)
#' cars <- mlr3::as_task_regr(transform(mtcars, hp = hp / 100, disp = disp / 100), target = "mpg")
#' learner$train(cars)
#' learner$predict(cars)
#' learner$model
#' @importFrom utils globalVariables
NULL

globalVariables(c("self", "private", "super"))   # of R6 methods

register_mlr3 <- function(...) {
  classes <- list(classif = classif_learner(), regr = regr_learner())
  for (type in names(classes)) local({
    class <- classes[[type]]
    mlr3::mlr_learners$add(paste0(type, ".hofm"), function() class$new())
  })
}

classif_learner <- function() {
  R6::R6Class("LearnerClassifHofm", inherit = mlr3::LearnerClassif, parent_env = topenv(),
    public = list(initialize = function() {
      super$initialize(
        id = "classif.hofm", packages = "hofm", feature_types = learner_features,
        predict_types = c("response", "prob"), properties = c("twoclass", "weights"),
        param_set = learner_parameters(learner_losses("classes")),
        label = "Higher-Order Factorization Machine", man = "hofm::mlr_learners_hofm")
    }),
    private = list(
      .train = function(task) train_learner(self$param_set, task, private$.get_weights(task)),
      .predict = function(task) {
        if (self$predict_type == "response") return(list(response = predict_learner(self, task, "class")))
        list(prob = two_columns(self$model, predict_learner(self, task, "response")))
      }))
}

regr_learner <- function() {
  R6::R6Class("LearnerRegrHofm", inherit = mlr3::LearnerRegr, parent_env = topenv(),
    public = list(initialize = function() {
      super$initialize(
        id = "regr.hofm", packages = "hofm", feature_types = learner_features, predict_types = "response",
        param_set = learner_parameters(learner_losses("numbers")), properties = "weights",
        label = "Higher-Order Factorization Machine", man = "hofm::mlr_learners_hofm")
    }),
    private = list(
      .train = function(task) train_learner(self$param_set, task, private$.get_weights(task)),
      .predict = function(task) list(response = predict_learner(self, task, "response"))))
}

learner_features <- c("logical", "integer", "numeric", "character", "factor", "ordered")

control_settings <- setdiff(names(formals(hofm_control)), c("verbose", "checkpoint", "..."))

# Losses of rows that take classes, or numbers; those made for them come first, the default before all.
learner_losses <- function(response) {
  facts <- Filter(function(f) !is.null(f$deviance) && (if (response == "classes") !is.null(f$coding) else !f$classes), loss_table())
  made_for <- vapply(facts, function(f) f$classes, NA) == (response == "classes")
  names(facts)[order(!made_for)]
}

learner_parameters <- function(losses) {
  count <- function(...) paradox::p_int(1L, ..., tags = "train")
  flag <- function(default) paradox::p_lgl(default = default, tags = "train")
  choice <- function(levels) paradox::p_fct(levels, default = levels[1], tags = "train")
  paradox::ps(
    order = count(20L, default = 2L), rank = paradox::p_int(0L, default = 8L, tags = "train"),
    lambda = paradox::p_dbl(0, default = 1e-3, tags = "train"), model = choice(setdiff(model_names(), "bilinear")),
    loss = choice(losses), solver = choice(solver_names()), intercept = flag(TRUE), linear = flag(TRUE),
    max_iter = count(), tol = paradox::p_dbl(0, tags = "train"), init_sd = paradox::p_dbl(0, tags = "train"),
    sweep = choice(c("auto", "single", "joint")), extrapolate = flag(TRUE), eta = paradox::p_dbl(0, tags = "train"),
    batch = count(default = 1L), validation = paradox::p_dbl(0, 1, default = 0, tags = "train"), patience = count(default = 5L),
    threads = paradox::p_int(1L, default = 2L, init = 1L, tags = c("train", "predict", "threads")),
    seed = paradox::p_int(tags = "train"), keep_fitted = flag(TRUE),
    allow_new_levels = paradox::p_lgl(default = FALSE, tags = "predict"))
}

train_learner <- function(parameters, task, weights) {
  values <- parameters$get_values(tags = "train")
  control <- do.call(hofm_control, values[names(values) %in% control_settings])
  what <- values[!names(values) %in% control_settings]
  fit <- do.call(hofm, c(list(task_features(task), task_response(task), weights = weights, control = control), what))
  fit$call <- as.call(c(list(quote(hofm), x = quote(`<task>`), y = quote(`<target>`)), what))
  fit
}

# The class that is positive for mlr3, its first level, is the second and so the positive one here.
task_response <- function(task) {
  y <- task$truth()
  if (is.factor(y)) factor(y, c(task$negative, task$positive)) else y
}

task_features <- function(task) as.data.frame(task$data(cols = task$feature_names))

predict_learner <- function(learner, task, type) {
  values <- learner$param_set$get_values(tags = "predict")
  do.call(predict, c(list(learner$model, task_features(task), type = type), values))
}

# Probabilities of both classes, with the names of the classes.
two_columns <- function(fit, probability) {
  check_probabilities(fit)
  matrix(c(1 - probability, probability), ncol = 2, dimnames = list(NULL, fit$response$levels))
}

check_probabilities <- function(fit) {
  facts <- loss_facts(fit$loss)
  if (facts$classes && !is.null(facts$family)) return(invisible())
  unsupported(sprintf("Probabilities need `loss = \"logistic\"`: the %s loss has none.", fit$loss))
}
