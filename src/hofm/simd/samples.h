// What coordinate descent over nodes (solve/cd_nodes.h) needs of their samples: each adds to its node's c and G, and follows when
// the node has moved. Vectorised over F_1..F_L of a sample. Included after simd/feature_nodes.h, under the same rules.

namespace hofm {
namespace HOFM_ISA {

inline const double *met(const SampleView &samples, int q) { return samples.F + std::ptrdiff_t(samples.partner[q]) * samples.width; }

// c += g F and G += w F F', G by rows of whole packs.
template <int M, int Packs>
inline __attribute__((always_inline)) void add_sample(Degree<M> L, const double *F, double g, double w, Pack *c, Pack (*G)[Packs]) {
  const int packs = (L + 3) / 4;
  for (int q = 0; q < packs; ++q) {
    Pack part;
    load(part, F + 4 * q);
    c[q] += g * part;
    part *= w;
    for (int u = 0; u < L; ++u) G[u][q] += F[u] * part;
  }
}

// The sums of one node as c_1..c_L, G_11..G_LL; of G the upper half counts, so that it is the same both ways.
template <int M, int Packs>
inline void write_sums(Degree<M> L, const Pack *c, const Pack (*G)[Packs], double *out) {
  for (int u = 0; u < L; ++u) out[u] = c[u / 4][u % 4];
  for (int u = 0; u < L; ++u)
    for (int v = u; v < L; ++v) out[L + u * L + v] = out[L + v * L + u] = G[u][v / 4][v % 4];
}

// Few sums would wait for each other's additions: samples then go two ways, which meet at the end.
template <int M>
void collect_samples(const SampleView &samples, const double *g, const double *w, int first, int last, double *sums,
                     std::ptrdiff_t apart) {
  constexpr int kRows = M == Dynamic ? kMaxOrder : M, kPacks = (kRows + 3) / 4, kWays = M != Dynamic && M <= 3 ? 2 : 1;
  Degree<M> L = degree_of<M>(samples.size);
  for (int i = first; i < last; ++i) {
    Pack c[kWays][kPacks], G[kWays][kRows][kPacks];
    for (int way = 0; way < kWays; ++way)
      for (int q = 0; q < (L + 3) / 4; ++q) {
        c[way][q] = Pack{0, 0, 0, 0};
        for (int u = 0; u < L; ++u) G[way][u][q] = Pack{0, 0, 0, 0};
      }
    int q = samples.start[i];
    const int end = samples.start[i + 1];
    for (; q + kWays <= end; q += kWays)
      for (int way = 0; way < kWays; ++way)
        add_sample(L, met(samples, q + way), g[samples.sample[q + way]], w[q + way], c[way], G[way]);
    if (q < end) add_sample(L, met(samples, q), g[samples.sample[q]], w[q], c[0], G[0]);
    if (kWays == 2) {
      c[0][0] += c[kWays - 1][0];
      for (int u = 0; u < L; ++u) G[0][u][0] += G[kWays - 1][u][0];
    }
    write_sums(L, c[0], G[0], sums + i * apart);
  }
}

// f += <moved of the node, F of the sample>.
template <int M>
void follow_samples(const SampleView &samples, const double *moved, int first, int last, double *f) {
  Degree<M> L = degree_of<M>(samples.size);
  for (int i = first; i < last; ++i) {
    const double *by = moved + std::ptrdiff_t(i) * samples.width;
    for (int q = samples.start[i]; q < samples.start[i + 1]; ++q) {
      const double *F = met(samples, q);
      double &to = f[samples.sample[q]];
      if (M != Dynamic && M <= 3) {
        double sum = by[0] * F[0];
        for (int u = 1; u < L; ++u) sum += by[u] * F[u];
        to += sum;
      } else {
        Pack sum = {0, 0, 0, 0}, a, b;
        for (int p = 0; p < (L + 3) / 4; ++p) {
          load(a, by + 4 * p);
          load(b, F + 4 * p);
          sum += a * b;
        }
        to += total(sum);
      }
    }
  }
}

inline SampleKernel samples(int L) {
  return with_degree<1, kMostKnown>(L, [](auto m) -> SampleKernel { return {collect_samples<m.known>, follow_samples<m.known>}; });
}

}  // namespace HOFM_ISA
}  // namespace hofm
