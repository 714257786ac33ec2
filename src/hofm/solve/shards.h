// Fitting samples that are not all in memory: the objective and its gradient by one pass over the shards, and stochastic steps, shard
// after shard.
//
// Losses and slopes of a shard are rounded to multiples of a power of two and added as integers (base/fixed_sum.h). So the bits of the
// objective and its gradient do not depend on the number of threads, nor on the order in which shards are done, nor on who does them.
#ifndef HOFM_SOLVE_SHARDS_H
#define HOFM_SOLVE_SHARDS_H

#include <cmath>
#include <cstdint>
#include <future>
#include <numeric>
#include <utility>
#include <vector>

#include "hofm/base/parallel.h"
#include "hofm/base/random.h"
#include "hofm/eval/objective.h"
#include "hofm/solve/sg.h"
#include "hofm/solve/sg_samples.h"
#include "hofm/solve/task.h"

namespace hofm {

// Loss and slopes of some shards at a model. The penalty plays no part. Memory: for each thread a shard and two numbers for each
// parameter.
template <class Loss>
ShardSums sum_shards(const ShardSource &source, const std::vector<int> &shards, const Model &model, bool slopes,
                     int gradient_exponent, int loss_exponent, int threads, Monitor &monitor) {
  std::size_t size = 1;
  for (const Term &term : model.terms) size += term.P.size();
  threads = std::max(1, std::min(threads, int(shards.size())));
  ShardSums none{FixedSum(gradient_exponent, slopes ? size : 0), FixedSum(loss_exponent, 1)};
  std::vector<ShardSums> sums(threads, none);
  std::vector<Gradient> gradients(threads);
  for (std::size_t wave = 0; wave < shards.size(); wave += threads) {
    const int tasks = int(std::min<std::size_t>(threads, shards.size() - wave));
    parallel_for(tasks, threads, [&](int task, int) {  // what a task has is its own, whichever thread does it
      const ShardRows rows = source.load(shards[wave + task]);
      RowWalker walker(rows.design, model);
      Gradient &gradient = gradients[task];
      if (slopes) gradient.zero_like(model);
      double loss = 0;
      for (int i = 0; i < rows.design.n; ++i) {
        walker.go_to(i);
        const double f = rows.response.offset[i] + model.intercept + walker.forward();
        loss += rows.response.weight[i] * Loss::value(rows.response.y[i], f);
        if (!slopes) continue;
        const double g = rows.response.weight[i] * Loss::deriv(rows.response.y[i], f);
        gradient.intercept += g;
        walker.backward(g, gradient.P);
      }
      sums[task].loss.add(&loss, 1);
      if (!slopes) return;
      sums[task].gradient.add(&gradient.intercept, 1);
      std::size_t at = 1;
      for (const std::vector<double> &P : gradient.P) {
        sums[task].gradient.add(P.data(), P.size(), at);
        at += P.size();
      }
    });
    monitor.poll(1e6);
  }
  for (int task = 1; task < threads; ++task) {
    sums[0].gradient.add(sums[task].gradient);
    sums[0].loss.add(sums[task].loss);
  }
  return std::move(sums[0]);
}

template <class Loss>
class ShardObjective {
 public:
  ShardObjective(const ShardSource &source, const Options &options, Monitor &monitor)
      : source_(source), threads_(options.threads), monitor_(monitor), all_(source.count) {
    std::iota(all_.begin(), all_.end(), 0);
  }

  // Sums of the wanted precision, or passes again with other exponents: a few times at most, and hardly ever after the first pass.
  double operator()(const Model &model, Gradient *gradient = nullptr) {
    for (int tries = 0; tries < kMostTries; ++tries) {
      const ShardSums sums = pass(model, gradient != nullptr);
      if (sums.loss.overflow || sums.gradient.overflow) {
        if (sums.loss.overflow) loss_exponent_ += kLonger;
        if (sums.gradient.overflow) gradient_exponent_ += kLonger;
        continue;
      }
      const double loss = sums.loss.value(0), largest = gradient ? sums.gradient.largest() : 0;
      const bool coarse_loss = coarse(loss, loss_exponent_, kLossBits), coarse_slopes = coarse(largest, gradient_exponent_, kSlopeBits);
      const bool again = (coarse_loss && loss_exponent_ > kLeast) || (gradient && coarse_slopes && gradient_exponent_ > kLeast);
      loss_exponent_ = std::max(kLeast, exponent_for(loss, kLossBits));
      if (gradient) gradient_exponent_ = std::max(kLeast, exponent_for(largest, kSlopeBits));
      if (again) continue;
      if (gradient) unpack(sums.gradient, model, *gradient);
      return loss + penalty(model);
    }
    return HUGE_VAL;  // no power of two would do: the loss is not finite
  }

 private:
  static constexpr int kLossBits = 46, kSlopeBits = 41, kSlack = 12, kLonger = 16, kMostTries = 40, kLeast = -900;

  // Whether sums of that size have far fewer digits than they should. The exponents begin at a guess, and follow the sums.
  static bool coarse(double size, int exponent, int bits) { return exponent_for(size, bits) < exponent - kSlack; }

  ShardSums pass(const Model &model, bool slopes) const {
    if (source_.elsewhere) return source_.elsewhere(model, slopes, gradient_exponent_, loss_exponent_);
    return sum_shards<Loss>(source_, all_, model, slopes, gradient_exponent_, loss_exponent_, threads_, monitor_);
  }

  static void unpack(const FixedSum &sum, const Model &model, Gradient &gradient) {
    gradient.zero_like(model);
    if (model.fit_intercept) gradient.intercept = sum.value(0);
    std::size_t at = 1;
    for (std::size_t t = 0; t < model.terms.size(); ++t)
      for (std::size_t q = 0; q < gradient.P[t].size(); ++q, ++at)
        gradient.P[t][q] = sum.value(at) + model.terms[t].lambda * model.terms[t].P[q];
  }

  const ShardSource &source_;
  int threads_;
  Monitor &monitor_;
  std::vector<int> all_;
  int loss_exponent_ = -kLossBits, gradient_exponent_ = -kSlopeBits;
};

// Stochastic steps over shards in an order that is drawn for each epoch, and over the rows of each in one that is drawn for it; the next
// shard is read while the steps of one are taken. After an epoch the objective is evaluated: if it rose, the epoch is undone and the step
// halved.
template <class Loss>
class ShardSteps {
 public:
  ShardSteps(const Shards &shards, const Options &options, Monitor &monitor)
      : source_(shards.train), options_(options), monitor_(monitor), objective_(shards.train, options, monitor) {
    if (shards.held_out) held_out_.emplace(*shards.held_out, options, monitor);
  }

  Outcome operator()(Model &model) {
    Outcome outcome;
    double best = objective_(model);
    monitor_.record(0, best);
    keep(model, best, 0, outcome);
    StepState steps = options_.resume;
    if (options_.eta > 0) steps.eta = options_.eta;
    else if (steps.epochs == 0) steps.eta = with_shard(0, [&](auto &solver) { return solver.first_eta(model); });
    int undone = 0, small = 0;
    for (int epoch = 1; epoch <= options_.max_iter && !outcome.converged && steps.eta > 0; ++epoch) {
      const Model model_before = model;
      const StepState steps_before = steps;
      run(model, steps);
      ++steps.epochs;
      const double after = objective_(model);
      if (std::isfinite(after) && after <= best) {
        small = best - after <= options_.tol * std::fabs(after) ? small + 1 : 0;
        best = after;
        undone = 0;
        outcome.converged = keep(model, best, epoch, outcome) || small >= kSmallEpochs;
      } else {
        outcome.diverged = outcome.diverged || !std::isfinite(after);
        model = model_before;
        steps = steps_before;
        ++outcome.halvings;
        steps.eta /= 2;
        outcome.converged = ++undone >= kMostUndone;
        if (held_out_) outcome.validation.push_back(double(outcome.validation.back()));
      }
      if (!held_out_ || outcome.best_epoch == epoch) outcome.steps = steps;
      monitor_.record(epoch, best);
    }
    if (held_out_) model = kept_;
    outcome.objective = held_out_ ? kept_objective_ : best;
    outcome.eta = steps.eta;
    return outcome;
  }

 private:
  static constexpr int kSmallEpochs = 3, kMostUndone = 40;  // as in memory, see solve/sg.h

  // Calls f with the solver of a shard, whose weights are one on average over all shards.
  template <class F>
  auto with_rows(ShardRows rows, const F &f) {
    for (double &w : rows.response.weight) w *= source_.rows / rows.design.n;
    Samples samples{std::move(rows.response), std::nullopt};
    Pointwise<Loss> items(rows.design, samples, options_, monitor_);
    StochasticGradient<Pointwise<Loss>> solver(items, step_rule(options_.solver), options_, monitor_);
    return f(solver);
  }
  template <class F>
  auto with_shard(int shard, const F &f) {
    return with_rows(source_.load(shard), f);
  }

  void run(Model &model, StepState &steps) {
    std::vector<int> order(source_.count);
    std::iota(order.begin(), order.end(), 0);
    Random random(options_.seed, std::uint64_t(steps.epochs) + 1);
    shuffle(order, random);
    const auto read = [this](int shard) { return std::async(std::launch::async, source_.load, shard); };
    std::future<ShardRows> next = read(order[0]);
    StepState running = std::move(steps);
    const int epoch = running.epochs;
    for (std::size_t q = 0; q < order.size(); ++q) {
      ShardRows rows = next.get();
      if (q + 1 < order.size()) next = read(order[q + 1]);
      const std::uint64_t stream = Random(options_.seed, std::uint64_t(epoch) + 1, std::uint64_t(order[q])).next();
      with_rows(std::move(rows), [&](auto &solver) { solver.pass(model, running, stream); return 0; });
      running.epochs = std::max(1, running.epochs);  // from here on there is a memory to go on from
    }
    running.epochs = epoch;
    steps = std::move(running);
  }

  bool keep(const Model &model, double objective, int epoch, Outcome &outcome) {
    if (!held_out_) return false;
    const double loss = (*held_out_)(model)-penalty(model);
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

  const ShardSource &source_;
  const Options &options_;
  Monitor &monitor_;
  ShardObjective<Loss> objective_;
  std::optional<ShardObjective<Loss>> held_out_;
  Model kept_;
  double kept_objective_ = 0;
  int waited_ = 0;
};

}  // namespace hofm
#endif
