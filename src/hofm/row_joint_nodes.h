// What the joint sweeps over nodes (solver_cd_joint_nodes.h) need of the ANOVA kernel, vectorised over factors. Included after
// row_joint.h, under the same rules.
//
// A node's own table holds a_1..a_{m-1}, as the cache of row_joint.h; R_1..R_{m-1} is that of the node it is joined with, R_0 = 1.
// The derivative of a joined sample in z of a feature is sum_{r=0..m-1} h_{m-1-r} R_r, h the node's sums without the feature.
// `sums` of a node, over its samples: c_r = sum g R_r, r = 1..m-1, then H_{r,q} = sum w R_r R_q for r = 0..m-1, q = max(r, 1)..m-1.
// Those of powers 0, c_0 = sum g and H_00 = sum w, do not depend on the factor and are kept apart.

namespace hofm {
namespace HOFM_ISA {

// One sample more.
inline void nodes_collect(const TermView &term, const double *rest, double g, double w, double *sums) {
  for (int s = 0; s < term.stride; s += 4) {
    Pack R[kMaxOrder], sum;
    for (int r = 1; r < term.degree; ++r) {
      load(R[r], rest + line(term, r) + s);
      load(sum, sums + line(term, r) + s);
      store(sums + line(term, r) + s, sum + g * R[r]);
    }
    double *H = sums + cache_width(term) + s;
    for (int r = 0; r < term.degree; ++r)
      for (int q = r > 0 ? r : 1; q < term.degree; ++q, H += term.stride) {
        load(sum, H);
        store(H, sum + (r > 0 ? w * R[r] * R[q] : w * R[q]));
      }
  }
}

// h_0..h_{m-1} of four factors.
template <int M>
inline void rests_pack(Degree<M> m, const TermView &term, const double *own, const Pack &z, Pack *h) {
  h[0] = Pack{1, 1, 1, 1};
  for (int t = 1; t < m; ++t) {
    load(h[t], own + line(term, t));
    h[t] -= z * h[t - 1];
  }
}

// first[s] = sum of x (sum_r h_{m-1-r} c_r), second[s] = sum of x^2 (sum_rq h_{m-1-r} H_rq h_{m-1-q}) over the nodes of the column.
template <int M>
void nodes_slopes(const TermView &term, const Slice &column, const double *p, const double *own, const double *sums,
                  std::ptrdiff_t width, const double *c0, const double *H00, double *first, double *second) {
  Degree<M> m = degree_of<M>(term.degree);
  for (int s = 0; s < term.stride; s += 4) {
    Pack pj, h[M == Dynamic ? kMaxOrder : M], one = {0, 0, 0, 0}, two = {0, 0, 0, 0}, row, sum;
    load(pj, p + s);
    for (int ii = 0; ii < column.size; ++ii) {
      const int i = column.index[ii];
      const double x = column.value[ii], *c = sums + i * width + s, *H = c + cache_width(term);
      rests_pack(m, term, own + i * cache_width(term) + s, x * pj, h);
      Pack slope = c0[i] * h[m - 1], curvature = H00[i] * h[m - 1] * h[m - 1];
      for (int r = 1; r < m; ++r) {
        load(sum, c + line(term, r));
        slope += sum * h[m - 1 - r];
      }
      for (int r = 0; r < m; ++r) {
        row = Pack{0, 0, 0, 0};
        for (int q = r > 0 ? r : 1; q < m; ++q, H += term.stride) {
          load(sum, H);
          row += (q == r ? 1.0 : 2.0) * sum * h[m - 1 - q];
        }
        curvature += row * h[m - 1 - r];
      }
      one += x * slope;
      two += x * x * curvature;
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

// c_r += dg R_r: a sample's derivative changed.
inline void nodes_follow(std::ptrdiff_t width, const double *rest, double dg, double *sums) {
  for (std::ptrdiff_t q = 0; q < width; q += 4) {
    Pack a, b;
    load(a, sums + q);
    load(b, rest + q);
    store(sums + q, a + dg * b);
  }
}

inline JointNodeKernel joint_nodes(int degree) {
  switch (degree) {
    case 2: return {nodes_collect, nodes_slopes<2>, nodes_turn<2>, nodes_along, nodes_follow};
    case 3: return {nodes_collect, nodes_slopes<3>, nodes_turn<3>, nodes_along, nodes_follow};
    case 4: return {nodes_collect, nodes_slopes<4>, nodes_turn<4>, nodes_along, nodes_follow};
    default: return {nodes_collect, nodes_slopes<Dynamic>, nodes_turn<Dynamic>, nodes_along, nodes_follow};
  }
}

}  // namespace HOFM_ISA
}  // namespace hofm
