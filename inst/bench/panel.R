# Raw data frames, no settings: hofm() and cv_hofm() as they come beside what a statistician would try first.
#
#   Rscript inst/bench/panel.R [SETS] [METHODS] [SPLITS]
#
# SETS and METHODS: names with commas between them, all by default. SPLITS: how many, of a fifth of the rows held out each; 5 by default.
# Sets and methods whose packages are not installed are left out. Measured on held-out rows: the root of the mean squared error, or the
# mean deviance for two classes and for counts; seconds of the processor to fit, one thread. HOFM_DATA: a folder with ml100k/u.data.gz.
# HOFM_PANEL: a file that rows are appended to, so that a run that was ended goes on where it was.

library(hofm)

arguments <- commandArgs(TRUE)
chosen <- function(i, all) if (length(arguments) >= i && nzchar(arguments[i])) strsplit(arguments[i], ",")[[1]] else all
splits <- if (length(arguments) > 2) as.integer(arguments[3]) else 5L

# ---- Data --------------------------------------------------------------------------------------------------

object_from <- function(package, name) {
  place <- new.env()
  utils::data(list = name, package = package, envir = place)
  get(name, place)
}

from <- function(package, name) as.data.frame(object_from(package, name))

# A data frame whose response is called `y`, without rows that miss a value.
table_of <- function(data, response, without = character()) {
  data <- data[setdiff(names(data), without)]
  names(data)[names(data) == response] <- "y"
  data <- stats::na.omit(data)
  attr(data, "na.action") <- NULL
  rownames(data) <- NULL
  data
}

some_rows <- function(data, n) if (nrow(data) <= n) data else data[sort(sample(nrow(data), n)), ]

datasets <- list(
  boston = list(needs = "MASS", make = function() table_of(from("MASS", "Boston"), "medv")),
  credit = list(needs = "modeldata", make = function() table_of(from("modeldata", "credit_data"), "Status")),
  creditcard = list(needs = "AER", make = function() table_of(from("AER", "CreditCard"), "card", "expenditure")),
  spam = list(needs = "kernlab", make = function() table_of(from("kernlab", "spam"), "type")),
  flights = list(needs = "nycflights13", make = function() {
    data <- from("nycflights13", "flights")[c("arr_delay", "month", "day", "hour", "carrier", "origin", "dest", "distance", "air_time")]
    data <- some_rows(table_of(data, "arr_delay"), 20000)
    for (name in c("carrier", "origin", "dest", "month")) data[[name]] <- factor(data[[name]])
    data
  }),
  insteval = list(needs = "lme4", make = function() table_of(from("lme4", "InstEval"), "y")),
  ratings = list(needs = character(), make = function() {
    file <- file.path(Sys.getenv("HOFM_DATA"), "ml100k", "u.data.gz")
    if (!file.exists(file)) return(NULL)
    data <- utils::read.delim(gzfile(file), header = FALSE)
    data.frame(y = data$V3, user = factor(data$V1), item = factor(data$V2))
  }),
  caravan = list(needs = "ISLR2", make = function() table_of(from("ISLR2", "Caravan"), "Purchase")),
  hitters = list(needs = "ISLR2", make = function() table_of(from("ISLR2", "Hitters"), "Salary")),
  wage = list(needs = "ISLR2", make = function() table_of(from("ISLR2", "Wage"), "wage", c("logwage", "region"))),
  genes = list(needs = "ISLR2", make = function() {
    khan <- object_from("ISLR2", "Khan")
    x <- as.data.frame(rbind(khan$xtrain, khan$xtest))
    x$y <- factor(c(khan$ytrain, khan$ytest) == 2, labels = c("other", "two"))
    x
  }),
  sonar = list(needs = "mlbench", make = function() table_of(from("mlbench", "Sonar"), "Class")),
  pima = list(needs = "mlbench", make = function() table_of(from("mlbench", "PimaIndiansDiabetes"), "diabetes")),
  dna = list(needs = "mlbench", make = function() {
    data <- table_of(from("mlbench", "DNA"), "Class")
    data[] <- lapply(data, function(column) if (nlevels(column) == 2) as.numeric(column) - 1 else column)
    data$y <- factor(data$y == "n", labels = c("site", "none"))
    data
  }),
  income = list(needs = "kernlab", make = function() {
    data <- table_of(from("kernlab", "income"), "INCOME")
    data[] <- lapply(data, function(column) if (is.ordered(column)) factor(column, ordered = FALSE) else column)
    data$y <- as.integer(data$y)
    data
  }),
  visits = list(needs = "AER", make = function() {
    table_of(from("AER", "NMES1988"), "visits", c("nvisits", "ovisits", "novisits", "emergency"))
  }, counts = TRUE),
  absence = list(needs = "MASS", make = function() table_of(from("MASS", "quine"), "Days"), counts = TRUE),
  words = list(needs = character(), make = function() {
    x <- as.data.frame(as.matrix((debian_r$features > 0) * 1))
    names(x) <- paste0("word_", seq_along(x))
    x$y <- factor(rownames(debian_r$features) %in% debian_r$links$to, labels = c("leaf", "used"))
    x
  }),
  attitude = list(needs = character(), make = function() table_of(datasets::attitude, "rating"))
)

# ---- What is compared --------------------------------------------------------------------------------------

family_of <- function(data, counts) if (isTRUE(counts)) "poisson" else if (is.factor(data$y)) "binomial" else "gaussian"

loss_of <- function(family) if (family == "poisson") "poisson"

# Mean held-out error of predictions on the scale of the mean.
held_out_error <- function(y, mean, family) {
  if (family == "gaussian") return(sqrt(mean((y - mean)^2)))
  if (family == "poisson") {
    mean <- pmax(mean, 1e-10)
    return(2 * mean(ifelse(y > 0, y * log(y / mean), 0) - (y - mean)))
  }
  mean <- pmin(pmax(mean, 1e-10), 1 - 1e-10)
  second <- as.integer(y) == 2
  -2 * mean(ifelse(second, log(mean), log1p(-mean)))
}

dummies <- function(data) Matrix::sparse.model.matrix(y ~ . - 1, data)

# Columns that training rows have, in the same order.
matching <- function(x, names) {
  lost <- setdiff(names, colnames(x))
  if (length(lost)) x <- cbind(x, Matrix::Matrix(0, nrow(x), length(lost), dimnames = list(NULL, lost), sparse = TRUE))
  x[, names, drop = FALSE]
}

glmnet_of <- function(alpha) function(train, test, family) {
  x <- dummies(train)
  fit <- glmnet::cv.glmnet(x, train$y, family = family, alpha = alpha, nfolds = 5)
  as.vector(predict(fit, matching(dummies(test), colnames(x)), s = "lambda.min", type = "response"))
}

quiet <- function(code) suppressMessages(suppressWarnings(code))

hofm_of <- function(...) function(train, test, family) {
  predict(quiet(hofm(y ~ ., train, ..., loss = loss_of(family), control = hofm_control(threads = 1))), test)
}

crossed_of <- function(...) function(train, test, family) {
  predict(quiet(cv_hofm(y ~ ., train, ..., nfolds = 5, loss = loss_of(family), control = hofm_control(threads = 1))), test)
}

many_columns <- function(train) sum(vapply(train, function(column) if (is.factor(column)) nlevels(column) else 1L, 0L)) > 1500

methods <- list(
  null = list(needs = character(), fit = function(train, test, family) {
    rep(if (family == "binomial") mean(as.integer(train$y) == 2) else mean(train$y), nrow(test))
  }),
  glm = list(needs = character(), fit = function(train, test, family) {
    if (many_columns(train) || ncol(train) >= nrow(train) / 2) return(NULL)
    quiet(predict(stats::glm(y ~ ., data = train, family = family), test, type = "response"))
  }),
  ridge = list(needs = "glmnet", fit = glmnet_of(0)),
  lasso = list(needs = "glmnet", fit = glmnet_of(1)),
  lmer = list(needs = "lme4", fit = function(train, test, family) {
    large <- names(train)[vapply(train, function(column) is.factor(column) && nlevels(column) > 6, NA)]
    if (family != "gaussian" || !length(setdiff(large, "y"))) return(NULL)
    terms <- ifelse(setdiff(names(train), "y") %in% large, sprintf("(1 | %s)", setdiff(names(train), "y")), setdiff(names(train), "y"))
    predict(quiet(lme4::lmer(stats::reformulate(terms, "y"), train)), test, allow.new.levels = TRUE)
  }),
  ranger = list(needs = "ranger", fit = function(train, test, family) {
    fit <- ranger::ranger(y ~ ., train, probability = family == "binomial", num.threads = 1, respect.unordered.factors = "order")
    found <- predict(fit, test, num.threads = 1)$predictions
    if (family == "binomial") found[, levels(train$y)[2]] else found
  }),
  hofm = list(needs = character(), fit = hofm_of()),
  hofm1 = list(needs = character(), fit = hofm_of(order = 1)),
  hofm3 = list(needs = character(), fit = hofm_of(order = 3)),
  cv_hofm = list(needs = character(), fit = crossed_of())
)

# ---- The run -----------------------------------------------------------------------------------------------

installed <- function(entry) all(vapply(entry$needs, requireNamespace, NA, quietly = TRUE))

# Levels that training rows do not have go to the training part.
split_rows <- function(data, seed) {
  set.seed(seed)
  test <- sort(sample(nrow(data), nrow(data) %/% 5))
  for (name in setdiff(names(data), "y")) if (is.factor(data[[name]]) || is.character(data[[name]])) {
    test <- test[data[[name]][test] %in% data[[name]][-test]]
  }
  list(train = droplevels(data[-test, ]), test = data[test, ])
}

measure <- function(set, method, data, seed, counts) {
  parts <- split_rows(data, seed)
  family <- family_of(data, counts)
  set.seed(seed)
  clock <- sum(proc.time()[c(1, 2, 4, 5)], na.rm = TRUE)
  mean <- tryCatch(methods[[method]]$fit(parts$train, parts$test, family), error = function(e) {
    message(set, ", ", method, ": ", conditionMessage(e))
    NULL
  })
  seconds <- sum(proc.time()[c(1, 2, 4, 5)], na.rm = TRUE) - clock
  if (is.null(mean)) return(NULL)
  data.frame(set, family, n = nrow(parts$train), method, seed, error = held_out_error(parts$test$y, as.vector(mean), family), seconds)
}

record <- Sys.getenv("HOFM_PANEL")
known <- if (nzchar(record) && file.exists(record)) utils::read.csv(record)

run_one <- function(set, method, data, seed) {
  row <- known[known$set == set & known$method == method & known$seed == seed, ]
  if (NROW(row)) return(row)
  row <- measure(set, method, data, seed, datasets[[set]]$counts)
  if (nzchar(record) && !is.null(row)) {
    utils::write.table(row, record, sep = ",", row.names = FALSE, col.names = !file.exists(record), append = file.exists(record))
  }
  row
}

run_set <- function(set) {
  if (!installed(datasets[[set]])) return(NULL)
  set.seed(1)
  data <- datasets[[set]]$make()
  if (is.null(data)) return(NULL)
  rows <- list()
  for (method in chosen(2, names(methods))) if (installed(methods[[method]])) {
    for (seed in seq_len(splits)) rows[[length(rows) + 1L]] <- run_one(set, method, data, seed)
  }
  rows <- do.call(rbind, rows)
  shown <- lapply(split(rows, factor(rows$method, unique(rows$method))), function(part) {
    data.frame(method = part$method[1], error = mean(part$error), se = stats::sd(part$error) / sqrt(nrow(part)), seconds = mean(part$seconds))
  })
  cat(sprintf("\n%s (%s, %d rows)\n", set, rows$family[1], rows$n[1]))
  print(do.call(rbind, unname(shown)), digits = 4, row.names = FALSE)
  rows
}

invisible(lapply(chosen(1, names(datasets)), run_set))
