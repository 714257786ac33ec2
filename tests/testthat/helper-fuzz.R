# Random calls. A call is a target of helper-fuzz_calls.R with good arguments, most of the time with one or two of them
# spoilt. It is drawn from a seed and a number alone, so that tests and tools/fuzz.R make the same ones, and any of them
# can be made again.

pick <- function(...) {
  options <- list(...)
  options[[sample.int(length(options), 1)]]
}

one_of <- function(options) options[[sample.int(length(options), 1)]]

# ---- Values that do not belong -----------------------------------------------------------------------------

odd_numbers <- c(0, -1, 0.5, 1e6, 2^31 - 1, 2^31, -2^31, 2^53, 1e10, 1e300, 1.79e308, -1e308, 1e-300, 5e-324, NA, NaN,
                 Inf, -Inf)

odd_values <- list(
  NULL, NA, TRUE, FALSE, NA_character_, NA_integer_, "", "a", "\u00e9", "\xff", letters[1:3],
  character(), numeric(), integer(), logical(), list(), list(1, "a"), list(a = NULL),
  1:3, -1L, c(a = 1), c(0.5, NA), rep(1, 1000), factor("a"), factor(c("a", NA, "b")), factor(character()),
  as.Date(NA), as.Date(c("2020-01-01", NA)), as.POSIXct(0, origin = "1970-01-01"), as.POSIXlt("2020-01-01", tz = "UTC"),
  1i, as.raw(1:2), quote(x), quote(f(x)), y ~ x, ~ ., expression(x), function(x) x, sum, emptyenv(),
  matrix(0, 0, 0), matrix(0, 0, 3), matrix(0, 3, 0), matrix("a", 2, 2), matrix(list(), 0, 2), array(0, c(2, 2, 2)),
  data.frame(), data.frame(a = 1)[0, , drop = FALSE], data.frame(a = 1:3)[0], data.frame(a = I(list(1, 2))),
  structure(1, class = "b"), structure(list(), class = "hofm"), structure(list(), class = "link_pairs"),
  structure(list(), class = "roc_curve"), table(1:3))

odd_number <- function() odd_numbers[sample.int(length(odd_numbers), 1)]

odd_value <- function() {
  value <- if (runif(1) < 0.5) odd_number() else one_of(odd_values)
  list(value = value, what = paste("=", short_text(value)))
}

short_text <- function(value, width = 60) {
  lines <- tryCatch(deparse(value, nlines = 3), error = function(e) paste("<", class(value)[1], ">"))   # strings may be no text
  text <- paste(trimws(lines), collapse = " ")
  if (nchar(text, "bytes") > width) paste0(substring(iconv(text, sub = "byte"), 1, width), "...") else text
}

# ---- Values that were good -------------------------------------------------------------------------------

# Each takes a vector or matrix.
atomic_damages <- list(
  "one cell" = function(x) if (length(x)) suppressWarnings(replace(x, sample.int(length(x), 1), odd_number())) else x,
  "scaled" = function(x) if (is.numeric(x)) x * 10^sample(c(-300:300, -8, 8, 100, 154, 300), 1) else x,
  "all the same" = function(x) rep(x[1], length(x)),
  "shorter" = function(x) x[-1],
  "longer" = function(x) c(x, x),
  "empty" = function(x) x[0],
  "as text" = function(x) replace(x, TRUE, as.character(x)),
  "as integer" = function(x) suppressWarnings(replace(x, TRUE, as.integer(x))),
  "as logical" = function(x) suppressWarnings(x != 0),
  "as factor" = function(x) factor(x),
  "as list" = function(x) as.list(x),
  "as complex" = function(x) suppressWarnings(x + 0i),
  "as date" = function(x) structure(as.vector(x), class = "Date"),
  "with a class" = function(x) structure(x, class = "unheard-of"),
  "with names" = function(x) structure(x, names = rep(pick("", NA, "a"), length(x))),
  "reversed" = rev,
  "a column" = function(x) matrix(x, ncol = 1),
  "a row" = function(x) matrix(x, nrow = 1),
  "without rows" = function(x) if (is.matrix(x)) x[0, , drop = FALSE] else x[0],
  "without columns" = function(x) if (is.matrix(x)) x[, 0, drop = FALSE] else x[0],
  "a row less" = function(x) if (is.matrix(x)) x[-1, , drop = FALSE] else x[-1],
  "a column less" = function(x) if (is.matrix(x)) x[, -1, drop = FALSE] else x[-1],
  "a row twice" = function(x) if (is.matrix(x) && nrow(x)) x[c(seq_len(nrow(x)), 1), , drop = FALSE] else x,
  "names alike" = function(x) if (is.matrix(x)) structure(x, dimnames = list(NULL, rep("a", ncol(x)))) else x,
  "names missing" = function(x) {
    if (is.matrix(x)) structure(x, dimnames = list(NULL, rep(NA_character_, ncol(x)))) else x
  },
  "a data frame" = function(x) as.data.frame(x),
  "transposed" = function(x) t(x))

damage_atomic <- function(x) {
  how <- one_of(names(atomic_damages))
  list(value = atomic_damages[[how]](x), what = how)
}

# A field of a list is taken away, replaced or spoilt; the class stays. Columns of a data frame stay as long as they
# were, or it would be none.
damage_list <- function(x, depth) {
  if (!length(x)) return(list(value = structure(list(a = 1), class = oldClass(x)), what = "$a = 1"))
  at <- sample.int(length(x), 1)
  field <- if (is.null(names(x))) paste0("[[", at, "]]") else paste0("$", names(x)[at])
  class <- oldClass(x)
  bare <- if (is.data.frame(x)) x else unclass(x)
  if (runif(1) < 0.25) {
    bare[[at]] <- NULL
    return(list(value = structure(bare, class = class), what = paste(field, "removed")))
  }
  new <- if (runif(1) < 0.3) odd_value() else damage(.subset2(x, at), depth + 1)
  if (is.data.frame(x)) bare[[at]] <- new$value else bare[at] <- list(new$value)
  between <- if (startsWith(new$what, "$")) "" else " "
  list(value = structure(bare, class = class), what = paste0(field, between, new$what))
}

damage_s4 <- function(x, depth) {
  name <- one_of(setdiff(methods::slotNames(x), "factors"))
  new <- if (runif(1) < 0.3) odd_value() else damage(methods::slot(x, name), depth + 1)
  attr(x, name) <- new$value
  list(value = x, what = paste0("@", name, " ", new$what))
}

# list(value =, what =): something like x that is not what it was, and how it differs. Not everything can be done to
# every value.
damage <- function(x, depth = 0) {
  if (depth > 3 || runif(1) < 0.15) return(odd_value())
  spoilt <- function() {
    if (isS4(x)) damage_s4(x, depth)
    else if (is.list(x)) damage_list(x, depth)
    else if (is.atomic(x) && !is.null(x)) damage_atomic(x)
    else odd_value()
  }
  tryCatch(spoilt(), error = function(e) odd_value())
}

# As damage(), but an object of the same class.
damage_fields <- function(x) tryCatch(damage_list(x, 0), error = function(e) list(value = x, what = "as it was"))

# ---- A call -------------------------------------------------------------------------------------------------

# Call number `k` of `seed`: list(target =, fun =, args =, spoilt =), the last what was done to the arguments.
fuzz_call <- function(seed, k, targets) {
  set.seed((seed * 1000003 + k) %% 2147483647)
  name <- one_of(names(targets))
  target <- targets[[name]]
  call <- list(target = name, fun = target$fun, args = target$args(), spoilt = character(), judge = target$judge)
  for (round in seq_len(sample(0:2, 1, prob = c(0.25, 0.6, 0.15)))) call <- spoil_argument(call, target)
  call$args <- patient(call$args)
  call
}

# Methods of generics that are not ours are only called with objects of our classes: fields may be wrong, the class may
# not.
spoil_argument <- function(call, target) {
  open <- setdiff(names(call$args), target$kept)
  if (!length(open)) return(call)
  name <- one_of(open)
  first <- name == names(call$args)[1] && target$foreign
  chance <- runif(1)
  if (chance < 0.05 && !first) {
    call$args[[name]] <- NULL
    call$spoilt <- c(call$spoilt, paste(name, "left out"))
    return(call)
  }
  old <- call$args[[name]]
  new <- if (first) damage_fields(old) else if (chance < 0.45) odd_value() else damage(old)
  call$args[name] <- list(new$value)
  call$spoilt <- c(call$spoilt, paste(name, new$what))
  call
}

# A long run that was asked for is no hang.
patient <- function(args) {
  limit <- function(control) {
    long <- is.list(control) && is.numeric(control$max_iter) && isTRUE(control$max_iter[1] > 50)
    if (long) control$max_iter <- 50
    control
  }
  if (!is.null(args$control)) args$control <- limit(args$control)
  if (is.numeric(args$rank)) args$rank[args$rank %in% c(1e6, 1e5)] <- 1e4
  args
}

# ---- What came of it ----------------------------------------------------------------------------------------

# list(kind =, message =): "answer" and "refused" are as they should be, "unclassed" and "wrong" are findings.
fuzz_outcome <- function(call) {
  conditions <- 0
  run <- function() {
    value <- withCallingHandlers(do.call(call$fun, call$args, quote = TRUE), warning = function(w) {
      conditions <<- conditions + 1
      invokeRestart("muffleWarning")
    }, message = function(m) invokeRestart("muffleMessage"))
    wrong <- if (conditions == 0) call$judge(value, call$args)
    if (is.null(wrong)) list(kind = "answer", message = "") else list(kind = "wrong", message = wrong)
  }
  tryCatch(run(), hofm_error = function(e) list(kind = "refused", message = class(e)[1]), error = unclassed)
}

# An argument that a function without dots does not have is R's to refuse, before the function is entered, and c() evaluates a symbol
# or call that it is given once more.
unclassed <- function(e) {
  message <- conditionMessage(e)
  if (startsWith(message, "unused argument")) return(list(kind = "refused", message = "unused argument"))
  if (message == "could not find function \"f\"") return(list(kind = "refused", message = "a call"))
  if (message == "object 'x' not found" && startsWith(deparse(conditionCall(e)[[1]])[1], "c.roc_curve")) {
    return(list(kind = "refused", message = "a symbol"))
  }
  list(kind = "unclassed", message = message)
}

fuzz_text <- function(call, width = 300) {
  body <- paste(sprintf("%s = %s", names(call$args), vapply(call$args, short_text, "", width = 80)), collapse = ", ")
  text <- sprintf("%s(%s)", call$target, body)
  paste0(if (nchar(text) > width) paste0(substring(text, 1, width), "...") else text,
         " # ", if (length(call$spoilt)) paste(call$spoilt, collapse = "; ") else "nothing spoilt")
}

# ---- Judges: NULL for a right answer, else what is wrong with it ---------------------------------------------

any_answer <- function(value, args) NULL

not_finite <- function(x) any(is.nan(x) | is.infinite(x))

# The rows of new data as they were given, NA if that is not for us to say.
rows_of <- function(x) {
  if (inherits(x, "link_pairs")) return(length(x$i))
  if (is.data.frame(x) || is.matrix(x) || methods::is(x, "Matrix")) tryCatch(nrow(x), error = function(e) NA) else NA
}

row_values <- function(value, rows) {
  if (!is.na(rows) && NROW(value) != rows) return(sprintf("%d values for %d rows", NROW(value), rows))
  if (is.numeric(value) && not_finite(value)) "a value that is not finite"
}

judge_predictions <- function(value, args) row_values(value, if (is.null(args$newdata)) NA else rows_of(args$newdata))

judge_numbers <- function(value, args) if (is.numeric(value) && not_finite(value)) "a value that is not finite"

judge_frame <- function(value, args) {
  numeric <- vapply(value, is.numeric, NA)
  if (any(vapply(as.list(value)[numeric], not_finite, NA))) "a value that is not finite"
}

# Kernels of large numbers may overflow to Inf, as R's own products do, but have no business being NaN.
judge_kernel <- function(value, args) {
  if (is.matrix(args$x) && NROW(value) != nrow(args$x)) {
    return(sprintf("%d values for %d rows", NROW(value), nrow(args$x)))
  }
  tame <- all(is.finite(args$x)) && all(is.finite(args$p)) && all(is.finite(unlist(args[c("gamma")])))
  if (tame && anyNA(value)) "NaN from finite numbers"
}

judge_share <- function(value, args) {
  if (!is.numeric(value) || !length(value)) return("no number")
  if (any(is.nan(value)) || any(value < 0 | value > 1, na.rm = TRUE)) "not within 0 and 1"
}

# A fit has finite parameters and predicts its own first rows, or says why not.
judge_fit <- function(value, args) {
  if (inherits(value, "cv_hofm")) value <- value$fit
  if (!inherits(value, "hofm")) return("not a fit")
  parameters <- unlist(value[c("intercept", "w", "P", "theta", "gamma", "objective")])
  if (not_finite(parameters)) return("a parameter that is not finite")
  fitted <- value$linear.predictors
  if (!is.null(fitted) && not_finite(fitted)) return("a fitted value that is not finite")
  if (inherits(args$x, "hofm_shards")) return(row_values(predict(value, args$x, type = "link"), args$x$rows))
  rows <- utils::head(seq_len(rows_of(args$x)[!is.na(rows_of(args$x))]), 3)
  if (!length(rows) || inherits(args$x, "link_pairs")) return(NULL)
  new <- args$x[rows, , drop = FALSE]
  row_values(predict(value, new, type = "link", offset = if (value$offset_given) numeric(length(rows))), length(rows))
}
