// Cyclic coordinate descent (section 4 of the paper, made linear in the order).
//
// One epoch: the intercept, then every term in turn, in it every factor s, in it every column j (dummies first). With the loss's
// curvature bound mu and a kernel that is affine in each p_js, the step
//   p_js -= (sum_i w_i l'_i D_ij + lambda p_js) / (mu sum_i w_i D_ij^2 + lambda),   D_ij = dK(p_s, x_i)/dp_js,
// is the exact minimiser for the squared loss. Other losses with a bound are replaced by the parabola that touches them at the present
// link values and is nowhere below them, for one factor after the other: the objective never rises. D_ij comes from a few sums kept per
// row by taking feature j out of them (model/anova.h): O(m) per nonzero, where the paper's recursion (12) costs O(m^2). Without a bound
// or without affinity the step is checked against the objective and halved until that does not rise. After an epoch a
// point further along its step may be tried (solve/descent.h), which the paper does not do.
#ifndef HOFM_SOLVE_CD_H
#define HOFM_SOLVE_CD_H

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/base/simplex.h"
#include "hofm/data/design.h"
#include "hofm/eval/values.h"
#include "hofm/model/dispatch.h"
#include "hofm/model/model.h"
#include "hofm/simd/kernels.h"
#include "hofm/solve/cd_feature_nodes.h"
#include "hofm/solve/cd_features.h"
#include "hofm/solve/cd_nodes.h"
#include "hofm/solve/cd_rows.h"
#include "hofm/solve/descent.h"

namespace hofm {

template <class Loss>
class CoordinateDescent {
 public:
  CoordinateDescent(Design &design, const Response &response, const Options &options, Monitor &monitor)
      : design_(design), response_(response), options_(options), monitor_(monitor), values_(design, options.threads, monitor) {
    if (design.plain()) return;
    sides_ = make_sides(design);
    curvature_ = by_sides(response.weight, sides_);
    if constexpr (Loss::bounded)
      for (std::vector<double> &side : curvature_)
        for (double &w : side) w *= Loss::mu;
  }

  // Minimises in `model`. The outcome has the link values of the samples.
  Outcome operator()(Model &model) {
    Outcome outcome = Descent<CoordinateDescent>(*this, options_, monitor_)(model);
    outcome.link = f_;
    for (int i = 0; i < design_.n; ++i) outcome.link[i] -= response_.offset[i];
    return outcome;
  }

  // What Descent asks of a problem.
  double objective(const Model &model) const { return loss(f_) + penalty(model); }
  double scale() const { return loss(std::vector<double>(design_.n, 0.0)); }
  void refresh(const Model &model) { f_ = link_values(design_.n, model, response_.offset, values_); }
  bool rebuild() { return !std::exchange(rebuild_, true); }

  void epoch(Model &model) {
    if (model.fit_intercept) update_intercept(model.intercept);
    if (model.fit_common) update_common(model.common);
    for (Term &term : model.terms) {
      update_factors(term);
      if (term.kernel == Kernel::mix) update_theta(term);
    }
  }

  bool move_to(Model &&beyond, Model &model) {
    std::vector<double> f = link_values(design_.n, beyond, response_.offset, values_);
    if (!clearly_lower(loss(f) + penalty(beyond), objective(model))) return false;
    model = std::move(beyond);
    f_ = std::move(f);
    return true;
  }

 private:
  static constexpr bool kMajorises = Loss::bounded && !Loss::quadratic;

  // v[i * m + t - 1] = sum_s A^t(p_s, x_i), t = 1..m, for a term of kernel `mix`.
  std::vector<double> degree_values(const Term &term) {
    const int m = term.degree, width = m + 1;
    std::vector<double> v(std::size_t(design_.n) * m, 0.0);
    const auto add = [&](const double *sums, int i) {
      for (int t = 0; t < m; ++t) v[std::size_t(i) * m + t] += sums[t + 1];
    };
    if (by_nodes<Loss>(design_, term)) {
      NodeSweep<AnovaMix<true>> sweep({m, term.theta.data()}, sides_, term.augment, rebuild_, options_.threads, monitor_);
      for (int s = 0; s < term.k; ++s) {
        term.get_factor(s, p_);
        sweep.each(p_.data(), add);
      }
      return v;
    }
    const Anova<Dynamic, true> kernel{{m}};
    ColumnSource columns(design_, term.augment);
    std::vector<double> slots(std::size_t(design_.n) * width);
    const auto sums = [&](int i) { return slots.data() + std::size_t(i) * width; };
    for (int s = 0; s < term.k; ++s) {
      term.get_factor(s, p_);
      std::fill(slots.begin(), slots.end(), 0.0);
      add_columns(kernel, columns, 0, columns.count(), p_.data(), sums, monitor_);
      for (int i = 0; i < design_.n; ++i) add(sums(i), i);
    }
    return v;
  }

  double loss(const std::vector<double> &f) const {
    double sum = 0;
    for (int i = 0; i < design_.n; ++i) sum += response_.weight[i] * Loss::value(response_.y[i], f[i]);
    return sum;
  }

  double curvature(int i) const {
    return response_.weight[i] * (Loss::bounded ? Loss::mu : Loss::curvature(response_.y[i], f_[i]));
  }

  // f moves to f + df, halved until the loss does not rise. Returns the share of df that was taken.
  double move_checked(const std::vector<double> &df) {
    const double before = loss(f_);
    std::vector<double> f(design_.n);
    double share = 1;
    for (int halvings = 0; halvings < kMostHalvings; ++halvings, share /= 2) {
      for (int i = 0; i < design_.n; ++i) f[i] = f_[i] + share * df[i];
      if (loss(f) <= before) {
        f_ = f;
        return share;
      }
    }
    return 0;
  }

  // One weight for what the two nodes of a sample have in common, without a penalty.
  void update_common(double &weight) {
    const std::vector<double> &c = design_.common;
    double first = 0, second = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      first += response_.weight[i] * Loss::deriv(response_.y[i], f_[i]) * c[i];
      second += curvature(int(i)) * c[i] * c[i];
    }
    if (!(second > 0)) return;
    std::vector<double> df(c);
    for (double &d : df) d *= -first / second;
    weight += -first / second * move_checked(df);
  }

  // The same step for the intercept, which has D = 1 everywhere and no penalty.
  void update_intercept(double &intercept) {
    double first = 0, second = 0;
    for (int i = 0; i < design_.n; ++i) {
      first += response_.weight[i] * Loss::deriv(response_.y[i], f_[i]);
      second += curvature(i);
    }
    if (!(second > 0)) return;
    const double delta = -first / second;
    if (Loss::bounded) {
      intercept += delta;
      for (double &f : f_) f += delta;
    } else {
      intercept += delta * move_checked(std::vector<double>(design_.n, delta));
    }
  }

  void update_factors(Term &term) {
    if (!rebuild_ && by_feature<Loss>(design_, term, options_)) {
      if constexpr (Loss::bounded) {
        const bool taken = sides_.size() == 2 ? FeatureNodeSweep<Loss>(sides_, response_, monitor_)(term, f_)
                                              : FeatureSweep<Loss>(design_, response_, monitor_)(term, f_);
        if (taken) return;
      }
    }
    if (by_nodes<Loss>(design_, term)) return update_nodes(term);
    if (kMajorises && majoriser_.y.empty()) majoriser_ = response_;
    const auto slopes = [this](const std::vector<double> &f, int first, int last, double *out) {
      for (int i = first; i < last; ++i) out[i] = Loss::deriv(response_.y[i], f[i]);
    };
    sweep_rows<std::conditional_t<Loss::bounded, Squared, Loss>>(term, design_, response_, kMajorises ? &majoriser_ : nullptr,
                                                                 Loss::bounded ? Loss::mu : 1, slopes, rebuild_, f_, monitor_);
  }

  // Factors of joined samples by way of their nodes.
  void update_nodes(Term &term) {
    const auto slopes = [this](const std::vector<double> &f, int first, int last, double *out) {
      for (int q = first; q < last; ++q) out[q] = response_.weight[q] * Loss::deriv(response_.y[q], f[q]);
    };
    sweep_nodes(term, sides_, rebuild_, options_.threads, slopes, curvature_, nullptr, f_, monitor_);
  }

  // theta on the simplex for given P: with v_it = sum_s A^t(p_s, x_i) the model is linear in theta, and the quadratic bound (or
  // the curvature) of the loss is minimised exactly; the way there stays on the simplex.
  void update_theta(Term &term) {
    const int m = term.degree;
    const std::vector<double> v = degree_values(term);
    std::vector<double> g(m, 0.0), H(std::size_t(m) * m, 0.0);
    for (int i = 0; i < design_.n; ++i) {
      const double *vi = &v[std::size_t(i) * m];
      const double slope = response_.weight[i] * Loss::deriv(response_.y[i], f_[i]);
      for (int t = 0; t < m; ++t) {
        g[t] += slope * vi[t];
        for (int u = 0; u < m; ++u) H[std::size_t(t) * m + u] += curvature(i) * vi[t] * vi[u];
      }
    }
    std::vector<double> theta = term.theta, df(design_.n, 0.0);
    minimise_on_simplex(g, H, theta);
    for (int i = 0; i < design_.n; ++i)
      for (int t = 0; t < m; ++t) df[i] += (theta[t] - term.theta[t]) * v[std::size_t(i) * m + t];
    const double share = move_checked(df);
    for (int t = 0; t < m; ++t) term.theta[t] += share * (theta[t] - term.theta[t]);
    project_to_simplex(term.theta);
  }

  Design &design_;
  const Response &response_;
  const Options &options_;
  Monitor &monitor_;
  TermValues values_;
  Response majoriser_;  // see sweep_rows(); empty before the first use
  std::vector<NodeSet> sides_;
  BySides curvature_;  // of the samples: weight * mu
  std::vector<double> f_, p_;
  bool rebuild_ = false;
};

}  // namespace hofm
#endif
