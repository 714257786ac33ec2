// Areas and curves of the core as R's values.
#ifndef HOFM_RCPP_CURVE_H
#define HOFM_RCPP_CURVE_H

#include <Rcpp.h>

#include "hofm/stats/auc.h"
#include "hofm/base/monitor.h"

namespace hofm {

// Long sorts and walks let the user interrupt.
inline auto tick_of(Monitor &monitor) {
  return [&monitor] { monitor.poll(double(kTickSteps)); };
}

// `n_pos`, `n_neg`: observations, which the sums of their weights need not be.
inline Rcpp::NumericVector area_summary(const AucStats &stats, double n_pos, double n_neg) {
  return Rcpp::NumericVector::create(Rcpp::_["auc"] = stats.auc, Rcpp::_["variance"] = stats.variance(), Rcpp::_["n_pos"] = n_pos,
                                     Rcpp::_["n_neg"] = n_neg);
}

// list(threshold =, fpr =, tpr =, summary =)
template <class Ranking>
Rcpp::List curve_points(const Ranking &ranking, double max_points, const Rcpp::NumericVector &summary, Monitor &monitor) {
  const auto tick = tick_of(monitor);
  R_xlen_t rows = 0, row = 0;
  walk_curve(
      ranking, max_points, [&](double, double, double) { ++rows; }, tick);
  Rcpp::NumericVector threshold(Rcpp::no_init(rows)), fpr(Rcpp::no_init(rows)), tpr(Rcpp::no_init(rows));
  walk_curve(
      ranking, max_points,
      [&](double at, double x, double y) {
        threshold[row] = at;
        fpr[row] = x;
        tpr[row++] = y;
      },
      tick);
  return Rcpp::List::create(Rcpp::_["threshold"] = threshold, Rcpp::_["fpr"] = fpr, Rcpp::_["tpr"] = tpr,
                            Rcpp::_["summary"] = summary);
}

}  // namespace hofm
#endif
