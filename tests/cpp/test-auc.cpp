// AUC against its definition, the sort against std::sort, the counter against the ranking of all scores.
#include "check.h"

#include "hofm/stats/auc.h"

#include <cmath>
#include <limits>
#include <vector>

using namespace hofm;

namespace {

const double inf = std::numeric_limits<double>::infinity();
const double nan_value = std::numeric_limits<double>::quiet_NaN();

// A small generator of our own: the same numbers on every platform.
struct Random {
  std::uint64_t state;
  std::uint64_t bits() {
    state += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
};

double beats(double a, double b) { return a > b ? 1 : a == b ? 0.5 : 0; }

AucStats stats_slow(const std::vector<double> &pos, const std::vector<double> &neg) {
  const double p = static_cast<double>(pos.size()), n = static_cast<double>(neg.size());
  double auc = 0, var_pos = 0, var_neg = 0;
  for (double a : pos)
    for (double b : neg) auc += beats(a, b);
  auc /= p * n;
  for (double a : pos) {
    double v = 0;
    for (double b : neg) v += beats(a, b) / n;
    var_pos += (v - auc) * (v - auc) / (p - 1);
  }
  for (double b : neg) {
    double v = 0;
    for (double a : pos) v += beats(a, b) / p;
    var_neg += (v - auc) * (v - auc) / (n - 1);
  }
  return {auc, var_pos, var_neg, p, n};
}

struct Sample {
  std::vector<int> positive;
  std::vector<double> score, pos, neg;
};

// levels = 0: no ties.
Sample sample(std::size_t n, double share, int levels, std::uint64_t seed) {
  Random random{seed};
  Sample s;
  for (std::size_t i = 0; i < n; ++i) {
    const bool positive = i < 2 || (i > 3 && random.uniform() < share);
    double score = random.uniform() + random.uniform() - 1 + (positive ? 0.3 : 0);
    if (levels) score = std::floor(score * levels) / levels;
    s.positive.push_back(positive);
    s.score.push_back(score);
    (positive ? s.pos : s.neg).push_back(score);
  }
  return s;
}

void check_stats(const AucStats &a, const AucStats &b) {
  CHECK_NEAR(a.auc, b.auc, 1e-13);
  CHECK_NEAR(a.var_pos, b.var_pos, 1e-13);
  CHECK_NEAR(a.var_neg, b.var_neg, 1e-13);
  CHECK(a.n_pos == b.n_pos && a.n_neg == b.n_neg);
}

void test_keys() {
  const double ordered[] = {-inf, -1e308, -1 - 0x1p-52, -1, -1e-320, 0, 5e-324, 1e-320, 1, 1 + 0x1p-52, 1e308, inf};
  const std::size_t n = sizeof ordered / sizeof *ordered;
  for (std::size_t i = 0; i < n; ++i) {
    CHECK(key_score(order_key(ordered[i])) == ordered[i]);
    if (i) CHECK(order_key(ordered[i - 1]) < order_key(ordered[i]));
  }
  CHECK(order_key(-0.0) == order_key(0.0));
}

void check_sorted(std::vector<Key> keys) {
  std::vector<Key> expected = keys;
  std::sort(expected.begin(), expected.end());
  sort_by_key(keys.data(), keys.data() + keys.size(), NoTick{});
  CHECK(keys == expected);
}

void test_sort() {
  Random random{1};
  for (std::size_t n : {0, 1, 2, 48, 49, 50, 1000, 100000}) {
    std::vector<Key> wide(n), narrow(n), few(n), skewed(n), scores(n);
    for (std::size_t i = 0; i < n; ++i) {
      wide[i] = random.bits();
      narrow[i] = (Key{1} << 60) + (random.bits() & 1023);
      few[i] = random.bits() & 1 ? 0 : ~Key{0};
      skewed[i] = random.bits() >> (random.bits() & 63);  // every bucket of every pass but one nearly empty
      scores[i] = order_key(std::log(random.uniform()));
    }
    for (const auto &keys : {wide, narrow, few, skewed, scores}) check_sorted(keys);
  }
}

void test_tick() {
  struct Stop {};
  std::vector<Key> keys(10000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i * 0x9e3779b97f4a7c15u;
  bool stopped = false;
  try {
    sort_by_key(keys.data(), keys.data() + keys.size(), [] { throw Stop{}; });
  } catch (const Stop &) {
    stopped = true;
  }
  CHECK(stopped);
}

void test_direct() {
  for (int levels : {0, 3, 20})
    for (std::size_t n : {4, 10, 57, 400}) {
      const Sample s = sample(n, 0.3, levels, n + static_cast<std::size_t>(levels));
      check_stats(auc_stats(sort_scores(s.positive.data(), s.score.data(), n)), stats_slow(s.pos, s.neg));
    }
}

void test_weighted() {
  const Sample s = sample(200, 0.4, 10, 5);
  std::vector<double> weight;
  std::vector<int> positive;
  std::vector<double> score;
  for (std::size_t i = 0; i < 200; ++i) {
    weight.push_back(static_cast<double>((i + 1) % 4));
    for (std::size_t times = 0; times < (i + 1) % 4; ++times) {
      positive.push_back(s.positive[i]);
      score.push_back(s.score[i]);
    }
  }
  check_stats(auc_stats(sort_scores(s.positive.data(), s.score.data(), weight.data(), 200)),
              auc_stats(sort_scores(positive.data(), score.data(), score.size())));
}

void test_placements() {
  const Sample s = sample(300, 0.3, 15, 8);
  std::vector<double> v(300);
  placements(s.positive.data(), s.score.data(), 300, v.data());
  for (std::size_t i = 0; i < 300; ++i) {
    double expected = 0;
    if (s.positive[i])
      for (double b : s.neg) expected += beats(s.score[i], b) / static_cast<double>(s.neg.size());
    else
      for (double a : s.pos) expected += beats(a, s.score[i]) / static_cast<double>(s.pos.size());
    CHECK_NEAR(v[i], expected, 1e-13);
  }
}

void test_pair() {
  const Sample s = sample(300, 0.3, 15, 9);
  std::vector<double> zero(300, 1.0), shifted;
  for (double x : s.score) shifted.push_back(std::exp(x));
  // A constant score has placements 1/2 throughout, so the variance of the difference is that of the other.
  const AucPair with_constant = auc_pair(s.positive.data(), s.score.data(), zero.data(), 300);
  const AucStats alone = stats_slow(s.pos, s.neg);
  CHECK_NEAR(with_constant.auc_a, alone.auc, 1e-13);
  CHECK_NEAR(with_constant.auc_b, 0.5, 1e-15);
  CHECK_NEAR(with_constant.variance, alone.variance(), 1e-13);
  CHECK(auc_pair(s.positive.data(), s.score.data(), shifted.data(), 300).variance == 0);
}

// Blocks of changing length, dealt to two counters, in any order: the same bits as all at once.
void test_counter() {
  for (int levels : {0, 4, 50})
    for (double share : {0.01, 0.5, 0.98}) {
      const Sample s = sample(3000, share, levels, 77);
      AucCounter counter(s.pos.data(), s.pos.size()), other = counter, whole = counter;
      for (std::size_t start = 0, block = 1; start < s.neg.size(); start += block, block = block * 3 % 101 + 1)
        (block % 2 ? counter : other).add(s.neg.data() + start, std::min(block, s.neg.size() - start));
      counter.merge(other);
      whole.add(s.neg.data(), s.neg.size());
      check_stats(counter.stats(), auc_stats(sort_scores(s.positive.data(), s.score.data(), s.score.size())));
      CHECK(counter.auc() == whole.auc());
      CHECK(counter.stats().variance() == whole.stats().variance());
    }
}

// The counter's curve has every corner of the full one: the same area by trapezoids, and its points lie on
// it.
void test_counter_curve() {
  const Sample s = sample(500, 0.1, 40, 12);
  AucCounter counter(s.pos.data(), s.pos.size());
  counter.add(s.neg.data(), s.neg.size());
  double area = 0, last_fpr = 0, last_tpr = 0;
  bool first = true;
  walk_curve(counter, 0, [&](double threshold, double fpr, double tpr) {
    double p = 0, n = 0;
    if (!first) {
      for (double a : s.pos) p += a >= threshold;
      for (double b : s.neg) n += b >= threshold;
    }
    if (!first) CHECK(std::count(s.score.begin(), s.score.end(), threshold) > 0);  // one that occurs
    first = false;
    CHECK_NEAR(tpr, p / static_cast<double>(s.pos.size()), 1e-15);
    CHECK_NEAR(fpr, n / static_cast<double>(s.neg.size()), 1e-15);
    area += (fpr - last_fpr) * (tpr + last_tpr) / 2;
    last_fpr = fpr;
    last_tpr = tpr;
  });
  CHECK(last_fpr == 1 && last_tpr == 1);
  CHECK_NEAR(area, stats_slow(s.pos, s.neg).auc, 1e-13);
}

bool refused(void (*act)()) {
  try {
    act();
  } catch (const std::invalid_argument &) {
    return true;
  }
  return false;
}

void test_corners() {
  const double one = 1, up = 1 + 0x1p-52, infinite[] = {-inf, inf};
  AucCounter near_tie(&up, 1), none(nullptr, 0), alone(&one, 1), ends(infinite, 2);
  near_tie.add(&one, 1);
  CHECK(near_tie.auc() == 1);
  CHECK(std::isnan(near_tie.stats().variance()));  // one of each class
  none.add(&one, 1);
  CHECK(std::isnan(none.auc()));
  CHECK(std::isnan(alone.auc()));
  ends.add(infinite, 2);
  ends.add(&one, 1);
  CHECK_NEAR(ends.auc(), 0.5, 1e-15);  // 1/2 + 0 + 0 and 1 + 1/2 + 1, of 6
  CHECK(refused([] { AucCounter(&nan_value, 1); }));
  CHECK(refused([] {
    const double x = 0;
    AucCounter c(&x, 1);
    c.add(&nan_value, 1);
  }));
  CHECK(refused([] {
    const double x[] = {0, 1};
    AucCounter c(x, 1);
    c.merge(AucCounter(x + 1, 1));
  }));
}

void test_thinner() {
  for (double max_points : {3.0, 10.0, 500.0}) {
    CurveThinner thinner(max_points);
    double kept = 0, last = 0;
    for (int i = 0; i <= 10000; ++i) {
      const double fpr = i / 10000.0, tpr = std::sqrt(fpr);
      if (thinner.keep(fpr, tpr)) {
        ++kept;
        last = fpr + tpr;
      }
      CHECK(fpr + tpr - last < 2 / (max_points - 2));
    }
    CHECK(kept <= max_points && last == 2);
  }
}

}  // namespace

int main() {
  test_keys();
  test_sort();
  test_tick();
  test_direct();
  test_weighted();
  test_placements();
  test_pair();
  test_counter();
  test_counter_curve();
  test_corners();
  test_thinner();
  return report();
}
