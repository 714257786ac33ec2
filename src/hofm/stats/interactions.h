// The n largest |W_J|, W_J = sum_s c_s prod_{j in J} p_js, over all sets J of t distinct features, without forming W.
//
// Branch and bound. The weights c_s are shared out over the t factors, |c_s|^(1/t) each, so that W is a signed sum of products of
// t vectors, and by Hoelder's inequality |W_J| <= prod_j ||q_j||_t. Features are taken in decreasing order of that norm. With
// the features j_1 < ... < j_r of a set chosen and u their elementwise product, any completion is at most
// ||u||_{t/r} times the largest remaining norms, so as soon as that is no better than the n-th best found, the rest of the loop
// over the next feature is skipped. The result is exact; the time depends on how fast the norms fall.
#ifndef HOFM_STATS_INTERACTIONS_H
#define HOFM_STATS_INTERACTIONS_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "hofm/base/monitor.h"

namespace hofm {

// `features` are increasing and belong to whoever found them.
struct Interaction {
  double weight;
  const int *features;
};

// The n strongest combinations of t features of all that come along: a heap with the weakest on top. Features are kept
// in one array and heap elements point into it, so that millions of them are moved, and given back, at little cost.
class StrongestSets {
  struct Entry {
    double weight;
    std::size_t slot;
  };
  // In elementary steps: where the heap is larger than the caches, each of its levels is a wait for memory.
  static constexpr double kAddSteps = 1000, kCompareSteps = 20;

  const int *at(const Entry &entry) const { return features_.data() + entry.slot * std::size_t(t_); }

  // Larger first; equal ones in order of their features, so that the answer is unique.
  bool before(double a, const int *features_a, double b, const int *features_b) const {
    if (std::fabs(a) != std::fabs(b)) return std::fabs(a) > std::fabs(b);
    return std::lexicographical_compare(features_a, features_a + t_, features_b, features_b + t_);
  }
  auto order() const {
    return [this](const Entry &a, const Entry &b) { return before(a.weight, at(a), b.weight, at(b)); };
  }

 public:
  StrongestSets(int degree, std::size_t n, Monitor &monitor) : t_(degree), n_(n), monitor_(monitor) {}

  // What a combination must reach.
  double threshold() const { return heap_.size() < n_ ? -1 : std::fabs(heap_.front().weight); }

  void add(double weight, const int *features) {
    if (heap_.size() < n_) {
      features_.insert(features_.end(), features, features + t_);
      heap_.push_back({weight, heap_.size()});
    } else {
      if (!before(weight, features, heap_.front().weight, at(heap_.front()))) return;
      std::pop_heap(heap_.begin(), heap_.end(), order());
      heap_.back().weight = weight;
      std::copy_n(features, t_, features_.begin() + std::ptrdiff_t(heap_.back().slot) * t_);
    }
    std::push_heap(heap_.begin(), heap_.end(), order());
    monitor_.poll(kAddSteps);
  }

  // Largest first. What it points to lives as long as this.
  std::vector<Interaction> sorted() {
    std::sort(heap_.begin(), heap_.end(), [&, less = order()](const Entry &a, const Entry &b) {
      monitor_.poll(kCompareSteps);
      return less(a, b);
    });
    std::vector<Interaction> out;
    out.reserve(heap_.size());
    for (const Entry &entry : heap_) {
      out.push_back({entry.weight, at(entry)});
      monitor_.poll(1);
    }
    return out;
  }

 private:
  int t_;
  std::size_t n_;
  Monitor &monitor_;
  std::vector<int> features_;  // t of each slot
  std::vector<Entry> heap_;
};

class InteractionSearch {
 public:
  // P: d x k by rows. c: k weights.
  InteractionSearch(const std::vector<double> &P, const std::vector<double> &c, int d, int degree, std::size_t n, Monitor &monitor)
      : k_(int(c.size())), t_(degree), any_(n > 0), monitor_(monitor), best_(degree, n, monitor), sign_(k_) {
    std::vector<double> scale(k_);
    for (int s = 0; s < k_; ++s) {
      sign_[s] = c[s] < 0 ? -1 : 1;
      scale[s] = std::pow(std::fabs(c[s]), 1.0 / t_);
    }
    std::vector<double> norm(d, 0.0);
    for (int j = 0; j < d; ++j) {
      for (int s = 0; s < k_; ++s) norm[j] += std::pow(std::fabs(scale[s] * P[std::size_t(j) * k_ + s]), t_);
      norm[j] = std::pow(norm[j], 1.0 / t_);
      monitor_.poll(20.0 * (k_ + 1));  // powers are slow
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
    found_.resize(t_);
  }

  // Largest first. What it points to lives as long as the search.
  std::vector<Interaction> operator()() {
    if (int(norm_.size()) >= t_ && any_) extend(0, 0);
    return best_.sorted();
  }

 private:
  const double *q(int j) const { return q_.data() + std::size_t(j) * k_; }
  double *product(int r) { return products_.data() + std::size_t(r) * k_; }

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
      if (so_far * best_norms(j, left) <= best_.threshold()) break;
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
    if (std::fabs(weight) < best_.threshold()) return;
    for (int c = 0; c < t_; ++c) found_[c] = order_[chosen_[c]];
    std::sort(found_.begin(), found_.end());
    best_.add(weight, found_.data());
  }

  int k_, t_;
  bool any_;
  Monitor &monitor_;
  StrongestSets best_;
  std::vector<double> sign_, norm_, q_, products_;
  std::vector<int> order_, chosen_, found_;
};

}  // namespace hofm
#endif
