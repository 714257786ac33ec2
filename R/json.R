#' Write a fit as JSON, and read it back
#'
#' A text file that another program can read, and a person too: besides all parameters it holds the formula of
#' the model, what each field means, and how variables become features. Numbers are written in the fewest
#' digits that identify them, so that the fit that `read_hofm_json()` returns predicts exactly what the one
#' that was written predicts. Needs the package jsonlite.
#'
#' @section What is kept:
#' Parameters, settings, the trace, the call and what [predict.hofm()] needs, for all models and for fits to
#' matrices, data frames, formulas and pairs of nodes. Of a formula, the calls in it are kept as text, with
#' data-dependent parts such as the coefficients of [poly()] in place, as are constants that it uses.
#'
#' Not kept are the fitted values, residuals and weights of the training rows and which rows `na.action` took
#' out: the fit that comes back is like one with `hofm_control(keep_fitted = FALSE)`.
#'
#' @section What a file may call:
#' A file cannot run code of its own. Reading evaluates nothing that is in it. A formula is evaluated later, on
#' its right to predict and on its left where new data hold the response ([compare_models()], `augment()`), so
#' both sides may only call arithmetic, comparisons, `%in%`, the usual mathematical functions, `c()`, `list()`,
#' `I()`, `offset()`, `ifelse()`, `is.na()`, `as.numeric()` and the like, `factor()`, `ordered()`, `relevel()`,
#' `droplevels()`, `interaction()`, `cut()`, `scale()`, `poly()`, `ns()` and `bs()`. A formula that calls
#' anything else, such as a function of your own, is an error that names it: of class `hofm_error_unsupported`
#' when the fit is written, of class `hofm_error_file` when it is read. To keep such a fit use [saveRDS()], or
#' compute the variable in the data and fit to that. A recipe cannot be written either. The names above are
#' looked up as in any formula: a function of the same name in your workspace is yours, not the file's. The
#' `call` in a file is not checked, and evaluated by nothing but [update()].
#'
#' @param fit A fit from [hofm()].
#' @param file The name of a file, or a connection, as in [read_libsvm()]. It is written compressed if its name
#'   ends in `.gz`, under a temporary name, and renamed when it is whole.
#' @param ... Nothing: an unknown argument is an error.
#' @return `write_hofm_json()`: `file`, invisibly. `read_hofm_json()`: a fit of class `hofm`. A file that is
#'   not such a fit is an error of class `hofm_error_file` that says what is wrong.
#' @seealso [saveRDS()], which keeps everything; [export_libfm()].
#' @examplesIf requireNamespace("jsonlite", quietly = TRUE)
#' cars <- transform(mtcars, cyl = factor(cyl), hp = hp / 100)
#' fit <- hofm(mpg ~ cyl + log(hp) + wt, cars, rank = 2, lambda = 0.1)
#' file <- tempfile(fileext = ".json")
#' write_hofm_json(fit, file)
#' writeLines(readLines(file, n = 12))
#' back <- read_hofm_json(file)
#' identical(predict(back, cars), predict(fit, cars))
#' unlink(file)
#' @concept files
#' @export
write_hofm_json <- function(fit, file, ...) {
  check_given()
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  need_jsonlite()
  if (!inherits(fit, "hofm")) must_be("fit", "a fit from hofm()", fit)
  check_fit(fit, "fit", shown = TRUE)
  text <- jsonlite::toJSON(json_fit(fit), null = "null", na = "null", json_verbatim = TRUE, pretty = TRUE)
  with_target(file, function(put) put(line_bytes(enc2utf8(text))))
  invisible(file)
}

need_jsonlite <- function() {
  if (!requireNamespace("jsonlite", quietly = TRUE)) unsupported("JSON needs the package jsonlite, which is not installed.")
}

# Raised when older code would misread newer files. Version 1 knew of no standardised columns.
json_version <- 2L
readable_json <- 1:2

# ---- A fit as a list for jsonlite --------------------------------------------------------------------------

# Fields that go into the file as they are, and those that are put in another form, or left out.
plain_fields <- c(
  "model", "order", "rank", "lambda", "loss", "linear", "has_intercept", "split", "tied", "solver", "objective",
  "converged", "message", "seed", "eta", "deviance", "null.deviance", "loglik", "n", "offset_given",
  "weights_given", "negatives", "ranking", "validation")
other_fields <- c(
  "intercept", "w", "P", "theta", "gamma", "common", "features", "response", "blueprint", "control", "trace", "call",
  "degree_variance", "format_version", "na.action", "linear.predictors", "residuals", "prior.weights", "meeting", "steps",
  "tuning", "penalty_factor", "penalty", "standardize")

json_fit <- function(fit) {
  one <- jsonlite::unbox
  list(
    format = one("hofm"), version = one(json_version),
    description = lapply(json_description(fit), one),
    fields = lapply(field_words, one),
    written_by = one(paste("hofm", utils::packageVersion("hofm"))),
    fit = lapply(fit[intersect(plain_fields, names(fit))], json_value),
    features = fit$features,
    parameters = json_parameters(fit),
    response = c(list(kind = one(fit$response$kind), levels = json_vector(fit$response$levels)),
                 if (!is.null(fit$response$range)) list(range = json_vector(fit$response$range))),
    encoding = json_blueprint(fit$blueprint),
    control = lapply(unclass(fit$control), json_value),
    trace = lapply(fit$trace, json_vector),
    degree_variance = lapply(as.list(fit$degree_variance), json_value),
    call = one(exact_text(fit$call)),
    tuning = json_tuning(fit$tuning),
    penalties = list(factor = json_vector(fit$penalty_factor), solver = json_vector(fit$penalty)),
    other = lapply(fit[is_plain(fit) & !names(fit) %in% c(plain_fields, other_fields)], json_value))
}

# What penalties were chosen from: numbers, and a table of what was tried.
json_tuning <- function(tuning) {
  if (is.null(tuning)) return(NULL)
  lapply(if (is.data.frame(tuning)) list(table = tuning) else tuning, function(part) {
    if (is.data.frame(part)) lapply(part, json_vector) else json_vector(part)
  })
}

# Fields that this code has not heard of are kept if they are numbers, words or lists of them.
is_plain <- function(fields) {
  plain <- function(field) is.null(attr(field, "class")) && (is.null(field) || is.atomic(field) || is.list(field))
  vapply(fields, plain, NA)
}

# One value is a JSON value and several are an array; json_vector() always makes an array.
json_value <- function(x) {
  if (is.list(x)) return(lapply(x, json_value))
  if (length(x) != 1) return(json_vector(x))
  if (is.numeric(x)) verbatim(number_text_cpp(x)) else jsonlite::unbox(as.vector(x))
}

json_vector <- function(x) {
  if (is.numeric(x)) verbatim(paste0("[", paste(number_text_cpp(x), collapse = ", "), "]")) else as.vector(x)
}

json_matrix <- function(x) {
  verbatim(paste0("[\n", paste0("        [", joined_rows(as.matrix(x), ", "), "]", collapse = ",\n"), "\n      ]"))
}

verbatim <- function(text) structure(text, class = "json")

json_parameters <- function(fit) {
  array <- function(x) if (is.matrix(x)) json_matrix(x) else if (!is.null(x)) json_vector(unname(x))
  list(intercept = json_value(fit$intercept), w = array(fit$w), P = lapply(fit$P, json_matrix), theta = array(fit$theta),
       gamma = array(fit$gamma), common = lapply(fit$common, array))
}

# What the file says about itself.
json_description <- function(fit) {
  c("A factorization machine, as fitted by hofm() of the R package hofm (Blondel, Fujino, Ueda and Ishihata, 2016).",
    "x has one value for each of `features`, in that order; j runs over features and s over the columns of a matrix of factors.",
    switch(fit$model,
      hofm = "f(x) = intercept + sum_j w[j] x[j] + sum over t in names of P and s of A^t(P[t][, s], x)",
      shared = "f(x) = intercept + sum over t = 1, ..., order and s of theta[t, s] A^t(P[, s], x)",
      simplex = "f(x) = intercept + sum over t = 1, ..., order and s of theta[t] A^t(P[, s], x)",
      all_subsets = "f(x) = intercept + sum_s prod_j (1 + P[j, s] x[j])",
      polynomial = "f(x) = intercept + sum_s (gamma[s] + sum_j P[j, s] x[j])^order",
      bilinear = "f(x) = intercept + sum_s (sum_j U[j, s] a[j]) (sum_j V[j, s] b[j]), x being a, of `split` values, followed by b"),
    if (averages_sides(fit)) "the value of a pair of nodes is the mean of f for (a, b) and for (b, a)",
    if (fit$model %in% c("hofm", "shared", "simplex"))
      "A^t(p, x) is the sum over all sets J of t distinct features of the product over j in J of p[j] x[j]",
    loss_facts(fit$loss)$sentence)
}

field_words <- list(
  fit = paste("what was fitted and how: the objective is the weighted mean of the losses + sum of lambda / 2 times",
              "the squared norms; rank has a value for each degree 2, ..., order of the model hofm"),
  features = "names of the features",
  parameters = paste("intercept; w, a weight for each feature; P, matrices of factors with a row for each feature;",
                     "theta and gamma, see above; common, of links: weight times the cosine of the two nodes, whose features enter as",
                     "(x - center) * scale, those of the second node taken in `order`"),
  response = "how the response was given, and its two classes if it has them, the second of which counts as positive",
  encoding = paste("how newdata becomes features. kind matrix: columns are matched by name, or by position if not named.",
                   "kind frame: variables are evaluated by their calls (R), or are columns of data; a factor has an indicator for each",
                   "of its levels, a logical one for TRUE; terms lists the variables (from 1) that are multiplied, and which of the",
                   "products are kept, the first variable running fastest (null: all). standard, where there is one, has a center and",
                   "a scale for each feature: x is (feature - center) / scale; with side, its features of a node are then brought to length 1"),
  control = "settings of the solver",
  trace = "the objective after each iteration",
  degree_variance = "variance of the part of each degree over the training rows",
  call = "the call in R",
  tuning = "the penalties that were tried and how they did on samples held out, if lambda was chosen from the data",
  penalties = "factor: relative penalties of the features; solver: lambda on the scale of the response",
  other = "fields of later versions")

# ---- Blueprints --------------------------------------------------------------------------------------------

blueprint_fields <- c(
  "kind", "named", "variables", "types", "needed", "levels", "columns", "calls", "offsets", "env", "terms",
  "kept", "formula", "terms_object", "standard")

json_blueprint <- function(b) {
  unknown <- setdiff(names(b), blueprint_fields)
  if (length(unknown)) unsupported(sprintf("The %s of the fit cannot be kept as JSON: use saveRDS().", enumerate(ticked(unknown))))
  standard <- if (!is.null(b$standard)) list(standard = lapply(b$standard, json_vector))
  if (b$kind == "matrix") return(c(lapply(b[c("kind", "named")], json_value), standard))
  odd <- c(odd_names(c(b$calls, b$offsets), b$needed, b$env), odd_functions(list(b$formula, b$terms_object)))
  if (length(odd)) {
    unsupported(sprintf("The formula uses %s, which cannot be kept as JSON: use saveRDS().",
                        enumerate(ticked(unique(odd)))))
  }
  texts <- function(calls) if (!is.null(calls)) vapply(calls, exact_text, "")
  c(standard, list(kind = jsonlite::unbox("frame"), variables = b$variables, types = b$types, needed = b$needed,
       levels = lapply(b$levels, as.vector), columns = b$columns, calls = texts(b$calls), offsets = texts(b$offsets),
       constants = lapply(used_constants(c(b$calls, b$offsets), b$env), json_vector),
       terms = json_terms(b), formula = json_formula(b$formula), expanded = json_formula(b$terms_object)))
}

json_terms <- function(b) {
  if (is.null(b$terms)) return(NULL)
  Map(function(variables, kept) {
    list(variables = json_vector(variables), kept = if (is.numeric(kept)) json_vector(kept))
  }, b$terms, b$kept)
}

json_formula <- function(formula) {
  if (!is.null(formula)) jsonlite::unbox(exact_text(stats::formula(formula)))
}

# A call as text that is parsed back as the same call. Hexadecimals only where 17 digits are not read back as the same number.
exact_text <- function(call) {
  if (is.call(call)) attributes(call) <- NULL
  written <- function(call, numbers) {
    control <- c("keepNA", "keepInteger", "niceNames", numbers)
    paste(deparse(call, width.cutoff = 500L, backtick = TRUE, control = control), collapse = "\n")
  }
  text <- written(call, "digits17")
  same <- identical(written(str2lang(text), "hexNumeric"), written(call, "hexNumeric"))
  enc2utf8(if (same) text else written(call, "hexNumeric"))
}

safe_functions <- c(
  "+", "-", "*", "/", "^", "(", "%%", "%/%", "<", ">", "<=", ">=", "==", "!=", "&", "|", "!", "%in%", "c", "list",
  "I", "offset", "abs", "sign", "sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos",
  "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "floor", "ceiling", "trunc", "round", "signif", "pmin",
  "pmax", "ifelse", "is.na", "factor", "ordered", "relevel", "droplevels", "interaction", "as.factor",
  "as.character", "as.numeric", "as.integer", "as.logical", "cut", "scale", "poly", "ns", "bs", "stats::poly",
  "stats::relevel", "splines::ns", "splines::bs")

#' Names in calls that are evaluated to predict which a file cannot keep, or must not
#' @param needed Columns of the data.
#' @param env Where constants of the formula are.
#' @noRd
odd_names <- function(calls, needed, env) {
  own <- used_constants(calls, env)
  odd <- names(Filter(function(value) !is.atomic(value) || is.object(value) || !is.null(dim(value)), own))
  free <- setdiff(unlist(lapply(calls, all.vars)), c(needed, names(own), "T", "F", "pi"))
  unique(c(odd_functions(calls), odd, free))
}

# Formulas have two operators more; a tilde anywhere but at the top makes no sense to evaluate.
odd_functions <- function(calls) {
  called <- lapply(calls, function(call) {
    if (is_formula(call)) setdiff(unlist(lapply(as.list(call)[-1], called_functions)), ":") else called_functions(call)
  })
  setdiff(unlist(called), safe_functions)
}

# What of the environment the calls use: constants, and functions that stand in the way of those of the same name.
used_constants <- function(calls, env) {
  if (is.null(env)) return(list())
  mget(intersect(ls(env), as.character(unlist(lapply(calls, all.names)))), env)
}

called_functions <- function(call) {
  if (!is.call(call)) return(character())
  inner <- as.list(call)[-1]
  c(function_name(call[[1]]), unlist(lapply(inner[vapply(inner, is.call, NA)], called_functions)))
}

# "f" or "package::f"; what is called by any other expression has a name that is never among those allowed.
function_name <- function(head) {
  if (is.symbol(head)) return(as.character(head))
  from_package <- is.call(head) && identical(head[[1]], quote(`::`)) && is.symbol(head[[2]]) && is.symbol(head[[3]])
  if (from_package) paste0(head[[2]], "::", head[[3]]) else sprintf("(%s)", deparsed(head))
}

# ---- And back ----------------------------------------------------------------------------------------------

#' @rdname write_hofm_json
#' @export
read_hofm_json <- function(file, ...) {
  check_given()
  check_dots(match.call(expand.dots = FALSE)$..., names(formals()))
  need_jsonlite()
  with_source(file, function(next_block, name) {
    bytes <- list()
    for_blocks(next_block, function(block) bytes[[length(bytes) + 1]] <<- block)
    fit_from_json(unlist(bytes), name)
  })
}

# Whatever is odd about the file ends here as an error about the file.
fit_from_json <- function(bytes, name) {
  not_one <- function(what) abort_file(sprintf("%s does not hold a fit of hofm: %s", quoted(name), what), name)
  failed <- function(e) not_one(paste0(sub("[.\n]+$", "", conditionMessage(e)), "."))
  json <- tryCatch(parsed_json(bytes), error = failed, warning = failed)
  if (!identical(json[["format"]], "hofm")) not_one("its field `format` is not \"hofm\".")
  version <- json[["version"]]
  if (!is_plain_number(version) || length(version) != 1 || !version %in% readable_json) {
    not_one(sprintf("its version is %s, and this version of the package reads %s.", describe(version),
                    paste(readable_json, collapse = " and ")))
  }
  tryCatch(check_fit(rebuilt_fit(json), "fit", shown = TRUE), error = failed, warning = failed)
}

parsed_json <- function(bytes) {
  text <- rawToChar(as.raw(bytes))
  Encoding(text) <- "UTF-8"
  json <- jsonlite::parse_json(text, simplifyVector = TRUE, simplifyDataFrame = FALSE)
  if (is.list(json)) json else list()
}

rebuilt_fit <- function(json) {
  plain <- json[["fit"]]
  features <- enc2utf8(words(json[["features"]]))
  fit <- c(rebuilt_parameters(json[["parameters"]], plain, features),
           sapply(plain_fields, function(field) plain[[field]], simplify = FALSE))
  given <- function(fields) Filter(function(field) !is.null(fit[[field]]), fields)
  doubles <- given(c("lambda", "objective", "eta", "deviance", "null.deviance", "loglik"))
  integers <- given(c("order", "rank", "split", "seed", "n"))
  fit[doubles] <- lapply(fit[doubles], numbers)
  fit[integers] <- lapply(fit[integers], function(x) as.integer(numbers(x)))
  if (!is.null(fit$validation)) fit$validation$trace <- rebuilt_trace(fit$validation$trace)
  if (is.null(fit$order)) fit$order <- NA_integer_
  if (is.null(fit$rank)) fit$rank <- integer(0)
  fit <- c(fit, list(
    features = features, response = rebuilt_response(json[["response"]]), na.action = NULL,
    blueprint = rebuilt_blueprint(json[["encoding"]]), control = rebuilt_control(json[["control"]]),
    call = parsed_call(json[["call"]], "hofm"), format_version = format_version,
    trace = rebuilt_trace(json[["trace"]]), tuning = rebuilt_tuning(json[["tuning"]]),
    penalty_factor = vector_or_null(json[["penalties"]][["factor"]]), penalty = vector_or_null(json[["penalties"]][["solver"]]),
    standardize = !is.null(json[["encoding"]][["standard"]]),
    degree_variance = vapply(json[["degree_variance"]], one_number, 0)), json[["other"]])
  structure(fit, class = "hofm")
}

words <- function(x) if (is.null(x)) character() else as.character(unlist(x))

numbers <- function(x) {
  x <- unlist(x)
  if (is.null(x) || (is.logical(x) && all(is.na(x)))) return(rep(NA_real_, length(x)))
  if (!is.numeric(x)) stop("numbers are expected, not ", describe(x))
  as.double(x)
}

one_number <- function(x) if (is.null(x)) NA_real_ else numbers(x)

matrix_of <- function(x, names) {
  if (is.null(x)) return(NULL)
  if (!is.matrix(x) || (!is.null(names) && nrow(x) != length(names))) {
    stop("a matrix of factors does not have a row for each feature")
  }
  matrix(numbers(x), nrow(x), dimnames = if (!is.null(names)) list(names, NULL))
}

rebuilt_parameters <- function(parameters, plain, features) {
  P <- parameters[["P"]]
  sides <- c(plain[["split"]], length(features) - plain[["split"]])
  rows <- if (identical(plain[["model"]], "bilinear")) split(features, rep(1:2, sides))
          else rep(list(features), length(P))
  list(intercept = numbers(parameters[["intercept"]]),
       w = if (!is.null(parameters[["w"]])) stats::setNames(numbers(parameters[["w"]]), features),
       P = if (length(P)) Map(matrix_of, P, unname(rows)) else empty_factors,
       theta = vector_or_matrix(parameters[["theta"]]), gamma = vector_or_matrix(parameters[["gamma"]]), common = rebuilt_common(parameters[["common"]]))
}

# Absent from files of earlier versions.
rebuilt_common <- function(common) {
  if (!length(common)) return(NULL)
  rule <- lapply(common[c("weight", "center", "scale", "order")], numbers)
  replace(rule, "order", list(as.integer(rule$order)))
}

# That of links is a table alone.
rebuilt_tuning <- function(tuning) {
  if (!length(tuning)) return(NULL)
  table <- as.data.frame(lapply(tuning[["table"]], function(column) if (is.character(column) || is.logical(column)) column else numbers(column)))
  if (length(tuning) == 1) table else c(list(table = table), lapply(tuning[names(tuning) != "table"], numbers))
}

vector_or_null <- function(x) if (length(x)) numbers(x)

empty_factors <- stats::setNames(list(), character())

vector_or_matrix <- function(x) if (is.matrix(x)) matrix_of(x, NULL) else if (!is.null(x)) numbers(x)

rebuilt_response <- function(response) {
  levels <- response[["levels"]]
  range <- if (!is.null(response[["range"]])) list(range = numbers(response[["range"]]))
  c(list(kind = response[["kind"]], levels = if (is.numeric(levels)) as.double(levels) else if (length(levels)) levels), range)
}

rebuilt_control <- function(control) do.call(hofm_control, Filter(Negate(is.null), as.list(control)))

rebuilt_trace <- function(trace) {
  trace <- as.data.frame(lapply(trace, numbers))
  if (!is.null(trace$iteration)) trace$iteration <- as.integer(trace$iteration)
  trace
}

# With how columns are standardised, which files of version 1 do not have.
rebuilt_blueprint <- function(b) {
  standard <- lapply(b[["standard"]], numbers)
  c(rebuilt_encoding(b), if (!is.null(b[["standard"]])) list(standard = standard))
}

rebuilt_encoding <- function(b) {
  if (identical(b[["kind"]], "matrix")) return(list(kind = "matrix", named = b[["named"]]))
  env <- list2env(lapply(b[["constants"]], function(value) unlist(value)), parent = globalenv())
  calls <- lapply(words(b[["calls"]]), str2lang)
  offsets <- lapply(words(b[["offsets"]]), str2lang)
  refuse_names(odd_names(c(calls, offsets), words(b[["needed"]]), env))
  blueprint <- list(kind = "frame", variables = enc2utf8(words(b[["variables"]])), needed = enc2utf8(words(b[["needed"]])),
                    types = words(b[["types"]]), levels = lapply(b[["levels"]], words), columns = lapply(b[["columns"]], words))
  if (!is.null(b[["formula"]])) blueprint$formula <- rebuilt_formula(b[["formula"]], env)
  if (!length(calls)) return(blueprint)
  expanded <- rebuilt_formula(b[["expanded"]], env)
  c(blueprint, list(calls = calls, offsets = offsets, env = env, terms_object = stats::terms(expanded)),
    rebuilt_terms(b[["terms"]], blueprint_widths(blueprint)))
}

# `terms` must be there even if it is NULL, lest `$terms` find `terms_object`.
rebuilt_terms <- function(terms, widths) {
  if (is.null(terms)) return(list(terms = NULL, kept = NULL))
  variables <- lapply(terms, function(term) as.integer(numbers(term[["variables"]])))
  kept <- lapply(terms, function(term) if (is.null(term[["kept"]])) "all" else as.integer(numbers(term[["kept"]])))
  check_terms(variables, kept, widths)
  list(terms = variables, kept = kept)
}

# Terms are indices of variables and of products of their columns: they must be within them.
check_terms <- function(terms, kept, widths) {
  within <- function(index, n) length(index) > 0 && !anyNA(index) && all(index >= 1 & index <= n)
  some <- function(kept, n) within(kept, n) && !is.unsorted(kept, strictly = TRUE)
  good <- mapply(function(term, kept) {
    within(term, length(widths)) && (identical(kept, "all") || some(kept, prod(widths[term])))
  }, terms, kept)
  if (!all(good)) stop("a term has variables or columns that do not exist")
}

# Nothing is evaluated, as as.formula() would do: a formula is its call with a class and an environment.
rebuilt_formula <- function(text, env) {
  call <- parsed_call(text, "~")
  if (!is_formula(call) || !is.null(names(call))) {
    stop("the text ", quoted(words(text)), " is not a formula with two sides")
  }
  refuse_names(odd_functions(list(call)))
  structure(call, class = "formula", .Environment = env)
}

refuse_names <- function(odd) {
  if (!length(odd)) return(invisible())
  stop("its formula uses ", enumerate(ticked(odd)), ", which the formula of a file must not; fits with functions of ",
       "their own are kept by saveRDS()")
}

# The one call in `text`, which must be to `head`. Nothing is evaluated.
parsed_call <- function(text, head) {
  call <- str2lang(words(text))
  if (!is.call(call) || !identical(call[[1]], as.name(head))) stop("the text ", quoted(words(text)), " is not a call to ", head)
  call
}
