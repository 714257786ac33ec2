test_that("a neighbour that cannot do its own simplest job is skipped by name, with its error", {
  skipped <- function(code) tryCatch(code, skip = conditionMessage)
  expect_match(skipped(skip_if_broken("stats", job = function() stop("`old()` is defunct."))),
               "stats [0-9.]+ cannot do its own simplest job: `old\\(\\)` is defunct")
  expect_match(skipped(skip_if_broken("nobodywrotethis", job = function() 1)), "nobodywrotethis")
  expect_null(skipped(skip_if_broken("stats", job = function() warning("not our business"))))
})

test_that("every neighbour that a test asks for has a job", {
  lines <- unlist(lapply(list.files(test_path(), "^(test|helper)-.*[.]R$", full.names = TRUE), readLines))
  calls <- regmatches(lines, regexpr("skip_if_(broken|not_installed)\\(\"[[:alnum:].]+\"", lines))
  asked <- setdiff(sub(".*\"(.*)\"", "\\1", calls), c("stats", "nobodywrotethis"))
  expect_setequal(asked, names(simplest_jobs))
  expect_length(grep("skip_if_not_installed", calls), 0)
})
