// All solvers for one loss. Included by the source file that instantiates it, and by nothing else.
#ifndef HOFM_FIT_LOSS_H
#define HOFM_FIT_LOSS_H

#include "hofm/fit.h"
#include "hofm/solve/lbfgs.h"
#include "hofm/solve/sg.h"
#include "hofm/solve/sg_samples.h"
#include "hofm/solve/shards.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // at R's usual -O2 the short loops of coordinate descent over a row's sums are not unrolled
#endif
#include "hofm/solve/cd.h"

namespace hofm {

template <class Solver>
Outcome run(Design &design, const Response &response, Model &model, const Options &options, Monitor &monitor) {
  Solver solver(design, response, options, monitor);
  return solver(model);
}

// Samples of nodes are taken in the order of these, whatever order they come in.
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
Outcome run_lbfgs(Design &design, const Response &response, Model &model, const Options &options, Monitor &monitor) {
  Objective<Loss> objective(design, response, options, monitor);
  return Lbfgs(std::ref(objective), options, monitor)(model);
}

template <class Loss>
Outcome run_stochastic(Design &design, Samples &samples, Model &model, const Options &options, Monitor &monitor) {
  Pointwise<Loss> items(design, samples, options, monitor);
  return StochasticGradient<Pointwise<Loss>>(items, step_rule(options.solver), options, monitor)(model);
}

template <class Loss>
Outcome fit_loss(Design &design, Samples &samples, Model &model, const Options &options, Monitor &monitor) {
  if (options.solver == "cd") return run_descent<Loss>(design, samples.response, model, options, monitor);
  if (options.solver == "lbfgs") return run_lbfgs<Loss>(design, samples.response, model, options, monitor);
  return run_stochastic<Loss>(design, samples, model, options, monitor);
}

template <class Loss>
Outcome fit_shards(Shards &shards, Model &model, const Options &options, Monitor &monitor) {
  if (options.solver == "lbfgs") return shard_lbfgs<Loss>(shards, model, options, monitor);
  return ShardSteps<Loss>(shards, options, monitor)(model);
}

}  // namespace hofm
#endif
