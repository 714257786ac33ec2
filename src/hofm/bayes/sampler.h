// Several chains side by side, and what is kept of them: thinned draws, a few numbers that are watched, and running means.
#ifndef HOFM_BAYES_SAMPLER_H
#define HOFM_BAYES_SAMPLER_H

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <string>
#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/base/parallel.h"
#include "hofm/bayes/chain.h"

namespace hofm {
namespace bayes {

// A draw as one vector: intercept, alpha, cuts, then of every term P factor by factor, lambda and mu.
inline std::vector<double> packed(const State &state) {
  std::vector<double> out{state.model.intercept, state.alpha};
  out.insert(out.end(), state.cuts.begin(), state.cuts.end());
  for (std::size_t t = 0; t < state.model.terms.size(); ++t) {
    const Term &term = state.model.terms[t];
    for (int s = 0; s < term.k; ++s)
      for (int j = 0; j < term.columns(); ++j) out.push_back(term.row(j)[s]);
    out.insert(out.end(), state.hyper[t].lambda.begin(), state.hyper[t].lambda.end());
    out.insert(out.end(), state.hyper[t].mu.begin(), state.hyper[t].mu.end());
  }
  return out;
}

// The reverse, into a state of the same shape.
inline void unpack(const double *from, State &state) {
  state.model.intercept = *from++;
  state.alpha = *from++;
  for (double &cut : state.cuts) cut = *from++;
  for (std::size_t t = 0; t < state.model.terms.size(); ++t) {
    Term &term = state.model.terms[t];
    for (int s = 0; s < term.k; ++s)
      for (int j = 0; j < term.columns(); ++j) term.row(j)[s] = *from++;
    for (double &lambda : state.hyper[t].lambda) lambda = *from++;
    for (double &mu : state.hyper[t].mu) mu = *from++;
  }
}

struct Plan {
  int iter = 1000, warmup = 500;  // sweeps in all, and those of them that are not kept
  int keep = 0;                   // draws kept of each chain
  int watch = 250;                // times at which numbers are watched, of each chain
  std::vector<int> watched;       // samples whose link values are among these numbers
  int threads = 1;
};

// Evenly spaced: whether sweep `i` of `n`, counted from 0, is one of `count` that are taken.
inline bool taken(int i, int n, int count) {
  return count > 0 && std::size_t(i + 1) * count / n > std::size_t(i) * count / n;
}

struct Record {
  std::vector<double> draws;    // packed, one after the other
  std::vector<double> watched;  // `numbers` each time
  int kept = 0, times = 0, sweeps = 0;
  std::vector<double> mean;  // of the packed parameters
  std::vector<double> link_mean, link_squares;  // of the samples' link values, and of squared deviations from it
  std::string broken;  // the parameter that left the finite numbers, which ended the chain
};

// Numbers that do not depend on how factors are numbered or signed: the noise, cut points, for each term and group the root mean square
// of a parameter under its prior, and the link values of a few samples.
inline void watch(const Chain &chain, const Data &data, const std::vector<int> &samples, std::vector<double> &out) {
  const State &state = chain.state();
  out.push_back(1 / std::sqrt(state.alpha));
  for (std::size_t c = 1; c < state.cuts.size(); ++c) out.push_back(state.cuts[c]);
  for (std::size_t t = 0; t < state.model.terms.size(); ++t) {
    const int groups = data.groups_of(state.model.terms[t]), k = state.model.terms[t].k;
    for (int g = 0; g < groups; ++g) {
      double sum = 0;
      for (int s = 0; s < k; ++s) {
        const std::size_t at = std::size_t(s) * groups + g;
        sum += 1 / state.hyper[t].lambda[at] + state.hyper[t].mu[at] * state.hyper[t].mu[at];
      }
      out.push_back(std::sqrt(sum / std::max(1, k)));
    }
  }
  for (int i : samples) out.push_back(chain.link()[i]);
}

// Welford's update of means and squared deviations; `squares` may be nothing.
inline void accumulate(const std::vector<double> &value, int count, std::vector<double> &mean, std::vector<double> *squares) {
  if (mean.empty()) mean.assign(value.size(), 0.0);
  if (squares && squares->empty()) squares->assign(value.size(), 0.0);
  for (std::size_t q = 0; q < value.size(); ++q) {
    const double off = value[q] - mean[q];
    mean[q] += off / count;
    if (squares) (*squares)[q] += off * (value[q] - mean[q]);
  }
}

// Takes every chain through `plan.iter` sweeps. Chains are shared among the threads and know nothing of each other. They meet after some
// sweeps, few enough to last a blink and enough to be worth waking the threads for; then the monitor hears of them, with the precision of
// the first chain's noise. When it throws, the chains stand where they were.
class Sampler {
 public:
  Sampler(Design &design, const Data &data, const Prior &prior, std::uint32_t seed, const Plan &plan, std::vector<State> &states,
          Monitor &monitor)
      : data_(data), plan_(plan), monitor_(monitor), records_(states.size()), designs_(states.size(), design) {
    if (!design.plain()) sides_ = make_sides(design);
    chains_.reserve(states.size());
    for (std::size_t c = 0; c < states.size(); ++c)
      chains_.emplace_back(designs_[c], sides_, data, prior, seed, std::uint32_t(c), states[c], states.size() == 1 ? plan.threads : 1);
  }

  void start(const std::vector<double> &spread) {
    for (std::size_t c = 0; c < chains_.size(); ++c) chains_[c].start(spread[c]);
  }

  void operator()() {
    const int count = int(chains_.size()), threads = std::min(plan_.threads, count), together = sweeps_together();
    for (int first = 0; first < plan_.iter; first += together) {
      const int last = std::min(plan_.iter, first + together);
      std::atomic<bool> stop{false};
      std::exception_ptr why;
      parallel_for(count, threads, [&](int c, int thread) {
        Monitor other;
        other.interrupt = [&] { if (stop) throw Stopped(); };
        try {
          for (int i = first; i < last; ++i) step(c, i, thread == 0 ? monitor_ : other);
        } catch (const Stopped &) {
        } catch (...) {
          stop = true;
#pragma omp critical(hofm_sampler)
          why = std::current_exception();
        }
      });
      if (why) std::rethrow_exception(why);
      monitor_.record(last, chains_[0].state().alpha);
    }
  }

  const std::vector<Record> &records() const { return records_; }

 private:
  struct Stopped {};

  int sweeps_together() const {
    double work = 1;
    for (const Term &term : chains_[0].state().model.terms)
      work += 3.0 * term.degree * term.k * double(designs_[0].nonzeros() + std::size_t(designs_[0].n));
    return std::clamp(int(kMinParallelWork / work), 1, std::max(1, plan_.iter / 20));
  }

  void step(int c, int i, Monitor &monitor) {
    Record &record = records_[c];
    if (!record.broken.empty()) return;
    chains_[c].sweep(i < plan_.warmup, monitor);
    record.broken = chains_[c].broken();
    if (i < plan_.warmup || !record.broken.empty()) return;
    ++record.sweeps;
    const int at = i - plan_.warmup, n = plan_.iter - plan_.warmup;
    const std::vector<double> draw = packed(chains_[c].state());
    accumulate(draw, record.sweeps, record.mean, nullptr);
    accumulate(chains_[c].link(), record.sweeps, record.link_mean, &record.link_squares);
    if (taken(at, n, std::min(plan_.keep, n))) {
      record.draws.insert(record.draws.end(), draw.begin(), draw.end());
      ++record.kept;
    }
    if (taken(at, n, std::min(plan_.watch, n))) {
      watch(chains_[c], data_, plan_.watched, record.watched);
      ++record.times;
    }
  }

  const Data &data_;
  const Plan &plan_;
  Monitor &monitor_;
  std::vector<Record> records_;
  std::vector<Design> designs_;  // a chain may make rows of its own
  std::vector<NodeSet> sides_;   // empty for a plain design
  std::vector<Chain> chains_;
};

}  // namespace bayes
}  // namespace hofm
#endif
