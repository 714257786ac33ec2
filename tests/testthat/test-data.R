packages <- rownames(debian_r$features)

test_that("debian_r has one named row and one title per package", {
  expect_s4_class(debian_r$features, "dgCMatrix")
  expect_true(validObject(debian_r$features))
  expect_gt(length(packages), 1000)
  expect_false(anyDuplicated(packages) > 0)
  expect_identical(names(debian_r$titles), packages)
  expect_true(all(nzchar(debian_r$titles)))
})

test_that("every feature of debian_r is a word of at least three packages, none of them boilerplate", {
  words <- colnames(debian_r$features)
  expect_match(words, "^[a-z][a-z0-9]+$")
  expect_false(anyDuplicated(words) > 0)
  expect_setequal(debian_r$features@x, 1)
  expect_gte(min(Matrix::colSums(debian_r$features)), 3)
  expect_false(any(c("the", "and", "package", "gnu") %in% words))
})

test_that("the links of debian_r join two different packages of the list, each pair once", {
  links <- debian_r$links
  expect_named(links, c("from", "to"))
  expect_gt(nrow(links), 4000)
  expect_true(all(unlist(links) %in% packages))
  expect_false(any(links$from == links$to))
  expect_false(anyDuplicated(links) > 0)
})

# What the packages' own DESCRIPTION files say, as facts from outside the data set.
test_that("known dependencies are links, in the direction from the dependant to what it needs", {
  has_link <- function(from, to) any(debian_r$links$from == from & debian_r$links$to == to)
  expect_true(has_link("glmnet", "foreach"))
  expect_true(has_link("rcppeigen", "rcpp"))
  expect_false(has_link("rcpp", "rcppeigen"))
  expect_equal(debian_r$features["glmnet", "lasso"], 1)
})

test_that("all strings of debian_r are plain ASCII and the object stays small", {
  strings <- c(packages, colnames(debian_r$features), debian_r$titles, unlist(debian_r$links))
  expect_false(any(grepl("[^ -~]", strings)))
  expect_lt(as.numeric(object.size(debian_r)), 2e6)
})
