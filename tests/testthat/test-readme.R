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

# The lines of the first block of R in the README.
readme_block <- function() {
  readme <- test_path("..", "..", "README.md")
  skip_if_not(file.exists(readme), "not in the sources: the installed package has no README")
  lines <- readLines(readme, encoding = "UTF-8")
  first <- which(lines == "```r")[1]
  last <- first + which(lines[-seq_len(first)] == "```")[1]
  lines[(first + 1):(last - 1)]
}

test_that("the README shows that example, line by line", {
  block <- readme_block()
  expect_equal(block[!startsWith(block, "#>")], example_lines())
})

# Numbers to three digits: iterations and rounding may differ a little between machines.
test_that("the output in the README is what the example prints", {
  block <- readme_block()
  shown <- sub("^#> ?", "", block[startsWith(block, "#>")])
  values <- new.env()
  local_reproducible_output(width = 80)
  printed <- unlist(lapply(parse(text = example_lines()), function(call) {
    result <- withVisible(eval(call, values))
    if (result$visible) capture.output(print(result$value))
  }))
  number <- "[0-9]+[.]?[0-9]*"
  squeezed <- function(lines) gsub(" +", " ", gsub(number, "#", lines))
  expect_equal(squeezed(printed), squeezed(shown))
  numbers <- function(lines) as.numeric(unlist(regmatches(lines, gregexpr(number, lines))))
  iterations <- grepl("iterations", shown)
  expect_equal(numbers(printed[!iterations]), numbers(shown[!iterations]), tolerance = 1e-3)
  expect_equal(numbers(printed[iterations]), numbers(shown[iterations]), tolerance = 0.1)
})
