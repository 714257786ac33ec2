# Neighbours: packages that tests go through or compare with, of whatever version the machine has. One whose own
# dependencies are of another age may be installed and yet fail at everything, which says nothing of this package.

cars_recipe <- function() recipes::step_normalize(recipes::recipe(mpg ~ disp, mtcars), disp)

simplest_jobs <- list(
  bayesplot = function() bayesplot::mcmc_areas(matrix(as.double(1:40), 20, dimnames = list(NULL, c("a", "b")))),
  callr = function() callr::r(function() 1),
  dials = function() dials::grid_regular(dials::penalty()),
  emmeans = function() emmeans::emmeans(stats::lm(mpg ~ factor(cyl), mtcars), "cyl"),
  future.apply = function() future.apply::future_lapply(1, identity),
  generics = function() loadNamespace("generics"),
  ggplot2 = function() ggplot2::ggplot_build(ggplot2::ggplot(mtcars, ggplot2::aes(disp, mpg)) + ggplot2::geom_point()),
  glmnet = function() glmnet::glmnet(as.matrix(mtcars[-1]), mtcars$mpg),
  hardhat = function() hardhat::mold(mtcars["disp"], mtcars$mpg),
  igraph = function() igraph::as_edgelist(igraph::make_ring(3)),
  jsonlite = function() jsonlite::fromJSON(jsonlite::toJSON(mtcars)),
  loo = function() loo::waic(matrix(-(1:20), 10)),
  MASS = function() MASS::rlm(mpg ~ disp, mtcars),
  mirai = function() mirai::mirai(1)[],
  mlbench = function() loadNamespace("mlbench"),
  mlr3 = function() mlr3::lrn("regr.featureless")$train(mlr3::tsk("mtcars")),
  nnet = function() nnet::multinom(Species ~ ., datasets::iris, trace = FALSE),
  parsnip = function() parsnip::fit(parsnip::linear_reg(), mpg ~ disp, mtcars),
  posterior = function() posterior::summarise_draws(posterior::as_draws_matrix(matrix(as.double(1:20), 10))),
  pROC = function() pROC::roc(mtcars$am, mtcars$mpg, quiet = TRUE),
  ranger = function() ranger::ranger(mpg ~ disp, mtcars, num.trees = 1, num.threads = 1),
  recipes = function() recipes::bake(recipes::prep(cars_recipe(), training = mtcars), mtcars),
  tibble = function() format(tibble::as_tibble(mtcars)),
  tune = function() hardhat::extract_parameter_set_dials(parsnip::linear_reg(penalty = tune::tune())),
  vdiffr = function() loadNamespace("vdiffr"),
  workflows = function() parsnip::fit(workflows::workflow(cars_recipe(), parsnip::linear_reg()), mtcars)
)

# Skips, by name and with the neighbour's own error, where it is not there, too old or cannot do its simplest job.
skip_if_broken <- function(package, minimum_version = NULL, job = simplest_jobs[[package]]) {
  skip_if_not_installed(package, minimum_version)
  broken <- tryCatch({
    suppressWarnings(suppressMessages(job()))
    NULL
  }, error = conditionMessage)
  if (is.null(broken)) return(invisible())
  skip(paste0(package, " ", utils::packageVersion(package), " cannot do its own simplest job: ", broken))
}

# Arguments of glmnet() for a solution to the last digit, which version 5 takes in another way.
exact_glmnet <- function() {
  if (utils::packageVersion("glmnet") < "5.0") list(thresh = 1e-20) else list(control = list(thresh = 1e-20))
}
