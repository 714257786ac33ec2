people <- function() matrix(c(1, 0, 2, 0, 0.5, 1), 3, dimnames = list(c("ann", "bob", "cem"), c("young", "keen")))
films <- function() matrix(c(1, 0, 0, 3), 2, dimnames = list(c("drama", "farce"), c("sad", "funny")))
seen <- function() data.frame(i = c("ann", "cem", "bob"), j = c("farce", "drama", "drama"), y = c(1, 0, 1))

nodes_of <- function(n, d = 3) seeded(n, matrix(rnorm(n * d), n))

# All pairs of a graph by enumeration.
every_pair <- function(n_a, n_b = n_a, kind) {
  all <- expand.grid(i = seq_len(n_a), j = seq_len(n_b))
  switch(kind, two_sets = all, directed = all[all$i != all$j, ], undirected = all[all$i < all$j, ])
}

test_that("pairs by name and by number give the same joined rows", {
  by_name <- link_pairs(people(), films(), seen())
  by_number <- link_pairs(people(), films(), data.frame(i = c(1, 3, 2), j = c(2L, 1L, 1L), y = c(TRUE, FALSE, TRUE)))
  expect_identical(by_name, by_number)
  expect_identical(by_name$i, c(1L, 3L, 2L))
  expect_identical(by_name$y, c(1, 0, 1))
  joined <- cbind(people()[c(1, 3, 2), ], films()[c(2, 1, 1), ])
  dimnames(joined) <- list(NULL, c("A.young", "A.keen", "B.sad", "B.funny"))
  expect_identical(as.matrix(model.matrix(by_name)), joined)
  expect_identical(by_name$features, colnames(joined))
  expect_identical(dim(by_name), c(3L, 4L))
  expect_identical(as.data.frame(by_name), seen())
})

test_that("every shape of pairs is read", {
  want <- link_pairs(people(), films(), seen()[1:2])
  expect_identical(want$y, c(1, 1, 1))
  for (pairs in list(
    data.frame(from = seen()$i, to = seen()$j), as.matrix(seen()[1:2]), unname(as.matrix(seen()[1:2])),
    cbind(c(1, 3, 2), c(2, 1, 1)), cbind(c(1, 3, 2), c(2, 1, 1), c(1, 1, 1)),
    data.frame(weight = 9, j = c(2, 1, 1), i = c(1, 3, 2)),
    data.frame(i = factor(seen()$i), j = factor(seen()$j)))) {
    expect_identical(link_pairs(people(), films(), pairs), want)
  }
})

test_that("any matrix class gives the same nodes", {
  want <- link_pairs(people(), films(), seen())
  sparse <- Matrix::Matrix(people(), sparse = TRUE)
  for (A in list(sparse, as(sparse, "TsparseMatrix"), as(sparse, "RsparseMatrix"), as.data.frame(people()))) {
    expect_identical(link_pairs(A, films(), seen()), want)
  }
})

test_that("one node set has a column for each position of a feature", {
  x <- link_pairs(people(), pairs = data.frame(i = c("ann", "bob"), j = c("bob", "ann")))
  expect_true(x$one_set)
  expect_identical(x$features, c("A.young", "A.keen", "B.young", "B.keen"))
  expect_equal(as.matrix(model.matrix(x)), cbind(people()[1:2, ], people()[2:1, ]), ignore_attr = TRUE)
})

test_that("context is a third block and follows the pairs", {
  day <- matrix(c(0, 5, 7), dimnames = list(NULL, "day"))
  x <- link_pairs(people(), films(), seen(), context = day)
  expect_identical(x$features[5], "pair.day")
  expect_identical(unname(model.matrix(x)[, 5]), c(0, 5, 7))
  expect_identical(unname(model.matrix(x[c(3, 1)])[, 5]), c(7, 0))
  blocks <- pair_blocks(x)
  expect_identical(lapply(blocks, `[[`, "index"), list(x$i, x$j, NULL))
  expect_identical(blocks[[3]]$x, x$context)
  expect_length(pair_blocks(link_pairs(people(), films(), seen())), 2)
})

test_that("unnamed nodes and features get numbers", {
  x <- link_pairs(unname(people()), unname(films()), cbind(1:2, 2:1))
  expect_identical(x$features, c("A.V1", "A.V2", "B.V1", "B.V2"))
  expect_identical(as.data.frame(x), data.frame(i = 1:2, j = 2:1, y = 1))
})

test_that("pairs are chosen like elements", {
  x <- link_pairs(people(), films(), seen())
  expect_identical(as.data.frame(x[-1])$i, c("cem", "bob"))
  expect_identical(x[x$y == 1]$i, c(1L, 2L))
  expect_identical(dim(x[0]), c(0L, 4L))
  expect_identical(dim(model.matrix(x[0])), c(0L, 4L))
  expect_identical(utils::head(x, 2)$i, c(1L, 3L))
  expect_error(x[4], class = "hofm_error_input")
})

test_that("printing says what is there", {
  expect_snapshot(link_pairs(people(), films(), seen(), context = matrix(1:3)))
  expect_snapshot(link_pairs(people(), pairs = cbind(1, 2)))
  split <- split_links(nodes_of(40), edges = cbind(1:20, 21:40), directed = TRUE, seed = 1)
  expect_snapshot(split)
  expect_snapshot(split$test)
  capture.output(shown <- withVisible(print(split)))
  expect_identical(shown, list(value = split, visible = FALSE))
})

test_that("bad pairs are refused by name", {
  expect_refused <- function(pairs, pattern, A = people(), B = films()) {
    expect_error(link_pairs(A, B, pairs), pattern, class = "hofm_error_input")
  }
  expect_refused(data.frame(i = c("ann", "dan"), j = "drama"), "row names of `A`.*\"dan\"")
  expect_refused(data.frame(i = "ann", j = "dramb"), "row names of `B`.*Did you mean `drama`")
  expect_refused(data.frame(i = "ann", j = 1), "no row names", A = unname(people()))
  expect_refused(data.frame(i = 1, j = 3), "from 1 to 2.*row 1 is 3")
  expect_refused(data.frame(i = c(1, 0), j = 1), "from 1 to 3.*row 2 is 0")
  expect_refused(data.frame(i = 1.5, j = 1), "1.5")
  expect_refused(data.frame(i = NA_real_, j = 1), "NA")
  expect_refused(data.frame(i = NA_character_, j = 1), "NA")
  expect_refused(data.frame(i = 1, j = 1, y = 2), "0 or 1.*row 1 is 2")
  expect_refused(data.frame(i = 1, j = 1, y = NA), "0 or 1")
  expect_refused(data.frame(i = 1, j = 1, y = "yes"), "0 or 1")
  expect_refused(data.frame(i = c(1, 2, 1), j = 1, y = c(1, 1, 0)), "\\(ann, drama\\) in rows 1, 3")
  expect_refused(data.frame(i = 1), "columns `i` and `j`")
  expect_refused(1:2, "columns `i` and `j`")
  expect_refused(cbind(1, 1), "finite", A = replace(people(), 2, NA))
  expect_refused(cbind(1, 1), "at least two nodes", A = people()[1, , drop = FALSE], B = NULL)
  expect_refused(cbind(1, 1), "unique row names", A = people()[c(1, 1), ])
  expect_refused(cbind(1, 1), "unique column names", A = people()[, c(1, 1)])
  expect_refused(cbind(1, 1), "numeric.*`f`", A = data.frame(f = letters))
  expect_refused(cbind(1, 1), "at least one row", B = films()[0, ])
  expect_error(link_pairs(people(), films()), "`pairs`", class = "hofm_error_input")
  expect_error(link_pairs(people(), films(), seen(), context = matrix(1:2)), "3 pairs, not 2", class = "hofm_error_input")
})

test_that("a pair may come twice if it says the same", {
  expect_identical(link_pairs(people(), films(), cbind(c(1, 1), 2, 0))$y, c(0, 0))
})

test_that("codes of pairs are a numbering without gaps, and come back", {
  for (kind in c("two_sets", "directed", "undirected")) for (n in c(2, 3, 7)) {
    graph <- read_graph(nodes_of(n), if (kind == "two_sets") nodes_of(4), kind == "directed")
    grid <- pair_grid(graph)
    pairs <- every_pair(n, if (kind == "two_sets") 4 else n, kind)
    codes <- pair_codes(grid, pairs$i, pairs$j)
    expect_identical(sort(codes), as.double(seq_len(nrow(pairs)) - 1))
    expect_identical(grid$size, as.double(nrow(pairs)))
    expect_identical(pair_nodes(grid, codes), list(i = pairs$i, j = pairs$j))
  }
})

test_that("codes of a graph with 10^12 pairs come back", {
  ends <- seeded(1, list(i = sample.int(1e6, 2000), j = sample.int(1e6, 2000)))
  ends$i[1:4] <- c(1L, 999999L, 1L, 1L)
  ends$j[1:4] <- c(1000000L, 1000000L, 2L, 3L)
  for (kind in c("two_sets", "directed", "undirected")) {
    grid <- list(kind = kind, n = 1e6)
    keep <- ends$i != ends$j
    want <- list(i = ends$i[keep], j = ends$j[keep])
    if (kind == "undirected") want <- list(i = pmin(want$i, want$j), j = pmax(want$i, want$j))
    expect_identical(pair_nodes(grid, pair_codes(grid, ends$i[keep], ends$j[keep])), want)
  }
})

test_that("negatives are pairs of the graph, never links, never twice, down to the last one", {
  for (kind in c("two_sets", "directed", "undirected")) {
    A <- nodes_of(7)
    B <- if (kind == "two_sets") nodes_of(5)
    all <- every_pair(7, if (kind == "two_sets") 5 else 7, kind)
    edges <- seeded(3, all[sample.int(nrow(all), 6), ])
    given <- if (kind == "undirected") data.frame(i = edges$j, j = edges$i) else edges   # mirrored: the same links
    free <- setdiff(paste(all$i, all$j), paste(edges$i, edges$j))
    drawn <- sample_negatives(A, B, given, n = length(free), directed = kind == "directed")
    expect_setequal(paste(drawn$i, drawn$j), free)
    expect_identical(nrow(drawn), length(free))
    few <- sample_negatives(A, B, given, n = 5, directed = kind == "directed")
    expect_true(all(paste(few$i, few$j) %in% free) && !anyDuplicated(few))
    error <- expect_error(sample_negatives(A, B, given, n = length(free) + 1, directed = kind == "directed"),
                          paste("only", length(free)), class = "hofm_error_input")
    expect_identical(error$available, as.double(length(free)))
  }
})

test_that("every free pair has the same chance", {
  edges <- cbind(c(1, 2), c(2, 3))
  counts <- seeded(1, table(replicate(2000, do.call(paste, sample_negatives(nodes_of(5), edges = edges, n = 3)[1:2]))))
  expect_length(counts, 8)
  expect_gt(stats::chisq.test(counts)$p.value, 1e-3)
})

test_that("negatives of a graph with 10^12 pairs come without its grid", {
  grid <- list(kind = "two_sets", n = 1e6, size = 1e12)
  links <- as.double(0:99999)
  codes <- seeded(1, free_codes(1e5, grid, links))
  expect_true(all(codes >= 1e5 & codes < 1e12 & codes == round(codes)))
  expect_identical(anyDuplicated(codes), 0L)
  expect_lt(abs(mean(codes) / 1e12 - 0.5), 0.005)
})

test_that("sampling follows the seed", {
  draw <- function(...) sample_negatives(nodes_of(30), edges = cbind(1:5, 2:6), ...)
  expect_identical(draw(seed = 4), draw(seed = 4))
  expect_identical(seeded(9, draw()), seeded(9, draw()))
  expect_false(identical(draw(seed = 4), draw(seed = 5)))
  set.seed(1)
  before <- .Random.seed
  draw(seed = 4)
  expect_identical(.Random.seed, before)
})

test_that("negatives have names if the links have", {
  A <- nodes_of(4)
  rownames(A) <- letters[1:4]
  drawn <- sample_negatives(A, edges = data.frame(from = "a", to = "b"), n = 5)
  expect_true(all(drawn$i %in% letters[1:4]))
  expect_identical(link_pairs(A, pairs = drawn)$y, rep(0, 5))
})

test_that("a split divides the links, adds negatives and leaves the rest", {
  for (kind in c("two_sets", "directed", "undirected")) for (ratio in c(0, 1, 1.5)) {
    B <- if (kind == "two_sets") nodes_of(6)
    all <- every_pair(8, if (kind == "two_sets") 6 else 8, kind)
    edges <- seeded(5, all[sample.int(nrow(all), 10), ])
    split <- split_links(nodes_of(8), B, edges[c(1:10, 3), ], prop = 0.4, ratio = ratio, directed = kind == "directed",
                         seed = 2)
    code <- function(x) paste(x$i, x$j)
    train <- split$train
    expect_s3_class(train, "link_pairs")
    expect_identical(train$y, rep(c(1, 0), c(4, 4 * ratio)))
    expect_true(all(code(train) %in% code(all)) && !anyDuplicated(code(train)))
    expect_setequal(c(code(train)[train$y == 1], code(split$test$links)), code(edges))
    expect_length(split$test$links$i, 6)
    expect_false(any(code(train)[train$y == 0] %in% code(edges)))
    expect_identical(code(split$test$train), code(train))
    expect_identical(rest_size(split$test), as.double(nrow(all) - length(train$y)))
  }
})

test_that("a small test set can be listed", {
  for (kind in c("two_sets", "directed", "undirected")) {
    A <- nodes_of(8)
    rownames(A) <- letters[1:8]
    all <- every_pair(8, if (kind == "two_sets") 6 else 8, kind)
    edges <- seeded(5, all[sample.int(nrow(all), 10), ])
    split <- split_links(A, if (kind == "two_sets") nodes_of(6), edges, directed = kind == "directed", seed = 2)
    listed <- as.data.frame(split$test)
    code <- function(i, j) paste(i, j)
    labels <- node_labels(split$test, all$i, all$j)
    train <- as.data.frame(split$train)
    expect_setequal(code(listed$i, listed$j), setdiff(code(labels$i, labels$j), code(train$i, train$j)))
    links <- node_labels(split$test, split$test$links$i, split$test$links$j)
    expect_setequal(code(listed$i, listed$j)[listed$y == 1], code(links$i, links$j))
    expect_true(all(listed$y %in% 0:1))
    expect_identical(nrow(listed), as.integer(rest_size(split$test)))
    expect_error(as.data.frame(split$test, max_pairs = nrow(listed) - 1), "more than the .* of `max_pairs`", class = "hofm_error_input")
    expect_identical(as.data.frame(split$test, max_pairs = nrow(listed)), listed)
  }
  huge <- split_links(Matrix::Diagonal(1e5), edges = cbind(1:20, 21:40))$test
  expect_error(as.data.frame(huge), "4,999,949,9[0-9]{2} pairs", class = "hofm_error_input")
})

test_that("splits follow the seed and set.seed()", {
  split <- function(...) split_links(nodes_of(30), edges = cbind(1:20, 2:21), ...)
  expect_identical(split(seed = 4), split(seed = 4))
  expect_identical(seeded(9, split()), seeded(9, split()))
  expect_false(identical(split(seed = 4)$train, split(seed = 5)$train))
})

test_that("links to oneself are left out, with a warning", {
  edges <- cbind(c(1, 2, 3, 3), c(2, 2, 4, 1))
  expect_warning(split <- split_links(nodes_of(6), edges = edges), "1 node ", class = "hofm_warning_self_links")
  expect_length(c(split$test$links$i, split$train$i[split$train$y == 1]), 3)
})

test_that("rows of edges with y = 0 are no links", {
  edges <- data.frame(i = 1:4, j = 2:5, y = c(1, 0, 1, 1))
  split <- split_links(nodes_of(6), edges = edges, ratio = 0)
  expect_false(2L %in% c(split$train$i, split$test$links$i))
})

test_that("impossible splits are refused", {
  split <- function(..., A = nodes_of(5), edges = cbind(1:4, 2:5)) split_links(A, edges = edges, ...)
  for (prop in list(0, 1, -1, NA, "a", c(0.1, 0.2), NULL)) {
    expect_error(split(prop = prop), "`prop`", class = "hofm_error_input")
  }
  for (ratio in list(-1, NA, "a", Inf)) expect_error(split(ratio = ratio), "`ratio`", class = "hofm_error_input")
  expect_error(split(ratio = 4), "only 6 \\(10 pairs, 4 links\\)", class = "hofm_error_input")
  expect_error(split(ratio = 3), "test set without", class = "hofm_error_input")
  expect_error(split(prop = 0.01), "training set without links", class = "hofm_error_input")
  expect_error(split(prop = 0.99), "test set without links", class = "hofm_error_input")
  expect_error(split(edges = cbind(1, 9)), "from 1 to 5", class = "hofm_error_input")
  expect_error(split(edges = cbind(1, 2)[0, , drop = FALSE]), "0 links", class = "hofm_error_input")
  expect_error(split(A = nodes_of(1), edges = cbind(1, 1)), "at least two nodes", class = "hofm_error_input")
  expect_error(split(directed = NA), "`directed`", class = "hofm_error_input")
  expect_error(split(seed = "a"), "`seed`", class = "hofm_error_input")
  expect_error(split_links(nodes_of(5)), "`edges`", class = "hofm_error_input")
})

test_that("row names that are no text are refused", {
  A <- Matrix::rsparsematrix(4, 2, 1)
  A@Dimnames[[1]] <- list()
  expect_error(link_pairs(A, pairs = data.frame(i = 1, j = 2, y = 1)), "`rownames(A)` must be text", class = "hofm_error_input", fixed = TRUE)
})
