// The sampler against closed forms, against the law that it must keep, and against itself on data that are stored in another way.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.h"
#include "hofm/bayes/predict.h"
#include "hofm/bayes/sampler.h"

using namespace hofm;
using namespace hofm::bayes;

namespace {

const std::vector<NodeSet> none;  // sides of plain designs

// Dense columns as a sparse matrix.
SparseStore dense(int n, int d, std::mt19937 &random) {
  std::normal_distribution<double> normal;
  SparseStore x;
  x.outer = d;
  x.inner = n;
  x.start.push_back(0);
  for (int j = 0; j < d; ++j) {
    for (int i = 0; i < n; ++i) {
      x.index.push_back(i);
      x.value.push_back(normal(random));
    }
    x.start.push_back(int(x.index.size()));
  }
  return x;
}

Term anova(int degree, int d, int k, int augment = 0) {
  Term term;
  term.degree = degree;
  term.augment = augment;
  term.set_rank(k);
  term.P.assign(std::size_t(d + augment) * term.stride, 0.0);
  return term;
}

Model machine(int order, int d, int k) {
  Model model;
  model.terms.push_back(anova(1, d, 1));
  for (int t = 2; t <= order; ++t) model.terms.push_back(anova(t, d, k));
  return model;
}

State state_of(const Model &model, const Data &data) {
  State state;
  state.model = model;
  for (const Term &term : model.terms) {
    const std::size_t size = std::size_t(term.k) * data.groups_of(term);
    state.hyper.push_back({std::vector<double>(size, 1.0), std::vector<double>(size, 0.0)});
  }
  for (int c = 0; c + 1 < data.classes; ++c) state.cuts.push_back(c);
  state.step.assign(state.cuts.size(), 0.5);
  return state;
}

// The numbers that Salmon et al. publish with their generator.
void philox_is_philox() {
  const auto zero = philox({0, 0, 0, 0}, 0, 0);
  CHECK(zero[0] == 0x6627e8d5U && zero[1] == 0xe169c58dU && zero[2] == 0xbc57ac4cU && zero[3] == 0x9b00dbd8U);
  const auto ones = philox({~0U, ~0U, ~0U, ~0U}, ~0U, ~0U);
  CHECK(ones[0] == 0x408f276dU && ones[1] == 0x41c83b0eU && ones[2] == 0xa20bc7c6U && ones[3] == 0x6d5451fdU);
}

void quantiles_undo_probabilities() {
  for (double x : {-37.0, -9.0, -5.5, -3.0, -1.4, -0.7, 0.0, 0.3, 1.1, 1.5, 2.5, 5.0}) {
    const check::Context context("x = ", x);
    CHECK_NEAR(normal_quantile(normal_below(x)), x, x < 4 ? 1e-13 : 1e-9);
  }
}

// Means by their formulas, over many streams of one draw each, as the sampler uses them.
void draws_have_their_means() {
  const double infinite = std::numeric_limits<double>::infinity();
  const double ends[][2] = {{-infinite, 0.5}, {0.5, infinite}, {3, infinite}, {-0.2, 0.3}, {1, 1.2}, {2, 9}, {-7, -5}, {-infinite, 4},
                           {-0.001, 0.001}, {-1, 6}, {4.9, infinite}, {0, 1e-4}, {-infinite, infinite}};
  const auto density = [](double x) { return std::isinf(x) ? 0 : std::exp(-x * x / 2) / std::sqrt(2 * M_PI); };
  const int count = 40000;
  std::uint32_t sweep = 0;
  for (const auto &e : ends) {
    const check::Context context("between ", e[0], " and ", e[1]);
    const double mass = normal_below(e[1]) - normal_below(e[0]);
    double sum = 0, squares = 0;
    ++sweep;
    for (int i = 0; i < count; ++i) {
      Stream random(1, 2, {Draw::latent, sweep, std::uint32_t(i)});
      const double x = truncated_normal(e[0], e[1], random);
      CHECK(x > e[0] && x < e[1]);
      sum += x / count;
      squares += x * x / count;
    }
    const double mean = mass > 1e-6 ? (density(e[0]) - density(e[1])) / mass : sum;
    CHECK(std::fabs(sum - mean) < 4 * std::sqrt((squares - sum * sum) / count));
    if (mass > 1e-6) CHECK_NEAR(log_mass(e[0], e[1]), std::log(mass), 1e-9);
  }
  for (double shape : {0.3, 1.0, 7.5}) {
    const check::Context context("gamma of shape ", shape);
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += Stream(3, 4, {Draw::hyper, 1, std::uint32_t(i)}).gamma(shape) / count;
    CHECK(std::fabs(sum - shape) < 4 * std::sqrt(shape / count));
  }
}

// Order 1, two features and an intercept with everything else given: the posterior is normal with precision alpha X'X + prior.
void order_one_is_closed() {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const int n = 12, d = 2, sweeps = 40000;
  const SparseStore x = dense(n, d, random);
  Design design;
  design.add(x.view());
  Data data;
  data.group = {0, 0};
  data.groups = 1;
  data.offset.assign(n, 0.0);
  for (int i = 0; i < n; ++i) data.offset[i] = 0.1 * i;
  for (int i = 0; i < n; ++i) data.y.push_back(1 + x.value[i] + normal(random));
  data.weight.assign(n, 1.0);
  data.weight[3] = 2.5;
  Prior prior;
  prior.rate = {1};
  prior.fixed = {0.7};
  prior.noise_fixed = 1.6;
  prior.intercept_sd = 2;
  // The normal equations of (b, w1, w2) and their solution by Cramer's rule.
  double A[3][3] = {{0.25, 0, 0}, {0, 0.7, 0}, {0, 0, 0.7}}, c[3] = {};
  for (int i = 0; i < n; ++i) {
    const double row[3] = {1, x.value[i], x.value[n + i]};
    for (int a = 0; a < 3; ++a) {
      c[a] += 1.6 * data.weight[i] * row[a] * (data.y[i] - data.offset[i]);
      for (int b = 0; b < 3; ++b) A[a][b] += 1.6 * data.weight[i] * row[a] * row[b];
    }
  }
  const auto det = [](const double M[3][3]) {
    return M[0][0] * (M[1][1] * M[2][2] - M[1][2] * M[2][1]) - M[0][1] * (M[1][0] * M[2][2] - M[1][2] * M[2][0]) +
           M[0][2] * (M[1][0] * M[2][1] - M[1][1] * M[2][0]);
  };
  State state = state_of(machine(1, d, 1), data);
  Chain chain(design, none, data, prior, 5, 0, state);
  chain.start(1);
  Monitor monitor;
  double mean[3] = {}, products[3][3] = {};
  for (int s = 0; s < sweeps; ++s) {
    chain.sweep(false, monitor);
    const double at[3] = {state.model.intercept, state.model.terms[0].P[0], state.model.terms[0].P[1]};
    for (int a = 0; a < 3; ++a) {
      mean[a] += at[a] / sweeps;
      for (int b = 0; b < 3; ++b) products[a][b] += at[a] * at[b] / sweeps;
    }
  }
  for (int a = 0; a < 3; ++a) {
    double swapped[3][3];
    for (int r = 0; r < 3; ++r)
      for (int q = 0; q < 3; ++q) swapped[r][q] = q == a ? c[r] : A[r][q];
    CHECK_NEAR(mean[a], det(swapped) / det(A), 0.02);
    for (int b = 0; b < 3; ++b) {  // the inverse by cofactors
      double minor[2][2];
      for (int r = 0, to = 0; r < 3; ++r)
        if (r != b) {
          for (int q = 0, at = 0; q < 3; ++q)
            if (q != a) minor[to][at++] = A[r][q];
          ++to;
        }
      const double covariance = ((a + b) % 2 ? -1 : 1) * (minor[0][0] * minor[1][1] - minor[0][1] * minor[1][0]) / det(A);
      CHECK_NEAR(products[a][b] - mean[a] * mean[b], covariance, 0.02);
    }
  }
}

// Mean and standard error of a series whose neighbours are alike, from fifty batches.
struct Estimate {
  double mean = 0, error = 0;
  explicit Estimate(const std::vector<double> &x) {
    const int batches = 50, size = int(x.size()) / batches;
    double squares = 0;
    for (int b = 0; b < batches; ++b) {
      double sum = 0;
      for (int i = 0; i < size; ++i) sum += x[std::size_t(b) * size + i] / size;
      mean += sum / batches;
      squares += sum * sum / batches;
    }
    error = std::sqrt((squares - mean * mean) / batches);
  }
};

// Orders 2 and 3 with everything but the parameters given: Gibbs sampling against a random walk (Metropolis) over the posterior as it is
// written. What is compared does not depend on signs: link values, their squares, and the product of a factor's first two parameters.
void metropolis_agrees(int order) {
  const check::Context context("order ", order);
  std::mt19937 random(20 + order);
  std::normal_distribution<double> normal;
  const int n = 12, d = 3;
  const SparseStore x = dense(n, d, random);
  Design design;
  design.add(x.view());
  Data data;
  data.group.assign(d, 0);
  data.groups = 1;
  data.offset.assign(n, 0.0);
  for (int i = 0; i < n; ++i) data.y.push_back(x.value[i] * x.value[n + i] + 0.5 * normal(random));
  Prior prior;
  prior.rate.assign(order, 1);
  prior.fixed.assign(order, 1.5);
  prior.noise_fixed = 2;
  prior.intercept_sd = 1;
  const auto link = [&](const std::vector<double> &q, int i) {  // q: intercept, then d numbers for each degree
    double f = q[0];
    for (int t = 1; t <= order; ++t) {
      double e[4] = {1, 0, 0, 0};
      for (int j = 0; j < d; ++j)
        for (int u = t; u >= 1; --u) e[u] += q[1 + (t - 1) * d + j] * x.value[std::size_t(j) * n + i] * e[u - 1];
      f += e[t];
    }
    return f;
  };
  const auto density = [&](const std::vector<double> &q) {
    double sum = -q[0] * q[0] / 2;
    for (std::size_t j = 1; j < q.size(); ++j) sum -= 1.5 * q[j] * q[j] / 2;
    for (int i = 0; i < n; ++i) sum -= 2 * std::pow(data.y[i] - link(q, i), 2) / 2;
    return sum;
  };
  const int told = 7;
  const auto tell = [&](const std::vector<double> &q, std::vector<std::vector<double>> &to) {
    for (int i = 0; i < 3; ++i) {
      const double f = link(q, i);
      to[2 * i].push_back(f);
      to[2 * i + 1].push_back(f * f);
    }
    to[6].push_back(q[1 + (order - 1) * d] * q[1 + (order - 1) * d + 1]);
  };
  std::vector<std::vector<double>> gibbs(told), walk(told);
  State state = state_of(machine(order, d, 1), data);
  Chain chain(design, none, data, prior, 5, 0, state);
  chain.start(1);
  Monitor monitor;
  for (int s = 0; s < 100000; ++s) {
    chain.sweep(false, monitor);
    std::vector<double> q{state.model.intercept};
    for (const Term &term : state.model.terms)
      for (int j = 0; j < d; ++j) q.push_back(term.row(j)[0]);
    tell(q, gibbs);
  }
  std::vector<double> q(1 + std::size_t(order) * d, 0.3);
  std::uniform_real_distribution<double> uniform;
  double at = density(q);
  for (int s = 0; s < 150000; ++s) {
    for (double &parameter : q) {
      const double from = parameter;
      parameter += 0.6 * normal(random);
      const double to = density(q);
      if (std::log(uniform(random)) < to - at) at = to;
      else parameter = from;
    }
    tell(q, walk);
  }
  for (int m = 0; m < told; ++m) {
    const check::Context which("number ", m);
    const Estimate a(gibbs[m]), b(walk[m]);
    CHECK(std::fabs(a.mean - b.mean) < 4 * std::hypot(a.error, b.error));
    CHECK(a.error < 0.05 && b.error < 0.05);  // or the comparison would say nothing
  }
}

// Parameters drawn from the prior and a response drawn from them: the state is then a draw from the posterior, so that sweeps must leave
// its law what it was, however slowly they mix. The largest of the z scores of some moments over many replicates; `off` is a factor of the
// prior's precision in the sampler, which must be found out.
double law_kept(Family family, int order, double off) {
  std::mt19937 random(7 + order);
  std::normal_distribution<double> normal;
  const auto gamma = [&](double shape, double rate) { return std::gamma_distribution<double>(shape, 1 / rate)(random); };
  const int n = 10, d = 3, k = 2, replicates = 1500, moments = 6;
  Data data;
  data.family = family;
  data.classes = family == Family::ordinal ? 3 : 0;
  data.group = {0, 0, 1};
  data.groups = 2;
  data.offset.assign(n, 0.0);
  Prior prior;
  prior.shape = 3;
  prior.rate.assign(order, 2.0);
  prior.noise_shape = 4;
  prior.noise_rate = 3;
  prior.intercept_sd = 1;
  Prior used = prior;
  for (double &rate : used.rate) rate /= off;
  double sum[moments] = {}, squares[moments] = {};
  Monitor monitor;
  for (int r = 0; r < replicates; ++r) {
    const SparseStore x = dense(n, d, random);
    Design design;
    design.add(x.view());
    State state = state_of(machine(order, d, k), data);
    const auto tell = [&](double *m) {
      m[0] = std::log(state.alpha);
      m[1] = state.model.intercept * state.model.intercept;
      m[2] = std::tanh(state.model.terms[0].P[0] * state.model.terms[0].P[0]);
      m[3] = std::tanh(std::pow(state.model.terms.back().row(0)[0], 2));
      m[4] = std::log(state.hyper.back().lambda[0]);
      m[5] = state.cuts.empty() ? std::log(state.hyper[0].lambda[1]) : std::log(state.cuts[1]);
    };
    state.model.intercept = normal(random);
    if (family == Family::gaussian) state.alpha = gamma(prior.noise_shape, prior.noise_rate);
    for (std::size_t t = 0; t < state.model.terms.size(); ++t)
      for (int s = 0; s < state.model.terms[t].k; ++s)
        for (int g = 0; g < 2; ++g) {
          const double lambda = gamma(prior.shape, prior.rate[t]), mu = normal(random) / std::sqrt(prior.mean_strength * lambda);
          state.hyper[t].lambda[s * 2 + g] = lambda;
          state.hyper[t].mu[s * 2 + g] = mu;
          for (int j = 0; j < d; ++j)
            if (data.group[j] == g) state.model.terms[t].row(j)[s] = mu + normal(random) / std::sqrt(lambda);
        }
    if (family == Family::ordinal) state.cuts[1] = std::exp(normal(random));
    data.y = link_values(design, state.model, {}, 1, monitor);
    for (double &y : data.y) {
      y += normal(random) / std::sqrt(state.alpha);
      if (family == Family::probit) y = y > 0;
      if (family == Family::ordinal) y = (y > 0) + (y > state.cuts[1]);
    }
    double before[moments], after[moments];
    tell(before);
    Chain chain(design, none, data, used, 11, std::uint32_t(r), state);
    for (int sweep = 0; sweep < 15; ++sweep) chain.sweep(false, monitor);
    tell(after);
    for (int m = 0; m < moments; ++m) {
      sum[m] += (after[m] - before[m]) / replicates;
      squares[m] += (after[m] - before[m]) * (after[m] - before[m]) / replicates;
    }
  }
  double worst = 0;
  for (int m = 0; m < moments; ++m)
    if (squares[m] > 0) worst = std::max(worst, std::fabs(sum[m]) / std::sqrt(squares[m] / replicates));
  return worst;
}

void laws_are_kept() {
  for (Family family : {Family::gaussian, Family::probit, Family::ordinal})
    for (int order : {2, 3}) {
      const check::Context context("family ", int(family), ", order ", order);
      CHECK(law_kept(family, order, 1) < 3.5);
    }
  CHECK(law_kept(Family::gaussian, 3, 1.3) > 6);
}

// The same chain on two or three blocks of nodes and on their joined rows, with dummies and weights, and with chains shared among threads.
void storage_and_threads_do_not_matter(bool context, bool weights) {
  const check::Context which("context ", context, ", weights ", weights);
  std::mt19937 random(3);
  const int nodes = 7, n = 30, d = 3;
  const SparseStore a = dense(nodes, d, random), b = dense(nodes, d, random), c = dense(n, 1, random);
  std::vector<int> left, right;
  for (int i = 0; i < n; ++i) {
    left.push_back(i % nodes);
    right.push_back((i * i + 2) % nodes);
  }
  const int columns = 2 * d + context;
  SparseStore joined;
  joined.outer = columns;
  joined.inner = n;
  joined.start.push_back(0);
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < n; ++i) {
      joined.index.push_back(i);
      joined.value.push_back(j < d ? a.value[j * nodes + left[i]] : j < 2 * d ? b.value[(j - d) * nodes + right[i]] : c.value[i]);
    }
    joined.start.push_back(int(joined.index.size()));
  }
  Design pairs, rows;
  pairs.add(a.view(), left);
  pairs.add(b.view(), right);
  if (context) pairs.add(c.view());
  rows.add(joined.view());
  Data data;
  data.group = {0, 0, 0, 1, 1, 1};
  if (context) data.group.push_back(2);
  data.groups = 2 + context;
  data.offset.assign(n, 0.0);
  for (int i = 0; i < n; ++i) data.y.push_back(std::sin(i));
  for (int i = 0; weights && i < n; ++i) data.weight.push_back(0.5 + i % 3);
  Model model = machine(3, columns, 2);
  model.terms.push_back(anova(3, columns, 2, 2));
  Prior prior;
  prior.rate.assign(model.terms.size(), 0.3);
  Plan plan;
  plan.iter = 16;  // what is lost in rounding grows tenfold in five sweeps or so, as in any chain
  plan.warmup = 6;
  plan.keep = 7;
  std::vector<std::vector<double>> last;
  for (Design *design : {&rows, &pairs})
    for (int threads : {1, 2, 5}) {
      plan.threads = threads;
      std::vector<State> states(3, state_of(model, data));
      Monitor monitor;
      Sampler sampler(*design, data, prior, 9, plan, states, monitor);
      sampler.start({1, 0.5, 2});
      sampler();
      CHECK(sampler.records()[2].kept == 7 && sampler.records()[0].sweeps == 10);
      last.push_back(sampler.records()[1].draws);
    }
  for (const std::vector<double> &draws : last) {
    CHECK(draws.size() == last[0].size());
    for (std::size_t q = 0; q < draws.size(); ++q) CHECK_NEAR(draws[q], last[0][q], 1e-10);
  }
  CHECK(last[0] == last[1] && last[0] == last[2] && last[3] == last[4] && last[3] == last[5]);
}

void quantiles_are_type_seven() {
  const std::vector<double> values{4, 1, 3, 2, 10, 10, 10, 10};
  double out[4];
  column_quantiles(values.data(), 4, 2, {0.5, 0.1}, out);
  CHECK_NEAR(out[0], 2.5, 1e-12);
  CHECK_NEAR(out[1], 1.3, 1e-12);
  CHECK_NEAR(out[2], 10, 1e-12);
}

}  // namespace

int main() {
  philox_is_philox();
  quantiles_undo_probabilities();
  draws_have_their_means();
  order_one_is_closed();
  for (int order : {2, 3}) metropolis_agrees(order);
  laws_are_kept();
  for (bool context : {false, true})
    for (bool weights : {false, true}) storage_and_threads_do_not_matter(context, weights);
  quantiles_are_type_seven();
  return report();
}
