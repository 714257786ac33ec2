// The n largest |W_J|, W_J = sum_s c_s prod_{j in J} p_js, over all sets J of t distinct features, without forming W.
//
// Branch and bound. The weights c_s are shared out over the t factors, |c_s|^(1/t) each, so that W is a signed sum of products of
// t vectors, and by Hoelder's inequality |W_J| <= prod_j ||q_j||_t. Features are taken in decreasing order of that norm. With
// the features j_1 < ... < j_r of a set chosen and u their elementwise product, any completion is at most
// ||u||_{t/r} times the largest remaining norms, so as soon as that is no better than the n-th best found, the rest of the loop
// over the next feature is skipped. The result is exact; the time depends on how fast the norms fall.
//
// Sets may be restricted to those that can occur: no two features of one group (levels of a factor), and, where the rows are given, only
// sets whose features are all nonzero in some row; or, where only that is known, sets of which each two meet. A set may then also be scored by its effect, |W_J| times the standard deviation of
// the product x_J over the rows. That is at most |W_J| times the root mean square of x_J, which again by Hoelder's inequality is at most
// the product of the (mean |x_j|^2t)^(1/2t), and at most (mean |u|^(2t/r))^(r/2t) times the others' if u is the product of the r chosen:
// the same bound serves with norms times these. Before rows are multiplied for the last feature, its own root mean square and largest
// value and those of u are asked as well, since the rarer one of a pair decides.
#ifndef HOFM_STATS_INTERACTIONS_H
#define HOFM_STATS_INTERACTIONS_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "hofm/base/monitor.h"

namespace hofm {

// `features` are increasing and belong to whoever found them. `rows`: where the product is not zero; `sd`: its standard deviation over
// all rows; both zero where no rows were given.
struct Interaction {
  double weight;
  const int *features;
  double rows, sd;
};

// Which sets count. `group`: empty, or of each feature a number, of which two features of a set must not share one from zero on.
// Partners, if they are known: from pair_start[j] on those of feature j, increasing; of two features that are both `partial`, one is a
// partner of the other if they meet (`listed_meet`) or if they do not. Features that are not partial meet all others.
// Columns of the rows, if there are any: compressed, rows of a column increasing, no zeros kept.
struct PossibleSets {
  std::vector<int> group;
  std::vector<int> pair_start, partner;
  std::vector<char> partial;
  bool listed_meet = false;
  const int *start = nullptr, *row = nullptr;
  const double *value = nullptr;
  int rows = 0;
  bool by_effect = false;

  bool has_rows() const { return start != nullptr; }

  bool exclude_each_other(int a, int b) const {
    if (!group.empty() && group[a] >= 0 && group[a] == group[b]) return true;
    if (pair_start.empty() || !partial[a] || !partial[b]) return false;
    const auto first = partner.begin() + pair_start[a], last = partner.begin() + pair_start[a + 1];
    return std::binary_search(first, last, b) != listed_meet;
  }
};

// The n strongest combinations of t features of all that come along: a heap with the weakest on top. Features are kept
// in one array and heap elements point into it, so that millions of them are moved, and given back, at little cost.
class StrongestSets {
  struct Entry {
    double score, weight, rows, sd;
    std::size_t slot;
  };
  // In elementary steps: where the heap is larger than the caches, each of its levels is a wait for memory.
  static constexpr double kAddSteps = 1000, kCompareSteps = 20;

  const int *at(const Entry &entry) const { return features_.data() + entry.slot * std::size_t(t_); }

  // Larger first; equal ones in order of their features, so that the answer is unique.
  bool before(double a, const int *features_a, double b, const int *features_b) const {
    if (a != b) return a > b;
    return std::lexicographical_compare(features_a, features_a + t_, features_b, features_b + t_);
  }
  auto order() const {
    return [this](const Entry &a, const Entry &b) { return before(a.score, at(a), b.score, at(b)); };
  }

 public:
  StrongestSets(int degree, std::size_t n, Monitor &monitor) : t_(degree), n_(n), monitor_(monitor) {}

  // What a combination must reach.
  double threshold() const { return heap_.size() < n_ ? -1 : heap_.front().score; }

  void add(double score, double weight, double rows, double sd, const int *features) {
    if (heap_.size() < n_) {
      features_.insert(features_.end(), features, features + t_);
      heap_.push_back({score, weight, rows, sd, heap_.size()});
    } else {
      if (!before(score, features, heap_.front().score, at(heap_.front()))) return;
      std::pop_heap(heap_.begin(), heap_.end(), order());
      heap_.back() = {score, weight, rows, sd, heap_.back().slot};
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
      out.push_back({entry.weight, at(entry), entry.rows, entry.sd});
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
  struct Cell {
    int row;
    double value;
  };

 public:
  // P: d x k by rows. c: k weights. What `possible` points to lives as long as the search.
  InteractionSearch(const std::vector<double> &P, const std::vector<double> &c, int d, int degree, std::size_t n, Monitor &monitor,
                    PossibleSets possible = {})
      : k_(int(c.size())), t_(degree), any_(n > 0), monitor_(monitor), possible_(std::move(possible)), best_(degree, n, monitor),
        sign_(k_) {
    std::vector<double> scale(k_);
    for (int s = 0; s < k_; ++s) {
      sign_[s] = c[s] < 0 ? -1 : 1;
      scale[s] = std::pow(std::fabs(c[s]), 1.0 / t_);
    }
    std::vector<double> norm(d, 0.0);
    for (int j = 0; j < d; ++j) {
      for (int s = 0; s < k_; ++s) norm[j] += std::pow(std::fabs(scale[s] * P[std::size_t(j) * k_ + s]), t_);
      norm[j] = std::pow(norm[j], 1.0 / t_) * feature_size(j);
      monitor_.poll(20.0 * (k_ + 1));  // powers are slow
    }
    order_.resize(d);
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) { return norm[a] > norm[b]; });
    for (int j : order_) {
      norm_.push_back(norm[j]);
      if (possible_.by_effect) reach_.push_back(feature_reach(j));
      for (int s = 0; s < k_; ++s) q_.push_back(scale[s] * P[std::size_t(j) * k_ + s]);
    }
    products_.assign(std::size_t(t_) * k_, 0.0);
    cells_.resize(t_);
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

  // How far a product gets: the root of its sum of squares over n - 1, and its largest value.
  struct Reach {
    double rms, largest;
  };

  // (sum of |x|^2t over n - 1)^(1/2t), 1 where effects are not asked for.
  double feature_size(int j) {
    if (!possible_.by_effect) return 1;
    double sum = 0;
    for (int e = possible_.start[j]; e < possible_.start[j + 1]; ++e) sum += power(std::fabs(possible_.value[e]), 2.0 * t_);
    monitor_.poll(20.0 * (possible_.start[j + 1] - possible_.start[j]));
    return std::pow(sum / std::max(1, possible_.rows - 1), 0.5 / t_);
  }

  // Most values are ones.
  static double power(double x, double exponent) { return x == 1 ? 1 : std::pow(x, exponent); }

  Reach feature_reach(int j) const {
    double sum = 0, largest = 0;
    for (int e = possible_.start[j]; e < possible_.start[j + 1]; ++e) {
      sum += possible_.value[e] * possible_.value[e];
      largest = std::max(largest, std::fabs(possible_.value[e]));
    }
    return {std::sqrt(sum / std::max(1, possible_.rows - 1)), largest};
  }

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

  // Whether the feature at position j can stand beside the r chosen ones; if rows are given, cells_[r] are then those of the product.
  bool joins(int r, int j) {
    const int feature = order_[j];
    for (int c = 0; c < r; ++c)
      if (possible_.exclude_each_other(order_[chosen_[c]], feature)) return false;
    monitor_.poll(20.0 * r);
    return !possible_.has_rows() || multiply(r, feature);
  }

  // Rows of the chosen product that the feature is in, with the product's values. False if there are none.
  bool multiply(int r, int feature) {
    const int first = possible_.start[feature], last = possible_.start[feature + 1];
    std::vector<Cell> &out = cells_[r];
    out.clear();
    if (r == 0) {
      for (int e = first; e < last; ++e) out.push_back({possible_.row[e], possible_.value[e]});
    } else {
      const std::vector<Cell> &in = cells_[r - 1];
      const bool few = 16.0 * in.size() < last - first;  // then look up rather than walk
      int e = first;
      for (const Cell &cell : in) {
        if (few) e = int(std::lower_bound(possible_.row + e, possible_.row + last, cell.row) - possible_.row);
        else while (e < last && possible_.row[e] < cell.row) ++e;
        if (e == last) break;
        if (possible_.row[e] == cell.row) out.push_back({cell.row, cell.value * possible_.value[e]});
      }
      monitor_.poll(few ? 20.0 * in.size() : 2.0 * (last - first));
    }
    return !out.empty();
  }

  // (sum of |u|^(2t/r) over n - 1)^(r/2t) of the product of the r chosen.
  double product_size(int r) {
    if (r == 0 || !possible_.by_effect) return 1;
    double sum = 0;
    for (const Cell &cell : cells_[r - 1]) sum += power(std::fabs(cell.value), 2.0 * t_ / r);
    monitor_.poll(20.0 * cells_[r - 1].size());
    return std::pow(sum / std::max(1, possible_.rows - 1), 0.5 * r / t_);
  }

  Reach product_reach(int r) const {
    if (r == 0 || !possible_.by_effect) return {std::numeric_limits<double>::max(), 1};
    double sum = 0, largest = 0;
    for (const Cell &cell : cells_[r - 1]) {
      sum += cell.value * cell.value;
      largest = std::max(largest, std::fabs(cell.value));
    }
    return {std::sqrt(sum / std::max(1, possible_.rows - 1)), largest};
  }

  double deviation(int r) const {
    double mean = 0, squares = 0;
    for (const Cell &cell : cells_[r]) mean += cell.value;
    mean /= possible_.rows;
    for (const Cell &cell : cells_[r]) squares += (cell.value - mean) * (cell.value - mean);
    squares += mean * mean * double(possible_.rows - int(cells_[r].size()));
    return std::sqrt(squares / std::max(1, possible_.rows - 1));
  }

  // r features are chosen; the next one is at position `first` or later.
  void extend(int r, int first) {
    const double so_far = product_norm(r) * product_size(r);
    const Reach reach = product_reach(r);
    const int left = t_ - r, last = int(norm_.size()) - left;
    int j = first;
    for (; j <= last; ++j) {
      if (so_far * best_norms(j, left) * rounding() <= best_.threshold()) break;
      chosen_[r] = j;
      if (left == 1) {
        offer(r, j, reach);
        continue;
      }
      if (!joins(r, j)) continue;
      for (int s = 0; s < k_; ++s) product(r)[s] = q(j)[s] * (r == 0 ? sign_[s] : product(r - 1)[s]);
      extend(r + 1, j + 1);
    }
    monitor_.poll(double(k_) * (j - first + 1));
  }

  void offer(int r, int j, const Reach &reach) {
    const double *u = r == 0 ? sign_.data() : product(r - 1);
    double weight = 0;
    for (int s = 0; s < k_; ++s) weight += u[s] * q(j)[s];
    if (std::fabs(weight) * farthest(reach, j) * rounding() < best_.threshold()) return;
    if (!joins(r, j)) return;
    const double sd = possible_.has_rows() ? deviation(r) : 0;
    const double score = std::fabs(weight) * (possible_.by_effect ? sd : 1);
    if (score < best_.threshold()) return;
    for (int c = 0; c < t_; ++c) found_[c] = order_[chosen_[c]];
    std::sort(found_.begin(), found_.end());
    best_.add(score, weight, possible_.has_rows() ? double(cells_[r].size()) : 0, sd, found_.data());
  }

  // What the root mean square of the product with the feature at position j cannot exceed.
  double farthest(const Reach &reach, int j) const {
    if (!possible_.by_effect) return 1;
    return std::min(reach.rms * reach_[j].largest, reach_[j].rms * reach.largest);
  }

  // Effects are bounded by sums in another order than they are computed in.
  double rounding() const { return possible_.by_effect ? 1 + 1e-9 : 1; }

  int k_, t_;
  bool any_;
  Monitor &monitor_;
  PossibleSets possible_;
  StrongestSets best_;
  std::vector<double> sign_, norm_, q_, products_;
  std::vector<Reach> reach_;  // of single features, by position
  std::vector<int> order_, chosen_, found_;
  std::vector<std::vector<Cell>> cells_;  // of the product of the first r + 1 chosen features, in increasing rows
};

}  // namespace hofm
#endif
