// All solvers for one loss. Included by the source file that instantiates it, and by nothing else.
#ifndef HOFM_FIT_LOSS_H
#define HOFM_FIT_LOSS_H

#include <stdexcept>

#include "fit.h"
#include "solver_lbfgs.h"
#include "solver_sg.h"
#include "task_pointwise.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // at R's usual -O2 the short loops of coordinate descent over a row's sums are not unrolled
#endif
#include "solver_cd.h"

namespace hofm {

template <class Solver>
Outcome run(Design &design, const Response &response, Model &model, const Options &options, Monitor &monitor) {
  Solver solver(design, response, options, monitor);
  return solver(model);
}

// Joined samples are taken in the order of their nodes, whatever order they come in.
template <class Loss>
Outcome run_descent(Design &design, const Response &response, Model &model, const Options &options, Monitor &monitor) {
  if (design.plain()) return run<CoordinateDescent<Loss>>(design, response, model, options, monitor);
  const std::vector<int> order = order_by_nodes(design);
  Design ordered = reordered(design, order);
  const Response target = {reordered(response.y, order), reordered(response.weight, order), reordered(response.offset, order),
                           response.uniform};
  Outcome outcome = run<CoordinateDescent<Loss>>(ordered, target, model, options, monitor);
  std::vector<double> link(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) link[order[i]] = outcome.link[i];
  outcome.link = std::move(link);
  return outcome;
}

template <class Loss>
Outcome run_stochastic(StepRule rule, Design &design, const Response &response, Model &model, const Options &options,
                       Monitor &monitor, Validation *validation) {
  Pointwise<Loss> task(design, response, validation, options, monitor);
  return StochasticGradient<Pointwise<Loss>>(task, rule, options, monitor)(model);
}

template <class Loss>
Outcome fit_loss(Design &design, const Response &response, Model &model, const Options &options, Monitor &monitor,
                 Validation *validation) {
  const std::string &name = options.solver;
  if (name == "cd") return run_descent<Loss>(design, response, model, options, monitor);
  if (name == "lbfgs") return run<Lbfgs<Loss>>(design, response, model, options, monitor);
  if (name == "sgd") return run_stochastic<Loss>(StepRule::sgd, design, response, model, options, monitor, validation);
  if (name == "adagrad") return run_stochastic<Loss>(StepRule::adagrad, design, response, model, options, monitor, validation);
  throw std::invalid_argument("unknown solver '" + name + "'");
}

}  // namespace hofm
#endif
