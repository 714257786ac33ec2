// A term cut into slices of eight factors, each with its part of P copied into memory of its own. Where 32 factors of a column lie
// side by side, eight of them in every column map to a quarter of the cache sets (conflict misses); close together they are spread over all of it,
// and the slices of P and of its gradient that belong to 13,000 columns stay there while all rows go by.
#ifndef HOFM_EVAL_FACTOR_SLICES_H
#define HOFM_EVAL_FACTOR_SLICES_H

#include <algorithm>
#include <vector>

#include "hofm/model/model.h"
#include "hofm/simd/interface.h"

namespace hofm {

class FactorSlices {
 public:
  static constexpr int kWidth = 8;

  // Fewer than sixteen factors are one slice, without a copy: `term` must outlive it. Memory that is there is used again.
  void renew(const Term &term) {
    term_ = &term;
    own_.resize(term.stride < 2 * kWidth ? 0 : (term.stride + kWidth - 1) / kWidth);
  }

  int stride() const { return term_->stride; }
  int count() const { return std::max(1, int(own_.size())); }
  bool whole() const { return own_.empty(); }
  int first(int slice) const { return slice * kWidth; }
  int width(int slice) const { return whole() ? term_->stride : std::min(kWidth, term_->stride - first(slice)); }

  // Every slice is copied before it is looked at; which thread does it does not matter.
  void copy(int slice) {
    if (whole()) return;
    const int w = width(slice);
    std::vector<double> &to = own_[slice];
    to.resize(std::size_t(term_->columns()) * w);
    for (int j = 0; j < term_->columns(); ++j) std::copy_n(term_->row(j) + first(slice), w, &to[std::size_t(j) * w]);
  }

  // The slice as a term by itself.
  TermView operator[](int slice) const {
    TermView at = view(*term_);
    if (whole()) return at;
    at.P = own_[slice].data();
    at.k = std::min(at.k - first(slice), kWidth);
    at.stride = width(slice);
    return at;
  }

  // The slice's part of G, laid out as P, from its own memory, laid out as its copy of P.
  void put(int slice, const std::vector<double> &part, std::vector<double> &G) const {
    const int w = width(slice);
    for (int j = 0; j < term_->columns(); ++j)
      std::copy_n(&part[std::size_t(j) * w], w, &G[std::size_t(j) * term_->stride + first(slice)]);
  }

 private:
  const Term *term_ = nullptr;
  std::vector<std::vector<double>> own_;
};

}  // namespace hofm
#endif
