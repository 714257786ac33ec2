#include "check.h"
#include "hofm/kernel_table.h"
#include "problem.h"

using hofm::Isa;

// What a kernel writes, on one instruction set: the tables of two rows, what they are joined to, the gradient, and steps.
Vector written(Isa isa, const hofm::Term &start, const Sample &x) {
  const hofm::KernelTable &table = hofm::kernels(isa);
  hofm::Term term = start;
  hofm::Design design = x.design();
  design.need_rows();
  const hofm::SparseView rows = design.blocks[0].rows.view();
  const hofm::RowKernel kernel = table.rows(term.kernel, term.degree);
  const hofm::JoinKernel join = table.joins(term.kernel, term.degree);
  const std::size_t size = hofm::state_size(term);
  Vector a(size), b(size), adj(size, 0.5), G(term.P.size(), 0.0), work(hofm::work_size(term, x.d), 0.0);
  Vector out = {kernel.forward(hofm::view(term), rows[0], a.data()), kernel.forward(hofm::view(term), rows[1], b.data()),
                join.value(hofm::view(term), a.data(), b.data())};
  kernel.backward(hofm::view(term), rows[0], a.data(), 0.7, G.data(), work.data(), 0, term.stride);
  join.adjoint(hofm::view(term), a.data(), b.data(), 0.3, adj.data(), 0, term.stride);
  join.pull(hofm::view(term), rows[1], b.data(), adj.data(), G.data(), work.data(), 0, term.stride);
  Vector memory(term.P.size(), 2.0), none(term.P.size(), 0.0), missed(x.d, 3.0);
  for (std::size_t q = 0; q < memory.size(); q += 5) memory[q] = 0.001 * double(q + 1);
  const hofm::StepKernel steps = table.steps(true, term.kernel, term.degree);
  const hofm::StepView view = {term.P.data(), none.data(), memory.data(), term.stride, 0.1, 0.01};
  out.push_back(steps.forward(hofm::view(term), view, rows[0], missed.data(), rows[1], a.data(), 0, term.stride));
  steps.descend(hofm::view(term), view, rows[0], a.data(), 0.4, work.data(), 0, term.stride);
  for (const Vector *v : {&a, &b, &adj, &G, &term.P, &memory}) out.insert(out.end(), v->begin(), v->end());
  return out;
}

// The same for the joint sweeps.
Vector swept(Isa isa, const hofm::Term &term, const Sample &x) {
  const hofm::JointKernel kernel = hofm::kernels(isa).joints(term.degree);
  const hofm::JointNodeKernel nodes = hofm::kernels(isa).joint_nodes(term.degree);
  const std::ptrdiff_t width = std::ptrdiff_t(term.degree - 1) * term.stride;
  Vector cache(x.n * width, 0.0), g(x.n, 0.3), w(x.n, 0.2), first(term.stride), second(term.stride), d(x.n), v(width), u(term.stride, 0.1);
  for (int j = 0; j < x.d; ++j) kernel.add(hofm::view(term), x.columns.view()[j], term.row(j), cache.data());
  const hofm::Slice column = x.columns.view()[0];
  kernel.slopes(hofm::view(term), column, term.row(0), cache.data(), g.data(), w.data(), first.data(), second.data());
  kernel.direction(hofm::view(term), column, term.row(0), cache.data(), u.data(), d.data());
  kernel.shift(hofm::view(term), column, term.row(0), u.data(), cache.data());
  const int sample[] = {0, 1}, partner[] = {1, 0};
  nodes.slopes(hofm::view(term), cache.data(), term.row(0), 0.8, {sample, partner, 2}, cache.data(), g.data(), w.data(), first.data(),
               second.data());
  Vector out = {nodes.turn(hofm::view(term), cache.data(), term.row(0), 0.8, u.data(), v.data())};
  out.push_back(nodes.along(width, v.data(), cache.data() + width));
  for (const Vector *part : {&cache, &first, &second, &d, &v}) out.insert(out.end(), part->begin(), part->end());
  return out;
}

int main() {
  hofm::Random random(41);
  CHECK(hofm::has(Isa::generic));
  CHECK(hofm::has(hofm::best_isa()));
  const Sample x(2, 9, 1, random);
  for (int degree = 2; degree <= 8; ++degree)
    for (int k : {1, 4, 8, 13, 30, 33, 64}) {
      const hofm::Term term = random_term(degree, k, x.d, 0.1, random);
      const Vector plain = written(Isa::generic, term, x), plain_sweep = swept(Isa::generic, term, x);
      for (Isa isa : roads()) {
        const Vector fast = written(isa, term, x), sweep = swept(isa, term, x);
        double worst = 0;
        for (std::size_t q = 0; q < plain.size(); ++q) worst = std::max(worst, std::fabs(fast[q] - plain[q]) / (1 + std::fabs(plain[q])));
        for (std::size_t q = 0; q < sweep.size(); ++q) worst = std::max(worst, std::fabs(sweep[q] - plain_sweep[q]) / (1 + std::fabs(plain_sweep[q])));
        CHECK_NEAR(worst, 0, 1e-12);
      }
      if (!hofm::has(Isa::wide)) continue;  // wide registers must not change a bit
      CHECK(written(Isa::wide, term, x) == written(Isa::avx2, term, x));
      CHECK(swept(Isa::wide, term, x) == swept(Isa::avx2, term, x));
    }
  return report();
}
