// Every solver for the poisson loss.
#include "hofm/fit_loss.h"

template hofm::Outcome hofm::fit_loss<hofm::Poisson>(hofm::Design &, hofm::Samples &, hofm::Model &, const hofm::Options &,
                                                     hofm::Monitor &);
template hofm::Outcome hofm::fit_shards<hofm::Poisson>(hofm::Shards &, hofm::Model &, const hofm::Options &, hofm::Monitor &);
