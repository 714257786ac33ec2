// Areas under ROC curves: ranking of scores, DeLong's variance, points of the curve, and a counter for
// streams. A higher score speaks for the positive class, always. Ties count one half (midranks); scores
// that differ by one unit in the last place are not tied.
#ifndef HOFM_STATS_AUC_H
#define HOFM_STATS_AUC_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hofm {

// ---- Keys: integers in the order of the doubles they stand for --------------------------------------------

using Key = std::uint64_t;

// x < y exactly when order_key(x) < order_key(y); -0 and 0 share a key; infinities are ordinary; NaN is not
// allowed.
inline Key order_key(double x) {
  x += 0.0;  // turns -0 into 0
  Key bits;
  std::memcpy(&bits, &x, sizeof bits);
  const Key sign = Key{1} << 63;
  return bits & sign ? ~bits : bits | sign;
}

inline double key_score(Key key) {
  const Key sign = Key{1} << 63;
  const Key bits = key & sign ? key ^ sign : ~key;
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

struct WeightedKey {
  Key key;
  double weight;
};
struct LabelledKey {
  Key key;
  std::size_t packed;  // 2 i + label of observation i
  std::size_t index() const { return packed / 2; }
  bool positive() const { return packed % 2; }
};

inline Key key_of(Key key) { return key; }
inline Key key_of(const WeightedKey &x) { return x.key; }
inline Key key_of(const LabelledKey &x) { return x.key; }
inline double weight_of(Key) { return 1; }
inline double weight_of(const WeightedKey &x) { return x.weight; }

// A tick is called after about 65,536 steps of whatever is being done, and may throw.
struct NoTick {
  void operator()() const {}
};

constexpr std::size_t kTickSteps = std::size_t(1) << 16;

template <class Tick>
class CountedSteps {
 public:
  explicit CountedSteps(Tick &tick) : tick_(tick) {}
  void operator()() {
    if (++steps_ % kTickSteps == 0) tick_();
  }

 private:
  Tick &tick_;
  std::size_t steps_ = 0;
};

// ---- Sorting: in place, by the leading digits of key - smallest key ---------------------------------------

template <class T>
void insertion_sort(T *first, T *last) {
  for (T *at = first; at != last; ++at) {
    const T x = *at;
    T *to = at;
    for (; to != first && key_of(x) < key_of(to[-1]); --to) *to = to[-1];
    *to = x;
  }
}

inline int bit_length(Key x) {
  int bits = 0;
  for (; x; x >>= 1) ++bits;
  return bits;
}

// A digit of at most 10 bits (1024 bucket ends stay in the first-level cache), fewer for short ranges, cut
// at the top of the range of keys that occur. So exponents that all scores share cost nothing.
struct Digit {
  static constexpr int max_bits = 10;
  Key low, high;
  int shift;
  template <class T>
  Digit(const T *first, const T *last) : low(key_of(*first)), high(low) {
    for (const T *x = first; x != last; ++x) {
      low = std::min(low, key_of(*x));
      high = std::max(high, key_of(*x));
    }
    const int bits = std::min(max_bits, bit_length(static_cast<Key>(last - first)) - 3);
    shift = std::max(0, bit_length(high - low) - bits);
  }
  template <class T>
  std::size_t operator()(const T &x) const {
    return (key_of(x) - low) >> shift;
  }
  std::size_t buckets() const { return (*this)(high) + 1; }
};

// Sorts ascending by key without further memory: each pass puts every element into its bucket by following
// cycles of displaced elements. O(n) per pass, at most 64 / (digit bits) passes.
template <class T, class Tick>
void sort_by_key(T *first, T *last, Tick &&tick) {
  if (last - first <= 48) return insertion_sort(first, last);
  const Digit digit(first, last);
  if (last - first > 4096) tick();
  const std::size_t buckets = digit.buckets();
  std::size_t next[(1 << Digit::max_bits) + 1], end[1 << Digit::max_bits];
  std::fill(next, next + buckets + 1, 0);
  for (const T *x = first; x != last; ++x) ++next[digit(*x) + 1];
  for (std::size_t d = 0; d < buckets; ++d) end[d] = next[d + 1] += next[d];
  CountedSteps step(tick);
  for (std::size_t d = 0; d < buckets; ++d) {
    while (next[d] < end[d]) {
      T x = first[next[d]];
      for (std::size_t to = digit(x); to != d; to = digit(x)) {
        std::swap(x, first[next[to]++]);
        step();  // one cycle may visit nearly everything
      }
      first[next[d]++] = x;
    }
  }
  if (digit.shift == 0) return;
  for (std::size_t d = 0; d < buckets; ++d) sort_by_key(first + (d ? end[d - 1] : 0), first + end[d], tick);
}

// ---- Rankings: have walk(f), f(key, positives, negatives) per distinct score from the highest down --------

// Both classes sorted on their own, so no label has to travel with a key: 8 bytes a score (16 with
// weights).
template <class T>
struct SortedScores {
  std::vector<T> pos, neg;  // ascending

  template <class F>
  void walk(F &&f) const {
    const T *p = pos.data() + pos.size(), *n = neg.data() + neg.size();
    while (p != pos.data() || n != neg.data()) {
      Key key = p != pos.data() ? key_of(p[-1]) : 0;
      if (n != neg.data()) key = std::max(key, key_of(n[-1]));
      double in_pos = 0, in_neg = 0;
      for (; p != pos.data() && key_of(p[-1]) == key; --p) in_pos += weight_of(p[-1]);
      for (; n != neg.data() && key_of(n[-1]) == key; --n) in_neg += weight_of(n[-1]);
      f(key, in_pos, in_neg);
    }
  }
};

template <class T, class Tick>
void sort_classes(SortedScores<T> &scores, Tick &&tick) {
  sort_by_key(scores.pos.data(), scores.pos.data() + scores.pos.size(), tick);
  sort_by_key(scores.neg.data(), scores.neg.data() + scores.neg.size(), tick);
}

// Label is any integer type; nonzero is positive.
template <class Label>
std::size_t count_positives(const Label *positive, std::size_t n) {
  return static_cast<std::size_t>(std::count_if(positive, positive + n, [](Label l) { return l != 0; }));
}

template <class Label, class Tick = NoTick>
SortedScores<Key> sort_scores(const Label *positive, const double *score, std::size_t n, Tick &&tick = {}) {
  SortedScores<Key> scores;
  const std::size_t n_pos = count_positives(positive, n);
  scores.pos.reserve(n_pos);
  scores.neg.reserve(n - n_pos);
  CountedSteps step(tick);
  for (std::size_t i = 0; i < n; ++i) {
    (positive[i] ? scores.pos : scores.neg).push_back(order_key(score[i]));
    step();
  }
  sort_classes(scores, tick);
  return scores;
}

// Observations of weight 0 are left out, as if they had never been seen.
template <class Label, class Tick = NoTick>
SortedScores<WeightedKey> sort_scores(const Label *positive, const double *score, const double *weight, std::size_t n,
                                      Tick &&tick = {}) {
  SortedScores<WeightedKey> scores;
  const std::size_t n_pos = count_positives(positive, n);
  scores.pos.reserve(n_pos);
  scores.neg.reserve(n - n_pos);
  CountedSteps step(tick);
  for (std::size_t i = 0; i < n; ++i) {
    if (weight[i] > 0) (positive[i] ? scores.pos : scores.neg).push_back({order_key(score[i]), weight[i]});
    step();
  }
  sort_classes(scores, tick);
  return scores;
}

// ---- AUC and its variance ---------------------------------------------------------------------------------

struct ClassTotals {
  double pos = 0, neg = 0;
};

// DeLong, DeLong and Clarke-Pearson (1988). The placement of a positive is the share of negatives it beats,
// that of a negative the share of positives that beat it, ties counting one half; AUC is the mean of
// either.
struct AucStats {
  double auc;      // NaN unless both classes occur
  double var_pos;  // sample variance of the positives' placements; NaN for fewer than two positives
  double var_neg;  // the same for the negatives
  double n_pos, n_neg;
  double variance() const { return var_pos / n_pos + var_neg / n_neg; }
};

// Two walks: the mean first, then squares about it, because their difference would lose digits near AUC =
// 1. Counts and n_pos * n_neg are doubles, exact up to 2^53; integers would overflow.
template <class Ranking, class Tick = NoTick>
AucStats auc_stats(const Ranking &ranking, Tick &&tick = {}) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CountedSteps step(tick);
  ClassTotals total;
  double wins = 0;
  ranking.walk([&](Key, double p, double n) {
    wins += n * (total.pos + p / 2);
    total.pos += p;
    total.neg += n;
    step();
  });
  if (!(total.pos > 0 && total.neg > 0)) return {nan, nan, nan, total.pos, total.neg};
  const double auc = wins / (total.pos * total.neg);

  ClassTotals seen, squares;
  ranking.walk([&](Key, double p, double n) {
    const double of_pos = 1 - (seen.neg + n / 2) / total.neg - auc;
    const double of_neg = (seen.pos + p / 2) / total.pos - auc;
    squares.pos += p * of_pos * of_pos;
    squares.neg += n * of_neg * of_neg;
    seen.pos += p;
    seen.neg += n;
    step();
  });
  const auto variance = [nan](double square, double n) { return n > 1 ? square / (n - 1) : nan; };
  return {auc, variance(squares.pos, total.pos), variance(squares.neg, total.neg), total.pos, total.neg};
}

// Placement of every observation, in the order given: for covariances between scores of the same
// observations. Work space: 16 bytes an observation.
template <class Label, class Tick = NoTick>
void placements(const Label *positive, const double *score, std::size_t n, double *out, Tick &&tick = {}) {
  std::vector<LabelledKey> keys;
  keys.reserve(n);
  CountedSteps step(tick);
  for (std::size_t i = 0; i < n; ++i) {
    keys.push_back({order_key(score[i]), 2 * i + (positive[i] != 0)});
    step();
  }
  sort_by_key(keys.data(), keys.data() + n, tick);

  const double n_pos = static_cast<double>(count_positives(positive, n));
  const double n_neg = static_cast<double>(n) - n_pos;
  double pos_below = 0, neg_below = 0;
  for (std::size_t start = 0, stop; start < n; start = stop) {
    double p = 0, m = 0;
    for (stop = start; stop < n && keys[stop].key == keys[start].key; ++stop) (keys[stop].positive() ? p : m) += 1;
    const double of_pos = (neg_below + m / 2) / n_neg, of_neg = 1 - (pos_below + p / 2) / n_pos;
    for (std::size_t ii = start; ii < stop; ++ii) {
      out[keys[ii].index()] = keys[ii].positive() ? of_pos : of_neg;
      step();
    }
    pos_below += p;
    neg_below += m;
  }
}

// AUCs of two scores of the same observations and DeLong's variance of their difference, which is summed
// from differences of placements: exactly 0 for scores that rank alike, where aa - 2 ab + bb would leave
// rounding errors. Work space: 32 bytes an observation.
struct AucPair {
  double auc_a, auc_b, variance;
};

template <class Label, class Tick = NoTick>
AucPair auc_pair(const Label *positive, const double *a, const double *b, std::size_t n, Tick &&tick = {}) {
  std::vector<double> va(n), vb(n);
  placements(positive, a, n, va.data(), tick);
  placements(positive, b, n, vb.data(), tick);

  AucPair out{0, 0, 0};
  const double n_pos = static_cast<double>(count_positives(positive, n));
  const double n_neg = static_cast<double>(n) - n_pos;
  CountedSteps step(tick);
  for (std::size_t i = 0; i < n; ++i) {
    step();
    if (!positive[i]) continue;
    out.auc_a += va[i];
    out.auc_b += vb[i];
  }
  out.auc_a /= n_pos;
  out.auc_b /= n_pos;
  for (std::size_t i = 0; i < n; ++i) {
    const double size = positive[i] ? n_pos : n_neg;
    const double d = (va[i] - vb[i]) - (out.auc_a - out.auc_b);
    out.variance += d * d / (size * (size - 1));
    step();
  }
  return out;
}

// ---- The curve --------------------------------------------------------------------------------------------

// Keeps at most max_points of a rising curve from (0, 0) to (1, 1): both ends, and of the points between
// them the first in each of max_points - 2 equal cells of (fpr + tpr) / 2. What is dropped lies less than 2
// / (max_points - 2) in fpr + tpr behind a point that is kept. max_points = 0 keeps everything.
class CurveThinner {
 public:
  explicit CurveThinner(double max_points) : cells(max_points - 2) {}
  bool keep(double fpr, double tpr) {
    if (cells < 0 || (fpr == 0 && tpr == 0) || (fpr == 1 && tpr == 1)) return true;
    const double cell = std::floor((fpr + tpr) / 2 * cells);
    if (cell == last) return false;
    last = cell;
    return true;
  }

 private:
  double cells, last = -1;
};

template <class Ranking, class Tick>
ClassTotals class_totals(const Ranking &ranking, Tick &&tick) {
  ClassTotals total;
  CountedSteps step(tick);
  ranking.walk([&](Key, double p, double n) {
    total.pos += p;
    total.neg += n;
    step();
  });
  return total;
}

// Calls f(threshold, fpr, tpr) for (0, 0) at threshold Inf, then for each distinct score from the highest
// down: the shares of negatives and positives with score >= threshold. A class that does not occur has
// share NaN.
template <class Ranking, class F, class Tick = NoTick>
void walk_curve(const Ranking &ranking, double max_points, F &&f, Tick &&tick = {}) {
  const ClassTotals total = class_totals(ranking, tick);
  CountedSteps step(tick);
  CurveThinner thinner(max_points);
  ClassTotals seen;
  const auto visit = [&](double threshold) {
    const double fpr = seen.neg / total.neg, tpr = seen.pos / total.pos;
    if (thinner.keep(fpr, tpr)) f(threshold, fpr, tpr);
  };
  visit(std::numeric_limits<double>::infinity());
  ranking.walk([&](Key key, double p, double n) {
    seen.pos += p;
    seen.neg += n;
    visit(key_score(key));
    step();
  });
}

// ---- Streams ----------------------------------------------------------------------------------------------

// AUC of few positives, known at the start, against many negatives that arrive in blocks and are not kept:
// each negative is only counted into the gap between two neighbouring positives, or the tie with one, where
// it falls. These counts determine AUC, DeLong's variance and the corners of the curve exactly. O(log n_pos) per
// negative, 48 bytes per distinct positive. Counts are integers, so neither the order of the blocks nor their
// division among counters that are merged matters.
class AucCounter {
 public:
  AucCounter(const double *positives, std::size_t n) {
    std::vector<Key> sorted(n);
    std::transform(positives, positives + n, sorted.begin(), checked_key);
    sort_by_key(sorted.data(), sorted.data() + n, NoTick{});
    for (Key key : sorted) {
      if (keys.empty() || keys.back() != key) {
        keys.push_back(key);
        ties.push_back(0);
      }
      ++ties.back();
    }
    bins.resize(2 * keys.size() + 1);
  }

  // Throws std::invalid_argument at a NaN; what came before it in the block has then been counted.
  void add(const double *negatives, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      const Key key = checked_key(negatives[i]);
      bins[bin(key)].add(1, key);
    }
  }

  // Adds the negatives of a counter made from the same positives, such as another thread's.
  void merge(const AucCounter &other) {
    if (keys != other.keys || ties != other.ties) throw std::invalid_argument("counters of different positives");
    for (std::size_t b = 0; b < bins.size(); ++b) bins[b].add(other.bins[b].count, other.bins[b].lowest);
  }

  AucStats stats() const { return auc_stats(*this); }
  double auc() const { return stats().auc; }

  // The negatives of a gap are reported together, at the lowest score among them.
  template <class F>
  void walk(F &&f) const {
    for (std::size_t i = keys.size();; --i) {
      const Bin &gap = bins[2 * i];
      if (gap.count) f(gap.lowest, 0.0, static_cast<double>(gap.count));
      if (i == 0) return;
      f(keys[i - 1], static_cast<double>(ties[i - 1]), static_cast<double>(bins[2 * i - 1].count));
    }
  }

 private:
  struct Bin {
    std::uint64_t count = 0;
    Key lowest = std::numeric_limits<Key>::max();
    void add(std::uint64_t more, Key key) {
      count += more;
      lowest = std::min(lowest, key);
    }
  };

  std::vector<Key> keys;            // distinct positive scores, ascending
  std::vector<std::uint64_t> ties;  // how many positives have each
  std::vector<Bin> bins;            // negatives: [2i] between keys[i - 1] and keys[i], [2i + 1] at keys[i]

  static Key checked_key(double score) {
    if (std::isnan(score)) throw std::invalid_argument("a score is NaN");
    return order_key(score);
  }

  // Halving without a branch on the comparison, which could not be predicted.
  std::size_t bin(Key key) const {
    if (keys.empty()) return 0;
    const Key *at = keys.data();
    for (std::size_t left = keys.size(); left > 1;) {
      const std::size_t half = left / 2;
      at += (at[half - 1] < key) * half;
      left -= half;
    }
    const std::size_t i = static_cast<std::size_t>(at - keys.data()) + (*at < key);
    return 2 * i + (i < keys.size() && keys[i] == key);
  }
};

}  // namespace hofm

#endif
