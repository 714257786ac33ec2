// What a stochastic solver learns from, item by item. Items say which rows each has and what its loss is:
//   rows               rows per item
//   items()            how many items there are
//   add(item, epoch, batch)  puts the item's rows into a batch, the same ones for the same item and epoch
//   weight(item, epoch)      of the item in the mean loss, times the number of items: one on average
//   value(item, epoch, f)    its loss at the values f of its rows, offsets not yet added
//   slopes(item, epoch, f, g)  derivatives of that in f
//   fetch(item)        asks for what weight() and slopes() will read; of items of one row
//   objective(model)   the mean loss and the penalty, as reported after each epoch
//   validates()        whether samples are held out, and held_out_loss(model) the mean loss on them
// Here an item is a sample.
#ifndef HOFM_SOLVE_SG_SAMPLES_H
#define HOFM_SOLVE_SG_SAMPLES_H

#include <cstdint>
#include <optional>

#include "hofm/eval/batch.h"
#include "hofm/eval/objective.h"
#include "hofm/solve/task.h"

namespace hofm {

template <class Loss>
class Pointwise {
 public:
  static constexpr int rows = 1;

  Pointwise(Design &design, Samples &samples, const Options &options, Monitor &monitor)
      : design_(design), response_(samples.response), objective_(design, samples.response, options, monitor) {
    if (samples.held_out) held_out_.emplace(samples.held_out->design, samples.held_out->response, options, monitor);
  }

  const Design &design() const { return design_; }
  int items() const { return design_.n; }
  void add(int i, std::uint64_t, RowBatch &batch) const { batch.add(i); }
  double weight(int i, std::uint64_t) const { return design_.n * response_.weight[i]; }
  double value(int i, std::uint64_t, const double *f) const { return Loss::value(response_.y[i], response_.offset[i] + f[0]); }
  void slopes(int i, std::uint64_t, const double *f, double *g) const {
    g[0] = Loss::deriv(response_.y[i], response_.offset[i] + f[0]);
  }
  void fetch(int i) const {
    __builtin_prefetch(&response_.y[i]);
    __builtin_prefetch(&response_.offset[i]);
    __builtin_prefetch(&response_.weight[i]);
  }
  double objective(const Model &model) { return objective_(model); }
  bool validates() const { return held_out_.has_value(); }
  double held_out_loss(const Model &model) { return (*held_out_)(model)-penalty(model); }

 private:
  Design &design_;
  const Response &response_;
  Objective<Loss> objective_;
  std::optional<Objective<Loss>> held_out_;
};

}  // namespace hofm
#endif
