// Objective and gradient over shards: those in memory, the same bits whoever sums, and exponents that find their way.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "check.h"
#include "hofm/base/random.h"
#include "hofm/data/rescale.h"
#include "hofm/io/shard_buffer.h"
#include "hofm/model/loss.h"
#include "hofm/solve/shards.h"
#include "problem.h"

namespace {

struct Data {
  std::vector<hofm::ShardRows> parts;
  hofm::Design design;
  hofm::Response response;

  hofm::ShardSource source() const {
    hofm::ShardSource out;
    out.count = int(parts.size());
    out.features = design.d;
    out.rows = design.n;
    out.load = [this](int s) { return parts[std::size_t(s)]; };
    return out;
  }
};

// The rows as one design, and cut into parts.
Data make_data(int n, int d, int count, double size, hofm::Random &random) {
  Data data;
  const Sample x(n, d, 0.4, random);
  const hofm::SparseStore rows = hofm::transposed(x.columns.view());
  for (int i = 0; i < n; ++i) {
    data.response.y.push_back(size * (double(random.below(2001)) - 1000) / 500);
    data.response.weight.push_back(1.0 / n);
    data.response.offset.push_back(0);
  }
  for (int s = 0; s < count; ++s) {
    const int first = n * s / count, last = n * (s + 1) / count;
    hofm::SparseStore some;
    some.outer = last - first;
    some.inner = d;
    for (int i = first; i <= last; ++i) some.start.push_back(rows.start[i] - rows.start[first]);
    some.index.assign(rows.index.begin() + rows.start[first], rows.index.begin() + rows.start[last]);
    some.value.assign(rows.value.begin() + rows.start[first], rows.value.begin() + rows.start[last]);
    hofm::ShardRows part;
    part.design.add_rows(std::move(some));
    part.response.y.assign(data.response.y.begin() + first, data.response.y.begin() + last);
    part.response.weight.assign(std::size_t(last - first), 1.0 / n);
    part.response.offset.assign(std::size_t(last - first), 0.0);
    data.parts.push_back(std::move(part));
  }
  hofm::SparseStore all = rows;
  data.design.add_rows(std::move(all));
  return data;
}

hofm::Model make_model(int d, double size, hofm::Random &random) {
  hofm::Model model;
  for (int degree = 1; degree <= 2; ++degree) {
    hofm::Term term;
    term.kernel = hofm::Kernel::anova;
    term.degree = degree;
    term.set_rank(degree == 1 ? 1 : 3);
    term.lambda = 0.01;
    term.P.assign(std::size_t(d) * std::size_t(term.stride), 0.0);
    for (int j = 0; j < d; ++j)
      for (int s = 0; s < term.k; ++s)
        term.row(j)[s] = std::pow(size, 1.0 / degree) * (double(random.below(2001)) - 1000) / 2000;
    model.terms.push_back(term);
  }
  return model;
}

double largest(const hofm::Gradient &g) {
  double most = std::fabs(g.intercept);
  for (const std::vector<double> &P : g.P)
    for (double v : P) most = std::max(most, std::fabs(v));
  return most;
}

// Sets what a checkpoint would.
struct Exponents {
  int value;
  void operator()(int &exponent) { exponent = value; }
};

bool same(const hofm::Gradient &a, const hofm::Gradient &b) { return a.intercept == b.intercept && a.P == b.P; }

}  // namespace

int main() {
  hofm::Random random(5);
  hofm::Monitor monitor;
  hofm::Options options;

  // As in memory, whatever the size of the sums.
  for (int count : {1, 3, 7}) {
    std::vector<Data> data;
    for (double size : {1.0, 1e60, 1e-60, 1e3, 1e-100, 1e100}) {
      random = hofm::Random(6);
      data.push_back(make_data(40, 9, count, size, random));
      const hofm::Model model = make_model(9, size, random);
      hofm::Objective<hofm::Squared> memory(data.back().design, data.back().response, options, monitor);
      hofm::Gradient slow, fast, other;
      const double expected = memory(model, &slow);
      hofm::Options threads = options;
      threads.threads = 2;
      const hofm::ShardSource source = data.back().source();
      hofm::ShardObjective<hofm::Squared> objective(source, options, monitor), threaded(source, threads, monitor);
      const double value = objective(model, &fast);
      CHECK(std::fabs(value - expected) <= 1e-12 * std::fabs(expected));
      for (std::size_t t = 0; t < fast.P.size(); ++t)
        for (std::size_t q = 0; q < fast.P[t].size(); ++q) CHECK(std::fabs(fast.P[t][q] - slow.P[t][q]) <= 1e-11 * largest(slow));
      CHECK(threaded(model, &other) == value);
      CHECK(same(fast, other));
      const double again = objective(model, &fast);  // with exponents that have followed
      CHECK(std::fabs(again - expected) <= 1e-12 * std::fabs(expected));
      CHECK(objective(model) == again);  // without slopes
      // From exponents that are far too large, or far too small, to the same sums.
      for (int exponent : {-850, -300, 0, 300, 700}) {
        Exponents set{exponent};
        objective.visit(set);
        CHECK(std::fabs(objective(model, &other) - expected) <= 1e-12 * std::fabs(expected));
        for (std::size_t t = 0; t < other.P.size(); ++t)
          for (std::size_t q = 0; q < other.P[t].size(); ++q) CHECK(std::fabs(other.P[t][q] - slow.P[t][q]) <= 1e-11 * largest(slow));
      }
    }
  }

  // A loss that is not finite says so at once, after one pass, and the objective is none the worse.
  {
    random = hofm::Random(7);
    Data data = make_data(30, 5, 3, 1, random);
    hofm::Model model = make_model(5, 1, random);
    int loads = 0;
    hofm::ShardSource source = data.source();
    source.load = [&](int s) {
      ++loads;
      return data.parts[std::size_t(s)];
    };
    hofm::ShardObjective<hofm::Squared> objective(source, options, monitor);
    hofm::Gradient before, after;
    objective(model, &before);
    const double value = objective(model, &before);
    loads = 0;
    hofm::Model huge = model;
    for (double &p : huge.terms[1].P) p *= 1e200;
    CHECK(objective(huge, &after) == HUGE_VAL);
    CHECK(loads == 3);
    huge.intercept = std::numeric_limits<double>::quiet_NaN();
    CHECK(objective(huge, &after) == HUGE_VAL);
    CHECK(objective(model, &after) == value);
    CHECK(same(before, after));
  }

  // One row outweighs the others by thirty orders of magnitude: others may go under, but the order does not show.
  {
    random = hofm::Random(8);
    Data data = make_data(24, 6, 6, 1, random);
    const hofm::Model model = make_model(6, 1, random);
    data.parts[4].response.y[1] = 1e30;
    hofm::ShardSource forwards = data.source(), backwards = forwards;
    backwards.load = [&](int s) { return data.parts[5 - std::size_t(s)]; };
    hofm::ShardObjective<hofm::Squared> a(forwards, options, monitor), b(backwards, options, monitor);
    hofm::Gradient ga, gb;
    CHECK(a(model, &ga) == b(model, &gb));
    CHECK(same(ga, gb));
    CHECK(a(model, &ga) == b(model, &gb));  // and again, with exponents that have followed
    CHECK(same(ga, gb));
  }

  // Rows with centred columns, against the definition.
  for (int trial = 0; trial < 20; ++trial) {
    const Sample x(7, 5, 0.5, random);
    hofm::SparseStore rows = hofm::transposed(x.columns.view());
    std::vector<double> center(5), scale(5), dense(35, 0.0);
    for (int j = 0; j < 5; ++j) {
      center[std::size_t(j)] = random.below(2) ? double(random.below(9)) / 4 : 0;
      scale[std::size_t(j)] = 1 + double(random.below(5));
    }
    for (int i = 0; i < 7; ++i)
      for (int q = rows.start[i]; q < rows.start[i + 1]; ++q) dense[std::size_t(5 * i + rows.index[q])] = rows.value[q];
    hofm::Rescale(center, scale)(rows);
    CHECK(hofm::sound(rows.view(), rows.index.size()));
    std::vector<double> got(35, 0.0);
    for (int i = 0; i < 7; ++i)
      for (int q = rows.start[i]; q < rows.start[i + 1]; ++q) got[std::size_t(5 * i + rows.index[q])] = rows.value[q];
    for (int i = 0; i < 7; ++i)
      for (int j = 0; j < 5; ++j) CHECK(got[std::size_t(5 * i + j)] == (dense[std::size_t(5 * i + j)] - center[std::size_t(j)]) / scale[std::size_t(j)]);
  }

  // Statistics of columns that come in parts, against those of all rows in two passes.
  {
    hofm::ColumnSums sums;
    const Sample x(60, 4, 0.7, random);
    const hofm::SparseStore rows = hofm::transposed(x.columns.view());
    std::vector<double> weights(60), w(4), m(4), s(4);
    for (double &v : weights) v = double(random.below(3));
    const auto far = [](double v) { return 1e8 + v; };
    for (int part = 0; part < 6; ++part) {
      hofm::SparseStore some;
      some.outer = 10;
      some.inner = 4;
      for (int i = 10 * part; i <= 10 * part + 10; ++i) some.start.push_back(rows.start[i] - rows.start[10 * part]);
      for (int q = rows.start[10 * part]; q < rows.start[10 * part + 10]; ++q) {
        some.index.push_back(rows.index[q]);
        some.value.push_back(far(rows.value[q]));
      }
      sums.add(some.view(), std::vector<double>(weights.begin() + 10 * part, weights.begin() + 10 * part + 10));
    }
    for (int pass = 0; pass < 3; ++pass)
      for (int i = 0; i < 60; ++i)
        for (int q = rows.start[i]; q < rows.start[i + 1]; ++q) {
          const std::size_t j = std::size_t(rows.index[q]);
          const double v = far(rows.value[q]);
          if (pass == 0) w[j] += weights[std::size_t(i)];
          if (pass == 1) m[j] += weights[std::size_t(i)] * (v - 1e8) / w[j];
          if (pass == 2) s[j] += weights[std::size_t(i)] * (v - 1e8 - m[j]) * (v - 1e8 - m[j]);
        }
    for (std::size_t j = 0; j < 4; ++j) {
      CHECK(sums.weight[j] == w[j]);
      CHECK(std::fabs(sums.mean[j] - 1e8 - m[j]) < 1e-6);
      CHECK(std::fabs(sums.spread[j] - s[j]) < 1e-6 * s[j]);
    }
  }
  return report();
}
