// A term on all rows of a matrix stored by columns, walked once, in tiles and slice by slice of the factors: both stay in the cache.
#ifndef HOFM_ROW_VALUES_H
#define HOFM_ROW_VALUES_H

#include <algorithm>
#include <vector>

#include "factor_slices.h"
#include "row_kernel.h"
#include "row_tiles.h"

namespace hofm {

// Which columns of a term the rows have: features from `first` on, with the dummies or without.
struct TermPart {
  int first = 0;
  bool dummies = true;
};

// The term's sums on some rows of a tile. What is known of a row goes from one tile to the next.
class RowValues {
 public:
  RowValues(Kernel kernel, int degree, const FactorSlices &slices, TermPart part = {})
      : slices_(&slices), kernel_(row_kernel(kernel, degree)), degree_(degree), lines_(state_rows(kernel, degree)), part_(part) {}

  // body(row of the tile, slice, state, value) for all rows, once all their columns are taken in; slices come in order.
  template <class Body>
  void take(const RowTiles &tile, const Body &body) {
    const PieceView rows = tile.rows();
    const int kept = tile.cut() ? tile.most_rows() : kBatch;
    values_.resize(kept);
    states_.resize(std::size_t(kept) * lines_ * slices_->stride());
    for (int slice = 0; slice < slices_->count(); ++slice) {
      const TermView at = seen(slice);
      const std::ptrdiff_t apart = std::ptrdiff_t(lines_) * at.stride;
      double *state = &states_[std::size_t(kept) * lines_ * slices_->first(slice)];
      for (int first = 0; first < rows.rows; first += kept) {
        const PieceView batch{std::min(kept, rows.rows - first), rows.start + first, rows.piece};
        kernel_.forward_rows(at, batch, !tile.begins(), state, apart, values_.data());
        for (int r = 0; tile.ends() && r < batch.rows; ++r) body(first + r, slice, state + r * apart, values_[r]);
      }
    }
  }

 private:
  TermView seen(int slice) const {
    TermView at = (*slices_)[slice];
    at.degree = degree_;
    at.first = part_.first;
    return part_.dummies ? at : behind_dummies(at);
  }

  static constexpr int kBatch = 64;  // rows whose sums are kept at a time where none goes on in another tile

  const FactorSlices *slices_;
  RowKernel kernel_;
  int degree_, lines_;
  TermPart part_;
  std::vector<double> states_;  // slice by slice, row by row
  std::vector<double> values_;  // of the rows, in one slice
};

}  // namespace hofm
#endif
