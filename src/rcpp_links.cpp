// Scores of pairs of nodes: convert, call, convert back.
#include <Rcpp.h>

#include "hofm/links/scores.h"
#include "rcpp_convert.h"
#include "rcpp_curve.h"
#include "rcpp_monitor.h"

namespace {

std::vector<int> from_zero(const Rcpp::IntegerVector &index) {
  std::vector<int> out(index.begin(), index.end());
  for (int &i : out) --i;
  return out;
}

hofm::GraphKind graph_kind_named(const std::string &name) {
  if (name == "two_sets") return hofm::GraphKind::two_sets;
  return name == "directed" ? hofm::GraphKind::directed : hofm::GraphKind::undirected;
}

hofm::PairTables tables_of(const Rcpp::S4 &A, const Rcpp::S4 &B, const Rcpp::List &model, int threads, hofm::Monitor &monitor) {
  const hofm::Model scored = hofm::as_model(model);
  const auto make_tables = Rcpp::as<bool>(model["both_ways"]) ? hofm::both_ways : hofm::pair_tables;
  hofm::PairTables tables = make_tables(hofm::as_columns(A), hofm::as_columns(B), scored, threads, monitor);
  if (model.containsElementNamed("compared")) {
    const Rcpp::List compared = model["compared"];
    tables.common = hofm::CommonScores(scored.common, hofm::as_columns(compared["A"]), hofm::as_columns(compared["B"]));
  }
  return tables;
}

hofm::PairBlocks blocks_of(const Rcpp::S4 &A, const Rcpp::S4 &B, const std::string &grid, const Rcpp::List &known) {
  hofm::PairBlocks blocks(hofm::as_columns(A).inner, hofm::as_columns(B).inner, graph_kind_named(grid));
  blocks.leave_out(from_zero(known["i"]), from_zero(known["j"]));
  return blocks;
}

}  // namespace

// NULL if a score is not finite.
// [[Rcpp::export]]
SEXP score_links_cpp(Rcpp::S4 A, Rcpp::S4 B, Rcpp::List model, int threads) {
  hofm::Monitor monitor = hofm::r_monitor();
  const hofm::PairTables tables = tables_of(A, B, model, threads, monitor);
  Rcpp::NumericMatrix scores(Rcpp::no_init(tables.left.n, tables.right.n));
  return hofm::all_scores(tables, threads, monitor, scores.begin()) ? SEXP(scores) : R_NilValue;
}

// `links`, `known`: list(i =, j =), from one. `max_points`: of the curve, 0 for all; negative for the area alone.
// [[Rcpp::export]]
Rcpp::List links_curve_cpp(Rcpp::S4 A, Rcpp::S4 B, Rcpp::List model, std::string grid, Rcpp::List links, Rcpp::List known,
                           double max_points, int threads) {
  hofm::Monitor monitor = hofm::r_monitor();
  const hofm::PairTables tables = tables_of(A, B, model, threads, monitor);
  const hofm::AucCounter counter =
      hofm::count_links(tables, blocks_of(A, B, grid, known), from_zero(links["i"]), from_zero(links["j"]), threads, monitor);
  const hofm::AucStats stats = counter.stats();
  const Rcpp::NumericVector summary = hofm::area_summary(stats, stats.n_pos, stats.n_neg);
  if (max_points < 0) return Rcpp::List::create(Rcpp::_["summary"] = summary);
  return hofm::curve_points(counter, max_points, summary, monitor);
}

// [[Rcpp::export]]
Rcpp::List top_links_cpp(Rcpp::S4 A, Rcpp::S4 B, Rcpp::List model, std::string grid, Rcpp::List known, double n, bool by_node,
                         int threads) {
  hofm::Monitor monitor = hofm::r_monitor();
  const hofm::PairTables tables = tables_of(A, B, model, threads, monitor);
  const std::vector<hofm::ScoredPair> best =
      hofm::best_pairs(tables, blocks_of(A, B, grid, known), graph_kind_named(grid), std::size_t(n), by_node, threads, monitor);
  Rcpp::IntegerVector i(best.size()), j(best.size());
  Rcpp::NumericVector score(best.size());
  for (std::size_t q = 0; q < best.size(); ++q) {
    i[q] = best[q].i + 1;
    j[q] = best[q].j + 1;
    score[q] = best[q].score;
  }
  return Rcpp::List::create(Rcpp::_["i"] = i, Rcpp::_["j"] = j, Rcpp::_["score"] = score);
}
