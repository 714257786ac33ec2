#include "check.h"
#include "hofm/kernel_anova.h"
#include "hofm/objective.h"
#include "problem.h"

using hofm::Isa;

// Forward and backward of one term on every row against the definition, for one instruction set.
void rows_match(Isa isa, int degree, int k, hofm::Random &random) {
  const Sample x(7, 9, 0.6, random);
  hofm::Design design = x.design();
  design.need_rows();
  hofm::Model model;
  model.terms.push_back(random_term(degree, k, x.d, 0, random));
  hofm::Term &term = model.terms[0];
  hofm::RowWalker walker(model, x.d, isa);
  for (int i = 0; i < x.n; ++i) {
    const hofm::Slice row = design.blocks[0].rows.view()[i];
    CHECK_NEAR(walker.forward(row), term_slow(term, x, i), 1e-11);
    std::vector<Vector> G(1, Vector(term.P.size(), 0.0));
    walker.backward(row, 2.0, G);
    for (int j = 0; j < x.d; ++j)
      for (int s = 0; s < term.stride; ++s) {
        Vector z;  // the row without feature j
        for (int l = 0; l < x.d; ++l)
          if (l != j) z.push_back(term.row(l)[s] * x.at(i, l));
        const double slope = 2 * x.at(i, j) * anova_slow(z, degree - 1);
        CHECK_NEAR(G[0][std::size_t(j) * term.stride + s], slope, 1e-11);
      }
  }
}

int main() {
  hofm::Random random(2);
  std::vector<Isa> isas = {Isa::generic, Isa::best};
  if (hofm::has_avx2()) isas.push_back(Isa::avx2);
  for (Isa isa : isas)
    for (int degree : {1, 2, 3, 4, 5, 6, 9})
      for (int k : {1, 3, 4, 8, 13}) rows_match(isa, degree, k, random);

  // Where a feature dwarfs the others the careful road is taken: every derivative keeps its digits.
  for (Isa isa : isas) {
    hofm::Model model;
    model.terms.push_back(random_term(5, 4, 6, 0, random));
    hofm::Term &term = model.terms[0];
    const int index[] = {0, 1, 2, 3, 4, 5};
    const double value[] = {1e5, 1, -2, 0.5, 1.5, -1};
    hofm::RowWalker walker(model, 6, isa);
    walker.forward({index, value, 6});
    std::vector<Vector> G(1, Vector(term.P.size(), 0.0));
    walker.backward({index, value, 6}, 1, G);
    for (int s = 0; s < 4; ++s) {
      Vector z;
      for (int l = 1; l < 6; ++l) z.push_back(term.row(l)[s] * value[l]);
      const double slope = value[0] * anova_slow(z, 4);
      CHECK(std::fabs(G[0][s] - slope) <= 1e-12 * std::fabs(slope));
    }
  }
  return report();
}
