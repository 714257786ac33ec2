#include <algorithm>

#include "check.h"
#include "hofm/base/random.h"
#include "problem.h"

int main() {
  hofm::Random random(6);
  for (double density : {0.0, 0.3, 1.0}) {
    const Sample x(8, 5, density, random);
    const hofm::SparseStore rows = hofm::transposed(x.columns.view());
    CHECK(rows.outer == 8 && rows.inner == 5 && rows.view().nonzeros() == x.columns.view().nonzeros());
    Vector dense(x.dense.size(), 0.0);
    for (int i = 0; i < x.n; ++i) {
      const hofm::Slice row = rows.view()[i];
      CHECK(std::is_sorted(row.index, row.index + row.size));
      for (int q = 0; q < row.size; ++q) dense[std::size_t(i) * x.d + row.index[q]] = row.value[q];
    }
    CHECK(dense == x.dense);
  }
  // Slots that make sense, and one wrong at a time.
  {
    const std::vector<int> start = {0, 2, 2, 5}, index = {0, 3, 1, 2, 3};
    const Vector value(5, 1.0);
    const auto is_sound = [&](const std::vector<int> &s, const std::vector<int> &i, std::size_t nonzeros) {
      return hofm::sound({3, 4, s.data(), i.data(), value.data()}, nonzeros);
    };
    CHECK(is_sound(start, index, 5));
    CHECK(!is_sound(start, index, 4) && !is_sound(start, index, 6));
    for (const std::vector<int> &bad : std::vector<std::vector<int>>{{1, 2, 2, 5}, {0, 3, 2, 5}, {0, -1, 2, 5}, {0, 9, 9, 5}})
      CHECK(!is_sound(bad, index, 5));
    for (const std::vector<int> &bad : std::vector<std::vector<int>>{
             {0, 4, 1, 2, 3}, {-1, 3, 1, 2, 3}, {0, 3, 2, 1, 3}, {0, 3, 1, 1, 3}, {3, 3, 1, 2, 3}, {0, 3, 1, 2, 9}})
      CHECK(!is_sound(start, bad, 5));
    CHECK(hofm::sound({0, 4, start.data(), nullptr, nullptr}, 0));
  }
  std::vector<int> order = {0, 1, 2, 3, 4, 5, 6, 7}, sorted;
  hofm::shuffle(order, random);
  sorted = order;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == std::vector<int>({0, 1, 2, 3, 4, 5, 6, 7}) && order != sorted);
  CHECK(hofm::Random(1, 2).next() == hofm::Random(1, 2).next());
  CHECK(hofm::Random(1, 2).next() != hofm::Random(1, 3).next());
  return report();
}
