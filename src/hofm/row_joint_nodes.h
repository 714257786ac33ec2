// What the joint sweeps over nodes (solver_cd_joint_nodes.h) need of the ANOVA kernel, vectorised over factors. Included after
// row_joint.h, under the same rules.
//
// A node's own table holds a_1..a_{m-1}, as the cache of row_joint.h; R_1..R_{m-1} is that of the node it is joined with, R_0 = 1.
// The derivative of a joined sample in z of a feature is sum_{r=0..m-1} h_{m-1-r} R_r, h the node's sums without the feature.

namespace hofm {
namespace HOFM_ISA {

// h_0..h_{m-1} of four factors.
template <int M>
inline void rests_pack(Degree<M> m, const TermView &term, const double *own, const Pack &z, Pack *h) {
  h[0] = Pack{1, 1, 1, 1};
  for (int t = 1; t < m; ++t) {
    load(h[t], own + line(term, t));
    h[t] -= z * h[t - 1];
  }
}

// first[s] += sum g D_s, second[s] += sum w D_s^2 over the samples of a node, D_s = x times the derivative. Sample q is
// sample[q] and joined with the node partner[q], whose table is in `rest`.
template <int M>
void nodes_slopes(const TermView &term, const double *own, const double *p, double x, const NodeSamples &samples, const double *rest,
                  const double *g, const double *w, double *first, double *second) {
  Degree<M> m = degree_of<M>(term.degree);
  Pack z, h[M == Dynamic ? kMaxOrder : M], D, R, one, two;
  for (int s = 0; s < term.stride; s += 4) {
    load(z, p + s);
    rests_pack(m, term, own + s, x * z, h);
    for (int t = 0; t < m; ++t) h[t] *= x;
    load(one, first + s);
    load(two, second + s);
    for (int q = 0; q < samples.size; ++q) {
      const double *table = rest + samples.partner[q] * cache_width(term) + s;
      D = h[m - 1];
      for (int r = 1; r < m; ++r) {
        load(R, table + line(term, r));
        D += h[m - 1 - r] * R;
      }
      one += g[samples.sample[q]] * D;
      two += w[samples.sample[q]] * D * D;
    }
    store(first + s, one);
    store(second + s, two);
  }
}

// v_r = u h_{m-1-r}, r = 1..m-1, of one node; returns the sum over factors of u h_{m-1}.
template <int M>
double nodes_turn(const TermView &term, const double *own, const double *p, double x, const double *u, double *v) {
  Degree<M> m = degree_of<M>(term.degree);
  Pack sum = {0, 0, 0, 0}, z, us, h[M == Dynamic ? kMaxOrder : M];
  for (int s = 0; s < term.stride; s += 4) {
    load(z, p + s);
    load(us, u + s);
    rests_pack(m, term, own + s, x * z, h);
    sum += us * h[m - 1];
    for (int r = 1; r < m; ++r) store(v + line(term, r) + s, us * h[m - 1 - r]);
  }
  return total(sum);
}

// sum_r <v_r, R_r>. Tables are `width` doubles long, a multiple of four.
inline double nodes_along(std::ptrdiff_t width, const double *v, const double *rest) {
  Pack one = {0, 0, 0, 0}, two = {0, 0, 0, 0}, a, b;
  std::ptrdiff_t q = 0;
  for (; q + 8 <= width; q += 8) {
    load(a, v + q);
    load(b, rest + q);
    one += a * b;
    load(a, v + q + 4);
    load(b, rest + q + 4);
    two += a * b;
  }
  if (q < width) {
    load(a, v + q);
    load(b, rest + q);
    one += a * b;
  }
  return total(one + two);
}

inline JointNodeKernel joint_nodes(int degree) {
  return with_degree<2, kMostKnown>(degree, [](auto m) -> JointNodeKernel { return {nodes_slopes<m.known>, nodes_turn<m.known>, nodes_along}; });
}

}  // namespace HOFM_ISA
}  // namespace hofm
