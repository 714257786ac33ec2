// One Markov chain over the parameters of a factorization machine (Gibbs sampling). A sweep draws, each given all else: cut points with
// the latent values integrated out, latent values, the noise, the intercept, and for every factor the mean and precision of each group,
// then the factor's parameters one by one.
#ifndef HOFM_BAYES_CHAIN_H
#define HOFM_BAYES_CHAIN_H

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/bayes/counter_random.h"
#include "hofm/bayes/prior.h"
#include "hofm/bayes/draw_factors.h"
#include "hofm/bayes/truncated.h"
#include "hofm/data/design.h"
#include "hofm/eval/values.h"
#include "hofm/model/model.h"

namespace hofm {
namespace bayes {

enum class Family { gaussian, probit, ordinal };

// What is known: the samples, their response (a number, 0 or 1, or a class 0, 1, ...) and the groups of the features.
struct Data {
  Family family = Family::gaussian;
  int classes = 0;  // of an ordinal response
  std::vector<double> y, offset;
  std::vector<double> weight;  // how often a sample counts; empty if once. Gaussian only.
  std::vector<int> group;      // of each feature, 0, 1, ...; the dummies of a term are a group of their own behind these
  int groups = 0;

  int groups_of(const Term &term) const { return groups + (term.augment > 0); }
  int group_of(const Term &term, int column) const { return column < term.augment ? groups : group[column - term.augment]; }
};

// Where a chain stands. With it a later run goes on as if there had been no pause.
struct State {
  Model model;
  std::vector<Hyper> hyper;  // one for each term
  double alpha = 1;          // precision of the noise; 1 where values are latent
  std::vector<double> cuts;  // of an ordinal response: 0 = cuts[0] < cuts[1] < ...; y = c where the latent value is in (c - 1, c]
  std::vector<double> step;  // of the Metropolis proposals for the cuts
  std::uint32_t sweeps = 0;
};

constexpr std::uint32_t kRefresh = 50;  // sweeps after which residuals are computed anew

class Chain {
 public:
  // `sides`: make_sides() of a design that is no plain one. `threads`: for a chain that is alone.
  Chain(Design &design, const std::vector<NodeSet> &sides, const Data &data, const Prior &prior, std::uint32_t seed, std::uint32_t number,
        State &state, int threads = 1)
      : data_(data), prior_(prior), seed_(seed), number_(number), state_(state), design_(design), threads_(threads),
        factors_(design, sides, data.weight, threads) {}

  // P ~ N(0, spread times the prior's unit variance), and the rest from there.
  void start(double spread) {
    state_.hyper.assign(state_.model.terms.size(), {});
    for (std::size_t t = 0; t < state_.model.terms.size(); ++t) {
      Term &term = state_.model.terms[t];
      const double sd = std::sqrt(spread * (prior_.fixed.empty() ? prior_.rate[t] : 1 / prior_.fixed[t]));
      for (int j = 0; j < term.columns(); ++j)
        for (int s = 0; s < term.k; ++s)
          term.row(j)[s] = sd * stream(Draw::start, j, int(t), s).normal();
      state_.hyper[t].lambda.assign(std::size_t(term.k) * data_.groups_of(term), prior_.fixed.empty() ? 1 : prior_.fixed[t]);
      state_.hyper[t].mu.assign(state_.hyper[t].lambda.size(), 0.0);
    }
    state_.alpha = prior_.noise_fixed > 0 ? prior_.noise_fixed : 1;
    for (int c = 0; c + 1 < data_.classes; ++c) state_.cuts.push_back(c);
    state_.step.assign(state_.cuts.size(), 0.1);
  }

  // One sweep. `adapt`: whether the proposals for cut points may still be tuned.
  void sweep(bool adapt, Monitor &monitor) {
    if (f_.empty() || state_.sweeps % kRefresh == 0) refresh(monitor);
    ++state_.sweeps;
    if (data_.family == Family::ordinal) draw_cuts(adapt);
    if (data_.family != Family::gaussian) draw_latent();
    residual_.resize(design_.n);
    for (int i = 0; i < design_.n; ++i) residual_[i] = f_[i] - target(i);
    if (data_.family == Family::gaussian && !(prior_.noise_fixed > 0)) draw_noise();
    if (state_.model.fit_intercept) draw_intercept();
    for (std::size_t t = 0; t < state_.model.terms.size(); ++t) draw_term(int(t), monitor);
    for (int i = 0; i < design_.n; ++i) f_[i] = residual_[i] + target(i);
  }

  // Link values of the samples, offsets included, after a sweep.
  const std::vector<double> &link() const { return f_; }
  const State &state() const { return state_; }

  // The first parameter that is no finite number, or nothing.
  std::string broken() const {
    if (!std::isfinite(state_.alpha) || !(state_.alpha > 0)) return "the precision of the noise";
    if (!std::isfinite(state_.model.intercept)) return "the intercept";
    for (const Term &term : state_.model.terms)
      for (double p : term.P)
        if (!std::isfinite(p)) return "a parameter of degree " + std::to_string(term.degree);
    for (double f : f_)
      if (!std::isfinite(f)) return "a link value";
    return "";
  }

 private:
  Stream stream(Draw what, int item = 0, int term = 0, int factor = 0) const {
    return {seed_, number_,
            {what, state_.sweeps, std::uint32_t(item), std::uint32_t(term), std::uint32_t(factor)}};
  }

  double weight(int i) const { return data_.weight.empty() ? 1 : data_.weight[i]; }
  double target(int i) const { return data_.family == Family::gaussian ? data_.y[i] : latent_[i]; }

  void refresh(Monitor &monitor) { f_ = link_values(design_, state_.model, data_.offset, threads_, monitor); }

  double lower(double y) const {
    if (data_.family == Family::probit) return y > 0 ? 0 : -std::numeric_limits<double>::infinity();
    return y > 0 ? state_.cuts[std::size_t(y) - 1] : -std::numeric_limits<double>::infinity();
  }
  double upper(double y) const {
    if (data_.family == Family::probit) return y > 0 ? std::numeric_limits<double>::infinity() : 0;
    return y + 1 < data_.classes ? state_.cuts[std::size_t(y)] : std::numeric_limits<double>::infinity();
  }

  void draw_latent() {
    latent_.resize(design_.n);
    for (int i = 0; i < design_.n; ++i) {
      Stream random = stream(Draw::latent, i);
      latent_[i] = f_[i] + truncated_normal(lower(data_.y[i]) - f_[i], upper(data_.y[i]) - f_[i], random);
    }
  }

  // Gaps between cut points are log-normal (0, 1) in the prior. One cut after the other by a random walk, whose step is tuned to
  // accept 44 of 100: only the two classes beside it have a say.
  void draw_cuts(bool adapt) {
    for (std::size_t c = 1; c < state_.cuts.size(); ++c) {
      Stream random = stream(Draw::cut, int(c));
      const double from = state_.cuts[c], to = from + state_.step[c] * random.normal(), before = cut_density(c);
      state_.cuts[c] = to;
      const bool ordered = to > state_.cuts[c - 1] && (c + 1 == state_.cuts.size() || to < state_.cuts[c + 1]);
      const bool taken = ordered && std::log(random.uniform()) < cut_density(c) - before;
      if (!taken) state_.cuts[c] = from;
      if (adapt) state_.step[c] *= std::exp((taken - 0.44) / std::sqrt(double(state_.sweeps)));
    }
  }

  // Of cut c, up to a constant, on the log scale.
  double cut_density(std::size_t c) const {
    double sum = log_gap(state_.cuts[c] - state_.cuts[c - 1]);
    if (c + 1 < state_.cuts.size()) sum += log_gap(state_.cuts[c + 1] - state_.cuts[c]);
    if (!std::isfinite(sum)) return -std::numeric_limits<double>::infinity();
    for (int i = 0; i < design_.n; ++i) {
      const double y = data_.y[i];
      if (y == double(c) || y == double(c) + 1) sum += log_mass(lower(y) - f_[i], upper(y) - f_[i]);
    }
    return sum;
  }
  static double log_gap(double gap) { return gap > 0 ? -std::log(gap) * (std::log(gap) / 2 + 1) : -INFINITY; }

  void draw_noise() {
    double squares = 0, count = 0;
    for (int i = 0; i < design_.n; ++i) {
      squares += weight(i) * residual_[i] * residual_[i];
      count += weight(i);
    }
    state_.alpha = stream(Draw::noise).gamma(prior_.noise_shape + count / 2) / (prior_.noise_rate + squares / 2);
  }

  void draw_intercept() {
    double first = 0, second = 0;
    for (int i = 0; i < design_.n; ++i) {
      first += weight(i) * residual_[i];
      second += weight(i);
    }
    const double from = state_.model.intercept;
    const double precision = state_.alpha * second + 1 / (prior_.intercept_sd * prior_.intercept_sd);
    const double mean = state_.alpha * (from * second - first) / precision;
    state_.model.intercept = mean + stream(Draw::intercept).normal() / std::sqrt(precision);
    for (double &r : residual_) r += state_.model.intercept - from;
  }

  void draw_term(int t, Monitor &monitor) {
    Term &term = state_.model.terms[t];
    factors_(term, residual_, monitor, [&](int s, const std::vector<double> &p) {
      if (prior_.fixed.empty()) draw_group_priors(t, s, p);
      const double *lambda = &state_.hyper[t].lambda[std::size_t(s) * data_.groups_of(term)];
      const double *mu = &state_.hyper[t].mu[std::size_t(s) * data_.groups_of(term)];
      return [this, &term, t, s, lambda, mu](int j, double p, double first, double second) {
        const int g = data_.group_of(term, j);
        const double precision = state_.alpha * second + lambda[g];
        const double step = (lambda[g] * (mu[g] - p) - state_.alpha * first) / precision;
        return step + stream(Draw::factor, j, t, s).normal() / std::sqrt(precision);
      };
    });
  }

  // Mean and precision of every group, for factor s, which is p.
  void draw_group_priors(int t, int s, const std::vector<double> &p) {
    const Term &term = state_.model.terms[t];
    const int groups = data_.groups_of(term);
    std::vector<double> count(groups, 0.0), sum(groups, 0.0), squares(groups, 0.0);
    for (int j = 0; j < term.columns(); ++j) {
      const int g = data_.group_of(term, j);
      count[g] += 1;
      sum[g] += p[j];
      squares[g] += p[j] * p[j];
    }
    for (int g = 0; g < groups; ++g) {
      Stream random = stream(Draw::hyper, g, t, s);
      const NormalGamma drawn =
          draw_hyper(count[g], sum[g], squares[g], prior_.shape, prior_.mean_strength, prior_.rate[t], random);
      state_.hyper[t].lambda[std::size_t(s) * groups + g] = drawn.lambda;
      state_.hyper[t].mu[std::size_t(s) * groups + g] = drawn.mu;
    }
  }

  const Data &data_;
  const Prior &prior_;
  std::uint32_t seed_, number_;
  State &state_;
  Design &design_;
  int threads_;
  DrawFactors factors_;
  std::vector<double> f_, residual_, latent_;
};

}  // namespace bayes
}  // namespace hofm
#endif
