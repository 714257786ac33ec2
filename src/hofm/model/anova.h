// The ANOVA kernel A^m(p, x) of one factor and one sample: eq. (5), the sum of prod_{j in J} p_j x_j over all sets J of m
// distinct features. All functions work on z_j = p_j x_j, of which the kernel is the m-th elementary symmetric polynomial.
#ifndef HOFM_MODEL_ANOVA_H
#define HOFM_MODEL_ANOVA_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "hofm/base/monitor.h"

namespace hofm {

// A degree that the compiler may or may not know.
constexpr int Dynamic = -1, kMaxOrder = 20;
template <int M>
struct Degree {
  static constexpr int known = M;
  constexpr operator int() const { return M; }
};
template <>
struct Degree<Dynamic> {
  static constexpr int known = Dynamic;
  int m;
  operator int() const { return m; }
};

template <int M>
inline Degree<M> degree_of(int m) {
  if constexpr (M == Dynamic) return {m};
  else return {};
}

// f(Degree<m>{}) with a degree that the compiler knows, for m = First..Last, and with a dynamic one else. What needs a degree is then as
// fast as if it had been written for it: several times faster than with loops of unknown length. Each degree has its code, so
// that what is compiled for every loss stops earlier.
template <int First, int Last, class F>
inline auto with_degree(int m, const F &f) {
  if constexpr (First > Last) return f(Degree<Dynamic>{m});
  else return m == First ? f(Degree<First>{}) : with_degree<First + 1, Last>(m, f);
}

namespace anova {

// Adding a feature: a_t = A^t of the features so far, t = 0..m, a_0 = 1. Eq. (8). O(m).
inline void add(double *a, int m, double z) {
  for (int t = m; t >= 1; --t) a[t] += z * a[t - 1];
}

// Taking a feature out: eq. (7) solved for the others, h_t = A^t without the feature, t = 0..m-1. O(m). Subtraction loses
// digits where |z| dwarfs the other features: see removal_error().
inline void remove(const double *a, int m, double z, double *h) {
  h[0] = 1;
  for (int t = 1; t < m; ++t) h[t] = a[t] - z * h[t - 1];
}

// Rounding error of remove() in h_{m-1} is at most about eps * sum_u |z|^u |a_{m-1-u}|; `size` stands for |z|.
inline double removal_error(const double *a, int m, double size) {
  double bound = 1;
  for (int t = 1; t < m; ++t) bound = std::fabs(a[t]) + size * bound;
  return std::numeric_limits<double>::epsilon() * bound;
}

// The digits asked of a derivative by removal; below that the kernel is built again from the row.
constexpr double kRemovalTolerance = 1e-9;

// The worst error of taking any feature out of a row: |z_j| <= sqrt(sum z^2), and sum z^2 = a_1^2 - 2 a_2. Degrees 1 and 2 are
// safe beside other rows: h_1 = a_1 - z is as good as a_1. Beside nothing at all they need not be, see Anova::loses().
inline double doubt(const double *a, int m) {
  return m <= 2 ? 0 : removal_error(a, m, std::sqrt(std::fmax(0, a[1] * a[1] - 2 * a[2])));
}

// A bound of doubt() for many rows at once, without a root for each: `most` starts as m zeros and is widened by every row.
inline void widen(const double *a, int m, double *most) {
  most[0] = std::max(most[0], a[1] * a[1] - 2 * a[2]);
  for (int t = 1; t < m; ++t) most[t] = std::max(most[t], std::fabs(a[t]));
}
// Whether none of them can be in doubt.
inline bool trusts(const double *most, int m) {
  return m <= 2 || removal_error(most, m, std::sqrt(most[0])) <= kRemovalTolerance * most[m - 1];
}

// The four below are for single samples of any length and degree: `monitor` is asked after each of their inner loops.

// Algorithm 1: one column of the DP table at a time. O(dm) time, O(m) memory.
inline double value(const double *z, int d, int m, Monitor &monitor) {
  std::vector<double> a(std::size_t(m) + 1, 0.0);
  a[0] = 1;
  for (int j = 0; j < d; ++j) {
    add(a.data(), m, z[j]);
    monitor.poll(m);
  }
  return a[m];
}

// Algorithm 2: out[j] = dA^m / dz_j from the whole table a_{j,t} and the adjoints of eq. (9). O(dm) time and memory, no
// subtraction. The derivative in p_j is out[j] * x_j.
inline void gradient(const double *z, int d, int m, double *out, Monitor &monitor) {
  std::vector<double> table((std::size_t(d) + 1) * (m + 1), 0.0);
  table[0] = 1;
  for (int j = 0; j < d; ++j) {
    const double *before = &table[std::size_t(j) * (m + 1)];
    double *after = &table[(std::size_t(j) + 1) * (m + 1)];
    after[0] = 1;
    for (int t = 1; t <= m; ++t) after[t] = before[t] + z[j] * before[t - 1];
    monitor.poll(m);
  }
  std::vector<double> adjoint(std::size_t(m) + 2, 0.0);  // of a_{j,t}, for the current j
  adjoint[m] = 1;
  for (int j = d; j >= 1; --j) {
    const double *before = &table[(std::size_t(j) - 1) * (m + 1)];
    double sum = 0;
    for (int t = 1; t <= m; ++t) sum += adjoint[t] * before[t - 1];
    out[j - 1] = sum;
    for (int t = 1; t <= m; ++t) adjoint[t] += adjoint[t + 1] * z[j - 1];
    monitor.poll(m);
  }
}

// Power sums D^t = sum_j z_j^t, t = 1..m, and the kernels a_0..a_m by eq. (11). O(dm + m^2).
inline void power_sums(const double *z, int d, int m, std::vector<double> &sums, std::vector<double> &a, Monitor &monitor) {
  sums.assign(std::size_t(m) + 1, 0.0);
  for (int j = 0; j < d; ++j) {
    double power = 1;
    for (int t = 1; t <= m; ++t) sums[t] += (power *= z[j]);
    monitor.poll(m);
  }
  a.assign(std::size_t(m) + 1, 0.0);
  a[0] = 1;
  for (int u = 1; u <= m; ++u) {
    double sum = 0;
    for (int t = 1; t <= u; ++t) sum += (t % 2 ? 1 : -1) * a[u - t] * sums[t];
    a[u] = sum / u;
    monitor.poll(u);
  }
}

inline double value_power_sums(const double *z, int d, int m, Monitor &monitor) {
  std::vector<double> sums, a;
  power_sums(z, d, m, sums, a, monitor);
  return a[m];
}

// Reverse mode on eq. (11) (the paper's appendix C): adjoints of a_t, then of D^t, then of z. O(dm + m^2).
inline void gradient_power_sums(const double *z, int d, int m, double *out, Monitor &monitor) {
  std::vector<double> sums, a;
  power_sums(z, d, m, sums, a, monitor);
  std::vector<double> a_adj(std::size_t(m) + 1, 0.0), sums_adj(std::size_t(m) + 1, 0.0);
  a_adj[m] = 1;
  for (int t = m - 1; t >= 1; --t) {
    for (int s = t + 1; s <= m; ++s) a_adj[t] += ((s - t) % 2 ? 1.0 : -1.0) / s * a_adj[s] * sums[s - t];
    monitor.poll(m);
  }
  for (int t = 1; t <= m; ++t) {
    for (int s = t; s <= m; ++s) sums_adj[t] += a_adj[s] * a[s - t] / s;
    if (t % 2 == 0) sums_adj[t] = -sums_adj[t];
  }
  for (int j = 0; j < d; ++j) {
    double power = 1;
    out[j] = 0;
    for (int t = 1; t <= m; ++t) {
      out[j] += sums_adj[t] * t * power;
      power *= z[j];
    }
    monitor.poll(m);
  }
}

}  // namespace anova

// How coordinate descent sees a kernel: one factor, and a few sums kept per row, or per node of a sample that is made of several. Sums live
// at a[1], a[2], ...; z is p_j x_ij of the feature at hand.
//   size()          how many sums
//   begin(a)        the record without any feature     add(a, z)     one feature more
//   affine          whether the kernel is affine in z, so that a change is slope times step
//   at(j)           column j comes next (only the bilinear kernel minds)
// When a feature can be taken out of the sums (solve/removal.h):
//   doubt(a)        the worst error of slope() over the features of the record, scale(a) the size of a slope: a record whose doubt is
//                   too large beside the largest scale of all is a suspect, and loses(a, z) says which features of it to rebuild
//   trusts(n, sums) whether none of n records, sums(i) theirs, can be in doubt: a cheaper question than asking doubt() of each
// Of rows:
//   slope(a, z)     derivative of the kernel in z      shift(a, z, dz)  z becomes z + dz; returns the kernel's change
// Of nodes (`Node`), which keep all sums E_1..E_L that others can meet; those of no feature are the identity of combine():
//   h(a, z, out)          dE_u/dz, u = 1..L, at out[0], out[1], ...
//   combine(a, b, out)    the sums of two nodes' features together
//   partner(rest, F)      the kernel is sum_u E_u F_u + const: F_1..F_L at F[0], ..., from the sums of all other nodes of the sample
//   value(all)            the kernel, from the sums of all features of a sample
//   capacity              the largest L

// The part of the policy that is the same for kernels whose slope() subtracts nothing.
struct NeverInDoubt {
  template <class Sums>
  bool trusts(int, const Sums &) const {
    return true;
  }
  double doubt(const double *) const { return 0; }
  double scale(const double *) const { return 1; }
  bool loses(const double *, double) const { return false; }
};

// And for those that are one product over the nodes of a sample.
struct ProductOfNodes {
  static constexpr int capacity = 1;
  void combine(const double *a, const double *b, double *out) const { out[1] = a[1] * b[1]; }
  void partner(const double *rest, double *F) const { F[0] = rest[1]; }
  double value(const double *all) const { return all[1]; }
};

// A row keeps a_1..a_{m-1}, a node a_m as well.
template <int M, bool Node = false>
struct Anova {
  static constexpr bool affine = true;
  static constexpr int capacity = M == Dynamic ? kMaxOrder : M;
  Degree<M> m;

  void at(int) {}
  int size() const { return m - 1 + Node; }
  void begin(double *a) const {
    for (int t = 1; t <= size(); ++t) a[t] = 0;
  }
  void add(double *a, double z) const {
    for (int t = size(); t >= 2; --t) a[t] += z * a[t - 1];
    if (size() > 0) a[1] += z;
  }
  double doubt(const double *a) const { return anova::doubt(a, m); }
  double scale(const double *a) const { return m > 1 ? std::fabs(a[m - 1]) : 1; }
  // Also at degree 2: in a row with one feature h_1 is zero, or a rounding error where a multiplication is fused with the subtraction.
  bool loses(const double *a, double z) const {
    if (m < 2) return false;
    return anova::removal_error(a, m, std::fabs(z)) > anova::kRemovalTolerance * std::fabs(last_h(a, z));
  }
  template <class Sums>
  bool trusts(int n, const Sums &sums) const {
    if (m <= 2) return true;
    std::vector<double> most(m, 0.0);
    for (int i = 0; i < n; ++i) anova::widen(sums(i), m, most.data());
    return anova::trusts(most.data(), m);
  }

  double slope(const double *a, double z) const { return last_h(a, z); }
  double change(const double *a, double z, double dz) const { return dz * slope(a, z); }
  double shift(double *a, double z, double dz) const {  // a_t += dz h_{t-1}
    if constexpr (M == 1) return dz;
    double h = a[1] - z;
    a[1] += dz;
    for (int t = 2; t < m; ++t) {
      const double next = a[t] - z * h;
      a[t] += dz * h;
      h = next;
    }
    return dz * h;
  }

  void h(const double *a, double z, double *out) const { anova::remove(a, m, z, out); }
  void combine(const double *a, const double *b, double *out) const {  // A^t = sum_u A^u of one times A^{t-u} of the other
    for (int t = m; t >= 1; --t) {
      double sum = a[t] + b[t];
      for (int u = 1; u < t; ++u) sum += a[u] * b[t - u];
      out[t] = sum;
    }
  }
  void partner(const double *rest, double *F) const {
    for (int u = 1; u < m; ++u) F[u - 1] = rest[m - u];
    F[m - 1] = 1;
  }
  double value(const double *all) const { return all[m]; }

 private:
  double last_h(const double *a, double z) const {  // h_{m-1}
    if constexpr (M == 1) return 1;
    double h = a[1] - z;
    for (int t = 2; t < m; ++t) h = a[t] - z * h;
    return h;
  }
};

// The inhomogeneous kernel of eq. (13), sum_t theta_t A^t: the same sums, another reading of them.
template <bool Node>
struct AnovaMix : Anova<Dynamic, Node> {
  using Anova<Dynamic, Node>::m;
  const double *theta;  // theta_1..theta_m at 0..m-1

  AnovaMix(int degree, const double *weights) : Anova<Dynamic, Node>{{degree}}, theta(weights) {}

  double slope(const double *a, double z) const {  // sum_t theta_t h_{t-1}
    double h = 1, sum = theta[0];
    for (int t = 1; t < m; ++t) {
      h = a[t] - z * h;
      sum += theta[t] * h;
    }
    return sum;
  }
  double change(const double *a, double z, double dz) const { return dz * slope(a, z); }
  double shift(double *a, double z, double dz) const {
    const double moved = change(a, z, dz);
    Anova<Dynamic, Node>::shift(a, z, dz);
    return moved;
  }
  void partner(const double *rest, double *F) const {
    for (int u = 0; u < m; ++u) {
      F[u] = theta[u];
      for (int v = 1; u + v < m; ++v) F[u] += theta[u + v] * rest[v];
    }
  }
  double value(const double *all) const {
    double sum = 0;
    for (int t = 1; t <= m; ++t) sum += theta[t - 1] * all[t];
    return sum;
  }
};

}  // namespace hofm
#endif
