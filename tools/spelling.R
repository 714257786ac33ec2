# Looks for words that are in no British dictionary and not in inst/WORDLIST: in the help pages, the vignettes, README, NEWS and
# DESCRIPTION. A word that is right goes into inst/WORDLIST.

source("tools/library.R")

words <- spelling::spell_check_package(".")
if (nrow(words) > 0) {
  print(words)
  give_up("correct these words, or add them to inst/WORDLIST.")
}
message("hofm: no misspelt words")
