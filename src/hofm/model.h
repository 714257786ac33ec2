// A model is data: an intercept and a list of terms, each a kernel applied to k factors. Options and results are data too.
#ifndef HOFM_MODEL_H
#define HOFM_MODEL_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "monitor.h"

namespace hofm {

constexpr int kMaxOrder = 20;

enum class Kernel { anova };

// sum_s K(p_s, x). P holds the k factors of a feature side by side, padded with zeros to `stride` so that loops over
// factors are whole vectors; feature j's factors start at P[j * stride]. The linear term <w, x> is the ANOVA kernel of
// degree 1 with one factor.
struct Term {
  Kernel kernel = Kernel::anova;
  int degree = 1;
  int k = 1;
  int stride = 1;
  double lambda = 0;  // penalty lambda/2 ||P||^2
  std::vector<double> P;

  static int padded(int degree, int k) { return degree == 1 ? k : (k + 3) / 4 * 4; }
  double *row(int j) { return P.data() + std::size_t(j) * stride; }
  const double *row(int j) const { return P.data() + std::size_t(j) * stride; }
};

inline double penalty(const Term &term) {
  double sum = 0;
  for (double p : term.P) sum += p * p;
  return term.lambda / 2 * sum;
}

struct Model {
  bool fit_intercept = true;
  double intercept = 0;
  std::vector<Term> terms;
};

inline double penalty(const Model &model) {
  double sum = 0;
  for (const Term &term : model.terms) sum += penalty(term);
  return sum;
}

// The response: y coded for the loss, weights that sum to one, offsets (never empty).
struct Response {
  std::vector<double> y, weight, offset;
  bool uniform = true;  // all weights are 1/n
};

struct Options {
  std::string solver = "cd", loss = "squared";
  int max_iter = 100;
  double tol = 1e-5;  // stop when an iteration lowers the objective by less than tol times its value
  double eta = 0;     // step of the stochastic solvers, 0 = calibrate
  int batch = 1;
  int threads = 1;
  std::uint64_t seed = 0;
  int memory = 10;  // pairs kept by L-BFGS
};

struct Outcome {
  bool converged = false;
  double objective = 0;
  double eta = 0;
  int halvings = 0;       // of the stochastic step, because the objective rose
  bool diverged = false;  // at least once the objective was not finite
};

}  // namespace hofm
#endif
