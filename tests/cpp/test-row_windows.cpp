// Rows a window at a time against the whole matrix turned round, and values on them against those of single rows.
#include "check.h"
#include "hofm/dispatch.h"
#include "hofm/predict.h"
#include "hofm/row_windows.h"
#include "problem.h"

int main() {
  hofm::Random random(12);
  for (double density : {0.0, 0.2, 1.0}) {
    const Sample x(40000, 5, density, random);
    const hofm::SparseStore whole = hofm::transposed(x.columns.view());
    for (int first : {0, 700}) {
      hofm::RowWindows windows(x.columns.view(), first, 39000);
      int next = first, count = 0;
      bool same = true;
      for (; windows.advance(); ++count) {
        CHECK(windows.first() == next);
        for (int r = 0; r < windows.rows().outer; ++r, ++next) {
          const hofm::Slice a = windows.rows()[r], b = whole.view()[next];
          same = same && a.size == b.size && std::equal(a.index, a.index + a.size, b.index) &&
                 std::equal(a.value, a.value + a.size, b.value);
        }
      }
      CHECK(same && next == 39000 && count > 1);
    }
  }

  // The bits do not depend on threads, and values are those of the rows one by one, with or without copies of the factors.
  const Sample x(2000, 9, 0.5, random), few(3, 9, 0.3, random);
  for (int k : {3, 8, 17, 30})
    for (const hofm::Term &term : all_terms(5, k, x.d, 0.1, random)) {
      hofm::Model model;
      model.terms.push_back(term);
      hofm::Monitor monitor;
      hofm::Design many = x.design(), some = few.design();
      const Vector one = hofm::term_values(many, model, 1, monitor), three = hofm::term_values(many, model, 3, monitor);
      CHECK(one == three);
      for (const Sample *sample : {&x, &few}) {
        const Vector all = sample == &x ? one : hofm::term_values(some, model, 1, monitor);
        const hofm::SparseStore rows = hofm::transposed(sample->columns.view());
        const hofm::RowKernel kernel = hofm::row_kernel(term.kernel, term.degree);
        Vector state(hofm::state_size(term));
        bool same = true;
        for (int i = 0; i < sample->n; ++i)
          same = same && std::fabs(all[i] - kernel.forward(hofm::view(term), rows.view()[i], state.data())) <= 1e-13 * (1 + std::fabs(all[i]));
        CHECK(same);
      }
    }
  return report();
}
