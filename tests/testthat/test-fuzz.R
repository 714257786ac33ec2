# A short run of what `make fuzz PARTS=calls` does for longer: see helper-fuzz.R.

# Outcomes of calls 1 to n of a seed, with the calls as text. A call that takes too long is an error without a class.
fuzz_outcomes <- function(seed, n, targets) {
  old <- setwd(tempdir())                                    # a spoilt file name is still one
  grDevices::pdf(NULL)
  on.exit({
    setTimeLimit()
    grDevices::dev.off()
    setwd(old)
  })
  rows <- lapply(seq_len(n), function(k) {
    call <- fuzz_call(seed, k, targets)
    utils::capture.output({
      setTimeLimit(elapsed = 20, transient = TRUE)
      outcome <- fuzz_outcome(call)
      setTimeLimit()
    })
    data.frame(k = k, kind = outcome$kind, text = paste0(k, ": ", outcome$message, " <- ", fuzz_text(call)))
  })
  do.call(rbind, rows)
}

# All of them in full, each with the call that makes it again.
expect_no_finding <- function(outcomes) {
  found <- outcomes$text[!outcomes$kind %in% c("answer", "refused")]
  expect(length(found) == 0, paste(c(paste(length(found), "findings"), found), collapse = "\n"))
}

test_that("random calls of everything that is exported give a right answer or a classed error", {
  targets <- fuzz_targets(fuzz_pool())
  outcomes <- seeded(1, fuzz_outcomes(20, 600, targets))
  expect_no_finding(outcomes)
  expect_gt(sum(outcomes$kind == "answer"), 150)
  expect_gt(sum(outcomes$kind == "refused"), 100)
})

test_that("random fits are finite and predict, or are refused", {
  targets <- fuzz_targets(fuzz_pool())
  outcomes <- seeded(1, fuzz_outcomes(21, 300, targets[startsWith(names(targets), "hofm.")]))
  expect_no_finding(outcomes)
  expect_gt(sum(outcomes$kind == "answer"), 50)
  expect_gt(sum(outcomes$kind == "refused"), 50)
})

test_that("everything that is exported is called", {
  methods <- getNamespaceInfo("hofm", "S3methods")
  own_generics <- c("auc", "cv_hofm", "hofm", "roc_curve")   # called by way of their methods
  exported <- setdiff(c(getNamespaceExports("hofm"), paste(methods[, 1], methods[, 2], sep = ".")), own_generics)
  exported <- grep("^[.]__", exported, value = TRUE, invert = TRUE)
  absent <- c(
    if (!requireNamespace("ggplot2", quietly = TRUE)) grep("^autoplot", exported, value = TRUE),
    if (!requireNamespace("generics", quietly = TRUE)) grep("^(tidy|glance|augment)", exported, value = TRUE),
    if (!requireNamespace("recipes", quietly = TRUE)) grep("recipe$", exported, value = TRUE),
    if (!requireNamespace("jsonlite", quietly = TRUE)) grep("_json$", exported, value = TRUE),
    if (!requireNamespace("parsnip", quietly = TRUE)) "update.factorization_machine")
  expect_identical(setdiff(exported, c(names(fuzz_targets(fuzz_pool())), absent)), character())
})

test_that("a finding is seen, and made again by its number", {
  good <- function() list(x = 1, newdata = matrix(0, 2, 1))
  kind_of <- function(fun, judge = any_answer) fuzz_outcome(list(fun = fun, args = good(), judge = judge))$kind
  expect_identical(kind_of(function(x, newdata) stop("plain")), "unclassed")
  expect_identical(kind_of(function(x, newdata) hofm_abort("classed")), "refused")
  expect_identical(kind_of(function(x, newdata) c(1, NaN), judge_predictions), "wrong")
  expect_identical(kind_of(function(x, newdata) 1, judge_predictions), "wrong")
  expect_identical(kind_of(function(x, newdata) c(1, 2), judge_predictions), "answer")
  targets <- list(one = target(sum, good), two = target(sum, function() list(a = rnorm(3))))
  made <- lapply(c(1:40, 1:40), function(k) seeded(k, fuzz_call(3, k, targets)))
  expect_equal(made[1:40], made[41:80], ignore_function_env = TRUE)
  expect_gt(length(unique(vapply(made, fuzz_text, ""))), 30)
})
