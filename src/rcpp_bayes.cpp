// Sampling: convert, call, convert back.
#include <Rcpp.h>

#include "hofm/bayes/predict.h"
#include "hofm/bayes/sampler.h"
#include "rcpp_convert.h"
#include "rcpp_monitor.h"

namespace {

struct Interrupted {};

void check_interrupt(void *) { R_CheckUserInterrupt(); }

// A sampler that is interrupted returns what it has: the wish must come back as an exception of ours.
hofm::Monitor sampling_monitor(SEXP progress) {
  hofm::Monitor monitor = hofm::r_monitor(progress);
  monitor.interrupt = [] {
    if (!R_ToplevelExec(check_interrupt, nullptr)) throw Interrupted();
  };
  return monitor;
}

// list(family =, classes =, y =, offset =, weights = <or none>, group = <1-based>, groups =)
hofm::bayes::Data as_data(const Rcpp::List &list) {
  hofm::bayes::Data data;
  const std::string family = Rcpp::as<std::string>(list["family"]);
  data.family = family == "gaussian" ? hofm::bayes::Family::gaussian
                : family == "probit" ? hofm::bayes::Family::probit
                                     : hofm::bayes::Family::ordinal;
  data.classes = Rcpp::as<int>(list["classes"]);
  data.y = Rcpp::as<std::vector<double>>(list["y"]);
  data.offset = Rcpp::as<std::vector<double>>(list["offset"]);
  data.weight = Rcpp::as<std::vector<double>>(list["weights"]);
  data.group = hofm::as_samples(list["group"]);
  data.groups = Rcpp::as<int>(list["groups"]);
  return data;
}

// list(shape =, mean_strength =, rate =, fixed =, noise_shape =, noise_rate =, noise_fixed =, intercept_sd =)
hofm::bayes::Prior as_prior(const Rcpp::List &list) {
  hofm::bayes::Prior prior;
  prior.shape = list["shape"];
  prior.mean_strength = list["mean_strength"];
  prior.rate = Rcpp::as<std::vector<double>>(list["rate"]);
  prior.fixed = Rcpp::as<std::vector<double>>(list["fixed"]);
  prior.noise_shape = list["noise_shape"];
  prior.noise_rate = list["noise_rate"];
  prior.noise_fixed = list["noise_fixed"];
  prior.intercept_sd = list["intercept_sd"];
  return prior;
}

// A state of the shape that `model` has, with nothing in it.
hofm::bayes::State empty_state(const hofm::Model &model, int groups, int classes) {
  hofm::bayes::State state;
  state.model = model;
  for (const hofm::Term &term : model.terms) {
    const std::size_t size = std::size_t(term.k) * (groups + (term.augment > 0));
    state.hyper.push_back({std::vector<double>(size, 1.0), std::vector<double>(size, 0.0)});
  }
  if (classes > 1) state.cuts.assign(classes - 1, 0.0);
  return state;
}

Rcpp::NumericMatrix as_matrix(const std::vector<double> &x, int columns) {
  return Rcpp::NumericMatrix(columns > 0 ? int(x.size() / columns) : 0, columns, x.begin());
}

}  // namespace

// The variance of parameters at which each term has a mean square of one.
// [[Rcpp::export]]
Rcpp::NumericVector unit_variance_cpp(Rcpp::List blocks, Rcpp::List model) {
  const hofm::Design design = hofm::as_design(blocks);
  const hofm::Model of = hofm::as_model(model);
  std::vector<double> out;
  for (const hofm::Term &term : of.terms) out.push_back(hofm::bayes::unit_variance(design, term.degree, term.augment, term.k));
  return Rcpp::wrap(out);
}

// `from`: list(state = <packed>, sweeps =, step =) for each chain to go on from, or nothing; then `spread` says how each starts. `plan`:
// list(iter =, warmup =, keep =, watch =, watched = <samples>, threads =, seed =, chains =).
// [[Rcpp::export]]
Rcpp::List sample_cpp(Rcpp::List blocks, Rcpp::List data, Rcpp::List model, Rcpp::List prior, Rcpp::List plan, Rcpp::List from,
                      Rcpp::NumericVector spread, SEXP progress) {
  hofm::Design design = hofm::as_design(blocks);
  const hofm::bayes::Data known = as_data(data);
  const hofm::bayes::Prior law = as_prior(prior);
  hofm::bayes::Plan work;
  work.iter = plan["iter"];
  work.warmup = plan["warmup"];
  work.keep = plan["keep"];
  work.watch = plan["watch"];
  work.watched = hofm::as_samples(plan["watched"]);
  work.threads = plan["threads"];
  const int chains = plan["chains"];
  const bool resumed = from.size() > 0;
  hofm::bayes::State shape = empty_state(hofm::as_model(model), known.groups, resumed ? known.classes : 0);
  std::vector<hofm::bayes::State> states(chains, shape);
  for (int c = 0; resumed && c < chains; ++c) {
    const Rcpp::List one = from[c];
    const std::vector<double> packed = one["state"];
    hofm::bayes::unpack(packed.data(), states[c]);
    states[c].step = Rcpp::as<std::vector<double>>(one["step"]);
    states[c].sweeps = std::uint32_t(Rcpp::as<double>(one["sweeps"]));
  }
  hofm::Monitor monitor = sampling_monitor(progress);
  const auto seed = std::uint32_t(Rcpp::as<double>(plan["seed"]));
  hofm::bayes::Sampler sampler(design, known, law, seed, work, states, monitor);
  if (!resumed) sampler.start(Rcpp::as<std::vector<double>>(spread));
  bool interrupted = false;
  try {
    sampler();
  } catch (const Interrupted &) {
    interrupted = true;
  }
  Rcpp::List out(chains);
  for (int c = 0; c < chains; ++c) {
    const hofm::bayes::Record &r = sampler.records()[c];
    out[c] = Rcpp::List::create(
        Rcpp::_["draws"] = as_matrix(r.draws, r.kept), Rcpp::_["watched"] = as_matrix(r.watched, r.times), Rcpp::_["mean"] = r.mean,
        Rcpp::_["link_mean"] = r.link_mean, Rcpp::_["link_squares"] = r.link_squares, Rcpp::_["count"] = r.sweeps,
        Rcpp::_["broken"] = r.broken,
        Rcpp::_["last"] = Rcpp::List::create(Rcpp::_["state"] = hofm::bayes::packed(states[c]), Rcpp::_["step"] = states[c].step,
                                             Rcpp::_["sweeps"] = double(states[c].sweeps)));
  }
  return Rcpp::List::create(Rcpp::_["chains"] = out, Rcpp::_["interrupted"] = interrupted, Rcpp::_["seconds"] = monitor.seconds());
}

// Link values, draws x samples. `shape`: list(model =, groups =, classes =).
// [[Rcpp::export]]
Rcpp::NumericMatrix posterior_link_cpp(Rcpp::List blocks, Rcpp::List shape, Rcpp::NumericMatrix draws, Rcpp::NumericVector offset,
                                       Rcpp::IntegerVector level_group, double seed, int threads) {
  hofm::Design design = hofm::as_design(blocks);
  const int groups = shape["groups"];
  hofm::Monitor monitor = hofm::r_monitor();
  const std::vector<double> values = hofm::bayes::posterior_link(
      design, empty_state(hofm::as_model(shape["model"]), groups, shape["classes"]), draws.begin(), draws.nrow(), draws.ncol(),
      Rcpp::as<std::vector<double>>(offset), hofm::as_samples(level_group), groups, std::uint32_t(seed), threads, monitor);
  return Rcpp::NumericMatrix(draws.ncol(), design.n, values.begin());
}

// Quantiles of each column: columns x probs.
// [[Rcpp::export]]
Rcpp::NumericMatrix column_quantiles_cpp(Rcpp::NumericMatrix values, Rcpp::NumericVector probs) {
  Rcpp::NumericMatrix out(probs.size(), values.ncol());
  hofm::bayes::column_quantiles(values.begin(), values.nrow(), values.ncol(), Rcpp::as<std::vector<double>>(probs), out.begin());
  return Rcpp::transpose(out);
}
