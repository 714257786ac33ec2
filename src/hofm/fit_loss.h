// All solvers for one loss. Included by the source file that instantiates it, and by nothing else.
#ifndef HOFM_FIT_LOSS_H
#define HOFM_FIT_LOSS_H

#include <stdexcept>

#include "fit.h"
#include "solver_cd.h"
#include "solver_lbfgs.h"
#include "solver_sg.h"
#include "task_pointwise.h"

namespace hofm {

template <class Solver>
Outcome run(Design &design, const Response &response, Model &model, const Options &options, Monitor &monitor) {
  Solver solver(design, response, options, monitor);
  return solver(model);
}

template <class Loss, class Step>
Outcome run_stochastic(Design &design, const Response &response, Model &model, const Options &options, Monitor &monitor,
                       Validation *validation) {
  Pointwise<Loss> task(design, response, validation, options, monitor);
  return StochasticGradient<Pointwise<Loss>, Step>(task, options, monitor)(model);
}

template <class Loss>
Outcome fit_loss(Design &design, const Response &response, Model &model, const Options &options, Monitor &monitor,
                 Validation *validation) {
  const std::string &name = options.solver;
  if (name == "cd") return run<CoordinateDescent<Loss>>(design, response, model, options, monitor);
  if (name == "lbfgs") return run<Lbfgs<Loss>>(design, response, model, options, monitor);
  if (name == "sgd") return run_stochastic<Loss, Sgd>(design, response, model, options, monitor, validation);
  if (name == "adagrad") return run_stochastic<Loss, AdaGrad>(design, response, model, options, monitor, validation);
  throw std::invalid_argument("unknown solver '" + name + "'");
}

}  // namespace hofm
#endif
