// The loop that every descent by epochs shares: record, compare, stop.
#ifndef HOFM_SOLVE_DESCENT_H
#define HOFM_SOLVE_DESCENT_H

#include <algorithm>
#include <cmath>
#include <utility>

#include "hofm/base/monitor.h"
#include "hofm/model/model.h"

namespace hofm {

// Epochs of coordinate descent take short steps in much the same direction. A point further along the last step costs one evaluation of
// the objective, and is kept only if that is lower. Some of the step before is added, as in conjugate gradients: epochs that would
// swing from side to side of a valley then go along it.
class Extrapolation {
 public:
  // Extrapolates the step from `from` to `to`, with some of the step from `before` to `from`. Weights of degrees stay where they are,
  // on the simplex.
  Model beyond(const Model &before, const Model &from, const Model &to) const {
    const auto ahead = [&](double b, double f, double t) { return t + reach_ * ((t - f) + kMemory * (f - b)); };
    Model out = to;
    out.intercept = ahead(before.intercept, from.intercept, to.intercept);
    out.common = ahead(before.common, from.common, to.common);
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
  double reach_ = 0.5;                    // in lengths of the step
};

// By much more than rounding, so that this does not decide which way a fit goes that has all but converged.
inline bool clearly_lower(double objective, double than) { return objective < than - 1e-10 * std::fabs(than); }

// Minimises by epochs, each of which keeps link values by adding: where features are taken out of sums whose digits are lost
// (anova::remove()), these values drift away from those of the parameters. So they are built anew every kRefresh epochs and at the end,
// and what they say is compared. Where it differs, or the objective rose, all goes back to the last parameters that were right and goes
// on without subtraction; where that does not help either, the descent ends there and says so. Problem:
//   objective(model)       by the link values that are kept
//   refresh(model)         builds them anew from the parameters
//   epoch(model)           one step for every parameter
//   move_to(beyond, model) moves there if the objective is clearly lower, and says whether it did
//   rebuild()              from now on features are taken out by adding up the others; false if that was so already
//   scale()                the loss at link values of zero, beside which rounding errors are judged
template <class Problem>
class Descent {
 public:
  Descent(Problem &problem, const Options &options, Monitor &monitor) : problem_(problem), options_(options), monitor_(monitor) {}

  // Until an epoch lowers the objective by less than tol times its value.
  Outcome operator()(Model &model) {
    Outcome outcome;
    begin(model);
    for (int e = 1; e <= options_.max_iter && !outcome.converged && !outcome.imprecise; ++e) {
      advance(model);
      double after = problem_.objective(model);
      outcome.converged = before_ - after <= options_.tol * std::fabs(after);
      if (outcome.converged || e % every_ == 0 || e == options_.max_iter) {
        if (!verify(model, after, e)) {
          outcome.converged = false;
          outcome.imprecise = !problem_.rebuild();
          every_ = 1;
          e = go_back(model);
          continue;
        }
        after = right_objective_;
      }
      monitor_.record(e, before_ = after);
    }
    outcome.objective = before_;
    return outcome;
  }

 private:
  static constexpr int kRefresh = 16;
  static constexpr double kAgreement = 1e-6, kRounding = 1e-12;

  void begin(const Model &model) {
    problem_.refresh(model);
    before_ = problem_.objective(model);
    rounding_ = kRounding * std::max(std::fabs(before_), problem_.scale());
    monitor_.record(0, before_);
    remember(model, before_, 0);
  }

  // One epoch and, from the second on (the first leaves an arbitrary start), a look further along its way.
  void advance(Model &model) {
    const bool extrapolate = options_.extrapolate && ++epochs_ > 1;
    if (extrapolate) {
      earlier_ = epochs_ == 2 ? model : std::move(start_);
      start_ = model;
    }
    problem_.epoch(model);
    if (extrapolate) extrapolation_.learn(problem_.move_to(extrapolation_.beyond(earlier_, start_, model), model));
  }

  // Whether the objective `stated` is that of the parameters, and has not risen since it last was.
  bool verify(const Model &model, double stated, int e) {
    problem_.refresh(model);
    const double objective = problem_.objective(model);
    const bool agrees = std::fabs(objective - stated) <= kAgreement * std::fabs(objective) + rounding_;
    if (!agrees || !(objective <= right_objective_ + kAgreement * std::fabs(right_objective_) + rounding_)) return false;
    remember(model, objective, e);
    return true;
  }

  void remember(const Model &model, double objective, int e) {
    right_ = model;
    right_objective_ = objective;
    right_epoch_ = e;
  }

  // Returns the epoch after which the parameters were right.
  int go_back(Model &model) {
    model = right_;
    problem_.refresh(model);
    before_ = right_objective_;
    monitor_.trace.cut_after(right_epoch_);
    extrapolation_ = Extrapolation();
    epochs_ = 0;
    return right_epoch_;
  }

  Problem &problem_;
  const Options &options_;
  Monitor &monitor_;
  Extrapolation extrapolation_;
  Model start_, earlier_;  // where this epoch and the last began
  Model right_;            // when the link values were last built anew
  double right_objective_ = 0, before_ = 0, rounding_ = 0;
  int right_epoch_ = 0;
  int epochs_ = 0;        // since the start, or since going back
  int every_ = kRefresh;  // epochs between two looks at the parameters
};

}  // namespace hofm
#endif
