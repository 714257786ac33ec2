// The column kernels of simd/column_interface.h for AVX2. Slots are loaded two doubles at a time and turned, so that a vector holds the
// same number of four rows; rows of a column are distinct, so none of the four can meet another's update. Included by the source
// file that is compiled for AVX2, after the standard headers (see simd/pack.h).

namespace hofm {
namespace avx2 {

template <int M, bool Weighted>
struct Slots {
  static constexpr int used = M + Weighted, width = (used + 1) / 2 * 2;
  __m256d column[width];

  // The slots of rows i[0..3].
  void load(const double *slots, const int *i) {
    const double *r0 = at(slots, i[0]), *r1 = at(slots, i[1]), *r2 = at(slots, i[2]), *r3 = at(slots, i[3]);
    for (int c = 0; c < width; c += 2) {
      const __m256d even = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(r0 + c)), _mm_loadu_pd(r2 + c), 1);
      const __m256d odd = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(r1 + c)), _mm_loadu_pd(r3 + c), 1);
      column[c] = _mm256_unpacklo_pd(even, odd);
      column[c + 1] = _mm256_unpackhi_pd(even, odd);
    }
  }
  void store(double *slots, const int *i) const {
    double *r0 = at(slots, i[0]), *r1 = at(slots, i[1]), *r2 = at(slots, i[2]), *r3 = at(slots, i[3]);
    for (int c = 0; c < width; c += 2) {
      const __m256d even = _mm256_unpacklo_pd(column[c], column[c + 1]), odd = _mm256_unpackhi_pd(column[c], column[c + 1]);
      _mm_storeu_pd(r0 + c, _mm256_castpd256_pd128(even));
      _mm_storeu_pd(r1 + c, _mm256_castpd256_pd128(odd));
      _mm_storeu_pd(r2 + c, _mm256_extractf128_pd(even, 1));
      _mm_storeu_pd(r3 + c, _mm256_extractf128_pd(odd, 1));
    }
  }
  static const double *at(const double *slots, int i) { return slots + std::ptrdiff_t(i) * width; }
  static double *at(double *slots, int i) { return slots + std::ptrdiff_t(i) * width; }
};

template <int M, bool Weighted>
void column_add(const Slice &column, double p, double *slots) {
  if (M == 1) return;
  const __m256d ps = _mm256_set1_pd(p);
  Slots<M, Weighted> s;
  int ii = 0;
  for (; ii + 4 <= column.size; ii += 4) {
    s.load(slots, column.index + ii);
    const __m256d z = _mm256_mul_pd(ps, _mm256_loadu_pd(column.value + ii));
    for (int t = M - 1; t >= 2; --t) s.column[t] = _mm256_fmadd_pd(z, s.column[t - 1], s.column[t]);
    s.column[1] = _mm256_add_pd(s.column[1], z);
    s.store(slots, column.index + ii);
  }
  for (; ii < column.size; ++ii) Anova<M>{}.add(Slots<M, Weighted>::at(slots, column.index[ii]), p * column.value[ii]);
}

// The last rows may come twice: a maximum does not mind. A sum that is no number counts as little as in anova::widen().
template <int M, bool Weighted>
void rows_widen(const double *slots, int n, double *most) {
  const __m256d sign = _mm256_set1_pd(-0.0);
  __m256d largest[M];
  for (int t = 0; t < M; ++t) largest[t] = _mm256_set1_pd(most[t]);
  Slots<M, Weighted> s;
  for (int i = 0; i < n; i += 4) {
    const int last = n - 1, rows[] = {i, i + 1 < last ? i + 1 : last, i + 2 < last ? i + 2 : last, i + 3 < last ? i + 3 : last};
    s.load(slots, rows);
    if (M > 2) largest[0] = _mm256_max_pd(_mm256_fmsub_pd(s.column[1], s.column[1], _mm256_add_pd(s.column[2], s.column[2])), largest[0]);
    for (int t = 1; t < M; ++t) largest[t] = _mm256_max_pd(_mm256_andnot_pd(sign, s.column[t]), largest[t]);
  }
  for (int t = 0; t < M; ++t)
    for (int l = 0; l < 4; ++l)
      if (most[t] < largest[t][l]) most[t] = largest[t][l];
}

template <int M, bool Weighted>
void column_slopes(const Slice &column, double p, const double *slots, double *first, double *second) {
  const __m256d ps = _mm256_set1_pd(p);
  __m256d firsts = _mm256_setzero_pd(), seconds = _mm256_setzero_pd();
  Slots<M, Weighted> s;
  int ii = 0;
  for (; ii + 4 <= column.size; ii += 4) {
    s.load(slots, column.index + ii);
    const __m256d x = _mm256_loadu_pd(column.value + ii), z = _mm256_mul_pd(ps, x);
    __m256d h = M > 1 ? _mm256_sub_pd(s.column[1], z) : _mm256_set1_pd(1);
    for (int t = 2; t < M; ++t) h = _mm256_fnmadd_pd(z, h, s.column[t]);
    const __m256d D = _mm256_mul_pd(x, h), wD = Weighted ? _mm256_mul_pd(s.column[M], D) : D;
    firsts = _mm256_fmadd_pd(s.column[0], wD, firsts);
    seconds = _mm256_fmadd_pd(D, wD, seconds);
  }
  double sums[2][4];
  _mm256_storeu_pd(sums[0], firsts);
  _mm256_storeu_pd(sums[1], seconds);
  for (; ii < column.size; ++ii) {
    const double *a = Slots<M, Weighted>::at(slots, column.index[ii]), x = column.value[ii];
    const double D = x * Anova<M>{}.slope(a, p * x), wD = Weighted ? a[M] * D : D;
    sums[0][0] += a[0] * wD;
    sums[1][0] += D * wD;
  }
  *first = (sums[0][0] + sums[0][1]) + (sums[0][2] + sums[0][3]);
  *second = (sums[1][0] + sums[1][1]) + (sums[1][2] + sums[1][3]);
}

template <int M, bool Weighted>
void column_shift(const Slice &column, double p, double delta, double *slots) {
  const __m256d ps = _mm256_set1_pd(p), deltas = _mm256_set1_pd(delta);
  Slots<M, Weighted> s;
  int ii = 0;
  for (; ii + 4 <= column.size; ii += 4) {
    s.load(slots, column.index + ii);
    const __m256d x = _mm256_loadu_pd(column.value + ii), z = _mm256_mul_pd(ps, x), dz = _mm256_mul_pd(deltas, x);
    __m256d h = M > 1 ? _mm256_sub_pd(s.column[1], z) : _mm256_set1_pd(1);
    if (M > 1) s.column[1] = _mm256_add_pd(s.column[1], dz);
    for (int t = 2; t < M; ++t) {
      const __m256d next = _mm256_fnmadd_pd(z, h, s.column[t]);
      s.column[t] = _mm256_fmadd_pd(dz, h, s.column[t]);
      h = next;
    }
    s.column[0] = _mm256_fmadd_pd(dz, h, s.column[0]);
    s.store(slots, column.index + ii);
  }
  for (; ii < column.size; ++ii) {
    double *a = Slots<M, Weighted>::at(slots, column.index[ii]);
    a[0] += Anova<M>{}.shift(a, p * column.value[ii], delta * column.value[ii]);
  }
}

template <bool Weighted>
inline ColumnKernel columns_of(int degree) {
  return with_degree<1, 8>(degree, [](auto m) -> ColumnKernel {
    if constexpr (m.known == Dynamic) return {};
    else return {column_add<m.known, Weighted>, rows_widen<m.known, Weighted>, column_slopes<m.known, Weighted>,
                 column_shift<m.known, Weighted>};
  });
}

inline ColumnKernel columns(int degree, bool weighted) { return weighted ? columns_of<true>(degree) : columns_of<false>(degree); }

}  // namespace avx2
}  // namespace hofm
