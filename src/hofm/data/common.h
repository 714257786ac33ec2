// What two nodes have in common, <a_i, b_j>, where both sides have the same features: one number to a model that has a weight for it,
// thousands of products to one that has factors alone. Sums over all pairs of nodes are sums over features.
#ifndef HOFM_DATA_COMMON_H
#define HOFM_DATA_COMMON_H

#include <cstddef>
#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/data/sparse.h"

namespace hofm {

// f(v * w) for the features that two nodes have in common, in increasing order.
template <class F>
void each_common(const Slice &a, const Slice &b, F &&f) {
  for (int p = 0, q = 0; p < a.size && q < b.size;) {
    if (a.index[p] == b.index[q]) f(a.value[p++] * b.value[q++]);
    else if (a.index[p] < b.index[q]) ++p;
    else ++q;
  }
}

// <a_i, b_j> of single pairs. `a`, `b`: by columns, as all matrices here.
inline std::vector<double> common_products(const SparseView &a, const SparseView &b, const std::vector<int> &i,
                                           const std::vector<int> &j) {
  const SparseStore left = transposed(a), right = transposed(b);
  std::vector<double> out(i.size(), 0.0);
  for (std::size_t q = 0; q < i.size(); ++q)
    each_common(left.view()[i[q]], right.view()[j[q]], [&](double product) { out[q] += product; });
  return out;
}

// X't: what a number of each node comes to by features.
inline void by_features(const SparseView &x, const double *t, double *out) {
  for (int f = 0; f < x.outer; ++f) {
    const Slice column = x[f];
    double sum = 0;
    for (int q = 0; q < column.size; ++q) sum += column.value[q] * t[column.index[q]];
    out[f] = sum;
  }
}

inline double inner(const double *x, const double *y, int n) {
  double sum = 0;
  for (int q = 0; q < n; ++q) sum += x[q] * y[q];
  return sum;
}

// Row o of x x', where `across` is x the other way round: out += sum_q x_oq (slice q of across).
inline void add_products(const Slice &slice, const SparseView &across, std::vector<double> &out) {
  for (int q = 0; q < slice.size; ++q) {
    const Slice other = across[slice.index[q]];
    for (int r = 0; r < other.size; ++r) out[other.index[r]] += slice.value[q] * other.value[r];
  }
}

// sum_ij <a_i, b_j>^2 = trace(A'A B'B), by features or by nodes, whichever has fewer products.
inline double common_squares(const SparseView &a, const SparseView &b, Monitor &monitor) {
  const SparseStore left = transposed(a), right = transposed(b);
  double features = 0, nodes = 0, sum = 0;
  for (const SparseStore *side : {&left, &right})
    for (int i = 0; i < side->view().outer; ++i) features += double(side->view()[i].size) * side->view()[i].size;
  for (int f = 0; f < a.outer; ++f) nodes += double(a[f].size) * b[f].size;
  if (nodes < features) {
    std::vector<double> row(b.inner);
    for (int i = 0; i < a.inner; ++i) {
      std::fill(row.begin(), row.end(), 0.0);
      add_products(left.view()[i], b, row);
      sum += inner(row.data(), row.data(), b.inner);
      monitor.poll(nodes / a.inner + b.inner);
    }
    return sum;
  }
  std::vector<double> of_a(a.outer), of_b(a.outer);
  for (int f = 0; f < a.outer; ++f) {
    std::fill(of_a.begin(), of_a.end(), 0.0);
    std::fill(of_b.begin(), of_b.end(), 0.0);
    add_products(a[f], left.view(), of_a);
    add_products(b[f], right.view(), of_b);
    sum += inner(of_a.data(), of_b.data(), a.outer);
    monitor.poll(features / a.outer + a.outer);
  }
  return sum;
}

}  // namespace hofm
#endif
