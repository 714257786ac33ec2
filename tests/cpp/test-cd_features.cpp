// Sweeps by feature: a slow twin for the squared loss, and for all losses an objective that never rises.
#include "check.h"
#include "nodes.h"
#include "hofm/solve/cd.h"
#include "train.h"

// One epoch of one term, everything computed anew at every step.
void epoch_slow(hofm::Model &model, const Sample &x, const hofm::Response &r) {
  hofm::Term &term = model.terms[0];
  for (int j = 0; j < term.columns(); ++j) {
    std::vector<Vector> D(x.n, Vector(term.k));
    Vector residual(x.n), u(term.k);
    for (int i = 0; i < x.n; ++i) {
      residual[i] = r.offset[i] + link_slow(model, x, i) - r.y[i];
      for (int s = 0; s < term.k; ++s) {  // affine in each parameter: a difference is the slope
        double &p = term.row(j)[s];
        const double here = term_slow(term, x, i), old = p;
        p += 1;
        D[i][s] = term_slow(term, x, i) - here;
        p = old;
      }
    }
    double slope = 0, curvature = 0;
    for (int s = 0; s < term.k; ++s) {
      const double p = term.row(j)[s];
      double first = term.lambda * p, second = term.lambda;
      for (int i = 0; i < x.n; ++i) {
        first += r.weight[i] * residual[i] * D[i][s];
        second += r.weight[i] * D[i][s] * D[i][s];
      }
      u[s] = -first / second;
      slope += term.lambda * p * u[s];
      curvature += term.lambda * u[s] * u[s];
    }
    for (int i = 0; i < x.n; ++i) {
      double d = 0;
      for (int s = 0; s < term.k; ++s) d += u[s] * D[i][s];
      slope += r.weight[i] * residual[i] * d;
      curvature += r.weight[i] * d * d;
    }
    if (!(curvature > 0)) continue;  // every factor of the column is zero and stays there
    for (int s = 0; s < term.k; ++s) term.row(j)[s] -= slope / curvature * u[s];
  }
}

// By way of the nodes and on the rows written out: the same steps, for as long as both find that sums can be taken apart safely.
void of_nodes(const char *loss, int degree, int augment, int k, int epochs, hofm::Random &random) {
  const JoinedSample sample(2, 40, random);
  const hofm::Response response = random_response(40, loss, false, random);
  hofm::Model model;
  model.terms.push_back(random_term(degree, k, sample.x.d, 0.05, random, hofm::Kernel::anova, augment));
  hofm::Model twin = model;
  hofm::Options options;
  options.sweep = "joint";
  options.loss = loss;
  options.tol = 0;
  options.max_iter = epochs;
  hofm::Design joined = sample.design(), rows = sample.x.design();
  hofm::Monitor one, two;
  train_samples(joined, response, model, options, one);
  train_samples(rows, response, twin, options, two);
  for (std::size_t q = 0; q < twin.terms[0].P.size(); ++q) CHECK_NEAR(model.terms[0].P[q], twin.terms[0].P[q], 1e-9);
  CHECK_NEAR(one.trace.objective.back(), two.trace.objective.back(), 1e-11);
}

int main() {
  hofm::Random random(11);
  hofm::Options options;
  options.sweep = "joint";
  options.tol = 0;
  for (const char *loss : {"squared", "logistic", "squared_hinge"}) {
    for (int degree : {2, 3, 4, 5})
      for (int augment : {0, degree - 1}) of_nodes(loss, degree, augment, augment + 3, 3, random);
    for (int degree : {8, 9}) of_nodes(loss, degree, degree - 1, 6, 1, random);
  }
  for (int degree : {2, 3, 4, 5, 8, 9})
    for (int augment : {degree > 5 ? 6 : 0, degree - 1})  // so that rows have combinations of so many columns
      for (int k : {2, 5, 12}) {
        if (degree > 5 && k > 2) continue;      // the twin takes seconds
        const int epochs = degree > 5 ? 1 : 2;  // high powers multiply rounding errors
        const Sample x(10, 7, 0.7, random);
        const hofm::Response response = random_response(x.n, "squared", false, random);
        hofm::Model model;
        model.fit_intercept = false;
        model.terms.push_back(random_term(degree, k, x.d, degree > 5 ? 1e-3 : 0.05, random, hofm::Kernel::anova, augment));
        hofm::Model twin = model;
        hofm::Design design = x.design();
        hofm::Monitor monitor;
        options.max_iter = epochs;
        options.loss = "squared";
        train_samples(design, response, model, options, monitor);
        for (int e = 0; e < epochs; ++e) epoch_slow(twin, x, response);
        for (std::size_t q = 0; q < twin.terms[0].P.size(); ++q) CHECK_NEAR(model.terms[0].P[q], twin.terms[0].P[q], 1e-9);
      }

  for (const char *loss : {"squared", "logistic", "squared_hinge"})
    for (int n_blocks : {1, 2})
      for (int degree : {2, 3, 4}) {
        const JoinedSample sample(2, 30, random);
        hofm::Design design = n_blocks == 1 ? sample.x.design() : sample.design();
        const hofm::Response response = random_response(30, loss, true, random);
        hofm::Model model;
        for (int t = 1; t <= degree; ++t) model.terms.push_back(random_term(t, 6, sample.x.d, 0.01, random));
        hofm::Monitor monitor;
        options.max_iter = 30;
        options.loss = loss;
        const hofm::Outcome outcome = train_samples(design, response, model, options, monitor);
        double again = hofm::penalty(model);  // the objective it kept is that of the model it left
        for (int i = 0; i < 30; ++i) {
          const double f = response.offset[i] + link_slow(model, sample.x, i);
          again += response.weight[i] * hofm::with_loss(loss, [&](auto l) { return decltype(l)::value(response.y[i], f); });
        }
        CHECK_NEAR(outcome.objective, again, 1e-10);
        const std::vector<double> &objective = monitor.trace.objective;
        for (std::size_t e = 1; e < objective.size(); ++e)
          CHECK(objective[e] <= objective[e - 1] + 1e-12 * std::fabs(objective[e - 1]));
        CHECK(objective.back() < 0.9 * objective.front());
      }
  return report();
}
