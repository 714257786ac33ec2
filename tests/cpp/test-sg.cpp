// Steps against their definition on every road, and whole fits that do not depend on threads.
#include <limits>

#include "check.h"
#include "hofm/simd/interface.h"
#include "problem.h"
#include "train.h"

using hofm::Isa;

// One coordinate from the definition, S the sum of squares so far: p <- p - eta/sqrt(S) g, or p - eta g.
double stepped(double p, double g, double S, double eta, bool adaptive) {
  const double H = adaptive ? std::sqrt(S) : 1;
  return H > 0 ? p - eta / H * g : p;
}

// Three columns of k factors; gradients of many sizes, some zero, some coordinates that never had one.
void steps_match(Isa isa, bool adaptive, int k, hofm::Random &random) {
  hofm::Term term = random_term(k == 1 ? 1 : 2, k, 3, 0, random);
  const hofm::StepKernel kernel = hofm::kernels(isa).steps(adaptive, hofm::Kernel::anova, term.degree);
  const std::size_t size = term.P.size();
  Vector p = term.P, G(size), memory(size, std::numeric_limits<double>::infinity()), expected = term.P, S(size, 0.0);
  const int columns[] = {2, 0};
  const double missed[] = {3, 1e6};
  for (int time = 0; time < 60; ++time) {
    for (std::size_t q = 0; q < size; ++q)
      G[q] = q % 5 == 3 ? 0 : uniform(random) * std::pow(10, time < 30 ? uniform(random) * 3 : -2);
    for (int column : columns)
      for (int s = 0; s < term.stride; ++s) {
        const std::size_t q = std::size_t(column) * term.stride + s;
        S[q] += G[q] * G[q];
        expected[q] = stepped(expected[q], G[q], S[q], 0.1, adaptive);
      }
    const Vector gradient = G;
    const hofm::StepView view{p.data(), G.data(), memory.data(), term.stride, 0.1, 1e-5};
    kernel.step(view, columns, 2, 0, term.stride);
    for (std::size_t q = 0; q < size; ++q) {
      const bool moved = int(q) / term.stride != 1;
      CHECK(G[q] == (moved ? 0 : gradient[q]));
      CHECK_NEAR(p[q], expected[q], 1e-10);
    }
  }
  const hofm::StepView view{p.data(), G.data(), memory.data(), term.stride, 0.1, 1e-5};
  kernel.catch_up(view, columns, missed, 2, 0, term.stride);
  for (int c = 0; c < 2; ++c)
    for (int s = 0; s < term.stride; ++s) {
      const std::size_t q = std::size_t(columns[c]) * term.stride + s;
      const double H = adaptive ? std::sqrt(S[q]) : 1;
      CHECK_NEAR(p[q], H > 0 ? expected[q] / (1 + missed[c] * 1e-5 / H) : expected[q], 1e-10);
    }
}

// Gradients whose squares are beyond the numbers, one after the other: what counts is their ratio.
void extremes_match(Isa isa) {
  const hofm::StepKernel kernel = hofm::kernels(isa).steps(true, hofm::Kernel::anova, 2);
  const std::vector<Vector> gradients = {{1e-170, 1e160, 1e-160, 0, -1e-170, 2, 1e-320, -0.0},
                                         {1, 1, 1, 1e-170, -1e-170, 1e-170, 3, -0.0}};
  Vector p(8, 1.0), G(8), memory(8, std::numeric_limits<double>::infinity());
  std::vector<long double> S(8, 0), expected(8, 1);
  for (const Vector &gradient : gradients) {
    G = gradient;
    const hofm::StepView view{p.data(), G.data(), memory.data(), 8, 0.1, 0};
    const int column = 0;
    kernel.step(view, &column, 1, 0, 8);
    for (int q = 0; q < 8; ++q) {
      const long double g = gradient[q];
      S[q] += g * g;
      if (std::fabs(gradient[q]) > 1e-300) expected[q] -= 0.1L * g / std::sqrt(S[q]);  // 1/g is a number
      CHECK_NEAR(p[q], double(expected[q]), 1e-12);
    }
  }
}

// forward() on a row is catch_up() and the row kernel's forward(), and descend() is backward() and step().
void descents_match(Isa isa, bool adaptive, const hofm::Term &start, const Sample &x, double shrink, double memory) {
  hofm::Design design = x.design();
  design.need_rows();
  const hofm::Slice row = design.blocks[0].rows.view()[0];
  std::vector<int> columns;
  for (int q = 0; q < start.augment; ++q) columns.push_back(q);
  for (int q = 0; q < row.size; ++q) columns.push_back(start.augment + row.index[q]);
  const hofm::RowKernel rows = hofm::kernels(isa).rows(start.kernel, start.degree);
  const hofm::StepKernel steps = hofm::kernels(isa).steps(adaptive, start.kernel, start.degree);
  hofm::Term one = start, two = start;
  Vector state(hofm::state_size(start)), other(state.size()), work(hofm::work_size(start, row.size) + start.stride),
      G(start.P.size(), 0.0);
  Vector memory_one(start.P.size(), memory), memory_two = memory_one, missed;
  for (std::size_t q = 0; q < memory_one.size(); ++q)
    if (int(q % start.stride) >= start.k) memory_one[q] = memory_two[q] = 1;  // padding, as the solver has it
  for (int q = 0; q < row.size; ++q) missed.push_back(q % 3 == 2 ? 90 : q);   // little and much to catch up with
  for (int time = 0; time < 5; ++time) {
    const hofm::StepView first{one.P.data(), G.data(), memory_one.data(), one.stride, 0.01, shrink};
    const hofm::StepView second{two.P.data(), G.data(), memory_two.data(), two.stride, 0.01, shrink};
    steps.catch_up(first, columns.data() + one.augment, missed.data(), row.size, 0, one.stride);
    const double value = rows.forward(hofm::view(one), row, state.data());
    rows.backward(hofm::view(one), row, state.data(), 0.3, G.data(), work.data(), 0, one.stride);
    steps.step(first, columns.data(), int(columns.size()), 0, one.stride);
    std::fill(other.begin(), other.end(), HUGE_VAL);
    double sum = 0;  // by parts, as threads would
    for (int s = 0; s < two.stride; s += 8)
      sum += steps.forward(hofm::view(two), second, row, missed.data(), row, other.data(), s, std::min(s + 8, two.stride));
    CHECK_NEAR(sum, value, 1e-12);
    steps.descend(hofm::view(two), second, row, other.data(), 0.3, work.data(), 0, two.stride);
    for (std::size_t q = 0; q < one.P.size(); ++q) CHECK_NEAR(two.P[q], one.P[q], 1e-12);
    for (double g : G) CHECK(g == 0);
  }
}

hofm::Model fitted(const Sample &x, const hofm::Response &response, const hofm::Model &start, const char *solver, int batch,
                   int threads) {
  hofm::Model model = start;
  hofm::Design design = x.design();
  hofm::Monitor monitor;
  hofm::Options options;
  options.solver = solver;
  options.max_iter = 3;
  options.tol = 0;
  options.batch = batch;
  options.threads = threads;
  options.seed = 9;
  train_samples(design, response, model, options, monitor);
  return model;
}

int main() {
  hofm::Random random(31);
  const std::vector<Isa> isas = roads();
  for (Isa isa : isas) extremes_match(isa);
  for (Isa isa : isas)
    for (bool adaptive : {false, true}) {
      for (int k : {1, 3, 8, 13, 30}) steps_match(isa, adaptive, k, random);
      const Sample x(1, 12, 0.9, random);
      for (int k : {4, 13, 24})
        for (int m = 1; m <= 9; ++m) {
          for (double memory : {3.0, HUGE_VAL})  // the latter of features without a gradient so far
            for (double shrink : {0.0, 0.002}) {
              descents_match(isa, adaptive, random_term(m, k, x.d, 0, random), x, shrink, memory);
              if (m > 1)
                descents_match(isa, adaptive, random_term(m, k, x.d, 0, random, hofm::Kernel::anova, m - 1), x, shrink, memory);
            }
        }
    }

  // The same bits for any number of threads: batches of short rows, and rows long enough to be shared.
  random = hofm::Random(31);  // the same data whatever came before
  const Sample tall(400, 50, 0.7, random), wide(8, 4000, 0.6, random);
  for (const Sample *x : {&tall, &wide}) {
    const hofm::Response response = random_response(x->n, "squared", false, random);
    std::vector<hofm::Model> starts(5);
    for (int t = 1; t <= 3; ++t) starts[0].terms.push_back(random_term(t, 20, x->d, 0.1, random));
    starts[1].terms.push_back(random_term(3, 20, x->d, 0.1, random, hofm::Kernel::anova, 2));
    starts[2].terms.push_back(random_term(2, 20, x->d, 0.1, random, hofm::Kernel::polynomial, 1));
    starts[3].terms.push_back(random_term(1, 20, x->d, 0.1, random, hofm::Kernel::all_subsets));
    starts[4].terms.push_back(random_term(2, 20, x->d, 0.1, random, hofm::Kernel::bilinear));
    for (hofm::Model &start : starts) {
      for (hofm::Term &term : start.terms)
        for (double &p : term.P) p *= 0.02;
      for (const char *solver : {"sgd", "adagrad"})
        for (int batch : {1, 100}) {
          const hofm::Model one = fitted(*x, response, start, solver, batch, 1);
          bool same = true, moved = false;
          for (int threads : {2, 3, 8}) {
            const hofm::Model more = fitted(*x, response, start, solver, batch, threads);
            same = same && more.intercept == one.intercept;
            for (std::size_t t = 0; t < one.terms.size(); ++t) {
              same = same && more.terms[t].P == one.terms[t].P;
              moved = moved || one.terms[t].P != start.terms[t].P;
            }
          }
          CHECK(same);
          CHECK(moved);
        }
    }
  }
  return report();
}
