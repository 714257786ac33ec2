// Values and gradient on samples joined from two or three blocks, by way of the nodes: a table per node once, per sample only the
// meeting of the tables, then back through each node once. O(k m (nonzeros of the blocks + n)) where the joined rows would cost
// O(k m (nonzeros of the joined rows)).
//
// Threads share the nodes for the tables, the samples for the values, and the factors for the gradient: every number is summed by
// one thread in a fixed order, so the bits do not depend on how many there are, and no copies of the gradient are needed.
#ifndef HOFM_OBJECTIVE_JOINED_H
#define HOFM_OBJECTIVE_JOINED_H

#include <algorithm>
#include <vector>

#include "design.h"
#include "model.h"
#include "monitor.h"
#include "parallel.h"
#include "row_kernel.h"

namespace hofm {

class JoinedPass {
 public:
  // One term's table of every node of every block.
  struct Tables {
    int width = 0;  // of one node
    std::vector<std::vector<double>> value;
    const double *at(std::size_t b, int node) const { return &value[b][std::size_t(node) * width]; }
    const double *of(const Design &design, std::size_t b, int i) const { return at(b, design.blocks[b].node(i)); }
  };

  JoinedPass(Design &design, int threads, Monitor &monitor, Isa isa = Isa::best)
      : design_(design), threads_(std::max(1, threads)), monitor_(monitor), isa_(isa) {
    design.need_rows();
    for (const Block &block : design.blocks) samples_.push_back(block.samples_of_nodes());
  }

  // out[i]: value of one term on sample i. The tables stay, for pull().
  void values(const Term &term, Tables &tables, double *out) {
    fill(term, tables);
    const JoinKernel join = join_kernel(term.kernel, term.degree, isa_);
    const TermView whole = view(term);
    const int parts = std::clamp(design_.n / 64, 1, 64);
    parallel_for(parts, threads_for(double(design_.n) * tables.width), [&](int part, int) {
      std::vector<double> scratch(tables.width);
      const int first = int(std::size_t(design_.n) * part / parts), last = int(std::size_t(design_.n) * (part + 1) / parts);
      for (int i = first; i < last; ++i)
        out[i] = join.value(whole, tables.of(design_, 0, i), rest_of(join, whole, tables, 0, i, scratch.data()));
    });
    monitor_.poll(1e6);
  }

  // G += sum_i g[i] * gradient of the term's value on sample i.
  void pull(const Term &term, const Tables &tables, const std::vector<double> &g, std::vector<double> &G) {
    const JoinKernel join = join_kernel(term.kernel, term.degree, isa_);
    const int lanes = term.stride >= 16 ? 8 : 4, groups = std::max(1, (term.stride + lanes - 1) / lanes);
    for (std::size_t b = 0; b < design_.blocks.size(); ++b) {
      const Block &block = design_.blocks[b];
      const TermView at = view_of(term, b);
      const SparseView rows = block.rows.view();
      const int longest = rows.longest();
      parallel_for(groups, threads_for(pull_work(term, b)), [&](int group, int) {
        const int first = group * lanes, last = std::min(term.stride, first + lanes);
        std::vector<double> adj(tables.width), scratch(tables.width), work(work_size(term, longest));
        for (int node = 0; node < block.nodes(); ++node) {
          const Groups &of = samples_[b];
          if (of.start[node] == of.start[node + 1]) continue;
          std::fill(adj.begin(), adj.end(), 0.0);
          for (int qq = of.start[node]; qq < of.start[node + 1]; ++qq) {
            const int i = of.member[qq];
            join.adjoint(at, tables.at(b, node), rest_of(join, at, tables, b, i, scratch.data()), g[i], adj.data(), first, last);
          }
          join.pull(at, rows[node], tables.at(b, node), adj.data(), G.data() + (at.P - term.P.data()), work.data(), first, last);
        }
      });
      monitor_.poll(1e6);
    }
  }

 private:
  // The term on the rows of block b: dummies count as features of the last block's nodes.
  TermView view_of(const Term &term, std::size_t b) const {
    TermView at = view(term);
    at.first = design_.blocks[b].first_feature;
    if (b + 1 < design_.blocks.size()) {
      at.P += std::size_t(term.augment) * term.stride;
      at.augment = 0;
    }
    return at;
  }

  int threads_for(double work) const { return work < 2e6 ? 1 : threads_; }
  double pull_work(const Term &term, std::size_t b) const {
    return double(design_.blocks[b].columns.nonzeros() + std::size_t(design_.n)) * term.stride * term.degree;
  }

  void fill(const Term &term, Tables &tables) {
    const RowKernel kernel = row_kernel(term.kernel, term.degree, isa_);
    tables.width = int(state_size(term));
    tables.value.resize(design_.blocks.size());
    for (std::size_t b = 0; b < design_.blocks.size(); ++b) {
      const Block &block = design_.blocks[b];
      const TermView at = view_of(term, b);
      const SparseView rows = block.rows.view();
      tables.value[b].resize(std::size_t(block.nodes()) * tables.width);
      const int parts = std::clamp(block.nodes() / 16, 1, 64);
      parallel_for(parts, threads_for(pull_work(term, b)), [&](int part, int) {
        const int first = int(std::size_t(block.nodes()) * part / parts);
        const int last = int(std::size_t(block.nodes()) * (part + 1) / parts);
        for (int node = first; node < last; ++node)
          if (samples_[b].start[node] < samples_[b].start[node + 1])
            kernel.forward(at, rows[node], &tables.value[b][std::size_t(node) * tables.width]);
      });
      monitor_.poll(1e6);
    }
  }

  // The table of sample i's features outside block b.
  const double *rest_of(const JoinKernel &join, const TermView &term, const Tables &tables, std::size_t b, int i,
                        double *scratch) const {
    if (design_.blocks.size() == 2) return tables.of(design_, 1 - b, i);
    const std::size_t one = b == 0 ? 1 : 0, two = b == 2 ? 1 : 2;
    join.combine(term, tables.of(design_, one, i), tables.of(design_, two, i), scratch);
    return scratch;
  }

  Design &design_;
  int threads_;
  Monitor &monitor_;
  Isa isa_;
  std::vector<Groups> samples_;
};

}  // namespace hofm
#endif
