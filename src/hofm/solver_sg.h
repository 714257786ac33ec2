// Stochastic gradient descent over mini-batches (section 3 of the paper), with a step rule as policy.
//
// A step at time u on a batch with mean gradient g of the loss is the composite step of Duchi, Hazan and Singer (2011),
//   p <- (p - eta/H g) / (1 + eta lambda/H),   H = 1 (SGD),  H = sqrt(sum of squares of all g so far) (AdaGrad),
// coordinate by coordinate. Features outside the batch have g = 0 and would only shrink: that is put off until they are next
// seen and then done at once for the D steps missed, as one implicit step of D times the length, p <- p / (1 + D eta lambda/H).
// So a step costs only the nonzeros of its batch.
//
// The whole objective is evaluated after each epoch. If it rose or is not finite the epoch is undone and eta halved; an eta
// that was calibrated here and not given by the user grows a little after every epoch that went well.
#ifndef HOFM_SOLVER_SG_H
#define HOFM_SOLVER_SG_H

#include <algorithm>
#include <cmath>
#include <vector>

#include "objective.h"
#include "random.h"

namespace hofm {

struct Sgd {
  static constexpr bool adaptive = false;
  static double scale(double &, double) { return 1; }
  static double scale(double) { return 1; }
};

struct AdaGrad {
  static constexpr bool adaptive = true;
  // H after gradient g; a coordinate that never had a gradient does not move and is not shrunk either.
  static double scale(double &squares, double g) { return std::sqrt(squares += g * g); }
  static double scale(double squares) { return std::sqrt(squares); }
};

template <class Loss, class Step>
class StochasticGradient {
 public:
  StochasticGradient(Design &design, const Response &response, const Options &options, Monitor &monitor)
      : design_(design), response_(response), options_(options), monitor_(monitor),
        objective_(design, response, options, monitor) {}

  Outcome operator()(Model &model) {
    Outcome outcome;
    double best = objective_(model);
    monitor_.record(0, best);
    eta_ = options_.eta > 0 ? options_.eta : calibrated(model);
    start(model);
    std::vector<int> order = all_samples();
    int undone = 0, small = 0;  // epochs in a row
    for (int epoch = 1; epoch <= options_.max_iter && !outcome.converged && eta_ > 0; ++epoch) {
      const Model model_before = model;
      const State state_before = state_;
      Random random(options_.seed, std::uint64_t(epoch));
      shuffle(order, random);
      run(model, order);
      const double after = objective_(model);
      if (std::isfinite(after) && after <= best) {
        small = best - after <= options_.tol * std::fabs(after) ? small + 1 : 0;
        outcome.converged = small >= kSmallEpochs;
        best = after;
        undone = 0;
        if (options_.eta == 0) eta_ *= kGrowth;
      } else {
        outcome.diverged = outcome.diverged || !std::isfinite(after);
        model = model_before;
        state_ = state_before;
        ++outcome.halvings;
        eta_ /= 2;
        outcome.converged = ++undone >= kMostUndone;
      }
      monitor_.record(epoch, best);
    }
    outcome.objective = best;
    outcome.eta = eta_;
    return outcome;
  }

 private:
  static constexpr double kGrowth = 1.05;
  static constexpr int kSmallEpochs = 3;  // with less than tol gained, since one alone may be bad luck
  static constexpr int kMostUndone = 40;  // epochs: by then a step is 1e-12 of the first one

  // What a step rule remembers: sums of squared gradients, and when each feature was last brought up to date.
  struct State {
    std::vector<std::vector<double>> squares;
    double intercept_squares = 0;
    std::vector<long> updated;
    long time = 0;
  };

  std::vector<int> all_samples() const {
    std::vector<int> order(design_.n);
    for (int i = 0; i < design_.n; ++i) order[i] = i;
    return order;
  }

  void start(const Model &model) {
    state_ = State();
    if (Step::adaptive) {
      state_.squares.resize(model.terms.size());
      for (std::size_t t = 0; t < model.terms.size(); ++t) state_.squares[t].assign(model.terms[t].P.size(), 0.0);
    }
    state_.updated.assign(design_.d, 0);
    G_.zero_like(model);
    seen_.assign(design_.d, 0);
  }

  // One pass over the samples in `order`, after which every feature is up to date.
  void run(Model &model, const std::vector<int> &order) {
    RowWalker walker(design_, model);
    for (std::size_t first = 0; first < order.size(); first += options_.batch) {
      const std::size_t last = std::min(order.size(), first + std::size_t(options_.batch));
      collect(model, walker, order, first, last);
      for (std::size_t q = first; q < last; ++q) {
        const int i = order[q];
        const Slice row = walker.go_to(i);
        const double f = response_.offset[i] + model.intercept + walker.forward();
        // n w_i l'_i: over a random i its mean is the gradient of the weighted mean loss
        const double g = design_.n * response_.weight[i] * Loss::deriv(response_.y[i], f) / double(last - first);
        G_.intercept += g;
        walker.backward(g, G_.P);
        monitor_.poll(3 * pass_work(model, std::size_t(row.size)));
      }
      step(model);
    }
    for (int j = 0; j < design_.d; ++j) catch_up(model, j);
  }

  // The batch's features, each once, brought up to date.
  void collect(Model &model, RowWalker &walker, const std::vector<int> &order, std::size_t first, std::size_t last) {
    touched_.clear();
    for (std::size_t q = first; q < last; ++q) {
      const Slice row = walker.go_to(order[q]);
      for (int jj = 0; jj < row.size; ++jj) {
        const int j = row.index[jj];
        if (seen_[j]) continue;
        seen_[j] = 1;
        touched_.push_back(j);
        catch_up(model, j);
      }
    }
  }

  // The shrinking that feature j missed since it was last updated.
  void catch_up(Model &model, int j) {
    const double missed = double(state_.time - state_.updated[j]);
    state_.updated[j] = state_.time;
    if (missed == 0) return;
    for (std::size_t t = 0; t < model.terms.size(); ++t) {
      Term &term = model.terms[t];
      double *p = term.row(term.augment + j);
      const double shrink = missed * eta_ * term.lambda;
      const double *squares = Step::adaptive ? &state_.squares[t][p - term.P.data()] : nullptr;
      for (int s = 0; s < term.stride; ++s) {
        const double H = Step::scale(Step::adaptive ? squares[s] : 0);
        p[s] = H > 0 ? p[s] / (1 + shrink / H) : p[s];
      }
    }
  }

  // One step on the touched features and on the dummies, which every sample has; leaves G zero again.
  void step(Model &model) {
    ++state_.time;
    for (std::size_t t = 0; t < model.terms.size(); ++t) {
      for (int q = 0; q < model.terms[t].augment; ++q) step_column(model, t, q);
      for (int j : touched_) step_column(model, t, model.terms[t].augment + j);
    }
    for (int j : touched_) {
      state_.updated[j] = state_.time;
      seen_[j] = 0;
    }
    if (model.fit_intercept) {
      const double H = Step::scale(state_.intercept_squares, G_.intercept);
      if (H > 0) model.intercept -= eta_ / H * G_.intercept;
    }
    G_.intercept = 0;
  }

  void step_column(Model &model, std::size_t t, int column) {
    Term &term = model.terms[t];
    const double shrink = eta_ * term.lambda;
    const std::size_t at = std::size_t(column) * term.stride;
    double *p = term.row(column), *g = &G_.P[t][at], *squares = Step::adaptive ? &state_.squares[t][at] : &unused_;
    for (int s = 0; s < term.stride; ++s) {
      const double H = Step::scale(squares[Step::adaptive ? s : 0], g[s]);
      p[s] = H > 0 ? (p[s] - eta_ / H * g[s]) / (1 + shrink / H) : p[s];
      g[s] = 0;
    }
  }

  // The first step size: of a grid of half decades, the one with the lowest objective after one pass over at most a thousand
  // samples. Larger steps are tried until the objective gets clearly worse.
  double calibrated(const Model &model) {
    std::vector<int> order = all_samples();
    Random random(options_.seed, 0);
    shuffle(order, random);
    order.resize(std::min<std::size_t>(order.size(), 1000));
    double best = HUGE_VAL, best_eta = 1e-6;
    for (int q = -10; q <= 4; ++q) {
      Model trial = model;
      eta_ = std::pow(10, q / 2.0);
      start(trial);
      run(trial, order);
      const double value = on(trial, order);
      if (value < best) {
        best = value;
        best_eta = eta_;
      }
      if (!std::isfinite(value) || value > 2 * best) break;
    }
    return best_eta;
  }

  // The objective on some samples only.
  double on(const Model &model, const std::vector<int> &order) {
    RowWalker walker(design_, model);
    double loss = 0, weight = 0;
    for (int i : order) {
      walker.go_to(i);
      const double f = response_.offset[i] + model.intercept + walker.forward();
      loss += response_.weight[i] * Loss::value(response_.y[i], f);
      weight += response_.weight[i];
    }
    return (weight > 0 ? loss / weight : 0) + penalty(model);
  }

  Design &design_;
  const Response &response_;
  const Options &options_;
  Monitor &monitor_;
  Objective<Loss> objective_;
  double eta_ = 0, unused_ = 0;
  State state_;
  Gradient G_;
  std::vector<int> touched_;
  std::vector<char> seen_;
};

}  // namespace hofm
#endif
