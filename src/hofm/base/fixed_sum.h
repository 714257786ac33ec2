// Sums that do not depend on who adds what in which order: numbers are rounded to multiples of 2^e, and these are added as 64-bit
// integers, which is exact (Demmel and Nguyen's reproducible sums, with one bin). Costs a nanosecond or so for each number.
#ifndef HOFM_BASE_FIXED_SUM_H
#define HOFM_BASE_FIXED_SUM_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace hofm {

// The sum of some numbers, place by place, as multiples of 2^exponent. A number may be up to 2^51 of these: there is room for 4,096 of
// them in one place.
struct FixedSum {
  static constexpr int kMostAdded = 4096;
  int exponent = 0;
  bool overflow = false;  // one of the numbers was too large, or not finite: nothing else holds then,
  bool finite = true;     // but whether all were finite,
  double most = 0;        // and the largest of those that were too large
  std::vector<std::int64_t> total;

  FixedSum() = default;
  FixedSum(int exponent, std::size_t n) : exponent(exponent), total(n, 0) {}

  // Adds n numbers to the places from `first` on. In the sum of a number below 2^51 and 1.5 * 2^52 the last bits are the number,
  // rounded to an integer. Unsigned, since the bits of a number that is too large may run over.
  void add(const double *x, std::size_t n, std::size_t first = 0) {
    const double scale = std::ldexp(1.0, -exponent), shift = 0x1.8p52;
    std::uint64_t zero;
    std::memcpy(&zero, &shift, sizeof zero);
    bool sound = true;
    for (std::size_t q = 0; q < n; ++q) {
      const double scaled = x[q] * scale, shifted = scaled + shift;
      std::uint64_t bits;
      std::memcpy(&bits, &shifted, sizeof bits);
      sound &= std::fabs(scaled) < 0x1p51;
      total[first + q] = std::int64_t(std::uint64_t(total[first + q]) + (bits - zero));
    }
    if (!sound) look(x, n);
  }

  // Both must have the same exponent.
  void add(const FixedSum &other) {
    overflow = overflow || other.overflow;
    finite = finite && other.finite;
    most = std::max(most, other.most);
    for (std::size_t q = 0; q < total.size(); ++q)
      total[q] = std::int64_t(std::uint64_t(total[q]) + std::uint64_t(other.total[q]));
  }

  double value(std::size_t q) const { return std::ldexp(double(total[q]), exponent); }

  double largest() const {
    std::int64_t most_units = 0;
    for (std::int64_t t : total) most_units = std::max(most_units, t < 0 ? -t : t);
    return std::ldexp(double(most_units), exponent);
  }

  // An exponent under which the numbers that were too large are not.
  int enough() const { return std::ilogb(most) - 49; }

 private:
  void look(const double *x, std::size_t n) {
    overflow = true;
    for (std::size_t q = 0; q < n; ++q) {
      if (std::isfinite(x[q])) most = std::max(most, std::fabs(x[q]));
      else finite = false;
    }
  }
};

// The exponent for sums whose largest is about `size`, of which `bits` binary digits are wanted.
inline int exponent_for(double size, int bits) { return size > 0 && std::isfinite(size) ? std::ilogb(size) - bits : -bits; }

}  // namespace hofm
#endif
