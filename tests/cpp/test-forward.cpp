#include "check.h"
#include "hofm/model/anova.h"
#include "hofm/eval/objective.h"
#include "problem.h"

using hofm::Isa;

// Forward and backward of one term on every row against the definition, for one instruction set.
void rows_match(Isa isa, const hofm::Term &random_term, const Sample &x) {
  hofm::Design design = x.design();
  design.need_rows();
  hofm::Model model;
  model.terms.push_back(random_term);
  hofm::Term &term = model.terms[0];
  hofm::RowWalker walker(design, model, isa);
  for (int i = 0; i < x.n; ++i) {
    walker.go_to(i);
    CHECK_NEAR(walker.forward(), term_slow(term, x, i), 1e-11);
    if (term.kernel == hofm::Kernel::mix) continue;  // has no gradient: theta ties it to coordinate descent
    std::vector<Vector> G(1, Vector(term.P.size(), 0.0));
    walker.backward(2.0, G);
    for (int j = 0; j < term.columns(); ++j)
      for (int s = 0; s < term.stride; ++s) {
        const double slope = s < term.k ? 2 * difference([&] { return term_slow(term, x, i); }, term.row(j)[s], 1e-4) : 0;
        CHECK_NEAR(G[0][std::size_t(j) * term.stride + s], slope, 1e-5);
      }
  }
}

int main() {
  hofm::Random random(2);
  const std::vector<Isa> isas = roads();
  const Sample x(7, 8, 0.6, random);
  for (Isa isa : isas)
    for (int k : {1, 3, 4, 8, 13})
      for (const hofm::Term &term : all_terms(7, k, x.d, 0, random)) rows_match(isa, term, x);

  // Degrees beyond those that are compiled by themselves.
  const Sample dense(2, 11, 1, random);
  for (Isa isa : isas)
    for (int degree : {8, 9}) rows_match(isa, random_term(degree, 5, dense.d, 0, random), dense);

  // Where a feature dwarfs the others the careful road is taken: every derivative keeps its digits.
  for (Isa isa : isas) {
    Sample one(1, 6, 1, random);
    const double value[] = {1e5, 1, -2, 0.5, 1.5, -1};
    std::copy(value, value + 6, one.columns.value.begin());
    hofm::Design design = one.design();
    design.need_rows();
    hofm::Model model;
    model.terms.push_back(random_term(5, 4, 6, 0, random));
    hofm::Term &term = model.terms[0];
    hofm::RowWalker walker(design, model, isa);
    walker.go_to(0);
    walker.forward();
    std::vector<Vector> G(1, Vector(term.P.size(), 0.0));
    walker.backward(1, G);
    for (int s = 0; s < 4; ++s) {
      Vector z;
      for (int l = 1; l < 6; ++l) z.push_back(term.row(l)[s] * value[l]);
      const double slope = value[0] * anova_slow(z, 4);
      CHECK(std::fabs(G[0][s] - slope) <= 1e-12 * std::fabs(slope));
    }
  }
  return report();
}
