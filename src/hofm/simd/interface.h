// A term seen by the solvers that walk rows: functions chosen once per term, by kernel, degree and processor.
#ifndef HOFM_SIMD_INTERFACE_H
#define HOFM_SIMD_INTERFACE_H

#include <cstddef>

#include "hofm/data/sparse.h"
#include "hofm/model/model.h"

namespace hofm {

// What the functions need of a term; no std:: type, so that they can be compiled for another processor.
struct TermView {
  const double *P;
  int k, stride, degree, augment, split;
  int first;  // the column of P, behind the dummies, of a row's feature 0
  const double *theta;
};

inline TermView view(const Term &term) {
  return {term.P.data(), term.k, term.stride, term.degree, term.augment, term.split, 0, term.theta.data()};
}

// A term without its dummies, for further columns of a row that has had them.
inline TermView behind_dummies(TermView term) {
  term.first += term.augment;
  term.augment = 0;
  return term;
}

struct RowKernel {
  // sum_s K(p_s, row). Leaves in `state` what backward() needs: state_size() doubles.
  double (*forward)(const TermView &, const Slice &row, double *state);
  // The same for many rows: value[r], and the state of row r at state + r * apart. `more`: the columns are behind those whose sums are
  // there already.
  void (*forward_rows)(const TermView &, const PieceView &rows, bool more, double *state, std::ptrdiff_t apart, double *value);
  // G += g * gradient of forward()'s value in P, G laid out as P, for factors first..last-1 (multiples of four). `work` holds
  // work_size() doubles.
  void (*backward)(const TermView &, const Slice &row, const double *state, double g, double *G, double *work, int first, int last);
};

// A term on samples joined from two nodes, whose tables forward() made.
struct MeetKernel {
  // The table of the features of both nodes.
  void (*combine)(const TermView &, const double *a, const double *b, double *out);
  // sum_s K(p_s, the joined row).
  double (*value)(const TermView &, const double *a, const double *b);
  // adj += g * derivative of value() in the table `own`, for factors first..last-1 (multiples of four).
  void (*adjoint)(const TermView &, const double *own, const double *rest, double g, double *adj, int first, int last);
  // G += gradient in P of <adj, table of the row>, for the same factors.
  void (*pull)(const TermView &, const Slice &row, const double *state, const double *adj, double *G, double *work, int first,
               int last);
};

// All factors of one column over its rows, for the ANOVA kernel: see simd/features.h.
struct FeatureKernel {
  void (*add)(const TermView &, const Slice &column, const double *p, double *sums);
  void (*slopes)(const TermView &, const Slice &column, const double *p, const double *sums, const double *g, const double *w,
                 double *first, double *second);
  void (*direction)(const TermView &, const Slice &column, const double *p, const double *sums, const double *u, double *d);
  void (*shift)(const TermView &, const Slice &column, const double *p, const double *step, double *sums);
};

// The samples of a node, and the nodes that they join it with.
struct NodeSamples {
  const int *sample, *partner;
  int size;
};

// The same over the nodes that samples are joined from: see simd/feature_nodes.h.
struct FeatureNodeKernel {
  void (*slopes)(const TermView &, const double *own, const double *p, double x, const NodeSamples &, const double *rest,
                 const double *g, const double *w, double *first, double *second);
  double (*turn)(const TermView &, const double *own, const double *p, double x, const double *u, double *v);
  double (*along)(std::ptrdiff_t width, const double *v, const double *rest);
};

// Samples by nodes: those of node i are at start[i]..start[i + 1] - 1. The one at q has the number sample[q] and meets F_1..F_size, at
// F + partner[q] * width; `width` is a multiple of four, and what is beyond `size` is zero.
struct SampleView {
  const int *start, *sample, *partner;
  const double *F;
  int size, width;
};

// See simd/samples.h. g and f are by the samples' numbers, w by their places.
struct SampleKernel {
  // c = sum g F and G = sum w F F' of nodes first..last-1, one after the other at sums + i * apart.
  void (*collect)(const SampleView &, const double *g, const double *w, int first, int last, double *sums, std::ptrdiff_t apart);
  // f += <moved, F>, with `width` numbers in `moved` for each node.
  void (*follow)(const SampleView &, const double *moved, int first, int last, double *f);
};

constexpr int kLanes = 8;  // nodes of A that are scored together: a panel

// Scores of `panels` panels of nodes of A with `columns` nodes of B, out[i + j * column]: alpha_i + beta_j + <u_i, v_j>, all of
// length `width`. See links/scores.h for the tables.
using ScorePanels = void (*)(const double *u, const double *alpha, int panels, const double *v, const double *beta, int columns,
                             int width, double *out, std::ptrdiff_t column);

// The steps of the stochastic solvers on some columns of a term: see simd/steps.h. G and the memory of the step rule are laid out as P;
// `shrink` is eta * lambda.
struct StepView {
  double *P, *G, *memory;
  int stride;
  double eta, shrink;
};

struct StepKernel {
  // The shrinking of columns[q] for missed[q] steps, for factors first..last-1 (multiples of eight).
  void (*catch_up)(const StepView &, const int *columns, const double *missed, int n, int first, int last);
  // One step on the columns, which leaves their G zero.
  void (*step)(const StepView &, const int *columns, int n, int first, int last);
  // For a batch of one row and the ANOVA kernel: catch_up() of its columns and, on them, forward()'s sum over the factors. `next` is a
  // row to come, of which as many parameters are asked for on the way as this row has.
  double (*forward)(const TermView &, const StepView &, const Slice &row, const double *missed, const Slice &next, double *state,
                    int first, int last);
  // backward() and step() of that row. G is scratch that is zero.
  void (*descend)(const TermView &, const StepView &, const Slice &row, const double *state, double g, double *work, int first,
                  int last);
};

// Sums per factor that a kernel keeps of a row: a_1..a_m, or the product, or one or two inner products.
inline int state_rows(Kernel kernel, int degree) {
  switch (kernel) {
    case Kernel::anova:
    case Kernel::mix: return degree;
    case Kernel::bilinear: return 2;
    default: return 1;
  }
}

inline std::size_t state_size(const Term &term) { return std::size_t(state_rows(term.kernel, term.degree)) * term.stride; }

// A table of prefixes for one row and four factors.
inline std::size_t work_size(const Term &term, int longest_row) {
  return (std::size_t(longest_row) + term.augment + 1) * (state_rows(term.kernel, term.degree) + 1) * 4;
}

}  // namespace hofm
#endif
