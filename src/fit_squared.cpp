// Every solver for the squared loss.
#include "hofm/fit_loss.h"

template hofm::Outcome hofm::fit_loss<hofm::Squared>(hofm::Design &, hofm::Samples &, hofm::Model &, const hofm::Options &,
                                                     hofm::Monitor &);
template hofm::Outcome hofm::fit_shards<hofm::Squared>(hofm::Shards &, hofm::Model &, const hofm::Options &, hofm::Monitor &);
