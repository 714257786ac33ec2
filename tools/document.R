# Writes the Rcpp glue, NAMESPACE and man/ from the comments in the sources; nothing is compiled.

# The objects that roxygen blocks describe: the functions of R/ and the data sets of data/.
load_sources_and_data <- function(path) {
  objects <- roxygen2::load_source(path)
  for (file in Sys.glob(file.path(path, "data", "*.rda"))) load(file, objects)
  objects
}

Rcpp::compileAttributes()
roxygen2::roxygenise(load_code = load_sources_and_data)
