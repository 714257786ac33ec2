// The samples: rows joined from blocks. A plain matrix is one block whose node i is sample i.
#ifndef HOFM_DESIGN_H
#define HOFM_DESIGN_H

#include <vector>

#include "sparse.h"

namespace hofm {

// One matrix with a row per node; `index[i]` is the node that sample i uses, empty when node = sample.
// `columns` is a view on the caller's memory; `rows` is the one row-major copy, made on demand.
struct Block {
  SparseView columns;
  std::vector<int> index;
  int first_feature = 0;
  SparseStore rows;

  int nodes() const { return columns.inner; }
  int features() const { return columns.outer; }
  bool has_rows() const { return rows.outer == nodes() && !rows.start.empty(); }
};

struct Design {
  int n = 0;  // samples
  int d = 0;  // features of all blocks together
  std::vector<Block> blocks;

  // A plain matrix: the samples are the rows of the only block.
  bool plain() const { return blocks.size() == 1 && blocks[0].index.empty(); }

  std::size_t nonzeros() const {
    std::size_t total = 0;
    for (const Block &b : blocks) total += b.columns.nonzeros();
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

  // For everything that walks rows. Coordinate descent does without: no copy of the matrix is made for it.
  void need_rows() {
    for (Block &b : blocks)
      if (!b.has_rows()) b.rows = transposed(b.columns);
  }
};

}  // namespace hofm
#endif
