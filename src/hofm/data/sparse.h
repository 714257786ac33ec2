// Sparse matrices: a view on somebody else's arrays, and a transpose that owns its own.
#ifndef HOFM_DATA_SPARSE_H
#define HOFM_DATA_SPARSE_H

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

// Whether two views show the same memory.
inline bool same(const SparseView &a, const SparseView &b) {
  return a.outer == b.outer && a.inner == b.inner && a.start == b.start && a.index == b.index && a.value == b.value;
}

// Whether the slots of a matrix with `nonzeros` of them make sense: slices one after the other, each in increasing order and within
// `inner`. One pass over the indices, without a branch in it.
inline bool sound(const SparseView &x, std::size_t nonzeros) {
  if (x.start[0] != 0 || std::size_t(x.start[x.outer]) != nonzeros) return false;
  for (int o = 0; o < x.outer; ++o)
    if (x.start[o + 1] < x.start[o] || std::size_t(x.start[o + 1]) > nonzeros) return false;
  for (int o = 0; o < x.outer; ++o) {
    const Slice s = x[o];
    if (s.size == 0) continue;
    int falls = 0;
#pragma omp simd reduction(+ : falls)
    for (int q = 1; q < s.size; ++q) falls += s.index[q - 1] >= s.index[q];
    if (falls > 0 || s.index[0] < 0 || s.index[s.size - 1] >= x.inner) return false;
  }
  return true;
}

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
