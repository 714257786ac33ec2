// Coordinate descent on samples joined from blocks, without ever forming the joined rows.
//
// For one factor, a sample's kernel is sum_u E_u F_u + const: E_1..E_L are the sums of its node in the block at hand (E_u = A^u of
// the node for the ANOVA kernel), F comes from its nodes in the other blocks. So what a column of the block needs of all the
// samples of a node i is c_i = sum_q l'_q F_q and G_i = sum_q (curvature_q) F_q F_q', and the step for feature j is that of
// solve/cd.h with
//   slope = sum_i a_ij h' c_i,   curvature = sum_i a_ij^2 h' G_i h,   h = dE/dz of node i by taking feature j out.
// After it E_i += delta a_ij h and c_i += delta a_ij G_i h; the samples' link values follow once per block. Steps are the same as
// those on the joined rows for the squared loss; for other losses with a curvature bound the quadratic bound is renewed once per
// block instead of once per factor, which still never raises the objective. Cost per factor: O(m^2 (nonzeros of the blocks + n)).
//
// Dummies count as features of the last block's nodes, with value one in each; they have a phase of their own, before the others.
#ifndef HOFM_SOLVE_CD_NODES_H
#define HOFM_SOLVE_CD_NODES_H

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/base/parallel.h"
#include "hofm/data/design.h"
#include "hofm/model/all_subsets.h"
#include "hofm/model/anova.h"
#include "hofm/model/model.h"
#include "hofm/simd/kernels.h"

namespace hofm {

// Parameters this small are zero: products of several of them would be denormal numbers, which take processors a hundred times
// longer than others.
constexpr double kZero = 1e-30;

// One factor's sums of a node in a block, and how they meet those of the other blocks. Tables hold E_1..E_L; the table of no
// feature is the identity of combine().
//   h(E, z, out)          dE_u/dz of the feature with z = p_j a_ij
//   doubt, scale, loses   as in model/anova.h, of a node
//   combine(a, b, out)    the table of two nodes' features together
//   partner(rest, F)      F_1..F_L for a node, from the table of all other blocks
//   value(all)            the kernel, from the sums of all features of a sample
//   capacity              the largest L
template <int M>
struct AnovaNodes {
  static constexpr int capacity = M == Dynamic ? kMaxOrder : M;
  Degree<M> m;

  int size() const { return m; }
  void begin(double *E) const {
    for (int t = 0; t < m; ++t) E[t] = 0;
  }
  void add(double *E, double z) const {
    for (int t = m - 1; t >= 1; --t) E[t] += z * E[t - 1];
    E[0] += z;
  }
  void h(const double *E, double z, double *out) const {
    out[0] = 1;
    for (int t = 1; t < m; ++t) out[t] = E[t - 1] - z * out[t - 1];
  }
  double doubt(const double *E) const { return anova::doubt(E - 1, m); }  // a_t is E[t - 1]
  double scale(const double *E) const { return m > 1 ? std::fabs(E[m - 2]) : 1; }
  bool loses(const double *E, double z, const double *h) const {
    return m > 1 && anova::removal_error(E - 1, m, std::fabs(z)) > anova::kRemovalTolerance * std::fabs(h[m - 1]);
  }
  void combine(const double *a, const double *b, double *out) const {  // A^t = sum_u A^u of one times A^{t-u} of the other
    for (int t = m - 1; t >= 0; --t) {
      double sum = a[t] + b[t];
      for (int u = 0; u < t; ++u) sum += a[u] * b[t - 1 - u];
      out[t] = sum;
    }
  }
  void partner(const double *rest, double *F) const {
    for (int u = 0; u < m - 1; ++u) F[u] = rest[m - 2 - u];
    F[m - 1] = 1;
  }
  double value(const double *all) const { return all[m - 1]; }
};

// sum_t theta_t A^t: the same tables, another reading of them.
struct MixNodes : AnovaNodes<Dynamic> {
  const double *theta;  // theta_1..theta_m at 0..m-1

  MixNodes(int degree, const double *weights) : AnovaNodes<Dynamic>{{degree}}, theta(weights) {}

  void partner(const double *rest, double *F) const {
    for (int u = 0; u < m; ++u) {
      F[u] = theta[u];
      for (int v = 0; u + v + 1 < m; ++v) F[u] += theta[u + v + 1] * rest[v];
    }
  }
  double value(const double *all) const {
    double sum = 0;
    for (int t = 0; t < m; ++t) sum += theta[t] * all[t];
    return sum;
  }
};

struct AllSubsetsNodes {
  static constexpr int capacity = 1;
  int size() const { return 1; }
  void begin(double *E) const { E[0] = 1; }
  void add(double *E, double z) const { E[0] *= 1 + z; }
  void h(const double *E, double z, double *out) const { out[0] = E[0] / (1 + z); }
  double doubt(const double *E) const { return std::fabs(E[0]) > all_subsets::kNearZero ? 0 : HUGE_VAL; }
  double scale(const double *) const { return 1; }
  bool loses(const double *, double z, const double *) const { return std::fabs(1 + z) <= all_subsets::kNearZero; }
  void combine(const double *a, const double *b, double *out) const { out[0] = a[0] * b[0]; }
  void partner(const double *rest, double *F) const { F[0] = rest[0]; }
  double value(const double *all) const { return all[0]; }
};

// <p, x_A> <p, x_B>: exactly two blocks, so that the rest is the other one's inner product.
struct BilinearNodes {
  static constexpr int capacity = 1;
  int size() const { return 1; }
  void begin(double *E) const { E[0] = 0; }
  void add(double *E, double z) const { E[0] += z; }
  void h(const double *, double, double *out) const { out[0] = 1; }
  double doubt(const double *) const { return 0; }
  double scale(const double *) const { return 1; }
  bool loses(const double *, double, const double *) const { return false; }
  void combine(const double *a, const double *b, double *out) const { out[0] = a[0] * b[0]; }
  void partner(const double *rest, double *F) const { F[0] = rest[0]; }
  double value(const double *all) const { return all[0]; }
};

template <class F>
auto with_nodes(const Term &term, F &&f) {
  if (term.kernel == Kernel::all_subsets) return f(AllSubsetsNodes{});
  if (term.kernel == Kernel::bilinear) return f(BilinearNodes{});
  if (term.kernel == Kernel::mix) return f(MixNodes(term.degree, term.theta.data()));
  return with_degree<1, 5>(term.degree, [&](auto m) { return f(AnovaNodes<m.known>{m}); });
}

// The polynomial kernel is not affine, and a loss without a bound has no G: both take the joined rows one by one.
template <class Loss>
bool by_nodes(const Design &design, const Term &term) {
  return !design.plain() && design.blocks.size() <= 3 && Loss::bounded && term.kernel != Kernel::polynomial;
}

// A block as coordinate descent walks it: only the nodes that some sample uses, renumbered.
struct NodeSet {
  SparseStore own;           // the columns with the used nodes only, if some are not used
  SparseView columns;        // these, or the block's
  std::vector<int> node;     // of each sample
  Groups samples;            // of each node
  std::vector<int> partner;  // of two blocks: the other's node of each member of `samples`
  int first_column = 0;      // of the block in P
  int nodes() const { return columns.inner; }
};

// Rows of x that `keep` maps to 0, 1, ..., the others (-1) left out.
inline SparseStore keep_rows(const SparseView &x, const std::vector<int> &keep, int kept) {
  SparseStore out;
  out.outer = x.outer;
  out.inner = kept;
  out.start.push_back(0);
  for (int o = 0; o < x.outer; ++o) {
    const Slice s = x[o];
    for (int q = 0; q < s.size; ++q)
      if (keep[s.index[q]] >= 0) {
        out.index.push_back(keep[s.index[q]]);
        out.value.push_back(s.value[q]);
      }
    out.start.push_back(int(out.index.size()));
  }
  return out;
}

// `every_node` keeps nodes without a sample: training on all pairs of the grid needs them.
inline std::vector<NodeSet> make_sides(const Design &design, bool every_node = false) {
  std::vector<NodeSet> sides(design.blocks.size());
  for (std::size_t b = 0; b < sides.size(); ++b) {
    const Block &block = design.blocks[b];
    NodeSet &side = sides[b];
    side.first_column = block.first_feature;
    side.columns = block.columns;
    side.node.resize(design.n);
    std::vector<int> number(block.nodes(), every_node ? 0 : -1);
    for (int i = 0; i < design.n; ++i) number[side.node[i] = block.node(i)] = 0;
    int used = 0;
    for (int &q : number)
      if (q == 0) q = used++;
    if (used < block.nodes()) {
      side.own = keep_rows(block.columns, number, used);
      side.columns = side.own.view();
      for (int &q : side.node) q = number[q];
    }
    side.samples = grouped(side.node, used);
  }
  if (sides.size() == 2)
    for (int b = 0; b < 2; ++b)
      for (int q : sides[b].samples.member) sides[b].partner.push_back(sides[1 - b].node[q]);
  return sides;
}

// The nodes of one block during a phase: for each a record [E, c, G] of L + L + L*L numbers.
template <class Policy>
class NodeRecords {
 public:
  // `dummies`: how many of the factor's first columns count as features of every node here. `rebuild`: as in FactorSweep.
  NodeRecords(Policy policy, const NodeSet &side, int augment, int dummies, bool rebuild)
      : policy_(policy), side_(side), augment_(augment), dummies_(dummies), rebuild_(rebuild),
        records_(std::size_t(side.nodes()) * width()), rest_(policy.size()) {}

  int width() const { return policy_.size() * (2 + policy_.size()); }
  double *E(int i) { return records_.data() + std::size_t(i) * width(); }
  const double *E(int i) const { return records_.data() + std::size_t(i) * width(); }
  double *c(int i) { return E(i) + policy_.size(); }
  double *G(int i) { return E(i) + 2 * policy_.size(); }

  // Sums of every node from its features, dummies first. p: the whole factor. `exact`: no derivative may be a rounding error.
  __attribute__((noinline)) void fill(const double *p, bool exact) {
    for (int i = 0; i < side_.nodes(); ++i) {
      policy_.begin(E(i));
      for (int q = 0; q < dummies_; ++q) policy_.add(E(i), p[q]);
    }
    for (int j = 0; j < side_.columns.outer; ++j) {
      const double pj = p[column_of(j)];
      const Slice column = side_.columns[j];
      if (pj == 0) continue;
      for (int ii = 0; ii < column.size; ++ii) policy_.add(E(column.index[ii]), pj * column.value[ii]);
    }
    careful_ = exact || rebuild_;
    suspect_.assign(side_.nodes(), careful_);
    double scale = 0;
    for (int i = 0; i < side_.nodes(); ++i) scale = std::max(scale, policy_.scale(E(i)));
    for (int i = 0; i < side_.nodes(); ++i)
      if (policy_.doubt(E(i)) > anova::kRemovalTolerance * scale) suspect_[i] = careful_ = true;
    if (careful_ && rows_.start.empty()) rows_ = transposed(side_.columns);
  }

  int column_of(int feature) const { return augment_ + side_.first_column + feature; }

  // The step for one column of the factor: its slope and curvature over the nodes, then the nodes follow. Not inlined, nor is fill(), so
  // that all losses share the code.
  __attribute__((noinline)) void step(const Slice &column, int at, double *p, double lambda) {
    if (careful_) step_column<true>(column, at, p, lambda);
    else step_column<false>(column, at, p, lambda);
  }

 private:
  template <bool Careful>
  void step_column(const Slice &column, int at, double *p, double lambda) {
    double slope = lambda * p[at], curvature = lambda, h[kMaxOrder], v[kMaxOrder];
    const int L = policy_.size();
    for (int ii = 0; ii < column.size; ++ii) {
      const int i = column.index[ii];
      const double a = column.value[ii], *c = this->c(i);
      derivative<Careful>(i, at, p[at] * a, p, h);
      product(i, h, v);
      double hc = 0, hGh = 0;
      for (int u = 0; u < L; ++u) {
        hc += h[u] * c[u];
        hGh += h[u] * v[u];
      }
      slope += a * hc;
      curvature += a * a * hGh;
    }
    if (slope == 0 || !(curvature > 0)) return;
    double delta = -slope / curvature;
    if (std::fabs(p[at] + delta) < kZero) delta = -p[at];
    for (int ii = 0; ii < column.size; ++ii) {
      const int i = column.index[ii];
      const double a = column.value[ii], da = delta * a;
      double *e = E(i), *c = this->c(i);
      const bool rebuilt = derivative<Careful>(i, at, p[at] * a, p, h);
      product(i, h, v);
      for (int u = 0; u < L; ++u) {
        e[u] += da * h[u];
        c[u] += da * v[u];
      }
      if (Careful && rebuilt) {
        std::copy(rest_.begin(), rest_.end(), e);
        policy_.add(e, p[at] * a + da);
      }
    }
    p[at] += delta;
  }

  // h of node i for the column `at`. Where taking out would lose digits, from the rest of the node's row; says whether it was.
  template <bool Careful>
  bool derivative(int i, int at, double z, const double *p, double *h) {
    policy_.h(E(i), z, h);
    if (!Careful || !suspect_[i] || !(rebuild_ || policy_.loses(E(i), z, h))) return false;
    policy_.begin(rest_.data());
    for (int q = 0; q < dummies_; ++q)
      if (q != at) policy_.add(rest_.data(), p[q]);
    const Slice row = rows_.view()[i];
    for (int jj = 0; jj < row.size; ++jj)
      if (column_of(row.index[jj]) != at) policy_.add(rest_.data(), p[column_of(row.index[jj])] * row.value[jj]);
    policy_.h(rest_.data(), 0, h);
    return true;
  }

  void product(int i, const double *h, double *v) {  // v = G_i h
    const int L = policy_.size();
    const double *G = this->G(i);
    for (int u = 0; u < L; ++u) {
      double sum = 0;
      for (int w = 0; w < L; ++w) sum += G[u * L + w] * h[w];
      v[u] = sum;
    }
  }

  Policy policy_;
  const NodeSet &side_;
  int augment_, dummies_;
  bool rebuild_, careful_ = false;
  std::vector<char> suspect_;
  SparseStore rows_;
  std::vector<double> records_, rest_;
};

// A number of each sample, in the order of each block's `samples`.
using BySides = std::vector<std::vector<double>>;

inline BySides by_sides(const std::vector<double> &value, const std::vector<NodeSet> &sides) {
  BySides out;
  for (const NodeSet &side : sides) out.push_back(reordered(value, side.samples.member));
  return out;
}

// The samples' part in c and G for a loss with curvature bound: the slope of sample q's loss at link value f, and the curvatures of all
// in the order of block b's `samples`.
template <class Loss>
struct LossTarget {
  const Response &response;
  const BySides &curvatures;  // weight * mu
  double slope(int q, double f) const { return response.weight[q] * Loss::deriv(response.y[q], f); }
  const double *curvature(int b) const { return curvatures[b].data(); }
};

// Nothing beside the samples; solve/all_pairs.h has something.
struct NoBackground {
  template <class Records>
  void enter(int, Records &) {}
  template <class Records>
  void leave(int, Records &) {}
};

// One factor of one term, all columns once.
template <class Policy, class Target, class Background = NoBackground>
class NodeSweep {
 public:
  NodeSweep(Policy policy, const std::vector<NodeSet> &sides, int augment, bool rebuild, Target target, int threads,
            Monitor &monitor, Background background = {})
      : policy_(policy), sides_(sides), augment_(augment), target_(target), threads_(threads), monitor_(monitor),
        background_(background), kernel_(kernels().samples(policy.size())) {
    std::size_t most = 0;
    for (const NodeSet &side : sides) {
      records_.emplace_back(policy, side, augment, &side == &sides.back() ? augment : 0, rebuild);
      most = std::max({most, std::size_t(side.nodes()), side.node.size()});
    }
    numbers_.resize(sides.size() > 2 || augment > 0 ? most : 0);
    std::iota(numbers_.begin(), numbers_.end(), 0);
  }

  // As FactorSweep.
  void operator()(double *p, double lambda, std::vector<double> &f) {
    fill(p, lambda == 0);
    const int last = int(sides_.size()) - 1;
    if (augment_ > 0) phase(last, f, [&] { sweep_dummies(last, p, lambda); });
    for (int b = 0; b <= last; ++b) phase(b, f, [&] { sweep_features(b, p, lambda); });
  }

  // use(kernel value's table, i) for every sample: the sums of all its features together.
  template <class Use>
  void each(const double *p, const Use &use) {
    fill(p, false);
    double rest[Policy::capacity], all[Policy::capacity];
    const Groups &samples = sides_[0].samples;
    for (int i = 0; i < sides_[0].nodes(); ++i) {
      for (int qq = samples.start[i]; qq < samples.start[std::size_t(i) + 1]; ++qq) {
        policy_.combine(records_[0].E(i), table_outside(0, qq, rest), all);
        use(all, samples.member[qq]);
      }
      monitor_.poll(double(policy_.size() * policy_.size()) * (samples.start[std::size_t(i) + 1] - samples.start[i]));
    }
  }

  const NodeRecords<Policy> &records(int b) const { return records_[b]; }

 private:
  __attribute__((noinline)) void fill(const double *p, bool exact) {
    for (NodeRecords<Policy> &records : records_) records.fill(p, exact);
  }

  // The columns of block b, whose nodes get c and G before and whose samples follow after.
  template <class Sweep>
  void phase(int b, std::vector<double> &f, const Sweep &sweep) {
    const SampleView samples = meet(b);
    collect(b, samples, f);
    background_.enter(b, records_[b]);
    leave_behind(b);
    sweep();
    follow(b, samples, f);
    background_.leave(b, records_[b]);
  }

  void sweep_features(int b, double *p, double lambda) {
    const NodeSet &side = sides_[b];
    for (int j = 0; j < side.columns.outer; ++j) {
      const Slice column = side.columns[j];
      records_[b].step(column, records_[b].column_of(j), p, lambda);
      monitor_.poll(2.0 * column.size * records_[b].width() + 1);
    }
  }

  // The sums of the features outside block b of its sample qq, in the order of `samples`.
  const double *table_outside(int b, int qq, double *scratch) const {
    if (sides_.size() == 2) return records_[1 - b].E(sides_[b].partner[qq]);
    const int q = sides_[b].samples.member[qq], one = b == 0 ? 1 : 0, two = b == 2 ? 1 : 2;
    policy_.combine(records_[one].E(sides_[one].node[q]), records_[two].E(sides_[two].node[q]), scratch);
    return scratch;
  }

  // F that the samples of block b meet. Of two blocks it depends on the other's node alone, so that there is one F for each of
  // these, else one for each sample.
  SampleView meet(int b) {
    const bool two = sides_.size() == 2;
    const Groups &samples = sides_[b].samples;
    const int n = two ? sides_[1 - b].nodes() : int(samples.member.size());
    partners_.resize(std::size_t(n) * width(), 0.0);
    double rest[Policy::capacity];
    for (int i = 0; i < n; ++i)
      policy_.partner(two ? records_[1 - b].E(i) : table_outside(b, i, rest), &partners_[std::size_t(i) * width()]);
    return {samples.start.data(), samples.member.data(), two ? sides_[b].partner.data() : numbers_.data(),
            partners_.data(),     policy_.size(),        width()};
  }

  int width() const { return (policy_.size() + 3) / 4 * 4; }  // of F and what meets it: whole vectors

  // body(first, last) for ranges of n things, by several threads where `work` is worth it.
  template <class Body>
  void for_ranges(int n, double work, const Body &body) {
    const RowBlocks ranges{n, std::clamp(n / 32, 1, 16)};
    parallel_for(ranges.count, work < kMinParallelWork ? 1 : threads_,
                 [&](int range, int) { body(ranges.first(range), ranges.first(range + 1)); });
    monitor_.poll(work);
  }

  double sample_work(int b) const { return double(sides_[b].node.size()) * policy_.size() * policy_.size(); }

  // c and G of every node of block b from its samples.
  void collect(int b, const SampleView &samples, const std::vector<double> &f) {
    slope_.resize(f.size());
    for_ranges(int(f.size()), double(f.size()), [&](int first, int last) {
      for (int q = first; q < last; ++q) slope_[q] = target_.slope(q, f[q]);
    });
    for_ranges(sides_[b].nodes(), sample_work(b), [&](int first, int last) {
      kernel_.collect(samples, slope_.data(), target_.curvature(b), first, last, records_[b].c(0), records_[b].width());
    });
  }

  // moved_ = -E of every node of block b, to which follow() adds what E is then.
  void leave_behind(int b) {
    moved_.assign(std::size_t(sides_[b].nodes()) * width(), 0.0);
    for (int i = 0; i < sides_[b].nodes(); ++i)
      for (int u = 0; u < policy_.size(); ++u) moved_[std::size_t(i) * width() + u] = -records_[b].E(i)[u];
  }

  // Link values after the tables of block b changed.
  void follow(int b, const SampleView &samples, std::vector<double> &f) {
    for_ranges(sides_[b].nodes(), sample_work(b), [&](int first, int last) {
      for (int i = first; i < last; ++i)
        for (int u = 0; u < samples.size; ++u) moved_[std::size_t(i) * samples.width + u] += records_[b].E(i)[u];
      kernel_.follow(samples, moved_.data(), first, last, f.data());
    });
  }

  // A dummy is a column of ones over the nodes of the last block.
  void sweep_dummies(int b, double *p, double lambda) {
    const int n = sides_[b].nodes();
    ones_.assign(n, 1.0);
    for (int q = 0; q < augment_; ++q) records_[b].step({numbers_.data(), ones_.data(), n}, q, p, lambda);
  }

  Policy policy_;
  const std::vector<NodeSet> &sides_;
  int augment_;
  Target target_;
  int threads_;
  Monitor &monitor_;
  Background background_;
  std::vector<NodeRecords<Policy>> records_;
  SampleKernel kernel_;
  std::vector<double> partners_, moved_;  // F, and the change of E, of the block at hand
  std::vector<double> slope_;             // of the samples
  std::vector<int> numbers_;              // 0, 1, ..., for all nodes or samples of a block
  std::vector<double> ones_;
};

}  // namespace hofm
#endif
