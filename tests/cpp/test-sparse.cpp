#include <algorithm>

#include "check.h"
#include "hofm/random.h"
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
  std::vector<int> order = {0, 1, 2, 3, 4, 5, 6, 7}, sorted;
  hofm::shuffle(order, random);
  sorted = order;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == std::vector<int>({0, 1, 2, 3, 4, 5, 6, 7}) && order != sorted);
  CHECK(hofm::Random(1, 2).next() == hofm::Random(1, 2).next());
  CHECK(hofm::Random(1, 2).next() != hofm::Random(1, 3).next());
  return report();
}
