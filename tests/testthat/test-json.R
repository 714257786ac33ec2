skip_if_broken("jsonlite")

through_json <- function(fit, ext = ".json") {
  file <- tempfile(fileext = ext)
  on.exit(unlink(file))
  expect_identical(write_hofm_json(fit, file), file)
  read_hofm_json(file)
}

# Everything that the page promises to keep, bit by bit.
expect_kept <- function(fit, newdata, ...) {
  back <- through_json(fit)
  for (type in c("link", "response", "terms")) {
    expect_identical(predict(back, newdata, type = type, ...), predict(fit, newdata, type = type, ...))
  }
  expect_identical(coef(back), coef(fit))
  same <- c("order", "rank", "lambda", "model", "loss", "solver", "linear", "has_intercept", "objective", "converged", "seed", "n", "trace",
            "features", "response", "control", "offset_given", "weights_given", "deviance", "null.deviance", "degree_variance")
  expect_identical(unclass(back)[same], unclass(fit)[same])
  expect_identical(capture.output(print(back)), capture.output(print(fit)))
  expect_identical(capture.output(print(summary(back))), capture.output(print(summary(fit))))
  back
}

test_that("fits of every model to a matrix come back whole", {
  x <- small_matrix()
  y <- small_response(x)
  for (model in c("hofm", "shared", "simplex", "all_subsets", "polynomial")) expect_kept(quick_fit(x, y, model = model), x)
  expect_kept(quick_fit(x, y, order = 4), x)
  expect_kept(quick_fit(x, y, order = 1), x)
  expect_kept(collapsing(hofm(x, y, order = 3, rank = c(0, 1), linear = FALSE, control = quick())), x)
  expect_kept(quick_fit(unname(x), y), unname(x))
  expect_kept(quick_fit(x[, 1, drop = FALSE], y, order = 1), x)
})

test_that("losses, responses, offsets and solvers come back whole", {
  x <- small_matrix()
  y <- small_response(x)
  for (response in list(y > 0, factor(ifelse(y > 0, "yes", "n\u00f6")), ifelse(y > 0, "b\"\\", "a"), as.numeric(y > 0))) {
    for (loss in c("logistic", "squared_hinge", "squared")) {
      back <- expect_kept(fit <- quick_fit(x, response, loss = loss), x)
      expect_identical(predict(back, x, type = "class"), predict(fit, x, type = "class"))
    }
  }
  expect_kept(quick_fit(x, round(exp(y / 4)), loss = "poisson"), x)
  expect_kept(quick_fit(x, y, offset = x[, 1], weights = runif(40)), x, offset = x[, 2])
  for (solver in c("lbfgs", "sgd", "adagrad")) expect_kept(quick_fit(x, y, solver = solver), x)
  expect_kept(quick_fit(x, y, control = quick(keep_fitted = FALSE, init_sd = 0.1)), x)
  fit <- quick_fit(x, y, solver = "sgd", control = quick(validation = 0.25))
  expect_equal(expect_kept(fit, x)$validation, fit$validation)
  back <- through_json(fit <- quick_fit(x, y > 0, loss = "auc"))
  expect_identical(predict(back, x, type = "link"), predict(fit, x, type = "link"))
  expect_equal(back$ranking, fit$ranking)
})

test_that("formulas and data frames come back as far as the page says", {
  d <- mixed_data()
  d$`odd name` <- d$num^2
  d$day <- as.Date("2020-01-01") + seq_len(60)
  shift <- 0.25
  formulas <- list(
    y ~ . - class, y ~ num + fac, y ~ fac * chr + num:lgl + int, y ~ poly(num, 3) + log(int + 1), y ~ I(num^2) + offset(int / 3),
    log(y^2 + 1) ~ `odd name` + scale(num), y ~ splines::ns(num, 3) + day, y ~ I(num + shift) + cut(num, c(-9, 0, 9)), class ~ . - y,
    y ~ pmax(num, 0) + ifelse(lgl, num, int))
  for (formula in formulas) {
    back <- expect_kept(fit <- quick_fit(formula, d), d)
    expect_identical(predict(back, d[7, ]), predict(fit, d[7, ]))
    expect_equal(formula(back), formula(fit), ignore_formula_env = TRUE)
    if (!"." %in% all.vars(formula)) expect_equal(attr(terms(back), "term.labels"), attr(terms(fit), "term.labels"))
  }
  expect_kept(quick_fit(d[c("num", "fac", "lgl")], d$y), d)
  d$fac <- addNA(replace(d$fac, 1:3, NA))
  expect_kept(quick_fit(y ~ fac + num, d), d)
  new <- transform(d[1:2, ], chr = c("new", "p"))
  back <- through_json(quick_fit(y ~ chr + num, d))
  expect_error(predict(back, new), class = "hofm_error_new_levels")
})

test_that("what a file cannot keep is said when it is written, and nothing is", {
  d <- mixed_data()
  own <- function(x) x^2
  file <- tempfile()
  for (formula in list(y ~ own(num), y ~ sin(num)[1:60], y ~ get("num"))) {
    fit <- quick_fit(formula, d)
    expect_error(write_hofm_json(fit, file), "cannot be kept as JSON", class = "hofm_error_unsupported")
  }
  log <- function(x) x
  expect_error(write_hofm_json(quick_fit(y ~ log(num), d), file), "`log`", class = "hofm_error_unsupported")
  fit <- quick_fit(d["num"], d$y)
  fit$blueprint$recipe <- list()
  expect_error(write_hofm_json(fit, file), "`recipe`", class = "hofm_error_unsupported")
  expect_false(file.exists(file))
  back <- through_json(quick_fit(y ~ num, d))
  expect_error(fitted(back), "did not keep its fitted values", class = "hofm_error_unsupported")
})

test_that("links come back whole, with what they were trained on", {
  set <- seeded(5, list(A = matrix(rnorm(60), 20, dimnames = list(NULL, c("a", "b", "c"))), B = matrix(rnorm(30), 15)))
  pairs <- seeded(6, link_pairs(set$A, set$B, data.frame(i = rep(1:20, 2), j = rep(1:15, length.out = 40), y = rbinom(40, 1, 0.5))))
  for (model in c("hofm", "bilinear")) {
    fit <- quick_fit(pairs, model = model)
    back <- expect_kept(fit, pairs)
    expect_identical(score_links(back, pairs), score_links(fit, pairs))
  }
  fit <- quick_fit(pairs, negatives = "all")
  expect_equal(expect_kept(fit, pairs)$negatives, fit$negatives)
})

# The file read by nothing but a JSON parser, and the formula of its description worked out by hand.
predict_described <- function(file, x) {
  json <- jsonlite::fromJSON(file)
  p <- json$parameters
  A <- function(P, t) apply(x, 1, function(row) sum(apply(P, 2, anova_slow, x = row, m = t)))
  m <- json$fit$order
  p$intercept + switch(json$fit$model,
    hofm = drop(x %*% p$w) + Reduce(`+`, lapply(names(p$P), function(t) A(p$P[[t]], as.integer(t)))),
    shared = rowSums(sapply(seq_len(m), function(t) {
      rowSums(sapply(seq_len(ncol(p$theta)), function(s) p$theta[t, s] * A(p$P[[1]][, s, drop = FALSE], t)))
    })),
    simplex = rowSums(sapply(seq_len(m), function(t) p$theta[t] * A(p$P[[1]], t))),
    all_subsets = apply(x, 1, function(row) sum(apply(1 + p$P[[1]] * row, 2, prod))),
    polynomial = rowSums(sapply(seq_len(ncol(p$P[[1]])), function(s) (p$gamma[s] + drop(x %*% p$P[[1]][, s]))^m)))
}

test_that("the description in the file is enough to predict from it", {
  x <- small_matrix()
  y <- small_response(x)
  file <- tempfile()
  on.exit(unlink(file))
  for (model in c("hofm", "shared", "simplex", "all_subsets", "polynomial")) for (standardize in c(TRUE, FALSE)) {
    fit <- quick_fit(x, y, model = model, standardize = standardize)
    write_hofm_json(fit, file)
    standard <- jsonlite::fromJSON(file)$encoding$standard
    seen <- if (standardize) scale(x, standard$center, standard$scale) else x
    expect_equal(predict_described(file, seen), predict(fit, x), tolerance = 1e-10)
    expect_match(jsonlite::fromJSON(file)$description[3], "f(x) = intercept + ", fixed = TRUE)
  }
})

# Written by version 0.1.0: it must be readable for ever. The expected values come from the numbers in it.
test_that("a file of the first version is still read", {
  file <- test_path("fixtures", "fit-version-1.json")
  cars <- transform(mtcars, hp = hp / 100)
  columns <- cbind(cars$cyl == 4, cars$cyl == 6, cars$cyl == 8, cars$wt, log(cars$hp))
  x <- cbind(columns, columns[, 1:3] * cars$wt)
  expect_equal(predict(read_hofm_json(file), transform(cars, cyl = factor(cyl))), predict_described(file, x), tolerance = 1e-12)
})

test_that("doubles of every size survive", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x))
  for (trial in 1:50) {
    fit$w[] <- seeded(trial, rnorm(4) * 10^sample(-307:307, 4))
    fit$P[["2"]][] <- seeded(trial, c(.Machine$double.xmin, 5e-324, .Machine$double.xmax, 2^53 + 2, 123456789012345678, 1e22, 1 / 3, -0.1))
    expect_identical(coef(through_json(fit)), coef(fit))
  }
})

test_that("files may be compressed or connections", {
  x <- small_matrix()
  fit <- quick_fit(x, small_response(x))
  expect_identical(predict(through_json(fit, ".json.gz"), x), predict(fit, x))
  con <- textConnection(NULL, "w")
  write_hofm_json(fit, con)
  lines <- textConnectionValue(con)
  close(con)
  con <- textConnection(lines)
  expect_identical(predict(read_hofm_json(con), x), predict(fit, x))
  close(con)
})

json_text <- function(fit) {
  file <- tempfile()
  on.exit(unlink(file))
  write_hofm_json(fit, file)
  readChar(file, file.size(file), useBytes = TRUE)
}

read_json_text <- function(text) fit_from_json(charToRaw(text), "fit.json")

test_that("what is not such a file is a classed error that says what is wrong", {
  x <- small_matrix()
  text <- json_text(quick_fit(x, small_response(x)))
  said <- function(text) tryCatch(read_json_text(text), hofm_error_file = conditionMessage)
  expect_snapshot(writeLines(c(
    said("{}"), said("[1, 2]"), said("3"), said(sub("\"version\": 2", "\"version\": 9", text)),
    said(sub("\"model\": \"hofm\"", "\"model\": \"tree\"", text)), said(sub("\"features\": [\"a\", ", "\"features\": [", text, fixed = TRUE)), 
    said(sub("\"call\": \"hofm(", "\"call\": \"system(", text, fixed = TRUE))
  )))
  expect_error(read_json_text(""), class = "hofm_error_file")
  expect_error(read_json_text("{\"format\""), class = "hofm_error_file")
  expect_error(read_hofm_json(tempfile()), class = "hofm_error_file")
  expect_error(write_hofm_json(list(), tempfile()), "`fit` must be a fit", class = "hofm_error_input")
  for (share in c(0.2, 0.5, 0.99)) expect_error(read_json_text(substr(text, 1, nchar(text) * share)), class = "hofm_error_file")
})

test_that("no code in a file is run", {
  text <- json_text(quick_fit(y ~ log(int + 1) + num, mixed_data()))
  ran <- FALSE
  run <- function() ran <<- TRUE
  for (evil in c("run()", "(function() run())()", "log(run())", "num + base::eval(1)", "num[run()]", "base::log(num)", "c(num = run)")) {
    bad <- sub("\"calls\": [\"log(int + 1)\"", sprintf("\"calls\": [\"%s\"", evil), text, fixed = TRUE)
    expect_false(bad == text)
    expect_error(read_json_text(bad), class = "hofm_error_file")
  }
  expect_false(ran)
})

test_that("no formula in a file is run, neither as it is read nor by what looks at its sides later", {
  d <- mixed_data()
  trace <- tempfile()
  on.exit(unlink(trace))
  make <- sprintf("file.create('%s')", trace)
  evil <- c("`~`(formula = {%s; y ~ num})", "`~`({%s; y ~ num})", "~ %s", "y ~ num + %s", "%s ~ num", "I(%s) ~ num",
            "y ~ (%s)(num)", "y ~ stats::update(num, %s)", "y ~ (num ~ %s)", "`~`(y = y, num + %s)",
            "y ~ num:(function() %s)()")
  fields <- list(quick_fit(y ~ log(int + 1) + num, d), quick_fit(y ~ . - class, d))
  for (fit in fields) {
    json <- jsonlite::parse_json(json_text(fit))
    for (field in c("formula", "expanded", "calls", "offsets")) for (text in sprintf(evil, make)) {
      bad <- json
      bad$encoding[[field]] <- if (field %in% c("calls", "offsets")) as.list(text) else text
      read <- function() read_json_text(jsonlite::toJSON(bad, auto_unbox = TRUE, null = "null", digits = NA))
      if (field == "expanded" && is.null(json$encoding$expanded)) next
      expect_error(read(), class = "hofm_error_file")
      expect_false(file.exists(trace))
    }
  }
})

test_that("a function that a file must not call is named, with what to do", {
  text <- json_text(quick_fit(y ~ log(int + 1) + num, mixed_data()))
  bad <- sub("\"formula\": \"y ~", "\"formula\": \"shell(y) ~", text, fixed = TRUE)
  expect_error(read_json_text(bad), "`shell`.*saveRDS", class = "hofm_error_file")
})

test_that("the call in a file is not searched for a response", {
  x <- small_matrix()
  y <- small_response(x)
  trace <- tempfile()
  on.exit(unlink(trace))
  json <- jsonlite::parse_json(json_text(quick_fit(x, y)))
  json$call <- sprintf("hofm(x = file.create('%s') ~ a)", trace)
  back <- read_json_text(jsonlite::toJSON(json, auto_unbox = TRUE, null = "null", digits = NA))
  expect_error(compare_models(list(a = back), newdata = as.data.frame(x)), "`y`, the response, must be given",
               class = "hofm_error_input")
  expect_false(file.exists(trace))
})

test_that("what is on the left of a formula is kept if its functions are allowed, and else refused", {
  d <- mixed_data()
  own <- function(y) y > 0
  expect_error(write_hofm_json(quick_fit(own(y) ~ num, d), tempfile()), "`own`", class = "hofm_error_unsupported")
  for (formula in list(class %in% levels(class)[1] ~ num, relevel(class, levels(class)[2]) ~ num)) {
    formula[[2]][[3]] <- levels(factor(d$class))[2]
    expect_kept(quick_fit(formula, transform(d, class = factor(class))), d)
  }
})

# Each value of the tree replaced, one at a time.
mutations <- function(json, path = list()) {
  unlist(lapply(seq_along(json), function(k) {
    here <- c(path, list(k))
    deeper <- if (is.list(json[[k]]) && length(json[[k]]) <= 20) mutations(json[[k]], here)
    c(list(here), deeper)
  }), recursive = FALSE)
}

test_that("a file with any one value changed gives an error of the package, or numbers", {
  d <- mixed_data()
  set.seed(7)
  fits <- list(quick_fit(y ~ fac * chr + log(int + 1) + offset(num), d), quick_fit(d[c("num", "fac")], d$class, model = "shared"))
  for (fit in fits) {
    json <- jsonlite::parse_json(json_text(fit))
    json[c("description", "fields", "trace")] <- list("", list(), list(iteration = 0L))
    paths <- mutations(json)
    for (path in paths[sample(length(paths), 60)]) {
      for (value in pick(list(NULL, "x"), list(-1L, TRUE), list(1e9, list()), list(list("a", "b")))) {
        bad <- json
        bad[[unlist(path)]] <- value
        outcome <- tryCatch(withCallingHandlers({
          p <- predict(read_json_text(jsonlite::toJSON(bad, auto_unbox = TRUE, null = "null", digits = NA)), d, offset = d$num)
          if (length(p) == 60) "numbers" else "wrong length"
        }, warning = function(w) invokeRestart("muffleWarning")), hofm_error = function(e) "error",
        error = function(e) paste(paste(names(json)[path[[1]]], unlist(path)[-1], collapse = "/"), conditionMessage(e)))
        if (!outcome %in% c("numbers", "error")) fail(outcome)
      }
    }
    succeed()
  }
})
