// The pairwise loss: what is drawn, its expectation by enumeration, and its gradient by differences.
#include <map>

#include "check.h"
#include "hofm/fit.h"
#include "hofm/solve/sg_ranking.h"
#include "nodes.h"

// Every free pair once, by rank, for graphs of each kind; no link among them.
void free_pairs_are_free(const std::string &kind, int n, int other) {
  std::vector<std::pair<int, int>> all;
  for (int j = 0; j < (kind == "two_sets" ? other : n); ++j)
    for (int i = 0; i < n; ++i)
      if (kind == "two_sets" || (kind == "directed" && i != j) || (kind == "undirected" && i < j)) all.push_back({i, j});
  const std::vector<std::uint64_t> links = {0, 1, 4, std::uint64_t(all.size()) - 1};
  const hofm::FreePairs free(kind, n, all.size(), links);
  CHECK(free.count() == all.size() - links.size());
  std::size_t rank = 0;
  for (std::size_t code = 0; code < all.size(); ++code) {
    CHECK(free.nodes(code) == all[code]);
    if (std::find(links.begin(), links.end(), code) != links.end()) continue;
    CHECK(free.code(rank++) == code);
  }
}

// Pairs drawn over many epochs are all the free ones, about equally often.
void draws_are_uniform() {
  const hofm::FreePairs free("undirected", 6, 15, {2, 3, 9});
  std::map<std::pair<int, int>, int> count;
  for (std::uint64_t epoch = 1; epoch <= 200; ++epoch)
    for (std::uint64_t item = 0; item < 60; ++item) {
      hofm::Random random(5, epoch, item);
      ++count[free.draw(random)];
    }
  CHECK(count.size() == 12);
  for (const auto &pair : count) {
    CHECK(pair.first.first < pair.first.second);
    CHECK(std::fabs(pair.second - 1000.0) < 5 * std::sqrt(1000.0));
  }
}

// Mean value and mean slopes over epochs against the sum over all (link, other) pairs, weights and offsets included.
void means_match() {
  hofm::Random random(8);
  const Sample x(7, 5, 0.7, random);
  hofm::Design design = x.design();
  hofm::Response response = random_response(x.n, "logistic", false, random);
  hofm::Ranking ranking;
  ranking.links = {0, 3};
  ranking.others = {1, 2, 4, 5, 6};
  ranking.response = response;
  ranking.reported = {{0}, {1}};
  hofm::Options options;
  hofm::Monitor monitor;
  hofm::Model model;
  for (int t = 1; t <= 3; ++t) model.terms.push_back(random_term(t, 2, x.d, 0, random));
  hofm::Pairwise task(design, ranking, options, monitor);

  auto f = [&](int i) { return link_slow(model, x, i) + response.offset[i]; };
  auto expected = [&] {
    double loss = 0, total = 0;
    for (int i : ranking.links)
      for (int j : ranking.others) {
        const double weight = response.weight[i] * response.weight[j];
        loss += weight * std::log(1 + std::exp(-(f(i) - f(j))));
        total += weight;
      }
    return loss / total;
  };
  std::map<int, double> slope;  // of the mean loss in the value of a sample
  for (int i = 0; i < x.n; ++i) slope[i] = difference(expected, response.offset[i]);

  const int epochs = 40000;
  double mean = 0;
  std::map<int, double> found;
  hofm::RowBatch rows(design);
  for (int epoch = 1; epoch <= epochs; ++epoch)
    for (int item = 0; item < task.items(); ++item) {
      rows.clear();
      task.add(item, epoch, rows);
      int sample[2] = {-1, -1};
      for (int r = 0; r < 2; ++r)
        for (int i = 0; i < x.n; ++i)
          if (design.blocks[0].rows.view()[i].index == rows[r].index) sample[r] = i;
      double value[2], g[2];
      for (int r = 0; r < 2; ++r) value[r] = f(sample[r]) - response.offset[sample[r]];
      const double share = task.weight(item, epoch) / task.items() / epochs;
      mean += share * task.value(item, epoch, value);
      task.slopes(item, epoch, value, g);
      for (int r = 0; r < 2; ++r) found[sample[r]] += share * g[r];
    }
  CHECK_NEAR(mean, expected(), 0.01);
  for (int i = 0; i < x.n; ++i) CHECK_NEAR(found[i], slope[i], 0.01);

  // slopes() itself, to the digits of a difference
  double value[2] = {0.3, -0.4}, g[2];
  task.slopes(1, 7, value, g);
  for (int r = 0; r < 2; ++r) CHECK_NEAR(g[r], difference([&] { return task.value(1, 7, value); }, value[r]), 1e-8);
}

// On a graph of eight nodes, training lowers the loss over all pairs, whatever the number of threads.
void training_ranks() {
  hofm::Random random(12);
  const Sample nodes(8, 6, 0.7, random);
  std::vector<int> i = {0, 1, 2, 5}, j = {3, 4, 6, 7};
  const std::size_t links = i.size();
  for (int q = 0; q < 200; ++q) {  // reported on
    const std::pair<int, int> pair = hofm::FreePairs("two_sets", 8, 64, {}).draw(random);
    i.push_back(pair.first);
    j.push_back(pair.second);
  }
  hofm::Response response;
  response.y.assign(i.size(), -1.0);
  response.weight.assign(i.size(), 1.0);
  response.offset.assign(i.size(), 0.0);
  hofm::Ranking ranking;
  ranking.response = response;
  for (std::size_t q = 0; q < links; ++q) ranking.links.push_back(int(q));
  for (int q = 0; q < 200; ++q) {
    ranking.reported.links.push_back(q % int(links));
    ranking.reported.others.push_back(int(links) + q);
  }
  ranking.free = hofm::FreePairs("two_sets", 8, 64, {24, 33, 50, 61});  // codes j * 8 + i of the links
  hofm::Model start;
  start.fit_intercept = false;
  start.terms.push_back(random_term(2, 3, 12, 1e-3, random));
  for (double &p : start.terms[0].P) p *= 0.2;
  for (const char *solver : {"sgd", "adagrad"}) {
    std::vector<hofm::Model> fits;
    for (int threads : {1, 3}) {
      hofm::Design design;
      design.add(nodes.columns.view(), i);
      design.add(nodes.columns.view(), j);
      hofm::Options options;
      options.solver = solver;
      options.threads = threads;
      options.max_iter = 60;
      options.tol = 0;
      hofm::Monitor monitor;
      hofm::Model model = start;
      hofm::Task task = ranking;
      hofm::train(design, task, model, options, monitor);
      CHECK(monitor.trace.objective.back() < 0.8 * monitor.trace.objective[0]);
      CHECK(model.intercept == 0);
      fits.push_back(model);
    }
    CHECK(fits[0].terms[0].P == fits[1].terms[0].P);
  }
}

int main() {
  free_pairs_are_free("two_sets", 4, 6);
  free_pairs_are_free("directed", 5, 5);
  free_pairs_are_free("undirected", 7, 7);
  draws_are_uniform();
  means_match();
  training_ranks();
  return report();
}
