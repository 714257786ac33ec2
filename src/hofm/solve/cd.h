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
#include "hofm/solve/descent.h"

namespace hofm {

constexpr int kMostHalvings = 40;  // of a step that is checked: by then it is 1e-12 of what it was

// The kernel's sums of every row for one factor, built column by column. Row i's sums are slots[i * width + 1..]; what else is in a slot
// stays. `packed` must be of the same kernel, or nothing.
template <class Kernel>
void fill_rows(Kernel kernel, const ColumnKernel &packed, ColumnSource &columns, const double *p, int n, double *slots, int width,
               Monitor &monitor) {
  for (int i = 0; i < n; ++i) kernel.begin(slots + std::size_t(i) * width);
  for (int j = 0; j < columns.count(); ++j) {
    const double pj = p[j];
    if (pj == 0) continue;
    const Slice column = columns(j);
    kernel.at(j);
    if (packed) packed.add(column, pj, slots);
    else
      for (int ii = 0; ii < column.size; ++ii) kernel.add(slots + std::size_t(column.index[ii]) * width, pj * column.value[ii]);
    monitor.poll(double(column.size) * width);
  }
}

// Factors of one term: between enter() and leave() the rows' link values are kept here. For the squared loss, and for losses without a
// curvature bound.
template <class Kernel, class Loss, bool Weighted>
class FactorSweep {
  static_assert(Loss::quadratic || !Loss::bounded, "other losses with a bound come as the squared loss of a touching parabola");

 public:
  // `packed`: what works on several rows of a column at once, or nothing. `rebuild`: take no feature out by subtraction.
  FactorSweep(Kernel kernel, ColumnKernel packed, Design &design, ColumnSource &columns, int augment, bool rebuild,
              const Response &response, Monitor &monitor)
      : kernel_(kernel), packed_(packed), design_(design), columns_(columns), rows_(design), augment_(augment), rebuild_(rebuild),
        response_(response), monitor_(monitor) {
    slots_.resize(std::size_t(design.n) * width());
    rest_.resize(std::size_t(kernel.size()) + 1);
  }

  // Takes in the link values of all samples and the derivatives of the loss there.
  void enter(const std::vector<double> &f, const std::vector<double> &slope) {
    for (int i = 0; i < design_.n; ++i) {
      double *a = slot(i);
      a[0] = slope[i];
      if (Weighted) a[at_weight()] = response_.weight[i];
      if (!Loss::quadratic) {
        a[at_f()] = f[i];
        a[at_f() + 1] = response_.y[i];
      }
    }
  }

  // Gives f back as it is after the steps.
  void leave(std::vector<double> &f) const {
    for (int i = 0; i < design_.n; ++i) f[i] = Loss::quadratic ? response_.y[i] + slot(i)[0] : slot(i)[at_f()];
  }

  // Lowers the objective in the factor p: all columns once. Not inlined, so that all losses with a bound share the code.
  __attribute__((noinline)) void operator()(double *p, double lambda) {
    fill_rows(kernel_, packed_, columns_, p, design_.n, slots_.data(), width(), monitor_);
    // Without a penalty a step is slope over curvature of derivatives that may be nothing but rounding errors, and enormous.
    careful_ = lambda == 0 || rebuild_;
    if (careful_ || !trusted()) find_suspects(p, lambda);
    if (careful_) design_.need_rows();
    monitor_.poll(design_.n);
    if (careful_) sweep<true>(p, lambda);
    else sweep<false>(p, lambda);
  }

 private:
  static constexpr bool kChecked = !Loss::bounded || !Kernel::affine;

  // A slot: derivative of the loss, the kernel's sums, then the weight if weights differ, then f and y unless l' = f - y. Its
  // width is even, for pairs of doubles to be loaded at once.
  int at_weight() const { return 1 + kernel_.size(); }
  int at_f() const { return at_weight() + Weighted; }
  int width() const { return (at_f() + (Loss::quadratic ? 0 : 2) + 1) / 2 * 2; }
  double *slot(int i) { return slots_.data() + std::size_t(i) * width(); }
  const double *slot(int i) const { return slots_.data() + std::size_t(i) * width(); }

  // Whether no row can be in doubt.
  bool trusted() const {
    if (!packed_) return kernel_.trusts(design_.n, [&](int i) { return slot(i); });
    if (kernel_.size() < 2) return true;
    double most[kMaxOrder] = {};
    packed_.widen(slots_.data(), design_.n, most);
    return anova::trusts(most, kernel_.size() + 1);
  }

  // Rows whose derivatives would lose too many digits, beside the largest derivative of all rows. An error e in derivatives
  // moves a parameter by e sum_i w_i |l'_i| / lambda at most: what that makes of the largest parameter may be lost, too.
  void find_suspects(const double *p, double lambda) {
    double scale = 0, largest = 0, force = 0;
    for (int j = 0; j < columns_.count(); ++j) largest = std::max(largest, std::fabs(p[j]));
    for (int i = 0; i < design_.n; ++i) {
      scale = std::max(scale, kernel_.scale(slot(i)));
      force += response_.weight[i] * std::fabs(slot(i)[0]);
    }
    if (force > 0) scale = std::max(scale, lambda * largest / force);
    suspect_.assign(design_.n, careful_);
    for (int i = 0; i < design_.n; ++i)
      if (kernel_.doubt(slot(i)) > anova::kRemovalTolerance * scale) suspect_[i] = careful_ = true;
  }

  double weight(const double *a) const { return Weighted ? a[at_weight()] : 1; }  // uniform weights are put in at the end

  // The sums of row i without column j, by walking the row, into rest_.
  void without(int i, int j, const double *p) {
    kernel_.begin(rest_.data());
    for (int q = 0; q < augment_; ++q) add_to_rest(q, j, p[q]);
    const Slice row = rows_(i);
    for (int jj = 0; jj < row.size; ++jj) add_to_rest(augment_ + row.index[jj], j, p[augment_ + row.index[jj]] * row.value[jj]);
    kernel_.at(j);
  }
  void add_to_rest(int l, int j, double z) {
    if (l == j) return;
    kernel_.at(l);
    kernel_.add(rest_.data(), z);
  }

  // Whether the sums of row i without a feature are added up anew.
  bool rebuilt(int i, const double *a, double z) const {
    return Kernel::affine && suspect_[i] && (rebuild_ || kernel_.loses(a, z));
  }

  // Derivative of the kernel in z for row i, whose sums are a. Where taking out would lose digits, from the rest of the row.
  template <bool Careful>
  double slope(int i, int j, const double *a, double z, const double *p) {
    if (!Careful || !rebuilt(i, a, z)) return kernel_.slope(a, z);
    without(i, j, p);
    return kernel_.slope(rest_.data(), 0);
  }

  struct Slopes {
    double first, second;
  };

  // Weighted sums of l' D and of (curvature) D^2 over the rows of column j.
  template <bool Careful>
  Slopes slopes(const Slice &column, int j, const double *p) {
    double first = 0, second = 0;
    if (!Careful && packed_) packed_.slopes(column, p[j], slots_.data(), &first, &second);
    else
      for (int ii = 0; ii < column.size; ++ii) {
        const int i = column.index[ii];
        const double *a = slot(i), x = column.value[ii];
        const double D = x * slope<Careful>(i, j, a, p[j] * x, p), wD = weight(a) * D;
        first += a[0] * wD;
        second += wD * (Loss::bounded ? D : D * Loss::curvature(a[at_f() + 1], a[at_f()]));
      }
    return Weighted ? Slopes{first, second} : Slopes{first / design_.n, second / design_.n};
  }

  // z becomes z + dz in row i: sums, link value and derivative follow.
  template <bool Careful>
  void shift(int i, int j, double *a, double z, double dz, const double *p) {
    double df;
    if (Careful && rebuilt(i, a, z)) {
      without(i, j, p);
      df = dz * kernel_.slope(rest_.data(), 0);
      kernel_.add(rest_.data(), z + dz);
      std::copy(rest_.begin() + 1, rest_.end(), a + 1);
    } else {
      df = kernel_.shift(a, z, dz);
    }
    if (Loss::quadratic) {
      a[0] += df;
    } else {
      a[at_f()] += df;
      a[0] = Loss::deriv(a[at_f() + 1], a[at_f()]);
    }
  }

  // How the loss of a row changes when its link value does.
  double loss_change(const double *a, double df) const {
    if constexpr (Loss::quadratic) return df * (a[0] + df / 2);
    else return Loss::value(a[at_f() + 1], a[at_f()] + df) - Loss::value(a[at_f() + 1], a[at_f()]);
  }

  // The step, halved until the objective does not rise; zero if it always does.
  template <bool Careful>
  double checked(const Slice &column, int j, double delta, double lambda, const double *p) {
    for (int halvings = 0; halvings < kMostHalvings; ++halvings, delta /= 2) {
      double change = 0;
      for (int ii = 0; ii < column.size; ++ii) {
        const int i = column.index[ii];
        const double *a = slot(i), x = column.value[ii], z = p[j] * x, dz = delta * x;
        const double df = Kernel::affine ? dz * slope<Careful>(i, j, a, z, p) : kernel_.change(a, z, dz);
        change += weight(a) * loss_change(a, df);
      }
      if (!Weighted) change /= design_.n;
      if (change + lambda / 2 * delta * (2 * p[j] + delta) <= 0) return delta;
    }
    return 0;
  }

  template <bool Careful>
  void sweep(double *p, double lambda) {
    for (int j = 0; j < columns_.count(); ++j) {
      const Slice column = columns_(j);
      kernel_.at(j);
      const Slopes s = slopes<Careful>(column, j, p);
      monitor_.poll(2.0 * column.size * (kernel_.size() + 1) + 1);  // whether or not there is a step
      const double slope = s.first + lambda * p[j], curvature = s.second + lambda;
      if (slope == 0 || !(curvature > 0)) continue;
      double delta = -slope / curvature;
      if (std::fabs(p[j] + delta) < kZero) delta = -p[j];
      if constexpr (kChecked) delta = checked<Careful>(column, j, delta, lambda, p);
      if (delta == 0) continue;
      if (!Careful && packed_) packed_.shift(column, p[j], delta, slots_.data());
      else
        for (int ii = 0; ii < column.size; ++ii) {
          const double x = column.value[ii];
          shift<Careful>(column.index[ii], j, slot(column.index[ii]), p[j] * x, delta * x, p);
        }
      p[j] += delta;
    }
  }

  Kernel kernel_;
  ColumnKernel packed_;
  Design &design_;
  ColumnSource &columns_;
  RowSource rows_;
  int augment_;
  bool rebuild_;
  const Response &response_;
  Monitor &monitor_;
  std::vector<double> slots_, rest_;
  bool careful_ = false;
  std::vector<char> suspect_;
};

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
      for (int t = 0; t < m; ++t) v[std::size_t(i) * m + t] += sums[t];
    };
    if (by_nodes<Loss>(design_, term)) {
      const MixNodes policy(m, term.theta.data());
      NodeSweep<MixNodes, LossTarget<Loss>> sweep(policy, sides_, term.augment, rebuild_, {response_, curvature_}, options_.threads,
                                                  monitor_);
      for (int s = 0; s < term.k; ++s) {
        factor(term, s);
        sweep.each(p_.data(), add);
      }
      return v;
    }
    const Anova<Dynamic> kernel{{m + 1}};  // which keeps A^1..A^m
    ColumnSource columns(design_, term.augment);
    std::vector<double> slots(std::size_t(design_.n) * width);
    for (int s = 0; s < term.k; ++s) {
      factor(term, s);
      fill_rows(kernel, {}, columns, p_.data(), design_.n, slots.data(), width, monitor_);
      for (int i = 0; i < design_.n; ++i) add(slots.data() + std::size_t(i) * width + 1, i);
      monitor_.poll(2.0 * design_.nonzeros() * width);
    }
    return v;
  }

  void factor(const Term &term, int s) {
    p_.resize(term.columns());
    for (int j = 0; j < term.columns(); ++j) p_[j] = term.row(j)[s];
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
    with_kernel(term, [&](auto kernel) {
      if constexpr (Loss::bounded)  // the others spend their time in exp()
        if (response_.uniform) return sweep_factors<false>(kernel, term);
      sweep_factors<true>(kernel, term);
    });
  }

  template <bool Weighted, class Kernel>
  void sweep_factors(Kernel kernel, Term &term) {
    constexpr double scale = Loss::bounded ? Loss::mu : 1;  // the parabola is mu times the squared loss of another response
    ColumnSource columns(design_, term.augment);
    const ColumnKernel packed =
        Loss::bounded && term.kernel == hofm::Kernel::anova ? kernels().columns(term.degree, Weighted) : ColumnKernel{};
    if (kMajorises && majoriser_.y.empty()) majoriser_ = response_;
    FactorSweep<Kernel, std::conditional_t<Loss::bounded, Squared, Loss>, Weighted> sweep(
        kernel, packed, design_, columns, term.augment, rebuild_, kMajorises ? majoriser_ : response_, monitor_);
    for (int s = 0; s < term.k; ++s) {
      if (kMajorises || s == 0) {
        slope_.resize(design_.n);
        for (int i = 0; i < design_.n; ++i) slope_[i] = Loss::deriv(response_.y[i], f_[i]) / scale;
        if constexpr (kMajorises) majorise();
        sweep.enter(f_, slope_);
      }
      factor(term, s);
      sweep(p_.data(), term.lambda / scale);
      for (int j = 0; j < term.columns(); ++j) term.row(j)[s] = p_[j];
      if (kMajorises || s + 1 == term.k) sweep.leave(f_);
    }
  }

  // The response whose squared loss, mu times, touches the loss at the present link values: mu (f - y) is the loss's derivative.
  void majorise() {
    for (int i = 0; i < design_.n; ++i) majoriser_.y[i] = f_[i] - slope_[i];
  }

  // Factors of joined samples by way of their nodes.
  void update_nodes(Term &term) {
    with_nodes(term, [&](auto policy) {
      NodeSweep<decltype(policy), LossTarget<Loss>> sweep(policy, sides_, term.augment, rebuild_, {response_, curvature_},
                                                          options_.threads, monitor_);
      for (int s = 0; s < term.k; ++s) {
        factor(term, s);
        sweep(p_.data(), term.lambda, f_);
        for (int j = 0; j < term.columns(); ++j) term.row(j)[s] = p_[j];
      }
    });
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
  Response majoriser_;  // see majorise(); empty before the first use
  std::vector<NodeSet> sides_;
  BySides curvature_;  // of the samples: weight * mu
  std::vector<double> f_, slope_, p_;
  bool rebuild_ = false;
};

}  // namespace hofm
#endif
