#' R packages in Debian 12 and their dependencies
#'
#' The packages from CRAN and Bioconductor that Debian 12 ("bookworm") distributes, the words of their descriptions, and
#' which of them depend on which: a link prediction task of modest size. Knowing the words of two packages, does the
#' first depend on the second?
#'
#' @format A list with
#' \describe{
#'   \item{features}{A sparse matrix (`dgCMatrix`) with one row per package (1,279) and one column per word: 1 where the
#'     title or the description of the package holds the word, else 0. A word is a run of letters and digits that begins
#'     with a letter, in lower case. Words in fewer than three packages, English function words, addresses and words that
#'     nearly every package repeats ("package", "provides") are left out.}
#'   \item{links}{A data frame with the columns `from` and `to`, names of packages: the package `from` depends on the
#'     package `to`. Only what Debian requires counts (`Depends`), not what it recommends or suggests.}
#'   \item{titles}{A character vector with the title of each package, named and ordered as the rows of `features`.}
#' }
#'
#' Packages go by their Debian names without the prefix "r-cran-" or "r-bioc-", that is, in lower case.
#'
#' @source The package lists of Debian 12, as `apt-cache show` prints them. `data-raw/debian_r.R` in the sources of hofm
#'   makes the data set anew.
#' @examples
#' dim(debian_r$features)
#' debian_r$titles["glmnet"]
#' subset(debian_r$links, from == "glmnet")
#' # The words that most packages use
#' head(sort(Matrix::colSums(debian_r$features), decreasing = TRUE))
"debian_r"

#' Positions of tic-tac-toe
#'
#' Every position of tic-tac-toe that can come up and in which it is someone's turn, and whether that player wins if both play as well as
#' can be. Three in a row is about three squares at once: models of order 3 can say it, models of order 2 cannot.
#'
#' @format A data frame with 4,520 rows and 11 columns:
#' \describe{
#'   \item{top_left, top_middle, top_right, middle_left, centre, middle_right, bottom_left, bottom_middle, bottom_right}{Nine factors, the squares: `"free"`, `"own"` (of the player whose turn it
#'     is) or `"other"`.}
#'   \item{wins}{Whether the player to move wins (2,836 rows); else it is a draw or a loss.}
#'   \item{position}{A number for positions that are the same but for turning and mirroring the board, 1 to 627. Hold out whole positions,
#'     or a model is tested on boards that it has seen in a mirror.}
#' }
#' @source The rules of the game. `data-raw/tictactoe.R` in the sources of hofm plays it from the empty board to every end.
#' @examples
#' dim(tictactoe)
#' subset(tictactoe, position == 100)
#' tapply(tictactoe$wins, tictactoe$centre, mean)
"tictactoe"
