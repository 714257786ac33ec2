// The one road from a problem to a fitted model: loss and solver by name, chosen once.
#ifndef HOFM_FIT_H
#define HOFM_FIT_H

#include "dispatch.h"
#include "predict.h"
#include "solver_cd.h"
#include "solver_lbfgs.h"
#include "solver_sg.h"

namespace hofm {

template <class Solver>
Outcome run(Design &design, const Response &response, Model &model, const Options &options, Monitor &monitor) {
  Solver solver(design, response, options, monitor);
  return solver(model);
}

inline Outcome fit(Design &design, const Response &response, Model &model, const Options &options, Monitor &monitor) {
  return with_loss(options.loss, [&](auto loss) {
    using Loss = decltype(loss);
    const std::string &name = options.solver;
    if (name == "cd") return run<CoordinateDescent<Loss>>(design, response, model, options, monitor);
    if (name == "lbfgs") return run<Lbfgs<Loss>>(design, response, model, options, monitor);
    if (name == "sgd") return run<StochasticGradient<Loss, Sgd>>(design, response, model, options, monitor);
    if (name == "adagrad") return run<StochasticGradient<Loss, AdaGrad>>(design, response, model, options, monitor);
    throw std::invalid_argument("unknown solver '" + name + "'");
  });
}

}  // namespace hofm
#endif
