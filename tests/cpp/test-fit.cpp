// All solvers through train(), from one start.
#include "check.h"
#include "problem.h"
#include "train.h"

int main() {
  hofm::Random random(5);
  const Sample x(200, 6, 0.8, random);
  hofm::Model truth;
  for (int t = 1; t <= 2; ++t) truth.terms.push_back(random_term(t, 2, x.d, 0, random));

  std::vector<hofm::Model> starts(1);
  for (int t = 1; t <= 2; ++t) starts[0].terms.push_back(random_term(t, 2, x.d, 0.1, random));
  for (hofm::Kernel kernel : {hofm::Kernel::anova, hofm::Kernel::polynomial, hofm::Kernel::all_subsets, hofm::Kernel::bilinear}) {
    const int augment = kernel == hofm::Kernel::anova || kernel == hofm::Kernel::polynomial;
    hofm::Model model;
    model.terms.push_back(random_term(2, 1, x.d, 0.1, random, kernel, augment));
    starts.push_back(model);
  }
  for (const hofm::Model &start : starts)
    for (const char *loss : {"squared", "logistic", "squared_hinge", "poisson"}) {
      hofm::Response response = random_response(x.n, loss, true, random);
      for (int i = 0; i < x.n; ++i) {
        const double f = link_slow(truth, x, i);
        response.y[i] = loss[0] == 'p' ? std::floor(std::exp(f)) : std::string(loss) == "squared" ? f : f > 0 ? 1 : -1;
      }
      double reference = 0;
      for (const char *solver : {"cd", "lbfgs", "adagrad", "sgd"}) {
        hofm::Model model = start;
        hofm::Design design = x.design();
        hofm::Monitor monitor;
        hofm::Options options;
        options.loss = loss;
        options.solver = solver;
        options.max_iter = 3000;
        options.tol = 1e-9;
        const hofm::Outcome outcome = train_samples(design, response, model, options, monitor);
        if (std::string(solver) == "cd") reference = outcome.objective;
        CHECK_NEAR((outcome.objective - reference) / std::fabs(reference), 0, 1e-4);
        const std::vector<double> &objective = monitor.trace.objective;
        for (std::size_t e = 1; e < objective.size(); ++e)
          CHECK(objective[e] <= objective[e - 1] + 1e-12 * std::fabs(objective[e - 1]));
      }
    }

  // Without features there is nothing but the intercept, and nothing that divides by their number.
  for (const char *solver : {"cd", "lbfgs", "adagrad", "sgd"}) {
    const Sample none(20, 0, Vector());
    hofm::Design design = none.design();
    hofm::Model model;
    for (int t = 1; t <= 3; ++t) {
      hofm::Term term;
      term.degree = t;
      term.lambda = 0.1;
      term.set_rank(t == 1 ? 0 : 2);
      model.terms.push_back(term);
    }
    hofm::Response response = random_response(20, "squared", true, random);
    double mean = 0;
    for (int i = 0; i < 20; ++i) mean += response.weight[i] * (response.y[i] - response.offset[i]);
    hofm::Monitor monitor;
    hofm::Options options;
    options.solver = solver;
    options.max_iter = 2000;
    options.tol = 1e-12;
    const hofm::Outcome outcome = train_samples(design, response, model, options, monitor);
    CHECK(std::isfinite(outcome.objective));
    CHECK_NEAR(model.intercept, mean, 1e-3);
  }

  // A wish to stop gets out of every solver as the exception it was.
  struct Stop {};
  for (const char *solver : {"cd", "lbfgs", "adagrad", "sgd"}) {
    hofm::Model model = truth;
    hofm::Design design = x.design();
    const hofm::Response response = random_response(x.n, "squared", true, random);
    hofm::Monitor monitor;
    int calls = 0;
    monitor.report = [&](int, double, double) {
      if (++calls == 3) throw Stop();
    };
    hofm::Options options;
    options.solver = solver;
    options.tol = 0;
    bool stopped = false;
    try {
      train_samples(design, response, model, options, monitor);
    } catch (const Stop &) {
      stopped = true;
    }
    CHECK(stopped && calls == 3);
  }
  bool unknown = false;
  try {
    hofm::Design design = x.design();
    hofm::Monitor monitor;
    hofm::Options options;
    options.solver = "newton";
    train_samples(design, random_response(x.n, "squared", true, random), truth, options, monitor);
  } catch (const std::invalid_argument &) {
    unknown = true;
  }
  CHECK(unknown);
  return report();
}
