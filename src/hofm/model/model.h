// A model is data: an intercept and a list of terms, each a kernel applied to k factors. Options and results are data too.
#ifndef HOFM_MODEL_MODEL_H
#define HOFM_MODEL_MODEL_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/model/anova.h"

namespace hofm {

enum class Kernel {
  anova,        // A^m(p, x), eq. (5); with m - 1 dummies it is the inhomogeneous kernel, eq. (13)
  mix,          // sum_t theta_t A^t(p, x), theta given for the term
  all_subsets,  // prod_j (1 + p_j x_j)
  polynomial,   // (gamma + <p, x>)^m, gamma a dummy
  bilinear      // <p, x_A> <p, x_B>, features before `split` and from it on
};

// sum_s K(p_s, [1, ..., 1, x]): x with `augment` dummy ones in front, which are never stored. P holds the k factors of a
// feature side by side, padded with zeros to `stride` so that loops over factors are whole vectors; the factors of column j
// (dummies first, then features) start at P[j * stride]. The linear term <w, x> is the ANOVA kernel of degree 1.
struct Term {
  Kernel kernel = Kernel::anova;
  int degree = 1;
  int augment = 0;
  int k = 1;
  int stride = 1;
  int split = 0;
  double lambda = 0;  // penalty lambda/2 ||P||^2, dummies included
  std::vector<double> P;
  std::vector<double> theta;  // mix only: theta_1..theta_m

  bool linear() const { return kernel == Kernel::anova && degree == 1; }
  int columns() const { return int(P.size() / stride); }
  double *row(int j) { return P.data() + std::size_t(j) * stride; }
  const double *row(int j) const { return P.data() + std::size_t(j) * stride; }

  // Factor s of all columns, out of P and back.
  void get_factor(int s, std::vector<double> &p) const {
    p.resize(columns());
    for (int j = 0; j < columns(); ++j) p[j] = row(j)[s];
  }
  void set_factor(int s, const std::vector<double> &p) {
    for (int j = 0; j < columns(); ++j) row(j)[s] = p[j];
  }

  // The linear term has one factor and no padding. Never zero, which columns() divides by: without features R's matrix of a
  // linear term has no column either.
  void set_rank(int rank) {
    k = rank;
    stride = std::max(1, linear() ? rank : (rank + 3) / 4 * 4);
  }
};

inline double penalty(const Term &term) {
  double sum = 0;
  for (double p : term.P) sum += p * p;
  return term.lambda / 2 * sum;
}

struct Model {
  bool fit_intercept = true;
  double intercept = 0;
  bool fit_common = false;
  double common = 0;  // weight of what the two nodes of a sample have in common (data/common.h); never penalised
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

// Where a stochastic solver stands beside its parameters: with it a later run goes on as if there had been no pause.
struct StepState {
  int epochs = 0;  // so far; 0 if there is nothing to go on from
  double eta = 0;
  double intercept = 0;                     // what AdaGrad remembers (see simd/steps.h) of the intercept
  std::vector<std::vector<double>> memory;  // and of the terms, each laid out as its P; SGD remembers nothing
};

struct Options {
  std::string solver = "cd", loss = "squared";
  std::string sweep = "auto";  // of cd: "single" parameters, all factors of a feature "joint"ly, or whichever suits the data
  bool extrapolate =
      false;  // of cd: after an epoch try a point further along its step, and keep it if the objective is lower there
  int max_iter = 100;
  double tol = 1e-5;  // stop when an iteration lowers the objective by less than tol times its value
  double eta = 0;     // step of the stochastic solvers, 0 = calibrate
  bool warm = false;  // whether the start is a fit, which the stochastic solvers must not leave by first steps of full length
  StepState resume;   // where they were at that start, if it is known
  int batch = 1;
  int threads = 1;
  std::uint64_t seed = 0;
  int memory = 10;   // pairs kept by L-BFGS
  int patience = 5;  // epochs of the stochastic solvers, or steps over shards, without a lower loss on held-out samples
};

struct Outcome {
  bool converged = false;
  double objective = 0;
  double eta = 0;
  StepState steps;                 // of the stochastic solvers, at the parameters that are returned
  int halvings = 0;                // of the stochastic step, because the objective rose
  bool diverged = false;           // at least once the objective was not finite
  bool imprecise = false;          // ended early: rounding errors would have decided what comes next
  std::vector<double> link;        // values of the samples without offsets, if the solver has them at hand
  std::vector<double> validation;  // loss on held-out samples at the start and after each epoch, if there are any
  int best_epoch = 0;              // the one with the least of them, whose parameters are kept
};

}  // namespace hofm
#endif
