odd <- seq(1, 149, 2)

iris_fit <- function(order = 1, rank = 2) {
  hofm(Species ~ ., iris[odd, ], order = order, rank = rank, lambda = 0.003, standardize = TRUE, control = hofm_control(seed = 1))
}

test_that("log loss, accuracy and confusion are those of the definition", {
  fit <- iris_fit()
  new <- iris[-odd, ]
  flat <- function(newdata) matrix(1 / 3, nrow(newdata), 3)
  compared <- compare_models(list(fit = fit, flat = flat), new)
  p <- predict(fit, new)
  loss <- -log(p[cbind(1:75, as.integer(new$Species))])
  expect_equal(compared$models$log_loss, c(mean(loss), log(3)))
  expect_equal(compared$models$accuracy[1], mean(predict(fit, new, type = "class") == new$Species))
  expect_equal(unclass(compared$confusion$fit), unclass(table(truth = new$Species, predicted = predict(fit, new, type = "class"))))
  test <- t.test(loss - log(3))
  expect_equal(compared$tests$p_value, test$p.value)
  expect_equal(c(compared$tests$lower, compared$tests$upper), as.vector(test$conf.int))
  expect_output(print(compared), "Confusion of fit")
})

test_that("models of other packages give their probabilities", {
  models <- list(fit = iris_fit())
  ask <- function(package, make) if (requireNamespace(package, quietly = TRUE)) list(make()) else list()
  train <- iris[odd, ]
  models <- c(models, lda = ask("MASS", function() MASS::lda(Species ~ ., train)),
              multinom = ask("nnet", function() nnet::multinom(Species ~ ., train, trace = FALSE)),
              ranger = ask("ranger", function() ranger::ranger(Species ~ ., train, probability = TRUE, seed = 1)),
              rpart = ask("rpart", function() rpart::rpart(Species ~ ., train)))
  compared <- compare_models(models, iris[-odd, ])
  expect_true(all(compared$models$accuracy > 0.85))
  skip_if_broken("glmnet")
  x <- as.matrix(iris[1:4])
  net <- glmnet::glmnet(x[odd, ], iris$Species[odd], family = "multinomial", lambda = 0.01)
  own <- compare_models(list(net = net), x[-odd, ], iris$Species[-odd])
  p <- predict(net, x[-odd, ], type = "response")[, , 1]
  expect_equal(own$models$log_loss, -mean(log(p[cbind(1:75, as.integer(iris$Species[-odd]))])))
  expect_error(compare_models(list(a = function(newdata) rep(1, 75)), iris[-odd, ], "Species"), "matrix of probabilities",
               class = "hofm_error_prediction")
  expect_error(compare_models(list(a = function(newdata) matrix(2, 75, 3)), iris[-odd, ], "Species"), class = "hofm_error_prediction")
})

test_that("accuracy on vowel-like and digit-like data is beside that of its peers", {
  skip_on_cran()
  skip_if_broken("mlbench")
  skip_if_broken("nnet")
  vowel <- local({ utils::data("Vowel", package = "mlbench", envir = environment()); get("Vowel") })
  vowel$V1 <- NULL
  train <- which(seq_len(nrow(vowel)) %% 2 == 1)
  fit <- hofm(Class ~ ., vowel[train, ], order = 2, rank = 8, lambda = 1e-4, standardize = TRUE, control = hofm_control(seed = 1))
  linear <- nnet::multinom(Class ~ ., vowel[train, ], trace = FALSE)
  compared <- compare_models(list(hofm = fit, multinom = linear), vowel[-train, ])
  expect_gt(compared$models$accuracy[1], compared$models$accuracy[2])
})

test_that("each order is tested against the next lower one", {
  fits <- list(three = iris_fit(3), one = iris_fit(1), two = iris_fit(2))
  new <- iris[-odd, ]
  compared <- compare_models(fits, new)
  expect_identical(compared$orders$higher, c("two", "three"))
  expect_identical(compared$orders$lower, c("one", "two"))
  loss <- lapply(fits, function(fit) -log(predict(fit, new)[cbind(1:75, as.integer(new$Species))]))
  test <- t.test(loss$one, loss$two, paired = TRUE, alternative = "greater")
  expect_equal(compared$orders$gain[1], unname(test$estimate))
  expect_equal(compared$orders$p_value[1], test$p.value)
  cars <- compare_models(list(a = hofm(mpg ~ wt + hp, mtcars, order = 1, lambda = 0.1, standardize = TRUE),
                              b = hofm(mpg ~ wt + hp, mtcars, order = 2, rank = 1, lambda = 0.1, standardize = TRUE)), mtcars)
  expect_equal(cars$orders$gain, diff(rev(cars$models$rmse^2)))
  expect_identical(nrow(compare_models(fits[1], new)$orders), 0L)
})

test_that("comparisons of several classes are drawn", {
  compared <- compare_models(list(a = iris_fit(1), b = iris_fit(2)), iris[-odd, ])
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(compared))
  expect_silent(plot(compared, "tests"))
  expect_error(plot(compared, "roc"), "two classes", class = "hofm_error_input")
  skip_if_broken("ggplot2")
  for (which in c("measure", "tests")) expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(compared, which)))
})
