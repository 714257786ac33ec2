// Shards as a task: files to the core's rows.
#ifndef HOFM_RCPP_SHARDS_H
#define HOFM_RCPP_SHARDS_H

#include <Rcpp.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "hofm/data/rescale.h"
#include "hofm/io/shard.h"
#include "hofm/solve/task.h"

namespace hofm {

inline std::uint64_t from_hex(const std::string &text) { return std::strtoull(text.c_str(), nullptr, 16); }

// list(files =, features =, rows =, weight = <sum over all rows>, code = <a, b: responses y are learned as a + b y>, center =, scale =
// <of each feature, or NULL>)
inline ShardSource as_shard_source(const Rcpp::List &list) {
  const std::vector<std::string> files = Rcpp::as<std::vector<std::string>>(list["files"]);
  const int features = Rcpp::as<int>(list["features"]);
  const double weight = Rcpp::as<double>(list["weight"]);
  const std::vector<double> code = Rcpp::as<std::vector<double>>(list["code"]);
  Rescale rescale;
  if (!Rf_isNull(list["scale"]))
    rescale = Rescale(Rcpp::as<std::vector<double>>(list["center"]), Rcpp::as<std::vector<double>>(list["scale"]));
  ShardSource source;
  source.count = int(files.size());
  source.features = features;
  source.rows = Rcpp::as<double>(list["rows"]);
  source.load = [=](int s) {
    Shard shard = ShardReader(files[s]).read();
    if (shard.rows.inner > features) throw FileError(files[s], "has more features than the other shards of its folder");
    if (shard.rows.outer == 0) throw FileError(files[s], "has no rows");
    shard.rows.inner = features;
    rescale(shard.rows);
    ShardRows rows;
    rows.design.add_rows(std::move(shard.rows));
    for (double &y : shard.y) y = code[0] + code[1] * y;
    for (double &w : shard.weight) w /= weight;
    rows.response = {std::move(shard.y), std::move(shard.weight), std::move(shard.offset), false};
    return rows;
  };
  return source;
}

// The sums as bytes, which any connection carries: of the slopes and of the loss what FixedSum says of itself, then the numbers.
constexpr int kSumFacts = 8;

inline std::vector<std::int64_t> sum_facts(const FixedSum &sum) {
  std::int64_t most;
  std::memcpy(&most, &sum.most, sizeof most);
  return {sum.overflow, sum.finite, most, sum.exponent};
}

inline void set_sum_facts(FixedSum &sum, const std::int64_t *facts) {
  sum.overflow = facts[0] != 0;
  sum.finite = facts[1] != 0;
  std::memcpy(&sum.most, &facts[2], sizeof sum.most);
}

inline Rcpp::RawVector as_bytes(const ShardSums &sums) {
  Rcpp::RawVector out(R_xlen_t((kSumFacts + 1 + sums.gradient.total.size()) * sizeof(std::int64_t)));
  std::vector<std::int64_t> head = sum_facts(sums.gradient);
  const std::vector<std::int64_t> more = sum_facts(sums.loss);
  head.insert(head.end(), more.begin(), more.end());
  head.push_back(sums.loss.total[0]);
  std::memcpy(&out[0], head.data(), head.size() * sizeof(std::int64_t));
  if (!sums.gradient.total.empty())
    std::memcpy(&out[0] + head.size() * sizeof(std::int64_t), sums.gradient.total.data(),
                sums.gradient.total.size() * sizeof(std::int64_t));
  return out;
}

inline ShardSums as_sums(const Rcpp::RawVector &bytes) {
  constexpr std::size_t word = sizeof(std::int64_t), head = kSumFacts + 1;
  if (std::size_t(bytes.size()) < head * word || bytes.size() % word) Rcpp::stop("sums of shards came back damaged");
  std::int64_t facts[head];
  std::memcpy(facts, &bytes[0], sizeof facts);
  const std::size_t n = std::size_t(bytes.size()) / word - head;
  ShardSums sums{FixedSum(int(facts[3]), n), FixedSum(int(facts[7]), 1)};
  set_sum_facts(sums.gradient, facts);
  set_sum_facts(sums.loss, facts + 4);
  sums.loss.total[0] = facts[8];
  if (n) std::memcpy(sums.gradient.total.data(), &bytes[0] + head * word, n * word);
  return sums;
}

// Intercept and terms as bytes, and back.
inline Rcpp::RawVector parameter_bytes(const Model &model) {
  std::size_t size = 1;
  for (const Term &term : model.terms) size += term.P.size();
  Rcpp::RawVector out(Rcpp::no_init(R_xlen_t(size * sizeof(double))));
  unsigned char *at = &out[0];
  std::memcpy(at, &model.intercept, sizeof(double));
  at += sizeof(double);
  for (const Term &term : model.terms) {
    if (!term.P.empty()) std::memcpy(at, term.P.data(), term.P.size() * sizeof(double));
    at += term.P.size() * sizeof(double);
  }
  return out;
}

inline void set_parameters(Model &model, const Rcpp::RawVector &bytes) {
  std::size_t size = 1;
  for (const Term &term : model.terms) size += term.P.size();
  if (std::size_t(bytes.size()) != size * sizeof(double)) Rcpp::stop("parameters came damaged");
  const unsigned char *at = &bytes[0];
  std::memcpy(&model.intercept, at, sizeof(double));
  at += sizeof(double);
  for (Term &term : model.terms) {
    if (!term.P.empty()) std::memcpy(term.P.data(), at, term.P.size() * sizeof(double));
    at += term.P.size() * sizeof(double);
  }
}

// list(train = <source>, validation = <source or NULL>, elsewhere = <function(parameters, slopes, exponents) or NULL>,
// checkpoint = <list(file =, key =, seed =, stage =) or NULL>)
inline Shards as_shards(const Rcpp::List &list) {
  Shards shards;
  shards.train = as_shard_source(list["train"]);
  if (!Rf_isNull(list["validation"])) shards.held_out = as_shard_source(list["validation"]);
  if (!Rf_isNull(list["checkpoint"])) {
    const Rcpp::List at = list["checkpoint"];
    shards.checkpoint.file = Rcpp::as<std::string>(at["file"]);
    shards.checkpoint.key = from_hex(Rcpp::as<std::string>(at["key"]));
    shards.checkpoint.seed = Rcpp::as<double>(at["seed"]);
    shards.checkpoint.stage = std::uint64_t(Rcpp::as<double>(at["stage"]));
  }
  if (!Rf_isNull(list["elsewhere"])) {
    const Rcpp::Function call = list["elsewhere"];
    shards.train.elsewhere = [call](const Model &model, bool slopes, int gradient_exponent, int loss_exponent) {
      const Rcpp::RawVector parameters = parameter_bytes(model);
      const std::size_t size = std::size_t(parameters.size()) / sizeof(double);
      const Rcpp::RawVector bytes = call(parameters, slopes, Rcpp::IntegerVector::create(gradient_exponent, loss_exponent));
      ShardSums sums = as_sums(bytes);
      if (sums.gradient.total.size() != (slopes ? size : 0)) Rcpp::stop("sums of shards came back damaged");
      return sums;
    };
  }
  return shards;
}

}  // namespace hofm
#endif
