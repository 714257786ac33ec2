// Link values of every sample, in total or term by term.
#ifndef HOFM_PREDICT_H
#define HOFM_PREDICT_H

#include <vector>

#include "objective.h"

namespace hofm {

// out[t * n + i]: value of term t on sample i. Intercept and offset are the caller's.
inline std::vector<double> term_values(Design &design, const Model &model, int threads, Monitor &monitor) {
  design.need_rows();
  std::vector<double> out(std::size_t(design.n) * model.terms.size());
  std::vector<RowWalker> walkers(std::max(1, threads), RowWalker(design, model));
  const RowBlocks blocks{design.n, std::clamp(design.n / 64, 1, 64)};
  walk_rows(blocks, pass_work(model, design.nonzeros()), threads, monitor,
            [&](int first, int last, int, int thread) {
              for (int i = first; i < last; ++i) {
                walkers[thread].go_to(i);
                for (std::size_t t = 0; t < model.terms.size(); ++t) out[t * design.n + i] = walkers[thread].forward(t);
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
