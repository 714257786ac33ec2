// The objective, eq. (4): sum_i weight_i l(y_i, f_i) + sum of lambda_t/2 ||P^(t)||^2, its gradient and its predictions,
// sample by sample, or by way of the nodes that samples are joined from (eval/nodes.h). Rows are cut into blocks whose number
// depends on the data alone; each block sums for itself and the blocks are added in order, so the bits do not depend on the number of
// threads.
#ifndef HOFM_EVAL_OBJECTIVE_H
#define HOFM_EVAL_OBJECTIVE_H

#include <algorithm>
#include <optional>
#include <vector>

#include "hofm/base/monitor.h"
#include "hofm/base/parallel.h"
#include "hofm/data/design.h"
#include "hofm/eval/nodes.h"
#include "hofm/model/model.h"
#include "hofm/simd/kernels.h"

namespace hofm {

// Gradient in everything that is fitted; P[t] is laid out as terms[t].P.
struct Gradient {
  double intercept = 0, common = 0;
  std::vector<std::vector<double>> P;

  void zero_like(const Model &model) {
    intercept = common = 0;
    P.resize(model.terms.size());
    for (std::size_t t = 0; t < P.size(); ++t) P[t].assign(model.terms[t].P.size(), 0.0);
  }
};

// The functions and scratch memory with which one thread takes a model along the rows of a design.
class RowWalker {
 public:
  RowWalker(const Design &design, const Model &model, Isa isa = best_isa()) : rows_(design) {
    std::size_t work = 0;
    for (const Term &term : model.terms) {
      views_.push_back(view(term));
      kernels_.push_back(kernels(isa).rows(term.kernel, term.degree));
      states_.emplace_back(state_size(term));
      work = std::max({work, work_size(term, rows_.longest()), std::size_t(term.stride)});
    }
    work_.resize(work);
  }

  // The row of sample i, which the functions below are then about.
  const Slice &go_to(int i) { return row_ = rows_(i); }

  // Value of term t, or of all terms together, without intercept.
  double forward(std::size_t t) { return kernels_[t].forward(views_[t], row_, states_[t].data()); }
  double forward() {
    double f = 0;
    for (std::size_t t = 0; t < kernels_.size(); ++t) f += forward(t);
    return f;
  }

  // What forward(t) kept: the sums of the kernel, each for all factors.
  const double *state(std::size_t t) const { return states_[t].data(); }

  // G += g * gradient, after forward().
  void backward(double g, std::vector<std::vector<double>> &G) {
    for (std::size_t t = 0; t < kernels_.size(); ++t)
      kernels_[t].backward(views_[t], row_, states_[t].data(), g, G[t].data(), work_.data(), 0, views_[t].stride);
  }

 private:
  RowSource rows_;
  Slice row_ = {nullptr, nullptr, 0};
  std::vector<TermView> views_;
  std::vector<RowKernel> kernels_;
  std::vector<std::vector<double>> states_;
  std::vector<double> work_;
};

// Multiply-adds of one pass over all rows, for deciding how often to look up.
inline double pass_work(const Model &model, std::size_t nonzeros) {
  double work = 0;
  for (const Term &term : model.terms) work += double(nonzeros) * term.stride * term.degree;
  return work;
}

// body(first, last, block, thread) over all rows, in waves short enough that the monitor is asked several times a second.
template <class Body>
void walk_rows(const RowBlocks &blocks, double work, int threads, Monitor &monitor, const Body &body) {
  if (work < kMinParallelWork) threads = 1;
  const int waves = int(std::clamp(work / 2e8, 1.0, double(std::max(1, blocks.n / blocks.count))));
  for (int wave = 0; wave < waves; ++wave) {
    parallel_for(blocks.count, threads, [&](int b, int thread) {
      const RowBlocks parts{blocks.first(b + 1) - blocks.first(b), waves};
      body(blocks.first(b) + parts.first(wave), blocks.first(b) + parts.first(wave + 1), b, thread);
    });
    monitor.poll(1e6);
  }
}

template <class Loss>
class Objective {
 public:
  Objective(Design &design, const Response &response, const Options &options, Monitor &monitor)
      : design_(design), response_(response), options_(options), monitor_(monitor) {
    design_.need_rows();
    if (!design_.plain()) node_pass_.emplace(design_, options_.threads, monitor_);
  }

  // Value at `model`; fills `gradient` if there is one.
  double operator()(const Model &model, Gradient *gradient = nullptr) {
    return design_.plain() ? by_rows(model, gradient) : by_nodes(model, gradient);
  }

 private:
  double by_rows(const Model &model, Gradient *gradient) {
    const RowBlocks blocks{design_.n, block_count(model)};
    std::vector<RowWalker> walkers(std::max(1, options_.threads), RowWalker(design_, model));
    std::vector<double> loss(blocks.count, 0.0);
    if (gradient) {
      parts_.resize(blocks.count);
      for (Gradient &part : parts_) part.zero_like(model);
    }
    walk_rows(blocks, pass_work(model, design_.nonzeros()) * (gradient ? 3 : 1), options_.threads, monitor_,
              [&](int first, int last, int b, int thread) {
                RowWalker &walker = walkers[thread];
                for (int i = first; i < last; ++i) {
                  walker.go_to(i);
                  const double f = response_.offset[i] + model.intercept + walker.forward();
                  loss[b] += response_.weight[i] * Loss::value(response_.y[i], f);
                  if (!gradient) continue;
                  const double g = response_.weight[i] * Loss::deriv(response_.y[i], f);
                  parts_[b].intercept += g;
                  walker.backward(g, parts_[b].P);
                }
              });
    if (gradient) reduce(model, *gradient);
    double sum = penalty(model);
    for (double part : loss) sum += part;
    return sum;
  }

  double by_nodes(const Model &model, Gradient *gradient) {
    std::vector<double> f = response_.offset, value(design_.n), g(design_.n);
    tables_.resize(model.terms.size());
    for (double &fi : f) fi += model.intercept;
    for (std::size_t i = 0; i < design_.common.size(); ++i) f[i] += model.common * design_.common[i];
    for (std::size_t t = 0; t < model.terms.size(); ++t) {
      node_pass_->values(model.terms[t], tables_[t], value.data());
      for (int i = 0; i < design_.n; ++i) f[i] += value[i];
    }
    double sum = penalty(model), slope = 0;
    for (int i = 0; i < design_.n; ++i) {
      sum += response_.weight[i] * Loss::value(response_.y[i], f[i]);
      slope += g[i] = response_.weight[i] * Loss::deriv(response_.y[i], f[i]);
    }
    if (!gradient) return sum;
    gradient->intercept = model.fit_intercept ? slope : 0;
    gradient->common = 0;
    for (std::size_t i = 0; i < design_.common.size(); ++i) gradient->common += g[i] * design_.common[i];
    gradient->P.resize(model.terms.size());
    for (std::size_t t = 0; t < model.terms.size(); ++t) node_pass_->pull(model.terms[t], tables_[t], g, gradient->P[t]);
    return sum;
  }

  // At most 16 blocks, of at least 64 rows, whose gradients together take at most 256 MB.
  int block_count(const Model &model) const {
    double bytes = 0;
    for (const Term &term : model.terms) bytes += 8.0 * term.P.size();
    return int(std::clamp(std::min(design_.n / 64.0, 256e6 / std::max(bytes, 1.0)), 1.0, 16.0));
  }

  // The blocks' gradients in order, and the penalties' lambda P.
  void reduce(const Model &model, Gradient &gradient) {
    gradient.zero_like(model);
    for (const Gradient &part : parts_) gradient.intercept += part.intercept;
    if (!model.fit_intercept) gradient.intercept = 0;
    for (std::size_t t = 0; t < gradient.P.size(); ++t) {
      const Term &term = model.terms[t];
      const RowBlocks ranges{term.columns(), 64};
      parallel_for(ranges.count, term.P.size() < 1e5 ? 1 : options_.threads, [&](int r, int) {
        const std::size_t first = std::size_t(ranges.first(r)) * term.stride;
        const std::size_t last = std::size_t(ranges.first(r + 1)) * term.stride;
        for (std::size_t q = first; q < last; ++q) gradient.P[t][q] = term.lambda * term.P[q];
        for (const Gradient &part : parts_)
          for (std::size_t q = first; q < last; ++q) gradient.P[t][q] += part.P[t][q];
      });
    }
  }

  Design &design_;
  const Response &response_;
  const Options &options_;
  Monitor &monitor_;
  std::optional<NodePass> node_pass_;
  std::vector<NodePass::Tables> tables_;
  std::vector<Gradient> parts_;
};

}  // namespace hofm
#endif
