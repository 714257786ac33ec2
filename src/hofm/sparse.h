// Sparse matrices: a view on somebody else's arrays, and a transpose that owns its own.
#ifndef HOFM_SPARSE_H
#define HOFM_SPARSE_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hofm {

// The nonzeros of one row or one column.
struct Slice {
  const int *index;
  const double *value;
  int size;
};

// Rows whose nonzeros lie in pieces: those of row r are start[r]..start[r + 1] - 1.
struct PieceView {
  int rows = 0;
  const int *start = nullptr;
  const Slice *piece = nullptr;
};

// Compressed storage, nothing owned: `outer` slices over `inner` positions. A dgCMatrix seen by columns has
// outer = features and inner = rows. Slots must be valid: the caller checks them.
struct SparseView {
  int outer = 0, inner = 0;
  const int *start = nullptr;
  const int *index = nullptr;
  const double *value = nullptr;

  Slice operator[](int o) const { return {index + start[o], value + start[o], start[o + 1] - start[o]}; }
  std::size_t nonzeros() const { return outer ? std::size_t(start[outer]) : 0; }
  int longest() const {
    int most = 0;
    for (int o = 0; o < outer; ++o) most = std::max(most, start[o + 1] - start[o]);
    return most;
  }
};

struct SparseStore {
  int outer = 0, inner = 0;
  std::vector<int> start, index;
  std::vector<double> value;

  SparseView view() const { return {outer, inner, start.data(), index.data(), value.data()}; }
};

// Counting sort by inner position: slices of the result are in increasing order of `outer`. O(nnz + inner).
inline SparseStore transposed(const SparseView &x) {
  SparseStore t;
  t.outer = x.inner;
  t.inner = x.outer;
  t.start.assign(std::size_t(x.inner) + 1, 0);
  t.index.resize(x.nonzeros());
  t.value.resize(x.nonzeros());
  for (std::size_t q = 0; q < x.nonzeros(); ++q) ++t.start[std::size_t(x.index[q]) + 1];
  for (int i = 0; i < x.inner; ++i) t.start[std::size_t(i) + 1] += t.start[i];
  std::vector<int> next(t.start.begin(), t.start.end() - 1);
  for (int o = 0; o < x.outer; ++o) {
    const Slice s = x[o];
    for (int q = 0; q < s.size; ++q) {
      const int to = next[s.index[q]]++;
      t.index[to] = o;
      t.value[to] = s.value[q];
    }
  }
  return t;
}

}  // namespace hofm
#endif
