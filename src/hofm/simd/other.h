// The other kernels on one sparse row, vectorised over factors; included after simd/forward.h and under the same rules.

namespace hofm {
namespace HOFM_ISA {

// Ones for the factors first..first+3 that exist, zeros for the padding: kernels that are not zero at p = 0 need it.
inline void real_factors(Pack &mask, const TermView &term, int first) {
  for (int l = 0; l < 4; ++l) mask[l] = first + l < term.k ? 1.0 : 0.0;
}

// sum_t theta_t a_t. Fitted by coordinate descent only (theta lives on the simplex), so there is nothing backward.
inline double sums_mix(const TermView &term, const Slice *row, int pieces, double *state, bool more) {
  for (int s = 0; s < term.stride; s += 4)
    forward_unit<Four>(Degree<Dynamic>{term.degree}, term, row, pieces, s, state, more, 0);
  double sum = 0;
  for (int t = 1; t <= term.degree; ++t)
    for (int s = 0; s < term.k; ++s) sum += term.theta[t - 1] * state[line(term, t) + s];
  return sum;
}

inline double products_all_subsets(const TermView &term, const Slice *row, int pieces, double *state, bool more) {
  double sum = 0;
  for (int s = 0; s < term.stride; s += 4) {
    Pack product = {1, 1, 1, 1}, mask;
    if (more) load(product, state + s);
    for_columns(term, row, pieces, [&](std::ptrdiff_t at, double x) {
      Pack p;
      load(p, term.P + at + s);
      product *= 1.0 + x * p;
    });
    real_factors(mask, term, s);
    store(state + s, product);
    sum += total(mask * product);
  }
  return sum;
}

// Products of the features before a feature (in `work`) and behind it: nothing is divided by 1 + p_j x_j. `seed` is the derivative
// of what is wanted in the product, for four factors; it must be zero for padding.
inline void all_subsets_group(const TermView &term, const Slice &row, int s, const Pack &seed, double *G, double *work) {
  Pack before = seed, behind = {1, 1, 1, 1}, p, sum;
  for (int jj = 0; jj < row.size; ++jj) {
    store(work + 4 * std::ptrdiff_t(jj), before);
    load(p, term.P + std::ptrdiff_t(term.first + row.index[jj]) * term.stride + s);
    before *= 1.0 + row.value[jj] * p;
  }
  for (int jj = row.size - 1; jj >= 0; --jj) {
    const std::ptrdiff_t at = std::ptrdiff_t(term.first + row.index[jj]) * term.stride + s;
    load(before, work + 4 * std::ptrdiff_t(jj));
    load(sum, G + at);
    store(G + at, sum + row.value[jj] * before * behind);
    load(p, term.P + at);
    behind *= 1.0 + row.value[jj] * p;
  }
}

inline void backward_all_subsets(const TermView &term, const Slice &row, const double *, double g, double *G, double *work, int first,
                                 int last) {
  for (int s = first; s < last; s += 4) {
    Pack seed;
    real_factors(seed, term, s);
    all_subsets_group(term, row, s, g * seed, G, work);
  }
}

// Inner products of a row with each factor, into out[0..stride-1], or added to what is there.
inline void inner_products(const TermView &term, const Slice *row, int pieces, double *out, bool more) {
  for (int s = 0; s < term.stride; s += 4) {
    Pack z = {0, 0, 0, 0};
    if (more) load(z, out + s);
    for_columns(term, row, pieces, [&](std::ptrdiff_t at, double x) {
      Pack p;
      load(p, term.P + at + s);
      z += x * p;
    });
    store(out + s, z);
  }
}

// G += x times `slope`, factor by factor, for factors first..last-1.
inline void add_rows(const TermView &term, const Slice &row, const double *slope, double *G, int first, int last) {
  for (int s = first; s < last; s += 4) {
    Pack d;
    load(d, slope + s);
    for_columns(term, row, [&](std::ptrdiff_t at, double x) {
      Pack sum;
      load(sum, G + at + s);
      store(G + at + s, sum + x * d);
    });
  }
}

inline double powers_polynomial(const TermView &term, const Slice *row, int pieces, double *state, bool more) {
  inner_products(term, row, pieces, state, more);
  double sum = 0;
  for (int s = 0; s < term.k; ++s) sum += power(state[s], term.degree);
  return sum;
}

inline void backward_polynomial(const TermView &term, const Slice &row, const double *state, double g, double *G, double *work,
                                int first, int last) {
  for (int s = first; s < last; ++s) work[s] = s < term.k ? g * term.degree * power(state[s], term.degree - 1) : 0;
  add_rows(term, row, work, G, first, last);
}

// The columns of a row before the split, and those from it on.
inline Slice side(const TermView &term, const Slice &row, int which) {
  int cut = 0;
  while (cut < row.size && term.first + row.index[cut] < term.split) ++cut;
  return which == 0 ? Slice{row.index, row.value, cut} : Slice{row.index + cut, row.value + cut, row.size - cut};
}

inline double products_bilinear(const TermView &term, const Slice *row, int pieces, double *state, bool more) {
  for (int p = 0; p < pieces; ++p)
    for (int which = 0; which < 2; ++which) {
      const Slice part = side(term, row[p], which);
      inner_products(term, &part, 1, state + which * term.stride, more || p > 0);
    }
  double sum = 0;
  for (int s = 0; s < term.k; ++s) sum += state[s] * state[term.stride + s];
  return sum;
}

inline void backward_bilinear(const TermView &term, const Slice &row, const double *state, double g, double *G, double *work,
                              int first, int last) {
  for (int which = 0; which < 2; ++which) {
    const double *other = state + (1 - which) * term.stride;
    for (int s = first; s < last; ++s) work[s] = g * other[s];
    add_rows(term, side(term, row, which), work, G, first, last);
  }
}

inline RowKernel rows(Kernel kernel, int degree) {
  switch (kernel) {
    case Kernel::anova: return anova_rows(degree);
    case Kernel::mix: return {forward_by<sums_mix>, forward_rows_by<sums_mix>, nullptr};
    case Kernel::all_subsets:
      return {forward_by<products_all_subsets>, forward_rows_by<products_all_subsets>, backward_all_subsets};
    case Kernel::polynomial: return {forward_by<powers_polynomial>, forward_rows_by<powers_polynomial>, backward_polynomial};
    case Kernel::bilinear: return {forward_by<products_bilinear>, forward_rows_by<products_bilinear>, backward_bilinear};
  }
  return {nullptr, nullptr, nullptr};
}

}  // namespace HOFM_ISA
}  // namespace hofm
