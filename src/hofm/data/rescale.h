// Columns of sparse rows on another scale: x_j becomes (x_j - center_j) / scale_j.
#ifndef HOFM_DATA_RESCALE_H
#define HOFM_DATA_RESCALE_H

#include <cstddef>
#include <utility>
#include <vector>

#include "hofm/data/sparse.h"

namespace hofm {

struct Rescale {
  std::vector<double> center, scale;  // of each feature, or both empty: nothing changes
  std::vector<int> centred;           // features whose center is not zero, in increasing order

  Rescale() = default;
  Rescale(std::vector<double> center_of, std::vector<double> scale_of) : center(std::move(center_of)), scale(std::move(scale_of)) {
    for (std::size_t j = 0; j < center.size(); ++j)
      if (center[j] != 0) centred.push_back(int(j));
  }

  // Every row gets an entry for every centred feature. Costs a nanosecond or two for each nonzero, and two copies of the rows while it
  // lasts if there are centred features.
  void operator()(SparseStore &rows) const {
    if (scale.empty()) return;
    if (!centred.empty()) fill(rows);
    for (std::size_t q = 0; q < rows.index.size(); ++q) {
      const int j = rows.index[q];
      rows.value[q] = (rows.value[q] - center[j]) / scale[j];
    }
  }

 private:
  // Zeros that are no entries become entries, where features are centred.
  void fill(SparseStore &rows) const {
    SparseStore all;
    all.outer = rows.outer;
    all.inner = rows.inner;
    all.start.reserve(rows.start.size());
    all.start.push_back(0);
    all.index.reserve(rows.index.size() + std::size_t(rows.outer) * centred.size());
    all.value.reserve(all.index.capacity());
    const SparseView view = rows.view();
    for (int i = 0; i < rows.outer; ++i) {
      const Slice row = view[i];
      std::size_t c = 0;
      const auto fill_below = [&](int index) {
        for (; c < centred.size() && centred[c] < index; ++c) {
          all.index.push_back(centred[c]);
          all.value.push_back(0);
        }
      };
      for (int q = 0; q < row.size; ++q) {
        fill_below(row.index[q]);
        if (c < centred.size() && centred[c] == row.index[q]) ++c;
        all.index.push_back(row.index[q]);
        all.value.push_back(row.value[q]);
      }
      fill_below(rows.inner);
      all.start.push_back(int(all.index.size()));
    }
    rows = std::move(all);
  }
};

}  // namespace hofm
#endif
