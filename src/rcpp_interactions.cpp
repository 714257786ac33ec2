// The strongest feature combinations of a degree.
#include <Rcpp.h>

#include "hofm/interactions.h"
#include "rcpp_monitor.h"

// list(weight, features), features 1-based, one row per combination.
// [[Rcpp::export]]
Rcpp::List interactions_cpp(Rcpp::NumericMatrix P, std::vector<double> weights, int degree, int n) {
  const int d = P.nrow(), k = P.ncol();
  std::vector<double> rows(std::size_t(d) * k);
  for (int j = 0; j < d; ++j)
    for (int s = 0; s < k; ++s) rows[std::size_t(j) * k + s] = P(j, s);
  hofm::Monitor monitor = hofm::r_monitor();
  const std::vector<hofm::Interaction> best =
      hofm::InteractionSearch(rows, weights, d, degree, std::size_t(n), monitor)();
  Rcpp::NumericVector weight(best.size());
  Rcpp::IntegerMatrix features(int(best.size()), degree);
  for (std::size_t q = 0; q < best.size(); ++q) {
    weight[q] = best[q].weight;
    for (int t = 0; t < degree; ++t) features(int(q), t) = best[q].features[t] + 1;
  }
  return Rcpp::List::create(Rcpp::_["weight"] = weight, Rcpp::_["features"] = features);
}
