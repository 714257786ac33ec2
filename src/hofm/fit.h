// The one road from a problem to a fitted model: loss and solver by name, chosen once.
#ifndef HOFM_FIT_H
#define HOFM_FIT_H

#include "design.h"
#include "dispatch.h"
#include "model.h"
#include "monitor.h"

namespace hofm {

// Compiled once per loss, in fit_<loss>.cpp (see fit_loss.h): all solvers of all kernels take a compiler a while.
template <class Loss>
Outcome fit_loss(Design &design, const Response &response, Model &model, const Options &options, Monitor &monitor);

extern template Outcome fit_loss<Squared>(Design &, const Response &, Model &, const Options &, Monitor &);
extern template Outcome fit_loss<Logistic>(Design &, const Response &, Model &, const Options &, Monitor &);
extern template Outcome fit_loss<SquaredHinge>(Design &, const Response &, Model &, const Options &, Monitor &);
extern template Outcome fit_loss<Poisson>(Design &, const Response &, Model &, const Options &, Monitor &);

inline Outcome fit(Design &design, const Response &response, Model &model, const Options &options, Monitor &monitor) {
  return with_loss(options.loss, [&](auto loss) { return fit_loss<decltype(loss)>(design, response, model, options, monitor); });
}

}  // namespace hofm
#endif
