# Builds the site in .build/site from the installed package, man/ and the vignettes, without the network.

options(pkgdown.internet = FALSE)

# Topics that no group of _pkgdown.yml names get a group of their own, so that a new one is never lost and never stops the build.
with_more <- function(reference, topics) {
  selectors <- unlist(lapply(reference, `[[`, "contents"))
  patterns <- sub("^matches\\(\"(.*)\"\\)$", "\\1", selectors)
  named <- vapply(topics$alias, function(alias) any(vapply(patterns, function(p) any(grepl(p, alias)), NA)), NA)
  rest <- topics$name[!named & !topics$internal]
  if (length(rest) == 0) return(reference)
  message("hofm: not in any group of _pkgdown.yml: ", paste(rest, collapse = ", "))
  c(reference, list(list(title = "More", contents = as.list(rest))))
}

# A vignette that is named before it exists does not stop the build.
existing <- function(articles, names) {
  lapply(articles, function(group) {
    plain <- sub("^matches\\(\"(.*)\"\\)$", "\\1", unlist(group$contents))
    group$contents <- as.list(plain[plain %in% names])
    group
  })
}

# One formula in TeX as MathML, or as it was where pandoc cannot tell.
as_mathml <- function(tex, display) {
  for (entity in list(c("&lt;", "<"), c("&gt;", ">"), c("&amp;", "&"))) tex <- gsub(entity[1], entity[2], tex, fixed = TRUE)
  fence <- if (display) "$$" else "$"
  html <- paste(system2("pandoc", c("-f", "markdown", "-t", "html", "--mathml"), input = paste0(fence, trimws(tex), fence),
                        stdout = TRUE, stderr = FALSE), collapse = "\n")
  regmatches(html, regexpr("(?s)<math.*</math>", html, perl = TRUE))
}

# Formulas as MathML, which browsers show without a script from elsewhere.
write_formulas <- function(file) {
  text <- paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
  start <- regexpr("<body", text, fixed = TRUE)                        # the head repeats formulas in attributes
  page <- substring(text, start)
  found <- gregexpr("(?s)\\\\\\(.{1,400}?\\\\\\)|\\\\\\[.{1,1000}?\\\\\\]|\\$\\$.{1,1000}?\\$\\$", page, perl = TRUE)
  regmatches(page, found) <- lapply(regmatches(page, found), function(formulas) vapply(formulas, function(formula) {
    mathml <- as_mathml(substring(formula, 3, nchar(formula) - 2), display = !startsWith(formula, "\\("))
    if (length(mathml)) mathml else formula
  }, ""))
  writeLines(paste0(substring(text, 1, start - 1), page), file, useBytes = TRUE)
}

package <- pkgdown::as_pkgdown(".")
package$meta$reference <- with_more(package$meta$reference, package$topics)
package$meta$articles <- existing(package$meta$articles, package$vignettes$name)
unlink(package$dst_path, recursive = TRUE)
pkgdown::build_site(package, install = FALSE, preview = FALSE, new_process = FALSE)
pages <- list.files(file.path(package$dst_path, c("reference", "articles")), "[.]html$", full.names = TRUE)
invisible(lapply(pages, write_formulas))
message("hofm: open ", file.path(package$dst_path, "index.html"))
