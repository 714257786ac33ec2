# Trials for read_hofm_json(): a good file, changed in its bytes or in its structure. It must be refused as a file, or
# give a fit whose predictions are finite or refused; and none of it may be evaluated. Sourced by tools/fuzz-worker.R.

# A text that says so if it is evaluated, alone and inside calls that a formula may have.
payloads <- c(
  "options(hofm.fuzz = TRUE)", "base::options(hofm.fuzz = TRUE)", "(options)(hofm.fuzz = TRUE)",
  "I(options(hofm.fuzz = TRUE))", "c(u, options(hofm.fuzz = TRUE))", "poly(u, options(hofm.fuzz = TRUE))",
  "(function() options(hofm.fuzz = TRUE))()", "`options`(hofm.fuzz = TRUE)", "u[options(hofm.fuzz = TRUE)]",
  "ifelse(u > 0, do.call('options', list(hofm.fuzz = TRUE)), u)", "y ~ u + options(hofm.fuzz = TRUE)",
  "options(hofm.fuzz = TRUE) ~ u", "y ~ poly(u, options(hofm.fuzz = TRUE))", "hofm(options(hofm.fuzz = TRUE))",
  "'options'(hofm.fuzz = TRUE)", "~ .(options(hofm.fuzz = TRUE))",
  "factor(u, labels = eval(quote(options(hofm.fuzz = TRUE))))", "u; options(hofm.fuzz = TRUE)",
  "{options(hofm.fuzz = TRUE); u}", "stats::poly(u, degree = options(hofm.fuzz = TRUE)[[1]])",
  "u$options(hofm.fuzz = TRUE)", "`~`(formula = options(hofm.fuzz = TRUE))",
  "`~`(y, terms = options(hofm.fuzz = TRUE))", "if (TRUE) options(hofm.fuzz = TRUE)")

odd_json <- c(
  "null", "true", "0", "-1", "0.5", "1e999", "-1e308", "1e-320", "2147483648", "NaN", "\"\"", "\"a\"", "[]", "{}",
  "[[]]", "[null]", "[[1,2],[3]]", "[1,\"a\"]", "{\"a\": 1}", "\"\\u0000\"", "\"\\ud800\"", "[1,2,3,4,5]",
  "[[1,2],[3,4]]")

json_trials <- function(seed) {
  pool <- fuzz_pool()
  fits <- c(pool$fits, list(links = pool$link_fit, grid = pool$grid_fit))
  texts <- lapply(fits, json_of)
  list(prepare = function(k) {
    set.seed((seed * 1000003 + k) %% 2147483647)
    change <- pick(changed_bytes, changed_structure, changed_call)
    name <- one_of(if (identical(change, changed_call)) c("formula", "logistic") else names(fits))
    changed <- change(texts[[name]])
    newdata <- switch(name, links = pool$links, grid = pool$split$train, fuzz_newdata(fits[[name]], pool))
    c(list(target = "read_hofm_json", fit = name, newdata = newdata), changed)
  }, text = function(trial) paste("fit:", trial$fit, "#", trial$what), run = run_json)
}

json_of <- function(fit) {
  file <- tempfile(fileext = ".json")
  on.exit(unlink(file))
  write_hofm_json(fit, file)
  readBin(file, "raw", file.size(file))
}

# ---- Changes: list(bytes =, what =) ------------------------------------------------------------------------

changed_bytes <- function(bytes) {
  n <- length(bytes)
  at <- sample.int(n, 1)
  some <- at:min(n, at + sample.int(40, 1))
  how <- pick("flip", "cut", "delete", "double", "insert", "token")
  new <- switch(how,
    flip = replace(bytes, at, xor(bytes[at], as.raw(2^sample(0:7, 1)))),
    cut = bytes[seq_len(at)],
    delete = bytes[-some],
    double = append(bytes, bytes[some], at),
    insert = append(bytes, as.raw(sample(0:255, 5, TRUE)), at),
    token = append(bytes, charToRaw(pick("{", "}", "[", "]", "\"", ",", "\\u0000", "1e999", "null", "\xef\xbb\xbf")),
                   at))
  list(bytes = new, what = sprintf("%s at byte %d", how, at))
}

# A call of the encoding, such as a formula, becomes a payload, or has one in place of a variable.
changed_call <- function(bytes) {
  tree <- jsonlite::parse_json(rawToChar(bytes))
  holders <- intersect(c("calls", "offsets", "formula", "expanded", "constants", "needed", "levels"),
                       names(tree$encoding))
  at <- one_of(holders)
  old <- tree$encoding[[at]]
  new <- if (is.character(old) && runif(1) < 0.5) gsub("\\bu\\b", one_of(payloads), old) else one_of(payloads)
  if (is.list(old)) tree$encoding[[at]][[sample.int(max(1, length(old)), 1)]] <- new else tree$encoding[[at]] <- new
  list(bytes = charToRaw(enc2utf8(as_json(tree))), what = paste0("/encoding/", at, " payload ", new))
}

as_json <- function(tree) jsonlite::toJSON(tree, auto_unbox = TRUE, digits = NA, null = "null", json_verbatim = TRUE)

# A node, anywhere in the tree, is taken away, replaced, doubled, renamed or wrapped.
changed_structure <- function(bytes) {
  tree <- jsonlite::parse_json(rawToChar(bytes))
  fields <- setdiff(names(tree), c("description", "fields", "written_by"))
  changed <- changed_node(tree, fields, path = "")
  list(bytes = charToRaw(enc2utf8(as_json(changed$tree))), what = changed$what)
}

changed_node <- function(tree, open = seq_along(tree), path) {
  at <- one_of(open)
  node <- tree[[at]]
  path <- paste0(path, "/", at)
  if (is.list(node) && length(node) && runif(1) < 0.75) {
    inner <- changed_node(node, if (is.null(names(node))) seq_along(node) else names(node), path)
    tree[[at]] <- inner$tree
    return(list(tree = tree, what = inner$what))
  }
  verbatim <- function(text) structure(text, class = "json")
  how <- pick("remove", "odd", "odd", "payload", "payload", "double", "wrap", "rename")
  new <- switch(how, odd = verbatim(one_of(odd_json)), payload = one_of(payloads), wrap = list(node),
                double = list(node, node))
  if (how == "remove") tree[[at]] <- NULL
  else if (how == "rename") names(tree)[match(at, names(tree))] <- "renamed"
  else tree[[at]] <- new
  list(tree = tree, what = paste(path, how, if (how %in% c("odd", "payload")) unclass(new)))
}

# ---- What becomes of it -----------------------------------------------------------------------------------

# Everything one does with a fit that came out of a file, but update(), which evaluates the call.
uses_of_fit <- list(
  print = function(fit, new) print(fit), summary = function(fit, new) print(summary(fit)),
  coef = function(fit, new) coef(fit), formula = function(fit, new) formula(fit),
  terms = function(fit, new) terms(fit), frame = function(fit, new) as.data.frame(fit),
  interactions = function(fit, new) interactions(fit, n = 3), names = function(fit, new) variable.names(fit),
  family = function(fit, new) family(fit), logLik = function(fit, new) logLik(fit),
  control = function(fit, new) print(fit$control),
  plot = function(fit, new) plot(fit), matrix = function(fit, new) model.matrix(fit, new),
  augment = function(fit, new) if (requireNamespace("generics", quietly = TRUE)) generics::augment(fit, newdata = new),
  compare = function(fit, new) compare_models(list(a = fit), new),
  write = function(fit, new) write_hofm_json(fit, tempfile()))

# The value of `code`, or the unclassed error in it.
tried <- function(code) {
  failed <- function(e) structure(conditionMessage(e), class = "unclassed")
  tryCatch(code, hofm_error = function(e) NULL, error = failed)
}

run_json <- function(trial) {
  options(hofm.fuzz = NULL)
  file <- tempfile(fileext = ".json")
  on.exit(unlink(file))
  writeBin(trial$bytes, file)
  found <- function(kind, message) list(kind = kind, message = message)
  fit <- suppressWarnings(tried(read_hofm_json(file)))
  if (!is.null(getOption("hofm.fuzz"))) return(found("evaluated", "on reading"))
  if (inherits(fit, "unclassed")) return(found("unclassed", paste("read:", fit)))
  if (is.null(fit)) return(found("refused", ""))
  offset <- if (isTRUE(fit$offset_given)) numeric(nrow(trial$newdata))
  for (type in c("link", "response", "terms")) {
    value <- suppressWarnings(tried(predict(fit, trial$newdata, type = type, offset = offset)))
    if (!is.null(getOption("hofm.fuzz"))) return(found("evaluated", "on predicting"))
    if (inherits(value, "unclassed")) return(found("unclassed", paste("predict:", value)))
    if (is.numeric(value) && not_finite(value)) return(found("wrong", paste("predictions that are not finite,", type)))
  }
  for (use in names(uses_of_fit)) {
    value <- suppressWarnings(tried(uses_of_fit[[use]](fit, trial$newdata)))
    if (!is.null(getOption("hofm.fuzz"))) return(found("evaluated", use))
    if (inherits(value, "unclassed")) return(found("unclassed", paste0(use, ": ", value)))
  }
  found("answer", "")
}
