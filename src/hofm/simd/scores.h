// Scores of pairs of nodes from their tables (links/scores.h): a product of matrices, a panel of eight nodes of A at a time. Included
// after simd/pack.h and under its rules.

namespace hofm {
namespace HOFM_ISA {

static_assert(Eight::width == kLanes, "a panel is a unit");

// Scores of a panel with N nodes of B. Every score is the same chain of multiply-adds wherever it stands, so that pairs with the same
// features have the same score to the last bit: they are ties, and must count as such.
template <int N>
inline __attribute__((always_inline)) void score_panel(const double *u, const double *alpha, const double *v, const double *beta,
                                                      int width, double *out, std::ptrdiff_t column) {
  Eight sum[N], own;
  for (int c = 0; c < N; ++c) sum[c].fill(0);
  for (std::ptrdiff_t q = 0; q < width; ++q) {
    own.from(u + q * Eight::width);
    for (int c = 0; c < N; ++c) {
      const double x = v[c * std::ptrdiff_t(width) + q];
      each<Eight::packs>([&](int p) __attribute__((always_inline)) { sum[c].v[p] += own.v[p] * x; });
    }
  }
  own.from(alpha);
  for (int c = 0; c < N; ++c) {
    each<Eight::packs>([&](int p) __attribute__((always_inline)) { sum[c].v[p] = sum[c].v[p] + own.v[p] + beta[c]; });
    sum[c].to(out + c * column);
  }
}

// As many nodes of B at a time as have room in the registers.
inline void score_panels(const double *u, const double *alpha, int panels, const double *v, const double *beta, int columns, int width,
                         double *out, std::ptrdiff_t column) {
  constexpr int kColumns = HOFM_SCORE_COLUMNS;
  const auto score = [=](auto n, int j) __attribute__((always_inline)) {
    for (int p = 0; p < panels; ++p)
      score_panel<n.known>(u + std::ptrdiff_t(p) * Eight::width * width, alpha + p * Eight::width, v + std::ptrdiff_t(j) * width,
                           beta + j, width, out + j * column + p * Eight::width, column);
  };
  int j = 0;
  for (; j + kColumns <= columns; j += kColumns) score(Degree<kColumns>{}, j);
  for (; j < columns; ++j) score(Degree<1>{}, j);
}

}  // namespace HOFM_ISA
}  // namespace hofm
