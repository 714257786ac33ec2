// One factor given all else, column by column: every p_j of an ANOVA kernel has a normal law, since the kernel is affine in it. With
// D_ij = dA(p, x_i)/dp_j and residuals r = f - y,
//   precision = alpha sum_i w_i D_ij^2 + lambda,   mean = (alpha (p_j sum_i w_i D_ij^2 - sum_i w_i r_i D_ij) + lambda mu) / precision.
// The sums of the rows and the vector code for them are those of coordinate descent (solve/cd.h): a sweep costs what an epoch does.
#ifndef HOFM_BAYES_ROW_SWEEP_H
#define HOFM_BAYES_ROW_SWEEP_H

#include <cmath>
#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/data/design.h"
#include "hofm/model/anova.h"
#include "hofm/simd/kernels.h"

namespace hofm {
namespace bayes {

class RowSweep {
 public:
  // `weight`: of the samples, empty if all are one.
  RowSweep(Design &design, int degree, int augment, const std::vector<double> &weight, Monitor &monitor)
      : n_(design.n), degree_(degree), weighted_(!weight.empty()), columns_(design, augment),
        packed_(kernels().columns(degree, !weight.empty())), weight_(weight), monitor_(monitor) {
    width_ = (degree + weighted_ + 1) / 2 * 2;
  }

  int columns() const { return columns_.count(); }

  // Takes the residuals f - y in, and gives them back as they are after the draws.
  void enter(const std::vector<double> &residual) {
    slots_.resize(std::size_t(n_) * width_);
    for (int i = 0; i < n_; ++i) {
      slot(i)[0] = residual[i];
      if (weighted_) slot(i)[degree_] = weight_[i];
    }
  }
  void leave(std::vector<double> &residual) const {
    for (int i = 0; i < n_; ++i) residual[i] = slots_[std::size_t(i) * width_];
  }

  // All columns once. next(j, p, first, second) is asked for the new p_j, given the weighted sums of r D and of D^2.
  template <class Next>
  void operator()(double *p, const Next &next) {
    if (packed_) return draw(Packed{packed_, slots_.data()}, p, next);
    with_degree<1, 3>(degree_, [&](auto m) { draw(Single<m.known>{{m}, slots_.data(), width_, weighted_ ? degree_ : -1}, p, next); });
  }

 private:
  // Four rows at a time.
  struct Packed {
    ColumnKernel kernel;
    double *slots;
    void add(const Slice &column, double p) const { kernel.add(column, p, slots); }
    void slopes(const Slice &column, double p, double *first, double *second) const {
      kernel.slopes(column, p, slots, first, second);
    }
    void shift(const Slice &column, double p, double delta) const { kernel.shift(column, p, delta, slots); }
  };

  // One row at a time, where the processor or the degree has no better.
  template <int M>
  struct Single {
    Anova<M> kernel;
    double *slots;
    int width, at_weight;
    double *slot(int i) const { return slots + std::size_t(i) * width; }
    void add(const Slice &column, double p) const {
      for (int q = 0; q < column.size; ++q) kernel.add(slot(column.index[q]), p * column.value[q]);
    }
    void slopes(const Slice &column, double p, double *first, double *second) const {
      *first = *second = 0;
      for (int q = 0; q < column.size; ++q) {
        const double *a = slot(column.index[q]), x = column.value[q], D = x * kernel.slope(a, p * x);
        const double wD = at_weight < 0 ? D : a[at_weight] * D;
        *first += a[0] * wD;
        *second += D * wD;
      }
    }
    void shift(const Slice &column, double p, double delta) const {
      for (int q = 0; q < column.size; ++q) {
        double *a = slot(column.index[q]);
        a[0] += kernel.shift(a, p * column.value[q], delta * column.value[q]);
      }
    }
  };

  // Sums are built anew for every factor, so that what removal loses does not add up.
  template <class Rows, class Next>
  void draw(const Rows &rows, double *p, const Next &next) {
    for (int i = 0; i < n_; ++i)
      for (int t = 1; t < degree_; ++t) slot(i)[t] = 0;
    if (degree_ > 1)
      for (int j = 0; j < columns_.count(); ++j) rows.add(columns_(j), p[j]);
    for (int j = 0; j < columns_.count(); ++j) {
      const Slice column = columns_(j);
      double first, second;
      rows.slopes(column, p[j], &first, &second);
      const double to = next(j, p[j], first, second);
      rows.shift(column, p[j], to - p[j]);
      p[j] = to;
      monitor_.poll(3.0 * column.size * degree_ + 1);
    }
  }

  double *slot(int i) { return slots_.data() + std::size_t(i) * width_; }

  int n_, degree_, width_;
  bool weighted_;
  ColumnSource columns_;
  ColumnKernel packed_;
  const std::vector<double> &weight_;
  Monitor &monitor_;
  std::vector<double> slots_;
};

}  // namespace bayes
}  // namespace hofm
#endif
