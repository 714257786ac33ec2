#include "check.h"
#include "hofm/column_kernel.h"
#include "hofm/kernel_anova.h"
#include "problem.h"

// Four rows at a time against one row at a time, for columns of every length up to two packs and a rest.
template <int M>
void compare(bool weighted, hofm::Random &random) {
  const hofm::ColumnKernel packed = hofm::column_kernel(M, weighted, hofm::Isa::avx2);
  const hofm::Anova<M> kernel{};
  const int width = (M + weighted + 1) / 2 * 2, n = 24;
  for (int size = 0; size <= 11; ++size) {
    const Vector x = uniforms(random, size);
    std::vector<int> index(size);
    for (int ii = 0; ii < size; ++ii) index[ii] = 2 * ii + 1;
    const hofm::Slice column = {index.data(), x.data(), size};
    Vector slots = uniforms(random, std::size_t(n) * width), moved = slots;
    const double p = uniform(random), delta = uniform(random);

    double first = 0, second = 0, f, s;
    for (int ii = 0; ii < size; ++ii) {
      double *a = &moved[std::size_t(index[ii]) * width];
      const double D = x[ii] * kernel.slope(a, p * x[ii]), w = weighted ? a[M] : 1;
      first += w * a[0] * D;
      second += w * D * D;
      a[0] += kernel.shift(a, p * x[ii], delta * x[ii]);
    }
    packed.slopes(column, p, slots.data(), &f, &s);
    CHECK_NEAR(f, first, 1e-13);
    CHECK_NEAR(s, second, 1e-13);
    packed.shift(column, p, delta, slots.data());
    for (std::size_t q = 0; q < slots.size(); ++q) CHECK_NEAR(slots[q], moved[q], 1e-14);
  }
}

int main() {
  hofm::Random random(17);
  for (int degree : {1, 9, 20}) CHECK(!hofm::column_kernel(degree, false));
  for (bool weighted : {false, true}) {
    CHECK(!hofm::column_kernel(3, weighted, hofm::Isa::generic));
    if (!hofm::has_avx2()) continue;
    compare<2>(weighted, random);
    compare<3>(weighted, random);
    compare<4>(weighted, random);
    compare<5>(weighted, random);
    compare<6>(weighted, random);
    compare<7>(weighted, random);
    compare<8>(weighted, random);
  }
  return report();
}
