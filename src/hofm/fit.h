// The door to training: design, task, model and options are values, and the model comes back fitted. Called by the glue (rcpp_fit.cpp)
// and by tests.
#ifndef HOFM_FIT_H
#define HOFM_FIT_H

#include "hofm/base/monitor.h"
#include "hofm/data/design.h"
#include "hofm/model/loss.h"
#include "hofm/model/model.h"
#include "hofm/solve/task.h"

namespace hofm {

// Loss and solver are chosen by name, once, here. In fit.cpp.
Outcome train(Design &design, Task &task, Model &model, const Options &options, Monitor &monitor);

// All solvers for given samples under one loss; compiled once per loss, in fit_<loss>.cpp, since they take a compiler a while.
template <class Loss>
Outcome fit_loss(Design &design, Samples &samples, Model &model, const Options &options, Monitor &monitor);

// The same for samples in shards.
template <class Loss>
Outcome fit_shards(Shards &shards, Model &model, const Options &options, Monitor &monitor);

#define HOFM_EXTERN_LOSS(word, Loss)                                                                      \
  extern template Outcome fit_loss<Loss>(Design &, Samples &, Model &, const Options &, Monitor &); \
  extern template Outcome fit_shards<Loss>(Shards &, Model &, const Options &, Monitor &);
HOFM_FOR_EACH_LOSS(HOFM_EXTERN_LOSS)
#undef HOFM_EXTERN_LOSS

}  // namespace hofm
#endif
