// The polynomial kernel (gamma + <p, x>)^m: products of m features with repetition. gamma is the weight of a dummy feature.
#ifndef HOFM_MODEL_POLYNOMIAL_H
#define HOFM_MODEL_POLYNOMIAL_H

#include "hofm/model/anova.h"

namespace hofm {

inline double power(double base, int exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2) result *= base;
  return result;
}

// The policy of model/anova.h, with gamma + <p, x> as the only sum. Not affine in p_j: a step is checked before it is taken.
struct Polynomial : NeverInDoubt {
  static constexpr bool affine = false;
  int m;

  explicit Polynomial(int degree) : m(degree) {}

  void at(int) {}
  int size() const { return 1; }
  void begin(double *a) const { a[1] = 0; }
  void add(double *a, double z) const { a[1] += z; }
  double slope(const double *a, double) const { return m * power(a[1], m - 1); }
  double change(const double *a, double, double dz) const { return power(a[1] + dz, m) - power(a[1], m); }
  double shift(double *a, double z, double dz) const {
    const double moved = change(a, z, dz);
    a[1] += dz;
    return moved;
  }
};

}  // namespace hofm
#endif
