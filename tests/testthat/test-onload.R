test_that("frameworks are told at once if they are loaded, else when they will be", {
  told <- 0
  tell <- function() told <<- told + 1
  event <- packageEvent("hofm.no.such.package", "onLoad")
  base <- getHook(packageEvent("stats", "onLoad"))
  on.exit({
    setHook(event, NULL, "replace")
    setHook(packageEvent("stats", "onLoad"), base, "replace")
  })
  when_loaded("hofm.no.such.package", tell)
  expect_identical(told, 0)
  for (hook in getHook(event)) hook("hofm.no.such.package", tempdir())
  expect_identical(told, 1)
  when_loaded("stats", tell)
  expect_identical(told, 2)
})

test_that("what needs a package that is not there says so", {
  expect_error(need_package("hofm.no.such.package", "This"), "This needs the package hofm.no.such.package",
               class = "hofm_error_missing_package")
})
