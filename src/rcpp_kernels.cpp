// The kernels on their own, sample by sample, for teaching and for tests.
#include <Rcpp.h>

#include <vector>

#include "hofm/model/all_subsets.h"
#include "hofm/model/anova.h"
#include "rcpp_monitor.h"

namespace {

// z_j = p_j x_ij of row i.
std::vector<double> products(const Rcpp::NumericVector &p, const Rcpp::NumericMatrix &x, int i) {
  std::vector<double> z(p.size());
  for (R_xlen_t j = 0; j < p.size(); ++j) z[j] = p[j] * x(i, j);
  return z;
}

}  // namespace

// [[Rcpp::export]]
Rcpp::NumericVector anova_value_cpp(Rcpp::NumericVector p, Rcpp::NumericMatrix x, int degree, bool power_sums) {
  Rcpp::NumericVector out(x.nrow());
  hofm::Monitor monitor = hofm::r_monitor();
  for (int i = 0; i < x.nrow(); ++i) {
    const std::vector<double> z = products(p, x, i);
    out[i] = power_sums ? hofm::anova::value_power_sums(z.data(), int(z.size()), degree, monitor)
                        : hofm::anova::value(z.data(), int(z.size()), degree, monitor);
  }
  return out;
}

// [[Rcpp::export]]
Rcpp::NumericMatrix anova_gradient_cpp(Rcpp::NumericVector p, Rcpp::NumericMatrix x, int degree, bool power_sums) {
  Rcpp::NumericMatrix out(x.nrow(), x.ncol());
  std::vector<double> g(p.size());
  hofm::Monitor monitor = hofm::r_monitor();
  for (int i = 0; i < x.nrow(); ++i) {
    const std::vector<double> z = products(p, x, i);
    if (power_sums) hofm::anova::gradient_power_sums(z.data(), int(z.size()), degree, g.data(), monitor);
    else hofm::anova::gradient(z.data(), int(z.size()), degree, g.data(), monitor);
    for (R_xlen_t j = 0; j < p.size(); ++j) out(i, j) = g[j] * x(i, j);
  }
  return out;
}

// Mean over rows of A^t(x^2, 1), t = 1..degree: the second moment of a degree-t term of one factor with p ~ N(0, 1).
// Columns are walked, so a dgCMatrix needs no copy.
// [[Rcpp::export]]
Rcpp::NumericVector kernel_spread_cpp(Rcpp::S4 x, int degree) {
  const Rcpp::IntegerVector p = x.slot("p"), i = x.slot("i"), dim = x.slot("Dim");
  const Rcpp::NumericVector value = x.slot("x");
  const std::size_t width = std::size_t(degree) + 1;
  std::vector<double> a(std::size_t(dim[0]) * width, 0.0);
  for (int r = 0; r < dim[0]; ++r) a[std::size_t(r) * width] = 1;
  for (R_xlen_t q = 0; q < value.size(); ++q) hofm::anova::add(&a[std::size_t(i[q]) * width], degree, value[q] * value[q]);
  Rcpp::NumericVector mean(degree);
  for (int r = 0; r < dim[0]; ++r)
    for (int t = 1; t <= degree; ++t) mean[t - 1] += a[std::size_t(r) * width + t] / dim[0];
  return mean;
}

// [[Rcpp::export]]
Rcpp::NumericVector all_subsets_value_cpp(Rcpp::NumericVector p, Rcpp::NumericMatrix x) {
  Rcpp::NumericVector out(x.nrow());
  for (int i = 0; i < x.nrow(); ++i) {
    const std::vector<double> z = products(p, x, i);
    out[i] = hofm::all_subsets::value(z.data(), int(z.size()));
  }
  return out;
}

// [[Rcpp::export]]
Rcpp::NumericMatrix all_subsets_gradient_cpp(Rcpp::NumericVector p, Rcpp::NumericMatrix x) {
  Rcpp::NumericMatrix out(x.nrow(), x.ncol());
  std::vector<double> g(p.size());
  for (int i = 0; i < x.nrow(); ++i) {
    const std::vector<double> z = products(p, x, i);
    hofm::all_subsets::gradient(z.data(), int(z.size()), g.data());
    for (R_xlen_t j = 0; j < p.size(); ++j) out(i, j) = g[j] * x(i, j);
  }
  return out;
}
