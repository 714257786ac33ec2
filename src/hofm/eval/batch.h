// Some rows taken through a model together. Threads share the rows for the values and the factors for the gradient: every number
// is summed by one thread, in the order of the rows, so the bits do not depend on how many threads there are.
#ifndef HOFM_EVAL_BATCH_H
#define HOFM_EVAL_BATCH_H

#include <algorithm>
#include <vector>

#include "hofm/base/parallel.h"
#include "hofm/data/design.h"
#include "hofm/model/model.h"
#include "hofm/simd/kernels.h"

namespace hofm {

// Rows of a plain design are its own memory; joined ones are gathered here.
class RowBatch {
 public:
  explicit RowBatch(const Design &design) : design_(design) {}

  void clear() {
    rows_.clear();
    index_.clear();
    value_.clear();
    nonzeros_ = 0;
  }

  // Sample i of the design.
  void add(int i) {
    if (design_.plain()) return keep(design_.blocks[0].rows.view()[i]);
    begin();
    for (const Block &block : design_.blocks) gather(block, block.node(i));
    end();
  }

  // Node i of the first block joined with node j of the second, whether a sample or not.
  void add(int i, int j) {
    begin();
    gather(design_.blocks[0], i);
    gather(design_.blocks[1], j);
    end();
  }

  int size() const { return int(rows_.size()); }
  std::size_t nonzeros() const { return nonzeros_; }
  Slice operator[](int r) const {
    const Row &row = rows_[r];
    return row.gathered ? Slice{index_.data() + row.at, value_.data() + row.at, row.own.size} : row.own;
  }

 private:
  struct Row {
    Slice own;
    std::size_t at;
    bool gathered;
  };

  void keep(const Slice &row) {
    rows_.push_back({row, 0, false});
    nonzeros_ += row.size;
  }
  void begin() { rows_.push_back({{nullptr, nullptr, 0}, index_.size(), true}); }
  void end() {
    rows_.back().own.size = int(index_.size() - rows_.back().at);
    nonzeros_ += rows_.back().own.size;
  }
  void gather(const Block &block, int node) {
    const Slice row = block.rows.view()[node];
    for (int q = 0; q < row.size; ++q) index_.push_back(block.first_feature + row.index[q]);
    value_.insert(value_.end(), row.value, row.value + row.size);
  }

  const Design &design_;
  std::vector<Row> rows_;
  std::vector<int> index_;
  std::vector<double> value_;
  std::size_t nonzeros_ = 0;
};

// Some factors of one term: what a thread works on at a time.
struct FactorGroup {
  std::size_t term;
  int first, last;
  int number;  // of all
};

// All factors of a term are one group for a single thread.
inline std::vector<FactorGroup> factor_groups(const Model &model, int threads) {
  std::vector<FactorGroup> groups;
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    const int stride = model.terms[t].stride, width = threads == 1 ? stride : 8;  // see simd/steps.h
    for (int first = 0; first < stride; first += width)
      groups.push_back({t, first, std::min(stride, first + width), int(groups.size())});
  }
  return groups;
}

class BatchPass {
 public:
  BatchPass(const Model &model, int longest, int threads, Isa isa = best_isa())
      : threads_(std::max(1, threads)), single_(factor_groups(model, 1)), shared_(factor_groups(model, threads_)) {
    std::size_t work = 1;
    for (const Term &term : model.terms) {
      views_.push_back(view(term));
      kernels_.push_back(kernels(isa).rows(term.kernel, term.degree));
      widths_.push_back(state_size(term));
      work = std::max({work, work_size(term, longest), std::size_t(term.stride)});
      work_per_nonzero_ += double(term.stride) * term.degree;
    }
    states_.resize(model.terms.size());
    work_.assign(threads_, std::vector<double>(work));
  }

  // Threads that so many nonzeros are worth, `passes` times.
  int threads_for(std::size_t nonzeros, double passes) const {
    return passes * double(nonzeros) * work_per_nonzero_ < kMinParallelWork ? 1 : threads_;
  }
  double work_per_nonzero() const { return work_per_nonzero_; }

  // Term t, what forward() kept of row r, and scratch: for those who go backward by themselves.
  const TermView &term(std::size_t t) const { return views_[t]; }
  double *state(std::size_t t, int r) { return &states_[t][std::size_t(r) * widths_[t]]; }
  double *work(int thread) { return work_[thread].data(); }

  // body(group, thread) over all factors of all terms.
  template <class Body>
  void for_factors(int threads, const Body &body) const {
    const std::vector<FactorGroup> &groups = threads == 1 ? single_ : shared_;
    parallel_for(int(groups.size()), threads, [&](int task, int thread) { body(groups[task], thread); });
  }

  // The value of the terms on the only row of a batch, by those who keep what backward() needs themselves: forward(group) is the
  // sum over a group's factors.
  template <class Forward>
  double value(int threads, const Forward &forward) {
    keep_rows(1);
    parts_.resize(shared_.size());
    for_factors(threads, [&](const FactorGroup &group, int) { parts_[group.number] = forward(group); });
    double f = 0, term = 0;  // in the same order for any number of threads
    for (const FactorGroup &group : threads == 1 ? single_ : shared_) {
      term += parts_[group.number];
      if (group.last < views_[group.term].stride) continue;
      f += term;
      term = 0;
    }
    return f;
  }

  // f[r]: value of the terms on row r. What backward() needs is kept.
  void forward(const RowBatch &rows, double *f) {
    keep_rows(rows.size());
    const int threads = threads_for(rows.nonzeros(), 1), parts = threads == 1 ? 1 : std::min(rows.size(), 4 * threads);
    parallel_for(parts, threads, [&](int part, int) {
      const int first = int(std::size_t(rows.size()) * part / parts), last = int(std::size_t(rows.size()) * (part + 1) / parts);
      for (int r = first; r < last; ++r) {
        f[r] = 0;
        for (std::size_t t = 0; t < views_.size(); ++t) f[r] += kernels_[t].forward(views_[t], rows[r], state(t, r));
      }
    });
  }

  // G += sum over rows of g[r] * gradient of f[r].
  void backward(const RowBatch &rows, const double *g, std::vector<std::vector<double>> &G) {
    for_factors(threads_for(rows.nonzeros(), 2),
                [&](const FactorGroup &group, int thread) { backward(rows, g, G, group, thread); });
  }
  void backward(const RowBatch &rows, const double *g, std::vector<std::vector<double>> &G, const FactorGroup &group, int thread) {
    const std::size_t t = group.term;
    for (int r = 0; r < rows.size(); ++r)
      kernels_[t].backward(views_[t], rows[r], state(t, r), g[r], G[t].data(), work(thread), group.first, group.last);
  }

 private:
  void keep_rows(std::size_t n) {
    for (std::size_t t = 0; t < views_.size(); ++t)
      if (states_[t].size() < n * widths_[t]) states_[t].resize(n * widths_[t]);
  }

  int threads_;
  std::vector<FactorGroup> single_, shared_;
  std::vector<double> parts_;  // of a value, by groups
  std::vector<TermView> views_;
  std::vector<RowKernel> kernels_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<double>> states_, work_;
  double work_per_nonzero_ = 0;
};

}  // namespace hofm
#endif
