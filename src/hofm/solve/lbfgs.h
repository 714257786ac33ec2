// Limited-memory BFGS on all parameters at once, by LBFGS++ (Qiu), which sees a function of a plain vector.
#ifndef HOFM_SOLVE_LBFGS_H
#define HOFM_SOLVE_LBFGS_H

#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

#include <optimization/LBFGS.h>

#include "hofm/eval/objective.h"

namespace hofm {

// LBFGS++'s own line search, which then says that a step has been taken.
template <class Scalar>
class ReportedSearch {
 public:
  template <class Function, class... Rest>
  static void LineSearch(Function &f, Rest &&...rest) {
    LBFGSpp::LineSearchNocedalWright<Scalar>::LineSearch(f, rest...);
    f.stepped();
  }
};

class Lbfgs {
 public:
  // The value at a model, which fills the gradient.
  using Function = std::function<double(const Model &, Gradient *)>;

  Lbfgs(Function objective, const Options &options, Monitor &monitor)
      : objective_(std::move(objective)), options_(options), monitor_(monitor) {}

  // A failed line search ends a run; the next one starts at the best point with an empty memory, for as long as that helps.
  Outcome operator()(Model &model) {
    model_ = &model;
    best_ = pack(model);
    Outcome outcome;
    for (double before = HUGE_VAL; goes_on(before);) {
      before = best_value_;
      const int left = options_.max_iter - iterations_;
      Eigen::VectorXd x = best_;
      double value;
      try {
        const LBFGSpp::LBFGSParam<double> settings = parameters(left);  // the solver keeps a reference
        LBFGSpp::LBFGSSolver<double, ReportedSearch> solver(settings);
        outcome.converged = solver.minimize(*this, x, value) < left;
        break;
      } catch (const std::runtime_error &) {  // thrown by the line search
      } catch (const std::logic_error &) {    // not a descent direction
      }
      if (best_value_ < recorded_) stepped();               // the search failed, but on its way it came lower
      outcome.converged = iterations_ < options_.max_iter;  // unless a further run says otherwise
    }
    unpack(best_, model);
    outcome.objective = best_value_;
    return outcome;
  }

  // LBFGS++'s functor: value and gradient at x.
  double operator()(const Eigen::VectorXd &x, Eigen::VectorXd &grad) {
    unpack(x, *model_);
    double value = objective_(*model_, &gradient_);
    pack_gradient(grad);
    if (!std::isfinite(value)) value = HUGE_VAL;  // the line search then comes closer
    const bool first = evaluations_++ == 0;
    if (first) scale_ = 1e6 / std::max(std::fabs(value), 1e-300);
    if (first || value < best_value_) {
      best_value_ = value;
      best_ = x;
    }
    if (first) record();
    grad *= scale_;
    return scale_ * value;
  }

  // Steps are recorded, with the lowest objective so far; evaluations on the way to them are not.
  void stepped() {
    ++iterations_;
    record();
  }

 private:
  void record() {
    recorded_ = best_value_;
    monitor_.record(iterations_, best_value_);
  }

  bool goes_on(double before) const {
    if (evaluations_ == 0) return true;
    return iterations_ < options_.max_iter && before - best_value_ > options_.tol * std::fabs(best_value_);
  }

  LBFGSpp::LBFGSParam<double> parameters(int max_iter) const {
    LBFGSpp::LBFGSParam<double> param;
    param.m = options_.memory;
    param.max_iterations = max_iter;
    param.epsilon = 0;
    param.epsilon_rel = 0;
    param.past = 1;  // stop by the objective, as the other solvers do
    param.delta = options_.tol;
    param.max_linesearch = 40;
    return param;
  }

  Eigen::Index size(const Model &model) const {
    Eigen::Index n = int(model.fit_intercept) + int(model.fit_common);
    for (const Term &term : model.terms) n += Eigen::Index(term.P.size());
    return n;
  }

  Eigen::VectorXd pack(const Model &model) const {
    Eigen::VectorXd x(size(model));
    Eigen::Index at = 0;
    if (model.fit_intercept) x[at++] = model.intercept;
    if (model.fit_common) x[at++] = model.common;
    for (const Term &term : model.terms)
      for (double p : term.P) x[at++] = p;
    return x;
  }

  void unpack(const Eigen::VectorXd &x, Model &model) const {
    Eigen::Index at = 0;
    if (model.fit_intercept) model.intercept = x[at++];
    if (model.fit_common) model.common = x[at++];
    for (Term &term : model.terms)
      for (double &p : term.P) p = x[at++];
  }

  void pack_gradient(Eigen::VectorXd &grad) const {
    grad.resize(size(*model_));
    Eigen::Index at = 0;
    if (model_->fit_intercept) grad[at++] = gradient_.intercept;
    if (model_->fit_common) grad[at++] = gradient_.common;
    for (const auto &P : gradient_.P)
      for (double g : P) grad[at++] = g;
  }

  Function objective_;
  const Options &options_;
  Monitor &monitor_;
  Model *model_ = nullptr;
  Gradient gradient_;
  Eigen::VectorXd best_;
  double best_value_ = HUGE_VAL, recorded_ = HUGE_VAL;
  double scale_ = 1;  // LBFGS++ compares changes with max(|f|, 1): scaled to start at 1e6, its test is a relative one
  int evaluations_ = 0, iterations_ = 0;
};

}  // namespace hofm
#endif
