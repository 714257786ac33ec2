// Node tables against the kernels of joined rows, blocks against the list of pairs, heaps against sorting.
#include "check.h"

#include "hofm/links/scores.h"
#include "roads.h"

#include <chrono>
#include <set>
#include <stdexcept>
#include <vector>

#include "hofm/base/random.h"

using namespace hofm;

namespace {

double uniform(Random &random) { return double(random.next() >> 11) * 0x1p-53 * 2 - 1; }

// Dense rows and the same in sparse form; about a third of the cells are zero.
struct Nodes {
  int n, d;
  std::vector<double> dense;
  SparseStore rows, columns;

  Nodes(int n, int d, Random &random) : n(n), d(d), dense(std::size_t(n) * d) {
    for (double &x : dense) x = random.below(3) ? uniform(random) : 0;
    fill();
  }
  void fill() {
    rows = SparseStore();
    rows.outer = n;
    rows.inner = d;
    rows.start.push_back(0);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < d; ++j)
        if (at(i)[j] != 0) {
          rows.index.push_back(j);
          rows.value.push_back(at(i)[j]);
        }
      rows.start.push_back(int(rows.index.size()));
    }
    columns = transposed(rows.view());
  }
  double *at(int i) { return dense.data() + std::size_t(i) * d; }
};

Term random_term(Kernel kernel, int degree, int k, int augment, int left, int right, Random &random) {
  Term term;
  term.kernel = kernel;
  term.degree = degree;
  term.augment = augment;
  term.split = left;
  term.set_rank(k);
  term.P.assign(std::size_t(augment + left + right) * term.stride, 0.0);
  for (int j = 0; j < augment + left + right; ++j)
    for (int s = 0; s < k; ++s) term.row(j)[s] = uniform(random);
  for (int t = 0; t < degree; ++t) term.theta.push_back(uniform(random));
  return term;
}

// Sum over all sets of m of the numbers z from `first` on, of their product.
double subsets(const std::vector<double> &z, int m, std::size_t first = 0) {
  if (m == 0) return 1;
  double sum = 0;
  for (std::size_t j = first; j < z.size(); ++j) sum += z[j] * subsets(z, m - 1, j + 1);
  return sum;
}

double slow_term(const Term &term, std::vector<double> x) {
  x.insert(x.begin(), term.augment, 1.0);
  double value = 0;
  for (int s = 0; s < term.k; ++s) {
    std::vector<double> z(x.size());
    double sum = 0, product = 1, left = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      z[j] = term.row(int(j))[s] * x[j];
      sum += z[j];
      product *= 1 + z[j];
      if (int(j) < term.split) left += z[j];
    }
    switch (term.kernel) {
      case Kernel::anova:
        value += subsets(z, term.degree);
        break;
      case Kernel::mix:
        for (int t = 1; t <= term.degree; ++t) value += term.theta[t - 1] * subsets(z, t);
        break;
      case Kernel::all_subsets:
        value += product;
        break;
      case Kernel::polynomial:
        value += std::pow(sum, term.degree);
        break;
      case Kernel::bilinear:
        value += left * (sum - left);
        break;
    }
  }
  return value;
}

// Pairs against the definition: all of them, or one in `every`.
void check_tables(const Model &model, Nodes &a, Nodes &b, int every = 1) {
  Monitor monitor;
  const PairTables tables = pair_tables(a.columns.view(), b.columns.view(), model, 2, monitor);
  std::vector<double> scores(std::size_t(a.n) * b.n);
  CHECK(all_scores(tables, 2, monitor, scores.data()));
  double worst = 0;
  for (int i = 0; i < a.n; ++i)
    for (int j = 0; j < b.n; ++j) {
      if ((i * b.n + j) % every != 0) continue;
      std::vector<double> x(a.at(i), a.at(i) + a.d);
      x.insert(x.end(), b.at(j), b.at(j) + b.d);
      double f = model.intercept;
      for (const Term &term : model.terms) f += slow_term(term, x);
      const double error = std::fabs(scores[i + std::size_t(j) * a.n] - f) / std::max(1.0, std::fabs(f));
      if (!(error <= worst)) worst = error;  // a NaN too
    }
  CHECK_NEAR(worst, 0, 1e-12);
}

void test_kernels() {
  Random random(1);
  Nodes a(11, 4, random), b(7, 3, random);
  for (int k : {1, 3, 8})
    for (int degree = 1; degree <= 7; ++degree)
      for (Kernel kernel : {Kernel::anova, Kernel::mix, Kernel::all_subsets, Kernel::polynomial, Kernel::bilinear}) {
        if (kernel == Kernel::anova && degree == 1 && k > 1) continue;  // the linear term has one factor
        const bool dummies = kernel == Kernel::anova ? degree > 1 : kernel == Kernel::polynomial;
        Model model;
        model.intercept = 0.7;
        model.terms.push_back(random_term(kernel, degree, k, dummies ? std::max(1, degree - 1) : 0, 4, 3, random));
        check_tables(model, a, b);
      }
  Model all;  // several terms side by side, as in the model "hofm"
  for (int degree = 1; degree <= 4; ++degree)
    all.terms.push_back(random_term(Kernel::anova, degree, degree == 1 ? 1 : 2 + degree, 0, 4, 3, random));
  check_tables(all, a, b);
  check_tables(Model(), a, b);
  Model one_set;  // one matrix as both sides, which is walked once
  for (int degree = 1; degree <= 3; ++degree)
    one_set.terms.push_back(random_term(Kernel::anova, degree, degree == 1 ? 1 : 5, 0, 4, 4, random));
  check_tables(one_set, a, a);

  // Slices of the factors, and features enough that the rows of one side are cut. Degrees 1 and 2 can still be enumerated.
  Nodes wide(130, 700, random);
  for (Kernel kernel : {Kernel::anova, Kernel::mix, Kernel::all_subsets, Kernel::polynomial, Kernel::bilinear}) {
    Model model;
    model.terms.push_back(random_term(kernel, 2, 17, kernel == Kernel::anova || kernel == Kernel::polynomial, 700, 3, random));
    for (double &p : model.terms[0].P) p *= 0.1;
    check_tables(model, wide, b, 31);
  }
  Model both;  // one matrix as both sides whose rows are cut
  both.terms.push_back(random_term(Kernel::anova, 2, 17, 0, 700, 700, random));
  for (double &p : both.terms[0].P) p *= 0.1;
  check_tables(both, wide, wide, 997);
  Model broken;
  broken.terms.push_back(random_term(Kernel::anova, 2, 17, 0, 4, 3, random));
  broken.terms[0].row(1)[3] = HUGE_VAL;
  Monitor monitor;
  std::vector<double> scores(std::size_t(a.n) * b.n);
  CHECK(!all_scores(pair_tables(a.columns.view(), b.columns.view(), broken, 1, monitor), 1, monitor, scores.data()));
}

struct Problem {
  Random random{2};
  Nodes a, b;
  Model model;
  Monitor monitor;
  PairTables tables;

  Problem(int n_a, int n_b)
      : a(n_a, 4, random), b(n_b, 3, random), model(make()),
        tables(pair_tables((tie(a), a.columns.view()), (tie(b), b.columns.view()), model, 1, monitor)) {}
  Model make() {
    Model m;
    for (int degree = 1; degree <= 3; ++degree)
      m.terms.push_back(random_term(Kernel::anova, degree, degree == 1 ? 1 : 5, 0, 4, 3, random));
    return m;
  }
  // Every tenth node is like the first.
  static void tie(Nodes &x) {
    for (int i = 10; i < x.n; i += 10) std::copy_n(x.at(0), x.d, x.at(i));
    x.fill();
  }
};

bool counts(GraphKind grid, int i, int j) { return grid == GraphKind::two_sets || (grid == GraphKind::directed ? i != j : i < j); }

void test_blocks() {
  for (GraphKind grid : {GraphKind::two_sets, GraphKind::directed, GraphKind::undirected}) {
    Problem p(150, 1100);
    std::vector<int> out_i, out_j;
    for (int q = 0; q < 500; ++q) {
      const int i = int(p.random.below(150)), j = int(p.random.below(1100));
      if (counts(grid, i, j)) out_i.push_back(i), out_j.push_back(j);
    }
    PairBlocks blocks(150, 1100, grid);
    blocks.leave_out(out_i, out_j);
    std::vector<int> seen(150 * 1100, 0);
    std::vector<double> scores(150 * 1100);
    score_blocks(p.tables, blocks, 1, p.monitor, [&](const ScoreBlock &block, int) {
      block.each([&](int i, int j, double score) { ++seen[i + j * 150], scores[i + j * 150] = score; });
    });
    std::set<std::pair<int, int>> gone;
    for (std::size_t q = 0; q < out_i.size(); ++q) gone.insert({out_i[q], out_j[q]});
    std::vector<int> i_all, j_all;
    std::vector<double> in_block;
    bool right = true;
    for (int i = 0; i < 150; ++i)
      for (int j = 0; j < 1100; ++j) {
        const bool wanted = counts(grid, i, j) && !gone.count({i, j});
        right = right && seen[i + j * 150] == int(wanted);
        if (wanted) i_all.push_back(i), j_all.push_back(j), in_block.push_back(scores[i + j * 150]);
      }
    CHECK(right);
    CHECK(pair_scores(p.tables, i_all, j_all) == in_block);  // the same bits in and out of a block
  }
}

void test_ties() {
  Problem p(64, 600);
  std::vector<double> scores(64 * 600);
  all_scores(p.tables, 1, p.monitor, scores.data());
  bool same = true;
  for (int i = 0; i < 64; i += 10)
    for (int j = 0; j < 600; j += 10) same = same && scores[i + j * 64] == scores[0];
  CHECK(same);
}

void test_instructions() {
  Problem p(37, 45);
  std::vector<int> i, j;
  for (int q = 0; q < 37 * 45; ++q) i.push_back(q % 37), j.push_back(q / 37);
  const std::vector<double> plain = pair_scores(p.tables, i, j, Isa::generic);
  for (Isa isa : roads()) {
    const std::vector<double> fast = pair_scores(p.tables, i, j, isa);
    double worst = 0;
    for (std::size_t q = 0; q < i.size(); ++q)
      if (!(std::fabs(plain[q] - fast[q]) <= worst)) worst = std::fabs(plain[q] - fast[q]);
    CHECK_NEAR(worst, 0, 1e-12);
  }
}

void test_best() {
  Problem p(150, 700);
  std::vector<double> scores(150 * 700);
  all_scores(p.tables, 1, p.monitor, scores.data());
  const PairBlocks blocks(150, 700, GraphKind::two_sets);
  for (bool by_node : {false, true})
    for (int threads : {1, 2, 3})
      for (std::size_t n : {0, 1, 25}) {
        const std::vector<ScoredPair> best = best_pairs(p.tables, blocks, GraphKind::two_sets, n, by_node, threads, p.monitor);
        std::vector<ScoredPair> want;
        for (int h = 0; h < (by_node ? 150 : 1); ++h) {
          std::vector<ScoredPair> all;
          for (int i = by_node ? h : 0; i < (by_node ? h + 1 : 150); ++i)
            for (int j = 0; j < 700; ++j) all.push_back({i, j, scores[i + j * 150]});
          std::sort(all.begin(), all.end(), before);
          want.insert(want.end(), all.begin(), all.begin() + n);
        }
        bool same = best.size() == want.size();
        for (std::size_t q = 0; same && q < best.size(); ++q) same = best[q].i == want[q].i && best[q].j == want[q].j;
        CHECK(same);
      }
}

void test_auc() {
  Problem p(150, 700);
  std::vector<double> scores(150 * 700);
  all_scores(p.tables, 1, p.monitor, scores.data());
  std::vector<int> i, j, label(150 * 700, 0);
  for (int q = 0; q < 90; ++q) {
    i.push_back(int(p.random.below(150)));
    j.push_back(q * 7);
    label[i[q] + j[q] * 150] = 1;
  }
  const AucStats want = auc_stats(sort_scores(label.data(), scores.data(), scores.size()));
  for (int threads : {1, 2, 3}) {
    const AucStats stats = count_links(p.tables, PairBlocks(150, 700, GraphKind::two_sets), i, j, threads, p.monitor).stats();
    CHECK(stats.auc == want.auc && stats.n_neg == want.n_neg);
    CHECK_NEAR(stats.variance(), want.variance(), 1e-12);
  }
}

void test_interrupt() {
  Problem p(64, 600);
  p.monitor.interrupt = [] { throw std::runtime_error("stop"); };
  bool stopped = false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  try {
    while (std::chrono::steady_clock::now() < end)
      best_pairs(p.tables, PairBlocks(64, 600, GraphKind::two_sets), GraphKind::two_sets, 3, false, 1, p.monitor);
  } catch (const std::runtime_error &) {
    stopped = true;
  }
  CHECK(stopped);
}

}  // namespace

int main() {
  test_kernels();
  test_blocks();
  test_ties();
  test_instructions();
  test_best();
  test_auc();
  test_interrupt();
  return report();
}
