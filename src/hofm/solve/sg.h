// Stochastic gradient descent over mini-batches (section 3 of the paper), on items, which say what is learned from
// (solve/sg_samples.h), by a step rule.
//
// A batch with mean gradient g of the loss moves p to
//   (p - eta/H g) / (1 + D eta lambda/H),   H = 1 (SGD),  H = sqrt(sum of squares of all g so far) (AdaGrad),
// coordinate by coordinate: the composite step of Duchi, Hazan and Singer (2011) for D = 1. D counts the steps until the feature is
// seen again: those that lack it would only shrink p, with the same H, which is put off and done at once, as one implicit step
// of D times the length. So a step costs only the nonzeros of its batch. The arithmetic is in simd/steps.h.
//
// The whole objective is evaluated after each epoch. If it rose or is not finite the epoch is undone and eta halved; an eta
// that was calibrated here and not given by the user grows a little after every epoch that went well.
//
// A start that comes with its StepState goes on as if there had been no pause. Any other warm start begins, for AdaGrad, with the squares
// of the gradients of one pass over the data there: without, the first steps would have the length eta whatever the gradient, and leave
// a good start for a worse one.
#ifndef HOFM_SOLVE_SG_H
#define HOFM_SOLVE_SG_H

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "hofm/base/random.h"
#include "hofm/eval/batch.h"
#include "hofm/eval/objective.h"

namespace hofm {

enum class StepRule { sgd, adagrad };

inline StepRule step_rule(const std::string &solver) {
  if (solver == "sgd") return StepRule::sgd;
  if (solver == "adagrad") return StepRule::adagrad;
  throw std::invalid_argument("there is no solver '" + solver + "' for this task");
}

template <class Items>
class StochasticGradient {
 public:
  StochasticGradient(Items &items, StepRule rule, const Options &options, Monitor &monitor)
      : items_(items), adaptive_(rule == StepRule::adagrad), options_(options), monitor_(monitor), rows_(items.design()),
        row_of_(items.design()), longest_(row_of_.longest()) {}

  Outcome operator()(Model &model) {
    Outcome outcome;
    double best = items_.objective(model);
    monitor_.record(0, best);
    keep(model, best, 0, outcome);
    const State initial = initial_state(model);
    eta_ = options_.eta > 0 ? options_.eta : resumes() ? options_.resume.eta : calibrated(model, initial);
    state_ = initial;
    std::vector<int> order = all_items();
    for (int epoch = 1; epoch <= options_.resume.epochs; ++epoch) shuffle_for(epoch, order);
    remember(0, outcome);
    int undone = 0, small = 0;  // epochs in a row
    Model model_before;
    State state_before;
    for (int epoch = 1; epoch <= options_.max_iter && !outcome.converged && eta_ > 0; ++epoch) {
      model_before = model;
      state_before = state_;
      const int number = options_.resume.epochs + epoch;
      shuffle_for(number, order);
      run(model, order, std::uint64_t(number));
      const double after = items_.objective(model);
      if (std::isfinite(after) && after <= best) {
        small = best - after <= options_.tol * std::fabs(after) ? small + 1 : 0;
        best = after;
        undone = 0;
        if (options_.eta == 0) eta_ *= kGrowth;
        outcome.converged = keep(model, best, epoch, outcome) || small >= kSmallEpochs;
      } else {
        outcome.diverged = outcome.diverged || !std::isfinite(after);
        model = model_before;
        state_ = state_before;
        ++outcome.halvings;
        eta_ /= 2;
        outcome.converged = ++undone >= kMostUndone;
        if (items_.validates()) outcome.validation.push_back(double(outcome.validation.back()));
      }
      if (!items_.validates() || outcome.best_epoch == epoch) remember(epoch, outcome);
      monitor_.record(epoch, best);
    }
    if (items_.validates()) model = kept_;
    outcome.objective = items_.validates() ? kept_objective_ : best;
    outcome.eta = eta_;
    return outcome;
  }

  // What a step rule remembers (see simd/steps.h), and when each feature was last brought up to date.
  struct State {
    std::vector<std::vector<double>> memory;
    double intercept_memory = 0;
    std::vector<long> updated;
    long time = 0, dummies_updated = 0;
  };

  // For items that are a part of all, taken one part after the other. What goes from one to the next:
  struct Carried {
    State state;
    Gradient G;
    std::vector<char> seen;
  };

  // The step size to begin with.
  double first_eta(const Model &model) { return calibrated(model, initial_state(model)); }

  // Nothing seen yet, or what an earlier run remembered.
  void begin(const Model &model, const StepState &steps, Carried &carried) {
    start(model);
    if (adaptive_ && !steps.memory.empty()) {
      state_.memory = steps.memory;
      state_.intercept_memory = steps.intercept;
    }
    swap(carried);
  }

  // One pass over the items, in an order of their own for each `stream`. Features without items among them are left as they were.
  void pass(Model &model, Carried &carried, double eta, std::uint64_t stream) {
    swap(carried);
    eta_ = eta;
    std::vector<int> order = all_items();
    Random random(options_.seed, stream);
    shuffle(order, random);
    run_some(model, order, stream);
    swap(carried);
  }

  // Every feature up to date, after the last part.
  void end(Model &model, Carried &carried, double eta) {
    swap(carried);
    eta_ = eta;
    run_some(model, {}, 0);
    settle(model);
    swap(carried);
  }

 private:
  static constexpr double kGrowth = 1.05;
  static constexpr int kSmallEpochs = 3;      // with less than tol gained, since one alone may be bad luck
  static constexpr int kMostUndone = 40;      // epochs: by then a step is 1e-12 of the first one
  static constexpr int kRowsAtOnce = 512;     // of a large batch, so that what is kept of them stays in the cache
  static constexpr int kLine = 8;             // doubles that a cache moves at a time
  static constexpr int kMostFetched = 256;    // nonzeros of a row: more would push this row's own parameters out
  static constexpr double kWorkAtOnce = 3e7;  // multiply-adds, so that the monitor is asked several times a second

  // Remembers the parameters with the least loss on held-out samples. Returns whether patience is at its end; epochs that were undone
  // do not try it.
  bool keep(const Model &model, double objective, int epoch, Outcome &outcome) {
    if (!items_.validates()) return false;
    const double loss = items_.held_out_loss(model);
    const bool better = epoch == 0 || loss < outcome.validation[outcome.best_epoch];
    outcome.validation.push_back(loss);
    waited_ = better ? 0 : waited_ + 1;
    if (better) {
      kept_ = model;
      kept_objective_ = objective;
      outcome.best_epoch = epoch;
    }
    return waited_ >= options_.patience;
  }

  void swap(Carried &carried) {
    std::swap(state_, carried.state);
    std::swap(G_, carried.G);
    seen_.swap(carried.seen);
  }

  bool resumes() const { return options_.resume.epochs > 0; }

  void remember(int epoch, Outcome &outcome) const {
    outcome.steps = {options_.resume.epochs + epoch, eta_, state_.intercept_memory, state_.memory};
  }

  // The order of an epoch is drawn from that of the one before.
  void shuffle_for(int epoch, std::vector<int> &order) const {
    Random random(options_.seed, std::uint64_t(epoch));
    shuffle(order, random);
  }

  std::vector<int> all_items() const {
    std::vector<int> order(items_.items());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  State initial_state(const Model &model) {
    start(model);
    if (adaptive_ && resumes()) {
      state_.memory = options_.resume.memory;
      state_.intercept_memory = options_.resume.intercept;
    }
    if (!adaptive_ || !options_.warm || resumes()) return state_;
    Model still = model;
    eta_ = 0;  // nothing moves, but the squares are summed
    run(still, all_items(), 0);
    State seen = std::move(state_);
    start(model);
    state_.memory = std::move(seen.memory);
    state_.intercept_memory = seen.intercept_memory;
    return state_;
  }

  void start(const Model &model) {
    state_ = State();
    state_.memory.resize(model.terms.size());
    state_.intercept_memory = HUGE_VAL;
    for (std::size_t t = 0; t < model.terms.size() && adaptive_; ++t) {
      const Term &term = model.terms[t];
      state_.memory[t].assign(term.P.size(), 1.0);
      for (std::size_t q = 0; q < term.P.size(); ++q)
        if (int(q % term.stride) < term.k) state_.memory[t][q] = HUGE_VAL;  // unlike padding, which has no gradient either
    }
    state_.updated.assign(items_.design().d, 0);
    G_.zero_like(model);
    seen_.assign(items_.design().d, 0);
  }

  // One pass over the items in `order`, after which every feature is up to date.
  void run(Model &model, const std::vector<int> &order, std::uint64_t epoch) {
    run_some(model, order, epoch);
    settle(model);
  }

  void run_some(Model &model, const std::vector<int> &order, std::uint64_t epoch) {
    BatchPass pass(model, longest_, options_.threads);
    steps_.clear();
    for (const Term &term : model.terms) steps_.push_back(kernels().steps(adaptive_, term.kernel, term.degree));
    intercept_step_ = kernels().steps(adaptive_, Kernel::anova, 1);
    anova_ = std::all_of(steps_.begin(), steps_.end(), [](const StepKernel &kernel) { return kernel.forward; });
    dummies_ = std::any_of(model.terms.begin(), model.terms.end(), [](const Term &term) { return term.augment > 0; });
    const double work = std::max(1, longest_) * pass.work_per_nonzero();
    const std::size_t most = std::size_t(std::clamp(kWorkAtOnce / work, 1.0, double(kRowsAtOnce / Items::rows)));
    for (std::size_t first = 0; first < order.size(); first += options_.batch) {
      const std::size_t last = std::min(order.size(), first + std::size_t(options_.batch));
      if (dummies_) catch_up_dummies(model, pass);
      if (Items::rows == 1 && last - first == 1) {
        if constexpr (Items::rows == 1) descend(model, pass, order[first], coming(order, last), epoch);
      } else {
        for (std::size_t q = first; q < last; q += most)
          accumulate(model, pass, &order[q], int(std::min(most, last - q)), double(last - first), epoch);
        step(model, pass);
      }
      step_intercept(model);
      ++state_.time;
    }
  }

  void settle(Model &model) {
    BatchPass pass(model, longest_, options_.threads);
    std::vector<int> all(items_.design().d);
    std::iota(all.begin(), all.end(), 0);
    catch_up(model, pass, all.data(), int(all.size()));
    if (dummies_) catch_up_dummies(model, pass);
  }

  // Row order[next] of a plain design, or an empty one where there is none or it is so long that its parameters would push out those of
  // the row at hand. Asks for the nonzeros and the response of the row after it, and for where the nonzeros of the third begin.
  Slice coming(const std::vector<int> &order, std::size_t next) const {
    const Slice none{nullptr, nullptr, 0};
    if (!items_.design().plain() || next + 2 >= order.size()) return none;
    const SparseView rows = items_.design().blocks[0].rows.view();
    const Slice row = rows[order[next]], later = rows[order[next + 1]];
    for (int q = 0; q < std::min(later.size, kMostFetched); q += kLine) {
      __builtin_prefetch(later.index + q);
      __builtin_prefetch(later.value + q);
    }
    __builtin_prefetch(rows.start + order[next + 2]);
    if constexpr (Items::rows == 1) items_.fetch(order[next + 1]);
    return row.size > kMostFetched ? none : row;
  }

  // Asks for the parameters of a row to come.
  void fetch(const Model &model, const Slice &row) const {
    for (std::size_t t = 0; t < model.terms.size(); ++t) {
      const Term &term = model.terms[t];
      for (int q = 0; q < row.size; ++q)
        for (int s = 0; s < term.stride; s += kLine) {
          const std::size_t at = std::size_t(term.augment + row.index[q]) * term.stride + s;
          __builtin_prefetch(&term.P[at], 1);
          if (adaptive_) __builtin_prefetch(&state_.memory[t][at], 1);
        }
    }
  }

  // A batch of one row, that of sample `item`: its features are brought up to date on the way forward, and the step is taken on the way
  // backward.
  void descend(Model &model, BatchPass &pass, int item, const Slice &next, std::uint64_t epoch) {
    const Slice row = row_of_(item);
    f_.resize(1);
    g_.resize(1);
    if (anova_) {
      count_missed(row.index, row.size);
      f_[0] = pass.value(pass.threads_for(row.size, 2), [&](const FactorGroup &group) {
        const std::size_t t = group.term;
        return steps_[t].forward(pass.term(t), step_view(model, t, 0), row, missed_.data(), next, pass.state(t, 0), group.first,
                                 group.last);
      });
    } else {
      fetch(model, next);
      rows_.clear();
      rows_.add(item);
      catch_up(model, pass, row.index, row.size);
      pass.forward(rows_, f_.data());
    }
    const double g = slopes(model, &item, 1, 1, epoch)[0];
    pass.for_factors(pass.threads_for(row.size, 2), [&](const FactorGroup &group, int thread) {
      const std::size_t t = group.term;
      if (steps_[t].descend) {
        steps_[t].descend(pass.term(t), step_view(model, t, 0), row, pass.state(t, 0), g, pass.work(thread), group.first,
                          group.last);
      } else {
        pass.backward(rows_, &g, G_.P, group, thread);
        step_term(model, group, row.index, row.size);
      }
    });
    monitor_.poll(4 * double(row.size) * pass.work_per_nonzero());
  }

  // G += the gradient of some items of a batch of `size`, on parameters that are up to date.
  void accumulate(Model &model, BatchPass &pass, const int *items, int n, double size, std::uint64_t epoch) {
    rows_.clear();
    for (int q = 0; q < n; ++q) items_.add(items[q], epoch, rows_);
    const std::size_t known = marked_.size();
    mark();
    catch_up(model, pass, marked_.data() + known, int(marked_.size() - known));
    f_.resize(rows_.size());
    g_.resize(rows_.size());
    pass.forward(rows_, f_.data());
    pass.backward(rows_, slopes(model, items, n, size, epoch), G_.P);
    monitor_.poll(4 * double(rows_.nonzeros()) * pass.work_per_nonzero());
  }

  // Derivatives of the mean loss of a batch of `size` in the values of the rows at hand, those of n items, whose terms are in f_.
  const double *slopes(const Model &model, const int *items, int n, double size, std::uint64_t epoch) {
    for (double &f : f_) f += model.intercept;
    for (int q = 0; q < n; ++q) {
      double *g = &g_[std::size_t(q) * Items::rows];
      items_.slopes(items[q], epoch, &f_[std::size_t(q) * Items::rows], g);
      const double weight = items_.weight(items[q], epoch) / size;
      for (int r = 0; r < Items::rows; ++r) G_.intercept += g[r] *= weight;
    }
    return g_.data();
  }

  // The features of the rows that the batch has not had yet.
  void mark() {
    for (int r = 0; r < rows_.size(); ++r) {
      const Slice row = rows_[r];
      for (int jj = 0; jj < row.size; ++jj) {
        const int j = row.index[jj];
        if (seen_[j]) continue;
        seen_[j] = 1;
        marked_.push_back(j);
      }
    }
  }

  // The steps since the features were last up to date, which they will be.
  void count_missed(const int *features, int n) {
    missed_.resize(n);
    for (int q = 0; q < n; ++q) {
      missed_[q] = double(state_.time - state_.updated[features[q]]);
      state_.updated[features[q]] = state_.time;
    }
  }

  // The shrinking put off since then.
  void catch_up(Model &model, const BatchPass &pass, const int *features, int n) {
    count_missed(features, n);
    pass.for_factors(pass.threads_for(n, 1), [&](const FactorGroup &group, int) {
      const Term &term = model.terms[group.term];
      if (term.lambda > 0)
        steps_[group.term].catch_up(step_view(model, group.term, term.augment), features, missed_.data(), n, group.first,
                                    group.last);
    });
  }

  // Every row has the dummies, so that they missed the step before this one at most.
  void catch_up_dummies(Model &model, const BatchPass &pass) {
    const double missed = double(state_.time - state_.dummies_updated);
    state_.dummies_updated = state_.time;
    pass.for_factors(1, [&](const FactorGroup &group, int) {
      for (int q = 0; q < model.terms[group.term].augment; ++q)
        steps_[group.term].catch_up(step_view(model, group.term, q), &kFirst, &missed, 1, group.first, group.last);
    });
  }

  // One step on the touched features and on the dummies; leaves G zero again.
  void step(Model &model, const BatchPass &pass) {
    pass.for_factors(pass.threads_for(marked_.size(), 2),
                     [&](const FactorGroup &group, int) { step_term(model, group, marked_.data(), int(marked_.size())); });
    for (int j : marked_) seen_[j] = 0;
    marked_.clear();
  }

  void step_term(Model &model, const FactorGroup &group, const int *features, int n) {
    const std::size_t t = group.term;
    const int augment = model.terms[t].augment;
    for (int q = 0; q < augment; ++q) steps_[t].step(step_view(model, t, q), &kFirst, 1, group.first, group.last);
    steps_[t].step(step_view(model, t, augment), features, n, group.first, group.last);
  }

  void step_intercept(Model &model) {
    if (model.fit_intercept) {
      const StepView view{&model.intercept, &G_.intercept, &state_.intercept_memory, 1, eta_, 0};
      intercept_step_.step(view, &kFirst, 1, 0, 1);
    }
    G_.intercept = 0;
  }

  // Term t from column `first` on. Of rank 0 it has no numbers, and only their address is asked for.
  StepView step_view(Model &model, std::size_t t, int first) {
    Term &term = model.terms[t];
    const std::size_t at = std::size_t(first) * term.stride;
    double *memory = adaptive_ ? state_.memory[t].data() + at : term.P.data() + at;  // SGD has none, and does not look at it
    return {term.P.data() + at, G_.P[t].data() + at, memory, term.stride, eta_, eta_ * term.lambda};
  }

  // The first step size: of half decades, the one with the lowest objective on at most a thousand items after one pass over these.
  // Larger steps are tried until the objective gets clearly worse. From a warm start they are judged by the thousand items after them, if
  // there are so many: close to a minimum nearly any step lowers the objective on the items that it was taken for.
  double calibrated(const Model &model, const State &initial) {
    std::vector<int> order = all_items();
    Random random(options_.seed, 0);
    shuffle(order, random);
    const std::size_t tried = std::min<std::size_t>(order.size(), 1000);
    const std::vector<int> others(order.begin() + tried, order.begin() + std::min(order.size(), 2 * tried));
    order.resize(tried);
    const std::vector<int> &judges = options_.warm && others.size() == tried ? others : order;
    double best = HUGE_VAL, best_eta = 1e-6;
    for (int q = -10; q <= 4; ++q) {
      Model trial = model;
      eta_ = std::pow(10, q / 2.0);
      state_ = initial;
      run(trial, order, 0);
      const double value = on(trial, judges);
      if (value < best) {
        best = value;
        best_eta = eta_;
      }
      if (!std::isfinite(value) || value > 2 * best) break;
    }
    return best_eta;
  }

  // The objective on some items only.
  double on(const Model &model, const std::vector<int> &order) {
    BatchPass pass(model, longest_, options_.threads);
    double loss = 0, weight = 0, f[Items::rows];
    for (int item : order) {
      rows_.clear();
      items_.add(item, 0, rows_);
      pass.forward(rows_, f);
      for (double &value : f) value += model.intercept;
      loss += items_.weight(item, 0) * items_.value(item, 0, f);
      weight += items_.weight(item, 0);
    }
    return (weight > 0 ? loss / weight : 0) + penalty(model);
  }

  static constexpr int kFirst = 0;

  Items &items_;
  bool adaptive_;  // whether the step rule remembers anything
  const Options &options_;
  Monitor &monitor_;
  double eta_ = 0, kept_objective_ = 0;
  Model kept_;
  int waited_ = 0;  // epochs since kept_
  State state_;
  Gradient G_;
  RowBatch rows_;
  RowSource row_of_;  // for batches of one
  int longest_;
  std::vector<StepKernel> steps_;  // of the terms
  StepKernel intercept_step_ = {};
  bool anova_ = false;    // whether all terms have the ANOVA kernel
  bool dummies_ = false;  // whether any has dummies
  std::vector<double> f_, g_, missed_;
  std::vector<int> marked_;
  std::vector<char> seen_;
};

}  // namespace hofm
#endif
