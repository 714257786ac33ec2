// Every solver for the Huber loss.
#include "hofm/fit_loss.h"

template hofm::Outcome hofm::fit_loss<hofm::Huber>(hofm::Design &, hofm::Samples &, hofm::Model &, const hofm::Options &,
                                                   hofm::Monitor &);
template hofm::Outcome hofm::fit_shards<hofm::Huber>(hofm::Shards &, hofm::Model &, const hofm::Options &, hofm::Monitor &);
