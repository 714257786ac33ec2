// Coordinate descent on the rows of a design, one factor at a time: the records of solve/cd_sweep.h are rows.
#ifndef HOFM_SOLVE_CD_ROWS_H
#define HOFM_SOLVE_CD_ROWS_H

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/data/design.h"
#include "hofm/model/dispatch.h"
#include "hofm/model/model.h"
#include "hofm/simd/kernels.h"
#include "hofm/solve/cd_sweep.h"

namespace hofm {

constexpr int kMostHalvings = 40;  // of a step that is checked: by then it is 1e-12 of what it was

// Factors of one term: between enter() and leave() the rows' link values are kept here. For the squared loss, and for losses without a
// curvature bound.
template <class Kernel, class Loss, bool Weighted>
class RowRecords {
  static_assert(Loss::quadratic || !Loss::bounded, "other losses with a bound come as the squared loss of a touching parabola");

 public:
  static constexpr bool kChecked = !Loss::bounded || !Kernel::affine;

  // `packed`: what works on several rows of a column at once, or nothing. `rebuild`: take no feature out by subtraction.
  RowRecords(Kernel kernel, ColumnKernel packed, Design &design, ColumnSource &columns, int augment, bool rebuild,
             const Response &response, Monitor &monitor)
      : kernel_(kernel), packed_(packed), design_(design), columns_(columns), rows_(design), removal_(kernel, augment, augment, rebuild),
        response_(response), monitor_(monitor), slots_(std::size_t(design.n) * width()) {}

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

  // The factor p moves by the rule: all columns once.
  template <class Rule>
  void sweep(double *p, const Rule &rule) {
    fill(p);
    removal_.look(design_.n, [this](int i) { return slot(i); }, rule.exact(), trusted(), [&] { return least(p, rule.penalty()); });
    if (careful()) design_.need_rows();
    monitor_.poll(design_.n);
    sweep_columns(*this, columns_, 0, columns_.count(), p, rule, monitor_);
  }

  // What sweep_columns() asks of records. A slot: derivative of the loss, the kernel's sums, then the weight if weights differ, then f and
  // y unless l' = f - y. Its width is even, for pairs of doubles to be loaded at once.
  int width() const { return (at_f() + (Loss::quadratic ? 0 : 2) + 1) / 2 * 2; }
  bool careful() const { return removal_.careful(); }

  // Weighted sums of l' D and of (curvature) D^2 over the rows of column j.
  template <bool Careful>
  StepSlopes slopes(const Slice &column, int j, const double *p, double lambda) {
    kernel_.at(j);
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
    const double n = Weighted ? 1 : design_.n;
    return {first / n + lambda * p[j], second / n + lambda};
  }

  template <bool Careful>
  void shift(const Slice &column, int j, double delta, const double *p) {
    if (!Careful && packed_) return packed_.shift(column, p[j], delta, slots_.data());
    for (int ii = 0; ii < column.size; ++ii) {
      const double x = column.value[ii];
      shift_row<Careful>(column.index[ii], j, slot(column.index[ii]), p[j] * x, delta * x, p);
    }
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

 private:
  int at_weight() const { return 1 + kernel_.size(); }
  int at_f() const { return at_weight() + Weighted; }
  double *slot(int i) { return slots_.data() + std::size_t(i) * width(); }
  const double *slot(int i) const { return slots_.data() + std::size_t(i) * width(); }
  double weight(const double *a) const { return Weighted ? a[at_weight()] : 1; }  // uniform weights are put in at the end

  // The sums of every row, built column by column.
  void fill(const double *p) {
    for (int i = 0; i < design_.n; ++i) kernel_.begin(slot(i));
    if (!packed_) return add_columns(kernel_, columns_, 0, columns_.count(), p, [this](int i) { return slot(i); }, monitor_);
    for (int j = 0; j < columns_.count(); ++j) {
      if (p[j] == 0) continue;
      const Slice column = columns_(j);
      packed_.add(column, p[j], slots_.data());
      monitor_.poll(double(column.size) * width());
    }
  }

  // Whether no row can be in doubt.
  bool trusted() const {
    if (!packed_) return kernel_.trusts(design_.n, [&](int i) { return slot(i); });
    if (kernel_.size() < 2) return true;
    double most[kMaxOrder] = {};
    packed_.widen(slots_.data(), design_.n, most);
    return anova::trusts(most, kernel_.size() + 1);
  }

  // An error e in derivatives moves a parameter by e sum_i w_i |l'_i| / lambda at most: what that makes of the largest parameter may be
  // lost, too.
  double least(const double *p, double lambda) const {
    double largest = 0, force = 0;
    for (int j = 0; j < columns_.count(); ++j) largest = std::max(largest, std::fabs(p[j]));
    for (int i = 0; i < design_.n; ++i) force += response_.weight[i] * std::fabs(slot(i)[0]);
    return force > 0 ? lambda * largest / force : 0;
  }

  template <bool Careful>
  bool rebuilds(int i, int j, const double *a, double z, const double *p) {
    return Careful && removal_.rebuilds(i, j, a, z, p, rows_);
  }

  // Derivative of the kernel in z for row i, whose sums are a. Where taking out would lose digits, from the rest of the row.
  template <bool Careful>
  double slope(int i, int j, const double *a, double z, const double *p) {
    return rebuilds<Careful>(i, j, a, z, p) ? kernel_.slope(removal_.rest(), 0) : kernel_.slope(a, z);
  }

  // z becomes z + dz in row i: sums, link value and derivative follow.
  template <bool Careful>
  void shift_row(int i, int j, double *a, double z, double dz, const double *p) {
    double df;
    if (rebuilds<Careful>(i, j, a, z, p)) {
      df = dz * kernel_.slope(removal_.rest(), 0);
      kernel_.add(removal_.rest(), z + dz);
      std::copy_n(removal_.rest() + 1, kernel_.size(), a + 1);
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

  Kernel kernel_;
  ColumnKernel packed_;
  Design &design_;
  ColumnSource &columns_;
  RowSource rows_;
  Removal<Kernel> removal_;
  const Response &response_;
  Monitor &monitor_;
  std::vector<double> slots_;
};

// All factors of a term by way of the rows; f are their link values. `slopes`: derivatives of the loss, without the weights. A loss with a
// bound other than the squared one hands over a `majoriser`: the response whose squared loss, mu times, touches it at the present link
// values, renewed for every factor.
template <class Loss>
void sweep_rows(Term &term, Design &design, const Response &response, Response *majoriser, double mu, const Slopes &slopes, bool rebuild,
                std::vector<double> &f, Monitor &monitor) {
  const auto sweep_all = [&](auto kernel, auto weighted) {
    ColumnSource columns(design, term.augment);
    const bool pack = Loss::bounded && term.kernel == Kernel::anova;
    RowRecords<decltype(kernel), Loss, weighted.value> rows(
        kernel, pack ? kernels().columns(term.degree, weighted.value) : ColumnKernel{}, design, columns, term.augment, rebuild,
        majoriser ? *majoriser : response, monitor);
    std::vector<double> slope(design.n), p;
    for (int s = 0; s < term.k; ++s) {
      if (majoriser || s == 0) {
        slopes(f, 0, design.n, slope.data());
        for (double &l : slope) l /= mu;
        for (int i = 0; majoriser && i < design.n; ++i) majoriser->y[i] = f[i] - slope[i];  // mu (f - y) is the loss's derivative
        rows.enter(f, slope);
      }
      term.get_factor(s, p);
      rows.sweep(p.data(), Minimise{term.lambda / mu});
      term.set_factor(s, p);
      if (majoriser || s + 1 == term.k) rows.leave(f);
    }
  };
  with_kernel<false>(term, [&](auto kernel) {
    if constexpr (Loss::bounded)  // the others spend their time in exp()
      if (response.uniform) return sweep_all(kernel, std::false_type{});
    sweep_all(kernel, std::true_type{});
  });
}

}  // namespace hofm
#endif
