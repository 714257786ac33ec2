// Scores of all pairs of nodes without a row per pair. Every kernel is, for each factor, a short sum of products of a number
// of node i and a number of node j, so
//   f(i, j) = alpha_i + beta_j + <u_i, v_j>
// with tables that are computed once per node. For the ANOVA kernel of degree m, e_m([a, b]) = sum_u e_u(a) e_{m-u}(b): the
// ends u = 0 and u = m depend on one node alone and go to alpha and beta, the others are m - 1 columns per factor.
#ifndef HOFM_LINKS_SCORES_H
#define HOFM_LINKS_SCORES_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hofm/base/finite.h"
#include "hofm/base/monitor.h"
#include "hofm/base/parallel.h"
#include "hofm/data/common.h"
#include "hofm/data/sparse.h"
#include "hofm/eval/tile_values.h"
#include "hofm/model/model.h"
#include "hofm/model/polynomial.h"
#include "hofm/stats/auc.h"

namespace hofm {

// body(task, thread) for task = 0..tasks-1 in batches of less than a tenth of a second, between which the user may interrupt.
template <class Body>
void parallel_batches(std::int64_t tasks, double work_per_task, int threads, Monitor &monitor, const Body &body) {
  const std::int64_t batch = std::max<std::int64_t>(std::int64_t(2e8 / work_per_task), 2 * std::max(1, threads));
  for (std::int64_t first = 0; first < tasks; first += batch) {
    const int now = int(std::min(batch, tasks - first));
    parallel_for(now, threads, [&](int task, int thread) { body(first + task, thread); });
    monitor.poll(work_per_task * now);
  }
}

// ---- Tables ------------------------------------------------------------------------------------------------

enum class Side { left, right };  // A, B

// Numbers of each node. Those of A are interleaved in panels of kLanes nodes, zeros behind the last one, so that a vector
// holds the same number of neighbouring nodes; those of B are rows.
struct NodeTable {
  int n = 0, width = 0, lanes = 1;
  std::vector<double> alone, cells;

  NodeTable(int nodes, int columns, Side side) : n(nodes), width(columns), lanes(side == Side::left ? kLanes : 1) {
    const std::size_t padded = (std::size_t(n) + lanes - 1) / lanes * lanes;
    alone.assign(padded, 0.0);
    cells.assign(padded * width, 0.0);
  }
  // Number q of a node is at node_cells(node)[q * lanes].
  double *node_cells(int node) { return cells.data() + std::size_t(node / lanes) * lanes * width + node % lanes; }
  const double *panel(int node) const { return cells.data() + std::size_t(node / lanes) * lanes * width; }
};

// What two nodes have in common, by its weight: nodes of A by rows, those of B by columns and by rows.
struct CommonScores {
  double weight = 0;
  SparseStore left, right_rows;
  SparseView right;

  CommonScores() = default;
  CommonScores(double w, const SparseView &a, const SparseView &b)
      : weight(w), left(transposed(a)), right_rows(transposed(b)), right(b) {}

  // Products are added in the order of features in both, so that a pair has the same bits alone and in a block; both ways round too.
  void add_pair(int i, int j, double &score) const {
    if (weight == 0) return;
    each_common(left.view()[i], right_rows.view()[j], [&](double product) { score += weight * product; });
  }
  // score[r + c * stride] of nodes first_row + r and first_column + c.
  void add_block(int first_row, int rows, int first_column, int columns, double *score, int stride) const {
    if (weight == 0) return;
    for (int r = 0; r < rows; ++r) {
      const Slice node = left.view()[first_row + r];
      for (int p = 0; p < node.size; ++p) {
        const Slice feature = right[node.index[p]];
        const int *end = feature.index + feature.size;
        const int *from = std::lower_bound(feature.index, end, first_column);
        for (const int *at = from; at != end && *at < first_column + columns; ++at)
          score[r + std::ptrdiff_t(*at - first_column) * stride] += weight * (node.value[p] * feature.value[at - feature.index]);
      }
    }
  }
};

struct PairTables {
  NodeTable left, right;
  CommonScores common = {};
};

inline int table_columns(const Term &term) {
  const bool one = term.kernel == Kernel::all_subsets || term.kernel == Kernel::bilinear;
  return term.k * (one ? 1 : term.degree - 1);
}

inline double binomial(int n, int k) {
  double value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

// The cross column of a factor and number u = 1..m-1 of A: `sums` are the kernel's sums of that factor and one node, `apart` from each
// other.
inline double table_value(const Term &term, Side side, int u, const double *sums, std::ptrdiff_t apart) {
  const int m = term.degree;
  const auto e = [&](int t) { return sums[(t - 1) * apart]; };
  switch (term.kernel) {
    case Kernel::anova:
      return e(side == Side::left ? u : m - u);
    case Kernel::mix: {
      if (side == Side::left) return e(u);
      double sum = 0;
      for (int v = 1; v <= m - u; ++v) sum += term.theta[u + v - 1] * e(v);
      return sum;
    }
    case Kernel::polynomial:  // the binomial theorem
      return side == Side::left ? binomial(m, u) * power(e(1), u) : power(e(1), m - u);
    default:
      return e(1);  // all subsets: a product of two; bilinear: inner products
  }
}

// What one side's features see of a term. Dummies go with B.
inline TileValues side_values(const Term &term, Side side, int left_features) {
  const TermPart part = side == Side::left ? TermPart{0, false} : TermPart{left_features, true};
  if (term.kernel == Kernel::bilinear) return {Kernel::polynomial, 1, term, part};  // each side needs its inner products alone
  return {term.kernel, term.degree, term, part};
}

// One term's columns of a table, from column `first` on.
class TablePart {
 public:
  TablePart(NodeTable &table, int first, const Term &term, Side side, int left_features)
      : table_(table), first_(first), term_(term), side_(side), numbers_(term.k > 0 ? table_columns(term) / term.k : 0),
        has_alone_(term.kernel != Kernel::all_subsets && term.kernel != Kernel::bilinear),
        values_(side_values(term, side, left_features)) {}

  std::ptrdiff_t kept() const { return values_.kept(); }

  void take(const RowTiles &tile) {
    values_.take(tile, [&](int r, const double *sums, double value) {
      const int node = tile.first() + r;
      if (has_alone_) table_.alone[node] += value;
      double *cells = table_.node_cells(node);
      for (int u = 1; u <= numbers_; ++u)
        for (int s = 0; s < term_.k; ++s)
          cells[std::ptrdiff_t(first_ + (u - 1) * term_.k + s) * table_.lanes] =
              table_value(term_, side_, u, sums + s, term_.stride);
    });
  }

 private:
  NodeTable &table_;
  int first_;
  const Term &term_;
  Side side_;
  int numbers_;  // for each factor
  bool has_alone_;
  TileValues values_;
};

// The parts of tables whose nodes are the rows of `features`, in one walk.
inline void fill_tables(const SparseView &features, const std::vector<TablePart> &parts, int threads, Monitor &monitor) {
  if (parts.empty()) return;
  std::ptrdiff_t kept = 0;
  for (const TablePart &part : parts) kept += part.kept();
  std::vector<std::vector<TablePart>> of_walkers(std::max(1, threads), parts);
  walk_tiles(features, kept, threads, monitor, [&](const RowTiles &tile, int walker) {
    for (TablePart &part : of_walkers[walker]) part.take(tile);
  });
}

// The tables of nodes whose features are `a` and `b`, by columns. A matrix that is both is walked once.
inline PairTables pair_tables(const SparseView &a, const SparseView &b, const Model &model, int threads, Monitor &monitor) {
  int width = 0, first = 0;
  for (const Term &term : model.terms) width += table_columns(term);
  PairTables tables{NodeTable(a.inner, width, Side::left), NodeTable(b.inner, width, Side::right)};
  std::fill(tables.left.alone.begin(), tables.left.alone.end(), model.intercept);
  std::vector<TablePart> left, right;
  for (const Term &term : model.terms) {
    left.emplace_back(tables.left, first, term, Side::left, a.outer);
    right.emplace_back(tables.right, first, term, Side::right, a.outer);
    first += table_columns(term);
  }
  if (same(a, b)) {
    for (const TablePart &part : right) left.push_back(part);
    fill_tables(a, left, threads, monitor);
  } else {
    fill_tables(a, left, threads, monitor);
    fill_tables(b, right, threads, monitor);
  }
  return tables;
}

// Numbers of each node from two tables side by side, times `share`; those of a node alone are averaged.
inline NodeTable side_by_side(NodeTable first, NodeTable second, Side side, double share) {
  NodeTable out(first.n, first.width + second.width, side);
  for (int node = 0; node < out.n; ++node) {
    out.alone[node] = (first.alone[node] + second.alone[node]) / 2;
    double *to = out.node_cells(node);
    for (NodeTable *from : {&first, &second})
      for (int q = 0; q < from->width; ++q, to += out.lanes) *to = share * from->node_cells(node)[std::ptrdiff_t(q) * from->lanes];
  }
  return out;
}

// Tables whose scores are the means of f(i, j) and f(j, i), for nodes of the same features: twice as wide.
inline PairTables both_ways(const SparseView &a, const SparseView &b, const Model &model, int threads, Monitor &monitor) {
  PairTables there = pair_tables(a, b, model, threads, monitor), back = pair_tables(b, a, model, threads, monitor);
  return {side_by_side(std::move(there.left), std::move(back.right), Side::left, 0.5),
          side_by_side(std::move(there.right), std::move(back.left), Side::right, 1)};
}

// Scores of single pairs, the same bits as in a block.
inline std::vector<double> pair_scores(const PairTables &tables, const std::vector<int> &i, const std::vector<int> &j,
                                       Isa isa = best_isa()) {
  const ScorePanels score = kernels(isa).score_panels;
  const NodeTable &a = tables.left, &b = tables.right;
  std::vector<double> out(i.size());
  double lanes[kLanes];
  for (std::size_t q = 0; q < i.size(); ++q) {
    score(a.panel(i[q]), a.alone.data() + i[q] / kLanes * kLanes, 1, b.panel(j[q]), b.alone.data() + j[q], 1, a.width, lanes,
          kLanes);
    out[q] = lanes[i[q] % kLanes];
    tables.common.add_pair(i[q], j[q], out[q]);
  }
  return out;
}

// ---- Blocks of pairs ---------------------------------------------------------------------------------------

// Which pairs count: all of them, those with i != j, or those with i < j.
enum class GraphKind { two_sets, directed, undirected };

constexpr int kBlockRows = 64, kBlockColumns = 512;  // a block of scores is 256 KB: within a second-level cache

// The block of pairs i = first_row.., j = first_column... Score of local (r, c) at score[r + c * kBlockRows]; pairs that do
// not count are marked in `skip`, which is null when there are none.
struct ScoreBlock {
  int first_row, rows, first_column, columns;
  const double *score;
  const unsigned char *skip;

  // f(i, j, score) for every pair that counts.
  template <class F>
  void each(F &&f) const {
    for (int c = 0; c < columns; ++c)
      for (int r = 0; r < rows; ++r) {
        const int at = r + c * kBlockRows;
        if (!skip || !skip[at]) f(first_row + r, first_column + c, score[at]);
      }
  }
};

// The pairs of a graph in blocks, without the pairs on a list.
class PairBlocks {
 public:
  PairBlocks(int rows, int columns, GraphKind grid) : rows_(rows), columns_(columns), grid_(grid) {
    across_ = (columns + kBlockColumns - 1) / kBlockColumns;
  }

  // Leaves pairs out; for an undirected graph with i < j.
  void leave_out(const std::vector<int> &i, const std::vector<int> &j) {
    for (std::size_t q = 0; q < i.size(); ++q)
      left_out_.emplace_back(std::int64_t(i[q] / kBlockRows) * across_ + j[q] / kBlockColumns,
                             i[q] % kBlockRows + j[q] % kBlockColumns * kBlockRows);
    std::sort(left_out_.begin(), left_out_.end());
  }

  std::int64_t count() const { return std::int64_t((rows_ + kBlockRows - 1) / kBlockRows) * across_; }

  ScoreBlock block(std::int64_t index) const {
    const int row = int(index / across_) * kBlockRows, column = int(index % across_) * kBlockColumns;
    return {row, std::min(kBlockRows, rows_ - row), column, std::min(kBlockColumns, columns_ - column), nullptr, nullptr};
  }

  // No pair of the block counts: all of it is on or below the diagonal.
  bool empty(const ScoreBlock &b) const { return grid_ == GraphKind::undirected && b.first_column + b.columns - 1 <= b.first_row; }

  // Marks what does not count; returns whether there was anything to mark.
  bool mark(std::int64_t index, const ScoreBlock &b, std::vector<unsigned char> &skip) const {
    const auto from = std::lower_bound(left_out_.begin(), left_out_.end(), std::make_pair(index, 0));
    const bool listed = from != left_out_.end() && from->first == index;
    const bool diagonal =
        grid_ != GraphKind::two_sets && b.first_column < b.first_row + b.rows && b.first_row < b.first_column + b.columns;
    if (!listed && !diagonal) return false;
    skip.assign(std::size_t(kBlockRows) * kBlockColumns, 0);
    for (auto at = from; at != left_out_.end() && at->first == index; ++at) skip[at->second] = 1;
    if (diagonal)
      for (int c = 0; c < b.columns; ++c)
        for (int r = 0; r < b.rows; ++r) {
          const int i = b.first_row + r, j = b.first_column + c;
          if (i == j || (grid_ == GraphKind::undirected && i > j)) skip[r + c * kBlockRows] = 1;
        }
    return true;
  }

 private:
  int rows_, columns_;
  GraphKind grid_;
  std::int64_t across_;                                 // blocks side by side
  std::vector<std::pair<std::int64_t, int>> left_out_;  // block, place in it
};

// visit(block, thread) for every block that has pairs. Blocks come in any order, so what visit() keeps must not depend on it.
template <class Visit>
void score_blocks(const PairTables &tables, const PairBlocks &blocks, int threads, Monitor &monitor, const Visit &visit,
                  Isa isa = best_isa()) {
  const ScorePanels score = kernels(isa).score_panels;
  const NodeTable &a = tables.left, &b = tables.right;
  struct Scratch {
    std::vector<double> score = std::vector<double>(std::size_t(kBlockRows) * kBlockColumns);
    std::vector<unsigned char> skip;
  };
  std::vector<Scratch> scratch(std::max(1, threads));
  const double work = double(kBlockRows) * kBlockColumns * (a.width + 20);
  parallel_batches(blocks.count(), work, threads, monitor, [&](std::int64_t index, int thread) {
    ScoreBlock block = blocks.block(index);
    if (blocks.empty(block)) return;
    Scratch &mine = scratch[thread];
    score(a.panel(block.first_row), a.alone.data() + block.first_row, (block.rows + kLanes - 1) / kLanes,
          b.panel(block.first_column), b.alone.data() + block.first_column, block.columns, a.width, mine.score.data(), kBlockRows);
    tables.common.add_block(block.first_row, block.rows, block.first_column, block.columns, mine.score.data(), kBlockRows);
    block.score = mine.score.data();
    if (blocks.mark(index, block, mine.skip)) block.skip = mine.skip.data();
    visit(block, thread);
  });
}

// ---- What is done with the scores --------------------------------------------------------------------------

// Every score: out[i + j * rows]. Returns whether all of them are finite.
inline bool all_scores(const PairTables &tables, int threads, Monitor &monitor, double *out) {
  const std::ptrdiff_t rows = tables.left.n;
  const PairBlocks blocks(tables.left.n, tables.right.n, GraphKind::two_sets);
  std::vector<char> finite(std::max(1, threads), true);
  score_blocks(tables, blocks, threads, monitor, [&](const ScoreBlock &b, int thread) {
    for (int c = 0; c < b.columns; ++c) {
      const double *scores = b.score + c * kBlockRows;
      if (!all_finite(scores, b.rows)) finite[thread] = false;
      std::copy_n(scores, b.rows, out + (b.first_column + c) * rows + b.first_row);
    }
  });
  return std::count(finite.begin(), finite.end(), false) == 0;
}

// `links` against every other pair that is not left out.
inline AucCounter count_links(const PairTables &tables, PairBlocks blocks, const std::vector<int> &link_i,
                              const std::vector<int> &link_j, int threads, Monitor &monitor) {
  blocks.leave_out(link_i, link_j);
  const std::vector<double> positives = pair_scores(tables, link_i, link_j);
  std::vector<AucCounter> counters(std::max(1, threads), AucCounter(positives.data(), positives.size()));
  score_blocks(tables, blocks, threads, monitor, [&](const ScoreBlock &b, int thread) {
    AucCounter &counter = counters[thread];
    if (!b.skip) {
      for (int c = 0; c < b.columns; ++c) counter.add(b.score + c * kBlockRows, b.rows);
    } else {
      b.each([&](int, int, double score) { counter.add(&score, 1); });
    }
  });
  for (std::size_t t = 1; t < counters.size(); ++t) counters[0].merge(counters[t]);
  return counters[0];
}

struct ScoredPair {
  int i, j;
  double score;
};

// Higher scores first, then lower numbers: a total order, so that "the best n" is one set whatever the threads.
inline bool before(const ScoredPair &a, const ScoredPair &b) {
  if (a.score != b.score) return a.score > b.score;
  return a.i != b.i ? a.i < b.i : a.j < b.j;
}

// The best `size` of all pairs that come along: a heap with the worst of them on top.
class BestPairs {
 public:
  void add(const ScoredPair &pair, std::size_t size) {
    if (heap_.size() == size) {
      if (size == 0 || !before(pair, heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end(), before);
      heap_.back() = pair;
    } else {
      heap_.push_back(pair);
    }
    std::push_heap(heap_.begin(), heap_.end(), before);
  }
  void merge(const BestPairs &other, std::size_t size) {
    for (const ScoredPair &pair : other.heap_) add(pair, size);
  }
  std::vector<ScoredPair> sorted() const {
    std::vector<ScoredPair> out = heap_;
    std::sort_heap(out.begin(), out.end(), before);
    return out;
  }

 private:
  std::vector<ScoredPair> heap_;
};

inline double checked_score(double score) {
  if (std::isnan(score)) throw std::invalid_argument("a score is NaN");
  return score;
}

// The best n pairs overall, or for each node of A (for an undirected graph: each node, as i, with its best partners as j).
inline std::vector<ScoredPair> best_pairs(const PairTables &tables, const PairBlocks &blocks, GraphKind grid, std::size_t n,
                                          bool by_node, int threads, Monitor &monitor) {
  const std::size_t heaps = by_node ? tables.left.n : 1;
  std::vector<std::vector<BestPairs>> best(std::max(1, threads), std::vector<BestPairs>(heaps));
  score_blocks(tables, blocks, threads, monitor, [&](const ScoreBlock &b, int thread) {
    std::vector<BestPairs> &mine = best[thread];
    b.each([&](int i, int j, double score) {
      mine[by_node ? i : 0].add({i, j, checked_score(score)}, n);
      if (by_node && grid == GraphKind::undirected) mine[j].add({j, i, score}, n);
    });
  });
  std::vector<ScoredPair> out;
  for (std::size_t h = 0; h < heaps; ++h) {
    for (std::size_t t = 1; t < best.size(); ++t) best[0][h].merge(best[t][h], n);
    const std::vector<ScoredPair> sorted = best[0][h].sorted();
    out.insert(out.end(), sorted.begin(), sorted.end());
  }
  return out;
}

}  // namespace hofm
#endif
