// Areas under ROC curves and the curves: convert, call, convert back.
#include <Rcpp.h>

#include "hofm/stats/auc.h"
#include "rcpp_curve.h"
#include "rcpp_monitor.h"

using Rcpp::LogicalVector;
using Rcpp::Named;
using Rcpp::NumericVector;

namespace {

std::size_t size_of(const NumericVector &x) { return static_cast<std::size_t>(x.size()); }

// Sorts with or without weights (none when empty), and hands the ranking to f.
template <class F>
auto with_ranking(const LogicalVector &positive, const NumericVector &score, const NumericVector &weights, hofm::Monitor &monitor,
                  F &&f) {
  const auto tick = hofm::tick_of(monitor);
  const std::size_t n = size_of(score);
  if (weights.size() == 0) return f(hofm::sort_scores(positive.begin(), score.begin(), n, tick));
  return f(hofm::sort_scores(positive.begin(), score.begin(), weights.begin(), n, tick));
}

template <class Ranking>
NumericVector auc_summary(const Ranking &ranking, hofm::Monitor &monitor) {
  return hofm::area_summary(hofm::auc_stats(ranking, hofm::tick_of(monitor)), double(ranking.pos.size()),
                            double(ranking.neg.size()));
}

}  // namespace

// [[Rcpp::export]]
NumericVector auc_cpp(LogicalVector positive, NumericVector score, NumericVector weights) {
  hofm::Monitor monitor = hofm::r_monitor();
  return with_ranking(positive, score, weights, monitor, [&](const auto &ranking) { return auc_summary(ranking, monitor); });
}

// [[Rcpp::export]]
Rcpp::List roc_points_cpp(LogicalVector positive, NumericVector score, NumericVector weights, double max_points) {
  hofm::Monitor monitor = hofm::r_monitor();
  return with_ranking(positive, score, weights, monitor, [&](const auto &ranking) {
    return hofm::curve_points(ranking, max_points, auc_summary(ranking, monitor), monitor);
  });
}

// [[Rcpp::export]]
Rcpp::List auc_pair_cpp(LogicalVector positive, NumericVector score1, NumericVector score2) {
  hofm::Monitor monitor = hofm::r_monitor();
  const hofm::AucPair pair =
      hofm::auc_pair(positive.begin(), score1.begin(), score2.begin(), size_of(score1), hofm::tick_of(monitor));
  return Rcpp::List::create(Named("auc") = NumericVector::create(pair.auc_a, pair.auc_b), Named("variance") = pair.variance);
}

// Which points of a curve a picture of max_points needs.
// [[Rcpp::export]]
LogicalVector thin_points_cpp(NumericVector fpr, NumericVector tpr, double max_points) {
  hofm::CurveThinner thinner(max_points);
  LogicalVector keep(fpr.size());
  for (R_xlen_t i = 0; i < fpr.size(); ++i) keep[i] = thinner.keep(fpr[i], tpr[i]);
  return keep;
}
