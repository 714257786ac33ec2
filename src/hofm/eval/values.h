// Link values of every sample, in total or term by term.
#ifndef HOFM_EVAL_VALUES_H
#define HOFM_EVAL_VALUES_H

#include <algorithm>
#include <optional>
#include <vector>

#include "hofm/eval/objective.h"
#include "hofm/eval/tile_values.h"

namespace hofm {

// The same design under one model after the other.
class TermValues {
 public:
  TermValues(Design &design, int threads, Monitor &monitor) : design_(design), threads_(threads), monitor_(monitor) {}

  // out[t * n + i]: value of term t on sample i. Intercept and offset are the caller's.
  std::vector<double> operator()(const Model &model) {
    std::vector<double> out(std::size_t(design_.n) * model.terms.size(), 0.0);
    const bool linear = std::all_of(model.terms.begin(), model.terms.end(), [](const Term &term) { return term.linear(); });
    if (!design_.plain()) by_nodes(model, out.data());
    else if (linear) by_columns(model, out.data());
    else by_tiles(model, out.data());
    return out;
  }

  const std::vector<double> &common() const { return design_.common; }

 private:
  void by_nodes(const Model &model, double *out) {
    if (!node_pass_) node_pass_.emplace(design_, threads_, monitor_);
    for (std::size_t t = 0; t < model.terms.size(); ++t) node_pass_->values(model.terms[t], tables_, out + t * design_.n);
  }

  // Inner products need no rows.
  void by_columns(const Model &model, double *out) {
    const SparseView columns = design_.blocks[0].columns;
    for (std::size_t t = 0; t < model.terms.size(); ++t)
      for (int j = 0; j < columns.outer; ++j) {
        const double w = *model.terms[t].row(j);
        const Slice column = columns[j];
        for (int ii = 0; ii < column.size; ++ii) out[t * design_.n + column.index[ii]] += w * column.value[ii];
        monitor_.poll(column.size);
      }
  }

  void by_tiles(const Model &model, double *out);

  Design &design_;
  int threads_;
  Monitor &monitor_;
  std::optional<NodePass> node_pass_;
  NodePass::Tables tables_;
};

inline void TermValues::by_tiles(const Model &model, double *out) {
  std::vector<TileValues> values;
  std::ptrdiff_t kept = 0;
  for (const Term &term : model.terms) kept += values.emplace_back(term.kernel, term.degree, term).kept();
  std::vector<std::vector<TileValues>> of_parts(std::max(1, threads_), values);
  walk_tiles(design_.blocks[0].columns, kept, threads_, monitor_, [&](const RowTiles &tile, int part) {
    for (std::size_t t = 0; t < model.terms.size(); ++t) {
      double *to = out + t * design_.n + tile.first();
      of_parts[part][t].take(tile, [&](int r, const double *, double value) { to[r] = value; });
    }
  });
}

inline std::vector<double> term_values(Design &design, const Model &model, int threads, Monitor &monitor) {
  return TermValues(design, threads, monitor)(model);
}

// out[(t - 1) * n + i]: sum_s weights[(t - 1) * k + s] A^t(p_s, x_i), t = 1..degree, for a term of kernel `mix`.
inline std::vector<double> degree_sums(Design &design, const Term &term, const std::vector<double> &weights, int threads,
                                       Monitor &monitor) {
  design.need_rows();
  Model model;
  model.terms.push_back(term);
  std::vector<double> out(std::size_t(design.n) * term.degree, 0.0);
  std::vector<RowWalker> walkers(std::max(1, threads), RowWalker(design, model));
  const RowBlocks blocks{design.n, std::clamp(design.n / 64, 1, 64)};
  walk_rows(blocks, pass_work(model, design.nonzeros()), threads, monitor, [&](int first, int last, int, int thread) {
    for (int i = first; i < last; ++i) {
      walkers[thread].go_to(i);
      walkers[thread].forward();
      const double *a = walkers[thread].state(0);
      for (int t = 0; t < term.degree; ++t)
        for (int s = 0; s < term.k; ++s)
          out[std::size_t(t) * design.n + i] += weights[std::size_t(t) * term.k + s] * a[std::size_t(t) * term.stride + s];
    }
  });
  return out;
}

// Link values of n samples: intercept, offset, what is common and all terms.
inline std::vector<double> link_values(int n, const Model &model, const std::vector<double> &offset, TermValues &values) {
  const std::vector<double> terms = values(model);
  std::vector<double> f(n, model.intercept);
  for (std::size_t t = 0; t < model.terms.size(); ++t)
    for (int i = 0; i < n; ++i) f[i] += terms[t * n + i];
  if (!offset.empty())
    for (int i = 0; i < n; ++i) f[i] += offset[i];
  if (!values.common().empty())
    for (int i = 0; i < n; ++i) f[i] += model.common * values.common()[i];
  return f;
}

inline std::vector<double> link_values(Design &design, const Model &model, const std::vector<double> &offset, int threads,
                                       Monitor &monitor) {
  TermValues values(design, threads, monitor);
  return link_values(design.n, model, offset, values);
}

}  // namespace hofm
#endif
