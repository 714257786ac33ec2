// The sweeps by feature of solve/cd_features.h on samples of two blocks: the same steps, by way of the nodes.
//
// A sample's derivative in a feature of one of its nodes comes from that node's sums without the feature, once per node, and the
// sums of its other node, which the step leaves alone: so a step takes one feature out of a node, not out of each of its samples,
// and moves one table per node. Cost per epoch: O(k m (nonzeros of the blocks + samples that they reach)).
#ifndef HOFM_SOLVE_CD_FEATURE_NODES_H
#define HOFM_SOLVE_CD_FEATURE_NODES_H

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/model/anova.h"
#include "hofm/model/model.h"
#include "hofm/simd/kernels.h"
#include "hofm/solve/cd_features.h"
#include "hofm/solve/cd_nodes.h"

namespace hofm {

template <class Loss>
class FeatureNodeSweep {
 public:
  FeatureNodeSweep(const std::vector<NodeSet> &sides, const Response &response, Monitor &monitor, Isa isa = best_isa())
      : sides_(sides), response_(response), monitor_(monitor), isa_(isa), own_(sides.size()) {}

  // As FeatureSweep.
  bool operator()(Term &term, std::vector<double> &f) {
    kernel_ = kernels(isa_).feature_nodes(term.degree);
    rows_ = kernels(isa_).features(term.degree);
    width_ = std::size_t(term.degree - 1) * term.stride;
    fill(term);
    if (!safe(term)) return false;
    enter(f);
    const int last = int(sides_.size()) - 1;
    if (term.augment > 0) {
      std::vector<int> all(sides_[last].nodes());
      const std::vector<double> ones(all.size(), 1.0);
      std::iota(all.begin(), all.end(), 0);
      for (int q = 0; q < term.augment; ++q) step(last, {all.data(), ones.data(), int(all.size())}, term, term.row(q), f);
    }
    for (int b = 0; b <= last; ++b)
      for (int j = 0; j < sides_[b].columns.outer; ++j) step(b, sides_[b].columns[j], term, column_of(b, j, term), f);
    return true;
  }

 private:
  double *column_of(int b, int j, Term &term) const { return term.row(term.augment + sides_[b].first_column + j); }

  // Own tables of all nodes; dummies count as features of the last block's.
  void fill(Term &term) {
    const TermView at = view(term);
    for (std::size_t b = 0; b < sides_.size(); ++b) {
      const NodeSet &side = sides_[b];
      own_[b].assign(width_ * side.nodes(), 0.0);
      for (int q = 0; b + 1 == sides_.size() && q < term.augment; ++q)
        for (int i = 0, one = 0; i < side.nodes(); ++i) {
          const double x = 1;
          rows_.add(at, {&one, &x, 1}, term.row(q), own(int(b), i));
        }
      for (int j = 0; j < side.columns.outer; ++j) {
        rows_.add(at, side.columns[j], column_of(int(b), j, term), own_[b].data());
        monitor_.poll(double(side.columns[j].size) * width_);
      }
    }
  }

  double *own(int b, int i) { return own_[b].data() + width_ * i; }

  // Whether features can be taken out of every node: the error of a derivative beside the largest derivative there may be, both
  // from the largest sums that any node of the block, and any of its partners, has.
  bool safe(const Term &term) {
    const int m = term.degree;
    if (m <= 2) return true;
    for (int s = 0; s < term.k; ++s) {
      const std::vector<double> sums[2] = {most(0, s, term), most(1, s, term)};
      for (int b = 0; b < 2; ++b) {
        const std::vector<double> &mine = sums[b], &rest = sums[1 - b];
        double error = 0, scale = 0;
        for (int t = 1; t <= m; ++t) {  // h_{t-1} meets R_{m-t}
          const double partner = t == m ? 1 : rest[m - t];
          error += anova::removal_error(mine.data(), t, std::sqrt(mine[0])) * partner;
          scale = std::max(scale, (t == 1 ? 1 : mine[t - 1]) * partner);
        }
        if (error > anova::kRemovalTolerance * scale) return false;
      }
    }
    return true;
  }

  // anova::widen() over the nodes of a block, for one factor.
  std::vector<double> most(int b, int s, const Term &term) {
    std::vector<double> most(term.degree, 0.0);
    double a[kMaxOrder + 1];
    for (int i = 0; i < sides_[b].nodes(); ++i) {
      for (int t = 1; t < term.degree; ++t) a[t] = own(b, i)[std::size_t(t - 1) * term.stride + s];
      anova::widen(a, term.degree, most.data());
    }
    return most;
  }

  void enter(const std::vector<double> &f) {
    g_.resize(f.size());
    w_.resize(f.size());
    for (std::size_t q = 0; q < f.size(); ++q) {
      g_[q] = response_.weight[q] * Loss::deriv(response_.y[q], f[q]);
      w_[q] = response_.weight[q] * Loss::mu;
    }
  }

  NodeSamples samples_of(int b, int i) const {
    const NodeSet &side = sides_[b];
    const int first = side.samples.start[i];
    return {&side.samples.member[first], &side.partner[first], side.samples.start[std::size_t(i) + 1] - first};
  }

  // All factors of one column of block b.
  void step(int b, const Slice &column, const Term &term, double *p, std::vector<double> &f) {
    const TermView at = view(term);
    first_.assign(term.stride, 0.0);
    second_.assign(term.stride, 0.0);
    for (int ii = 0; ii < column.size; ++ii) {
      const int i = column.index[ii];
      kernel_.slopes(at, own(b, i), p, column.value[ii], samples_of(b, i), own_[1 - b].data(), g_.data(), w_.data(), first_.data(),
                     second_.data());
    }
    monitor_.poll(3.0 * column.size * width_ + 1);  // whether or not there is a step
    if (!feature_steps(term, p, first_, second_, u_)) return;
    const double length = measure(b, column, term, p);
    for (double &us : u_) us *= length;
    rows_.shift(at, column, p, u_.data(), own_[b].data());
    follow(b, column, length, f);
    for (int s = 0; s < term.stride; ++s) p[s] += u_[s];
    monitor_.poll(2.0 * d_.size() * width_);
  }

  // The change d of every sample that the column reaches, per unit of the direction u, and the best length of the step.
  double measure(int b, const Slice &column, const Term &term, const double *p) {
    const TermView at = view(term);
    double slope = 0, curvature = 0;
    for (int s = 0; s < term.stride; ++s) {
      slope += term.lambda * p[s] * u_[s];
      curvature += term.lambda * u_[s] * u_[s];
    }
    v_.resize(width_);
    d_.clear();
    for (int ii = 0; ii < column.size; ++ii) {
      const int i = column.index[ii];
      const double x = column.value[ii], alone = kernel_.turn(at, own(b, i), p, x, u_.data(), v_.data());
      const NodeSamples samples = samples_of(b, i);
      for (int qq = 0; qq < samples.size; ++qq) {
        const int q = samples.sample[qq];
        const double d = x * (alone + kernel_.along(std::ptrdiff_t(width_), v_.data(), own(1 - b, samples.partner[qq])));
        slope += g_[q] * d;
        curvature += w_[q] * d * d;
        d_.push_back(d);
      }
    }
    return curvature > 0 ? -slope / curvature : 0;
  }

  // Link values and derivatives of the loss of the samples that the column reaches.
  void follow(int b, const Slice &column, double length, std::vector<double> &f) {
    const double *d = d_.data();
    for (int ii = 0; ii < column.size; ++ii) {
      const NodeSamples samples = samples_of(b, column.index[ii]);
      for (int qq = 0; qq < samples.size; ++qq) {
        const int q = samples.sample[qq];
        const double df = length * *d++;
        f[q] += df;
        g_[q] = Loss::quadratic ? g_[q] + w_[q] * df : response_.weight[q] * Loss::deriv(response_.y[q], f[q]);
      }
    }
  }

  const std::vector<NodeSet> &sides_;
  const Response &response_;
  Monitor &monitor_;
  Isa isa_;
  FeatureNodeKernel kernel_ = {};
  FeatureKernel rows_ = {};
  std::size_t width_ = 0;  // of a node's own sums
  std::vector<std::vector<double>> own_;
  std::vector<double> g_, w_, first_, second_, u_, v_, d_;
};

}  // namespace hofm
#endif
