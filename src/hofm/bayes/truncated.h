// The normal distribution on an interval: draws, by inversion or by rejection (Robert 1995), and the logarithm of its mass.
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

// The inverse of normal_below(), 0 < p < 1: Wichura's algorithm AS 241 (1988), to about sixteen digits.
inline double normal_quantile(double p) {
  const auto ratio = [](double r, const double(&top)[8], const double(&bottom)[7]) {
    double above = top[7], below = bottom[6];
    for (int i = 6; i >= 0; --i) above = above * r + top[i];
    for (int i = 5; i >= 0; --i) below = below * r + bottom[i];
    return above / (below * r + 1);
  };
  static constexpr double a[] = {3.3871328727963666080,   133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
                                 45921.953931549871457,   67265.770927008700853, 33430.575583588128105, 2509.0809287301226727};
  static constexpr double b[] = {42.313330701600911252, 687.18700749205790830, 5394.1960214247511077, 21213.794301586595867,
                                 39307.895800092710610, 28729.085735721942674, 5226.4952788528545610};
  static constexpr double c[] = {1.42343711074968357734, 4.63033784615654529590,  5.76949722146069140550,  3.64784832476320460504,
                                 1.27045825245236838258, 0.241780725177450611770, 0.0227238449892691845833, 7.74545014278341407640e-4};
  static constexpr double d[] = {2.05319162663775882187,  1.67638483018380384940,   0.689767334985100004550, 0.148103976427480074590,
                                 0.0151986665636164571966, 5.47593808499534494600e-4, 1.05075007164441684324e-9};
  static constexpr double e[] = {6.65790464350110377720,  5.46378491116411436990,  1.78482653991729133580,   0.296560571828504891230,
                                 0.0265321895265761230930, 0.00124266094738807843860, 2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr double f[] = {0.599832206555887937690,  0.136929880922735805310,  0.0148753612908506148525, 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) return q * ratio(0.180625 - q * q, a, b);
  const double r = std::sqrt(-std::log(q < 0 ? p : 1 - p)), x = r <= 5 ? ratio(r - 1.6, c, d) : ratio(r - 5, e, f);
  return q < 0 ? -x : x;
}

// A standard normal given lo < x < hi; either end may be infinite. By the inverse of the distribution function where it has digits
// enough, else by at most about two trials in the mean.
inline double truncated_normal(double lo, double hi, Stream &random) {
  if (hi <= 0 || (lo < 0 && -lo > hi)) return -truncated_normal(-hi, -lo, random);
  if (lo < 5 && hi - lo > 1e-3) {  // from above, where the smaller mass is
    const double above = normal_below(-lo), beyond = normal_below(-hi);
    const double x = -normal_quantile(beyond + (above - beyond) * random.uniform());
    if (x > lo && x < hi) return x;
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
