// A term seen by the solvers that walk rows: functions chosen once per term, by kernel, degree and processor.
#ifndef HOFM_ROW_KERNEL_H
#define HOFM_ROW_KERNEL_H

#include "model.h"
#include "sparse.h"

namespace hofm {

// What the functions need of a term; no std:: type, so that they can be compiled for another processor.
struct TermView {
  const double *P;
  int k, stride, degree;
};

inline TermView view(const Term &term) { return {term.P.data(), term.k, term.stride, term.degree}; }

struct RowKernel {
  // sum_s K(p_s, row). Leaves in `state` what backward() needs: degree * stride doubles.
  double (*forward)(const TermView &, const Slice &row, double *state);
  // G += g * gradient of forward()'s value in P, G laid out as P. `work` holds careful_size() doubles.
  void (*backward)(const TermView &, const Slice &row, const double *state, double g, double *G, double *work);
};

inline std::size_t state_size(const Term &term) { return std::size_t(term.degree) * term.stride; }

// Work space for Algorithm 2 on one row and four factors.
inline std::size_t careful_size(int degree, int longest_row) {
  return (std::size_t(longest_row) + 1) * (degree + 1) * 4;
}

// Which instructions to use: the best this processor has, or plain ones by name (for tests).
enum class Isa { best, generic, avx2 };
bool has_avx2();
RowKernel row_kernel(Kernel kernel, int degree, Isa isa = Isa::best);

}  // namespace hofm
#endif
