#include "check.h"
#include "hofm/solve/cd.h"
#include "problem.h"

// Some epochs on one model: the objective must not rise, and the kept link values must be those of the fitted model.
void descend(const char *loss, hofm::Model model, const Sample &x, const hofm::Response &response, bool extrapolate) {
  hofm::Design design = x.design();
  hofm::Monitor monitor;
  hofm::Options options;
  options.max_iter = 20;
  options.tol = 0;
  options.extrapolate = extrapolate;
  hofm::with_loss(loss, [&](auto l) {
    hofm::CoordinateDescent<decltype(l)> cd(design, response, options, monitor);
    const hofm::Outcome outcome = cd(model);
    double again = hofm::penalty(model);  // link values are kept by adding: the objective must be that of the model all the same
    for (int i = 0; i < x.n; ++i) {
      const double link = link_slow(model, x, i);
      CHECK_NEAR(outcome.link[i], link, 1e-9);
      again += response.weight[i] * decltype(l)::value(response.y[i], response.offset[i] + link);
    }
    CHECK_NEAR(outcome.objective, again, 1e-9 * (1 + std::fabs(again)));
    CHECK_NEAR(outcome.objective, monitor.trace.objective.back(), 0);
    return 0;
  });
  const std::vector<double> &objective = monitor.trace.objective;
  for (std::size_t e = 1; e < objective.size(); ++e) CHECK(objective[e] <= objective[e - 1] + 1e-12 * std::fabs(objective[e - 1]));
  CHECK(objective.back() < objective.front());
  for (const hofm::Term &term : model.terms) {
    double sum = 0;
    for (double theta : term.theta) {
      CHECK(theta >= 0);
      sum += theta;
    }
    if (!term.theta.empty()) CHECK_NEAR(sum, 1, 1e-14);
  }
}

void descend(const char *loss, const hofm::Model &model, const Sample &x, bool uniform_weights, hofm::Random &random) {
  const hofm::Response response = random_response(x.n, loss, uniform_weights, random);
  for (bool extrapolate : {false, true}) descend(loss, model, x, response, extrapolate);
}

// Epochs with extrapolation against epochs one by one, each followed by a look further on at the objective from its definition.
// Returns how often that was lower.
int extrapolation_matches(const char *loss, const hofm::Model &start, const Sample &x, hofm::Random &random) {
  const hofm::Response response = random_response(x.n, loss, false, random);
  hofm::Design design = x.design();
  hofm::Options options;
  options.tol = 0;
  int kept = 0;
  hofm::with_loss(loss, [&](auto l) {
    const auto objective = [&](const hofm::Model &model) {
      double sum = hofm::penalty(model);
      for (int i = 0; i < x.n; ++i)
        sum += response.weight[i] * decltype(l)::value(response.y[i], response.offset[i] + link_slow(model, x, i));
      return sum;
    };
    const auto run = [&](hofm::Model model, int epochs, bool extrapolate) {
      hofm::Monitor monitor;
      options.max_iter = epochs;
      options.extrapolate = extrapolate;
      hofm::CoordinateDescent<decltype(l)>(design, response, options, monitor)(model);
      return model;
    };
    const int epochs = 7;
    hofm::Model model = run(start, 1, false);
    double reach = 0.5;
    hofm::Model earlier = model;
    for (int e = 2; e <= epochs; ++e) {
      const hofm::Model before = model;
      const auto way = [](double first, double second, double third) { return third - second + 0.3 * (second - first); };
      model = run(model, 1, false);
      hofm::Model beyond = model;
      beyond.intercept += reach * way(earlier.intercept, before.intercept, model.intercept);
      for (std::size_t t = 0; t < model.terms.size(); ++t)
        for (std::size_t q = 0; q < model.terms[t].P.size(); ++q)
          beyond.terms[t].P[q] += reach * way(earlier.terms[t].P[q], before.terms[t].P[q], model.terms[t].P[q]);
      const bool lower = objective(beyond) < objective(model) * (1 - 1e-10);
      if (lower) model = beyond;
      kept += lower;
      earlier = before;
      reach = lower ? std::min(1.5 * reach, 4.0) : std::max(reach / 2, 1.0 / 16);
    }
    const hofm::Model whole = run(start, epochs, true);
    CHECK_NEAR(whole.intercept, model.intercept, 1e-8);
    for (std::size_t t = 0; t < model.terms.size(); ++t)
      for (std::size_t q = 0; q < model.terms[t].P.size(); ++q) CHECK_NEAR(whole.terms[t].P[q], model.terms[t].P[q], 1e-8);
    return 0;
  });
  return kept;
}

int main() {
  hofm::Random random(4);
  for (const char *loss : {"squared", "logistic", "squared_hinge", "poisson"})
    for (bool uniform_weights : {true, false}) {
      const Sample x(15, 8, 0.6, random);
      for (int order = 1; order <= 6; ++order) {
        hofm::Model model;
        for (int t = 1; t <= order; ++t) model.terms.push_back(random_term(t, 2, x.d, 0.01, random));
        descend(loss, model, x, uniform_weights, random);
      }
      std::vector<hofm::Term> terms = all_terms(5, 2, x.d, 0.01, random);
      for (int degree : {6, 7, 8, 9}) terms.push_back(random_term(degree, 2, x.d, 0.01, random, hofm::Kernel::anova, 4));
      for (const hofm::Term &term : terms) {
        hofm::Model model;
        model.terms.push_back(term);
        descend(loss, model, x, uniform_weights, random);
      }
    }

  int kept = 0, looks = 0;
  for (const char *loss : {"squared", "logistic"}) {
    const Sample x(25, 8, 0.6, random);
    std::vector<hofm::Model> models(2);
    for (int t = 1; t <= 3; ++t) models[0].terms.push_back(random_term(t, 2, x.d, 0.01, random));
    models[0].fit_intercept = true;
    for (const hofm::Term &term : all_terms(3, 2, x.d, 0.01, random)) {
      models[1].terms = {term};
      for (const hofm::Model &model : models) {
        kept += extrapolation_matches(loss, model, x, random);
        looks += 6;
      }
    }
  }
  CHECK(kept > looks / 2 && kept < looks);

  // All-subsets with 1 + p_j x_j = 0 exactly, and nearly so.
  Sample ones(10, 4, 1, random);
  std::fill(ones.columns.value.begin(), ones.columns.value.end(), 1.0);
  std::fill(ones.dense.begin(), ones.dense.end(), 1.0);
  for (double p : {-1.0, -1 + 1e-9}) {
    hofm::Model model;
    model.terms.push_back(random_term(1, 2, ones.d, 0.01, random, hofm::Kernel::all_subsets));
    model.terms[0].row(2)[0] = p;
    descend("squared", model, ones, true, random);
  }

  // Without a penalty, a feature that is alone in its only row has no say at degree 2: its derivative must be zero, not a rounding error
  // that a step would be divided by.
  for (const char *sweep : {"auto", "single", "joint"})
    for (bool uniform_weights : {true, false}) {
      Sample sparse(6, 8, Vector{0, 1, 1, 1, 1, 1}, random);
      sparse.dense[0] = 0.3;
      for (int i = 1; i < 6; ++i) sparse.dense[std::size_t(i) * 8] = 0;
      const Sample alone(6, 8, sparse.dense);
      const hofm::Response target = random_response(6, "squared", uniform_weights, random);
      hofm::Model free;
      free.terms.push_back(random_term(2, 3, 8, 0, random));
      hofm::Design few = alone.design();
      hofm::Monitor quiet;
      hofm::Options settings;
      settings.sweep = sweep;
      settings.max_iter = 20;
      settings.tol = 0;
      hofm::CoordinateDescent<hofm::Squared>(few, target, settings, quiet)(free);
      double largest = 0;
      for (double p : free.terms[0].P) largest = std::fmax(largest, std::fabs(p));
      CHECK(largest < 1e3);
    }

  // A column that dwarfs the others: the kept values stay those of the model.
  Sample x(20, 6, 0.9, random);
  for (int q = x.columns.start[0]; q < x.columns.start[1]; ++q) x.columns.value[q] *= 1e5;
  for (int i = 0; i < x.n; ++i) x.dense[std::size_t(i) * x.d] *= 1e5;
  const hofm::Response response = random_response(x.n, "squared", true, random);
  hofm::Model model;
  model.terms.push_back(random_term(5, 2, x.d, 1e-6, random));
  hofm::Design design = x.design();
  hofm::Monitor monitor;
  hofm::Options options;
  options.max_iter = 10;
  options.tol = 0;
  const hofm::Outcome outcome = hofm::CoordinateDescent<hofm::Squared>(design, response, options, monitor)(model);
  double worst = 0;
  for (int i = 0; i < x.n; ++i) worst = std::fmax(worst, std::fabs(outcome.link[i] - link_slow(model, x, i)));
  CHECK(worst < 1e-5);
  for (std::size_t e = 1; e < monitor.trace.objective.size(); ++e)
    CHECK(monitor.trace.objective[e] <= monitor.trace.objective[e - 1] * (1 + 1e-9));
  return report();
}
