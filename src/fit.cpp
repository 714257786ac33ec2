// From the kind of a task to the solvers that it has.
#include "hofm/fit.h"

#include <stdexcept>

#include "hofm/model/dispatch.h"
#include "hofm/solve/all_pairs.h"
#include "hofm/solve/sg.h"
#include "hofm/solve/sg_ranking.h"

namespace hofm {
namespace {

struct Trainer {
  Design &design;
  Model &model;
  const Options &options;
  Monitor &monitor;

  Outcome operator()(Samples &samples) const {
    return with_loss(options.loss, [&](auto loss) { return fit_loss<decltype(loss)>(design, samples, model, options, monitor); });
  }

  Outcome operator()(AllPairs &pairs) const { return AllPairsDescent(design, pairs, options, monitor)(model); }

  Outcome operator()(Ranking &ranking) const {
    Pairwise items(design, ranking, options, monitor);
    return StochasticGradient<Pairwise>(items, step_rule(options.solver), options, monitor)(model);
  }
};

}  // namespace

Outcome train(Design &design, Task &task, Model &model, const Options &options, Monitor &monitor) {
  return std::visit(Trainer{design, model, options, monitor}, task);
}

}  // namespace hofm
