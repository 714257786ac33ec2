# Makes data/debian_r.rda from the package lists of the Debian release this is run on (any machine with apt).
# Run it in the top directory of the sources: Rscript data-raw/debian_r.R
# The long descriptions come from apt's English translations; where apt is configured to leave those out,
# set `Acquire::Languages "en";` and run `apt-get update` first.

min_packages <- 3 # a word is a feature if at least so many packages use it

# Words that say nothing about a package: English function words ...
function_words <- scan(text = "
  a about above according across additional after again against al all allow allowed allowing allows almost
  along already also although among an and another any are around as at available based be because been before
  being below between both but by can cannot could de described do does done doesn don due during e each easily
  easy either etc et even every example examples few first following follows for from further g given gives
  has have having he help her here his how however i ie if ii in include included includes including
  instead into is it its itself just kind like made main mainly make makes making many may me might more most
  much must my need needed needs new no nor not now of off often old on once one only onto or other others our
  out over own particular per possible provide provided provides providing rather s same second see
  several shall she should similar simple simply since so some such t than that the their them then there
  these they third this those three through thus to together too two under until up upon us use used useful
  user users uses using various very via was way ways we well were what when where whether which while who
  whole whose why will with within without work works would yet you your
", what = "", quiet = TRUE)

# ... and what nearly every description of an R package in Debian repeats.
boilerplate <- scan(text = "
  cran debian gnu package packages library libraries function functions functionality
  implement implementation implemented implements contains support supports supported
", what = "", quiet = TRUE)

read_lists <- function() {
  text <- suppressWarnings(system2("apt-cache", c("show", shQuote("^r-(cran|bioc)-")), stdout = TRUE))
  records <- as.data.frame(read.dcf(textConnection(text), fields = c("Package", "Depends", "Description-en")))
  names(records) <- c("name", "depends", "description")
  records <- records[grepl("^r-(cran|bioc)-", records$name) & !duplicated(records$name), ]
  if (nrow(records) == 0 || all(is.na(records$description)))
    stop("apt-cache lists no R packages with English descriptions; run apt-get update first.")
  records <- records[!is.na(records$description), ]
  records[order(records$name, method = "radix"), ]
}

short_name <- function(debian_name) sub("^r-(cran|bioc)-", "", debian_name)

# "from" depends on "to": Depends only, since Recommends and Suggests mostly name what a package's tests need.
dependency_links <- function(records) {
  wanted <- lapply(strsplit(records$depends, "[,|]"), function(entry) sub("[ (:].*", "", trimws(entry)))
  links <- data.frame(from = rep(records$name, lengths(wanted)), to = unlist(wanted))
  links <- unique(links[links$to %in% records$name & links$from != links$to, ])
  links <- data.frame(from = short_name(links$from), to = short_name(links$to))
  links[order(links$from, links$to, method = "radix"), ]
}

words_of <- function(text) {
  text <- gsub("<?((https?|ftp|doi):|www[.])[^ \n]*", " ", tolower(text))
  words <- regmatches(text, gregexpr("[a-z][a-z0-9]+", text))
  lapply(words, function(w) setdiff(w, c(function_words, boilerplate)))
}

# One row per package, one column per word, 1 where title or description holds the word.
word_matrix <- function(words, names) {
  counts <- table(unlist(words))
  vocabulary <- sort(names(counts)[counts >= min_packages], method = "radix")
  j <- match(unlist(words), vocabulary)
  i <- rep(seq_along(words), lengths(words))
  Matrix::sparseMatrix(i[!is.na(j)], j[!is.na(j)], x = 1, dims = c(length(names), length(vocabulary)),
                       dimnames = list(names, vocabulary))
}

title_of <- function(description) {
  title <- sub("\n.*", "", description)
  title <- sub("^(GNU )?R ((package|library) )?((for|to|of|that|providing|implementing) )?", "", title)
  trimws(iconv(title, "UTF-8", "ASCII//TRANSLIT"))
}

records <- read_lists()
packages <- short_name(records$name)
stopifnot(!anyDuplicated(packages))
links <- dependency_links(records)
rownames(links) <- NULL
debian_r <- list(
  features = word_matrix(words_of(records$description), packages),
  links = links,
  titles = stats::setNames(title_of(records$description), packages)
)
save(debian_r, file = "data/debian_r.rda", compress = "xz", version = 3)
message(nrow(debian_r$features), " packages, ", ncol(debian_r$features), " words, ", nrow(links), " links, ",
        file.size("data/debian_r.rda"), " bytes")
