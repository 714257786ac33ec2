// The strongest feature combinations of a degree.
#include <Rcpp.h>

#include "hofm/stats/interactions.h"
#include "rcpp_monitor.h"

namespace {

// `pairs`: list(start, partner, partial, meet), counted from zero, or an empty list.
void add_pairs(hofm::PossibleSets &possible, const Rcpp::List &pairs) {
  if (pairs.size() == 0) return;
  possible.pair_start = Rcpp::as<std::vector<int>>(pairs["start"]);
  possible.partner = Rcpp::as<std::vector<int>>(pairs["partner"]);
  const Rcpp::LogicalVector partial = pairs["partial"];
  possible.partial.assign(partial.begin(), partial.end());
  possible.listed_meet = Rcpp::as<bool>(pairs["meet"]);
}

// `x`: a dgCMatrix without zeros in it, or NULL.
hofm::PossibleSets possible_sets(Rcpp::IntegerVector group, const Rcpp::List &pairs, SEXP x, bool by_effect) {
  hofm::PossibleSets possible;
  possible.group.assign(group.begin(), group.end());
  add_pairs(possible, pairs);
  if (Rf_isNull(x)) return possible;
  const Rcpp::S4 matrix(x);
  const Rcpp::IntegerVector start = matrix.slot("p"), row = matrix.slot("i"), size = matrix.slot("Dim");
  const Rcpp::NumericVector value = matrix.slot("x");
  possible.start = start.begin();
  possible.row = row.begin();
  possible.value = value.begin();
  possible.rows = size[0];
  possible.by_effect = by_effect;
  return possible;
}

}  // namespace

// list(weight, features, rows, sd), features 1-based, one row per combination. `group`: empty, or of each feature the number of the
// variable whose columns exclude each other, -1 if it has none.
// [[Rcpp::export]]
Rcpp::List interactions_cpp(Rcpp::NumericMatrix P, std::vector<double> weights, int degree, int n, Rcpp::IntegerVector group,
                            Rcpp::List pairs, SEXP x, bool by_effect) {
  const int d = P.nrow(), k = P.ncol();
  std::vector<double> by_row(std::size_t(d) * k);
  for (int j = 0; j < d; ++j)
    for (int s = 0; s < k; ++s) by_row[std::size_t(j) * k + s] = P(j, s);
  hofm::Monitor monitor = hofm::r_monitor();
  hofm::InteractionSearch search(by_row, weights, d, degree, std::size_t(n), monitor, possible_sets(group, pairs, x, by_effect));
  const std::vector<hofm::Interaction> best = search();
  const R_xlen_t count = R_xlen_t(best.size());
  Rcpp::NumericVector weight(Rcpp::no_init(count)), rows(Rcpp::no_init(count)), sd(Rcpp::no_init(count));
  Rcpp::IntegerMatrix features(Rcpp::no_init(int(best.size()), degree));
  for (std::size_t q = 0; q < best.size(); ++q) {
    weight[q] = best[q].weight;
    rows[q] = best[q].rows;
    sd[q] = best[q].sd;
    for (int t = 0; t < degree; ++t) features(int(q), t) = best[q].features[t] + 1;
    monitor.poll(10.0 * degree);
  }
  return Rcpp::List::create(Rcpp::_["weight"] = weight, Rcpp::_["features"] = features, Rcpp::_["rows"] = rows, Rcpp::_["sd"] = sd);
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
