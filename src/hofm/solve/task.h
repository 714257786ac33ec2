// What is learned from, as a value: the samples of a design as they are, all pairs of two node sets, links to be ranked above other
// samples, or samples in shards. Made by whoever calls train() (hofm/fit.h); its kind decides which solvers there are.
#ifndef HOFM_SOLVE_TASK_H
#define HOFM_SOLVE_TASK_H

#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "hofm/base/checkpoint.h"
#include "hofm/base/fixed_sum.h"
#include "hofm/data/design.h"
#include "hofm/data/free_pairs.h"
#include "hofm/model/model.h"

namespace hofm {

// A fixed sample of what a ranking loss is a mean of: sample links[q] against sample others[q].
struct PairSample {
  std::vector<int> links, others;
};

// Samples that the stochastic solvers do not train on but stop by.
struct HeldOut {
  Design design;
  Response response;
  PairSample reported;  // of a ranking
};

struct Samples {
  Response response;
  std::optional<HeldOut> held_out;
};

// Every pair of the nodes of two blocks: links with response 1, all others with response 0 and a weight of their own. Samples of the
// design are the links, then, for one node set, the pairs (i, i), which are no pairs.
struct AllPairs {
  int links = 0;
  double pairs = 0;            // links included, the pairs (i, i) left out
  double negative_weight = 1;  // w0
};

// Links are ranked above other samples or, if there are none, above pairs of nodes that are not links, drawn on the fly.
struct Ranking {
  Response response;
  std::vector<int> links, others;
  FreePairs free;
  PairSample reported;  // what the objective is the loss of
  std::optional<HeldOut> held_out;
};

// Samples that are not all in memory at a time. The rows of a shard are there in its design, its columns are not; the weights of all
// shards together sum to one.
struct ShardRows {
  Design design;
  Response response;
};

// Sums over samples that others may have added up (base/fixed_sum.h): the slopes in intercept and terms, in this order, and the loss.
struct ShardSums {
  FixedSum gradient, loss;
};

struct ShardSource {
  int count = 0, features = 0;
  double rows = 0;                           // of all shards
  std::function<ShardRows(int shard)> load;  // may be called by several threads at a time
  // Who sums over the shards, if it is not this process: at a model, with the exponents of the sums; without slopes if none are wanted.
  std::function<ShardSums(const Model &, bool slopes, int gradient_exponent, int loss_exponent)> elsewhere;
};

struct Shards {
  ShardSource train;
  std::optional<ShardSource> held_out;
  Checkpoint checkpoint;
};

using Task = std::variant<Samples, AllPairs, Ranking, Shards>;

}  // namespace hofm
#endif
