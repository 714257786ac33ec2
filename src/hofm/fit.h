// The one road from a problem to a fitted model: loss and solver by name, chosen once.
#ifndef HOFM_FIT_H
#define HOFM_FIT_H

#include "design.h"
#include "dispatch.h"
#include "model.h"
#include "monitor.h"
#include "task_pairwise.h"
#include "validation.h"

namespace hofm {

// Compiled once per loss, in fit_<loss>.cpp (see fit_loss.h): all solvers of all kernels take a compiler a while.
template <class Loss>
Outcome fit_loss(Design &design, const Response &response, Model &model, const Options &options, Monitor &monitor,
                 Validation *validation);

extern template Outcome fit_loss<Squared>(Design &, const Response &, Model &, const Options &, Monitor &, Validation *);
extern template Outcome fit_loss<Logistic>(Design &, const Response &, Model &, const Options &, Monitor &, Validation *);
extern template Outcome fit_loss<SquaredHinge>(Design &, const Response &, Model &, const Options &, Monitor &, Validation *);
extern template Outcome fit_loss<Poisson>(Design &, const Response &, Model &, const Options &, Monitor &, Validation *);

// `validation`: samples held out for the stochastic solvers, or none.
inline Outcome fit(Design &design, const Response &response, Model &model, const Options &options, Monitor &monitor,
                   Validation *validation = nullptr) {
  return with_loss(options.loss, [&](auto loss) {
    return fit_loss<decltype(loss)>(design, response, model, options, monitor, validation);
  });
}

// The pairwise loss, which only the stochastic solvers can do; in fit_auc.cpp.
Outcome fit_ranking(Design &design, const Response &response, const Ranking &ranking, Model &model, const Options &options,
                    Monitor &monitor, Validation *validation = nullptr);

}  // namespace hofm
#endif
