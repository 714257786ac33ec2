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
#include <optional>
#include <utility>
#include <vector>

#include "hofm/base/parallel.h"
#include "hofm/base/random.h"
#include "hofm/eval/objective.h"
#include "hofm/solve/lbfgs.h"
#include "hofm/solve/sg.h"
#include "hofm/solve/sg_samples.h"
#include "hofm/solve/task.h"

namespace hofm {

// Shards one after the other, each read by a thread of its own while the one before is at work.
class ReadAhead {
 public:
  ReadAhead(const ShardSource &source, std::vector<int> order) : source_(source), order_(std::move(order)) { begin(); }

  // The rows of the next shard of the order, which must not be at its end.
  ShardRows next() {
    ShardRows rows = coming_.get();
    begin();
    return rows;
  }

 private:
  void begin() {
    if (at_ < order_.size()) coming_ = std::async(std::launch::async, source_.load, order_[at_++]);
  }

  const ShardSource &source_;
  std::vector<int> order_;
  std::size_t at_ = 0;
  std::future<ShardRows> coming_;
};

// Loss and slopes of the rows of one shard at a model. The penalty plays no part.
template <class Loss>
double sum_rows(const ShardRows &rows, const Model &model, Gradient *gradient) {
  RowWalker walker(rows.design, model);
  double loss = 0;
  for (int i = 0; i < rows.design.n; ++i) {
    walker.go_to(i);
    const double f = rows.response.offset[i] + model.intercept + walker.forward();
    loss += rows.response.weight[i] * Loss::value(rows.response.y[i], f);
    if (!gradient) continue;
    const double g = rows.response.weight[i] * Loss::deriv(rows.response.y[i], f);
    gradient->intercept += g;
    walker.backward(g, gradient->P);
  }
  return loss;
}

// Link values of the rows, offsets included.
inline std::vector<double> link_values(const ShardRows &rows, const Model &model, int threads) {
  std::vector<double> f(std::size_t(rows.design.n));
  const RowBlocks blocks{rows.design.n, std::max(1, std::min(threads, rows.design.n))};
  parallel_for(blocks.count, threads, [&](int b, int) {
    RowWalker walker(rows.design, model);
    for (int i = blocks.first(b); i < blocks.first(b + 1); ++i) {
      walker.go_to(i);
      f[std::size_t(i)] = rows.response.offset[i] + model.intercept + walker.forward();
    }
  });
  return f;
}

inline std::size_t parameter_count(const Model &model) {
  std::size_t size = 1;
  for (const Term &term : model.terms) size += term.P.size();
  return size;
}

// The slopes of one shard and its loss, rounded, on top of `sums`.
inline void add_rounded(ShardSums &sums, double loss, const Gradient *gradient) {
  sums.loss.add(&loss, 1);
  if (!gradient) return;
  sums.gradient.add(&gradient->intercept, 1);
  std::size_t at = 1;
  for (const std::vector<double> &P : gradient->P) {
    sums.gradient.add(P.data(), P.size(), at);
    at += P.size();
  }
}

// Loss and slopes of some shards at a model. Memory: for each thread a shard and two numbers for each parameter; a single thread has
// the next shard besides.
template <class Loss>
ShardSums sum_shards(const ShardSource &source, const std::vector<int> &shards, const Model &model, bool slopes,
                     int gradient_exponent, int loss_exponent, int threads, Monitor &monitor) {
  const int tasks = std::max(1, std::min(threads, int(shards.size())));
  const FixedSum none(gradient_exponent, slopes ? parameter_count(model) : 0);
  std::vector<ShardSums> sums(tasks, ShardSums{none, FixedSum(loss_exponent, 1)});
  std::vector<Gradient> gradients(tasks);
  std::optional<ReadAhead> ahead;
  if (tasks == 1) ahead.emplace(source, shards);
  for (std::size_t wave = 0; wave < shards.size(); wave += tasks) {
    const int now = int(std::min<std::size_t>(tasks, shards.size() - wave));
    parallel_for(now, tasks, [&](int task, int) {  // what a task has is its own, whichever thread does it
      const ShardRows rows = ahead ? ahead->next() : source.load(shards[wave + task]);
      Gradient *gradient = slopes ? &gradients[task] : nullptr;
      if (slopes) gradient->zero_like(model);
      const double loss = sum_rows<Loss>(rows, model, gradient);
      add_rounded(sums[task], loss, gradient);
    });
    monitor.poll(1e6);
  }
  for (int task = 1; task < tasks; ++task) {
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

  // Sums of the wanted precision, or passes again with other exponents: hardly ever after the first evaluation, since the exponents
  // follow the sums.
  double operator()(const Model &model, Gradient *gradient = nullptr) {
    for (int tries = 0; tries < kMostTries; ++tries) {
      const ShardSums sums = pass(model, gradient != nullptr);
      if (!sums.loss.finite || !sums.gradient.finite) return HUGE_VAL;
      if (sums.loss.overflow || sums.gradient.overflow) {
        if (sums.loss.overflow) loss_exponent_ = sums.loss.enough();
        if (sums.gradient.overflow) gradient_exponent_ = sums.gradient.enough();
        continue;
      }
      const double loss = sums.loss.value(0), largest = gradient ? sums.gradient.largest() : 0;
      const bool coarse_loss = coarse(loss, loss_exponent_, kLossBits), coarse_slopes = coarse(largest, gradient_exponent_, kSlopeBits);
      const bool again = (coarse_loss && loss_exponent_ > kLeast) || (gradient && coarse_slopes && gradient_exponent_ > kLeast);
      loss_exponent_ = std::max(kLeast, exponent_for(std::fabs(loss), kLossBits));
      if (gradient) gradient_exponent_ = std::max(kLeast, exponent_for(largest, kSlopeBits));
      if (again) continue;
      if (gradient) unpack(sums.gradient, model, *gradient);
      return loss + penalty(model);
    }
    return HUGE_VAL;
  }

  // What a checkpoint holds.
  template <class Archive>
  void visit(Archive &archive) {
    archive(loss_exponent_);
    archive(gradient_exponent_);
  }

 private:
  static constexpr int kLossBits = 46, kSlopeBits = 41, kSlack = 12, kMostTries = 12, kLeast = -900;

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
  using Solver = StochasticGradient<Pointwise<Loss>>;

 public:
  ShardSteps(Shards &shards, const Options &options, Monitor &monitor)
      : source_(shards.train), checkpoint_(shards.checkpoint), options_(options), monitor_(monitor),
        objective_(shards.train, options, monitor) {
    if (shards.held_out) held_out_.emplace(*shards.held_out, options, monitor);
  }

  Outcome operator()(Model &model) {
    model_ = &model;
    if (held_out_) kept_ = model;
    bool finished = false;
    if (checkpoint_.load(*this, finished)) {
      finished = finished && converged_;  // more epochs may be wanted now
    } else {
      begin();
    }
    for (; epoch_ <= options_.max_iter && !converged_ && !finished && eta_ > 0; ++epoch_) {
      one_epoch();
      monitor_.record(epoch_, best_);
      ++epoch_;
      checkpoint_.save(*this);
      --epoch_;
    }
    checkpoint_.save_last(*this);
    return outcome();
  }

  // What a checkpoint holds.
  template <class Archive>
  void visit(Archive &archive) {
    visit(archive, *model_);
    if (held_out_) visit(archive, kept_);
    archive.parts(carried_.state.memory);
    archive(carried_.state.intercept_memory);
    archive(carried_.state.updated);
    archive(carried_.state.time);
    archive(carried_.state.dummies_updated);
    for (double *v : {&best_, &kept_objective_, &eta_}) archive(*v);
    for (int *v : {&epoch_, &done_, &undone_, &small_, &waited_, &halvings_, &best_epoch_}) archive(*v);
    archive(converged_);
    archive(diverged_);
    archive(validation_);
    objective_.visit(archive);
    if (held_out_) held_out_->visit(archive);
    monitor_.visit(archive);
    if (carried_.seen.size() != std::size_t(source_.features)) {  // scratch, which is zero between epochs
      carried_.seen.assign(std::size_t(source_.features), 0);
      carried_.G.zero_like(*model_);
    }
  }

 private:
  static constexpr int kSmallEpochs = 3, kMostUndone = 40;  // as in memory, see solve/sg.h

  template <class Archive>
  static void visit(Archive &archive, Model &model) {
    archive(model.intercept);
    for (Term &term : model.terms) archive(term.P);
  }

  void begin() {
    Model &model = *model_;
    best_ = objective_(model);
    monitor_.record(0, best_);
    keep(0);
    done_ = options_.resume.epochs;
    eta_ = options_.eta > 0 ? options_.eta : done_ > 0 ? options_.resume.eta
                            : with_shard(0, [&](Solver &solver) { return solver.first_eta(model); });
    with_shard(0, [&](Solver &solver) { solver.begin(model, options_.resume, carried_); return 0; });
    if (options_.warm && done_ == 0 && options_.solver == "adagrad") run(0);  // nothing moves, but the squares are summed
    epoch_ = 1;
  }

  void one_epoch() {
    Model &model = *model_;
    const Model model_before = model;
    const typename Solver::State state_before = carried_.state;
    run(eta_);
    ++done_;
    const double after = objective_(model);
    if (std::isfinite(after) && after <= best_) {
      small_ = best_ - after <= options_.tol * std::fabs(after) ? small_ + 1 : 0;
      best_ = after;
      undone_ = 0;
      converged_ = keep(epoch_) || small_ >= kSmallEpochs;
      return;
    }
    diverged_ = diverged_ || !std::isfinite(after);
    model = model_before;
    carried_.state = state_before;
    --done_;
    ++halvings_;
    eta_ /= 2;
    converged_ = ++undone_ >= kMostUndone;
    if (held_out_) validation_.push_back(double(validation_.back()));
  }

  // One epoch. Orders are drawn anew for one that was undone.
  void run(double eta) {
    Model &model = *model_;
    std::vector<int> order(source_.count);
    std::iota(order.begin(), order.end(), 0);
    const std::uint64_t epoch = std::uint64_t(done_) + 1 + 1000003 * std::uint64_t(halvings_);
    Random random(options_.seed, epoch);
    shuffle(order, random);
    ReadAhead ahead(source_, order);
    for (std::size_t q = 0; q < order.size(); ++q) {
      const std::uint64_t stream = Random(options_.seed, epoch, std::uint64_t(order[q])).next();
      const bool last = q + 1 == order.size();
      with_rows(ahead.next(), [&](Solver &solver) {
        solver.pass(model, carried_, eta, stream);
        if (last) solver.end(model, carried_, eta);
        return 0;
      });
    }
  }

  // Calls f with the solver of a shard, whose weights are one on average over all shards.
  template <class F>
  auto with_rows(ShardRows rows, const F &f) {
    for (double &w : rows.response.weight) w *= source_.rows / rows.design.n;
    Samples samples{std::move(rows.response), std::nullopt};
    Pointwise<Loss> items(rows.design, samples, options_, monitor_);
    Solver solver(items, step_rule(options_.solver), options_, monitor_);
    return f(solver);
  }
  template <class F>
  auto with_shard(int shard, const F &f) {
    return with_rows(source_.load(shard), f);
  }

  bool keep(int epoch) {
    if (!held_out_) return false;
    const double loss = (*held_out_)(*model_) - penalty(*model_);
    const bool better = epoch == 0 || loss < validation_[std::size_t(best_epoch_)];
    validation_.push_back(loss);
    waited_ = better ? 0 : waited_ + 1;
    if (better) {
      kept_ = *model_;
      kept_objective_ = best_;
      best_epoch_ = epoch;
    }
    return waited_ >= options_.patience;
  }

  // What a later fit can go on from are the steps of the last epoch: with held-out shards, those to the parameters that are kept are
  // gone.
  Outcome outcome() {
    Outcome outcome;
    const bool last = !held_out_ || best_epoch_ == epoch_ - 1;
    if (last && done_ > 0) outcome.steps = {done_, eta_, carried_.state.intercept_memory, std::move(carried_.state.memory)};
    if (held_out_) *model_ = std::move(kept_);
    outcome.objective = held_out_ ? kept_objective_ : best_;
    outcome.converged = converged_;
    outcome.eta = eta_;
    outcome.halvings = halvings_;
    outcome.diverged = diverged_;
    outcome.validation = validation_;
    outcome.best_epoch = best_epoch_;
    return outcome;
  }

  const ShardSource &source_;
  Checkpoint &checkpoint_;
  const Options &options_;
  Monitor &monitor_;
  ShardObjective<Loss> objective_;
  std::optional<ShardObjective<Loss>> held_out_;
  Model *model_ = nullptr;
  Model kept_;
  typename Solver::Carried carried_;
  std::vector<double> validation_;
  double best_ = 0, kept_objective_ = 0, eta_ = 0;
  int epoch_ = 0, done_ = 0, undone_ = 0, small_ = 0, waited_ = 0, halvings_ = 0, best_epoch_ = 0;
  bool converged_ = false, diverged_ = false;
};

// What L-BFGS over shards must remember besides its own state.
template <class Loss>
struct ShardExponents {
  ShardObjective<Loss> &objective;
  std::optional<ShardObjective<Loss>> &held_out;
  template <class Archive>
  void visit(Archive &archive) {
    objective.visit(archive);
    if (held_out) held_out->visit(archive);
  }
};

template <class Loss>
Outcome shard_lbfgs(Shards &shards, Model &model, const Options &options, Monitor &monitor) {
  ShardObjective<Loss> objective(shards.train, options, monitor);
  std::optional<ShardObjective<Loss>> held_out;
  if (shards.held_out) held_out.emplace(*shards.held_out, options, monitor);
  const auto loss = [&](const Model &at) { return (*held_out)(at) - penalty(at); };
  ShardExponents<Loss> exponents{objective, held_out};
  return Lbfgs(std::ref(objective), options, monitor, held_out ? Lbfgs::HeldOutLoss(loss) : Lbfgs::HeldOutLoss())(
      model, shards.checkpoint, exponents);
}

}  // namespace hofm
#endif
