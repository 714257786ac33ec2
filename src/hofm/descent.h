// The loop that every descent by epochs shares: record, compare, stop.
#ifndef HOFM_DESCENT_H
#define HOFM_DESCENT_H

#include <algorithm>
#include <cmath>

#include "model.h"
#include "monitor.h"

namespace hofm {

// An epoch of coordinate descent goes a short way in a direction that the next ones will mostly go in again. Going on with it at once
// takes one evaluation of the objective, and what lies further on is kept only if it is lower there. Some of the way before is added,
// as in conjugate gradients: epochs that would swing from side to side of a valley then go along it.
class Extrapolation {
 public:
  // The parameters beyond `to` on the way from `from`, with some of the way to there from `before`. Weights of degrees stay where
  // they are, on the simplex.
  Model beyond(const Model &before, const Model &from, const Model &to) const {
    const auto ahead = [&](double b, double f, double t) { return t + reach_ * ((t - f) + kMemory * (f - b)); };
    Model out = to;
    out.intercept = ahead(before.intercept, from.intercept, to.intercept);
    for (std::size_t t = 0; t < out.terms.size(); ++t)
      for (std::size_t q = 0; q < out.terms[t].P.size(); ++q)
        out.terms[t].P[q] = ahead(before.terms[t].P[q], from.terms[t].P[q], to.terms[t].P[q]);
    return out;
  }

  // How far to look next, after what was found this time.
  void learn(bool lower) { reach_ = lower ? std::min(reach_ * 1.5, kMost) : std::max(reach_ / 2, kLeast); }

 private:
  static constexpr double kLeast = 1.0 / 16, kMost = 4;
  static constexpr double kMemory = 0.3;  // 0.2 to 0.5 serve about as well
  double reach_ = 0.5;  // in lengths of the way
};

// By much more than rounding, so that this does not decide which way a fit goes that has all but converged.
inline bool clearly_lower(double objective, double than) { return objective < than - 1e-10 * std::fabs(than); }

// epoch(e) for e = 1, 2, ... until an epoch lowers objective() by less than tol times its value. With extrapolation, from the second
// epoch on (the first leaves an arbitrary start), move_to(beyond) moves there if the objective is clearly lower, and says whether it did.
template <class Objective, class Epoch, class MoveTo>
Outcome descend(const Options &options, Monitor &monitor, Model &model, const Objective &objective, const Epoch &epoch,
                const MoveTo &move_to) {
  Outcome outcome;
  Extrapolation extrapolation;
  Model start, earlier;  // where this epoch and the last began
  double before = objective();
  monitor.record(0, before);
  for (int e = 1; e <= options.max_iter && !outcome.converged; ++e) {
    const bool extrapolate = options.extrapolate && e > 1;
    if (extrapolate) {
      earlier = e == 2 ? model : std::move(start);
      start = model;
    }
    epoch(e);
    if (extrapolate) extrapolation.learn(move_to(extrapolation.beyond(earlier, start, model)));
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
