# Slow twins, from the definitions ---------------------------------------------------------------------------

beats_slow <- function(pos, neg) outer(pos, neg, function(a, b) (a > b) + (a == b) / 2)

auc_slow <- function(positive, score) mean(beats_slow(score[positive], score[!positive]))

# Placements by loops over all pairs; variance and covariance as DeLong et al. (1988) write them.
placements_slow <- function(positive, score) {
  beats <- beats_slow(score[positive], score[!positive])
  pos <- neg <- numeric(0)
  for (i in seq_len(nrow(beats))) pos[i] <- sum(beats[i, ]) / ncol(beats)
  for (j in seq_len(ncol(beats))) neg[j] <- sum(beats[, j]) / nrow(beats)
  list(pos = pos, neg = neg)
}

delong_slow <- function(positive, a, b = a) {
  of_a <- placements_slow(positive, a)
  of_b <- placements_slow(positive, b)
  stats::cov(of_a$pos, of_b$pos) / sum(positive) + stats::cov(of_a$neg, of_b$neg) / sum(!positive)
}

curve_slow <- function(positive, score) {
  threshold <- c(Inf, sort(unique(score), decreasing = TRUE))
  share <- function(s) vapply(seq_along(threshold), function(i) if (i == 1) 0 else mean(s >= threshold[i]), 0)
  data.frame(threshold = threshold, fpr = share(score[!positive]), tpr = share(score[positive]))
}

# Many ties, few ties, and none.
random_case <- function(seed, n = 60) {
  set.seed(seed)
  positive <- sample(c(TRUE, FALSE, runif(n - 2) < runif(1, 0.1, 0.9)))
  score <- rnorm(n) + positive * runif(1, -1, 2)
  list(positive = positive, score = if (seed %% 3) round(score, seed %% 3 - 1) else score)
}

plain <- function(curve) data.frame(threshold = curve$threshold, fpr = curve$fpr, tpr = curve$tpr)

# AUC and curve ----------------------------------------------------------------------------------------------

test_that("auc() and roc_curve() equal their definitions", {
  for (seed in 1:30) {
    case <- random_case(seed)
    curve <- roc_curve(case$positive, case$score)
    expect_equal(auc(case$positive, case$score), auc_slow(case$positive, case$score), tolerance = 1e-14)
    expect_equal(plain(curve), curve_slow(case$positive, case$score), tolerance = 1e-14)
    trapezoids <- sum(diff(curve$fpr) * (head(curve$tpr, -1) + curve$tpr[-1]) / 2)
    expect_equal(attr(curve, "auc"), trapezoids, tolerance = 1e-13)
    expect_identical(auc(curve), auc(case$positive, case$score))
  }
})

test_that("long scores are ranked as rank() ranks them", {
  set.seed(1)
  n <- 2e5
  positive <- runif(n) < 0.3
  exponents <- sample(-300:300, n, replace = TRUE)
  scores <- list(rnorm(n) + positive, round(rnorm(n), 2), rnorm(n) * 10^exponents,
    rep(c(-Inf, 0, 1e-320, Inf), n / 4))
  for (score in scores) {
    n_pos <- sum(positive)
    midranks <- (sum(rank(score)[positive]) - n_pos * (n_pos + 1) / 2) / (n_pos * (n - n_pos))
    expect_equal(auc(positive, score), midranks, tolerance = 1e-13)
  }
})

test_that("n_pos * n_neg beyond the integers does no harm", {
  n <- 1e5
  positive <- rep(c(FALSE, TRUE), n)
  expect_identical(auc(positive, as.double(positive)), 1)
  expect_identical(auc(positive, 1 - positive), 0)
  expect_identical(auc(positive, rep(3, 2 * n)), 0.5)
})

test_that("near-ties are not ties, and zeros of both signs are one number", {
  one_up <- 1 + .Machine$double.eps
  expect_identical(auc(c(FALSE, TRUE), c(1, one_up)), 1)
  expect_identical(auc(c(FALSE, TRUE), c(one_up, 1)), 0)
  expect_identical(auc(c(FALSE, TRUE), c(0x1.8ef606a63bd82p-1, 0x1.8ef606a63bd83p-1)), 1)
  expect_identical(auc(c(FALSE, TRUE), c(0, 4.9e-324)), 1)
  expect_identical(auc(c(FALSE, TRUE), c(-0.0, 0)), 0.5)
  expect_identical(nrow(roc_curve(c(FALSE, TRUE), c(-0.0, 0))), 2L)
})

test_that("infinite scores are ordered", {
  expect_identical(auc(c(FALSE, TRUE, FALSE, TRUE), c(-Inf, Inf, 1e308, 1e307)), 3 / 4)
  curve <- roc_curve(c(FALSE, TRUE), c(-Inf, Inf))
  expect_identical(plain(curve), data.frame(threshold = c(Inf, Inf, -Inf), fpr = c(0, 0, 1), tpr = c(0, 1, 1)))
})

test_that("the direction is never guessed", {
  case <- random_case(3)
  expect_equal(auc(case$positive, -case$score), 1 - auc(case$positive, case$score))
  expect_silent(auc(c(0, 1), c(2, 1)))
})

test_that("weights equal replication, and weight 0 absence", {
  for (seed in 1:6) {
    case <- random_case(seed)
    times <- sample(0:3, length(case$score), replace = TRUE)
    times[c(which(case$positive)[1], which(!case$positive)[1])] <- 1
    weighted <- roc_curve(case$positive, case$score, weights = times)
    repeated <- roc_curve(rep(case$positive, times), rep(case$score, times))
    expect_equal(plain(weighted), plain(repeated), tolerance = 1e-14)
    expect_equal(auc(case$positive, case$score, weights = times / 7), attr(repeated, "auc"), tolerance = 1e-13)
    expect_identical(attr(weighted, "n_pos"), as.double(sum(case$positive & times > 0)))
  }
})

test_that("a thinned curve is a part of the curve, close to the rest, with the whole area", {
  set.seed(2)
  positive <- runif(5000) < 0.2
  score <- rnorm(5000) + positive
  full <- roc_curve(positive, score)
  for (max_points in c(3, 10, 100)) {
    thin <- roc_curve(positive, score, max_points = max_points)
    at <- match(thin$threshold, full$threshold)
    expect_lte(nrow(thin), max_points)
    expect_gt(nrow(thin), max_points / 2)
    expect_identical(plain(thin), data.frame(plain(full)[at, ], row.names = NULL))
    expect_identical(at[c(1, nrow(thin))], c(1L, nrow(full)))
    expect_identical(auc(thin), auc(full))
    along <- full$fpr + full$tpr
    behind <- along - along[at][findInterval(seq_along(along), at)]
    expect_lt(max(behind), 2 / (max_points - 2))
  }
  expect_identical(roc_curve(positive, score, max_points = 1e4), full)
})

# DeLong -----------------------------------------------------------------------------------------------------

test_that("DeLong's interval and test equal their definitions", {
  for (seed in 1:12) {
    case <- random_case(seed)
    if (min(table(case$positive)) < 2) next
    other <- round(case$score + rnorm(60), 1)
    se <- sqrt(delong_slow(case$positive, case$score))
    area <- auc_slow(case$positive, case$score)
    interval <- auc(case$positive, case$score, ci = TRUE, level = 0.9)
    bounds <- pmin(1, pmax(0, area + c(-1, 1) * qnorm(0.95) * se))
    expect_equal(as.numeric(interval), c(area, bounds), tolerance = 1e-12)
    expect_equal(attr(roc_curve(case$positive, case$score), "se"), se, tolerance = 1e-12)

    test <- auc_test(case$positive, case$score, other)
    variance <- delong_slow(case$positive, case$score) + delong_slow(case$positive, other) -
      2 * delong_slow(case$positive, case$score, other)
    expect_equal(test$stderr^2, variance, tolerance = 1e-11)
    expect_equal(unname(test$estimate), c(area, auc_slow(case$positive, other)), tolerance = 1e-13)
  }
})

test_that("the logit interval is the interval of the logit", {
  case <- random_case(4)
  plain <- auc(case$positive, case$score, ci = TRUE)
  logit <- auc(case$positive, case$score, ci = TRUE, method = "logit")
  area <- plain[["auc"]]
  se <- sqrt(delong_slow(case$positive, case$score)) / (area * (1 - area))  # delta method
  expect_equal(qlogis(logit[["upper"]]) - qlogis(area), qnorm(0.975) * se)
  expect_equal(qlogis(area) - qlogis(logit[["lower"]]), qnorm(0.975) * se)
  perfect <- auc(c(0, 0, 1, 1), 1:4, ci = TRUE, method = "logit")
  expect_identical(as.numeric(perfect), c(1, 1, 1))
})

test_that("scores that rank alike do not differ", {
  case <- random_case(6)
  test <- auc_test(case$positive, case$score, exp(case$score))
  expect_identical(c(test$statistic[["Z"]], test$p.value, test$conf.int), c(0, 1, 0, 0))
  expect_identical(auc_test(c(0, 0, 1, 1), 1:4, 4:1)$p.value, 0)
})

test_that("areas, intervals and tests equal pROC's", {
  skip_if_broken("pROC")
  compare <- function(truth, a, b) {
    roc_a <- pROC::roc(truth, a, direction = "<", quiet = TRUE)
    roc_b <- pROC::roc(truth, b, direction = "<", quiet = TRUE)
    theirs <- as.numeric(pROC::ci.auc(roc_a, conf.level = 0.9))[c(2, 1, 3)]
    expect_equal(as.numeric(auc(truth, a, ci = TRUE, level = 0.9)), theirs, tolerance = 1e-12)
    expect_equal(auc(truth, b), as.numeric(pROC::auc(roc_b)), tolerance = 1e-12)
    test <- auc_test(truth, a, b, level = 0.8)
    expected <- pROC::roc.test(roc_a, roc_b, method = "delong", paired = TRUE, conf.level = 0.8)
    expect_equal(test$statistic[["Z"]], expected$statistic[["Z"]], tolerance = 1e-12)
    expect_equal(test$p.value, expected$p.value, tolerance = 1e-12)
    expect_equal(c(test$conf.int), c(expected$conf.int), tolerance = 1e-12)
    expect_equal(unname(test$estimate), unname(expected$estimate), tolerance = 1e-12)
    curve <- roc_curve(truth, a)
    expect_equal(rev(curve$tpr), roc_a$sensitivities, tolerance = 1e-12)
    expect_equal(rev(1 - curve$fpr), roc_a$specificities, tolerance = 1e-12)
  }
  patients <- new.env()
  utils::data("aSAH", package = "pROC", envir = patients)
  compare(patients$aSAH$outcome, patients$aSAH$s100b, patients$aSAH$ndka)
  compare(patients$aSAH$outcome, as.numeric(patients$aSAH$wfns), patients$aSAH$s100b)
  for (seed in 1:5) {
    set.seed(seed)
    truth <- rbinom(500, 1, 0.3)
    compare(truth, sample(8, 500, TRUE) + truth, round(rnorm(500) + truth, 1))
  }
})

# Forms of truth ---------------------------------------------------------------------------------------------

test_that("every form of truth means the same", {
  positive <- c(TRUE, FALSE, TRUE, FALSE, FALSE)
  score <- c(3, 1, 2, 2.5, 0)
  words <- ifelse(positive, "link", "absent")
  forms <- list(as.integer(positive), as.double(positive), 2 * positive - 1, words, factor(words),
    factor(words, levels = c("absent", "never", "link")), c(a = TRUE, b = FALSE, c = TRUE, d = FALSE, e = FALSE))
  for (truth in forms) expect_identical(auc(truth, score), 5 / 6)
  expect_identical(auc(factor(words, levels = c("link", "absent")), score), 1 / 6)
  expect_identical(auc(truth = positive, score = score), 5 / 6)
  expect_identical(auc(positive, as.matrix(score)), 5 / 6)
  expect_identical(attr(roc_curve(words, score), "levels"), c("absent", "link"))
  expect_identical(attr(roc_curve(2 * positive - 1, score), "levels"), c("-1", "1"))
})

test_that("one class gives NA and a classed warning", {
  one_class <- list(c(TRUE, TRUE), c(0, 0), c(1, 1), c(-1, -1), c("a", "a"), factor(c("a", "a")),
    factor(c("b", "b"), levels = c("a", "b", "c")))
  for (truth in one_class) {
    expect_warning(area <- auc(truth, c(1, 2)), class = "hofm_warning_one_class")
    expect_identical(area, NA_real_)
  }
  expect_warning(interval <- auc(c(1, 1), c(1, 2), ci = TRUE), class = "hofm_warning_one_class")
  expect_identical(unname(c(unclass(interval)))[1:3], rep(NA_real_, 3))
  expect_warning(curve <- roc_curve(c(1, 1), c(1, 2)), class = "hofm_warning_one_class")
  expect_identical(curve$fpr, rep(NA_real_, 3))
  expect_identical(curve$tpr, c(0, 0.5, 1))
  expect_warning(test <- auc_test(c(1, 1), c(1, 2), c(2, 1)), class = "hofm_warning_one_class")
  expect_identical(test$p.value, NA_real_)
  expect_warning(auc(c(0, 1), c(1, 2), weights = c(1, 0)), class = "hofm_warning_one_class")
})

test_that("a class of one has an area but no interval", {
  expect_warning(interval <- auc(c(0, 1, 1), 1:3, ci = TRUE), class = "hofm_warning_no_interval")
  expect_identical(as.numeric(interval), c(1, NA, NA))
  expect_warning(test <- auc_test(c(0, 1, 1), 1:3, 3:1), class = "hofm_warning_no_interval")
  expect_identical(unname(test$estimate), c(1, 0))
  expect_identical(test$p.value, NA_real_)
})

# Bad input --------------------------------------------------------------------------------------------------

expect_refused <- function(code, message) expect_error(code, message, class = "hofm_error_input")

test_that("bad truth is refused", {
  expect_refused(auc(NULL, 1), "`truth` must have at least one element")
  expect_refused(auc(c(0, NA, 1), 1:3), "`truth` must not have missing values, but element 2 is NA")
  expect_refused(auc(c("a", "b", "c"), 1:3), "not one with 3 classes")
  expect_refused(auc(factor(1:3), 1:3), "not one with 3 classes")
  expect_refused(auc(c(0, 1, 2), 1:3), "element 3 is 2")
  expect_refused(auc(c(-1, 1, 0), 1:3), "element 3 is 0")
  expect_refused(auc(c(2, 1, 1), 1:3), "element 1 is 2")
  expect_refused(auc(c(0, 0.5, 1), 1:3), "element 2 is 0.5")
  expect_refused(auc(list(0, 1), 1:2), "an object of class list")
  expect_refused(auc(c(1i, 0i), 1:2), "of type complex")
})

test_that("bad scores and weights are refused", {
  expect_refused(auc(0:1), "`score` must be given")
  expect_refused(auc(0:1, 1:3), "`score` must have one element per element of `truth` \\(2\\), not 3")
  expect_refused(roc_curve(0:1, numeric(0)), "not 0")
  expect_refused(auc(0:1, c("1", "2")), "`score` must be a numeric vector, not a character vector of length 2")
  expect_refused(auc(0:1, factor(1:2)), "not an object of class \"factor\"")
  expect_refused(auc(c(0, 1, 1), c(1, NaN, NA)), "element 2 is NaN \\(and 1 more\\)")
  expect_refused(auc_test(0:1, 1:2, c(1, NA)), "`score2` must not have missing values, but element 2 is NA")
  expect_refused(auc_test(0:1, 1:3, 1:2), "`score1` must have one element")
  expect_refused(auc(0:1, 1:2, weights = c(1, -2)), "element 2 is -2")
  expect_refused(auc(0:1, 1:2, weights = c(Inf, 1)), "element 1 is Inf")
  expect_refused(auc(0:1, 1:2, weights = 1), "`weights` must have one element")
})

test_that("bad options are refused", {
  for (level in list(0, 1, 95, NA, "0.95", c(0.9, 0.95), NULL)) {
    expect_refused(auc(0:1, 1:2, ci = TRUE, level = level), "`level` must be a single number between 0 and 1")
    expect_refused(auc_test(0:1, 1:2, 1:2, level = level), "`level` must be")
  }
  for (ci in list(NA, 1, "yes", c(TRUE, TRUE), NULL)) expect_refused(auc(0:1, 1:2, ci = ci), "`ci` must be")
  for (points in list(2, 10.5, -1, NA, "9", c(10, 20))) {
    expect_refused(roc_curve(0:1, 1:2, max_points = points), "`max_points` must be")
  }
  expect_refused(auc(0:1, 1:2, ci = TRUE, method = "exact"), "`method` must be")
  expect_refused(auc(0:1, 1:2, TRUE, 0.9, "logit", NULL, 3), "Too many unnamed arguments")
  expect_refused(auc(0:1, 1:2, ci = TRUE, weights = c(1, 1)), "`ci` must be FALSE when `weights` are given")
  expect_refused(auc(roc_curve(0:1, 1:2, weights = c(1, 1)), ci = TRUE), "when `weights` are given")
  expect_refused(auc(0:1, 1:2, direction = "<"), "Unknown argument `direction`")
  expect_refused(auc(structure(roc_curve(0:1, 1:2), auc = NULL)), "has lost its area")
})

# Printing and pictures --------------------------------------------------------------------------------------

test_that("curves, intervals and tests print what they hold", {
  truth <- rep(c("no", "yes"), c(1200, 40))
  curve <- roc_curve(truth, c(1:1200, 1161:1200 + 0.5))
  expect_output(print(curve), "area 0.98.*40 positives \\(yes\\), 1,200 negatives \\(no\\)")
  expect_output(print(curve), "6 of 1,241 points")
  expect_output(print(c(first = curve, second = curve)), "2 ROC curves.*first: AUC 0.98.*second")
  expect_output(print(auc(curve, ci = TRUE, level = 0.9)), "AUC 0.98.* \\(90% interval 0.9.* to 0.9.*, DeLong\\)")
  expect_output(print(auc_test(truth, seq_along(truth), rev(seq_along(truth)))), "DeLong's paired test")
  expect_output(print(structure(curve, auc = NULL)), "threshold")
})
