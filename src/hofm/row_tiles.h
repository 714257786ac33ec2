// The rows of a matrix stored by columns, a tile at a time: some rows, and of a long row some columns. What is walked once needs no
// copy of the whole matrix. Where rows are long, a tile and the factors of its columns fit into the cache.
#ifndef HOFM_ROW_TILES_H
#define HOFM_ROW_TILES_H

#include <algorithm>
#include <vector>

#include "monitor.h"
#include "parallel.h"
#include "sparse.h"

namespace hofm {

// Rows and columns of a tile: visits to a column should find several nonzeros, and visits to a row a few dozen.
struct TileSize {
  int rows, columns;

  explicit TileSize(const SparseView &x) {
    const double filled = std::max(1.0, double(x.nonzeros()) / std::max(1, x.inner));  // nonzeros of a row
    const double height = 8.0 * std::max(x.outer, 4096) / filled;
    const bool cut = filled >= 64 && height <= 4096;
    rows = cut ? 1024 : int(std::clamp(height, 1024.0, 1e6));
    columns = cut ? int(std::max(256.0, 32.0 * x.outer / filled)) : std::max(1, x.outer);
  }
};

class RowTiles {
 public:
  // Rows first..last-1 of `columns`. Finding them takes a search in every column.
  RowTiles(const SparseView &columns, int first, int last)
      : columns_(columns), size_(columns), most_(std::min(last - first, size_.rows)), first_(first), end_(first), last_(last),
        left_(columns.outer), right_(columns.outer), next_(columns.outer) {
    for (int j = 0; j < columns.outer; ++j) {
      const Slice column = columns[j];
      next_[j] = int(std::lower_bound(column.index, column.index + column.size, first) - columns.index);
    }
  }

  // Moves on to the tile to the right or, at the end of the rows, to the first one below; false when there is none. O(columns, nonzeros
  // and rows of the tile).
  bool advance() {
    if (ends() && end_ == last_) return false;
    if (ends()) {
      first_ = end_;
      end_ = first_ + std::min(last_ - first_, most_);
      right_ = 0;
    }
    left_ = right_;
    right_ = std::min(columns_.outer, left_ + size_.columns);
    put_together();
    return true;
  }

  bool begins() const { return left_ == 0; }             // whether the tile has its rows' first columns
  bool ends() const { return right_ == columns_.outer; }  // whether it has their last
  int first() const { return first_; }                    // row
  bool cut() const { return size_.columns < columns_.outer; }  // whether rows have more than one tile
  int most_rows() const { return most_; }  // of a tile
  SparseView rows() const { return tile_.view(); }

 private:
  static constexpr int kAhead = 8;  // columns whose nonzeros are fetched while others are read

  void put_together() {
    tile_.outer = end_ - first_;
    tile_.inner = columns_.outer;
    tile_.start.assign(std::size_t(tile_.outer) + 1, 0);
    count(tile_.start.data() + 1);
    for (int r = 0; r < tile_.outer; ++r) tile_.start[r + 1] += tile_.start[r];
    if (int(tile_.index.size()) < tile_.start.back()) {
      tile_.index.resize(tile_.start.back());
      tile_.value.resize(tile_.start.back());
    }
    place_.assign(tile_.start.begin(), tile_.start.end());
    fill(place_.data(), tile_.index.data(), tile_.value.data());
  }

  // Nonzeros of each row. Members are copied, here and below, so that the compiler need not read them again after every write.
  void count(int *size) const {
    const SparseView x = columns_;
    const int first = first_, end = end_;
    for (int j = left_; j < right_; ++j) {
      if (j + kAhead < right_) __builtin_prefetch(x.index + next_[j + kAhead]);
      for (int q = next_[j], stop = x.start[j + 1]; q < stop && x.index[q] < end; ++q) ++size[x.index[q] - first];
    }
  }

  void fill(int *place, int *index, double *value) {
    const SparseView x = columns_;
    const int first = first_, end = end_;
    for (int j = left_; j < right_; ++j) {
      if (j + kAhead < right_) __builtin_prefetch(x.value + next_[j + kAhead]);
      int q = next_[j];
      for (const int stop = x.start[j + 1]; q < stop && x.index[q] < end; ++q) {
        const int to = place[x.index[q] - first]++;
        index[to] = j;
        value[to] = x.value[q];
      }
      next_[j] = q;
    }
  }

  SparseView columns_;
  TileSize size_;
  int most_;
  int first_, end_, last_;  // rows of the tile, and the end of all
  int left_, right_;        // columns of the tile
  std::vector<int> next_;   // of each column: its first nonzero that no tile had
  SparseStore tile_;
  std::vector<int> place_;  // of the next nonzero of each row, while the tile is filled
};

// body(tile, part) for all rows; a part of the rows has its tiles from left to right and from top to bottom, and goes by
// itself. Which part and which tile a row is in does not show in what is computed for it.
template <class Body>
void walk_tiles(const SparseView &columns, int threads, Monitor &monitor, const Body &body) {
  const RowBlocks parts{columns.inner, std::clamp(columns.inner / 64, 1, std::max(1, threads))};
  std::vector<RowTiles> tiles;
  tiles.reserve(parts.count);
  for (int part = 0; part < parts.count; ++part)
    tiles.emplace_back(columns, parts.first(part), parts.first(part + 1));
  std::vector<char> more(parts.count, true);
  while (std::count(more.begin(), more.end(), true) > 0) {
    parallel_for(parts.count, threads, [&](int part, int) {
      if ((more[part] = tiles[part].advance())) body(tiles[part], part);
    });
    monitor.poll(1e6);
  }
}

}  // namespace hofm
#endif
