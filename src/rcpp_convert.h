// R's values to the core's and back. Everything has been checked in R; a view on R's memory is never written to.
#ifndef HOFM_RCPP_CONVERT_H
#define HOFM_RCPP_CONVERT_H

#include <Rcpp.h>

#include <optional>

#include "hofm/data/design.h"
#include "hofm/model/dispatch.h"
#include "hofm/model/model.h"
#include "hofm/solve/task.h"
#include "rcpp_shards.h"

namespace hofm {

// The slots of a dgCMatrix by columns, without a copy: `x` must outlive the view.
inline SparseView as_columns(const Rcpp::S4 &x) {
  const Rcpp::IntegerVector p = x.slot("p"), i = x.slot("i"), dim = x.slot("Dim");
  const Rcpp::NumericVector value = x.slot("x");
  return {dim[1], dim[0], p.begin(), i.begin(), value.begin()};
}

// list(list(x = <dgCMatrix>, index = <1-based nodes or NULL>), ...)
inline Design as_design(const Rcpp::List &blocks) {
  Design design;
  for (R_xlen_t b = 0; b < blocks.size(); ++b) {
    const Rcpp::List block = blocks[b];
    std::vector<int> index;
    const SEXP nodes = block["index"];
    if (!Rf_isNull(nodes)) {
      index = Rcpp::as<std::vector<int>>(nodes);
      for (int &i : index) --i;
    }
    design.add(as_columns(block["x"]), std::move(index));
  }
  if (blocks.size() > 1) {
    const Rcpp::List left = blocks[0], right = blocks[1];
    if (left.containsElementNamed("common")) design.compare(as_columns(left["common"]), as_columns(right["common"]));
  }
  return design;
}

// A matrix in R for numbers that are laid out as the term's P, and back; padding of the latter gets the value `padding`.
inline Rcpp::NumericMatrix factors(const Term &term, const std::vector<double> &P) {
  Rcpp::NumericMatrix out(term.columns(), term.k);
  for (int j = 0; j < term.columns(); ++j)
    for (int s = 0; s < term.k; ++s) out(j, s) = P[std::size_t(j) * term.stride + s];
  return out;
}

inline std::vector<double> laid_out(const Term &term, const Rcpp::NumericMatrix &P, double padding) {
  std::vector<double> out(term.P.size(), padding);
  for (int j = 0; j < term.columns(); ++j)
    for (int s = 0; s < term.k; ++s) out[std::size_t(j) * term.stride + s] = P(j, s);
  return out;
}

inline Rcpp::NumericMatrix factors(const Term &term) { return factors(term, term.P); }

// An R matrix with a row per column of the term's P.
inline void set_factors(Term &term, const Rcpp::NumericMatrix &P) {
  term.set_rank(P.ncol());
  term.P.resize(std::size_t(P.nrow()) * term.stride);
  term.P = laid_out(term, P, 0.0);
}

// list(kernel =, degree =, augment =, split =, P = <(augment + d) x k matrix>, lambda =, theta =)
inline Term as_term(const Rcpp::List &list) {
  Term term;
  term.kernel = kernel_named(Rcpp::as<std::string>(list["kernel"]));
  term.degree = Rcpp::as<int>(list["degree"]);
  term.augment = Rcpp::as<int>(list["augment"]);
  term.split = Rcpp::as<int>(list["split"]);
  term.lambda = Rcpp::as<double>(list["lambda"]);
  term.theta = Rcpp::as<std::vector<double>>(list["theta"]);
  set_factors(term, list["P"]);
  return term;
}

// list(intercept =, fit_intercept =, terms = list(...))
inline Model as_model(const Rcpp::List &list) {
  Model model;
  model.intercept = Rcpp::as<double>(list["intercept"]);
  model.fit_intercept = Rcpp::as<bool>(list["fit_intercept"]);
  model.fit_common = list.containsElementNamed("common") && !Rf_isNull(list["common"]);
  if (model.fit_common) model.common = Rcpp::as<double>(list["common"]);
  const Rcpp::List terms = list["terms"];
  for (R_xlen_t t = 0; t < terms.size(); ++t) model.terms.push_back(as_term(terms[t]));
  return model;
}

// list(y =, weights =, offset = <n or 0 numbers>)
inline Response as_response(const Rcpp::List &list) {
  Response r;
  r.y = Rcpp::as<std::vector<double>>(list["y"]);
  r.weight = Rcpp::as<std::vector<double>>(list["weights"]);
  r.offset = Rcpp::as<std::vector<double>>(list["offset"]);
  if (r.offset.empty()) r.offset.assign(r.y.size(), 0.0);
  for (double w : r.weight) r.uniform = r.uniform && w == r.weight[0];
  return r;
}

// 1-based numbers of samples.
inline std::vector<int> as_samples(const Rcpp::IntegerVector &numbers) {
  std::vector<int> samples(numbers.begin(), numbers.end());
  for (int &i : samples) --i;
  return samples;
}

// list(links =, others = <numbers of samples>)
inline PairSample as_pair_sample(const Rcpp::List &list) { return {as_samples(list["links"]), as_samples(list["others"])}; }

// list(blocks =, response =, reported = <or NULL>), or NULL
inline std::optional<HeldOut> as_held_out(SEXP from) {
  if (Rf_isNull(from)) return std::nullopt;
  const Rcpp::List list(from);
  HeldOut held;
  held.design = as_design(list["blocks"]);
  held.response = as_response(list["response"]);
  if (!Rf_isNull(list["reported"])) held.reported = as_pair_sample(list["reported"]);
  return held;
}

// list(pairs =, links =, negative_weight =)
inline AllPairs as_all_pairs(const Rcpp::List &list) {
  AllPairs pairs;
  pairs.links = Rcpp::as<int>(list["links"]);
  pairs.pairs = Rcpp::as<double>(list["pairs"]);
  pairs.negative_weight = Rcpp::as<double>(list["negative_weight"]);
  return pairs;
}

// list(response =, links =, others = <numbers of samples, none to draw from all free pairs>, reported =, graph =, nodes =, size =,
// known = <codes>, held_out =)
inline Ranking as_ranking(const Rcpp::List &list) {
  Ranking ranking;
  ranking.response = as_response(list["response"]);
  ranking.links = as_samples(list["links"]);
  ranking.others = as_samples(list["others"]);
  ranking.reported = as_pair_sample(list["reported"]);
  ranking.held_out = as_held_out(list["held_out"]);
  if (!ranking.others.empty()) return ranking;
  const Rcpp::NumericVector known = list["known"];
  ranking.free = FreePairs(Rcpp::as<std::string>(list["graph"]), std::uint64_t(Rcpp::as<double>(list["nodes"])),
                           std::uint64_t(Rcpp::as<double>(list["size"])), std::vector<std::uint64_t>(known.begin(), known.end()));
  return ranking;
}

// list(kind = "samples", response =, held_out =), or one of those above with its kind.
inline Task as_task(const Rcpp::List &list) {
  const std::string kind = Rcpp::as<std::string>(list["kind"]);
  if (kind == "all_pairs") return as_all_pairs(list);
  if (kind == "ranking") return as_ranking(list);
  if (kind == "shards") return as_shards(list);
  return Samples{as_response(list["response"]), as_held_out(list["held_out"])};
}

// list(epochs =, eta =, intercept =, memory = <a matrix for each term, or none>) or NULL. Padding has no gradient: see simd/steps.h.
inline StepState as_step_state(SEXP from, const Model &model) {
  StepState state;
  if (Rf_isNull(from)) return state;
  const Rcpp::List list(from), memory = list["memory"];
  state.epochs = Rcpp::as<int>(list["epochs"]);
  state.eta = Rcpp::as<double>(list["eta"]);
  state.intercept = Rcpp::as<double>(list["intercept"]);
  state.memory.resize(model.terms.size());
  for (R_xlen_t t = 0; t < memory.size(); ++t) state.memory[t] = laid_out(model.terms[t], memory[t], 1.0);
  return state;
}

inline Rcpp::RObject step_state(const StepState &state, const Model &model) {
  if (state.epochs == 0) return R_NilValue;
  const bool remembers = !state.memory.empty() && !state.memory[0].empty();
  Rcpp::List memory(remembers ? model.terms.size() : 0);
  for (R_xlen_t t = 0; t < memory.size(); ++t) memory[t] = factors(model.terms[t], state.memory[t]);
  return Rcpp::List::create(Rcpp::_["epochs"] = state.epochs, Rcpp::_["eta"] = state.eta, Rcpp::_["intercept"] = state.intercept,
                            Rcpp::_["memory"] = memory);
}

inline Options as_options(const Rcpp::List &list) {
  Options o;
  o.solver = Rcpp::as<std::string>(list["solver"]);
  o.loss = Rcpp::as<std::string>(list["loss"]);
  o.sweep = Rcpp::as<std::string>(list["sweep"]);
  o.extrapolate = Rcpp::as<bool>(list["extrapolate"]);
  o.max_iter = Rcpp::as<int>(list["max_iter"]);
  o.tol = Rcpp::as<double>(list["tol"]);
  o.eta = Rcpp::as<double>(list["eta"]);
  o.warm = Rcpp::as<bool>(list["warm"]);
  o.batch = Rcpp::as<int>(list["batch"]);
  o.threads = Rcpp::as<int>(list["threads"]);
  o.patience = Rcpp::as<int>(list["patience"]);
  o.seed = std::uint64_t(Rcpp::as<double>(list["seed"]));
  return o;
}

}  // namespace hofm
#endif
