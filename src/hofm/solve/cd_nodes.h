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
#include <numeric>
#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/base/parallel.h"
#include "hofm/data/design.h"
#include "hofm/model/dispatch.h"
#include "hofm/model/model.h"
#include "hofm/simd/kernels.h"
#include "hofm/solve/cd_sweep.h"

namespace hofm {

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

// For each node of a block a record [E, c, G] of L + L + L*L numbers.
struct NodeTables {
  double *first;
  int L;
  int width() const { return L * (2 + L); }
  double *E(int i) const { return first + std::size_t(i) * width() - 1; }  // E_u at u, u = 1..L
  double *c(int i) const { return first + std::size_t(i) * width() + L; }
  double *G(int i) const { return c(i) + L; }
};

// The nodes of one block during a phase.
template <class Kernel>
class NodeRecords {
 public:
  static constexpr bool kChecked = false;

  // `dummies`: how many of the factor's first columns count as features of every node here. `rebuild`: as in RowRecords.
  NodeRecords(Kernel kernel, const NodeSet &side, int augment, int dummies, bool rebuild)
      : kernel_(kernel), side_(side), first_(augment + side.first_column), removal_(kernel, dummies, first_, rebuild),
        records_(std::size_t(side.nodes()) * width()) {}

  NodeTables tables() { return {records_.data(), kernel_.size()}; }
  int width() { return tables().width(); }
  double *E(int i) { return tables().E(i); }

  // Sums of every node from its features, `ones` being the column of a dummy. p: the whole factor. `exact`: as in Removal.
  void fill(const double *p, bool exact, int dummies, const Slice &ones, Monitor &monitor) {
    const auto sums = [this](int i) { return E(i); };
    for (int i = 0; i < side_.nodes(); ++i) kernel_.begin(E(i));
    add_columns(kernel_, [&](int) { return ones; }, 0, dummies, p, sums, monitor);
    add_columns(kernel_, columns(), first_, side_.columns.outer, p, sums, monitor);
    removal_.look(side_.nodes(), sums, exact, kernel_.trusts(side_.nodes(), sums), [] { return 0.0; });
    if (careful() && rows_.start.empty()) rows_ = transposed(side_.columns);
  }

  template <class Rule>
  void sweep_features(double *p, const Rule &rule, Monitor &monitor) {
    sweep_columns(*this, columns(), first_, side_.columns.outer, p, rule, monitor);
  }

  // What sweep_columns() asks of records.
  bool careful() const { return removal_.careful(); }

  template <bool Careful>
  StepSlopes slopes(const Slice &column, int at, const double *p, double lambda) {
    double slope = lambda * p[at], curvature = lambda, h[kMaxOrder], v[kMaxOrder];
    const int L = kernel_.size();
    for (int ii = 0; ii < column.size; ++ii) {
      const int i = column.index[ii];
      const double a = column.value[ii], *c = tables().c(i);
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
    return {slope, curvature};
  }

  template <bool Careful>
  void shift(const Slice &column, int at, double delta, const double *p) {
    double h[kMaxOrder], v[kMaxOrder];
    const int L = kernel_.size();
    for (int ii = 0; ii < column.size; ++ii) {
      const int i = column.index[ii];
      const double a = column.value[ii], da = delta * a;
      double *e = E(i), *c = tables().c(i);
      const bool rebuilt = derivative<Careful>(i, at, p[at] * a, p, h);
      product(i, h, v);
      for (int u = 0; u < L; ++u) {
        e[u + 1] += da * h[u];
        c[u] += da * v[u];
      }
      if (Careful && rebuilt) {
        std::copy_n(removal_.rest() + 1, L, e + 1);
        kernel_.add(e, p[at] * a + da);
      }
    }
  }

 private:
  auto columns() const {
    return [this](int j) { return side_.columns[j]; };
  }

  // h of node i for the column `at`. Where taking out would lose digits, from the rest of the node's row; says whether it was.
  template <bool Careful>
  bool derivative(int i, int at, double z, const double *p, double *h) {
    const bool rebuilt = Careful && removal_.rebuilds(i, at, E(i), z, p, [this](int node) { return rows_.view()[node]; });
    kernel_.h(rebuilt ? removal_.rest() : E(i), rebuilt ? 0 : z, h);
    return rebuilt;
  }

  void product(int i, const double *h, double *v) {  // v = G_i h
    const int L = kernel_.size();
    const double *G = tables().G(i);
    for (int u = 0; u < L; ++u) {
      double sum = 0;
      for (int w = 0; w < L; ++w) sum += G[u * L + w] * h[w];
      v[u] = sum;
    }
  }

  Kernel kernel_;
  const NodeSet &side_;
  int first_;  // column of P of the block's first feature
  Removal<Kernel> removal_;
  SparseStore rows_;
  std::vector<double> records_;
};

// A number of each sample, in the order of each block's `samples`.
using BySides = std::vector<std::vector<double>>;

inline BySides by_sides(const std::vector<double> &value, const std::vector<NodeSet> &sides) {
  BySides out;
  for (const NodeSet &side : sides) out.push_back(reordered(value, side.samples.member));
  return out;
}

// What is minimised beside the samples, if anything; solve/all_pairs.h has something.
struct Background {
  virtual void factor(int s) = 0;                       // comes next
  virtual void enter(int b, const NodeTables &to) = 0;  // adds its part to c and G of block b
  virtual void leave(int b, const NodeTables &from) = 0;

 protected:
  ~Background() = default;
};

// One factor of one term, all columns once.
template <class Kernel>
class NodeSweep {
 public:
  NodeSweep(Kernel kernel, const std::vector<NodeSet> &sides, int augment, bool rebuild, int threads, Monitor &monitor)
      : kernel_(kernel), sides_(sides), augment_(augment), threads_(threads), monitor_(monitor),
        gather_(kernels().samples(kernel.size())) {
    std::size_t most = 0;
    for (const NodeSet &side : sides) {
      records_.emplace_back(kernel, side, augment, &side == &sides.back() ? augment : 0, rebuild);
      most = std::max({most, std::size_t(side.nodes()), side.node.size()});
    }
    numbers_.resize(sides.size() > 2 || augment > 0 ? most : 0);
    std::iota(numbers_.begin(), numbers_.end(), 0);
    ones_.assign(augment > 0 ? sides.back().nodes() : 0, 1.0);
  }

  // The factor p moves by the rule: all columns once. curvature: of the samples, in the order of each block's `samples`.
  template <class Rule>
  void operator()(double *p, const Rule &rule, const Slopes &slopes, const BySides &curvature, Background *background,
                  std::vector<double> &f) {
    fill(p, rule.exact());
    const int last = int(sides_.size()) - 1;
    for (int b = augment_ > 0 ? -1 : 0; b <= last; ++b) {  // -1: the dummies
      const int side = b < 0 ? last : b;
      const SampleView samples = meet(side);
      collect(side, samples, f, slopes, curvature[side].data());
      if (background) background->enter(side, records_[side].tables());
      leave_behind(side);
      if (b < 0) sweep_columns(records_[side], [this](int) { return ones(); }, 0, augment_, p, rule, monitor_);
      else records_[side].sweep_features(p, rule, monitor_);
      follow(side, samples, f);
      if (background) background->leave(side, records_[side].tables());
    }
  }

  // use(kernel value's table, i) for every sample: the sums of all its features together.
  template <class Use>
  void each(const double *p, const Use &use) {
    fill(p, false);
    double rest[Kernel::capacity + 1], all[Kernel::capacity + 1];
    const Groups &samples = sides_[0].samples;
    for (int i = 0; i < sides_[0].nodes(); ++i) {
      for (int qq = samples.start[i]; qq < samples.start[std::size_t(i) + 1]; ++qq) {
        kernel_.combine(records_[0].E(i), table_outside(0, qq, rest), all);
        use(all, samples.member[qq]);
      }
      monitor_.poll(double(kernel_.size() * kernel_.size()) * (samples.start[std::size_t(i) + 1] - samples.start[i]));
    }
  }

  NodeTables tables(int b) { return records_[b].tables(); }

 private:
  void fill(const double *p, bool exact) {
    for (NodeRecords<Kernel> &records : records_) records.fill(p, exact, &records == &records_.back() ? augment_ : 0, ones(), monitor_);
  }

  // The sums of the features outside block b of its sample qq, in the order of `samples`.
  const double *table_outside(int b, int qq, double *scratch) {
    if (sides_.size() == 2) return records_[1 - b].E(sides_[b].partner[qq]);
    const int q = sides_[b].samples.member[qq], one = b == 0 ? 1 : 0, two = b == 2 ? 1 : 2;
    kernel_.combine(records_[one].E(sides_[one].node[q]), records_[two].E(sides_[two].node[q]), scratch);
    return scratch;
  }

  // F that the samples of block b meet. Of two blocks it depends on the other's node alone, so that there is one F for each of
  // these, else one for each sample.
  SampleView meet(int b) {
    const bool two = sides_.size() == 2;
    const Groups &samples = sides_[b].samples;
    const int n = two ? sides_[1 - b].nodes() : int(samples.member.size());
    partners_.resize(std::size_t(n) * width(), 0.0);
    double rest[Kernel::capacity + 1];
    for (int i = 0; i < n; ++i)
      kernel_.partner(two ? records_[1 - b].E(i) : table_outside(b, i, rest), &partners_[std::size_t(i) * width()]);
    return {samples.start.data(), samples.member.data(), two ? sides_[b].partner.data() : numbers_.data(),
            partners_.data(),     kernel_.size(),        width()};
  }

  int width() const { return (kernel_.size() + 3) / 4 * 4; }  // of F and what meets it: whole vectors

  // body(first, last) for ranges of n things, by several threads where `work` is worth it.
  template <class Body>
  void for_ranges(int n, double work, const Body &body) {
    const RowBlocks ranges{n, std::clamp(n / 32, 1, 16)};
    parallel_for(ranges.count, work < kMinParallelWork ? 1 : threads_,
                 [&](int range, int) { body(ranges.first(range), ranges.first(range + 1)); });
    monitor_.poll(work);
  }

  double sample_work(int b) const { return double(sides_[b].node.size()) * kernel_.size() * kernel_.size(); }

  // c and G of every node of block b from its samples.
  void collect(int b, const SampleView &samples, const std::vector<double> &f, const Slopes &slopes, const double *curvature) {
    slope_.resize(f.size());
    for_ranges(int(f.size()), double(f.size()), [&](int first, int last) { slopes(f, first, last, slope_.data()); });
    for_ranges(sides_[b].nodes(), sample_work(b), [&](int first, int last) {
      gather_.collect(samples, slope_.data(), curvature, first, last, records_[b].tables().c(0), records_[b].width());
    });
  }

  // moved_ = -E of every node of block b, to which follow() adds what E is then.
  void leave_behind(int b) {
    moved_.assign(std::size_t(sides_[b].nodes()) * width(), 0.0);
    for (int i = 0; i < sides_[b].nodes(); ++i)
      for (int u = 0; u < kernel_.size(); ++u) moved_[std::size_t(i) * width() + u] = -records_[b].E(i)[u + 1];
  }

  // Link values after the tables of block b changed.
  void follow(int b, const SampleView &samples, std::vector<double> &f) {
    for_ranges(sides_[b].nodes(), sample_work(b), [&](int first, int last) {
      for (int i = first; i < last; ++i)
        for (int u = 0; u < samples.size; ++u) moved_[std::size_t(i) * samples.width + u] += records_[b].E(i)[u + 1];
      gather_.follow(samples, moved_.data(), first, last, f.data());
    });
  }

  // The column of a dummy, over the nodes of the last block.
  Slice ones() const { return {numbers_.data(), ones_.data(), int(ones_.size())}; }

  Kernel kernel_;
  const std::vector<NodeSet> &sides_;
  int augment_;
  int threads_;
  Monitor &monitor_;
  std::vector<NodeRecords<Kernel>> records_;
  SampleKernel gather_;
  std::vector<double> partners_, moved_;  // F, and the change of E, of the block at hand
  std::vector<double> slope_;             // of the samples
  std::vector<int> numbers_;              // 0, 1, ..., for all nodes or samples of a block
  std::vector<double> ones_;
};

// All factors of a term by way of the nodes; f are the samples' link values.
inline void sweep_nodes(Term &term, const std::vector<NodeSet> &sides, bool rebuild, int threads, const Slopes &slopes,
                        const BySides &curvature, Background *background, std::vector<double> &f, Monitor &monitor) {
  with_kernel<true>(term, [&](auto kernel) {
    NodeSweep<decltype(kernel)> sweep(kernel, sides, term.augment, rebuild, threads, monitor);
    std::vector<double> p;
    for (int s = 0; s < term.k; ++s) {
      term.get_factor(s, p);
      if (background) background->factor(s);
      sweep(p.data(), Minimise{term.lambda}, slopes, curvature, background, f);
      term.set_factor(s, p);
    }
  });
}

}  // namespace hofm
#endif
