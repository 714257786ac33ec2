// The items (see solve/sg_samples.h) of ranking links above other samples: an item is a link together with another sample that is drawn
// anew in every epoch, and its loss is log(1 + exp(-(f of the link - f of the other))). Over all such pairs, the share of negative
// differences is one minus the area under the ROC curve, which the loss bounds from above up to a factor of log 2.
#ifndef HOFM_SOLVE_SG_RANKING_H
#define HOFM_SOLVE_SG_RANKING_H

#include <cstdint>
#include <vector>

#include "hofm/data/free_pairs.h"
#include "hofm/eval/batch.h"
#include "hofm/eval/values.h"
#include "hofm/model/loss.h"
#include "hofm/solve/task.h"

namespace hofm {

// The mean loss over a fixed sample of pairs, weighted by the product of the samples' weights.
inline double pairwise_loss(Design &design, const Response &response, const PairSample &pairs, const Model &model, int threads,
                            Monitor &monitor) {
  const std::vector<double> f = link_values(design, model, response.offset, threads, monitor);
  double loss = 0, total = 0;
  for (std::size_t q = 0; q < pairs.links.size(); ++q) {
    const int i = pairs.links[q], j = pairs.others[q];
    const double weight = response.weight[i] * response.weight[j];
    loss += weight * Logistic::value(1, f[i] - f[j]);
    total += weight;
  }
  return loss / total;
}

class Pairwise {
 public:
  static constexpr int rows = 2;

  Pairwise(Design &design, Ranking &ranking, const Options &options, Monitor &monitor)
      : design_(design), response_(ranking.response), ranking_(ranking), options_(options), monitor_(monitor),
        links_weight_(mean_weight(ranking.links)), others_weight_(mean_weight(ranking.others)) {
    design_.need_rows();
  }

  const Design &design() const { return design_; }
  int items() const { return int(ranking_.links.size()); }

  void add(int item, std::uint64_t epoch, RowBatch &batch) const {
    batch.add(ranking_.links[item]);
    if (!ranking_.others.empty()) return batch.add(other(item, epoch));
    Random random(options_.seed, epoch, std::uint64_t(item));
    const std::pair<int, int> nodes = ranking_.free.draw(random);
    batch.add(nodes.first, nodes.second);
  }

  double weight(int item, std::uint64_t epoch) const {
    const double own = response_.weight[ranking_.links[item]] / links_weight_;
    return ranking_.others.empty() ? own : own * response_.weight[other(item, epoch)] / others_weight_;
  }

  double value(int item, std::uint64_t epoch, const double *f) const { return Logistic::value(1, difference(item, epoch, f)); }
  void slopes(int item, std::uint64_t epoch, const double *f, double *g) const {
    g[0] = Logistic::deriv(1, difference(item, epoch, f));
    g[1] = -g[0];
  }

  double objective(const Model &model) {
    return pairwise_loss(design_, response_, ranking_.reported, model, options_.threads, monitor_) + penalty(model);
  }
  bool validates() const { return ranking_.held_out.has_value(); }
  double held_out_loss(const Model &model) {
    HeldOut &held = *ranking_.held_out;
    return pairwise_loss(held.design, held.response, held.reported, model, options_.threads, monitor_);
  }

 private:
  double mean_weight(const std::vector<int> &samples) const {
    double sum = 0;
    for (int i : samples) sum += response_.weight[i];
    return sum / double(samples.size());
  }

  // The sample that an item's link is compared with, if it is one.
  int other(int item, std::uint64_t epoch) const {
    Random random(options_.seed, epoch, std::uint64_t(item));
    return ranking_.others[random.below(ranking_.others.size())];
  }

  double difference(int item, std::uint64_t epoch, const double *f) const {
    const double d = f[0] - f[1] + response_.offset[ranking_.links[item]];
    return ranking_.others.empty() ? d : d - response_.offset[other(item, epoch)];
  }

  Design &design_;
  const Response &response_;
  Ranking &ranking_;
  const Options &options_;
  Monitor &monitor_;
  double links_weight_, others_weight_;
};

}  // namespace hofm
#endif
