// The loop that every descent by epochs shares: record, compare, stop.
#ifndef HOFM_DESCENT_H
#define HOFM_DESCENT_H

#include <cmath>

#include "model.h"
#include "monitor.h"

namespace hofm {

// epoch(e) for e = 1, 2, ... until an epoch lowers objective() by less than tol times its value.
template <class Epoch, class Objective>
Outcome descend(const Options &options, Monitor &monitor, const Objective &objective, const Epoch &epoch) {
  Outcome outcome;
  double before = objective();
  monitor.record(0, before);
  for (int e = 1; e <= options.max_iter && !outcome.converged; ++e) {
    epoch(e);
    const double after = objective();
    monitor.record(e, after);
    outcome.converged = before - after <= options.tol * std::fabs(after);
    before = after;
  }
  outcome.objective = before;
  return outcome;
}

// Values kept by adding are built anew every so many epochs, so that rounding cannot pile up.
constexpr int kRefresh = 16;

}  // namespace hofm
#endif
