# Builds the site in .build/site from the installed package, man/ and the vignettes, without the network.

options(pkgdown.internet = FALSE)

pattern_of <- function(selector) sub("^matches\\(\"(.*)\"\\)$", "\\1", selector)

# The groups of _pkgdown.yml without the patterns that match nothing yet, and a last group for topics that match none: a new page is
# never lost, and never stops the build.
complete_reference <- function(groups, topics) {
  matching <- function(pattern) vapply(topics$alias, function(alias) any(grepl(pattern, alias)), NA)
  groups <- lapply(groups, function(group) {
    group$contents <- Filter(function(selector) any(matching(pattern_of(selector))), group$contents)
    group
  })
  groups <- Filter(function(group) length(group$contents) > 0, groups)
  patterns <- pattern_of(unlist(lapply(groups, `[[`, "contents")))
  rest <- topics$name[!matching(paste(patterns, collapse = "|")) & !topics$internal]
  if (length(rest) == 0) return(groups)
  message("hofm: not in any group of _pkgdown.yml: ", paste(rest, collapse = ", "))
  c(groups, list(list(title = "More", contents = as.list(rest))))
}

# The same for vignettes.
complete_articles <- function(groups, names) {
  groups <- lapply(groups, function(group) {
    group$contents <- as.list(intersect(unlist(group$contents), names))
    group
  })
  rest <- setdiff(names, unlist(lapply(groups, `[[`, "contents")))
  if (length(rest) == 0) groups else c(groups, list(list(title = "More", contents = as.list(rest))))
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
package$meta$reference <- complete_reference(package$meta$reference, package$topics)
package$meta$articles <- complete_articles(package$meta$articles, package$vignettes$name)
unlink(package$dst_path, recursive = TRUE)
pkgdown::build_site(package, install = FALSE, preview = FALSE, new_process = FALSE)
pages <- list.files(file.path(package$dst_path, c("reference", "articles")), "[.]html$", full.names = TRUE)
invisible(lapply(pages, write_formulas))
message("hofm: open ", file.path(package$dst_path, "index.html"))
