// Samples joined from two blocks, and from two blocks and a context, against the same samples as rows of one matrix.
#include <string>

#include "check.h"
#include "hofm/eval/values.h"
#include "nodes.h"
#include "train.h"

struct Run {
  hofm::Model model;
  std::vector<double> objective, link;
};

Run descend(hofm::Design design, hofm::Model model, const hofm::Response &response, const char *loss, int epochs, int threads = 1,
            bool extrapolate = false) {
  hofm::Monitor monitor;
  hofm::Options options;
  options.loss = loss;
  options.extrapolate = extrapolate;
  options.sweep = "single";
  options.max_iter = epochs;
  options.threads = threads;
  options.tol = 0;
  const hofm::Outcome outcome = train_samples(design, response, model, options, monitor);
  const std::vector<double> link = hofm::link_values(design, model, {}, 1, monitor);
  CHECK(outcome.link.size() == link.size());  // the solver's own values, in the order in which the samples came
  for (std::size_t i = 0; i < link.size(); ++i) CHECK_NEAR(outcome.link[i], link[i], 1e-9);
  return {model, monitor.trace.objective, hofm::link_values(design, model, response.offset, 1, monitor)};
}

int main() {
  hofm::Random random(7);
  for (int n_blocks : {2, 3}) {
    const int n = 40;
    const JoinedSample sample(n_blocks, n, random);
    const Sample &x = sample.x;
    const hofm::Design joined = sample.design(), plain = x.design();

    for (const char *loss : {"squared", "logistic", "squared_hinge", "poisson"})
      for (bool uniform_weights : {true, false})
        for (const hofm::Term &term : all_terms(5, 2, x.d, 0.01, random)) {
          if (term.kernel == hofm::Kernel::bilinear && n_blocks == 3) continue;
          hofm::Model model;
          model.terms.push_back(term);
          if (term.kernel == hofm::Kernel::bilinear) model.terms[0].split = sample.blocks[0].d;
          if (term.kernel == hofm::Kernel::polynomial)
            for (double &p : model.terms[0].P) p *= 0.3;  // exp() of a fifth power would be all that is seen
          const hofm::Response response = random_response(n, loss, uniform_weights, random);
          for (bool extrapolate : {false, true}) {
            const Run a = descend(joined, model, response, loss, 8, 1, extrapolate);
            const Run b = descend(plain, model, response, loss, 8, 1, extrapolate);
            // the squared loss takes the very same steps, and so does what cannot be joined
            if (std::string(loss) == "squared" || std::string(loss) == "poisson" || term.kernel == hofm::Kernel::polynomial) {
              double far = 0;
              for (std::size_t q = 0; q < term.P.size(); ++q)
                far = std::fmax(far, std::fabs(a.model.terms[0].P[q] - b.model.terms[0].P[q]));
              CHECK_NEAR(far, 0, 1e-9);
              CHECK_NEAR(a.model.intercept, b.model.intercept, 1e-9);
            }
            for (std::size_t e = 1; e < a.objective.size(); ++e)
              CHECK(a.objective[e] <= a.objective[e - 1] + 1e-12 * std::fabs(a.objective[e - 1]));
            for (int i = 0; i < n; ++i) CHECK_NEAR(a.link[i], response.offset[i] + link_slow(a.model, x, i), 1e-9);
          }
        }
  }

  // Nodes whose sums cannot be taken apart without losing digits are rebuilt from their rows.
  std::vector<Sample> blocks(2, Sample(4, 6, 1, random));
  for (double &v : blocks[0].columns.value) v = v < 0 ? 1e3 * v : v;
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i < 4; ++i) blocks[0].dense[std::size_t(i) * 6 + j] = blocks[0].columns.value[std::size_t(j) * 4 + i];
  std::vector<std::vector<int>> index = {{0, 1, 2, 3, 0, 1}, {3, 2, 1, 0, 0, 1}};
  const Sample x = written_out(blocks, index);
  hofm::Design joined;
  for (int b = 0; b < 2; ++b) joined.add(blocks[b].columns.view(), index[b]);
  hofm::Model model;
  model.terms.push_back(random_term(5, 2, x.d, 1e-9, random));
  const hofm::Response response = random_response(6, "squared", true, random);
  const Run a = descend(joined, model, response, "squared", 2);
  CHECK(a.objective.back() <= a.objective.front());
  double start = 0;
  for (int i = 0; i < 6; ++i) start = std::fmax(start, std::fabs(link_slow(model, x, i)));
  for (int i = 0; i < 6; ++i) CHECK(std::fabs(a.link[i] - response.offset[i] - link_slow(a.model, x, i)) <= 1e-8 * start);

  // So many samples that threads share them: the bits are those of one thread, and the steps those on the rows written out.
  const std::vector<Sample> many = {Sample(200, 5, 0.6, random), Sample(150, 6, 0.6, random)};
  std::vector<std::vector<int>> ends(2, std::vector<int>(7000));
  for (int i = 0; i < 7000; ++i)
    for (int b = 0; b < 2; ++b) ends[b][i] = int(random.below(many[b].n));
  const Sample rows = written_out(many, ends);
  const hofm::Response target = random_response(7000, "squared", false, random);
  for (int degree : {4, 7, 8, 9}) {
    hofm::Design pairs, plain = rows.design();
    for (int b = 0; b < 2; ++b) pairs.add(many[b].columns.view(), ends[b]);
    hofm::Model model;
    model.terms.push_back(random_term(degree, 2, rows.d, 1e-3, random));
    const Run one = descend(pairs, model, target, "squared", 3), three = descend(pairs, model, target, "squared", 3, 3);
    CHECK(one.model.terms[0].P == three.model.terms[0].P && one.objective == three.objective);
    const Run slow = descend(plain, model, target, "squared", 3);
    for (std::size_t q = 0; q < slow.model.terms[0].P.size(); ++q)
      CHECK_NEAR(one.model.terms[0].P[q], slow.model.terms[0].P[q], 1e-9);
  }
  return report();
}
