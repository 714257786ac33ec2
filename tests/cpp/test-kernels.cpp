#include "check.h"
#include "hofm/model/anova.h"
#include "hofm/simd/kernels.h"
#include "problem.h"

using hofm::Isa;

// What a kernel writes, on one instruction set: the tables of two rows, what they are joined to, the gradient, and steps.
// `fresh`: of some parameters the step rule remembers nothing, so that it divides by their gradient, whatever digits that has.
Vector written(Isa isa, const hofm::Term &start, const Sample &x, bool adaptive, bool fresh) {
  const hofm::KernelTable &table = hofm::kernels(isa);
  hofm::Term term = start;
  hofm::Design design = x.design();
  design.need_rows();
  const hofm::SparseView rows = design.blocks[0].rows.view();
  const hofm::RowKernel kernel = table.rows(term.kernel, term.degree);
  const hofm::MeetKernel meet = table.meets(term.kernel, term.degree);
  const std::size_t size = hofm::state_size(term);
  Vector a(size), b(size), both(size), adj(size, 0.5), G(term.P.size(), 0.0), work(hofm::work_size(term, x.d), 0.0);
  Vector out = {kernel.forward(hofm::view(term), rows[0], a.data()), kernel.forward(hofm::view(term), rows[1], b.data()),
                meet.value(hofm::view(term), a.data(), b.data())};
  meet.combine(hofm::view(term), a.data(), b.data(), both.data());
  kernel.backward(hofm::view(term), rows[0], a.data(), 0.7, G.data(), work.data(), 0, term.stride);
  meet.adjoint(hofm::view(term), a.data(), b.data(), 0.3, adj.data(), 0, term.stride);
  meet.pull(hofm::view(term), rows[1], b.data(), adj.data(), G.data(), work.data(), 0, term.stride);
  Vector memory(term.P.size(), 2.0), slope = G, none(term.P.size(), 0.0), missed(x.d, 3.0);
  for (std::size_t q = 0; q < memory.size(); q += 5) memory[q] = fresh && q % 2 ? HUGE_VAL : 0.001 * double(q + 1);
  const hofm::StepKernel steps = table.steps(adaptive, term.kernel, term.degree);
  const hofm::StepView view = {term.P.data(), none.data(), memory.data(), term.stride, 0.1, 0.01};
  out.push_back(steps.forward(hofm::view(term), view, rows[0], missed.data(), rows[1], a.data(), 0, term.stride));
  steps.descend(hofm::view(term), view, rows[0], a.data(), 0.4, work.data(), 0, term.stride);
  const int columns[] = {0, 2};
  const hofm::StepView batch = {term.P.data(), slope.data(), memory.data(), term.stride, 0.1, 0.01};
  steps.catch_up(batch, columns, missed.data(), 2, 0, term.stride);
  steps.step(batch, columns, 2, 0, term.stride);
  for (const Vector *v : {&a, &b, &both, &adj, &G, &slope, &term.P, &memory}) out.insert(out.end(), v->begin(), v->end());
  return out;
}

// The same for sweeps by feature.
Vector swept(Isa isa, const hofm::Term &term, const Sample &x) {
  const hofm::FeatureKernel kernel = hofm::kernels(isa).features(term.degree);
  const hofm::FeatureNodeKernel nodes = hofm::kernels(isa).feature_nodes(term.degree);
  const std::ptrdiff_t width = std::ptrdiff_t(term.degree - 1) * term.stride;
  Vector sums(x.n * width, 0.0), g(x.n, 0.3), w(x.n, 0.2), first(term.stride), second(term.stride), d(x.n), v(width),
      u(term.stride, 0.1);
  for (int j = 0; j < x.d; ++j) kernel.add(hofm::view(term), x.columns.view()[j], term.row(j), sums.data());
  const hofm::Slice column = x.columns.view()[0];
  kernel.slopes(hofm::view(term), column, term.row(0), sums.data(), g.data(), w.data(), first.data(), second.data());
  kernel.direction(hofm::view(term), column, term.row(0), sums.data(), u.data(), d.data());
  kernel.shift(hofm::view(term), column, term.row(0), u.data(), sums.data());
  const int sample[] = {0, 1}, partner[] = {1, 0};
  nodes.slopes(hofm::view(term), sums.data(), term.row(0), 0.8, {sample, partner, 2}, sums.data(), g.data(), w.data(), first.data(),
               second.data());
  Vector out = {nodes.turn(hofm::view(term), sums.data(), term.row(0), 0.8, u.data(), v.data())};
  out.push_back(nodes.along(width, v.data(), sums.data() + width));
  for (const Vector *part : {&sums, &first, &second, &d, &v}) out.insert(out.end(), part->begin(), part->end());
  return out;
}

// Scores of a panel and a half with 11 nodes.
Vector scored(Isa isa, const Vector &numbers, int width) {
  Vector out(16 * 11, 0.0);
  hofm::kernels(isa).score_panels(&numbers[0], &numbers[1], 2, &numbers[2], &numbers[3], 11, width, out.data(), 16);
  return out;
}

// The largest difference, relative above one; a NaN or an infinity that only one of them has counts.
double far(const Vector &a, const Vector &b) {
  double worst = a.size() == b.size() ? 0 : HUGE_VAL;
  for (std::size_t q = 0; q < a.size() && q < b.size(); ++q) {
    const double error = a[q] == b[q] ? 0 : std::fabs(a[q] - b[q]) / (1 + std::fabs(b[q]));
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

int main() {
  hofm::Random random(41);
  CHECK(hofm::has(hofm::best_isa()));
  const Sample x(2, 9, 1, random);
  Sample uneven = x;  // for the road that takes nothing out
  for (double &v : uneven.columns.value) v *= v > 0.8 ? 1e7 : 1;
  for (int degree = 2; degree <= 8; ++degree)
    for (int k : {1, 4, 8, 13, 30, 33, 64})
      for (int augment : {0, degree - 1}) {
        const hofm::Term term = random_term(degree, k, x.d, 0.1, random, hofm::Kernel::anova, augment);
        const double digits = augment == 0 ? 1e-12 : 10 * hofm::anova::kRemovalTolerance;  // taking one of many features out
        for (bool adaptive : {false, true})
          for (Isa isa : roads())
            CHECK_NEAR(far(written(isa, term, x, adaptive, false), written(Isa::generic, term, x, adaptive, false)), 0, digits);
        for (Isa isa : roads())
          if (augment == 0) CHECK_NEAR(far(swept(isa, term, x), swept(Isa::generic, term, x)), 0, 1e-12);
        if (!hofm::has(Isa::wide)) continue;  // wide registers must not change a bit
        for (const Sample *sample : std::vector<const Sample *>{&x, &uneven})
          for (bool adaptive : {false, true})
            CHECK(written(Isa::wide, term, *sample, adaptive, true) == written(Isa::avx2, term, *sample, adaptive, true));
        if (augment == 0) CHECK(swept(Isa::wide, term, x) == swept(Isa::avx2, term, x));
      }
  for (int width : {1, 7, 60}) {
    const Vector numbers = uniforms(random, std::size_t(width) * 16 + 16);
    for (Isa isa : roads()) CHECK_NEAR(far(scored(isa, numbers, width), scored(Isa::generic, numbers, width)), 0, 1e-12);
    if (hofm::has(Isa::wide)) CHECK(scored(Isa::wide, numbers, width) == scored(Isa::avx2, numbers, width));
  }
  return report();
}
