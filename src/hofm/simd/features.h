// All factors of one column of the ANOVA kernel at once, over the rows of the column: what the sweeps by feature of solve/cd_features.h
// need. `sums` holds a_1..a_{m-1} of every row, (m - 1) * stride doubles each. Included after simd/meet.h, under the same rules.

namespace hofm {
namespace HOFM_ISA {

inline std::ptrdiff_t sums_width(const TermView &term) { return std::ptrdiff_t(term.degree - 1) * term.stride; }

// h_{m-1} of a unit, feature taken out: p is that of the column, x its value in the row whose sums are at a.
template <class U, int M>
inline __attribute__((always_inline)) void rest_unit(Degree<M> m, const TermView &term, const double *a, const U &p, double x, U &h) {
  U sum;
  h.from(a);
  each<U::packs>([&](int q) __attribute__((always_inline)) { h.v[q] -= p.v[q] * x; });
  for (int t = 2; t < m; ++t) {
    sum.from(a + line(term, t));
    each<U::packs>([&](int q) __attribute__((always_inline)) { h.v[q] = sum.v[q] - p.v[q] * x * h.v[q]; });
  }
}

// a_t += z a_{t-1}, t = m-1..1: the column meets the rows.
inline void feature_add(const TermView &term, const Slice &column, const double *p, double *sums) {
  for (int ii = 0; ii < column.size; ++ii) {
    double *row = sums + column.index[ii] * sums_width(term);
    const double x = column.value[ii];
    for_units(0, term.stride, [&](auto z, int s) __attribute__((always_inline)) {
      constexpr int packs = decltype(z)::packs;
      auto a = z, b = z;
      z.from(p + s);
      for (int t = term.degree - 1; t >= 1; --t) {
        a.from(row + line(term, t) + s);
        if (t > 1) b.from(row + line(term, t - 1) + s);
        else b.fill(1);
        each<packs>([&](int q) __attribute__((always_inline)) { a.v[q] += z.v[q] * x * b.v[q]; });
        a.to(row + line(term, t) + s);
      }
    });
  }
}

// first[s] = sum_i g_i D_is, second[s] = sum_i w_i D_is^2 over the rows of the column, D = x h_{m-1}.
template <int M>
void feature_slopes(const TermView &term, const Slice &column, const double *p, const double *sums, const double *g, const double *w,
                  double *first, double *second) {
  Degree<M> m = degree_of<M>(term.degree);
  for_units(0, term.stride, [&](auto pj, int s) __attribute__((always_inline)) {
    constexpr int packs = decltype(pj)::packs;
    auto one = pj, two = pj, D = pj;
    pj.from(p + s);
    one.fill(0);
    two.fill(0);
    for (int ii = 0; ii < column.size; ++ii) {
      const int i = column.index[ii];
      const double x = column.value[ii];
      rest_unit(m, term, sums + i * sums_width(term) + s, pj, x, D);
      each<packs>([&](int q) __attribute__((always_inline)) {
        D.v[q] *= x;
        one.v[q] += g[i] * D.v[q];
        two.v[q] += w[i] * D.v[q] * D.v[q];
      });
    }
    one.to(first + s);
    two.to(second + s);
  });
}

// d[ii] = sum_s u_s D_is.
template <int M>
void feature_direction(const TermView &term, const Slice &column, const double *p, const double *sums, const double *u, double *d) {
  Degree<M> m = degree_of<M>(term.degree);
  for (int ii = 0; ii < column.size; ++ii) {
    const double *row = sums + column.index[ii] * sums_width(term), x = column.value[ii];
    UnitSum sum;
    for_units(0, term.stride, [&](auto pj, int s) __attribute__((always_inline)) {
      auto us = pj, h = pj;
      pj.from(p + s);
      us.from(u + s);
      rest_unit(m, term, row + s, pj, x, h);
      sum.add(us, h);
    });
    d[ii] = x * sum.all();
  }
}

// a_t += dz h_{t-1} with dz = x step_s.
template <int M>
void feature_shift(const TermView &term, const Slice &column, const double *p, const double *step, double *sums) {
  Degree<M> m = degree_of<M>(term.degree);
  for (int ii = 0; ii < column.size; ++ii) {
    double *row = sums + column.index[ii] * sums_width(term);
    const double x = column.value[ii];
    for_units(0, term.stride, [&](auto z, int s) __attribute__((always_inline)) {
      constexpr int packs = decltype(z)::packs;
      auto dz = z, a = z, h = z;
      z.from(p + s);
      dz.from(step + s);
      a.from(row + s);
      each<packs>([&](int q) __attribute__((always_inline)) {
        z.v[q] *= x;
        dz.v[q] *= x;
        h.v[q] = a.v[q] - z.v[q];
        a.v[q] += dz.v[q];
      });
      a.to(row + s);
      for (int t = 2; t < m; ++t) {
        a.from(row + line(term, t) + s);
        each<packs>([&](int q) __attribute__((always_inline)) {
          const auto next = a.v[q] - z.v[q] * h.v[q];
          a.v[q] += dz.v[q] * h.v[q];
          h.v[q] = next;
        });
        a.to(row + line(term, t) + s);
      }
    });
  }
}

inline FeatureKernel features(int degree) {
  return with_degree<2, kMostKnown>(degree, [](auto m) -> FeatureKernel {
    return {feature_add, feature_slopes<m.known>, feature_direction<m.known>, feature_shift<m.known>};
  });
}

}  // namespace HOFM_ISA
}  // namespace hofm
