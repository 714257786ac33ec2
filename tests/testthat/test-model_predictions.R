# Models of other packages in compare_models(): their predictions are those that their own predict() gives when asked well.

class_split <- function() {
  d <- mixed_data(120)
  list(train = d[1:80, ], test = d[81:120, ])
}

test_that("glmnet gets a matrix, its columns by name, and a lambda", {
  skip_if_broken("glmnet")
  d <- class_split()
  x <- as.matrix(d$train[c("num", "int")])
  newx <- as.matrix(d$test[c("num", "int")])
  path <- glmnet::glmnet(x, d$train$class, family = "binomial")
  cv <- glmnet::cv.glmnet(x, d$train$class, family = "binomial", foldid = rep(1:4, 20))
  args <- list(path = list(s = 0.01))
  expected <- list(path = as.vector(predict(path, newx, s = 0.01, type = "response")),
                   cv = as.vector(predict(cv, newx, type = "response")))
  for (newdata in list(d$test, newx[, 2:1], Matrix::Matrix(newx, sparse = TRUE))) {
    compared <- compare_models(list(path = path, cv = cv), newdata, y = d$test$class, args = args)
    expect_equal(as.list(compared$predictions), expected)
  }
  expect_equal(compared$models$parameters[1], sum(as.matrix(coef(path, s = 0.01)) != 0))
  expect_error(compare_models(list(path), newx, y = d$test$class), "not [0-9]+ columns", class = "hofm_error_prediction")
  expect_error(compare_models(list(path), d$test["num"], y = d$test$class, args = list(path = list(s = 0.01))),
               class = "hofm_error_columns")
})

test_that("ranger is read by the name of the positive class", {
  skip_if_broken("ranger")
  d <- class_split()
  forest <- ranger::ranger(class ~ num + int, d$train, num.trees = 20, probability = TRUE, seed = 1, num.threads = 1)
  compared <- compare_models(list(forest = forest), d$test)
  expect_equal(compared$predictions$forest, predict(forest, d$test)$predictions[, "high"])
  hard <- ranger::ranger(class ~ num + int, d$train, num.trees = 20, seed = 1, num.threads = 1)
  expect_error(compare_models(list(hard), d$test), "probabilities", class = "hofm_error_prediction")
  expect_error(compare_models(list(forest), d$test, y = d$test$lgl), "none is the class \"TRUE\"", class = "hofm_error_prediction")
  numbers <- ranger::ranger(y ~ num + int, d$train, num.trees = 20, seed = 1, num.threads = 1)
  expect_equal(compare_models(list(numbers = numbers), d$test)$predictions$numbers, predict(numbers, d$test)$predictions)
})

test_that("other classes are asked as they are, with the arguments given", {
  d <- class_split()
  tree <- rpart::rpart(class ~ num + int, d$train)
  compared <- compare_models(list(tree = tree, link = glm(class ~ num, binomial, d$train)), d$test,
                             args = list(link = list(type = "link")))
  expect_equal(compared$predictions$tree, unname(predict(tree, d$test)[, "high"]))
  expect_equal(compared$predictions$link, as.vector(predict(glm(class ~ num, binomial, d$train), d$test)))
})
