# The benchmarks, with sizes at which nothing can be learnt from the figures: they run, and every question is answered.
test_that("every benchmark runs and the table has its columns", {
  skip_on_cran()
  folder <- tempfile("bench")
  bench <- system.file("bench", package = "hofm")
  log <- system2(file.path(R.home("bin"), "Rscript"), c(shQuote(file.path(bench, "run.R")), shQuote(folder)),
                 env = "HOFM_SMOKE=1", stdout = TRUE, stderr = TRUE)
  expect_null(attr(log, "status"), info = paste(log, collapse = "\n"))
  table <- utils::read.csv(file.path(folder, "bench.csv"))
  expect_true(all(c("question", "job", "order", "seconds", "yardstick", "ratio", "machine", "date", "commit") %in% names(table)))
  for (question in c("coordinate descent", "AdaGrad", "growth", "formula", "degree known", "glmnet")) {
    expect_true(any(grepl(question, table$question)), info = question)
  }
  timed <- !grepl("memory", table$question)
  expect_true(all(table$seconds[timed] >= 0))
  lines <- readLines(file.path(folder, "bench.md"))
  expect_length(grep("^\\| ", lines), nrow(table) + 1)
})
