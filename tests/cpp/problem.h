// Small random problems and slow, obvious twins for the core's tests.
#ifndef HOFM_TESTS_PROBLEM_H
#define HOFM_TESTS_PROBLEM_H

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "hofm/data/design.h"
#include "hofm/model/model.h"
#include "hofm/base/random.h"
#include "roads.h"

using Vector = std::vector<double>;

// Sum over all sets of m distinct elements of the product of the set: the definition, eq. (5).
inline double anova_slow(const Vector &z, int m, std::size_t from = 0) {
  if (m == 0) return 1;
  double sum = 0;
  for (std::size_t j = from; j < z.size(); ++j) sum += z[j] * anova_slow(z, m - 1, j + 1);
  return sum;
}

inline double uniform(hofm::Random &random) { return double(random.next() >> 11) / 9007199254740992.0 * 2 - 1; }

inline Vector uniforms(hofm::Random &random, std::size_t n) {
  Vector v(n);
  for (double &x : v) x = uniform(random);
  return v;
}

// A sparse matrix kept dense as well, rows x columns.
struct Sample {
  int n, d;
  Vector dense;  // row-major
  hofm::SparseStore columns;

  Sample(int n, int d, double density, hofm::Random &random) : Sample(n, d, Vector(n, density), random) {}

  // One density for each row.
  Sample(int n, int d, const Vector &density, hofm::Random &random) : n(n), d(d), dense(std::size_t(n) * d, 0.0) {
    for (std::size_t q = 0; q < dense.size(); ++q)
      if ((uniform(random) + 1) / 2 < density[q / d]) dense[q] = uniform(random);
    gather();
  }

  // These cells, row by row.
  Sample(int n, int d, const Vector &cells) : n(n), d(d), dense(cells) { gather(); }

  double at(int i, int j) const { return dense[std::size_t(i) * d + j]; }
  hofm::Design design() const {
    hofm::Design design;
    design.add(columns.view());
    return design;
  }

 private:
  void gather() {
    columns.outer = d;
    columns.inner = n;
    columns.start.push_back(0);
    for (int j = 0; j < d; ++j) {
      for (int i = 0; i < n; ++i)
        if (at(i, j) != 0) {
          columns.index.push_back(i);
          columns.value.push_back(at(i, j));
        }
      columns.start.push_back(int(columns.index.size()));
    }
  }
};

inline hofm::Term random_term(int degree, int k, int d, double lambda, hofm::Random &random,
                              hofm::Kernel kernel = hofm::Kernel::anova, int augment = 0) {
  hofm::Term term;
  term.kernel = kernel;
  term.degree = degree;
  term.augment = augment;
  term.split = d / 2;
  term.set_rank(term.linear() ? 1 : k);
  term.lambda = lambda;
  term.P.assign(std::size_t(augment + d) * term.stride, 0.0);
  for (int j = 0; j < augment + d; ++j)
    for (int s = 0; s < term.k; ++s) term.row(j)[s] = uniform(random);
  if (kernel == hofm::Kernel::mix) {
    for (int t = 1; t <= degree; ++t) term.theta.push_back(t);
    for (double &theta : term.theta) theta /= degree * (degree + 1) / 2.0;
  }
  return term;
}

// K(p, x) of one factor from its definition, z_j = p_j x_j with the dummies in front.
inline double kernel_slow(const hofm::Term &term, const Vector &z) {
  double sum = 0, product = 1, left = 0;
  for (std::size_t j = 0; j < z.size(); ++j) {
    sum += z[j];
    product *= 1 + z[j];
    if (int(j) < term.split) left += z[j];
  }
  switch (term.kernel) {
    case hofm::Kernel::all_subsets:
      return product;
    case hofm::Kernel::polynomial:
      return std::pow(sum, term.degree);
    case hofm::Kernel::bilinear:
      return left * (sum - left);
    case hofm::Kernel::mix: {
      double mixed = 0;
      for (int t = 1; t <= term.degree; ++t) mixed += term.theta[t - 1] * anova_slow(z, t);
      return mixed;
    }
    default:
      return anova_slow(z, term.degree);
  }
}

inline double term_slow(const hofm::Term &term, const Sample &x, int i) {
  double sum = 0;
  for (int s = 0; s < term.k; ++s) {
    Vector z;
    for (int q = 0; q < term.augment; ++q) z.push_back(term.row(q)[s]);
    for (int j = 0; j < x.d; ++j) z.push_back(term.row(term.augment + j)[s] * x.at(i, j));
    sum += kernel_slow(term, z);
  }
  return sum;
}

// One term of every kind and degree up to `most`, with names for messages.
inline std::vector<hofm::Term> all_terms(int most, int k, int d, double lambda, hofm::Random &random) {
  std::vector<hofm::Term> terms;
  for (int m = 1; m <= most; ++m) terms.push_back(random_term(m, k, d, lambda, random));
  for (int m = 2; m <= most; ++m) terms.push_back(random_term(m, k, d, lambda, random, hofm::Kernel::anova, m - 1));
  for (int m = 1; m <= most; ++m) terms.push_back(random_term(m, k, d, lambda, random, hofm::Kernel::polynomial, 1));
  for (int m = 2; m <= most; ++m) terms.push_back(random_term(m, k, d, lambda, random, hofm::Kernel::mix));
  terms.push_back(random_term(1, k, d, lambda, random, hofm::Kernel::all_subsets));
  terms.push_back(random_term(2, k, d, lambda, random, hofm::Kernel::bilinear));
  return terms;
}

inline double link_slow(const hofm::Model &model, const Sample &x, int i) {
  double f = model.intercept;
  for (const hofm::Term &term : model.terms) f += term_slow(term, x, i);
  return f;
}

inline hofm::Response random_response(int n, const std::string &loss, bool uniform_weights, hofm::Random &random) {
  hofm::Response r;
  double total = 0;
  for (int i = 0; i < n; ++i) {
    const double u = uniform(random);
    r.y.push_back(loss == "squared" || loss == "huber" ? 2 * u : loss == "poisson" ? double(int(3 * (u + 1))) : u > 0 ? 1 : -1);
    r.offset.push_back(0.1 * uniform(random));
    r.weight.push_back(uniform_weights ? 1 : uniform(random) + 1.1);
    total += r.weight.back();
  }
  for (double &w : r.weight) w /= total;
  r.uniform = uniform_weights;
  return r;
}

// Central difference of f at p[q], with the step put back.
inline double difference(const std::function<double()> &f, double &p, double step = 1e-5) {
  const double old = p;
  p = old + step;
  const double up = f();
  p = old - step;
  const double down = f();
  p = old;
  return (up - down) / (2 * step);
}

#endif
