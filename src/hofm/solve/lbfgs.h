// Limited-memory BFGS on all parameters at once (Liu and Nocedal, 1989), with the line search of LBFGS++ (Qiu), which sees a function of
// a plain vector. The loop is ours, so that a fit can be stopped by held-out samples, and go on from a checkpoint with the same bits.
#ifndef HOFM_SOLVE_LBFGS_H
#define HOFM_SOLVE_LBFGS_H

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include <optimization/LBFGS.h>

#include "hofm/base/checkpoint.h"
#include "hofm/eval/objective.h"

namespace hofm {

// The steps and differences of gradients that stand for the inverse of the Hessian, in vectors of their own: sums over a vector must not
// depend on where in memory it begins.
struct QuasiNewton {
  std::vector<std::vector<double>> s, y;  // the oldest first
  std::vector<double> sy;

  void clear() {
    s.clear();
    y.clear();
    sy.clear();
  }

  void add(const Eigen::VectorXd &x, const Eigen::VectorXd &x_before, const Eigen::VectorXd &g, const Eigen::VectorXd &g_before,
           std::size_t most) {
    const double product = (x - x_before).dot(g - g_before);
    if (!(product > std::numeric_limits<double>::epsilon() * (g - g_before).squaredNorm())) return;
    std::vector<double> step, change;
    if (s.size() == most) {  // the memory of the oldest
      step = std::move(s.front());
      change = std::move(y.front());
      s.erase(s.begin());
      y.erase(y.begin());
      sy.erase(sy.begin());
    }
    step.resize(std::size_t(x.size()));
    change.resize(step.size());
    view(step) = x - x_before;
    view(change) = g - g_before;
    s.push_back(std::move(step));
    y.push_back(std::move(change));
    sy.push_back(product);
  }

  // direction = -H g
  void direction(const Eigen::VectorXd &g, Eigen::VectorXd &direction) const {
    direction = -g;
    std::vector<double> alpha(s.size());
    for (std::size_t q = s.size(); q-- > 0;) {
      alpha[q] = view(s[q]).dot(direction) / sy[q];
      direction -= alpha[q] * view(y[q]);
    }
    if (!s.empty()) direction /= view(y.back()).squaredNorm() / sy.back();
    for (std::size_t q = 0; q < s.size(); ++q) {
      const double beta = view(y[q]).dot(direction) / sy[q];
      direction += (alpha[q] - beta) * view(s[q]);
    }
  }

 private:
  static Eigen::Map<Eigen::VectorXd> view(std::vector<double> &v) { return {v.data(), Eigen::Index(v.size())}; }
  static Eigen::Map<const Eigen::VectorXd> view(const std::vector<double> &v) { return {v.data(), Eigen::Index(v.size())}; }
};

class Lbfgs {
 public:
  // The value at a model, which fills the gradient.
  using Function = std::function<double(const Model &, Gradient *)>;
  // The loss on held-out samples.
  using HeldOutLoss = std::function<double(const Model &)>;

  Lbfgs(Function objective, const Options &options, Monitor &monitor, HeldOutLoss held_out = {})
      : objective_(std::move(objective)), held_out_(std::move(held_out)), options_(options), monitor_(monitor) {}

  // A failed line search ends a run; the next one starts at the best point with an empty memory, for as long as that helps. With a
  // checkpoint, `rest` is what else belongs to the state.
  template <class Rest>
  Outcome operator()(Model &model, Checkpoint &checkpoint, Rest &rest) {
    model_ = &model;
    bool finished = false;
    State<Rest> state{*this, rest};
    if (checkpoint.load(state, finished)) finished = finished && converged_;  // more iterations may be wanted now
    else best_ = pack(model);
    const auto save = [&] { checkpoint.save(state); };
    while (!finished && (running_ || goes_on())) {
      try {
        converged_ = run(save);
        break;
      } catch (const std::runtime_error &) {  // thrown by the line search
      } catch (const std::logic_error &) {    // not a descent direction
      }
      running_ = false;
      if (best_value_ < recorded_) stepped();        // the search failed, but on its way it came lower
      converged_ = iterations_ < options_.max_iter;  // unless a further run says otherwise
      if (stopped()) break;
    }
    running_ = false;
    checkpoint.save_last(state);
    return outcome(model);
  }
  Outcome operator()(Model &model) {
    Nothing nothing;
    Checkpoint nowhere;
    return (*this)(model, nowhere, nothing);
  }

  // The functor of the line search: value and gradient at x.
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

 private:
  struct Nothing {
    template <class Archive>
    void visit(Archive &) {}
  };

  // What a checkpoint holds.
  template <class Rest>
  struct State {
    Lbfgs &solver;
    Rest &rest;
    template <class Archive>
    void visit(Archive &archive) {
      solver.visit(archive);
      rest.visit(archive);
    }
  };

  template <class Archive>
  void visit(Archive &archive) {
    for (Eigen::VectorXd *v : {&x_, &grad_, &best_, &kept_}) vector(archive, *v);
    for (double *v : {&fx_, &fx_before_, &best_value_, &recorded_, &before_, &scale_, &kept_value_}) archive(*v);
    for (int *v : {&k_, &left_, &evaluations_, &iterations_, &waited_, &best_iteration_}) archive(*v);
    archive(running_);
    archive(converged_);
    archive(validation_);
    archive.parts(memory_.s);
    archive.parts(memory_.y);
    archive(memory_.sy);
    monitor_.visit(archive);
  }

  template <class Archive>
  static void vector(Archive &archive, Eigen::VectorXd &v) {
    std::vector<double> plain(v.data(), v.data() + v.size());
    archive(plain);
    v = Eigen::Map<const Eigen::VectorXd>(plain.data(), Eigen::Index(plain.size()));
  }

  // From the best point, or from where a checkpoint says that a run stands, to its end: whether that is convergence. The test of the
  // objective is a relative one, since scale_ has it start at 1e6.
  template <class Save>
  bool run(const Save &save) {
    const LBFGSpp::LBFGSParam<double> param = parameters();
    Eigen::VectorXd x_before, grad_before, direction;
    double step = 1;
    if (running_) {
      memory_.direction(grad_, direction);
    } else {
      before_ = best_value_;
      left_ = options_.max_iter - iterations_;
      memory_.clear();
      x_ = best_;
      grad_.resize(x_.size());
      fx_ = fx_before_ = (*this)(x_, grad_);
      const double norm = grad_.norm();
      if (norm == 0) return 1 < left_;
      direction = -grad_;
      step = 1 / norm;
      k_ = 1;
      running_ = true;
    }
    for (;; ++k_, step = 1) {
      x_before = x_;
      grad_before = grad_;
      double slope = grad_.dot(direction);
      LBFGSpp::LineSearchNocedalWright<double>::LineSearch(*this, param, x_before, direction, param.max_step, step, fx_, grad_, slope,
                                                           x_);
      stepped();
      const bool small = std::fabs(fx_before_ - fx_) <= options_.tol * std::max({std::fabs(fx_), std::fabs(fx_before_), 1.0});
      if (stopped()) return true;
      if (grad_.norm() == 0 || small || k_ >= left_) return k_ < left_;
      fx_before_ = fx_;
      memory_.add(x_, x_before, grad_, grad_before, pairs());
      memory_.direction(grad_, direction);
      ++k_;
      save();
      --k_;
    }
  }

  // Steps are recorded, with the lowest objective so far; evaluations on the way to them are not.
  void stepped() {
    ++iterations_;
    record();
  }

  void record() {
    recorded_ = best_value_;
    monitor_.record(iterations_, best_value_);
    if (!held_out_) return;
    unpack(best_, *model_);
    const double loss = held_out_(*model_);
    const bool better = validation_.empty() || loss < validation_[std::size_t(best_iteration_)];
    validation_.push_back(loss);
    waited_ = better ? 0 : waited_ + 1;
    if (!better) return;
    best_iteration_ = iterations_;
    kept_ = best_;
    kept_value_ = best_value_;
  }

  bool stopped() const { return held_out_ && waited_ >= options_.patience; }

  bool goes_on() const {
    if (evaluations_ == 0) return true;
    return iterations_ < options_.max_iter && before_ - best_value_ > options_.tol * std::fabs(best_value_);
  }

  Outcome outcome(Model &model) {
    Outcome outcome;
    unpack(held_out_ ? kept_ : best_, model);
    outcome.objective = held_out_ ? kept_value_ : best_value_;
    outcome.converged = converged_;
    outcome.validation = validation_;
    outcome.best_epoch = best_iteration_;
    return outcome;
  }

  static LBFGSpp::LBFGSParam<double> parameters() {
    LBFGSpp::LBFGSParam<double> param;
    param.max_linesearch = 40;
    return param;
  }

  // Ten, or as many as fit into half a gigabyte, but three.
  std::size_t pairs() const { return std::size_t(std::clamp(5e8 / (16.0 * double(x_.size())), 3.0, double(options_.memory))); }

  // Padding is zero and stays so.
  template <class F>
  static Eigen::Index each(const Term &term, std::size_t size, const F &f) {
    Eigen::Index n = 0;
    for (std::size_t first = 0; first < size; first += std::size_t(term.stride))
      for (int s = 0; s < term.k; ++s, ++n) f(first + std::size_t(s));
    return n;
  }

  Eigen::Index size(const Model &model) const {
    Eigen::Index n = int(model.fit_intercept) + int(model.fit_common);
    for (const Term &term : model.terms) n += Eigen::Index(term.P.size() / std::size_t(std::max(1, term.stride))) * term.k;
    return n;
  }

  Eigen::VectorXd pack(const Model &model) const {
    Eigen::VectorXd x(size(model));
    Eigen::Index at = 0;
    if (model.fit_intercept) x[at++] = model.intercept;
    if (model.fit_common) x[at++] = model.common;
    for (const Term &term : model.terms) each(term, term.P.size(), [&](std::size_t q) { x[at++] = term.P[q]; });
    return x;
  }

  void unpack(const Eigen::VectorXd &x, Model &model) const {
    Eigen::Index at = 0;
    if (model.fit_intercept) model.intercept = x[at++];
    if (model.fit_common) model.common = x[at++];
    for (Term &term : model.terms) each(term, term.P.size(), [&](std::size_t q) { term.P[q] = x[at++]; });
  }

  void pack_gradient(Eigen::VectorXd &grad) const {
    grad.resize(size(*model_));
    Eigen::Index at = 0;
    if (model_->fit_intercept) grad[at++] = gradient_.intercept;
    if (model_->fit_common) grad[at++] = gradient_.common;
    for (std::size_t t = 0; t < model_->terms.size(); ++t)
      each(model_->terms[t], gradient_.P[t].size(), [&](std::size_t q) { grad[at++] = gradient_.P[t][q]; });
  }

  Function objective_;
  HeldOutLoss held_out_;
  const Options &options_;
  Monitor &monitor_;
  Model *model_ = nullptr;
  Gradient gradient_;
  Eigen::VectorXd x_, grad_, best_, kept_;
  QuasiNewton memory_;
  std::vector<double> validation_;
  double fx_ = 0, fx_before_ = 0, kept_value_ = 0;
  double best_value_ = HUGE_VAL, recorded_ = HUGE_VAL, before_ = HUGE_VAL;
  double scale_ = 1;
  int k_ = 0, left_ = 0, evaluations_ = 0, iterations_ = 0, waited_ = 0, best_iteration_ = 0;
  bool running_ = false, converged_ = false;
};

}  // namespace hofm
#endif
