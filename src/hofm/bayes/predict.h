// Draws of a posterior on samples, one model after the other, and quantiles over draws.
#ifndef HOFM_BAYES_PREDICT_H
#define HOFM_BAYES_PREDICT_H

#include <algorithm>
#include <cmath>
#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/bayes/sampler.h"
#include "hofm/eval/values.h"

namespace hofm {
namespace bayes {

// Behind the features of the fit the design may have columns of levels that it has never seen: `level_group` says to which group each
// belongs, and their parameters are drawn from the group's law, other ones in each draw.
inline Model with_new_levels(const State &state, const std::vector<int> &level_group, int groups, std::uint32_t seed,
                             std::uint32_t draw) {
  Model model = state.model;
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    Term &term = model.terms[t];
    const int known = term.columns(), of_term = groups + (term.augment > 0);
    term.P.resize((known + level_group.size()) * term.stride, 0.0);
    for (std::size_t l = 0; l < level_group.size(); ++l)
      for (int s = 0; s < term.k; ++s) {
        Stream random(seed, 0, {Draw::new_level, draw, std::uint32_t(l), std::uint32_t(t), std::uint32_t(s)});
        const std::size_t at = std::size_t(s) * of_term + level_group[l];
        term.row(known + int(l))[s] = state.hyper[t].mu[at] + random.normal() / std::sqrt(state.hyper[t].lambda[at]);
      }
  }
  return model;
}

// out[draw + i * draws]: link value of sample i under each of `draws` packed draws. `state` has the shape of a draw.
inline std::vector<double> posterior_link(Design &design, State state, const double *packed_draws, std::size_t size, int draws,
                                          const std::vector<double> &offset, const std::vector<int> &level_group, int groups,
                                          std::uint32_t seed, int threads, Monitor &monitor) {
  std::vector<double> out(std::size_t(draws) * design.n);
  TermValues values(design, threads, monitor);
  for (int r = 0; r < draws; ++r) {
    unpack(packed_draws + r * size, state);
    const std::vector<double> f =
        link_values(design.n, with_new_levels(state, level_group, groups, seed, std::uint32_t(r)), offset, values);
    for (int i = 0; i < design.n; ++i) out[r + std::size_t(i) * draws] = f[i];
  }
  return out;
}

// Quantiles of each column of a matrix with `draws` rows, by linear interpolation between order statistics (type 7): those of column i at
// out + i * probs.size(). O(draws) for each quantile.
inline void column_quantiles(const double *values, int draws, int n, const std::vector<double> &probs, double *out) {
  std::vector<double> column(draws);
  for (int i = 0; i < n; ++i) {
    std::copy(values + std::size_t(i) * draws, values + (std::size_t(i) + 1) * draws, column.begin());
    for (std::size_t q = 0; q < probs.size(); ++q) {
      const double place = probs[q] * (draws - 1);
      const int below = std::min(int(place), draws - 1);
      std::nth_element(column.begin(), column.begin() + below, column.end());
      const double low = column[below];
      const double high = below + 1 < draws ? *std::min_element(column.begin() + below + 1, column.end()) : low;
      out[std::size_t(i) * probs.size() + q] = low + (place - below) * (high - low);
    }
  }
}

}  // namespace bayes
}  // namespace hofm
#endif
