// Priors of a factorization machine: normal parameters whose mean and precision are shared by the features of a group, one pair for each
// degree, factor and group, and a normal-gamma law of that pair.
#ifndef HOFM_BAYES_PRIOR_H
#define HOFM_BAYES_PRIOR_H

#include <cmath>
#include <vector>

#include "hofm/bayes/counter_random.h"
#include "hofm/data/design.h"
#include "hofm/model/anova.h"

namespace hofm {
namespace bayes {

struct Prior {
  double shape = 1;           // lambda ~ Gamma(shape, rate of the term)
  double mean_strength = 1;   // mu given lambda ~ N(0, 1 / (mean_strength lambda))
  std::vector<double> rate;   // one for each term
  std::vector<double> fixed;  // lambda of each term where it is given, and mu = 0; empty where both are learned
  double noise_shape = 0.5, noise_rate = 0.05;
  double noise_fixed = 0;  // the noise's precision if it is given, else 0
  double intercept_sd = 10;
};

// lambda and mu of a term: those of factor s and group g at s * groups + g.
struct Hyper {
  std::vector<double> lambda, mu;
};

struct NormalGamma {
  double lambda, mu;
};

// lambda with mu integrated out, then mu: one draw from the law of both, given `count` values of a group with that sum and sum of
// squares.
inline NormalGamma draw_hyper(double count, double sum, double squares, double shape, double strength, double rate, Stream &random) {
  const double total = strength + count, mean = count > 0 ? sum / count : 0;
  const double spread = std::fmax(0, squares - count * mean * mean);
  NormalGamma drawn;
  drawn.lambda = random.gamma(shape + count / 2) / (rate + (spread + strength * count / total * mean * mean) / 2);
  drawn.mu = sum / total + random.normal() / std::sqrt(total * drawn.lambda);
  return drawn;
}

// The variance s^2 of parameters at which a term of that degree and rank has, over the samples, a mean square of one:
// k mean_i e_t(x_i^2) s^(2t) = 1, where e_t is the elementary symmetric polynomial. O(t) for each nonzero; 1 where no sample has t
// features.
inline double unit_variance(const Design &design, int degree, int augment, int k) {
  ColumnSource columns(design, augment);
  const Anova<Dynamic> sums{{degree + 1}};
  const std::size_t width = std::size_t(degree) + 1;
  std::vector<double> a(design.n * width, 0.0);
  for (int j = 0; j < columns.count(); ++j) {
    const Slice column = columns(j);
    for (int q = 0; q < column.size; ++q) sums.add(&a[column.index[q] * width], column.value[q] * column.value[q]);
  }
  double mean = 0;
  for (int i = 0; i < design.n; ++i) mean += a[i * width + degree] / design.n;
  const double variance = std::pow(k * mean, -1.0 / degree);
  return mean > 0 && std::isfinite(variance) ? variance : 1;
}

}  // namespace bayes
}  // namespace hofm
#endif
