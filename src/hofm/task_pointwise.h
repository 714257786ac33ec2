// What a stochastic solver learns from, item by item. A task says which rows an item has and what its loss is:
//   rows               rows per item
//   items()            how many items there are
//   add(item, epoch, batch)  puts the item's rows into a batch, the same ones for the same item and epoch
//   weight(item, epoch)      of the item in the mean loss, times the number of items: one on average
//   value(item, epoch, f)    its loss at the values f of its rows, offsets not yet added
//   slopes(item, epoch, f, g)  derivatives of that in f
//   objective(model)   the mean loss and the penalty, as reported after each epoch
// Here an item is a sample.
#ifndef HOFM_TASK_POINTWISE_H
#define HOFM_TASK_POINTWISE_H

#include <cstdint>

#include "objective.h"
#include "row_batch.h"

namespace hofm {

template <class Loss>
class Pointwise {
 public:
  static constexpr int rows = 1;

  Pointwise(Design &design, const Response &response, const Options &options, Monitor &monitor)
      : design_(design), response_(response), objective_(design, response, options, monitor) {}

  const Design &design() const { return design_; }
  int items() const { return design_.n; }
  void add(int i, std::uint64_t, RowBatch &batch) const { batch.add(i); }
  double weight(int i, std::uint64_t) const { return design_.n * response_.weight[i]; }
  double value(int i, std::uint64_t, const double *f) const { return Loss::value(response_.y[i], response_.offset[i] + f[0]); }
  void slopes(int i, std::uint64_t, const double *f, double *g) const {
    g[0] = Loss::deriv(response_.y[i], response_.offset[i] + f[0]);
  }
  double objective(const Model &model) { return objective_(model); }

 private:
  Design &design_;
  const Response &response_;
  Objective<Loss> objective_;
};

}  // namespace hofm
#endif
