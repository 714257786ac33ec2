// Factors side by side: packs that are one register, and units of packs that are worked on together. Included first by each source file
// that is compiled for an instruction set, which defines HOFM_ISA; nothing here or in the files after it may use the standard library's
// templates, whose instances would then be compiled for that instruction set and shared with the rest of the program.
//
// A unit of eight factors is two packs of four or, with HOFM_WIDE, one register of eight. Sums over factors are taken eight at a time and
// in the same order either way, so that wide registers do not change a bit.

namespace hofm {
namespace HOFM_ISA {

typedef double Pack __attribute__((vector_size(32)));
typedef double PackAt __attribute__((vector_size(32), aligned(8), may_alias));  // a Pack at any double's address

inline void load(Pack &v, const double *p) { v = *reinterpret_cast<const PackAt *>(p); }
inline void store(double *p, const Pack &v) { *reinterpret_cast<PackAt *>(p) = v; }
inline double total(const Pack &v) { return (v[0] + v[1]) + (v[2] + v[3]); }

// A single number, for the linear term, which has one factor.
inline void load(double &v, const double *p) { v = *p; }
inline void store(double *p, double v) { *p = v; }

#ifdef HOFM_WIDE
typedef double Wide __attribute__((vector_size(64)));
typedef double WideAt __attribute__((vector_size(64), aligned(8), may_alias));

inline void load(Wide &v, const double *p) { v = *reinterpret_cast<const WideAt *>(p); }
inline void store(double *p, const Wide &v) { *reinterpret_cast<WideAt *>(p) = v; }
inline double total(const Wide &v) { return total(Pack{v[0] + v[4], v[1] + v[5], v[2] + v[6], v[3] + v[7]}); }
#endif

// f(q) for q = 0..N-1, N = 1, 2 or 4, written out: a loop would keep its packs in memory.
template <int N, class F>
inline __attribute__((always_inline)) void each(const F &f) {
  f(0);
  if constexpr (N >= 2) f(1);
  if constexpr (N == 4) {
    f(2);
    f(3);
  }
}

template <class V, int N>
struct Unit {
  static constexpr int packs = N, lanes = int(sizeof(V) / sizeof(double)), width = N * lanes;
  V v[N];

  void from(const double *p) {
    each<N>([&](int q) __attribute__((always_inline)) { load(v[q], p + q * lanes); });
  }
  void to(double *p) const {
    each<N>([&](int q) __attribute__((always_inline)) { store(p + q * lanes, v[q]); });
  }
  void fill(double x) {
    each<N>([&](int q) __attribute__((always_inline)) { v[q] = V{} + x; });
  }
};

using One = Unit<double, 1>;
using Four = Unit<Pack, 1>;
#ifdef HOFM_WIDE
using Eight = Unit<Wide, 1>;
using Many = Unit<Wide, 4>;
constexpr int kMostOfMany = 6;  // the degrees whose a_1..a_m of Many factors fit into the registers
#else
using Eight = Unit<Pack, 2>;
using Many = Unit<Pack, 4>;
constexpr int kMostOfMany = 3;
#endif

// `sum` and all factors of a unit, eight at a time.
template <class V, int N>
inline double add_up(double sum, const Unit<V, N> &u) {
  if constexpr (Unit<V, N>::lanes == 4 && N >= 2)
    for (int q = 0; q < N; q += 2) sum += total(u.v[q] + u.v[q + 1]);
  else
    for (int q = 0; q < N; ++q) sum += total(u.v[q]);
  return sum;
}

// The sum over all factors of what comes in units.
struct UnitSum {
  Eight eights;
  Four fours;

  UnitSum() {
    eights.fill(0);
    fours.fill(0);
  }
  // += u w
  void add(const Eight &u, const Eight &w) {
    each<Eight::packs>([&](int q) __attribute__((always_inline)) { eights.v[q] += u.v[q] * w.v[q]; });
  }
  void add(const Four &u, const Four &w) { fours.v[0] += u.v[0] * w.v[0]; }
  void add(const Eight &u) {
    each<Eight::packs>([&](int q) __attribute__((always_inline)) { eights.v[q] += u.v[q]; });
  }
  void add(const Four &u) { fours.v[0] += u.v[0]; }

  double all() const { return add_up(add_up(0, eights), fours); }
};

// body(unit, s) for units of eight factors from s on, and one of four at the end if there are four left. What is in the unit is the
// body's to fill.
template <class Body>
inline __attribute__((always_inline)) void for_units(int first, int last, const Body &body) {
  int s = first;
  for (; s + 8 <= last; s += 8) body(Eight(), s);
  if (s < last) body(Four(), s);
}

}  // namespace HOFM_ISA
}  // namespace hofm
