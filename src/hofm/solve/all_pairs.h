// Coordinate descent for the squared loss on every pair of two node sets: links with response 1, all other pairs with response 0
// and a weight of their own, exactly, without visiting the pairs.
//
//   F = 1/Z [ sum_links 1/2 (1 - f)^2 + w0 sum_others 1/2 f^2 ] + penalties,   Z = n_links + w0 n_others.
//
// f is a bilinear form in tables of the two nodes, f(i, j) = <T_A(i), T_B(j)> with K numbers per node, so sums over all
// pairs need only the Gram matrices of the tables: sum_j f(i, j) F_j = (rows of T_B'T_B) T_A(i), where the partner F of
// solve/cd_nodes.h is itself part of T_B. What is different at links, and at the pairs (i, i) of one node set, which are
// no pairs, is put right by explicit samples. Steps are those of CD on all pairs written out. Cost per epoch:
// O((nonzeros) m^2 k + (n_A + n_B) K^2), K about k (m + 1).
#ifndef HOFM_SOLVE_ALL_PAIRS_H
#define HOFM_SOLVE_ALL_PAIRS_H

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hofm/solve/cd_nodes.h"
#include "hofm/solve/descent.h"
#include "hofm/solve/task.h"

namespace hofm {

// Columns of n numbers each, one after the other, their inner products, and what they come to by the features of the nodes (`common`) that
// are compared: X't of column t, d numbers.
class Tables {
 public:
  Tables(int n, int K, const SparseView &common)
      : n_(n), K_(K), common_(common), value_(std::size_t(n) * K, 0.0), gram_(std::size_t(K) * K, 0.0),
        features_(std::size_t(common.outer) * K, 0.0) {}
  int n() const { return n_; }
  int K() const { return K_; }
  double *column(int c) { return value_.data() + std::size_t(c) * n_; }
  const double *column(int c) const { return value_.data() + std::size_t(c) * n_; }
  double gram(int r, int c) const { return gram_[std::size_t(r) * K_ + c]; }

  const SparseView &common() const { return common_; }
  const double *features(int c) const { return features_.data() + std::size_t(c) * common_.outer; }

  // Inner products of columns first..first+count-1 with all.
  void renew(int first, int count) {
    for (int c = first; c < first + count; ++c) by_features(common_, column(c), features_.data() + std::size_t(c) * common_.outer);
    for (int r = first; r < first + count; ++r)
      for (int c = 0; c < K_; ++c) {
        if (c >= first && c < r) continue;  // done as (c, r)
        const double value = dot(column(r), column(c));
        gram_[std::size_t(r) * K_ + c] = gram_[std::size_t(c) * K_ + r] = value;
      }
  }

 private:
  double dot(const double *x, const double *y) const {  // four partial sums hide the latency of the addition
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i + 4 <= n_; i += 4) {
      s0 += x[i] * y[i];
      s1 += x[i + 1] * y[i + 1];
      s2 += x[i + 2] * y[i + 2];
      s3 += x[i + 3] * y[i + 3];
    }
    for (; i < n_; ++i) s0 += x[i] * y[i];
    return (s0 + s1) + (s2 + s3);
  }

  int n_, K_;
  SparseView common_;
  std::vector<double> value_, gram_, features_;
};

// How one factor's tables make up f: K(a, b) = sum_r left_r(a) right_r(b), r = 0..rows-1. For the ANOVA kernel left_r = A^r and
// right_r = A^{m-r}; the other kernels are one product.
struct PairShape {
  bool powers;
  int m;
  int rows() const { return powers ? m + 1 : 1; }
  // Row r of block `side`'s table: E_u is its A^u, u = 0 being 1; for the right side the order is reversed.
  int power_at(int side, int r) const { return side == 0 ? r : m - r; }
  // The row of the *other* side's table that multiplies E_{u+1} of this side.
  int partner_row(int side, int u) const { return powers ? (side == 0 ? u + 1 : m - u - 1) : 0; }
};

// All pairs' part in c and G of a phase, and the tables kept up to date after it.
struct AllPairsBackground final : Background {
  PairShape shape;
  int start;                    // column of the term's first row
  double weight;                // w0 / Z
  double common;                // weight of what two nodes have in common
  std::vector<Tables> &tables;  // of the two sides
  Monitor &monitor;
  int first = 0;                // column of the factor's row 0

  AllPairsBackground(PairShape of, int at, double w, double theta, std::vector<Tables> &sides, Monitor &m)
      : shape(of), start(at), weight(w), common(theta), tables(sides), monitor(m) {}

  void factor(int s) override { first = start + s * shape.rows(); }

  // Multiply-adds of one factor's inner products on one side.
  double work(int side) const { return double(shape.rows()) * tables[side].K() * tables[side].n(); }

  void enter(int side, const NodeTables &records) override {
    Tables &own = tables[side], &other = tables[1 - side];
    const int L = shape.powers ? shape.m : 1;
    std::vector<double> sum(std::size_t(own.n()) * L, 0.0);
    for (int u = 0; u < L; ++u) {
      const int row = first + shape.partner_row(side, u);
      double *out = sum.data() + std::size_t(u) * own.n();
      for (int c = 0; c < own.K(); ++c) {
        const double g = weight * other.gram(row, c), *t = own.column(c);
        for (int i = 0; i < own.n(); ++i) out[i] += g * t[i];
      }
      const double *features = other.features(row);  // sum_j <a_i, b_j> F_j = <a_i, B'F>
      for (int f = 0; f < own.common().outer; ++f) {
        const Slice column = own.common()[f];
        const double g = weight * common * features[f];
        for (int q = 0; q < column.size; ++q) out[column.index[q]] += g * column.value[q];
      }
    }
    for (int i = 0; i < own.n(); ++i)
      for (int u = 0; u < L; ++u) {
        records.c(i)[u] += sum[std::size_t(u) * own.n() + i];
        for (int v = 0; v < L; ++v)
          records.G(i)[u * L + v] += weight * other.gram(first + shape.partner_row(side, u), first + shape.partner_row(side, v));
      }
  }

  void leave(int side, const NodeTables &records) override {
    Tables &own = tables[side];
    for (int r = 0; r < shape.rows(); ++r) {
      const int power = shape.powers ? shape.power_at(side, r) : 1;
      double *t = own.column(first + r);
      for (int i = 0; i < own.n(); ++i) t[i] = power == 0 ? 1 : records.E(i)[power];
    }
    own.renew(first, shape.rows());
    monitor.poll(2 * work(side));
  }
};

class AllPairsDescent {
 public:
  AllPairsDescent(Design &design, const AllPairs &pairs, const Options &options, Monitor &monitor)
      : design_(design), pairs_(pairs), options_(options), monitor_(monitor), sides_(make_sides(design, true)) {
    if (design.blocks.size() != 2) throw std::invalid_argument("all pairs are those of two blocks");
    Z_ = pairs.links + pairs.negative_weight * (pairs.pairs - pairs.links);
    a_.assign(design.n, -pairs.negative_weight / Z_);
    b_.assign(design.n, 0.0);
    for (int q = 0; q < pairs.links; ++q) {
      a_[q] = (1 - pairs.negative_weight) / Z_;
      b_[q] = 1 / Z_;
    }
    curvature_ = by_sides(a_, sides_);
    const SparseView &a = design.blocks[0].common, &b = design.blocks[1].common;
    if (design.common.empty()) return;
    squares_ = common_squares(a, b, monitor);
    for (int f = 0; f < a.outer; ++f) total_ += total(a[f]) * total(b[f]);
  }

  Outcome operator()(Model &model) { return Descent<AllPairsDescent>(*this, options_, monitor_)(model); }

  // What Descent asks of a problem.
  double scale() const { return pairs_.links / (2 * Z_); }
  bool rebuild() { return !std::exchange(rebuild_, true); }

  void epoch(Model &model) {
    if (model.fit_intercept) update_intercept(model.intercept, model.common);
    if (model.fit_common) update_common(model.common);
    common_ = model.common;
    int first = 1;
    const auto slopes = [this](const std::vector<double> &f, int from, int to, double *out) {
      for (int q = from; q < to; ++q) out[q] = a_[q] * f[q] - b_[q];
    };
    for (Term &term : model.terms) {
      AllPairsBackground background = background_of(term, first);
      sweep_nodes(term, sides_, rebuild_, options_.threads, slopes, curvature_, &background, f_, monitor_);
      first += term.k * shape(term).rows();
    }
  }

  bool move_to(Model &&beyond, Model &model) {
    const double here = objective(model);
    std::vector<Tables> tables = std::move(tables_);
    std::vector<double> f = std::move(f_);
    refresh(beyond);
    const bool lower = clearly_lower(objective(beyond), here);
    if (lower) {
      model = std::move(beyond);
    } else {
      tables_ = std::move(tables);
      f_ = std::move(f);
    }
    return lower;
  }

  double objective(const Model &model) const {
    double squares = model.common * (model.common * squares_ + 2 * cross()), samples = 0;
    for (int r = 0; r < tables_[0].K(); ++r)
      for (int c = 0; c < tables_[0].K(); ++c) squares += tables_[0].gram(r, c) * tables_[1].gram(r, c);
    for (int q = 0; q < design_.n; ++q) samples += f_[q] * (a_[q] * f_[q] / 2 - b_[q]);
    return weight() / 2 * squares + samples + pairs_.links / (2 * Z_) + penalty(model);
  }

  // Tables, Gram matrices and the samples' link values from the model. Column 0 is the intercept: 1 on the left, b on the right.
  void refresh(const Model &model) {
    int K = 1;
    for (const Term &term : model.terms) K += term.k * shape(term).rows();
    tables_.clear();
    for (std::size_t side = 0; side < 2; ++side) tables_.emplace_back(sides_[side].nodes(), K, design_.blocks[side].common);
    common_ = model.common;
    std::fill_n(tables_[0].column(0), tables_[0].n(), 1.0);
    std::fill_n(tables_[1].column(0), tables_[1].n(), model.intercept);
    f_.assign(design_.n, model.intercept);
    for (std::size_t q = 0; q < design_.common.size(); ++q) f_[q] += model.common * design_.common[q];
    int first = 1;
    for (const Term &term : model.terms)
      with_kernel<true>(term, [&](auto kernel) {
        NodeSweep<decltype(kernel)> sweep(kernel, sides_, term.augment, rebuild_, options_.threads, monitor_);
        AllPairsBackground background = background_of(term, first);
        for (int s = 0; s < term.k; ++s) {
          term.get_factor(s, p_);
          sweep.each(p_.data(), [&](const double *all, int q) { f_[q] += kernel.value(all); });
          background.factor(s);
          for (int side = 0; side < 2; ++side) background.leave(side, sweep.tables(side));
        }
        first += term.k * shape(term).rows();
      });
    for (Tables &t : tables_) t.renew(0, 1);
  }

 private:
  static PairShape shape(const Term &term) { return {term.kernel == Kernel::anova, term.degree}; }

  double weight() const { return pairs_.negative_weight / Z_; }

  static double total(const Slice &slice) {
    double sum = 0;
    for (int q = 0; q < slice.size; ++q) sum += slice.value[q];
    return sum;
  }

  // sum_ij <a_i, b_j> (f(i, j) without its common part) = sum_c <A'T_A(c), B'T_B(c)>.
  double cross() const {
    double sum = 0;
    for (int c = 0; c < tables_[0].K(); ++c) sum += inner(tables_[0].features(c), tables_[1].features(c), tables_[0].common().outer);
    return sum;
  }

  void update_common(double &common) {
    double slope = weight() * (common * squares_ + cross()), curvature = weight() * squares_;
    for (std::size_t q = 0; q < design_.common.size(); ++q) {
      const double c = design_.common[q];
      slope += (a_[q] * f_[q] - b_[q]) * c;
      curvature += a_[q] * c * c;
    }
    if (!(curvature > 0)) return;
    const double delta = -slope / curvature;
    common += delta;
    for (std::size_t q = 0; q < design_.common.size(); ++q) f_[q] += delta * design_.common[q];
  }

  AllPairsBackground background_of(const Term &term, int first) { return {shape(term), first, weight(), common_, tables_, monitor_}; }

  void update_intercept(double &intercept, double common) {
    std::vector<double> right(tables_[1].K(), 0.0);
    for (int c = 0; c < tables_[1].K(); ++c)
      for (int j = 0; j < tables_[1].n(); ++j) right[c] += tables_[1].column(c)[j];
    double slope = weight() * common * total_, curvature = weight() * double(tables_[0].n()) * tables_[1].n();
    for (int c = 0; c < tables_[0].K(); ++c) slope += weight() * tables_[0].gram(0, c) * right[c];
    for (int q = 0; q < design_.n; ++q) {
      slope += a_[q] * f_[q] - b_[q];
      curvature += a_[q];
    }
    const double delta = -slope / curvature;
    intercept += delta;
    for (double &f : f_) f += delta;
    std::fill_n(tables_[1].column(0), tables_[1].n(), intercept);
    tables_[1].renew(0, 1);
  }

  Design &design_;
  AllPairs pairs_;
  const Options &options_;
  Monitor &monitor_;
  std::vector<NodeSet> sides_;
  std::vector<Tables> tables_;
  double Z_ = 1;  // a sample adds 1/2 a f^2 - b f to the background's w0/2 f^2
  double squares_ = 0, total_ = 0;  // sums over all pairs of <a_i, b_j>^2 and <a_i, b_j>
  double common_ = 0;               // the model's weight
  std::vector<double> a_, b_, f_, p_;
  BySides curvature_;  // of the samples
  bool rebuild_ = false;
};

}  // namespace hofm
#endif
