# Suggested packages that are installed only on request, or only where that is quick.

# Modelling frameworks that Debian does not have. With all they need they take ten minutes or more to
# compile, so that they have a set and a make target of their own; elsewhere tests that need them are skipped.
frameworks <- c("dials", "lgr", "mlr3", "paradox", "parsnip", "rsample", "sparsevctrs", "tune", "workflows", "yardstick")

# What they need and Debian has; checkmate is here because one of mlr3's packages does not say how new it
# must be.
beneath <- data.frame(
  name = c("RcppArmadillo", "checkmate", "clock", "furrr", "palmerpenguins", "prettyunits", "progressr", "slider", "uuid"),
  version = c("0", "2.2.0", rep("0", 7)))

# Only for those who get them prebuilt: a few tests more are not worth compiling a dozen packages.
prebuilt <- c("hardhat", "ranger", "recipes", "lme4", "loo", "posterior", "rstantools", "bayesplot", "emmeans", "igraph", "DBI", "RSQLite",
              "data.table", "mlbench", "Rmpi")

# They ask a fit for predictions and nothing else, and take as long to compile; tests that meet them are skipped without them.
explainers <- c("DALEX", "iml", "marginaleffects", "vip")

# One of several ways to share out work, and one of several sources of rows: others are tested everywhere.
engines <- c("mirai", "nanoparquet")
frameworks <- c(frameworks, explainers, engines)
