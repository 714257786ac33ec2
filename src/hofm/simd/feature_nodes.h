// What the sweeps by feature over nodes (solve/cd_feature_nodes.h) need of the ANOVA kernel, vectorised over factors. Included after
// simd/features.h, under the same rules.
//
// A node's own sums holds a_1..a_{m-1}, as the sums of simd/features.h; R_1..R_{m-1} is that of the node it is joined with, R_0 = 1.
// The derivative of a joined sample in z of a feature is sum_{r=0..m-1} h_{m-1-r} R_r, h the node's sums without the feature.

namespace hofm {
namespace HOFM_ISA {

// h_0..h_{m-1} of a unit, whose own sums and p are given.
template <class U, int M>
inline __attribute__((always_inline)) void rests_unit(Degree<M> m, const TermView &term, const double *own, const U &p, double x, U *h) {
  h[0].fill(1);
  for (int t = 1; t < m; ++t) {
    h[t].from(own + line(term, t));
    each<U::packs>([&](int q) __attribute__((always_inline)) { h[t].v[q] -= p.v[q] * x * h[t - 1].v[q]; });
  }
}

// first[s] += sum g D_s, second[s] += sum w D_s^2 over the samples of a node, D_s = x times the derivative. Sample q is
// sample[q] and joined with the node partner[q], whose table is in `rest`.
template <int M>
void nodes_slopes(const TermView &term, const double *own, const double *p, double x, const NodeSamples &samples, const double *rest,
                  const double *g, const double *w, double *first, double *second) {
  Degree<M> m = degree_of<M>(term.degree);
  for_units(0, term.stride, [&](auto pj, int s) __attribute__((always_inline)) {
    using U = decltype(pj);
    U h[M == Dynamic ? kMaxOrder : M], D, R, one, two;
    pj.from(p + s);
    rests_unit(m, term, own + s, pj, x, h);
    for (int t = 0; t < m; ++t) each<U::packs>([&](int q) __attribute__((always_inline)) { h[t].v[q] *= x; });
    one.from(first + s);
    two.from(second + s);
    for (int qq = 0; qq < samples.size; ++qq) {
      const double *table = rest + samples.partner[qq] * sums_width(term) + s;
      D = h[m - 1];
      for (int r = 1; r < m; ++r) {
        R.from(table + line(term, r));
        each<U::packs>([&](int q) __attribute__((always_inline)) { D.v[q] += h[m - 1 - r].v[q] * R.v[q]; });
      }
      const double slope = g[samples.sample[qq]], weight = w[samples.sample[qq]];
      each<U::packs>([&](int q) __attribute__((always_inline)) {
        one.v[q] += slope * D.v[q];
        two.v[q] += weight * D.v[q] * D.v[q];
      });
    }
    one.to(first + s);
    two.to(second + s);
  });
}

// v_r = u h_{m-1-r}, r = 1..m-1, of one node; returns the sum over factors of u h_{m-1}.
template <int M>
double nodes_turn(const TermView &term, const double *own, const double *p, double x, const double *u, double *v) {
  Degree<M> m = degree_of<M>(term.degree);
  UnitSum sum;
  for_units(0, term.stride, [&](auto pj, int s) __attribute__((always_inline)) {
    using U = decltype(pj);
    U us, turned, h[M == Dynamic ? kMaxOrder : M];
    pj.from(p + s);
    us.from(u + s);
    rests_unit(m, term, own + s, pj, x, h);
    sum.add(us, h[m - 1]);
    for (int r = 1; r < m; ++r) {
      each<U::packs>([&](int q) __attribute__((always_inline)) { turned.v[q] = us.v[q] * h[m - 1 - r].v[q]; });
      turned.to(v + line(term, r) + s);
    }
  });
  return sum.all();
}

// sum_r <v_r, R_r>. Tables are `width` doubles long, a multiple of four.
inline double nodes_along(std::ptrdiff_t width, const double *v, const double *rest) {
  UnitSum sum;
  for_units(0, int(width), [&](auto a, int q) __attribute__((always_inline)) {
    auto b = a;
    a.from(v + q);
    b.from(rest + q);
    sum.add(a, b);
  });
  return sum.all();
}

inline FeatureNodeKernel feature_nodes(int degree) {
  return with_degree<2, kMostKnown>(degree, [](auto m) -> FeatureNodeKernel { return {nodes_slopes<m.known>, nodes_turn<m.known>, nodes_along}; });
}

}  // namespace HOFM_ISA
}  // namespace hofm
