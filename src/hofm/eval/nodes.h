// Values and gradient on samples joined from two or three blocks, by way of the nodes: a table per node once, per sample only the
// meeting of the tables, then back through each node once. O(k m (nonzeros of the blocks + n)) where the joined rows would cost
// O(k m (nonzeros of the joined rows)).
//
// Threads share the nodes for the tables, the samples for the values, and the factors for the gradient: every number is summed by
// one thread in a fixed order, so the bits do not depend on how many there are, and no copies of the gradient are needed.
#ifndef HOFM_EVAL_NODES_H
#define HOFM_EVAL_NODES_H

#include <algorithm>
#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/base/parallel.h"
#include "hofm/data/design.h"
#include "hofm/eval/factor_slices.h"
#include "hofm/model/model.h"
#include "hofm/simd/kernels.h"

namespace hofm {

class NodePass {
 public:
  // One term's tables: of every node of every block, slice of factors by slice.
  struct Tables {
    FactorSlices slices;
    std::size_t blocks = 0;
    std::vector<int> width;  // of one node in a slice
    std::vector<std::vector<double>> value;

    std::vector<double> &of(int slice, std::size_t b) { return value[slice * blocks + b]; }
    const double *at(int slice, std::size_t b, int node) const {
      return &value[slice * blocks + b][std::size_t(node) * width[slice]];
    }
  };

  NodePass(Design &design, int threads, Monitor &monitor, Isa isa = best_isa())
      : design_(design), threads_(std::max(1, threads)), monitor_(monitor), isa_(isa) {
    design.need_rows();
    for (const Block &block : design.blocks) samples_.push_back(block.samples_of_nodes());
  }

  // out[i]: value of one term on sample i. The tables stay, for pull(), and refer to the term.
  void values(const Term &term, Tables &tables, double *out) {
    fill(term, tables);
    const MeetKernel meet = kernels(isa_).meets(term.kernel, term.degree);
    const int parts = std::clamp(design_.n / 64, 1, 64);
    parallel_for(parts, threads_for(double(design_.n) * term.stride * term.degree), [&](int part, int) {
      const RowBlocks samples{design_.n, parts};
      std::vector<double> scratch(tables.width[0]);
      std::fill(out + samples.first(part), out + samples.first(part + 1), 0.0);
      for (int slice = 0; slice < tables.slices.count(); ++slice) {
        const TermView at = tables.slices[slice];
        for (int i = samples.first(part); i < samples.first(part + 1); ++i)
          out[i] += meet.value(at, table_of(tables, slice, 0, i), rest_of(meet, at, tables, slice, 0, i, scratch.data()));
      }
    });
    monitor_.poll(1e6);
  }

  // G = gradient of the term's penalty + sum_i g[i] * gradient of its value on sample i, after values().
  void pull(const Term &term, const Tables &tables, const std::vector<double> &g, std::vector<double> &G) {
    const FactorSlices &slices = tables.slices;
    const int lanes = slices.whole() ? 4 : FactorSlices::kWidth, groups = std::max(1, (term.stride + lanes - 1) / lanes);
    const int threads = threads_for(pull_work(term));
    G.resize(term.P.size());
    parts_.resize(std::max<std::size_t>(parts_.size(), groups));
    if (slices.whole()) set_to_penalty(term.P.data(), G, term);
    for (std::size_t b = 0; b < design_.blocks.size(); ++b) {
      parallel_for(groups, threads, [&](int group, int) {
        if (slices.whole()) {
          pull_block(term, tables, b, 0, group * lanes, std::min(term.stride, (group + 1) * lanes), g, G);
        } else {
          if (b == 0) {
            parts_[group].resize(std::size_t(term.columns()) * slices.width(group));
            set_to_penalty(slices[group].P, parts_[group], term);
          }
          pull_block(term, tables, b, group, 0, slices.width(group), g, parts_[group]);
          if (b + 1 == design_.blocks.size()) slices.put(group, parts_[group], G);
        }
      });
      monitor_.poll(1e6);
    }
  }

 private:
  // A slice on the rows of block b: dummies count as features of the last block's nodes.
  TermView view_of(const FactorSlices &slices, int slice, std::size_t b) const {
    TermView at = slices[slice];
    at.first = design_.blocks[b].first_feature;
    if (b + 1 < design_.blocks.size()) {
      at.P += std::size_t(at.augment) * at.stride;
      at.augment = 0;
    }
    return at;
  }

  int threads_for(double work) const { return work < kMinParallelWork ? 1 : threads_; }
  double pull_work(const Term &term) const {
    return double(design_.nonzeros() + std::size_t(design_.n)) * term.stride * term.degree;
  }

  static void set_to_penalty(const double *P, std::vector<double> &G, const Term &term) {
    for (std::size_t q = 0; q < G.size(); ++q) G[q] = term.lambda * P[q];
  }

  void fill(const Term &term, Tables &tables) {
    const RowKernel kernel = kernels(isa_).rows(term.kernel, term.degree);
    FactorSlices &slices = tables.slices;
    slices.renew(term);
    tables.blocks = design_.blocks.size();
    tables.value.resize(slices.count() * tables.blocks);
    tables.width.resize(slices.count());
    parallel_for(slices.count(), threads_for(double(term.P.size())), [&](int slice, int) {
      slices.copy(slice);
      tables.width[slice] = state_rows(term.kernel, term.degree) * slices.width(slice);
      for (std::size_t b = 0; b < tables.blocks; ++b)
        tables.of(slice, b).resize(std::size_t(design_.blocks[b].nodes()) * tables.width[slice]);
    });
    for (std::size_t b = 0; b < tables.blocks; ++b) {
      const RowBlocks nodes{design_.blocks[b].nodes(), std::clamp(design_.blocks[b].nodes() / 16, 1, 64)};
      const SparseView rows = design_.blocks[b].rows.view();
      parallel_for(slices.count() * nodes.count, threads_for(pull_work(term)), [&](int task, int) {
        const int slice = task / nodes.count, range = task % nodes.count;
        const TermView at = view_of(slices, slice, b);
        for (int node = nodes.first(range); node < nodes.first(range + 1); ++node)
          if (samples_[b].start[node] < samples_[b].start[node + 1])
            kernel.forward(at, rows[node], &tables.of(slice, b)[std::size_t(node) * tables.width[slice]]);
      });
      monitor_.poll(1e6);
    }
  }

  // The part of block b's nodes in the gradient of a slice, for its factors first..last-1.
  void pull_block(const Term &term, const Tables &tables, std::size_t b, int slice, int first, int last,
                  const std::vector<double> &g, std::vector<double> &G) const {
    const MeetKernel meet = kernels(isa_).meets(term.kernel, term.degree);
    const TermView at = view_of(tables.slices, slice, b);
    const SparseView rows = design_.blocks[b].rows.view();
    const Groups &of = samples_[b];
    double *to = G.data() + (at.P - tables.slices[slice].P);
    std::vector<double> adj(tables.width[slice]), scratch(tables.width[slice]), work(work_size(term, rows.longest()));
    for (int node = 0; node < design_.blocks[b].nodes(); ++node) {
      if (of.start[node] == of.start[node + 1]) continue;
      std::fill(adj.begin(), adj.end(), 0.0);
      const double *own = tables.at(slice, b, node);
      for (int qq = of.start[node]; qq < of.start[node + 1]; ++qq) {
        const int i = of.member[qq];
        meet.adjoint(at, own, rest_of(meet, at, tables, slice, b, i, scratch.data()), g[i], adj.data(), first, last);
      }
      meet.pull(at, rows[node], own, adj.data(), to, work.data(), first, last);
    }
  }

  const double *table_of(const Tables &tables, int slice, std::size_t b, int i) const {
    return tables.at(slice, b, design_.blocks[b].node(i));
  }

  // The table of sample i's features outside block b.
  const double *rest_of(const MeetKernel &meet, const TermView &at, const Tables &tables, int slice, std::size_t b, int i,
                        double *scratch) const {
    if (tables.blocks == 2) return table_of(tables, slice, 1 - b, i);
    const std::size_t one = b == 0 ? 1 : 0, two = b == 2 ? 1 : 2;
    meet.combine(at, table_of(tables, slice, one, i), table_of(tables, slice, two, i), scratch);
    return scratch;
  }

  Design &design_;
  int threads_;
  Monitor &monitor_;
  Isa isa_;
  std::vector<Groups> samples_;
  std::vector<std::vector<double>> parts_;  // of the gradient, one for each slice; kept so that memory is asked for once
};

}  // namespace hofm
#endif
