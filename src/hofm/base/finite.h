// Whether numbers are finite, at the speed of reading them.
#ifndef HOFM_BASE_FINITE_H
#define HOFM_BASE_FINITE_H

#include <cstddef>

namespace hofm {

// Zero times a number is zero, or not a number where that is none or infinite, and so are sums of it. Four partial sums
// hide the latency of the addition.
inline bool all_finite(const double *x, std::size_t n) {
  double sum[4] = {0, 0, 0, 0};
  std::size_t q = 0;
  for (; q + 4 <= n; q += 4)
    for (int lane = 0; lane < 4; ++lane) sum[lane] += 0 * x[q + lane];
  for (; q < n; ++q) sum[0] += 0 * x[q];
  return sum[0] == 0 && sum[1] == 0 && sum[2] == 0 && sum[3] == 0;
}

}  // namespace hofm
#endif
