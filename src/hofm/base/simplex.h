// Weights on the simplex: projection, and a small quadratic programme.
#ifndef HOFM_BASE_SIMPLEX_H
#define HOFM_BASE_SIMPLEX_H

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace hofm {

// The nearest point with v >= 0 and sum v = 1 (Duchi, Shalev-Shwartz, Singer and Chandra, 2008). O(m log m).
inline void project_to_simplex(std::vector<double> &v) {
  const double top = *std::max_element(v.begin(), v.end());
  for (double &x : v) x -= top;  // the same point is nearest, and the 1 below is not lost beside large values
  std::vector<double> sorted = v;
  std::sort(sorted.begin(), sorted.end(), std::greater<double>());
  double sum = 0, shift = 0;
  for (std::size_t q = 0; q < sorted.size(); ++q) {
    sum += sorted[q];
    const double candidate = (sum - 1) / double(q + 1);
    if (sorted[q] > candidate) shift = candidate;
  }
  double total = 0;
  for (double &x : v) total += (x = std::max(0.0, x - shift));
  for (double &x : v) x /= total;  // the sum is one to the last digit but a few
}

// min over the simplex of g'(v - v0) + 1/2 (v - v0)' H (v - v0), H positive semi-definite (m x m), by projected gradient steps of
// length 1/L, L the largest row sum of |H|: every step lowers the value. Starts and returns at v.
inline void minimise_on_simplex(const std::vector<double> &g, const std::vector<double> &H, std::vector<double> &v) {
  const std::size_t m = v.size();
  const std::vector<double> start = v;
  double L = 0;
  for (std::size_t r = 0; r < m; ++r) {
    double sum = 0;
    for (std::size_t c = 0; c < m; ++c) sum += std::fabs(H[r * m + c]);
    L = std::max(L, sum);
  }
  if (!(L > 0 && L < HUGE_VAL)) return;
  for (int step = 0; step < 1000; ++step) {
    std::vector<double> next = v;
    for (std::size_t r = 0; r < m; ++r) {
      double slope = g[r];
      for (std::size_t c = 0; c < m; ++c) slope += H[r * m + c] * (v[c] - start[c]);
      next[r] -= slope / L;
      if (!std::isfinite(next[r])) return;  // beyond the range of numbers: v stays where it is
    }
    project_to_simplex(next);
    double moved = 0;
    for (std::size_t r = 0; r < m; ++r) moved = std::max(moved, std::fabs(next[r] - v[r]));
    v = next;
    if (moved < 1e-12) break;
  }
}

}  // namespace hofm
#endif
