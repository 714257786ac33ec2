#include "check.h"
#include "hofm/model/anova.h"
#include "hofm/simd/kernels.h"
#include "problem.h"

// Four rows at a time against one row at a time, for columns of every length up to two packs and a rest.
template <int M>
void compare(hofm::Isa isa, bool weighted, hofm::Random &random) {
  const hofm::ColumnKernel packed = hofm::kernels(isa).columns(M, weighted);
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
    Vector joined = slots, packed_joined = slots, most(M, 0.0), packed_most(M, 0.0);
    for (int ii = 0; ii < size; ++ii) kernel.add(&joined[std::size_t(index[ii]) * width], p * x[ii]);
    packed.add(column, p, packed_joined.data());
    for (std::size_t q = 0; q < slots.size(); ++q) CHECK_NEAR(packed_joined[q], joined[q], 1e-14);
    if (M > 2) {
      for (int i = 0; i < size; ++i) hofm::anova::widen(&slots[std::size_t(i) * width], M, most.data());
      packed.widen(slots.data(), size, packed_most.data());
      for (int t = 0; t < M; ++t) CHECK_NEAR(packed_most[t], most[t], 1e-14);
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
  for (int degree : {9, 20}) CHECK(!hofm::kernels().columns(degree, false));
  for (bool weighted : {false, true})
    for (hofm::Isa isa : roads()) {
      CHECK(bool(hofm::kernels(isa).columns(3, weighted)) == (isa != hofm::Isa::generic));
      if (isa == hofm::Isa::generic) continue;
      compare<1>(isa, weighted, random);
      compare<2>(isa, weighted, random);
      compare<3>(isa, weighted, random);
      compare<4>(isa, weighted, random);
      compare<5>(isa, weighted, random);
      compare<6>(isa, weighted, random);
      compare<7>(isa, weighted, random);
      compare<8>(isa, weighted, random);
    }
  return report();
}
