library(hofm)
set.seed(1)
held_out <- tictactoe$position %in% sample(627, 209)       # a third of the positions, with their mirror images
train <- tictactoe[!held_out, ]
test <- tictactoe[held_out, ]
fit <- hofm(wins ~ . - position, train, order = 3)         # nothing to scale, nothing to tune
fit
mean(predict(fit, test, type = "class") == test$wins)
interactions(fit, degree = 3, n = 4, by = "variable", data = train)
