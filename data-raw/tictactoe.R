# Makes data/tictactoe.rda: every position of tic-tac-toe in which it is someone's turn, and whether that player wins if both play as
# well as can be. Nothing is read: the rules say it all. Run it in the folder of the package: Rscript data-raw/tictactoe.R

lines <- rbind(1:3, 4:6, 7:9, c(1, 4, 7), c(2, 5, 8), c(3, 6, 9), c(1, 5, 9), c(3, 5, 7))
squares <- paste(rep(c("top", "middle", "bottom"), each = 3), c("left", "middle", "right"), sep = "_")
squares[5] <- "centre"
contents <- c("free", "own", "other")                             # as the player sees it whose turn it is

has_line <- function(board, who) any(apply(matrix(board[lines], nrow(lines)) == who, 1, all))
after <- function(board, k) c(free = "free", own = "other", other = "own")[replace(board, k, "own")]  # and the other's turn

# The value of every position that can come up: 1 if the player to move wins, 0 for a draw, -1 for a loss.
values <- new.env()
value <- function(board) {
  key <- paste(match(board, contents), collapse = "")
  known <- values[[key]]
  if (!is.null(known)) return(known)
  free <- which(board == "free")
  worth <- if (has_line(board, "other")) -1
  else if (!length(free)) 0
  else max(vapply(free, function(k) -value(after(board, k)), 0))
  assign(key, worth, values)
  worth
}
stopifnot(value(rep("free", 9)) == 0)                             # as everybody knows

keys <- sort(ls(values), method = "radix")
boards <- do.call(rbind, lapply(strsplit(keys, ""), function(code) contents[as.integer(code)]))
open <- apply(boards, 1, function(board) any(board == "free") && !has_line(board, "other"))
stopifnot(length(keys) == 5478, sum(open) == 4520)                # 5,478 positions can come up; 958 of them are ends

# Turned and mirrored boards are the same position.
turn <- c(7, 4, 1, 8, 5, 2, 9, 6, 3)
mirror <- c(3, 2, 1, 6, 5, 4, 9, 8, 7)
turns <- Reduce(function(s, k) s[turn], 1:3, 1:9, accumulate = TRUE)
symmetries <- c(turns, lapply(turns, function(s) s[mirror]))
alike <- function(board) min(vapply(symmetries, function(s) paste(match(board[s], contents), collapse = ""), ""))
first <- apply(boards[open, ], 1, alike)

tictactoe <- as.data.frame(lapply(seq_len(9), function(k) factor(boards[open, k], contents)), col.names = squares)
tictactoe$wins <- unlist(mget(keys[open], values), use.names = FALSE) == 1
tictactoe$position <- match(first, sort(unique(first), method = "radix"))
stopifnot(max(tictactoe$position) == 627, sum(tictactoe$wins) == 2836)
save(tictactoe, file = "data/tictactoe.rda", compress = "xz", version = 2)
