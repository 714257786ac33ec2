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

test_that("tictactoe holds every position that can come up, once, and the truth about it", {
  squares <- as.matrix(tictactoe[1:9])
  expect_identical(dim(tictactoe), c(4520L, 11L))
  expect_false(anyDuplicated(tictactoe[1:9]) > 0)
  own <- rowSums(squares == "own")
  other <- rowSums(squares == "other")
  expect_true(all((other - own) %in% 0:1))                         # the other moved last, or nobody
  lines <- rbind(1:3, 4:6, 7:9, c(1, 4, 7), c(2, 5, 8), c(3, 6, 9), c(1, 5, 9), c(3, 5, 7))
  on_lines <- function(who) sapply(seq_len(8), function(l) rowSums(squares[, lines[l, ]] == who))
  expect_false(any(on_lines("own") == 3 | on_lines("other") == 3))
  # two own squares and a free one in a line win at once
  at_once <- rowSums(on_lines("own") == 2 & on_lines("free") == 1) > 0
  expect_true(all(tictactoe$wins[at_once]))
  # with the last square alone to be taken there is no other win
  last <- rowSums(squares == "free") == 1
  expect_identical(tictactoe$wins[last], at_once[last])
  # the sizes of classes under the eight symmetries divide eight
  expect_true(all(8 %% table(tictactoe$position) == 0))
})
