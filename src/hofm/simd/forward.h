// The ANOVA kernel of all factors of a term on one sparse row, vectorised over factors; included after simd/pack.h and under its rules.
//
// Factors are taken in units, so that a_1..a_m of a unit stay in registers while the row is walked. Each a_t waits for itself from one
// column to the next; the more factors go side by side, the less of that shows.

namespace hofm {
namespace HOFM_ISA {

constexpr int kMostKnown = HOFM_MOST_KNOWN;  // of the degrees, to the compiler

inline double magnitude(double x) { return x < 0 ? -x : x; }
inline std::ptrdiff_t line(const TermView &term, int t) { return std::ptrdiff_t(t - 1) * term.stride; }  // of a_t in state

// body(position of the column's factors in P, value) for the dummies and then the nonzeros of a row, which lie in `pieces` pieces. Term
// and pieces are copies, which what the body writes cannot change.
template <class Body>
inline __attribute__((always_inline)) void for_columns(const TermView term, const Slice *row, int pieces, const Body &body) {
  for (int q = 0; q < term.augment; ++q) body(std::ptrdiff_t(q) * term.stride, 1.0);
  const std::ptrdiff_t stride = term.stride, base = (term.augment + term.first) * stride;
  for (int p = 0; p < pieces; ++p) {
    const Slice piece = row[p];
    for (int jj = 0; jj < piece.size; ++jj) body(base + piece.index[jj] * stride, piece.value[jj]);
  }
}
template <class Body>
inline __attribute__((always_inline)) void for_columns(const TermView &term, const Slice &row, const Body &body) {
  for_columns(term, &row, 1, body);
}

// A column meets the sums of a unit: a_t += z a_{t-1}, t = m..1, z = p x.
template <class U, int M>
inline __attribute__((always_inline)) void take_in(Degree<M> m, const U &p, double x, U *a) {
  each<U::packs>([&](int q) __attribute__((always_inline)) {
    const auto z = p.v[q] * x;
    for (int t = m; t >= 2; --t) a[t].v[q] += z * a[t - 1].v[q];
    a[1].v[q] += z;
  });
}

// a_t, t = 1..m, of a unit from factor `first` on by eq. (8), from the start or, if there is `more` of a row, from what `state` holds.
// Returns `sum` and the unit's a_m: the bits do not depend on the units.
template <class U, int M>
inline double forward_unit(Degree<M> m, const TermView &term, const Slice *row, int pieces, int first, double *state, bool more,
                           double sum) {
  U a[(M == Dynamic ? kMaxOrder : M) + 1];
  for (int t = 1; t <= m; ++t) {
    a[t].fill(0);
    if (more) a[t].from(state + line(term, t) + first);
  }
  for_columns(term, row, pieces, [&](std::ptrdiff_t at, double x) __attribute__((always_inline)) {
    U p;
    p.from(term.P + at + first);
    take_in(m, p, x, a);
  });
  for (int t = 1; t <= m; ++t) a[t].to(state + line(term, t) + first);
  return add_up(sum, a[m]);
}

template <int M>
double sums_anova(const TermView &term, const Slice *row, int pieces, double *state, bool more) {
  Degree<M> m = degree_of<M>(term.degree);
  double sum = 0;
  int s = 0;
  if constexpr (M != Dynamic && M <= kMostOfMany)
    for (; s + Many::width <= term.stride; s += Many::width) sum = forward_unit<Many>(m, term, row, pieces, s, state, more, sum);
  for (; s + 8 <= term.stride; s += 8) sum = forward_unit<Eight>(m, term, row, pieces, s, state, more, sum);
  if (s < term.stride) sum = forward_unit<Four>(m, term, row, pieces, s, state, more, sum);
  return sum;
}

// One row and many rows in pieces, by a function that can begin a row and go on with it.
using RowSums = double (*)(const TermView &, const Slice *row, int pieces, double *state, bool more);
template <RowSums Sums>
double forward_by(const TermView &term, const Slice &row, double *state) {
  return Sums(term, &row, 1, state, false);
}
template <RowSums Sums>
void forward_rows_by(const TermView &term, const PieceView &rows, bool more, double *state, std::ptrdiff_t apart, double *value) {
  const TermView at = more ? behind_dummies(term) : term;
  for (int r = 0; r < rows.rows; ++r, state += apart)
    value[r] = Sums(at, rows.piece + rows.start[r], rows.start[r + 1] - rows.start[r], state, more);
}

// dA^m/dp_j = x_j h_{m-1}, h by taking the feature out of the finished sums.
template <class U, int M>
inline void backward_unit(Degree<M> m, const TermView &term, const Slice &row, int first, const double *state, double g, double *G) {
  U a[(M == Dynamic ? kMaxOrder : M) + 1];
  for (int t = 1; t < m; ++t) a[t].from(state + line(term, t) + first);
  const double *P = term.P;
  for_columns(term, row, [&](std::ptrdiff_t at, double x) __attribute__((always_inline)) {
    const double gx = g * x;
    U p, sum;
    p.from(P + at + first);
    sum.from(G + at + first);
    each<U::packs>([&](int q) __attribute__((always_inline)) {
      const auto z = p.v[q] * x;
      auto h = a[1].v[q] - z;
      for (int t = 2; t < m; ++t) h = a[t].v[q] - z * h;
      sum.v[q] += gx * h;
    });
    sum.to(G + at + first);
  });
}

// Algorithm 2 for one pack: the table of prefixes in `work`, then the adjoints backwards. No subtraction.
// seed[t], t = 1..m: the derivative of what is wanted in a_t.
inline void backward_careful(int m, const TermView &term, const Slice &row, int first, const Pack *seed, double *G, double *work) {
  const int width = 4 * (m + 1);
  double *before = work;
  for (int t = 0; t <= m; ++t) store(before + 4 * t, Pack{0, 0, 0, 0} + (t == 0 ? 1.0 : 0.0));
  for_columns(term, row, [&](std::ptrdiff_t at, double x) {
    Pack z, a, b;
    load(z, term.P + at + first);
    z *= x;
    double *after = before + width;
    store(after, Pack{1, 1, 1, 1});
    for (int t = 1; t <= m; ++t) {
      load(a, before + 4 * t);
      load(b, before + 4 * (t - 1));
      store(after + 4 * t, a + z * b);
    }
    before = after;
  });
  Pack adjoint[kMaxOrder + 2];
  for (int t = 1; t <= m; ++t) adjoint[t] = seed[t];
  adjoint[m + 1] = Pack{0, 0, 0, 0};
  for (int c = term.augment + row.size - 1; c >= 0; --c) {
    const bool dummy = c < term.augment;
    const std::ptrdiff_t at =
        std::ptrdiff_t(dummy ? c : term.augment + term.first + row.index[c - term.augment]) * term.stride + first;
    const double x = dummy ? 1.0 : row.value[c - term.augment];
    Pack a, z, h = {0, 0, 0, 0};
    before -= width;
    for (int t = 1; t <= m; ++t) {
      load(a, before + 4 * (t - 1));
      h += adjoint[t] * a;
    }
    load(a, G + at);
    store(G + at, a + x * h);
    load(z, term.P + at);
    z *= x;
    for (int t = 1; t <= m; ++t) adjoint[t] += adjoint[t + 1] * z;
  }
}

// Whether the four factors from `first` on can be taken apart: anova::doubt() beside the row's own derivatives.
inline bool safe_pack(int m, const TermView &term, int first, const double *state) {
  for (int s = first; s < first + 4; ++s) {
    const double a1 = state[s], a2 = state[term.stride + s];
    const double square = a1 * a1 - 2 * a2, size = square > 0 ? __builtin_sqrt(square) : 0;
    double bound = 1, last = 1;
    for (int t = 1; t < m; ++t) {
      last = magnitude(state[line(term, t) + s]);
      bound = last + size * bound;
    }
    if (last != 0 && __DBL_EPSILON__ * bound > anova::kRemovalTolerance * last) return false;
  }
  return true;
}

template <int M>
void backward_anova(const TermView &term, const Slice &row, const double *state, double g, double *G, double *work, int first,
                    int last) {
  Degree<M> m = degree_of<M>(term.degree);
  if (row.size + term.augment < m) return;  // no combination of m features: the kernel is zero whatever P is
  int s = first;
  while (s < last) {
    const bool careful = m >= 3 && !safe_pack(m, term, s, state);
    const bool pair = !careful && s + 8 <= last && (m < 3 || safe_pack(m, term, s + 4, state));
    if (careful) {
      Pack seed[kMaxOrder + 1];
      for (int t = 1; t <= m; ++t) seed[t] = Pack{0, 0, 0, 0} + (t == m ? g : 0.0);
      backward_careful(m, term, row, s, seed, G, work);
    } else if (pair) backward_unit<Eight>(m, term, row, s, state, g, G);
    else backward_unit<Four>(m, term, row, s, state, g, G);
    s += pair ? 8 : 4;
  }
}

// Degree 1 with its single factor: <w, x>.
inline double sum_linear(const TermView &term, const Slice *row, int pieces, double *state, bool more) {
  double sum = more ? state[0] : 0;
  for (int p = 0; p < pieces; ++p)
    for (int jj = 0; jj < row[p].size; ++jj) sum += term.P[term.first + row[p].index[jj]] * row[p].value[jj];
  return state[0] = sum;
}

inline void backward_linear(const TermView &, const Slice &row, const double *, double g, double *G, double *, int, int) {
  for (int jj = 0; jj < row.size; ++jj) G[row.index[jj]] += g * row.value[jj];
}

inline RowKernel anova_rows(int degree) {
  if (degree == 1) return {forward_by<sum_linear>, forward_rows_by<sum_linear>, backward_linear};
  return with_degree<2, kMostKnown>(degree, [](auto m) -> RowKernel {
    return {forward_by<sums_anova<m.known>>, forward_rows_by<sums_anova<m.known>>, backward_anova<m.known>};
  });
}

}  // namespace HOFM_ISA
}  // namespace hofm
