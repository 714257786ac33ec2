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
write_formulas <- function(page) {
  found <- gregexpr("(?s)\\\\\\(.{1,400}?\\\\\\)|\\\\\\[.{1,1000}?\\\\\\]|\\$\\$.{1,1000}?\\$\\$", page, perl = TRUE)
  regmatches(page, found) <- lapply(regmatches(page, found), function(formulas) vapply(formulas, function(formula) {
    mathml <- as_mathml(substring(formula, 3, nchar(formula) - 2), display = !startsWith(formula, "\\("))
    if (length(mathml)) mathml else formula
  }, ""))
  page
}

# "On this page", which pkgdown leaves to a script from elsewhere.
write_contents <- function(page) {
  headings <- regmatches(page, gregexpr("(?s)<h2 id=[^>]+>.*?<a class=\"anchor\"", page, perl = TRUE))[[1]]
  id <- sub("(?s)<h2 id=\"([^\"]+)\".*", "\\1", headings, perl = TRUE)
  items <- sprintf("<li><a class=\"nav-link\" href=\"#%s\">%s</a></li>", id, gsub("(?s)<[^>]+>|<a.*", "", headings, perl = TRUE))
  place <- regexpr("<nav id=\"toc\">(<h2>On this page</h2>)?", page)
  if (place < 0 || length(items) == 0) return(page)
  regmatches(page, place) <- paste0(regmatches(page, place), "<ul class=\"nav navbar-nav\">", paste(items, collapse = ""), "</ul>")
  page
}

# The head repeats formulas in attributes, and would fetch what draws them.
finish_page <- function(file, formulas) {
  text <- paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
  start <- regexpr("<body", text, fixed = TRUE)
  head <- gsub("<script src=\"[^\"]*mathjax[^>]*></script>", "", substring(text, 1, start - 1), ignore.case = TRUE)
  page <- write_contents(substring(text, start))
  writeLines(paste0(head, if (formulas) write_formulas(page) else page), file, useBytes = TRUE)
}

package <- pkgdown::as_pkgdown(".")
package$meta$reference <- complete_reference(package$meta$reference, package$topics)
package$meta$articles <- complete_articles(package$meta$articles, package$vignettes$name)
site <- package$dst_path
unlink(site, recursive = TRUE)
pkgdown::build_site(package, install = FALSE, preview = FALSE, new_process = FALSE)
for (file in list.files(site, "[.]html$", recursive = TRUE, full.names = TRUE))
  finish_page(file, formulas = basename(dirname(file)) %in% c("reference", "articles"))
script <- file.path(site, "pkgdown.js")
writeLines(sub("(?s)Toc[.]init.*?[}][)];", "", paste(readLines(script), collapse = "\n"), perl = TRUE), script)
unlink(Sys.glob(file.path(site, "reference", "Rplot*.png")))           # what the examples' device leaves behind
message("hofm: open ", file.path(site, "index.html"))
