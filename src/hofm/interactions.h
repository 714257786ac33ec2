// The n largest |W_J|, W_J = sum_s c_s prod_{j in J} p_js, over all sets J of t distinct features, without forming W.
//
// Branch and bound. The weights c_s are shared out over the t factors, |c_s|^(1/t) each, so that W is a signed sum of products of
// t vectors, and by Hoelder's inequality |W_J| <= prod_j ||q_j||_t. Features are taken in decreasing order of that norm. With
// the features j_1 < ... < j_r of a set chosen and u their elementwise product, any completion is at most
// ||u||_{t/r} times the largest remaining norms, so as soon as that is no better than the n-th best found, the rest of the loop
// over the next feature is skipped. The result is exact; the time depends on how fast the norms fall.
#ifndef HOFM_INTERACTIONS_H
#define HOFM_INTERACTIONS_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <queue>
#include <vector>

#include "monitor.h"

namespace hofm {

struct Interaction {
  double weight;
  std::vector<int> features;  // increasing

  double size() const { return std::fabs(weight); }
  // Larger first; equal ones in order of their features, so that the answer is unique.
  bool operator<(const Interaction &other) const {
    return size() != other.size() ? size() > other.size() : features < other.features;
  }
};

class InteractionSearch {
 public:
  // P: d x k by rows. c: k weights.
  InteractionSearch(const std::vector<double> &P, const std::vector<double> &c, int d, int degree, std::size_t n, Monitor &monitor)
      : k_(int(c.size())), t_(degree), n_(n), monitor_(monitor), sign_(k_) {
    std::vector<double> scale(k_);
    for (int s = 0; s < k_; ++s) {
      sign_[s] = c[s] < 0 ? -1 : 1;
      scale[s] = std::pow(std::fabs(c[s]), 1.0 / t_);
    }
    std::vector<double> norm(d, 0.0);
    for (int j = 0; j < d; ++j) {
      for (int s = 0; s < k_; ++s) norm[j] += std::pow(std::fabs(scale[s] * P[std::size_t(j) * k_ + s]), t_);
      norm[j] = std::pow(norm[j], 1.0 / t_);
    }
    order_.resize(d);
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) { return norm[a] > norm[b]; });
    for (int j : order_) {
      norm_.push_back(norm[j]);
      for (int s = 0; s < k_; ++s) q_.push_back(scale[s] * P[std::size_t(j) * k_ + s]);
    }
    products_.assign(std::size_t(t_) * k_, 0.0);
    chosen_.resize(t_);
  }

  // Largest first.
  std::vector<Interaction> operator()() {
    if (int(norm_.size()) >= t_ && n_ > 0) extend(0, 0);
    std::vector<Interaction> best;
    for (; !best_.empty(); best_.pop()) best.push_back(best_.top());
    std::sort(best.begin(), best.end());
    return best;
  }

 private:
  const double *q(int j) const { return q_.data() + std::size_t(j) * k_; }
  double *product(int r) { return products_.data() + std::size_t(r) * k_; }
  double threshold() const { return best_.size() < n_ ? -1 : best_.top().size(); }

  // ||u||_{t/r} of the product of r vectors.
  double product_norm(int r) {
    if (r == 0) return 1;
    const double *u = product(r - 1), exponent = double(t_) / r;
    double sum = 0;
    for (int s = 0; s < k_; ++s) sum += std::pow(std::fabs(u[s]), exponent);
    return std::pow(sum, 1 / exponent);
  }

  // The largest product of `count` norms from position j on.
  double best_norms(int j, int count) const {
    double bound = 1;
    for (int q = 0; q < count; ++q) bound *= norm_[j + q];
    return bound;
  }

  // r features are chosen; the next one is at position `first` or later.
  void extend(int r, int first) {
    const double so_far = product_norm(r);
    const int left = t_ - r, last = int(norm_.size()) - left;
    int j = first;
    for (; j <= last; ++j) {
      if (so_far * best_norms(j, left) <= threshold()) break;
      chosen_[r] = j;
      if (left == 1) {
        offer(r, j);
        continue;
      }
      for (int s = 0; s < k_; ++s) product(r)[s] = q(j)[s] * (r == 0 ? sign_[s] : product(r - 1)[s]);
      extend(r + 1, j + 1);
    }
    monitor_.poll(double(k_) * (j - first + 1));
  }

  void offer(int r, int j) {
    const double *u = r == 0 ? sign_.data() : product(r - 1);
    double weight = 0;
    for (int s = 0; s < k_; ++s) weight += u[s] * q(j)[s];
    if (std::fabs(weight) < threshold()) return;
    Interaction found{weight, {}};
    for (int c : chosen_) found.features.push_back(order_[c]);
    std::sort(found.features.begin(), found.features.end());
    best_.push(std::move(found));
    if (best_.size() > n_) best_.pop();
  }

  int k_, t_;
  std::size_t n_;
  Monitor &monitor_;
  std::vector<double> sign_, norm_, q_, products_;
  std::vector<int> order_, chosen_;
  std::priority_queue<Interaction> best_;  // the smallest of the best on top
};

}  // namespace hofm
#endif
