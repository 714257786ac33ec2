library(testthat)
library(hofm)

test_check("hofm")
