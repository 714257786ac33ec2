// Every solver for the logistic loss.
#include "hofm/fit_loss.h"

template hofm::Outcome hofm::fit_loss<hofm::Logistic>(hofm::Design &, hofm::Samples &, hofm::Model &, const hofm::Options &,
                                                      hofm::Monitor &);
template hofm::Outcome hofm::fit_shards<hofm::Logistic>(hofm::Shards &, hofm::Model &, const hofm::Options &, hofm::Monitor &);
