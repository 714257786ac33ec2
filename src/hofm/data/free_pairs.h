// The pairs of nodes that are not links, drawn one at a time, all with the same chance and without a list of them.
#ifndef HOFM_DATA_FREE_PAIRS_H
#define HOFM_DATA_FREE_PAIRS_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hofm/base/random.h"

namespace hofm {

// Every pair has a code from 0 to size - 1: for two node sets its place in the grid, column by column; for one set without the pairs
// (i, i); for an undirected one of i < j alone.
class FreePairs {
 public:
  FreePairs() = default;

  // `links`: codes in increasing order.
  FreePairs(const std::string &kind, std::uint64_t nodes, std::uint64_t size, std::vector<std::uint64_t> links)
      : undirected_(kind == "undirected"), directed_(kind == "directed"), rows_(directed_ ? nodes - 1 : nodes),
        free_(size - links.size()), before_(std::move(links)) {
    for (std::size_t q = 0; q < before_.size(); ++q) before_[q] -= q;
  }

  std::uint64_t count() const { return free_; }

  std::pair<int, int> draw(Random &random) const { return nodes(code(random.below(free_))); }

  // The free code of a rank: before it lie `rank` free codes and the links whose own code, less the links before them, is at most that.
  std::uint64_t code(std::uint64_t rank) const {
    return rank + std::uint64_t(std::upper_bound(before_.begin(), before_.end(), rank) - before_.begin());
  }

  std::pair<int, int> nodes(std::uint64_t code) const {
    if (undirected_) {
      std::uint64_t j = std::uint64_t((1 + std::sqrt(1 + 8.0 * double(code))) / 2);
      while (j * (j - 1) / 2 > code) --j;  // the root is rounded
      while (j * (j + 1) / 2 <= code) ++j;
      return {int(code - j * (j - 1) / 2), int(j)};
    }
    const std::uint64_t j = code / rows_, i = code % rows_;
    return {int(directed_ && i >= j ? i + 1 : i), int(j)};
  }

 private:
  bool undirected_ = false, directed_ = false;
  std::uint64_t rows_ = 0, free_ = 0;
  std::vector<std::uint64_t> before_;  // codes of the links, each less the number of links before it
};

}  // namespace hofm
#endif
