// Factors given all else, column by column, on rows or on nodes: every p_j of an ANOVA kernel has a normal law, since the kernel is affine
// in it. With D_ij = dA(p, x_i)/dp_j and residuals r = f - y,
//   precision = alpha sum_i w_i D_ij^2 + lambda,   mean = p_j + (lambda (mu - p_j) - alpha sum_i w_i r_i D_ij) / precision.
// These are the slopes of the squared loss: the records, the vector code and the guard against cancellation are those of coordinate
// descent (solve/cd_rows.h, solve/cd_nodes.h), and a sweep costs what an epoch of single steps does. Both ways visit the columns in the
// same order, so that from the same random numbers come the same draws.
#ifndef HOFM_BAYES_DRAW_FACTORS_H
#define HOFM_BAYES_DRAW_FACTORS_H

#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/data/design.h"
#include "hofm/model/loss.h"
#include "hofm/model/model.h"
#include "hofm/simd/kernels.h"
#include "hofm/solve/cd_nodes.h"
#include "hofm/solve/cd_rows.h"

namespace hofm {
namespace bayes {

class DrawFactors {
 public:
  // `sides`: of a design that is not plain. `weight`: of the samples, empty if all are one.
  DrawFactors(Design &design, const std::vector<NodeSet> &sides, const std::vector<double> &weight, int threads)
      : design_(design), sides_(sides), threads_(threads) {
    // Records of equal weights divide their sums by n, which Rule takes back.
    known_.uniform = weight.empty();
    known_.weight = known_.uniform ? std::vector<double>(design.n, 1.0) : weight;
    known_.y.assign(design.n, 0.0);
    if (by_nodes()) curvature_ = by_sides(known_.weight, sides_);
  }

  // All factors of an ANOVA term; `residual` follows. step_of(s, p) is asked before factor s, which is p, and returns the function
  // step(j, p_j, sum w r D, sum w D^2) that draws how far p_j moves.
  template <class StepOf>
  void operator()(Term &term, std::vector<double> &residual, Monitor &monitor, const StepOf &step_of) {
    with_degree<1, 4>(term.degree, [&](auto m) {
      if (by_nodes()) draw_by_nodes<m.known>({m}, term, residual, monitor, step_of);
      else if (known_.uniform) draw_by_rows<m.known, false>({m}, term, residual, monitor, step_of);
      else draw_by_rows<m.known, true>({m}, term, residual, monitor, step_of);
    });
  }

 private:
  template <class Step>
  struct Rule {
    const Step &step;
    double scale;  // of slopes and curvatures
    double penalty() const { return 0; }
    bool exact() const { return false; }
    double operator()(int at, double p, const StepSlopes &s) const { return step(at, p, s.first * scale, s.second * scale); }
  };

  bool by_nodes() const { return !design_.plain() && design_.blocks.size() <= 3; }

  template <int M, bool Weighted, class StepOf>
  void draw_by_rows(Anova<M> kernel, Term &term, std::vector<double> &residual, Monitor &monitor, const StepOf &step_of) {
    ColumnSource columns(design_, term.augment);
    RowRecords<Anova<M>, Squared, Weighted> rows(kernel, kernels().columns(term.degree, Weighted), design_, columns, term.augment, false,
                                                 known_, monitor);
    rows.enter(residual, residual);
    each_factor(term, step_of, [&](const auto &step) {
      rows.sweep(p_.data(), Rule<std::decay_t<decltype(step)>>{step, Weighted ? 1.0 : double(design_.n)});
    });
    rows.leave(residual);
  }

  template <int M, class StepOf>
  void draw_by_nodes(Anova<M, true> kernel, Term &term, std::vector<double> &residual, Monitor &monitor, const StepOf &step_of) {
    const auto slopes = [this](const std::vector<double> &r, int first, int last, double *out) {
      for (int q = first; q < last; ++q) out[q] = known_.weight[q] * r[q];
    };
    NodeSweep<Anova<M, true>> sweep(kernel, sides_, term.augment, false, threads_, monitor);
    each_factor(term, step_of, [&](const auto &step) {
      sweep(p_.data(), Rule<std::decay_t<decltype(step)>>{step, 1.0}, slopes, curvature_, nullptr, residual);
    });
  }

  template <class StepOf, class Sweep>
  void each_factor(Term &term, const StepOf &step_of, const Sweep &sweep) {
    for (int s = 0; s < term.k; ++s) {
      term.get_factor(s, p_);
      sweep(step_of(s, p_));
      term.set_factor(s, p_);
    }
  }

  Design &design_;
  const std::vector<NodeSet> &sides_;
  int threads_;
  Response known_;     // a residual is a link value where all responses are zero
  BySides curvature_;  // the weights again, side by side
  std::vector<double> p_;
};

}  // namespace bayes
}  // namespace hofm
#endif
