// Rows on their way into shards: collected until there are enough for a file, with statistics of every column.
#ifndef HOFM_IO_SHARD_BUFFER_H
#define HOFM_IO_SHARD_BUFFER_H

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hofm/data/sparse.h"
#include "hofm/io/shard.h"

namespace hofm {

// Of the nonzeros of each column: the sum of their rows' weights, their weighted mean, and the weighted sum of squares about it; and
// whether one of them is not 1. Those of two sets of rows are merged by Chan's formulas, which keep their digits where the squares of
// values far from zero would have none left.
struct ColumnSums {
  std::vector<double> weight, mean, spread;
  std::vector<char> other;

  void widen(std::size_t d) {
    if (weight.size() >= d) return;
    weight.resize(d, 0.0);
    mean.resize(d, 0.0);
    spread.resize(d, 0.0);
    other.resize(d, 0);
  }

  void add(const SparseView &rows, const std::vector<double> &weights) {
    const std::size_t d = std::size_t(rows.inner);
    widen(d);
    std::vector<double> sum(d, 0.0), centre(d, 0.0), square(d, 0.0);
    each(rows, [&](int i, int j, double x) {
      sum[j] += weights[i];
      centre[j] += weights[i] * x;
      other[j] = char(other[j] | (x != 1));
    });
    for (std::size_t j = 0; j < d; ++j) centre[j] = sum[j] > 0 ? centre[j] / sum[j] : 0;
    each(rows, [&](int i, int j, double x) { square[j] += weights[i] * (x - centre[j]) * (x - centre[j]); });
    for (std::size_t j = 0; j < d; ++j) merge(j, sum[j], centre[j], square[j]);
  }

 private:
  template <class F>
  static void each(const SparseView &rows, const F &f) {
    for (int i = 0; i < rows.outer; ++i) {
      const Slice row = rows[i];
      for (int q = 0; q < row.size; ++q) f(i, row.index[q], row.value[q]);
    }
  }

  // Squares of the largest numbers are beyond any: such a column has the largest scale there is.
  static double finite(double x) {
    constexpr double most = std::numeric_limits<double>::max();
    return x < most ? std::max(x, -most) : most;
  }

  void merge(std::size_t j, double w, double m, double s) {
    if (w == 0) return;
    const double all = weight[j] + w, apart = m - mean[j];
    spread[j] = finite(spread[j] + s + apart * apart * (weight[j] / all) * w);
    mean[j] = finite(mean[j] + apart * (w / all));
    weight[j] = all;
  }
};

class ShardBuffer {
 public:
  explicit ShardBuffer(double size) : size_(std::size_t(size)) { clear(); }

  ColumnSums columns;

  std::size_t rows() const { return shard_.y.size(); }
  bool full() const { return shard_.rows.index.size() >= size_ || rows() >= kMostRows; }

  // One row, whose entries may come in any order; those of one index are added up, and zeros left out.
  void add(const int *index, const double *value, int n, double y, double weight, double offset) {
    entries_.clear();
    for (int q = 0; q < n; ++q)
      if (value[q] != 0) entries_.push_back({index[q], value[q]});
    if (!std::is_sorted(entries_.begin(), entries_.end(), before)) std::stable_sort(entries_.begin(), entries_.end(), before);
    SparseStore &rows = shard_.rows;
    const std::size_t first = rows.index.size();
    if (first + entries_.size() > std::size_t(std::numeric_limits<int>::max()) - 1) throw std::length_error("a row of a shard");
    for (const auto &[at, x] : entries_) {
      if (rows.index.size() > first && rows.index.back() == at) {
        rows.value.back() += x;
      } else {
        rows.index.push_back(at);
        rows.value.push_back(x);
      }
    }
    rows.start.push_back(int(rows.index.size()));
    shard_.y.push_back(y);
    shard_.weight.push_back(weight);
    shard_.offset.push_back(offset);
  }

  // All rows so far into a file, of `features` columns; the buffer is empty then.
  void write(const std::string &file, int features, std::uint64_t dictionary) {
    shard_.rows.outer = int(rows());
    shard_.rows.inner = features;
    columns.add(shard_.rows.view(), shard_.weight);
    columns.widen(std::size_t(features));
    ShardWriter writer(file);
    writer(shard_, dictionary);
    clear();
  }

  const Shard &shard() const { return shard_; }

 private:
  using Entry = std::pair<int, double>;
  static bool before(const Entry &a, const Entry &b) { return a.first < b.first; }
  static constexpr std::size_t kMostRows = std::size_t(1) << 24;  // of rows with hardly a nonzero

  void clear() {
    shard_.rows.index.clear();
    shard_.rows.value.clear();
    shard_.rows.start.assign(1, 0);
    shard_.y.clear();
    shard_.weight.clear();
    shard_.offset.clear();
  }

  std::size_t size_;
  Shard shard_;
  std::vector<Entry> entries_;
};

}  // namespace hofm
#endif
