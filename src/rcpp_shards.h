// Shards as a task: files to the core's rows.
#ifndef HOFM_RCPP_SHARDS_H
#define HOFM_RCPP_SHARDS_H

#include <Rcpp.h>

#include <cstring>
#include <utility>

#include "hofm/io/shard.h"
#include "hofm/solve/task.h"

namespace hofm {

// list(files =, features =, rows =, weight = <sum over all rows>, code = <a, b: responses y are learned as a + b y>)
inline ShardSource as_shard_source(const Rcpp::List &list) {
  const std::vector<std::string> files = Rcpp::as<std::vector<std::string>>(list["files"]);
  const int features = Rcpp::as<int>(list["features"]);
  const double weight = Rcpp::as<double>(list["weight"]);
  const std::vector<double> code = Rcpp::as<std::vector<double>>(list["code"]);
  ShardSource source;
  source.count = int(files.size());
  source.rows = Rcpp::as<double>(list["rows"]);
  source.load = [=](int s) {
    Shard shard = ShardReader(files[s]).read();
    if (shard.rows.inner > features) throw ShardError(files[s], "has more features than the other shards of its folder");
    if (shard.rows.outer == 0) throw ShardError(files[s], "has no rows");
    shard.rows.inner = features;
    ShardRows rows;
    rows.design.add_rows(std::move(shard.rows));
    for (double &y : shard.y) y = code[0] + code[1] * y;
    for (double &w : shard.weight) w /= weight;
    rows.response = {std::move(shard.y), std::move(shard.weight), std::move(shard.offset), false};
    return rows;
  };
  return source;
}

// The sums as bytes, which any connection carries: two flags and two exponents, the loss, the slopes.
inline Rcpp::RawVector as_bytes(const ShardSums &sums) {
  std::vector<std::int64_t> numbers = {sums.gradient.overflow, sums.loss.overflow, sums.gradient.exponent, sums.loss.exponent,
                                       sums.loss.total[0]};
  numbers.insert(numbers.end(), sums.gradient.total.begin(), sums.gradient.total.end());
  Rcpp::RawVector out(R_xlen_t(numbers.size() * sizeof(std::int64_t)));
  std::memcpy(&out[0], numbers.data(), std::size_t(out.size()));
  return out;
}

inline ShardSums as_sums(const Rcpp::RawVector &bytes) {
  if (bytes.size() < 40 || bytes.size() % 8) Rcpp::stop("sums of shards came back damaged");
  std::vector<std::int64_t> numbers(std::size_t(bytes.size()) / 8);
  std::memcpy(numbers.data(), &bytes[0], std::size_t(bytes.size()));
  ShardSums sums{FixedSum(int(numbers[2]), numbers.size() - 5), FixedSum(int(numbers[3]), 1)};
  sums.gradient.overflow = numbers[0] != 0;
  sums.loss.overflow = numbers[1] != 0;
  sums.loss.total[0] = numbers[4];
  std::copy(numbers.begin() + 5, numbers.end(), sums.gradient.total.begin());
  return sums;
}

// Intercept and terms as bytes, and back.
inline Rcpp::RawVector parameter_bytes(const Model &model) {
  std::vector<double> all = {model.intercept};
  for (const Term &term : model.terms) all.insert(all.end(), term.P.begin(), term.P.end());
  Rcpp::RawVector out(R_xlen_t(all.size() * sizeof(double)));
  std::memcpy(&out[0], all.data(), std::size_t(out.size()));
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
    std::memcpy(term.P.data(), at, term.P.size() * sizeof(double));
    at += term.P.size() * sizeof(double);
  }
}

// list(train = <source>, validation = <source or NULL>, elsewhere = <function(parameters, slopes, exponents) or NULL>)
inline Shards as_shards(const Rcpp::List &list) {
  Shards shards;
  shards.train = as_shard_source(list["train"]);
  if (!Rf_isNull(list["validation"])) shards.held_out = as_shard_source(list["validation"]);
  if (!Rf_isNull(list["elsewhere"])) {
    const Rcpp::Function call = list["elsewhere"];
    shards.train.elsewhere = [call](const Model &model, bool slopes, int gradient_exponent, int loss_exponent) {
      const Rcpp::RawVector bytes =
          call(parameter_bytes(model), slopes, Rcpp::IntegerVector::create(gradient_exponent, loss_exponent));
      ShardSums sums = as_sums(bytes);
      const std::size_t size = std::size_t(parameter_bytes(model).size()) / sizeof(double);
      if (sums.gradient.total.size() != (slopes ? size : 0)) Rcpp::stop("sums of shards came back damaged");
      return sums;
    };
  }
  return shards;
}

}  // namespace hofm
#endif
