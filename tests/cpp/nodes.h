// Samples joined from blocks, and the same samples as rows of one matrix.
#ifndef HOFM_TESTS_NODES_H
#define HOFM_TESTS_NODES_H

#include "problem.h"

// The joined rows written out.
inline Sample written_out(const std::vector<Sample> &blocks, const std::vector<std::vector<int>> &index) {
  int d = 0;
  for (const Sample &b : blocks) d += b.d;
  const int n = int(index[0].size());
  Vector dense(std::size_t(n) * d, 0.0);
  for (int i = 0; i < n; ++i) {
    int first = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (int j = 0; j < blocks[b].d; ++j) dense[std::size_t(i) * d + first + j] = blocks[b].at(index[b][i], j);
      first += blocks[b].d;
    }
  }
  return Sample(n, d, dense);
}

// n samples of two blocks, or of two and a context; one node of the first block is never used.
struct JoinedSample {
  std::vector<Sample> blocks;
  std::vector<std::vector<int>> index;
  Sample x;

  JoinedSample(int n_blocks, int n, hofm::Random &random)
      : blocks(make_blocks(n_blocks, n, random)), index(make_index(n_blocks, n, random)), x(written_out(blocks, index)) {}

  hofm::Design design() const {
    hofm::Design joined;
    for (std::size_t b = 0; b < blocks.size(); ++b) joined.add(blocks[b].columns.view(), b == 2 ? std::vector<int>() : index[b]);
    return joined;
  }

 private:
  static std::vector<Sample> make_blocks(int n_blocks, int n, hofm::Random &random) {
    std::vector<Sample> blocks;
    blocks.emplace_back(6, 5, 0.6, random);
    blocks.emplace_back(9, 4, 0.7, random);
    if (n_blocks == 3) blocks.emplace_back(n, 3, 0.5, random);
    return blocks;
  }
  static std::vector<std::vector<int>> make_index(int n_blocks, int n, hofm::Random &random) {
    std::vector<std::vector<int>> index(n_blocks);
    for (int i = 0; i < n; ++i) {
      index[0].push_back(int(random.below(5)));
      index[1].push_back(int(random.below(9)));
      if (n_blocks == 3) index[2].push_back(i);
    }
    return index;
  }
};

#endif
