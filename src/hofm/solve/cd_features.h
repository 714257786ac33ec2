// Coordinate descent that moves all k factors of a feature together, vectorised over factors.
//
// The ANOVA model is affine in the row p_j of P: f_i changes by <delta, D_i>, D_is = dA^m(p_s, x_i)/dp_js. One step takes the
// direction u_s = -slope_s / curvature_s of the single steps and then the exact (for other losses than the squared one: bounded)
// step length along it, so the objective never rises. It costs a few vector operations per nonzero for all factors, where
// single steps cost k times a dozen scalar ones; single steps make more of an epoch where the factors of a feature are strongly
// coupled, that is where features are few and rows many.
#ifndef HOFM_SOLVE_CD_FEATURES_H
#define HOFM_SOLVE_CD_FEATURES_H

#include <algorithm>
#include <cmath>
#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/data/design.h"
#include "hofm/model/anova.h"
#include "hofm/model/model.h"
#include "hofm/simd/kernels.h"

namespace hofm {

// ANOVA terms from degree 2 on; of "auto", those of data with more features than rows.
template <class Loss>
bool by_feature(const Design &design, const Term &term, const Options &options) {
  if (!Loss::bounded || term.kernel != Kernel::anova || term.degree < 2 || term.k < 2) return false;
  if (term.lambda == 0) return false;  // see Removal: rounding errors must not be followed
  if (options.sweep != "auto") return options.sweep == "joint";
  const double bytes = 8.0 * design.n * (term.degree - 1) * term.stride;
  return design.d > design.n && bytes < 1e9;
}

// The single steps of a column's factors, all taken from the same point, into u; false if there is nothing to do.
inline bool feature_steps(const Term &term, const double *p, const std::vector<double> &first, const std::vector<double> &second,
                          std::vector<double> &u) {
  u.resize(term.stride);
  bool any = false;
  for (int s = 0; s < term.stride; ++s) {
    const double slope = first[s] + term.lambda * p[s], curvature = second[s] + term.lambda;
    u[s] = slope != 0 && curvature > 0 ? -slope / curvature : 0;
    any = any || u[s] != 0;
  }
  return any;
}

template <class Loss>
class FeatureSweep {
 public:
  FeatureSweep(Design &design, const Response &response, Monitor &monitor, Isa isa = best_isa())
      : design_(design), response_(response), monitor_(monitor), isa_(isa) {}

  // One pass over the columns of the term; f follows. Returns false, with nothing changed, if some row's sums cannot be taken
  // apart safely.
  bool operator()(Term &term, std::vector<double> &f) {
    const FeatureKernel kernel = kernels(isa_).features(term.degree);
    const TermView at = view(term);
    ColumnSource columns(design_, term.augment);
    if (!fill(term, at, kernel, columns)) return false;
    enter(f);
    std::vector<double> first(term.stride), second(term.stride), u, d;
    for (int j = 0; j < columns.count(); ++j) {
      const Slice column = columns(j);
      double *p = term.row(j);
      kernel.slopes(at, column, p, sums_.data(), g_.data(), w_.data(), first.data(), second.data());
      monitor_.poll(3.0 * column.size * term.stride + 1);  // whether or not there is a step
      if (!feature_steps(term, p, first, second, u)) continue;
      d.resize(column.size);
      kernel.direction(at, column, p, sums_.data(), u.data(), d.data());
      const double length = step_length(term, column, p, u, d);
      for (double &us : u) us *= length;
      kernel.shift(at, column, p, u.data(), sums_.data());
      follow(column, length, d, f);
      for (int s = 0; s < term.stride; ++s) p[s] += u[s];
    }
    return true;
  }

 private:
  bool fill(const Term &term, const TermView &at, const FeatureKernel &kernel, ColumnSource &columns) {
    const std::size_t width = std::size_t(term.degree - 1) * term.stride;
    sums_.assign(std::size_t(design_.n) * width, 0.0);
    for (int j = 0; j < columns.count(); ++j) kernel.add(at, columns(j), term.row(j), sums_.data());
    if (term.degree <= 2) return true;
    double a[kMaxOrder];
    std::vector<double> doubt(term.k, 0.0), scale(term.k, 0.0);
    for (int i = 0; i < design_.n; ++i)
      for (int s = 0; s < term.k; ++s) {
        for (int t = 1; t < term.degree; ++t) a[t] = sums_[i * width + std::size_t(t - 1) * term.stride + s];
        doubt[s] = std::max(doubt[s], anova::doubt(a, term.degree));
        scale[s] = std::max(scale[s], std::fabs(a[term.degree - 1]));
      }
    for (int s = 0; s < term.k; ++s)
      if (doubt[s] > anova::kRemovalTolerance * scale[s]) return false;
    return true;
  }

  void enter(const std::vector<double> &f) {
    g_.resize(design_.n);
    w_.resize(design_.n);
    for (int i = 0; i < design_.n; ++i) {
      g_[i] = response_.weight[i] * Loss::deriv(response_.y[i], f[i]);
      w_[i] = response_.weight[i] * Loss::mu;
    }
  }

  double step_length(const Term &term, const Slice &column, const double *p, const std::vector<double> &u,
                     const std::vector<double> &d) const {
    double slope = 0, curvature = 0;
    for (int s = 0; s < term.stride; ++s) {
      slope += term.lambda * p[s] * u[s];
      curvature += term.lambda * u[s] * u[s];
    }
    for (int ii = 0; ii < column.size; ++ii) {
      slope += g_[column.index[ii]] * d[ii];
      curvature += w_[column.index[ii]] * d[ii] * d[ii];
    }
    return curvature > 0 ? -slope / curvature : 0;
  }

  void follow(const Slice &column, double length, const std::vector<double> &d, std::vector<double> &f) {
    for (int ii = 0; ii < column.size; ++ii) {
      const int i = column.index[ii];
      f[i] += length * d[ii];
      g_[i] = Loss::quadratic ? g_[i] + w_[i] * length * d[ii] : response_.weight[i] * Loss::deriv(response_.y[i], f[i]);
    }
  }

  Design &design_;
  const Response &response_;
  Monitor &monitor_;
  Isa isa_;
  std::vector<double> sums_, g_, w_;
};

}  // namespace hofm
#endif
