// Every solver for the squared hinge loss.
#include "hofm/fit_loss.h"

template hofm::Outcome hofm::fit_loss<hofm::SquaredHinge>(hofm::Design &, hofm::Samples &, hofm::Model &, const hofm::Options &,
                                                          hofm::Monitor &);
