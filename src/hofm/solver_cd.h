// Cyclic coordinate descent on a plain design (section 4 of the paper, made linear in the order).
//
// One epoch: the intercept, then every term in turn, in it every factor s, in it every feature j. The model is affine in each
// p_js, so with the loss's curvature bound mu the step
//   p_js -= (sum_i w_i l'_i D_ij + lambda p_js) / (mu sum_i w_i D_ij^2 + lambda),   D_ij = dA^m(p_s, x_i)/dp_js,
// never raises the objective and for the squared loss is the exact minimiser. D_ij = x_ij h_{m-1} comes from the cached
// a_1..a_{m-1} of the row by taking feature j out: O(m) per nonzero, where the paper's recursion (12) costs O(m^2).
// A loss without a bound uses its own curvature and halves the step until the objective does not rise.
#ifndef HOFM_SOLVER_CD_H
#define HOFM_SOLVER_CD_H

#include <algorithm>
#include <cmath>
#include <vector>

#include "design.h"
#include "dispatch.h"
#include "kernel_anova.h"
#include "loss.h"
#include "model.h"
#include "monitor.h"

namespace hofm {

// a_1..a_{m-1} of every row for one factor, built feature by feature into slots of `width` doubles (a_t at position t).
template <int M>
void fill_rows(Degree<M> m, const SparseView &columns, const double *p, double *slots, int width) {
  for (int j = 0; j < columns.outer; ++j) {
    const Slice column = columns[j];
    const double pj = p[j];
    if (pj == 0) continue;
    for (int ii = 0; ii < column.size; ++ii) {
      double *a = slots + std::size_t(column.index[ii]) * width;
      const double z = pj * column.value[ii];
      for (int t = m - 1; t >= 2; --t) a[t] += z * a[t - 1];
      a[1] += z;
    }
  }
}

// One factor of one term, all features once.
template <int M, class Loss, bool Weighted>
class FactorSweep {
 public:
  FactorSweep(Degree<M> m, Design &design, const Response &response, Monitor &monitor)
      : m_(m), design_(design), columns_(design.blocks[0].columns), response_(response), monitor_(monitor) {
    slots_.resize(std::size_t(design.n) * width());
  }

  // Lowers the objective in p (contiguous, d), with f the link values of all samples; both are brought up to date.
  void operator()(double *p, double lambda, std::vector<double> &f) {
    enter(p, f);
    if (careful_) sweep<true>(p, lambda);
    else sweep<false>(p, lambda);
    leave(f);
  }

 private:
  // A slot: derivative of the loss, a_1..a_{m-1}, then the weight if weights differ, then f and y unless l' = f - y.
  int width() const { return m_ + Weighted + (Loss::quadratic ? 0 : 2); }
  int at_weight() const { return m_; }
  int at_f() const { return m_ + Weighted; }
  double *slot(int i) { return slots_.data() + std::size_t(i) * width(); }

  void enter(const double *p, const std::vector<double> &f) {
    std::fill(slots_.begin(), slots_.end(), 0.0);
    if (m_ > 1) fill_rows(m_, columns_, p, slots_.data(), width());
    careful_ = false;
    for (int i = 0; i < design_.n; ++i) {
      double *a = slot(i);
      a[0] = Loss::deriv(response_.y[i], f[i]);
      if (Weighted) a[at_weight()] = response_.weight[i];
      if (!Loss::quadratic) {
        a[at_f()] = f[i];
        a[at_f() + 1] = response_.y[i];
      }
      if (m_ > 2 && !anova::safe(a, m_)) careful_ = true;
    }
    if (careful_) design_.need_rows();
  }

  void leave(std::vector<double> &f) {
    for (int i = 0; i < design_.n; ++i) f[i] = Loss::quadratic ? response_.y[i] + slot(i)[0] : slot(i)[at_f()];
  }

  // h_{m-1} of the row without the feature whose p_j x_ij is z.
  double removed(const double *a, double z) const {
    if constexpr (M == 1) return 1;
    double h = a[1] - z;
    for (int t = 2; t < m_; ++t) h = a[t] - z * h;
    return h;
  }

  // h_0..h_{m-1} of row i without feature j. Where removal would lose too many digits, the row is walked again.
  // Returns whether it was.
  bool removed_careful(int i, int j, const double *a, double z, const double *p, double *h) const {
    anova::remove(a, m_, z, h);
    if (anova::removal_error(a, m_, std::fabs(z)) <= anova::kRemovalTolerance * std::fabs(h[m_ - 1])) return false;
    const Slice row = design_.blocks[0].rows.view()[i];
    std::fill(h + 1, h + m_, 0.0);
    for (int jj = 0; jj < row.size; ++jj)
      if (row.index[jj] != j) anova::add(h, m_ - 1, p[row.index[jj]] * row.value[jj]);
    return true;
  }

  struct Slopes {
    double first, second;
  };

  // Weighted sums of l' D and of (curvature) D^2 over the rows of column j. For a bounded loss mu is put in afterwards.
  template <bool Careful>
  Slopes slopes(const Slice &column, int j, const double *p) {
    double first = 0, second = 0, h[kMaxOrder];
    for (int ii = 0; ii < column.size; ++ii) {
      const int i = column.index[ii];
      const double *a = slot(i), x = column.value[ii];
      double D;
      if (Careful) {
        removed_careful(i, j, a, p[j] * x, p, h);
        D = x * h[m_ - 1];
      } else {
        D = x * removed(a, p[j] * x);
      }
      const double wD = Weighted ? a[at_weight()] * D : D;
      first += a[0] * wD;
      second += wD * (Loss::bounded ? D : D * Loss::curvature(a[at_f() + 1], a[at_f()]));
    }
    if (!Weighted) {
      first /= design_.n;
      second /= design_.n;
    }
    return {first, Loss::bounded ? Loss::mu * second : second};
  }

  // a_t += dx h_{t-1} for t < m; returns h_{m-1}.
  double shifted(double *a, double z, double dx) const {
    if constexpr (M == 1) return 1;
    double h = a[1] - z;
    a[1] += dx;
    for (int t = 2; t < m_; ++t) {
      const double next = a[t] - z * h;
      a[t] += dx * h;
      h = next;
    }
    return h;
  }

  // p_j += delta: a_t += delta x h_{t-1}, f += delta x h_{m-1}.
  template <bool Careful>
  void shift(const Slice &column, int j, double delta, const double *p) {
    double h[kMaxOrder];
    for (int ii = 0; ii < column.size; ++ii) {
      const int i = column.index[ii];
      double *a = slot(i);
      const double x = column.value[ii], z = p[j] * x, dx = delta * x;
      double last;
      if (Careful) {
        const bool walked = removed_careful(i, j, a, z, p, h);
        for (int t = 1; t < m_; ++t) a[t] = walked ? h[t] + (z + dx) * h[t - 1] : a[t] + dx * h[t - 1];
        last = h[m_ - 1];
      } else {
        last = shifted(a, z, dx);
      }
      if (Loss::quadratic) {
        a[0] += dx * last;
      } else {
        a[at_f()] += dx * last;
        a[0] = Loss::deriv(a[at_f() + 1], a[at_f()]);
      }
    }
  }

  // For a loss without curvature bound: the Newton step, halved until the objective does not rise. Zero if it always does.
  template <bool Careful>
  double safeguarded(const Slice &column, int j, double delta, double lambda, const double *p) {
    double h[kMaxOrder];
    for (int halvings = 0; halvings < 40; ++halvings, delta /= 2) {
      double change = lambda / 2 * delta * (2 * p[j] + delta);
      for (int ii = 0; ii < column.size; ++ii) {
        const int i = column.index[ii];
        const double *a = slot(i), x = column.value[ii];
        if (Careful) removed_careful(i, j, a, p[j] * x, p, h);
        const double D = x * (Careful ? h[m_ - 1] : removed(a, p[j] * x));
        const double y = a[at_f() + 1], f = a[at_f()], w = Weighted ? a[at_weight()] : 1.0 / design_.n;
        change += w * (Loss::value(y, f + delta * D) - Loss::value(y, f));
      }
      if (change <= 0) return delta;
    }
    return 0;
  }

  template <bool Careful>
  void sweep(double *p, double lambda) {
    for (int j = 0; j < columns_.outer; ++j) {
      const Slice column = columns_[j];
      const Slopes s = slopes<Careful>(column, j, p);
      const double slope = s.first + lambda * p[j], curvature = s.second + lambda;
      if (slope == 0 || !(curvature > 0)) continue;
      double delta = -slope / curvature;
      if constexpr (!Loss::bounded) delta = safeguarded<Careful>(column, j, delta, lambda, p);
      if (delta == 0) continue;
      shift<Careful>(column, j, delta, p);
      p[j] += delta;
      monitor_.poll(2.0 * column.size * m_);
    }
  }

  Degree<M> m_;
  Design &design_;
  const SparseView columns_;
  const Response &response_;
  Monitor &monitor_;
  std::vector<double> slots_;
  bool careful_ = false;
};

template <class Loss>
class CoordinateDescent {
 public:
  CoordinateDescent(Design &design, const Response &response, const Options &options, Monitor &monitor)
      : design_(design), response_(response), options_(options), monitor_(monitor) {}

  // Minimises in `model`. link() then holds the link values of the samples.
  Outcome operator()(Model &model) {
    Outcome outcome;
    refresh(model);
    double before = objective(model);
    monitor_.record(0, before);
    for (int epoch = 1; epoch <= options_.max_iter && !outcome.converged; ++epoch) {
      if (model.fit_intercept) update_intercept(model.intercept);
      for (Term &term : model.terms) update_term(term);
      if (epoch % kRefresh == 0) refresh(model);
      const double after = objective(model);
      monitor_.record(epoch, after);
      outcome.converged = before - after <= options_.tol * std::fabs(after);
      before = after;
    }
    outcome.objective = before;
    return outcome;
  }

  const std::vector<double> &link() const { return f_; }

 private:
  // f is kept by adding; it is built anew every so many epochs so that rounding cannot pile up.
  static constexpr int kRefresh = 16;

  void refresh(const Model &model) {
    f_ = response_.offset;
    for (double &f : f_) f += model.intercept;
    for (const Term &term : model.terms) {
      p_.resize(term.P.size() / term.stride);
      std::vector<double> slots(std::size_t(design_.n) * (term.degree + 1));
      for (int s = 0; s < term.k; ++s) {
        for (std::size_t j = 0; j < p_.size(); ++j) p_[j] = term.row(int(j))[s];
        std::fill(slots.begin(), slots.end(), 0.0);
        const int width = term.degree + 1;
        with_degree(width, [&](auto m) { fill_rows(m, design_.blocks[0].columns, p_.data(), slots.data(), width); });
        for (int i = 0; i < design_.n; ++i) f_[i] += slots[std::size_t(i) * width + term.degree];
        monitor_.poll(2.0 * design_.nonzeros() * term.degree);
      }
    }
  }

  double objective(const Model &model) const {
    double sum = 0;
    for (int i = 0; i < design_.n; ++i) sum += response_.weight[i] * Loss::value(response_.y[i], f_[i]);
    return sum + penalty(model);
  }

  // The same step for the intercept, which has D = 1 everywhere and no penalty.
  void update_intercept(double &intercept) {
    double first = 0, second = 0;
    for (int i = 0; i < design_.n; ++i) {
      first += response_.weight[i] * Loss::deriv(response_.y[i], f_[i]);
      second += response_.weight[i] * (Loss::bounded ? Loss::mu : Loss::curvature(response_.y[i], f_[i]));
    }
    if (!(second > 0)) return;
    double delta = -first / second;
    if (!Loss::bounded) delta = safeguarded_intercept(delta);
    intercept += delta;
    for (double &f : f_) f += delta;
  }

  double safeguarded_intercept(double delta) const {
    for (int halvings = 0; halvings < 40; ++halvings, delta /= 2) {
      double change = 0;
      for (int i = 0; i < design_.n; ++i)
        change += response_.weight[i] *
                  (Loss::value(response_.y[i], f_[i] + delta) - Loss::value(response_.y[i], f_[i]));
      if (change <= 0) return delta;
    }
    return 0;
  }

  void update_term(Term &term) {
    with_degree(term.degree, [&](auto m) {
      if (response_.uniform) sweep_factors<false>(m, term);
      else sweep_factors<true>(m, term);
    });
  }

  template <bool Weighted, int M>
  void sweep_factors(Degree<M> m, Term &term) {
    FactorSweep<M, Loss, Weighted> sweep(m, design_, response_, monitor_);
    p_.resize(term.P.size() / term.stride);
    for (int s = 0; s < term.k; ++s) {
      for (std::size_t j = 0; j < p_.size(); ++j) p_[j] = term.row(int(j))[s];
      sweep(p_.data(), term.lambda, f_);
      for (std::size_t j = 0; j < p_.size(); ++j) term.row(int(j))[s] = p_[j];
    }
  }

  Design &design_;
  const Response &response_;
  const Options &options_;
  Monitor &monitor_;
  std::vector<double> f_, p_;
};

}  // namespace hofm
#endif
