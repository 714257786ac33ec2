// The loop that every descent by epochs shares: record, compare, stop.
#ifndef HOFM_DESCENT_H
#define HOFM_DESCENT_H

#include <algorithm>
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

// An epoch of coordinate descent goes a short way in a direction that the next ones will mostly go in again. Going on with it at once
// takes one evaluation of the objective, and what lies further on is kept only if it is lower there.
class Extrapolation {
 public:
  // The parameters beyond `to` on the way from `from`. Weights of degrees stay where they are, on the simplex.
  Model beyond(const Model &from, const Model &to) const {
    Model out = to;
    out.intercept += reach_ * (to.intercept - from.intercept);
    for (std::size_t t = 0; t < out.terms.size(); ++t)
      for (std::size_t q = 0; q < out.terms[t].P.size(); ++q)
        out.terms[t].P[q] += reach_ * (to.terms[t].P[q] - from.terms[t].P[q]);
    return out;
  }

  void learn(bool lower) { reach_ = lower ? reach_ * 1.5 : std::max(reach_ / 2, kLeast); }

 private:
  static constexpr double kLeast = 1.0 / 16;
  double reach_ = 0.5;  // in lengths of the way
};

// Values kept by adding are built anew every so many epochs, so that rounding cannot pile up.
constexpr int kRefresh = 16;

}  // namespace hofm
#endif
