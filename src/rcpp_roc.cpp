#include <chrono>

#include <Rcpp.h>

#include "hofm/auc.h"

namespace {

// Lets the user interrupt long sorts; looks at the clock first because asking R costs more.
class InterruptTick {
 public:
  void operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next) return;
    next = now + std::chrono::milliseconds(100);
    Rcpp::checkUserInterrupt();
  }

 private:
  std::chrono::steady_clock::time_point next = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
};

std::size_t size_of(const Rcpp::NumericVector &x) { return static_cast<std::size_t>(x.size()); }

// Sorts with or without weights (none when empty), and hands the ranking to f.
template <class F>
auto with_ranking(const Rcpp::LogicalVector &positive, const Rcpp::NumericVector &score,
                  const Rcpp::NumericVector &weights, F &&f) {
  InterruptTick tick;
  const std::size_t n = size_of(score);
  if (weights.size() == 0) return f(hofm::sort_scores(positive.begin(), score.begin(), n, tick));
  return f(hofm::sort_scores(positive.begin(), score.begin(), weights.begin(), n, tick));
}

template <class Ranking> Rcpp::NumericVector auc_summary(const Ranking &ranking) {
  const hofm::AucStats stats = hofm::auc_stats(ranking);
  return Rcpp::NumericVector::create(Rcpp::Named("auc") = stats.auc, Rcpp::Named("variance") = stats.variance(),
                                     Rcpp::Named("n_pos") = static_cast<double>(ranking.pos.size()),
                                     Rcpp::Named("n_neg") = static_cast<double>(ranking.neg.size()));
}

template <class Ranking> Rcpp::List curve(const Ranking &ranking, double max_points) {
  R_xlen_t rows = 0, row = 0;
  hofm::walk_curve(ranking, max_points, [&](double, double, double) { ++rows; });
  Rcpp::NumericVector threshold(rows), fpr(rows), tpr(rows);
  hofm::walk_curve(ranking, max_points, [&](double at, double x, double y) {
    threshold[row] = at;
    fpr[row] = x;
    tpr[row++] = y;
  });
  return Rcpp::List::create(Rcpp::Named("threshold") = threshold, Rcpp::Named("fpr") = fpr, Rcpp::Named("tpr") = tpr,
                            Rcpp::Named("summary") = auc_summary(ranking));
}

}  // namespace

// [[Rcpp::export]]
Rcpp::NumericVector auc_cpp(Rcpp::LogicalVector positive, Rcpp::NumericVector score, Rcpp::NumericVector weights) {
  return with_ranking(positive, score, weights, [](const auto &ranking) { return auc_summary(ranking); });
}

// [[Rcpp::export]]
Rcpp::List roc_points_cpp(Rcpp::LogicalVector positive, Rcpp::NumericVector score, Rcpp::NumericVector weights,
                          double max_points) {
  return with_ranking(positive, score, weights, [&](const auto &ranking) { return curve(ranking, max_points); });
}

// [[Rcpp::export]]
Rcpp::List auc_pair_cpp(Rcpp::LogicalVector positive, Rcpp::NumericVector score1, Rcpp::NumericVector score2) {
  InterruptTick tick;
  const hofm::AucPair pair =
      hofm::auc_pair(positive.begin(), score1.begin(), score2.begin(), size_of(score1), tick);
  return Rcpp::List::create(Rcpp::Named("auc") = Rcpp::NumericVector::create(pair.auc_a, pair.auc_b),
                            Rcpp::Named("variance") = pair.variance);
}

// Which points of a curve a picture of max_points needs.
// [[Rcpp::export]]
Rcpp::LogicalVector thin_points_cpp(Rcpp::NumericVector fpr, Rcpp::NumericVector tpr, double max_points) {
  hofm::CurveThinner thinner(max_points);
  Rcpp::LogicalVector keep(fpr.size());
  for (R_xlen_t i = 0; i < fpr.size(); ++i) keep[i] = thinner.keep(fpr[i], tpr[i]);
  return keep;
}
