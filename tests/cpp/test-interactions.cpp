// The strongest interactions: that the search, also for very many of them, asks often whether to stop. What it finds is
// compared with enumeration by the tests of the package.
#include <algorithm>
#include <ctime>
#include <stdexcept>
#include <vector>

#include "check.h"
#include "hofm/stats/interactions.h"
#include "hofm/base/random.h"

namespace {

std::vector<double> factors(int d, int k) {
  hofm::Random random(3);
  std::vector<double> P(std::size_t(d) * k);
  for (double &p : P) p = double(random.below(2000001)) / 1e6 - 1;
  return P;
}

double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

// The longest time without a question, the end included.
void test_gaps() {
  const int d = 2100, k = 4;
  hofm::Monitor monitor;
  double last = processor_seconds(), longest = 0;
  const auto ask = [&] {
    const double now = processor_seconds();
    longest = std::max(longest, now - last);
    last = now;
  };
  monitor.interrupt = ask;
  hofm::InteractionSearch search(factors(d, k), std::vector<double>(k, 1.0), d, 2, 2000000, monitor);
  CHECK(search().size() == 2000000);
  ask();
  CHECK(longest < 0.1);
}

void test_stop() {
  hofm::Monitor monitor;
  monitor.interrupt = [] { throw std::runtime_error("stop"); };
  bool stopped = false;
  try {
    hofm::InteractionSearch(factors(3000, 4), std::vector<double>(4, 1.0), 3000, 2, 1000000, monitor)();
  } catch (const std::runtime_error &) {
    stopped = true;
  }
  CHECK(stopped);
}

void test_order() {
  hofm::Monitor monitor;
  // Products of two: -9, then -3 and 3 twice each, in the order of features.
  const std::vector<double> P = {1, -3, 3, 1, 0};
  hofm::InteractionSearch search(P, {1.0}, 5, 2, 4, monitor);
  const std::vector<hofm::Interaction> best = search();
  const int want[][2] = {{1, 2}, {0, 1}, {0, 2}, {1, 3}};
  const double weight[] = {-9, -3, 3, -3};
  for (int q = 0; q < 4; ++q)
    CHECK(best[q].weight == weight[q] && best[q].features[0] == want[q][0] && best[q].features[1] == want[q][1]);
}

}  // namespace

int main() {
  test_gaps();
  test_stop();
  test_order();
  return report();
}
