// The bilinear kernel <p, x_A> <p, x_B> of samples joined from two blocks: one factor of a' U V' b, U above V in P.
#ifndef HOFM_MODEL_BILINEAR_H
#define HOFM_MODEL_BILINEAR_H

#include "hofm/model/anova.h"

namespace hofm {

// The policy of model/anova.h, with the two inner products as the sums of a row, and its own as that of a node.
template <bool Node>
struct Bilinear : NeverInDoubt, ProductOfNodes {
  static constexpr bool affine = true;
  int split;     // the first column of B
  int side = 0;  // of the column at hand: 0 for A, 1 for B

  explicit Bilinear(int first_of_B) : split(first_of_B) {}

  void at(int j) { side = !Node && j >= split; }
  int size() const { return Node ? 1 : 2; }
  void begin(double *a) const { std::fill_n(a + 1, size(), 0.0); }
  void add(double *a, double z) const { a[1 + side] += z; }
  double slope(const double *a, double) const { return a[2 - side]; }
  double change(const double *a, double z, double dz) const { return dz * slope(a, z); }
  double shift(double *a, double z, double dz) const {
    add(a, dz);
    return change(a, z, dz);
  }
  void h(const double *, double, double *out) const { out[0] = 1; }
};

}  // namespace hofm
#endif
