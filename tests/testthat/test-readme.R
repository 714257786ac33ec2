# The example that the README opens with.
example_lines <- function() readLines(system.file("examples", "readme.R", package = "hofm"))

test_that("the example of the README finds the product that it plants", {
  results <- new.env()
  source(textConnection(example_lines()), local = results, echo = FALSE)
  test <- 701:1000
  error <- function(fit) sqrt(mean((results$y[test] - predict(fit, results$x[test, ]))^2))
  expect_lt(error(results$fit), 1.1)
  expect_gt(error(hofm(results$x[-test, ], results$y[-test], order = 2, rank = 4, lambda = 0.1)), 2)
  strongest <- interactions(results$fit, degree = 3, n = 1)
  expect_equal(unlist(strongest[1:3], use.names = FALSE), c("b", "c", "d"))
  expect_equal(strongest$weight, 2, tolerance = 0.1)
})

test_that("the README shows that example, line by line", {
  readme <- test_path("..", "..", "README.md")
  skip_if_not(file.exists(readme), "not in the sources: the installed package has no README")
  lines <- readLines(readme, encoding = "UTF-8")
  first <- which(lines == "```r")[1]
  last <- first + which(lines[-seq_len(first)] == "```")[1]
  block <- lines[(first + 1):(last - 1)]
  expect_equal(block[!startsWith(block, "#>")], example_lines())
})
