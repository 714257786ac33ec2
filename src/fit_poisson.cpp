// Every solver for the poisson loss.
#include "hofm/fit_loss.h"

template hofm::Outcome hofm::fit_loss<hofm::Poisson>(hofm::Design &, const hofm::Response &, hofm::Model &, const hofm::Options &,
                                                 hofm::Monitor &, hofm::Validation *);
