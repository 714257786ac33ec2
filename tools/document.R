# Writes the Rcpp glue, NAMESPACE and man/ from the comments in the sources. The package must be installed as it is now:
# whether a function is an S3 method can only be told from a loaded package.
Rcpp::compileAttributes()
roxygen2::roxygenise(load_code = roxygen2::load_installed)
