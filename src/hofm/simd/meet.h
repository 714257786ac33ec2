// Samples joined from the rows of two nodes: each node's sums of a kernel (its table, as forward() leaves them) meet those of the
// other. Vectorised over factors; included after simd/other.h and under the same rules.

namespace hofm {
namespace HOFM_ISA {

// Tables of the features of both nodes together.
inline void combine_powers(const TermView &term, const double *a, const double *b, double *out) {
  for (int s = 0; s < term.stride; s += 4)
    for (int t = 1; t <= term.degree; ++t) {  // A^t = sum_u A^u of one times A^{t-u} of the other
      Pack x, y, sum;
      load(x, a + line(term, t) + s);
      load(y, b + line(term, t) + s);
      sum = x + y;
      for (int u = 1; u < t; ++u) {
        load(x, a + line(term, u) + s);
        load(y, b + line(term, t - u) + s);
        sum += x * y;
      }
      store(out + line(term, t) + s, sum);
    }
}

inline void combine_products(const TermView &term, const double *a, const double *b, double *out) {
  for (int s = 0; s < term.stride; ++s) out[s] = a[s] * b[s];
}

template <int Rows>
inline void combine_sums(const TermView &term, const double *a, const double *b, double *out) {
  for (int q = 0; q < Rows * term.stride; ++q) out[q] = a[q] + b[q];
}

// The kernel's value, summed over factors, from the two tables.
inline double value_anova(const TermView &term, const double *a, const double *b) {
  const int m = term.degree;
  UnitSum sum;
  for_units(0, term.stride, [&](auto x, int s) __attribute__((always_inline)) {
    auto y = x;
    x.from(a + line(term, m) + s);
    y.from(b + line(term, m) + s);
    sum.add(x);
    sum.add(y);
    for (int u = 1; u < m; ++u) {
      x.from(a + line(term, u) + s);
      y.from(b + line(term, m - u) + s);
      sum.add(x, y);
    }
  });
  return sum.all();
}

inline double value_linear(const TermView &, const double *a, const double *b) { return a[0] + b[0]; }

inline double value_mix(const TermView &term, const double *a, const double *b) {
  double sum = 0;
  for (int s = 0; s < term.k; ++s)
    for (int t = 1; t <= term.degree; ++t) {
      double all = a[line(term, t) + s] + b[line(term, t) + s];
      for (int u = 1; u < t; ++u) all += a[line(term, u) + s] * b[line(term, t - u) + s];
      sum += term.theta[t - 1] * all;
    }
  return sum;
}

inline double value_all_subsets(const TermView &term, const double *a, const double *b) {
  double sum = 0;
  for (int s = 0; s < term.k; ++s) sum += a[s] * b[s];
  return sum;
}

inline double value_polynomial(const TermView &term, const double *a, const double *b) {
  double sum = 0;
  for (int s = 0; s < term.k; ++s) sum += power(a[s] + b[s], term.degree);
  return sum;
}

inline double value_bilinear(const TermView &term, const double *a, const double *b) {
  double sum = 0;
  for (int s = 0, r = term.stride; s < term.k; ++s, ++r) sum += (a[s] + b[s]) * (a[r] + b[r]);
  return sum;
}

// adj += g * derivative of the value in the table `own`, the other node's being `rest`; factors first..last-1.
inline void adjoint_anova(const TermView &term, const double *, const double *rest, double g, double *adj, int first, int last) {
  const int m = term.degree;
  for_units(first, last, [&](auto sum, int s) __attribute__((always_inline)) {
    sum.from(adj + line(term, m) + s);
    each<sum.packs>([&](int q) __attribute__((always_inline)) { sum.v[q] += g; });
    sum.to(adj + line(term, m) + s);
    for (int u = 1; u < m; ++u) {
      decltype(sum) r;
      sum.from(adj + line(term, u) + s);
      r.from(rest + line(term, m - u) + s);
      each<sum.packs>([&](int q) __attribute__((always_inline)) { sum.v[q] += g * r.v[q]; });
      sum.to(adj + line(term, u) + s);
    }
  });
}

inline void adjoint_linear(const TermView &, const double *, const double *, double g, double *adj, int, int) { adj[0] += g; }

inline void adjoint_all_subsets(const TermView &term, const double *, const double *rest, double g, double *adj, int first, int last) {
  for (int s = first; s < last && s < term.k; ++s) adj[s] += g * rest[s];
}

inline void adjoint_polynomial(const TermView &term, const double *own, const double *rest, double g, double *adj, int first,
                               int last) {
  for (int s = first; s < last && s < term.k; ++s)
    adj[s] += g * term.degree * power(own[s] + rest[s], term.degree - 1);
}

inline void adjoint_bilinear(const TermView &term, const double *own, const double *rest, double g, double *adj, int first,
                             int last) {
  for (int s = first, r = term.stride + first; s < last; ++s, ++r) {
    adj[s] += g * (own[r] + rest[r]);
    adj[r] += g * (own[s] + rest[s]);
  }
}

// G += gradient in P of <adj, table of the row> for a unit: sum_t adj_t h_{t-1} with h by taking out.
template <class U, int M>
inline void pull_unit(Degree<M> m, const TermView &term, const Slice &row, int first, const double *state, const double *adj,
                      double *G) {
  U a[(M == Dynamic ? kMaxOrder : M) + 1], d[(M == Dynamic ? kMaxOrder : M) + 1];
  for (int t = 1; t <= m; ++t) {
    a[t].from(state + line(term, t) + first);
    d[t].from(adj + line(term, t) + first);
  }
  for_columns(term, row, [&](std::ptrdiff_t at, double x) __attribute__((always_inline)) {
    U p, sum;
    p.from(term.P + at + first);
    sum.from(G + at + first);
    each<U::packs>([&](int q) __attribute__((always_inline)) {
      const auto z = p.v[q] * x;
      auto h = a[1].v[q] - z;
      auto slope = d[1].v[q] + d[2].v[q] * h;
      for (int t = 2; t < m; ++t) {
        h = a[t].v[q] - z * h;
        slope += d[t + 1].v[q] * h;
      }
      sum.v[q] += x * slope;
    });
    sum.to(G + at + first);
  });
}

template <int M>
void pull_anova(const TermView &term, const Slice &row, const double *state, const double *adj, double *G, double *work, int first,
                int last) {
  Degree<M> m = degree_of<M>(term.degree);
  for (int s = first; s < last;) {
    const bool careful = m >= 3 && !safe_pack(m, term, s, state);
    const bool pair = !careful && s + 8 <= last && (m < 3 || safe_pack(m, term, s + 4, state));
    if (careful) {
      Pack seed[kMaxOrder + 1];
      for (int t = 1; t <= m; ++t) load(seed[t], adj + line(term, t) + s);
      backward_careful(m, term, row, s, seed, G, work);
    } else if (pair) {
      pull_unit<Eight>(m, term, row, s, state, adj, G);
    } else {
      pull_unit<Four>(m, term, row, s, state, adj, G);
    }
    s += pair ? 8 : 4;
  }
}

inline void pull_linear(const TermView &term, const Slice &row, const double *, const double *adj, double *G, double *, int, int) {
  for (int jj = 0; jj < row.size; ++jj) G[term.first + row.index[jj]] += adj[0] * row.value[jj];
}

inline void pull_all_subsets(const TermView &term, const Slice &row, const double *, const double *adj, double *G, double *work,
                             int first, int last) {
  for (int s = first; s < last; s += 4) {
    Pack seed;
    load(seed, adj + s);
    all_subsets_group(term, row, s, seed, G, work);
  }
}

inline void pull_sums(const TermView &term, const Slice &row, const double *, const double *adj, double *G, double *, int first,
                      int last) {
  add_rows(term, row, adj, G, first, last);
}

// A node is on one side of the split only.
inline void pull_bilinear(const TermView &term, const Slice &row, const double *, const double *adj, double *G, double *, int first,
                          int last) {
  for (int which = 0; which < 2; ++which) add_rows(term, side(term, row, which), adj + which * term.stride, G, first, last);
}

inline MeetKernel anova_joins(int degree) {
  if (degree == 1) return {combine_sums<1>, value_linear, adjoint_linear, pull_linear};
  return with_degree<2, kMostKnown>(degree, [](auto m) -> MeetKernel {
    return {combine_powers, value_anova, adjoint_anova, pull_anova<m.known>};
  });
}

inline MeetKernel meets(Kernel kernel, int degree) {
  switch (kernel) {
    case Kernel::anova: return anova_joins(degree);
    case Kernel::mix: return {combine_powers, value_mix, nullptr, nullptr};
    case Kernel::all_subsets: return {combine_products, value_all_subsets, adjoint_all_subsets, pull_all_subsets};
    case Kernel::polynomial: return {combine_sums<1>, value_polynomial, adjoint_polynomial, pull_sums};
    case Kernel::bilinear: return {combine_sums<2>, value_bilinear, adjoint_bilinear, pull_bilinear};
  }
  return {nullptr, nullptr, nullptr, nullptr};
}

}  // namespace HOFM_ISA
}  // namespace hofm
