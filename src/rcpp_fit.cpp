// Fitting and predicting: convert, call, convert back.
#include <Rcpp.h>

#ifndef _WIN32
#include <pthread.h>
#endif

#include "hofm/base/finite.h"
#include "hofm/fit.h"
#include "hofm/eval/values.h"
#include "rcpp_convert.h"
#include "rcpp_monitor.h"

// `blocks`: the samples, see as_design(). `task`: what is learned from them, see as_task(). `report_on`: the samples whose link values are
// returned, without offsets; NULL for those of `blocks`.
// [[Rcpp::export]]
Rcpp::List fit_cpp(Rcpp::List blocks, Rcpp::List task, Rcpp::List model, Rcpp::List options, SEXP report_on, SEXP progress) {
  hofm::Design design = hofm::as_design(blocks);
  hofm::Task learned = hofm::as_task(task);
  hofm::Model fitted = hofm::as_model(model);
  hofm::Options settings = hofm::as_options(options);
  settings.resume = hofm::as_step_state(options["resume"], fitted);
  hofm::Monitor monitor = hofm::r_monitor(progress);
  hofm::Outcome outcome = hofm::train(design, learned, fitted, settings, monitor);

  Rcpp::List P(fitted.terms.size()), theta(fitted.terms.size());
  for (std::size_t t = 0; t < fitted.terms.size(); ++t) {
    P[t] = hofm::factors(fitted.terms[t]);
    theta[t] = fitted.terms[t].theta;
  }
  if (!Rf_isNull(report_on)) {
    hofm::Design shown = hofm::as_design(report_on);
    outcome.link = hofm::link_values(shown, fitted, {}, settings.threads, monitor);
  } else if (outcome.link.empty() && design.n > 0) {  // samples in shards stay there
    outcome.link = hofm::link_values(design, fitted, {}, settings.threads, monitor);  // rows that are there are used again
  }
  return Rcpp::List::create(
      Rcpp::_["intercept"] = fitted.intercept, Rcpp::_["common"] = fitted.common, Rcpp::_["P"] = P, Rcpp::_["theta"] = theta, Rcpp::_["link"] = outcome.link,
      Rcpp::_["objective"] = outcome.objective, Rcpp::_["converged"] = outcome.converged, Rcpp::_["eta"] = outcome.eta,
      Rcpp::_["steps"] = hofm::step_state(outcome.steps, fitted), Rcpp::_["halvings"] = outcome.halvings,
      Rcpp::_["diverged"] = outcome.diverged, Rcpp::_["imprecise"] = outcome.imprecise, Rcpp::_["penalty"] = hofm::penalty(fitted),
      Rcpp::_["validation"] = outcome.validation, Rcpp::_["best_epoch"] = outcome.best_epoch,
      Rcpp::_["trace"] =
          Rcpp::DataFrame::create(Rcpp::_["iteration"] = monitor.trace.iteration, Rcpp::_["seconds"] = monitor.trace.seconds,
                                  Rcpp::_["objective"] = monitor.trace.objective));
}

// Whether the slots of a dgCMatrix are what they should be. What is odd in any way, damaged or not, is left to validObject().
// [[Rcpp::export]]
bool is_sound_cpp(Rcpp::S4 x) {
  const SEXP p = x.slot("p"), i = x.slot("i"), value = x.slot("x"), dim = x.slot("Dim"), names = x.slot("Dimnames");
  if (TYPEOF(p) != INTSXP || TYPEOF(i) != INTSXP || TYPEOF(value) != REALSXP || TYPEOF(dim) != INTSXP || XLENGTH(dim) != 2)
    return false;
  const int *size = INTEGER(dim);
  if (size[0] < 0 || size[1] < 0 || XLENGTH(p) != R_xlen_t(size[1]) + 1 || XLENGTH(i) != XLENGTH(value)) return false;
  if (TYPEOF(names) != VECSXP || XLENGTH(names) != 2) return false;
  if (ATTRIB(p) != R_NilValue || ATTRIB(i) != R_NilValue || ATTRIB(value) != R_NilValue) return false;  // a matrix, say
  for (int side = 0; side < 2; ++side) {
    const SEXP of = VECTOR_ELT(names, side);
    if (!Rf_isNull(of) && (TYPEOF(of) != STRSXP || XLENGTH(of) != size[side])) return false;
  }
  return hofm::sound({size[1], size[0], INTEGER(p), INTEGER(i), REAL(value)}, std::size_t(XLENGTH(i)));
}

// [[Rcpp::export]]
bool all_finite_cpp(Rcpp::NumericVector x) { return hofm::all_finite(x.begin(), x.size()); }

// One column per term, without intercept and offset.
// [[Rcpp::export]]
Rcpp::NumericMatrix term_values_cpp(Rcpp::List blocks, Rcpp::List model, int threads) {
  hofm::Design design = hofm::as_design(blocks);
  const hofm::Model fitted = hofm::as_model(model);
  hofm::Monitor monitor = hofm::r_monitor();
  const std::vector<double> values = hofm::term_values(design, fitted, threads, monitor);
  return Rcpp::NumericMatrix(design.n, int(fitted.terms.size()), values.begin());
}

// Columns t = 1, 2, ...: sum_s weights(s, t) A^t(p_s, x).
// [[Rcpp::export]]
Rcpp::NumericMatrix degree_sums_cpp(Rcpp::List blocks, Rcpp::NumericMatrix P, Rcpp::NumericMatrix weights, int threads) {
  hofm::Design design = hofm::as_design(blocks);
  hofm::Term term;
  term.kernel = hofm::Kernel::mix;
  term.degree = weights.ncol();
  term.theta.assign(term.degree, 0.0);
  hofm::set_factors(term, P);
  hofm::Monitor monitor = hofm::r_monitor();
  const std::vector<double> values = hofm::degree_sums(design, term, Rcpp::as<std::vector<double>>(weights), threads, monitor);
  return Rcpp::NumericMatrix(design.n, term.degree, values.begin());
}

// Objective and gradient at a model: what the solvers that follow gradients see. `times`: how often, for those who time it.
// [[Rcpp::export]]
Rcpp::List objective_cpp(Rcpp::List blocks, Rcpp::List response, Rcpp::List model, Rcpp::List options, int times = 1) {
  hofm::Design design = hofm::as_design(blocks);
  const hofm::Response target = hofm::as_response(response);
  const hofm::Model at = hofm::as_model(model);
  const hofm::Options settings = hofm::as_options(options);
  hofm::Monitor monitor = hofm::r_monitor();
  hofm::Gradient gradient;
  const double value = hofm::with_loss(settings.loss, [&](auto loss) {
    hofm::Objective<decltype(loss)> objective(design, target, settings, monitor);
    for (int again = 1; again < times; ++again) objective(at, &gradient);
    return objective(at, &gradient);
  });
  Rcpp::List P(at.terms.size());
  for (std::size_t t = 0; t < at.terms.size(); ++t) {
    P[t] = hofm::factors(at.terms[t], gradient.P[t]);
  }
  return Rcpp::List::create(Rcpp::_["value"] = value, Rcpp::_["intercept"] = gradient.intercept, Rcpp::_["P"] = P);
}

// After a fork the child must not wait for threads that it does not have.
// [[Rcpp::init]]
void guard_forks(DllInfo *) {
#ifndef _WIN32
  pthread_atfork(nullptr, nullptr, [] { hofm::forked() = true; });
#endif
}
