// One factor at a time, over rows or over nodes: the moves of all columns, and which features can be taken out of a record's sums. What a
// record is, is said in solve/cd_rows.h and solve/cd_nodes.h, which alone include this. Where a column moves to is said by a rule: to the
// minimum (below), or to a draw (bayes/chain.h).
#ifndef HOFM_SOLVE_CD_SWEEP_H
#define HOFM_SOLVE_CD_SWEEP_H

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>
#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/data/sparse.h"
#include "hofm/model/anova.h"

namespace hofm {

// Parameters this small are zero: products of several of them would be denormal numbers, which take processors a hundred times
// longer than others.
constexpr double kZero = 1e-30;

// out[q] = derivative of what is minimised in the link value f[q] of sample q, for q = first..last-1. Called once for many samples, so
// that sweeps need not know the loss and are compiled once for all.
using Slopes = std::function<void(const std::vector<double> &f, int first, int last, double *out)>;

// When features can be taken out by subtraction (anova::remove()), and the sums without them when not: the one place that knows.
template <class Kernel>
class Removal {
 public:
  // `rebuild`: take no feature out by subtraction. A record has the factor's first `dummies` columns, with value one, and those of its
  // row, whose feature 0 is column `first`.
  Removal(Kernel kernel, int dummies, int first, bool rebuild)
      : kernel_(kernel), dummies_(dummies), first_(first), rebuild_(rebuild), rest_(std::size_t(kernel.size()) + 1) {}

  // Finds the records whose derivatives would lose too many digits, beside the largest derivative of all and `least()`. `trusted`: none
  // can. `exact`: without a penalty a step is slope over curvature of derivatives that may be nothing but rounding errors, and enormous.
  template <class Sums, class Least>
  void look(int n, const Sums &sums, bool exact, bool trusted, const Least &least) {
    careful_ = exact || rebuild_;
    if (!careful_ && trusted) return;
    double scale = least();
    for (int i = 0; i < n; ++i) scale = std::max(scale, kernel_.scale(sums(i)));
    suspect_.assign(n, careful_);
    for (int i = 0; i < n; ++i)
      if (kernel_.doubt(sums(i)) > anova::kRemovalTolerance * scale) suspect_[i] = careful_ = true;
  }

  bool careful() const { return careful_; }  // whether any record is suspect

  // Whether column `at` of record i, whose sums are a, is better not taken out. Then rest() has the sums without it, added up anew.
  template <class Row>
  bool rebuilds(int i, int at, const double *a, double z, const double *p, Row &&row) {
    if (!Kernel::affine || !suspect_[i] || !(rebuild_ || kernel_.loses(a, z))) return false;
    kernel_.begin(rest());
    for (int q = 0; q < dummies_; ++q) add(q, at, p[q]);
    const Slice features = row(i);
    for (int jj = 0; jj < features.size; ++jj) {
      const int l = first_ + features.index[jj];
      add(l, at, p[l] * features.value[jj]);
    }
    return true;
  }
  double *rest() { return rest_.data(); }

 private:
  void add(int l, int at, double z) {
    if (l == at) return;
    kernel_.at(l);
    kernel_.add(rest(), z);
  }

  Kernel kernel_;
  int dummies_, first_;
  bool rebuild_, careful_ = false;
  std::vector<char> suspect_;
  std::vector<double> rest_;  // as a record's sums, from 1 on
};

// Columns first, first + 1, ... of the factor p, column(j) their values, meet the sums of the records that have them.
template <class Kernel, class Columns, class Sums>
void add_columns(Kernel kernel, Columns &&column, int first, int count, const double *p, const Sums &sums, Monitor &monitor) {
  for (int j = 0; j < count; ++j) {
    const double pj = p[first + j];
    if (pj == 0) continue;
    const Slice x = column(j);
    kernel.at(first + j);
    for (int ii = 0; ii < x.size; ++ii) kernel.add(sums(x.index[ii]), pj * x.value[ii]);
    monitor.poll(double(x.size) * (kernel.size() + 1));
  }
}

// The slope and the curvature of the objective in a parameter, its penalty included.
struct StepSlopes {
  double first, second;
};

// To the minimum of the objective with the penalty lambda/2 p^2. A rule has
//   penalty()           what records add to slopes and curvatures
//   exact()             as in Removal
//   operator()(at, p, s)  the step of column `at`, whose parameter is p and whose slopes are s
struct Minimise {
  double lambda;
  double penalty() const { return lambda; }
  bool exact() const { return lambda == 0; }
  double operator()(int, double p, const StepSlopes &s) const {
    if (s.first == 0 || !(s.second > 0)) return 0;
    const double delta = -s.first / s.second;
    return std::fabs(p + delta) < kZero ? -p : delta;
  }
};

// A step for each of these columns. Records:
//   slopes<Careful>(x, at, p, lambda)      StepSlopes of column `at`, whose values are x
//   shift<Careful>(x, at, delta, p)        p[at] is about to grow by delta: the records follow
//   kChecked                               whether the step needs checked<Careful>(x, at, delta, lambda, p), which shortens it
//   careful()                              whether features may have to be rebuilt, Careful
//   width()                                numbers per record, the unit of work
template <class Records, class Columns, class Rule>
void sweep_columns(Records &records, Columns &&column, int first, int count, double *p, const Rule &rule, Monitor &monitor) {
  const auto sweep = [&](auto careful) {
    constexpr bool Careful = decltype(careful)::value;
    for (int j = 0, at = first; j < count; ++j, ++at) {
      const Slice x = column(j);
      const StepSlopes s = records.template slopes<Careful>(x, at, p, rule.penalty());
      monitor.poll(2.0 * x.size * records.width() + 1);  // whether or not there is a step
      double delta = rule(at, p[at], s);
      if constexpr (Records::kChecked)
        if (delta != 0) delta = records.template checked<Careful>(x, at, delta, rule.penalty(), p);
      if (delta == 0) continue;
      records.template shift<Careful>(x, at, delta, p);
      p[at] += delta;
    }
  };
  if (records.careful()) sweep(std::true_type{});
  else sweep(std::false_type{});
}

}  // namespace hofm
#endif
