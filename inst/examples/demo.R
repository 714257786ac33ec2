# Two questions to factorization machines of orders 1 to 4.
# 1. Does the player to move win at tic-tac-toe? Learned from two thirds of the positions, tested on the others. Three in a row is
#    about three squares at once: order 3 pays, and its strongest interactions are the lines of the board.
# 2. Which R packages depend on which? Learned from the words of the packages' descriptions, on half of the dependencies in Debian 12,
#    and tested on the other half. Here orders beyond 2 add little.
# Run it with source(system.file("examples", "demo.R", package = "hofm"), local = new.env()).

library(hofm)

orders <- 1:4

# ---- Tic-tac-toe ---------------------------------------------------------------------------------------------

game_lambdas <- c(3e-4, 1e-3, 3e-3)

# Boards that are the same but for turning and mirroring go into training or test together.
split_positions <- function(data, share) data$position %in% sample(unique(data$position), round(share * max(data$position)))

fit_game <- function(data, order, lambda) {
  suppressWarnings(
    hofm(wins ~ . - position, data, order = order, rank = 16, lambda = lambda, standardize = FALSE, control = hofm_control(seed = 1)),
    classes = "hofm_warning_collapsed"
  )
}

row_losses <- function(fit, data) {
  p <- predict(fit, data)
  -log(ifelse(data$wins, p, 1 - p))
}

# The penalty with the smallest loss on a fifth of the training positions.
choose_game_lambda <- function(train, order) {
  held_out <- split_positions(train, 0.2)
  losses <- vapply(game_lambdas, function(lambda) mean(row_losses(fit_game(train[!held_out, ], order, lambda), train[held_out, ])), 0)
  game_lambdas[which.min(losses)]
}

play_order <- function(order, train, test) {
  set.seed(1)
  lambda <- choose_game_lambda(train, order)
  fit <- fit_game(train, order, lambda)
  right <- (predict(fit, test) > 0.5) == test$wins
  cat(sprintf("%5d  %8g  %10d  %8.1f%%  %8.4f\n", order, lambda, 1 + length(fit$w) + sum(lengths(fit$P)), 100 * mean(right),
              mean(row_losses(fit, test))))
  list(fit = fit, right = right)
}

# Boards of one position are not independent of each other: their means are.
gain_interval <- function(higher, lower, position) {
  gain <- tapply(higher - lower, position, mean)
  100 * c(mean(gain), stats::t.test(gain)$conf.int)
}

play <- function() {
  set.seed(1)
  held_out <- split_positions(tictactoe, 1 / 3)
  train <- tictactoe[!held_out, ]
  test <- tictactoe[held_out, ]
  cat("Does the player to move win at tic-tac-toe (data set tictactoe)?\n")
  cat(sprintf("%d boards to learn from, %d boards of other positions to be tested on; logistic loss, rank 16.\n\n", nrow(train), nrow(test)))
  cat("order    lambda  parameters  test right  log loss\n")
  runs <- lapply(orders, play_order, train = train, test = test)
  gain <- gain_interval(runs[[3]]$right, runs[[2]]$right, test$position)
  cat(sprintf("\nOrder 3 is right on %.0f%% more of the boards of a position than order 2 (95%% interval %.0f to %.0f).\n", gain[1], gain[2], gain[3]))
  cat("Which three squares act together most? The eight lines of the board are among 84 triples:\n\n")
  print(interactions(runs[[3]]$fit, degree = 3, n = 8, by = "variable", data = train), digits = 2)
}

# ---- Links between R packages --------------------------------------------------------------------------------

rank <- 10
lambdas <- c(1e-4, 3e-4, 1e-3)
n_test_negatives <- 50000

# Rows of unit length, so that a long description does not count for more than a short one.
unit_rows <- function(x) x / sqrt(Matrix::rowSums(x^2))

# Pairs (from, to) as single whole numbers, to draw pairs that are no links and were not drawn before.
pair_code <- function(from, to, n) (from - 1) * n + to

draw_others <- function(size, n, taken) {
  codes <- setdiff(sample.int(n^2, 2 * size + length(taken)), c(taken, pair_code(1:n, 1:n, n)))
  codes[seq_len(size)]
}

# One row [words of `from`, words of `to`] per pair.
pair_rows <- function(codes, features) {
  n <- nrow(features)
  from <- features[(codes - 1) %/% n + 1, ]
  to <- features[(codes - 1) %% n + 1, ]
  x <- cbind(from, to)
  dimnames(x) <- list(NULL, c(paste0("from:", colnames(features)), paste0("to:", colnames(features))))
  x
}

pair_set <- function(links, others, features) {
  list(x = pair_rows(c(links, others), features), y = rep(c(1, 0), c(length(links), length(others))))
}

take <- function(set, rows) list(x = set$x[rows, ], y = set$y[rows])

make_task <- function(data) {
  features <- unit_rows(data$features)
  n <- nrow(features)
  links <- pair_code(match(data$links$from, rownames(features)), match(data$links$to, rownames(features)), n)
  links <- sample(links)
  half <- seq_len(length(links) %/% 2)
  train_others <- draw_others(length(half), n, links)
  test_others <- draw_others(n_test_negatives, n, c(links, train_others))
  list(train = pair_set(links[half], train_others, features), test = pair_set(links[-half], test_others, features))
}

# Squared loss and coordinate descent, as in the link prediction of the paper. A penalty may well drive a whole degree
# to zero; the table says so, and the warning would repeat it for every penalty tried.
fit_order <- function(set, order, lambda) {
  suppressWarnings(
    hofm(set$x, set$y, order = order, rank = rank, lambda = lambda, loss = "squared", solver = "cd"),
    classes = "hofm_warning_collapsed"
  )
}

# The degrees whose weights the penalty left standing.
living_degrees <- function(fit) {
  alive <- vapply(fit$P, function(factors) max(abs(factors)) > 1e-3, NA)
  paste(c("1", names(fit$P)[alive]), collapse = ",")
}

test_auc <- function(fit, set) auc(set$y, predict(fit, set$x, type = "link"))

# The penalty with the best AUC on a fifth of the training pairs; the test pairs play no part in the choice.
choose_lambda <- function(train, order) {
  held_out <- sample.int(length(train$y), length(train$y) %/% 5)
  scores <- vapply(lambdas, function(lambda) {
    test_auc(fit_order(take(train, -held_out), order, lambda), take(train, held_out))
  }, 0)
  lambdas[which.max(scores)]
}

run_order <- function(order, task) {
  lambda <- choose_lambda(task$train, order)
  seconds <- system.time(fit <- fit_order(task$train, order, lambda))[["elapsed"]]
  score <- predict(fit, task$test$x, type = "link")
  row <- data.frame(order = order, lambda = lambda, parameters = 1 + length(fit$w) + sum(lengths(fit$P)),
                    seconds = seconds, auc = as.numeric(auc(task$test$y, score)))
  cat(sprintf("%5d  %8g  %10d  %7.2f  %8.4f  %s\n", order, lambda, row$parameters, seconds, row$auc, living_degrees(fit)))
  list(row = row, curve = roc_curve(task$test$y, score))
}

draw_curves <- function(runs, file) {
  curves <- stats::setNames(lapply(runs, `[[`, "curve"), paste("order", vapply(runs, function(run) run$row$order, 0)))
  grDevices::png(file, width = 1200, height = 1200, res = 200)
  on.exit(grDevices::dev.off())
  graphics::par(mar = c(4, 4, 1, 1))
  plot(do.call(c, curves))
}

main <- function(picture = "hofm-demo-roc.png") {
  play()
  set.seed(1)
  task <- make_task(debian_r)
  cat("\nWhich R packages depend on which, from the words of their descriptions (data set debian_r)?\n")
  cat(sprintf("%d training pairs, %d test pairs, %d features; squared loss, rank %d.\n\n",
              length(task$train$y), length(task$test$y), ncol(task$train$x), rank))
  cat("order    lambda  parameters  seconds  test AUC  degrees not zero\n")
  runs <- lapply(orders, run_order, task = task)
  draw_curves(runs, picture)
  cat("\nROC curves: ", normalizePath(picture), "\n", sep = "")
  invisible(do.call(rbind, lapply(runs, `[[`, "row")))
}

main()
