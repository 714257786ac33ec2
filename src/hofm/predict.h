// Link values of every sample, in total or term by term.
#ifndef HOFM_PREDICT_H
#define HOFM_PREDICT_H

#include <vector>

#include "objective.h"
#include "row_values.h"

namespace hofm {

// out[t * n + i]: value of term t on sample i. Intercept and offset are the caller's.
inline std::vector<double> term_values(Design &design, const Model &model, int threads, Monitor &monitor) {
  std::vector<double> out(std::size_t(design.n) * model.terms.size(), 0.0);
  if (!design.plain()) {
    JoinedPass pass(design, threads, monitor);
    JoinedPass::Tables tables;
    for (std::size_t t = 0; t < model.terms.size(); ++t) pass.values(model.terms[t], tables, &out[t * design.n]);
    return out;
  }
  std::vector<FactorSlices> slices(model.terms.size());
  std::vector<RowValues> values;
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    const Term &term = model.terms[t];
    slices[t].renew(term);
    slices[t].copy_all(threads);
    values.emplace_back(term.kernel, term.degree, slices[t]);
  }
  std::vector<std::vector<RowValues>> of_parts(std::max(1, threads), values);
  walk_tiles(design.blocks[0].columns, threads, monitor, [&](const RowTiles &tile, int part) {
    for (std::size_t t = 0; t < model.terms.size(); ++t) {
      double *to = &out[t * design.n + tile.first()];
      of_parts[part][t].take(tile, [&](int r, int, const double *, double value) { to[r] += value; });
    }
  });
  return out;
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

// Link values: intercept, offset and all terms.
inline std::vector<double> link_values(Design &design, const Model &model, const std::vector<double> &offset, int threads,
                                       Monitor &monitor) {
  const std::vector<double> values = term_values(design, model, threads, monitor);
  std::vector<double> f(design.n, model.intercept);
  for (std::size_t t = 0; t < model.terms.size(); ++t)
    for (int i = 0; i < design.n; ++i) f[i] += values[t * design.n + i];
  if (!offset.empty())
    for (int i = 0; i < design.n; ++i) f[i] += offset[i];
  return f;
}

}  // namespace hofm
#endif
