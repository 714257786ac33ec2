#include <chrono>

#include <Rcpp.h>

#include "hofm/auc.h"

using Rcpp::LogicalVector;
using Rcpp::Named;
using Rcpp::NumericVector;

namespace {

// Lets the user interrupt long sorts; looks at the clock first because asking R costs more.
class InterruptTick {
 public:
  void operator()() {
    if (Clock::now() < next) return;
    next = Clock::now() + pause;
    Rcpp::checkUserInterrupt();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds pause{100};
  Clock::time_point next = Clock::now() + pause;
};

std::size_t size_of(const NumericVector &x) { return static_cast<std::size_t>(x.size()); }

// Sorts with or without weights (none when empty), and hands the ranking to f.
template <class F>
auto with_ranking(const LogicalVector &positive, const NumericVector &score,
                  const NumericVector &weights, F &&f) {
  InterruptTick tick;
  const std::size_t n = size_of(score);
  if (weights.size() == 0) return f(hofm::sort_scores(positive.begin(), score.begin(), n, tick));
  return f(hofm::sort_scores(positive.begin(), score.begin(), weights.begin(), n, tick));
}

template <class Ranking> NumericVector auc_summary(const Ranking &ranking) {
  const hofm::AucStats stats = hofm::auc_stats(ranking);
  return NumericVector::create(Named("auc") = stats.auc, Named("variance") = stats.variance(),
                                     Named("n_pos") = static_cast<double>(ranking.pos.size()),
                                     Named("n_neg") = static_cast<double>(ranking.neg.size()));
}

template <class Ranking> Rcpp::List curve(const Ranking &ranking, double max_points) {
  R_xlen_t rows = 0, row = 0;
  hofm::walk_curve(ranking, max_points, [&](double, double, double) { ++rows; });
  NumericVector threshold(rows), fpr(rows), tpr(rows);
  hofm::walk_curve(ranking, max_points, [&](double at, double x, double y) {
    threshold[row] = at;
    fpr[row] = x;
    tpr[row++] = y;
  });
  return Rcpp::List::create(Named("threshold") = threshold, Named("fpr") = fpr, Named("tpr") = tpr,
                            Named("summary") = auc_summary(ranking));
}

}  // namespace

// [[Rcpp::export]]
NumericVector auc_cpp(LogicalVector positive, NumericVector score, NumericVector weights) {
  return with_ranking(positive, score, weights, [](const auto &ranking) { return auc_summary(ranking); });
}

// [[Rcpp::export]]
Rcpp::List roc_points_cpp(LogicalVector positive, NumericVector score, NumericVector weights,
                          double max_points) {
  return with_ranking(positive, score, weights,
                      [max_points](const auto &ranking) { return curve(ranking, max_points); });
}

// [[Rcpp::export]]
Rcpp::List auc_pair_cpp(LogicalVector positive, NumericVector score1, NumericVector score2) {
  InterruptTick tick;
  const hofm::AucPair pair =
      hofm::auc_pair(positive.begin(), score1.begin(), score2.begin(), size_of(score1), tick);
  return Rcpp::List::create(Named("auc") = NumericVector::create(pair.auc_a, pair.auc_b),
                            Named("variance") = pair.variance);
}

// Which points of a curve a picture of max_points needs.
// [[Rcpp::export]]
LogicalVector thin_points_cpp(NumericVector fpr, NumericVector tpr, double max_points) {
  hofm::CurveThinner thinner(max_points);
  LogicalVector keep(fpr.size());
  for (R_xlen_t i = 0; i < fpr.size(); ++i) keep[i] = thinner.keep(fpr[i], tpr[i]);
  return keep;
}
