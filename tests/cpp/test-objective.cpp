#include "check.h"
#include "hofm/model/dispatch.h"
#include "hofm/eval/objective.h"
#include "problem.h"

template <class Loss>
double objective_slow(const hofm::Model &model, const Sample &x, const hofm::Response &r) {
  double sum = 0;
  for (int i = 0; i < x.n; ++i) sum += r.weight[i] * Loss::value(r.y[i], r.offset[i] + link_slow(model, x, i));
  for (const hofm::Term &term : model.terms)
    for (double p : term.P) sum += term.lambda / 2 * p * p;
  return sum;
}

int main() {
  hofm::Random random(3);
  for (const char *loss : {"squared", "logistic", "squared_hinge", "poisson"})
    for (int order = 1; order <= 6; ++order) {  // the terms of a HOFM together
      const Sample x(11, 7, 0.7, random);
      const hofm::Response response = random_response(x.n, loss, order % 2, random);
      hofm::Model model;
      model.intercept = 0.3;
      for (int t = 1; t <= order; ++t) model.terms.push_back(random_term(t, 3, x.d, 0.1 * t, random));
      for (hofm::Term &term : model.terms)
        for (double &p : term.P) p *= 0.6;  // keeps exp() of the Poisson loss in bounds
      hofm::Design design = x.design();
      hofm::Monitor monitor;
      hofm::Options options;
      hofm::with_loss(loss, [&](auto l) {
        using Loss = decltype(l);
        hofm::Objective<Loss> objective(design, response, options, monitor);
        hofm::Gradient g;
        CHECK_NEAR(objective(model, &g), objective_slow<Loss>(model, x, response), 1e-12);
        const auto slow = [&] { return objective_slow<Loss>(model, x, response); };
        CHECK_NEAR(g.intercept, difference(slow, model.intercept), 1e-6);
        for (std::size_t t = 0; t < model.terms.size(); ++t)
          for (int j = 0; j < x.d; ++j)
            for (int s = 0; s < model.terms[t].k; ++s)
              CHECK_NEAR(g.P[t][std::size_t(j) * model.terms[t].stride + s], difference(slow, model.terms[t].row(j)[s]), 1e-6);
        return 0;
      });
    }

  // Bits do not depend on the number of threads, and many rows are cut into several blocks.
  const Sample x(700, 12, 0.4, random);
  const hofm::Response response = random_response(x.n, "squared", false, random);
  hofm::Model model;
  for (int t = 1; t <= 3; ++t) model.terms.push_back(random_term(t, 5, x.d, 0.1, random));
  hofm::Monitor monitor;
  hofm::Gradient first;
  double value = 0;
  for (int threads : {1, 2, 3, 8}) {
    hofm::Design design = x.design();
    hofm::Options options;
    options.threads = threads;
    hofm::Objective<hofm::Squared> objective(design, response, options, monitor);
    hofm::Gradient g;
    const double v = objective(model, &g);
    if (threads == 1) {
      first = g;
      value = v;
    }
    CHECK(v == value && g.intercept == first.intercept && g.P == first.P);
  }
  return report();
}
