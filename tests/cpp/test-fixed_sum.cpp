// Sums of multiples of a power of two against long doubles, and in every order.
#include <algorithm>
#include <limits>
#include <vector>

#include "check.h"
#include "hofm/base/fixed_sum.h"
#include "hofm/base/random.h"

int main() {
  hofm::Random random(4);
  std::vector<std::vector<double>> parts(50, std::vector<double>(7));
  for (std::vector<double> &part : parts)
    for (double &v : part) v = (double(random.below(2000001)) - 1e6) * std::ldexp(1.0, int(random.below(20)) - 20);
  std::vector<long double> slow(7, 0.0L);
  for (const std::vector<double> &part : parts)
    for (int q = 0; q < 7; ++q) slow[q] += part[q];

  hofm::FixedSum forwards(-25, 7), left(-25, 7), right(-25, 7);
  for (const std::vector<double> &part : parts) forwards.add(part.data(), 7);
  for (std::size_t p = parts.size(); p-- > 0;) (p % 3 ? left : right).add(parts[p].data(), 7);
  right.add(left);
  CHECK(!forwards.overflow && !right.overflow);
  CHECK(forwards.total == right.total);
  for (int q = 0; q < 7; ++q) CHECK(std::fabs(double(slow[q]) - forwards.value(q)) <= 50 * std::ldexp(0.5, -25));

  // A number too large, or none at all, is told.
  for (double bad : {std::ldexp(1.0, 26), -std::ldexp(1.0, 60), HUGE_VAL, std::numeric_limits<double>::quiet_NaN()}) {
    hofm::FixedSum sum(-25, 1);
    sum.add(&bad, 1);
    CHECK(sum.overflow);
  }
  const double most = std::ldexp(1.0, 26) - 1;
  hofm::FixedSum full(-25, 1);
  for (int p = 0; p < hofm::FixedSum::kMostAdded - 1; ++p) full.add(&most, 1);
  CHECK(!full.overflow);
  CHECK(full.value(0) == most * (hofm::FixedSum::kMostAdded - 1));
  CHECK(hofm::exponent_for(8.0, 41) == 3 - 41);
  CHECK(hofm::exponent_for(0.0, 41) == -41);
  return report();
}
