# The example that the README opens with.
example_lines <- function() readLines(system.file("examples", "readme.R", package = "hofm"))

test_that("the example of the README finds the lines of the board", {
  results <- new.env()
  source(textConnection(example_lines()), local = results, echo = FALSE)
  right <- function(fit) mean(predict(fit, results$test, type = "class") == results$test$wins)
  expect_gt(right(results$fit), 0.9)
  expect_lt(right(hofm(wins ~ . - position, results$train, order = 2, control = hofm_control(seed = 1))), 0.85)
  squares <- matrix(setdiff(names(tictactoe), c("wins", "position")), 3)
  lines <- c(split(squares, row(squares)), split(squares, col(squares)), list(diag(squares), diag(squares[, 3:1])))
  strongest <- interactions(results$fit, degree = 3, n = 4, by = "variable", data = results$train)
  is_line <- function(triple) any(vapply(lines, setequal, NA, triple))
  expect_true(all(apply(strongest[1:3], 1, is_line)))
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
