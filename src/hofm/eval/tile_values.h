// A term on all rows of a matrix stored by columns, walked once, in tiles that stay in the cache with the factors of their columns.
#ifndef HOFM_EVAL_TILE_VALUES_H
#define HOFM_EVAL_TILE_VALUES_H

#include <algorithm>
#include <vector>

#include "hofm/data/tiles.h"
#include "hofm/simd/kernels.h"

namespace hofm {

// Which columns of a term the rows have: features from `first` on, with the dummies or without.
struct TermPart {
  int first = 0;
  bool dummies = true;
};

// The term's sums on some rows of a tile. What is known of a row goes from one tile to the next.
class TileValues {
 public:
  // `term` must outlive it.
  TileValues(Kernel kernel, int degree, const Term &term, TermPart part = {})
      : at_(view(term)), kernel_(kernels().rows(kernel, degree)), apart_(std::ptrdiff_t(state_rows(kernel, degree)) * term.stride) {
    at_.degree = degree;
    at_.first = part.first;
    if (!part.dummies) at_ = behind_dummies(at_);
  }

  std::ptrdiff_t kept() const { return apart_; }  // numbers of a row

  // body(row of the tile, state, value) for all rows, once all their columns are taken in.
  template <class Body>
  void take(const RowTiles &tile, const Body &body) {
    const PieceView rows = tile.rows();
    const int kept = tile.cut() ? tile.most_rows() : kBatch;
    values_.resize(kept);
    states_.resize(kept * apart_);
    for (int first = 0; first < rows.rows; first += kept) {
      const PieceView batch{std::min(kept, rows.rows - first), rows.start + first, rows.piece};
      kernel_.forward_rows(at_, batch, !tile.begins(), states_.data(), apart_, values_.data());
      for (int r = 0; tile.ends() && r < batch.rows; ++r) body(first + r, &states_[r * apart_], values_[r]);
    }
  }

 private:
  static constexpr int kBatch = 64;  // rows whose sums are kept at a time where none goes on in another tile

  TermView at_;
  RowKernel kernel_;
  std::ptrdiff_t apart_;        // of two rows' sums
  std::vector<double> states_;  // row by row
  std::vector<double> values_;  // of the rows
};

}  // namespace hofm
#endif
