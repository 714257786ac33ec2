// The samples: rows joined from blocks. A plain matrix is one block whose node i is sample i.
#ifndef HOFM_DATA_DESIGN_H
#define HOFM_DATA_DESIGN_H

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "hofm/data/common.h"
#include "hofm/data/sparse.h"

namespace hofm {

// Members in groups: those of group g are member[start[g]..start[g + 1] - 1], in increasing order.
struct Groups {
  std::vector<int> start, member;
};

inline Groups grouped(const std::vector<int> &group, int groups) {
  Groups g;
  g.start.assign(std::size_t(groups) + 1, 0);
  for (int q : group) ++g.start[std::size_t(q) + 1];
  for (int q = 0; q < groups; ++q) g.start[std::size_t(q) + 1] += g.start[q];
  g.member.resize(group.size());
  std::vector<int> next(g.start.begin(), g.start.end() - 1);
  for (std::size_t i = 0; i < group.size(); ++i) g.member[next[group[i]]++] = int(i);
  return g;
}

// One matrix with a row per node; `index[i]` is the node that sample i uses, empty when node = sample.
// `columns` is a view on the caller's memory; `rows` is the one row-major copy, made on demand.
struct Block {
  SparseView columns;
  std::vector<int> index;
  int first_feature = 0;
  SparseStore rows;
  SparseView common;  // the nodes again, as they enter what two of them have in common; no columns if nothing does

  int nodes() const { return columns.inner; }
  int features() const { return columns.outer; }
  int node(int i) const { return index.empty() ? i : index[i]; }
  Groups samples_of_nodes() const {
    std::vector<int> own = index;
    if (own.empty()) {
      own.resize(nodes());
      std::iota(own.begin(), own.end(), 0);
    }
    return grouped(own, nodes());
  }
  bool has_rows() const { return rows.outer == nodes() && !rows.start.empty(); }
};

struct Design {
  int n = 0;  // samples
  int d = 0;  // features of all blocks together
  std::vector<Block> blocks;
  std::vector<double> common;  // of the two nodes of each sample, empty if nothing is compared

  // A plain matrix: the samples are the rows of the only block.
  bool plain() const { return blocks.size() == 1 && blocks[0].index.empty(); }

  std::size_t nonzeros() const {
    std::size_t total = 0;
    for (const Block &b : blocks) total += b.has_rows() ? b.rows.view().nonzeros() : b.columns.nonzeros();
    return total;
  }

  void add(const SparseView &columns, std::vector<int> index = {}) {
    Block b;
    b.columns = columns;
    b.index = std::move(index);
    b.first_feature = d;
    d += columns.outer;
    n = b.index.empty() ? columns.inner : int(b.index.size());
    blocks.push_back(std::move(b));
  }

  // The first two blocks are compared. They have the same features.
  void compare(const SparseView &a, const SparseView &b) {
    blocks[0].common = a;
    blocks[1].common = b;
    common = common_products(a, b, blocks[0].index, blocks[1].index);
  }

  // A plain matrix of which there are only the rows.
  void add_rows(SparseStore rows) {
    add({rows.inner, rows.outer, nullptr, nullptr, nullptr});
    blocks.back().rows = std::move(rows);
  }

  // For everything that walks rows. Coordinate descent on a plain design does without: no copy of the matrix is made for it.
  void need_rows() {
    for (Block &b : blocks)
      if (!b.has_rows()) b.rows = transposed(b.columns);
  }
};

// The samples in the order of their nodes, first block first: what samples of a node have in common is then close together.
inline std::vector<int> order_by_nodes(const Design &design) {
  std::vector<int> order(design.n);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t b = std::min<std::size_t>(2, design.blocks.size()); b-- > 0;) {  // a stable sort by the last key comes first
    std::vector<int> nodes(order.size());
    for (std::size_t q = 0; q < order.size(); ++q) nodes[q] = design.blocks[b].node(order[q]);
    std::vector<int> sorted = grouped(nodes, design.blocks[b].columns.inner).member;
    for (int &q : sorted) q = order[q];
    order = std::move(sorted);
  }
  return order;
}

inline std::vector<double> reordered(const std::vector<double> &x, const std::vector<int> &order) {
  std::vector<double> out(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) out[i] = x[order[i]];
  return out;
}

// The same nodes with the samples in another order.
inline Design reordered(const Design &design, const std::vector<int> &order) {
  Design out;
  for (const Block &b : design.blocks) {
    std::vector<int> index(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) index[i] = b.node(order[i]);
    out.add(b.columns, std::move(index));
    out.blocks.back().common = b.common;
  }
  if (!design.common.empty()) out.common = reordered(design.common, order);
  return out;
}

// Rows of the joined samples, one at a time. A plain design gives its own memory; otherwise the blocks' rows are gathered into
// scratch that the next call overwrites. Design::need_rows() comes first.
class RowSource {
 public:
  explicit RowSource(const Design &design) : design_(&design) {}

  Slice operator()(int i) {
    if (design_->plain()) return design_->blocks[0].rows.view()[i];
    index_.clear();
    value_.clear();
    for (const Block &b : design_->blocks) {
      const Slice row = b.rows.view()[b.node(i)];
      for (int q = 0; q < row.size; ++q) index_.push_back(b.first_feature + row.index[q]);
      value_.insert(value_.end(), row.value, row.value + row.size);
    }
    return {index_.data(), value_.data(), int(index_.size())};
  }

  int longest() const {
    int most = 0;
    for (const Block &b : design_->blocks) most += b.rows.view().longest();
    return most;
  }

 private:
  const Design *design_;
  std::vector<int> index_;
  std::vector<double> value_;
};

// Columns of the joined samples behind `augment` columns of ones; scratch as above.
class ColumnSource {
 public:
  ColumnSource(const Design &design, int augment) : design_(&design), augment_(augment) {
    if (augment > 0) {
      ones_.assign(design.n, 1.0);
      all_.resize(design.n);
      std::iota(all_.begin(), all_.end(), 0);
    }
    if (!design.plain())
      for (const Block &b : design.blocks) samples_.push_back(b.samples_of_nodes());
  }

  int count() const { return augment_ + design_->d; }

  Slice operator()(int j) {
    if (j < augment_) return {all_.data(), ones_.data(), design_->n};
    if (design_->plain()) return design_->blocks[0].columns[j - augment_];
    std::size_t b = design_->blocks.size() - 1;
    while (design_->blocks[b].first_feature > j - augment_) --b;
    const Slice column = design_->blocks[b].columns[j - augment_ - design_->blocks[b].first_feature];
    index_.clear();
    value_.clear();
    for (int q = 0; q < column.size; ++q) {
      const Groups &of = samples_[b];
      const int node = column.index[q];
      index_.insert(index_.end(), of.member.begin() + of.start[node], of.member.begin() + of.start[node + 1]);
      value_.resize(index_.size(), column.value[q]);
    }
    return {index_.data(), value_.data(), int(index_.size())};
  }

 private:
  const Design *design_;
  int augment_;
  std::vector<int> all_, index_;
  std::vector<double> ones_, value_;
  std::vector<Groups> samples_;
};

}  // namespace hofm
#endif
