// The strongest feature combinations of a degree.
#include <Rcpp.h>

#include "hofm/stats/interactions.h"
#include "rcpp_monitor.h"

// list(weight, features), features 1-based, one row per combination.
// [[Rcpp::export]]
Rcpp::List interactions_cpp(Rcpp::NumericMatrix P, std::vector<double> weights, int degree, int n) {
  const int d = P.nrow(), k = P.ncol();
  std::vector<double> rows(std::size_t(d) * k);
  for (int j = 0; j < d; ++j)
    for (int s = 0; s < k; ++s) rows[std::size_t(j) * k + s] = P(j, s);
  hofm::Monitor monitor = hofm::r_monitor();
  hofm::InteractionSearch search(rows, weights, d, degree, std::size_t(n), monitor);
  const std::vector<hofm::Interaction> best = search();
  Rcpp::NumericVector weight(Rcpp::no_init(R_xlen_t(best.size())));
  Rcpp::IntegerMatrix features(Rcpp::no_init(int(best.size()), degree));
  for (std::size_t q = 0; q < best.size(); ++q) {
    weight[q] = best[q].weight;
    for (int t = 0; t < degree; ++t) features(int(q), t) = best[q].features[t] + 1;
    monitor.poll(10.0 * degree);
  }
  return Rcpp::List::create(Rcpp::_["weight"] = weight, Rcpp::_["features"] = features);
}

// The columns of `index`, which counts from one, with names in place of numbers. There may be millions of rows.
// [[Rcpp::export]]
Rcpp::List named_columns_cpp(Rcpp::IntegerMatrix index, Rcpp::CharacterVector names) {
  hofm::Monitor monitor = hofm::r_monitor();
  Rcpp::List columns(index.ncol());
  for (int t = 0; t < index.ncol(); ++t) {
    Rcpp::CharacterVector column(index.nrow());
    columns[t] = column;
    for (int q = 0; q < index.nrow(); ++q) {
      SET_STRING_ELT(column, q, STRING_ELT(names, index(q, t) - 1));
      monitor.poll(10);
    }
  }
  return columns;
}
