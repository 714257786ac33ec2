// A column seen by coordinate descent for the squared loss, or for a parabola that stands in for another: four rows at a time where the
// processor has the instructions.
#ifndef HOFM_SIMD_COLUMN_INTERFACE_H
#define HOFM_SIMD_COLUMN_INTERFACE_H

#include "hofm/data/sparse.h"

namespace hofm {

// A row's slot: f - y, then a_1..a_{m-1} of the ANOVA kernel of degree m, then the weight if weights differ, then padding to an
// even width, which is that of RowRecords. What the functions do is said in model/anova.h and solve/cd_rows.h.
// Empty where there is nothing better than one row at a time: degrees above 8, other processors.
struct ColumnKernel {
  // The column meets its rows' sums.
  void (*add)(const Slice &column, double p, double *slots) = nullptr;
  // most[0..m-1] as anova::widen() leaves it after rows 0..n-1.
  void (*widen)(const double *slots, int n, double *most) = nullptr;
  // Weighted sums over the column's rows of (f - y) D and D^2, D = x h_{m-1}.
  void (*slopes)(const Slice &column, double p, const double *slots, double *first, double *second) = nullptr;
  // p becomes p + delta.
  void (*shift)(const Slice &column, double p, double delta, double *slots) = nullptr;

  explicit operator bool() const { return slopes; }
};

}  // namespace hofm
#endif
