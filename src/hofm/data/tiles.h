// The rows of a matrix stored by columns, a tile at a time: some rows, and of long rows some columns. What is walked once needs no
// copy of the whole matrix. Where rows are long, a tile and the factors of its columns fit into the cache.
#ifndef HOFM_DATA_TILES_H
#define HOFM_DATA_TILES_H

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/base/parallel.h"
#include "hofm/data/sparse.h"

namespace hofm {

// Rows of a tile, nonzeros after which it takes in no further column, and (the logarithm of) those of a row that lie side by side.
// Visits to a column should find many nonzeros, and visits to a row a few dozen.
struct TileSize {
  static constexpr std::ptrdiff_t kMostKept = 1 << 22;
  int rows, piece_bits;
  std::size_t nonzeros;

  // `kept`: numbers that the caller keeps of a row until its last tile.
  TileSize(const SparseView &x, std::ptrdiff_t kept) {
    const double filled = std::max(1.0, double(x.nonzeros()) / std::max(1, x.inner));  // nonzeros of a row
    const double height = 8.0 * std::max(x.outer, 4096) / filled;
    const bool cut = filled >= 64 && height <= 4096;
    rows = cut ? int(std::clamp<std::ptrdiff_t>(kMostKept / std::max<std::ptrdiff_t>(kept, 1), 64, 4096))
               : int(std::clamp(height, 1024.0, 262144.0));
    nonzeros = cut ? 96 * 1024 : std::numeric_limits<std::size_t>::max();
    piece_bits = cut ? 5 : 2;
    while (!cut && piece_bits < 6 && (1 << piece_bits) < 1.25 * filled) ++piece_bits;
  }
};

// How many nonzeros a row has is not known before its columns have gone by. So it has room for a piece of it, and when that is full
// another piece is put behind all others and linked to it: one pass over the columns, where counting first would take two.
class RowTiles {
 public:
  // Rows first..last-1 of `columns`. Finding them takes a search in every column, unless they are the first ones.
  RowTiles(const SparseView &columns, int first, int last, std::ptrdiff_t kept = 0)
      : columns_(columns), size_(columns, kept), most_(std::min(last - first, size_.rows)), first_(first), end_(first), last_(last),
        left_(columns.outer), right_(columns.outer), next_(columns.outer) {
    for (int j = 0; j < columns.outer; ++j) {
      const int *from = columns.index + columns.start[j], *to = columns.index + columns.start[j + 1];
      next_[j] = int((first == 0 ? from : std::lower_bound(from, to, first)) - columns.index);
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
    put_together();
    return true;
  }

  bool begins() const { return left_ == 0; }                                         // whether the tile has its rows' first columns
  bool ends() const { return right_ == columns_.outer; }                             // whether it has their last
  int first() const { return first_; }                                               // row
  PieceView rows() const { return {end_ - first_, start_.data(), pieces_.data()}; }  // each has one piece at least
  bool cut() const { return size_.nonzeros <= columns_.nonzeros(); }                 // whether rows may have more than one tile
  int most_rows() const { return most_; }                                            // of a tile

 private:
  static constexpr int kAhead = 8;  // columns whose nonzeros are fetched while others are read

  std::ptrdiff_t mask() const { return (std::ptrdiff_t(1) << size_.piece_bits) - 1; }

  // Members are copied so that the compiler need not read them again after every write.
  void put_together() {
    begin_rows();
    const SparseView x = columns_;
    const int first = first_, end = end_, bits = size_.piece_bits;
    const std::ptrdiff_t inside = mask();
    std::size_t taken = 0;
    std::ptrdiff_t *place = place_.data();
    for (; right_ < x.outer && taken < size_.nonzeros; ++right_) {
      const int j = right_;
      if (j + kAhead < x.outer) {
        __builtin_prefetch(x.index + next_[j + kAhead]);
        __builtin_prefetch(x.value + next_[j + kAhead]);
      }
      int *index = index_.data();
      double *value = value_.data();
      int q = next_[j];
      for (const int stop = x.start[j + 1]; q < stop && x.index[q] < end; ++q) {
        const int r = x.index[q] - first;
        std::ptrdiff_t to = place[r];
        if (to < 0) {
          to = another_piece(~to);
          index = index_.data();
          value = value_.data();
        }
        index[to] = j;
        value[to] = x.value[q];
        ++to;
        place[r] = (to & inside) ? to : ~((to - 1) >> bits);
      }
      taken += q - next_[j];
      next_[j] = q;
    }
    end_rows();
  }

  // One piece for each row, all empty.
  void begin_rows() {
    place_.resize(end_ - first_);
    for (int r = 0; r < end_ - first_; ++r) place_[r] = std::ptrdiff_t(r) << size_.piece_bits;
    count_ = end_ - first_;
    if (link_.size() < std::size_t(count_)) grow();
  }

  // The pieces of each row, side by side.
  void end_rows() {
    start_.resize(place_.size() + 1);
    pieces_.resize(count_);
    const int full = 1 << size_.piece_bits;
    int to = 0;
    for (std::size_t r = 0; r < place_.size(); ++r) {
      start_[r] = to;
      const std::ptrdiff_t place = place_[r], last = place < 0 ? ~place : place >> size_.piece_bits;
      std::ptrdiff_t piece = r;
      for (; piece != last; piece = link_[piece]) pieces_[to++] = slice(piece, full);
      pieces_[to++] = slice(piece, place < 0 ? full : int(place & mask()));
    }
    start_[place_.size()] = to;
  }

  Slice slice(std::ptrdiff_t piece, int size) const {
    return {&index_[piece << size_.piece_bits], &value_[piece << size_.piece_bits], size};
  }

  // Where a piece begins that follows `full`.
  std::ptrdiff_t another_piece(std::ptrdiff_t full) {
    if (link_.size() == std::size_t(count_)) grow();
    link_[full] = count_;
    return std::ptrdiff_t(count_++) << size_.piece_bits;
  }

  void grow() {
    link_.resize(std::max<std::size_t>(count_, 3 * link_.size() / 2 + 16));
    index_.resize(link_.size() << size_.piece_bits);
    value_.resize(link_.size() << size_.piece_bits);
  }

  SparseView columns_;
  TileSize size_;
  int most_;
  int first_, end_, last_;             // rows of the tile, and the end of all
  int left_, right_;                   // columns of the tile
  std::vector<int> next_;              // of each column: its first nonzero that no tile had
  std::vector<std::ptrdiff_t> place_;  // of each row: where its next nonzero goes or, when its last piece p is full, ~p
  int count_ = 0;                      // of pieces
  std::vector<int> link_;              // of each piece that is not its row's last: the one behind it
  std::vector<int> index_;
  std::vector<double> value_;
  std::vector<int> start_;  // of each row, in pieces_
  std::vector<Slice> pieces_;
};

// body(tile, part) for all rows, of each of which the body keeps `kept` numbers; a part of the rows has its tiles from left to right and from top to bottom, and goes by
// itself. Which part and which tile a row is in does not show in what is computed for it.
template <class Body>
void walk_tiles(const SparseView &columns, std::ptrdiff_t kept, int threads, Monitor &monitor, const Body &body) {
  if (double(columns.nonzeros()) * kept < kMinParallelWork) threads = 1;  // a nonzero moves each of the numbers
  const RowBlocks parts{columns.inner, std::clamp(columns.inner / 64, 1, std::max(1, threads))};
  std::vector<RowTiles> tiles;
  tiles.reserve(parts.count);
  for (int part = 0; part < parts.count; ++part) tiles.emplace_back(columns, parts.first(part), parts.first(part + 1), kept);
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
