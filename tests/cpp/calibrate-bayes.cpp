// Simulation-based calibration (Talts et al. 2018) of the sampler, too long for a test: parameters from the prior, a response from them, four
// chains from dispersed starts, pooled; then the true link values and the true weight of the strongest product must lie among the draws
// like one of them. Told are the coverage of central 50 % and 90 % intervals, with standard errors, and the p-value of a chi-square test
// that ranks are uniform.
//   make -C tests/cpp bin/calibrate-bayes && tests/cpp/bin/calibrate-bayes [replicates = 300] [sweeps = 2000]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "hofm/bayes/sampler.h"

using namespace hofm;
using namespace hofm::bayes;

namespace {

constexpr int kRows = 15, kFeatures = 3, kRank = 2, kChains = 4, kBins = 10, kKept = 100;

// Where a number lies among draws, 0 to 1.
double place(double truth, const std::vector<double> &draws) {
  int below = 0;
  for (double d : draws) below += d < truth;
  return (below + 0.5) / (draws.size() + 1.0);
}

struct Told {
  const char *name;
  std::vector<double> places;
  void print(int independent) const {
    double half = 0, most = 0, chi = 0;
    std::vector<double> bins(kBins, 0.0);
    for (double p : places) {
      half += std::fabs(p - 0.5) < 0.25;
      most += std::fabs(p - 0.5) < 0.45;
      ++bins[std::min(kBins - 1, int(p * kBins))];
    }
    const double n = double(places.size()), expected = n / kBins;
    for (double b : bins) chi += (b - expected) * (b - expected) / expected;
    // Wilson and Hilferty's normal approximation of the chi-square law.
    const double df = kBins - 1, z = (std::cbrt(chi / df) - (1 - 2 / (9 * df))) / std::sqrt(2 / (9 * df));
    std::printf("  %-18s 50 %%: %.3f (se %.3f)  90 %%: %.3f (se %.3f)  uniform: p = %.3f\n", name, half / n, std::sqrt(0.25 / independent),
                most / n, std::sqrt(0.09 / independent), 0.5 * std::erfc(z / std::sqrt(2.0)));
  }
};

void calibrate(Family family, int order, int replicates, int sweeps) {
  std::mt19937 random(100 * int(family) + order);
  std::normal_distribution<double> normal;
  const auto gamma = [&](double shape, double rate) { return std::gamma_distribution<double>(shape, 1 / rate)(random); };
  Data data;
  data.family = family;
  data.classes = family == Family::ordinal ? 4 : 0;
  data.group.assign(kFeatures, 0);
  data.groups = 1;
  data.offset.assign(kRows, 0.0);
  Prior prior;
  prior.shape = 2;
  prior.rate.assign(order, 1.0);
  prior.noise_shape = 3;
  prior.noise_rate = 1.5;
  prior.intercept_sd = 1;
  Told link{"a link value", {}}, product{"a product's weight", {}}, other{family == Family::ordinal ? "a cut point" : "the noise", {}};
  for (int r = 0; r < replicates; ++r) {
    SparseStore x;
    x.outer = kFeatures;
    x.inner = kRows;
    x.start.push_back(0);
    for (int j = 0; j < kFeatures; ++j) {
      for (int i = 0; i < kRows; ++i) {
        x.index.push_back(i);
        x.value.push_back(normal(random));
      }
      x.start.push_back(int(x.index.size()));
    }
    Design design;
    design.add(x.view());
    State truth;
    for (int t = 1; t <= order; ++t) {
      Term term;
      term.degree = t;
      term.set_rank(t == 1 ? 1 : kRank);
      term.P.assign(std::size_t(kFeatures) * term.stride, 0.0);
      Hyper hyper;
      for (int s = 0; s < term.k; ++s) {
        hyper.lambda.push_back(gamma(prior.shape, prior.rate[t - 1]));
        hyper.mu.push_back(normal(random) / std::sqrt(prior.mean_strength * hyper.lambda.back()));
        for (int j = 0; j < kFeatures; ++j) term.row(j)[s] = hyper.mu.back() + normal(random) / std::sqrt(hyper.lambda.back());
      }
      truth.model.terms.push_back(term);
      truth.hyper.push_back(hyper);
    }
    truth.model.intercept = normal(random);
    if (family == Family::gaussian) truth.alpha = gamma(prior.noise_shape, prior.noise_rate);
    if (family == Family::ordinal) truth.cuts = {0, std::exp(normal(random))};
    if (family == Family::ordinal) truth.cuts.push_back(truth.cuts[1] + std::exp(normal(random)));
    Monitor monitor;
    const std::vector<double> f = link_values(design, truth.model, {}, 1, monitor);
    data.y = f;
    for (double &y : data.y) {
      y += normal(random) / std::sqrt(truth.alpha);
      if (family == Family::probit) y = y > 0;
      if (family == Family::ordinal) y = (y > 0) + (y > truth.cuts[1]) + (y > truth.cuts[2]);
    }
    Plan plan;
    plan.iter = sweeps;
    plan.warmup = sweeps / 2;
    plan.keep = kKept;
    std::vector<State> states(kChains, truth);
    for (State &state : states) state.cuts.clear();
    Sampler sampler(design, data, prior, std::uint32_t(r), plan, states, monitor);
    sampler.start({1, 0.5, 1.5, 0.25});
    sampler();
    const auto weight = [](const State &state) {
      const Term &term = state.model.terms.back();
      double sum = 0;
      for (int s = 0; s < term.k; ++s) {
        double product = 1;
        for (int j = 0; j < term.degree; ++j) product *= term.row(j)[s];
        sum += product;
      }
      return sum;
    };
    std::vector<double> links, products, others;
    State draw = states[0];
    for (const Record &record : sampler.records())
      for (int k = 0; k < record.kept; ++k) {
        unpack(&record.draws[k * (record.draws.size() / record.kept)], draw);
        links.push_back(link_values(design, draw.model, {}, 1, monitor)[0]);
        products.push_back(weight(draw));
        others.push_back(family == Family::ordinal ? draw.cuts[1] : draw.alpha);
      }
    link.places.push_back(place(f[0], links));
    product.places.push_back(place(weight(truth), products));
    if (family != Family::probit) other.places.push_back(place(family == Family::ordinal ? truth.cuts[1] : truth.alpha, others));
  }
  const char *names[] = {"Gaussian", "probit", "ordinal"};
  std::printf("%s, order %d, %d replicates, %d chains of %d sweeps\n", names[int(family)], order, replicates, kChains, sweeps);
  link.print(replicates);
  product.print(replicates);
  if (family != Family::probit) other.print(replicates);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char **argv) {
  const int replicates = argc > 1 ? std::atoi(argv[1]) : 300, sweeps = argc > 2 ? std::atoi(argv[2]) : 2000;
  for (Family family : {Family::gaussian, Family::probit, Family::ordinal})
    for (int order : {2, 3}) calibrate(family, order, replicates, sweeps);
}
