// From the kind of a task to the solvers that it has.
#include "hofm/fit.h"

#include <stdexcept>

#include "hofm/model/dispatch.h"
#include "hofm/solve/sg.h"
#include "hofm/solve/sg_ranking.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // as in hofm/fit_loss.h: the linker keeps one copy of the sweeps that both have
#endif
#include "hofm/solve/all_pairs.h"

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

  Outcome operator()(Shards &shards) const {
    return with_loss(options.loss, [&](auto loss) { return fit_shards<decltype(loss)>(shards, model, options, monitor); });
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
