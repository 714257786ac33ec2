// The rows of a matrix stored by columns, a window of them at a time: what is walked once needs no copy of the whole matrix, and a
// window is put together in the cache.
#ifndef HOFM_ROW_WINDOWS_H
#define HOFM_ROW_WINDOWS_H

#include <algorithm>
#include <vector>

#include "design.h"
#include "monitor.h"
#include "parallel.h"
#include "sparse.h"

namespace hofm {

class RowWindows {
 public:
  // Rows first..last-1 of `columns`. Finding them takes a search in every column.
  RowWindows(const SparseView &columns, int first, int last)
      : columns_(columns), begin_(first), end_(first), last_(last), height_(height_for(columns)), next_(columns.outer) {
    for (int j = 0; j < columns.outer; ++j) {
      const Slice column = columns[j];
      next_[j] = int(std::lower_bound(column.index, column.index + column.size, first) - columns.index);
    }
  }

  // Moves on to the next window; false when there is none. O(columns + nonzeros of the window).
  bool advance() {
    if (end_ == last_) return false;
    begin_ = end_;
    end_ = std::min(last_, begin_ + height_);
    window_.outer = end_ - begin_;
    window_.inner = columns_.outer;
    window_.start.assign(std::size_t(window_.outer) + 1, 0);
    count(window_.start.data() + 1);
    for (int r = 0; r < window_.outer; ++r) window_.start[r + 1] += window_.start[r];
    window_.index.resize(window_.start.back());
    window_.value.resize(window_.start.back());
    place_.assign(window_.start.begin(), window_.start.end());
    fill(place_.data(), window_.index.data(), window_.value.data());
    return true;
  }

  int first() const { return begin_; }
  SparseView rows() const { return window_.view(); }

 private:
  // Nonzeros of each row. Members are copied, here and below, so that the compiler need not read them again after every write.
  void count(int *size) const {
    const SparseView x = columns_;
    const int begin = begin_, end = end_;
    for (int j = 0; j < x.outer; ++j)
      for (int q = next_[j], stop = x.start[j + 1]; q < stop && x.index[q] < end; ++q) ++size[x.index[q] - begin];
  }

  void fill(int *place, int *index, double *value) {
    const SparseView x = columns_;
    const int begin = begin_, end = end_;
    for (int j = 0; j < x.outer; ++j) {
      int q = next_[j];
      for (const int stop = x.start[j + 1]; q < stop && x.index[q] < end; ++q) {
        const int to = place[x.index[q] - begin]++;
        index[to] = j;
        value[to] = x.value[q];
      }
      next_[j] = q;
    }
  }

  // As many rows as make the visit to every column pay.
  static int height_for(const SparseView &x) {
    const double filled = std::max(1.0, double(x.nonzeros()) / std::max(1, x.inner));
    return int(std::clamp(4.0 * std::max(x.outer, 4096) / filled, 512.0, 1e6));
  }

  SparseView columns_;
  int begin_, end_, last_, height_;
  std::vector<int> next_;  // of each column: its first nonzero that no window had
  SparseStore window_;
  std::vector<int> place_;  // of the next nonzero of each row, while the window is filled
};

// body(first row, rows, thread) for all rows of a plain design, in windows. Each row is in one window, whichever it is.
template <class Body>
void walk_windows(const Design &design, int threads, Monitor &monitor, const Body &body) {
  const RowBlocks parts{design.n, std::clamp(design.n / 64, 1, std::max(1, threads))};
  std::vector<RowWindows> windows;
  windows.reserve(parts.count);
  for (int part = 0; part < parts.count; ++part)
    windows.emplace_back(design.blocks[0].columns, parts.first(part), parts.first(part + 1));
  std::vector<char> more(parts.count, true);
  while (std::count(more.begin(), more.end(), true) > 0) {
    parallel_for(parts.count, threads, [&](int part, int thread) {
      if ((more[part] = windows[part].advance())) body(windows[part].first(), windows[part].rows(), thread);
    });
    monitor.poll(1e6);
  }
}

}  // namespace hofm
#endif
