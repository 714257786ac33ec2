// All pairs of a small grid by Gram matrices, against coordinate descent on the pairs written out with their weights.
#include <set>

#include "check.h"
#include "hofm/solve/all_pairs.h"
#include "problem.h"
#include "train.h"

int main() {
  hofm::Random random(8);
  for (bool one_set : {false, true})
    for (double w0 : {0.05, 1.0}) {
      const Sample A(6, 5, 0.7, random), B(one_set ? 6 : 8, 4, 0.7, random);
      const Sample &right = one_set ? A : B;
      std::set<std::pair<int, int>> links;
      while (links.size() < 9) {
        const int i = int(random.below(A.n)), j = int(random.below(right.n));
        if (!one_set || i != j) links.insert({i, j});
      }

      // every pair written out, links first
      std::vector<int> left_index, right_index;
      hofm::Response response;
      double total = 0;
      for (int round = 0; round < 2; ++round)
        for (int i = 0; i < A.n; ++i)
          for (int j = 0; j < right.n; ++j) {
            if (one_set && i == j) continue;
            if (links.count({i, j}) != (round == 0 ? 1u : 0u)) continue;
            left_index.push_back(i);
            right_index.push_back(j);
            response.y.push_back(round == 0);
            response.weight.push_back(round == 0 ? 1 : w0);
            total += response.weight.back();
          }
      for (double &w : response.weight) w /= total;
      response.offset.assign(response.y.size(), 0.0);
      response.uniform = false;
      hofm::Design all;
      all.add(A.columns.view(), left_index);
      all.add(right.columns.view(), right_index);

      hofm::Design samples;
      hofm::AllPairs grid;
      grid.links = 9;
      grid.pairs = double(response.y.size());
      grid.negative_weight = w0;
      std::vector<int> i(left_index.begin(), left_index.begin() + 9), j(right_index.begin(), right_index.begin() + 9);
      if (one_set)
        for (int q = 0; q < A.n; ++q) {
          i.push_back(q);
          j.push_back(q);
        }
      samples.add(A.columns.view(), i);
      samples.add(right.columns.view(), j);

      std::vector<hofm::Model> models;
      for (const hofm::Term &term : all_terms(4, 3, all.d, 0.001, random)) {
        if (term.kernel == hofm::Kernel::mix || term.kernel == hofm::Kernel::polynomial) continue;
        hofm::Model model;
        model.terms.push_back(term);
        if (term.kernel == hofm::Kernel::bilinear) model.terms[0].split = A.d;
        models.push_back(model);
      }
      hofm::Model together;
      for (int t = 1; t <= 3; ++t) together.terms.push_back(random_term(t, 2, all.d, 0.001, random));
      models.push_back(together);

      for (const hofm::Model &start : models)
        for (bool extrapolate : {false, true}) {
          hofm::Options options;
          options.max_iter = 20;
          options.tol = 0;
          options.sweep = "single";
          options.extrapolate = extrapolate;
          hofm::Monitor m1, m2;
          hofm::Model by_grid = start, by_pairs = start;
          hofm::AllPairsDescent(samples, grid, options, m1)(by_grid);
          train_samples(all, response, by_pairs, options, m2);
          CHECK_NEAR(by_grid.intercept, by_pairs.intercept, 1e-8);
          for (std::size_t t = 0; t < start.terms.size(); ++t)
            for (std::size_t q = 0; q < start.terms[t].P.size(); ++q)
              CHECK_NEAR(by_grid.terms[t].P[q], by_pairs.terms[t].P[q], 1e-8);
          const std::vector<double> &objective = m1.trace.objective;
          for (std::size_t e = 0; e < objective.size(); ++e) {
            CHECK_NEAR(objective[e], m2.trace.objective[e], 1e-9);
            if (e > 0) CHECK(objective[e] <= objective[e - 1] + 1e-12);
          }
        }
    }
  return report();
}
