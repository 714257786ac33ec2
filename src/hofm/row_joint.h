// All factors of one column of the ANOVA kernel at once, over the rows of the column: what the joint sweeps of solver_cd_joint.h
// need. `cache` holds a_1..a_{m-1} of every row, (m - 1) * stride doubles each. Included after row_join.h, under the same rules.

namespace hofm {
namespace HOFM_ISA {

inline std::ptrdiff_t cache_width(const TermView &term) { return std::ptrdiff_t(term.degree - 1) * term.stride; }

// h_{m-1} of four factors, feature taken out.
template <int M>
inline void rest_pack(Degree<M> m, const TermView &term, const double *a, const Pack &z, Pack &h) {
  Pack sum;
  load(h, a);
  h -= z;
  for (int t = 2; t < m; ++t) {
    load(sum, a + line(term, t));
    h = sum - z * h;
  }
}

// a_t += z a_{t-1}, t = m-1..1: the column joins the rows.
inline void joint_add(const TermView &term, const Slice &column, const double *p, double *cache) {
  for (int ii = 0; ii < column.size; ++ii) {
    double *row = cache + column.index[ii] * cache_width(term);
    for (int s = 0; s < term.stride; s += 4) {
      Pack z, a, b;
      load(z, p + s);
      z *= column.value[ii];
      for (int t = term.degree - 1; t >= 2; --t) {
        load(a, row + line(term, t) + s);
        load(b, row + line(term, t - 1) + s);
        store(row + line(term, t) + s, a + z * b);
      }
      load(a, row + s);
      store(row + s, a + z);
    }
  }
}

// first[s] = sum_i g_i D_is, second[s] = sum_i w_i D_is^2 over the rows of the column, D = x h_{m-1}.
template <int M>
void joint_slopes(const TermView &term, const Slice &column, const double *p, const double *cache, const double *g, const double *w,
                  double *first, double *second) {
  Degree<M> m = degree_of<M>(term.degree);
  for (int s = 0; s < term.stride; s += 4) {
    Pack pj, one = {0, 0, 0, 0}, two = {0, 0, 0, 0};
    load(pj, p + s);
    for (int ii = 0; ii < column.size; ++ii) {
      const int i = column.index[ii];
      const double x = column.value[ii];
      Pack D;
      rest_pack(m, term, cache + i * cache_width(term) + s, x * pj, D);
      D *= x;
      one += g[i] * D;
      two += w[i] * D * D;
    }
    store(first + s, one);
    store(second + s, two);
  }
}

// d[ii] = sum_s u_s D_is.
template <int M>
void joint_direction(const TermView &term, const Slice &column, const double *p, const double *cache, const double *u, double *d) {
  Degree<M> m = degree_of<M>(term.degree);
  for (int ii = 0; ii < column.size; ++ii) {
    const double *row = cache + column.index[ii] * cache_width(term), x = column.value[ii];
    Pack sum = {0, 0, 0, 0};
    for (int s = 0; s < term.stride; s += 4) {
      Pack pj, us, h;
      load(pj, p + s);
      load(us, u + s);
      rest_pack(m, term, row + s, x * pj, h);
      sum += us * h;
    }
    d[ii] = x * total(sum);
  }
}

// a_t += dz h_{t-1} with dz = x step_s.
template <int M>
void joint_shift(const TermView &term, const Slice &column, const double *p, const double *step, double *cache) {
  Degree<M> m = degree_of<M>(term.degree);
  for (int ii = 0; ii < column.size; ++ii) {
    double *row = cache + column.index[ii] * cache_width(term);
    const double x = column.value[ii];
    for (int s = 0; s < term.stride; s += 4) {
      Pack z, dz, a, h;
      load(z, p + s);
      load(dz, step + s);
      z *= x;
      dz *= x;
      load(a, row + s);
      h = a - z;
      store(row + s, a + dz);
      for (int t = 2; t < m; ++t) {
        load(a, row + line(term, t) + s);
        store(row + line(term, t) + s, a + dz * h);
        h = a - z * h;
      }
    }
  }
}

inline JointKernel joints(int degree) {
  return with_degree<2, kMostKnown>(degree, [](auto m) -> JointKernel {
    return {joint_add, joint_slopes<m.known>, joint_direction<m.known>, joint_shift<m.known>};
  });
}

}  // namespace HOFM_ISA
}  // namespace hofm
