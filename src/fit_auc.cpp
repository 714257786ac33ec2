// The stochastic solvers for the pairwise loss.
#include <stdexcept>

#include "hofm/fit.h"
#include "hofm/solver_sg.h"

namespace hofm {

Outcome fit_ranking(Design &design, const Response &response, const Ranking &ranking, Model &model, const Options &options,
                    Monitor &monitor, Validation *validation) {
  Pairwise task(design, response, ranking, validation, options, monitor);
  if (options.solver == "sgd") return StochasticGradient<Pairwise>(task, StepRule::sgd, options, monitor)(model);
  if (options.solver == "adagrad") return StochasticGradient<Pairwise>(task, StepRule::adagrad, options, monitor)(model);
  throw std::invalid_argument("the pairwise loss needs a stochastic solver, not '" + options.solver + "'");
}

}  // namespace hofm
