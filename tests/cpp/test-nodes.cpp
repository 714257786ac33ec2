// Values and gradient by way of the nodes against those of the joined rows written out, for every kernel.
#include "check.h"
#include "hofm/model/dispatch.h"
#include "hofm/eval/objective.h"
#include "hofm/eval/values.h"
#include "nodes.h"

int main() {
  hofm::Random random(9);
  for (int n_blocks : {2, 3})
    for (int k : {1, 3, 9, 17}) {
      const JoinedSample sample(n_blocks, 30, random);
      std::vector<hofm::Term> terms = all_terms(6, k, sample.x.d, 0.1, random);
      for (int degree : {8, 9}) terms.push_back(random_term(degree, k, sample.x.d, 0.1, random, hofm::Kernel::anova, 3));
      for (hofm::Term term : terms) {
        if (term.kernel == hofm::Kernel::bilinear) {
          if (n_blocks == 3) continue;
          term.split = sample.blocks[0].d;
        }
        hofm::Model model;
        model.intercept = 0.2;
        model.terms.push_back(term);
        hofm::Monitor monitor;
        hofm::Design joined = sample.design(), plain = sample.x.design();
        const std::vector<double> a = hofm::term_values(joined, model, 1, monitor), b = hofm::term_values(plain, model, 1, monitor);
        for (std::size_t i = 0; i < a.size(); ++i) CHECK_NEAR(a[i], b[i], 1e-11);
        if (term.kernel == hofm::Kernel::mix) continue;
        const hofm::Response response = random_response(30, "squared", false, random);
        hofm::Gradient g1, g2, g3;
        hofm::Options options;
        const double f1 = hofm::Objective<hofm::Squared>(joined, response, options, monitor)(model, &g1);
        const double f2 = hofm::Objective<hofm::Squared>(plain, response, options, monitor)(model, &g2);
        options.threads = 3;
        const double f3 = hofm::Objective<hofm::Squared>(joined, response, options, monitor)(model, &g3);
        CHECK_NEAR(f1, f2, 1e-12);
        CHECK_NEAR(g1.intercept, g2.intercept, 1e-12);
        double scale = 1;
        for (double g : g2.P[0]) scale = std::fmax(scale, std::fabs(g));
        for (std::size_t q = 0; q < g1.P[0].size(); ++q) CHECK_NEAR(g1.P[0][q] / scale, g2.P[0][q] / scale, 1e-12);
        CHECK(f1 == f3 && g1.P == g3.P);
      }
    }

  // Every road of the vectorised code.
  const JoinedSample sample(2, 30, random);
  for (hofm::Isa isa : roads())
    for (hofm::Term term : all_terms(9, 18, sample.x.d, 0.1, random)) {
      term.split = sample.blocks[0].d;
      if (term.kernel == hofm::Kernel::mix) continue;
      hofm::Design design = sample.design();
      hofm::Monitor monitor;
      hofm::NodePass pass(design, 1, monitor, isa), best(design, 1, monitor);
      hofm::NodePass::Tables t1, t2;
      Vector f1(30), f2(30), g = uniforms(random, 30), G1, G2;
      pass.values(term, t1, f1.data());
      best.values(term, t2, f2.data());
      pass.pull(term, t1, g, G1);
      best.pull(term, t2, g, G2);
      for (int i = 0; i < 30; ++i) CHECK_NEAR(f1[i], f2[i], 1e-12);
      for (std::size_t q = 0; q < G1.size(); ++q) CHECK_NEAR(G1[q], G2[q], 1e-11);
    }
  return report();
}
