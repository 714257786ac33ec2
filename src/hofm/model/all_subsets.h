// The all-subsets kernel S(p, x) = prod_j (1 + p_j x_j), the sum of the ANOVA kernels of all degrees. Works on z_j = p_j x_j.
#ifndef HOFM_MODEL_ALL_SUBSETS_H
#define HOFM_MODEL_ALL_SUBSETS_H

#include <cmath>
#include <vector>

#include "hofm/model/anova.h"

namespace hofm {
namespace all_subsets {

inline double value(const double *z, int d) {
  double product = 1;
  for (int j = 0; j < d; ++j) product *= 1 + z[j];
  return product;
}

// out[j] = prod_{l != j} (1 + z_l), from the products before and behind j: nothing is divided by 1 + z_j. O(d).
inline void gradient(const double *z, int d, double *out) {
  double before = 1;
  for (int j = 0; j < d; ++j) {
    out[j] = before;
    before *= 1 + z[j];
  }
  double behind = 1;
  for (int j = d - 1; j >= 0; --j) {
    out[j] *= behind;
    behind *= 1 + z[j];
  }
}

// Closer to zero than this, 1 + z_j is not divided by.
constexpr double kNearZero = 1e-3;

}  // namespace all_subsets

// The policy of model/anova.h, with the product as the only sum. Only a row whose product is near zero can have a feature that is.
struct AllSubsets : ProductOfNodes {
  static constexpr bool affine = true;

  void at(int) {}
  int size() const { return 1; }
  void begin(double *a) const { a[1] = 1; }
  void add(double *a, double z) const { a[1] *= 1 + z; }
  double slope(const double *a, double z) const { return a[1] / (1 + z); }
  double change(const double *a, double z, double dz) const { return dz * slope(a, z); }
  double shift(double *a, double z, double dz) const {
    const double rest = slope(a, z);
    a[1] = rest * (1 + z + dz);  // a product of factors again: no digits are lost by adding
    return dz * rest;
  }
  void h(const double *a, double z, double *out) const { out[0] = slope(a, z); }
  template <class Sums>
  bool trusts(int, const Sums &) const {
    return false;  // doubt() is cheap
  }
  double doubt(const double *a) const { return std::fabs(a[1]) > all_subsets::kNearZero ? 0 : HUGE_VAL; }
  double scale(const double *) const { return 1; }
  bool loses(const double *, double z) const { return std::fabs(1 + z) <= all_subsets::kNearZero; }
};

}  // namespace hofm
#endif
