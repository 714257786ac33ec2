// Every solver for the squared hinge loss.
#include "hofm/fit_loss.h"

template hofm::Outcome hofm::fit_loss<hofm::SquaredHinge>(hofm::Design &, hofm::Samples &, hofm::Model &, const hofm::Options &,
                                                          hofm::Monitor &);
template hofm::Outcome hofm::fit_shards<hofm::SquaredHinge>(hofm::Shards &, hofm::Model &, const hofm::Options &, hofm::Monitor &);
