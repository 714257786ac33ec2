// Steps of the stochastic solvers on the factors of some columns, vectorised over factors; included after simd/forward.h and under the
// same rules. With r = 1/H of solve/sg.h a step is p -= eta r g, and catching up for D steps is p /= 1 + D eta lambda r.
//
// AdaGrad remembers r itself, the inverse root of the sum of squares S: with u = (g r)^2 the sum grows to S (1 + u), so r becomes
// r / sqrt(1 + u). Roots and divisions would take most of the time; after the first steps u and eta lambda r are small, and then
// polynomials do: of r to 5e-15, of p to a unit in its last place. A coordinate that never had a gradient has r = infinity, which
// no polynomial is used for: it does not move and is not shrunk.
//
// Factors are taken in units of eight, or four at the end, and each unit chooses its road. Threads share factors in multiples of
// eight, so that the choice does not depend on how many threads there are.

namespace hofm {
namespace HOFM_ISA {

inline bool all(bool inside) { return inside; }
template <class Mask>
inline bool all(const Mask &inside) {
#ifdef HOFM_MOVE_MASK
  return HOFM_MOVE_MASK((Pack)inside) == 15;
#else
  return (inside[0] & inside[1] & inside[2] & inside[3]) != 0;
#endif
}

// Whether all of a unit are below a bound.
template <class V, int N>
inline bool small(const Unit<V, N> &u, double bound) {
  auto inside = u.v[0] < bound;
  for (int q = 1; q < N; ++q) inside &= u.v[q] < bound;
  return all(inside);
}
#ifdef HOFM_WIDE
inline bool small(const Eight &u, double bound) {
  return _mm512_cmp_pd_mask(u.v[0], _mm512_set1_pd(bound), _CMP_LT_OQ) == 255;
}
#endif

inline void root(Pack &v, const Pack &x) {
#ifdef HOFM_SQUARE_ROOTS
  v = HOFM_SQUARE_ROOTS(x);
#else
  for (int l = 0; l < 4; ++l) v[l] = __builtin_sqrt(x[l]);
#endif
}
#ifdef HOFM_WIDE
inline void root(Wide &v, const Wide &x) { v = _mm512_maskz_sqrt_pd(255, x); }  // of the one without a mask GCC 12 warns
#endif
inline void root(double &v, double x) { v = __builtin_sqrt(x); }

// 1/sqrt(1 + u) for 0 <= u < 1/16 to 5e-15, and 1 at 0: 1 + u q(u), where q interpolates at Chebyshev's points.
template <class V>
inline __attribute__((always_inline)) void inverse_root(V &v, const V &u) {
  v = 1 + u * (-0.49999999999992706 + u * (0.3749999998855181 + u * (-0.31249997060224793 + u * (0.27343466045103365 +
               u * (-0.24596253103438473 + u * (0.22244573027517808 - u * 0.17140966207927616))))));
}

// 1/(1 + x) for 0 <= x < 2^-9 to 2^-52, and 1 at 0: 1 - x q(x), made in the same way.
template <class V>
inline __attribute__((always_inline)) void inverse(V &v, const V &x) {
  v = 1 - x * (0.9999999999998868 - x * (0.999999998144498 - x * (0.9999952483494605 - x * 0.9961042162547156)));
}

// p and r after a step where the polynomial would not do. A first gradient makes r = 1/|g|, as does one beside which all before it are
// nothing; that leaves r = infinity where there was none, or none to speak of.
template <class V>
inline void step_exactly(V &p, const V &g, V &r, const V &u, double eta) {
  constexpr double infinity = __builtin_huge_val();
  const V length = g > 0 ? g : 0 - g, still = {};  // 0 for both zeros: the inverse of -0 would be -infinity
  V grown;
  root(grown, 1 + u);
  r = ((r < infinity) & (u < infinity)) ? r / grown : 1 / length;
  const V move = eta * r * g;
  p -= r == infinity ? still : move;
}

struct AdaptiveRate {
  static constexpr bool remembers = true;

  // P -= eta r g with r after g; p is what P holds.
  template <class U>
  static inline __attribute__((always_inline)) void step(double *P, const U &p, const U &g, double *memory, double eta) {
    U r, u;
    r.from(memory);
    for (int q = 0; q < U::packs; ++q) {
      u.v[q] = g.v[q] * r.v[q];
      u.v[q] *= u.v[q];
    }
    U moved = p;
    if (__builtin_expect(small(u, 0x1p-4), 1)) {
      each<U::packs>([&](int q) __attribute__((always_inline)) {
        auto decay = u.v[q];
        inverse_root(decay, u.v[q]);
        r.v[q] *= decay;
        moved.v[q] -= eta * r.v[q] * g.v[q];
      });
    } else {
      each<U::packs>([&](int q) { step_exactly(moved.v[q], g.v[q], r.v[q], u.v[q], eta); });
    }
    r.to(memory);
    moved.to(P);
  }

  // p /= 1 + shrink r
  template <class U>
  static inline __attribute__((always_inline)) void shrink(U &p, const double *memory, double shrink) {
    U e;
    e.from(memory);
    for (auto &x : e.v) x *= shrink;
    if (__builtin_expect(small(e, 0x1p-9), 1)) {
      each<U::packs>([&](int q) __attribute__((always_inline)) {
        auto scale = e.v[q];
        inverse(scale, e.v[q]);
        p.v[q] *= scale;
      });
    } else {
      each<U::packs>([&](int q) __attribute__((always_inline)) {
        p.v[q] = e.v[q] < __builtin_huge_val() ? p.v[q] / (1 + e.v[q]) : p.v[q];
      });
    }
  }
};

struct ConstantRate {  // r = 1
  static constexpr bool remembers = false;

  template <class U>
  static void step(double *P, const U &p, const U &g, double *, double eta) {
    U moved;
    for (int q = 0; q < U::packs; ++q) moved.v[q] = p.v[q] - eta * g.v[q];
    moved.to(P);
  }
  template <class U>
  static void shrink(U &p, const double *, double shrink) {
    const double scale = 1 / (1 + shrink);
    for (auto &x : p.v) x *= scale;
  }
};

template <class U, class Rate>
inline __attribute__((always_inline)) void step_unit(double *P, double *G, double *memory, double eta) {
  U p, g;
  g.from(G);
  p.from(P);
  Rate::step(P, p, g, memory, eta);
  g.fill(0);
  g.to(G);
}

template <class U, class Rate>
inline __attribute__((always_inline)) void shrink_unit(U &p, double *P, const double *memory, double shrink) {
  p.from(P);
  Rate::template shrink<U>(p, memory, shrink);
  p.to(P);
}

template <class Rate>
void catch_up(const StepView &view, const int *columns, const double *missed, int n, int first, int last) {
  for (int q = 0; q < n; ++q) {
    const std::ptrdiff_t at = std::ptrdiff_t(columns[q]) * view.stride;
    const double shrink = missed[q] * view.shrink;
    for_units(first, last, [&](auto p, int s) __attribute__((always_inline)) {
      shrink_unit<decltype(p), Rate>(p, view.P + at + s, view.memory + at + s, shrink);
    });
  }
}

template <class Rate>
inline __attribute__((always_inline)) void step_column(const StepView &view, std::ptrdiff_t at, int first, int last) {
  double *P = view.P + at, *G = view.G + at, *memory = view.memory + at;
  for_units(first, last, [&](auto unit, int s) __attribute__((always_inline)) {
    step_unit<decltype(unit), Rate>(P + s, G + s, memory + s, view.eta);
  });
}

template <class Rate>
void step(const StepView &view, const int *columns, int n, int first, int last) {
  for (int q = 0; q < n; ++q) step_column<Rate>(view, std::ptrdiff_t(columns[q]) * view.stride, first, last);
}

template <class Rate>
void catch_up_linear(const StepView &view, const int *columns, const double *missed, int n, int, int) {
  One p;
  for (int q = 0; q < n; ++q) shrink_unit<One, Rate>(p, view.P + columns[q], view.memory + columns[q], missed[q] * view.shrink);
}

template <class Rate>
void step_linear(const StepView &view, const int *columns, int n, int, int) {
  for (int q = 0; q < n; ++q)
    step_unit<One, Rate>(view.P + columns[q], view.G + columns[q], view.memory + columns[q], view.eta);
}

// A unit's a_1..a_m by eq. (8) on a row whose columns are brought up to date on the way; returns the sum of a_m.
template <class U, class Rate, int M>
inline __attribute__((always_inline)) double forward_steps_unit(Degree<M> m, const TermView term, const StepView view, const Slice row,
                                                                const double *missed, const Slice next, double *state, int first) {
  const std::ptrdiff_t stride = term.stride;
  U a[(M == Dynamic ? kMaxOrder : M) + 1], p;
  for (int t = 1; t <= m; ++t) a[t].fill(0);
  for (int q = 0; q < term.augment; ++q) {
    p.from(view.P + q * stride + first);
    take_in(m, p, 1.0, a);
  }
  double *P = view.P + term.augment * stride + first, *memory = view.memory + term.augment * stride + first;
  for (int jj = 0; jj < row.size; ++jj) {
    if (jj < next.size) {
      __builtin_prefetch(P + next.index[jj] * stride, 1);
      if (Rate::remembers) __builtin_prefetch(memory + next.index[jj] * stride, 1);
    }
    const std::ptrdiff_t at = row.index[jj] * stride;
    shrink_unit<U, Rate>(p, P + at, memory + at, missed[jj] * view.shrink);
    take_in(m, p, row.value[jj], a);
  }
  for (int t = 1; t <= m; ++t) a[t].to(state + line(term, t) + first);
  return add_up(0, a[m]);
}

template <int M, class Rate>
double forward_steps(const TermView &term, const StepView &view, const Slice &row, const double *missed, const Slice &next,
                     double *state, int first, int last) {
  Degree<M> m = degree_of<M>(term.degree);
  double sum = 0;
  for_units(first, last, [&](auto unit, int s) __attribute__((always_inline)) {
    sum += forward_steps_unit<decltype(unit), Rate>(m, term, view, row, missed, next, state, s);
  });
  return sum;
}

template <class Rate>
double forward_steps_linear(const TermView &term, const StepView &view, const Slice &row, const double *missed, const Slice &next,
                            double *state, int, int) {
  for (int jj = 0; jj < next.size; ++jj) {
    __builtin_prefetch(view.P + next.index[jj], 1);
    if (Rate::remembers) __builtin_prefetch(view.memory + next.index[jj], 1);
  }
  catch_up_linear<Rate>(view, row.index, missed, row.size, 0, 1);
  return sum_linear(term, &row, 1, state, false);
}

// The slope of a column by taking it out of the finished sums, as in backward_unit(), and a step on it at once: the gradient of a
// batch that has a single row is never stored.
template <class U, class Rate, int M>
inline __attribute__((always_inline)) void descend_unit(Degree<M> m, std::ptrdiff_t stride, double *P, double *memory,
                                                        const double *state, double x, double gx, double eta) {
  U p, a, slope;
  p.from(P);
  a.from(state);
  for (int q = 0; q < U::packs; ++q) slope.v[q] = a.v[q] - p.v[q] * x;
  for (int t = 2; t < m; ++t) {
    a.from(state + (t - 1) * stride);
    for (int q = 0; q < U::packs; ++q) slope.v[q] = a.v[q] - p.v[q] * x * slope.v[q];
  }
  for (int q = 0; q < U::packs; ++q) slope.v[q] *= gx;
  Rate::step(P, p, slope, memory, eta);
}

template <int M>
inline bool safe(Degree<M> m, const TermView &term, const double *state, int first, int last) {
  for (int s = first; m >= 3 && s < last; s += 4)
    if (!safe_pack(m, term, s, state)) return false;
  return true;
}

template <int M, class Rate>
void descend_anova(const TermView &term, const StepView &view, const Slice &row, const double *state, double g, double *work,
                   int first, int last) {
  Degree<M> m = degree_of<M>(term.degree);
  if (row.size + term.augment < m) return;
  const bool whole = safe(m, term, state, first, last);
  if (!whole && last - first > 8) {  // eight factors choose for themselves, however many a thread was given
    for (int s = first; s < last; s += 8) descend_anova<M, Rate>(term, view, row, state, g, work, s, s + 8 < last ? s + 8 : last);
    return;
  }
  if (!whole) {
    backward_anova<M>(term, row, state, g, view.G, work, first, last);
    for_columns(term, row, [&](std::ptrdiff_t at, double) { step_column<Rate>(view, at, first, last); });
    return;
  }
  const StepView own = view;  // what is written cannot be this
  for_columns(term, row, [=](std::ptrdiff_t at, double x) __attribute__((always_inline)) {
    double *P = own.P + at, *memory = own.memory + at;
    for_units(first, last, [=](auto unit, int s) __attribute__((always_inline)) {
      descend_unit<decltype(unit), Rate>(m, own.stride, P + s, memory + s, state + s, x, g * x, own.eta);
    });
  });
}

template <class Rate>
void descend_linear(const TermView &term, const StepView &view, const Slice &row, const double *, double g, double *, int, int) {
  for (int jj = 0; jj < row.size; ++jj) {
    const std::ptrdiff_t at = term.first + row.index[jj];
    One p, slope;
    p.from(view.P + at);
    slope.v[0] = g * row.value[jj];
    Rate::step(view.P + at, p, slope, view.memory + at, view.eta);
  }
}

template <class Rate>
inline StepKernel steps(Kernel kernel, int degree) {
  if (kernel != Kernel::anova) return {catch_up<Rate>, step<Rate>, nullptr, nullptr};
  if (degree == 1) return {catch_up_linear<Rate>, step_linear<Rate>, forward_steps_linear<Rate>, descend_linear<Rate>};
  return with_degree<2, kMostKnown>(degree, [](auto m) -> StepKernel {
    return {catch_up<Rate>, step<Rate>, forward_steps<m.known, Rate>, descend_anova<m.known, Rate>};
  });
}

inline StepKernel steps(bool adaptive, Kernel kernel, int degree) {
  return adaptive ? steps<AdaptiveRate>(kernel, degree) : steps<ConstantRate>(kernel, degree);
}

}  // namespace HOFM_ISA
}  // namespace hofm
