// The normal distribution on an interval: draws by rejection (Robert 1995) and the logarithm of its mass.
#ifndef HOFM_BAYES_TRUNCATED_H
#define HOFM_BAYES_TRUNCATED_H

#include <cmath>

#include "hofm/bayes/counter_random.h"

namespace hofm {
namespace bayes {

inline double normal_below(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }

// log(Phi(hi) - Phi(lo)), lo < hi, on the side of zero where the two masses are small, so that tails keep their digits. Beyond 38
// standard deviations the mass is no number: there its leading term stands for it.
inline double log_mass(double lo, double hi) {
  if (lo > 0) return log_mass(-hi, -lo);
  const double mass = normal_below(hi) - normal_below(lo);
  if (mass > 1e-300) return std::log(mass);
  return -0.5 * hi * hi - std::log(1 - hi) - 0.91893853320467274178;
}

// A standard normal given lo < x < hi; either end may be infinite. At most about two trials each in the mean.
inline double truncated_normal(double lo, double hi, Stream &random) {
  if (hi <= 0) return -truncated_normal(-hi, -lo, random);
  if (lo <= 0 && hi - lo > 2.5066282746310002) {
    for (;;) {
      const double x = random.normal();
      if (x > lo && x < hi) return x;
    }
  }
  const double floor = lo > 0 ? lo : 0, root = std::sqrt(floor * floor + 4), rate = (floor + root) / 2;
  // Uniform trials where the density hardly falls over the interval, exponential ones where it does.
  if (lo <= 0 || hi - lo < std::exp(0.5 + (floor * floor - floor * root) / 4) / rate) {
    for (;;) {
      const double x = lo + (hi - lo) * random.uniform();
      if (std::log(random.uniform()) <= (floor * floor - x * x) / 2) return x;
    }
  }
  for (;;) {
    const double x = lo + random.exponential() / rate;
    if (x < hi && std::log(random.uniform()) <= -(x - rate) * (x - rate) / 2) return x;
  }
}

}  // namespace bayes
}  // namespace hofm
#endif
