// Names of losses and kernels, and degrees, become types here, once, outside the loops.
#ifndef HOFM_MODEL_DISPATCH_H
#define HOFM_MODEL_DISPATCH_H

#include <stdexcept>
#include <string>

#include "hofm/model/all_subsets.h"
#include "hofm/model/anova.h"
#include "hofm/model/bilinear.h"
#include "hofm/model/loss.h"
#include "hofm/model/model.h"
#include "hofm/model/polynomial.h"

namespace hofm {

template <class F>
auto with_loss(const std::string &name, F &&f) {
#define HOFM_IF_LOSS(word, Loss) \
  if (name == #word) return f(Loss{});
  HOFM_FOR_EACH_LOSS(HOFM_IF_LOSS)
#undef HOFM_IF_LOSS
  throw std::invalid_argument("unknown loss '" + name + "'");
}

// The term's kernel as coordinate descent sees it, on rows or on nodes; the polynomial kernel is for rows only.
template <bool Node, class F>
auto with_kernel(const Term &term, F &&f) {
  if constexpr (!Node)
    if (term.kernel == Kernel::polynomial) return f(Polynomial{term.degree});
  if (term.kernel == Kernel::mix) return f(AnovaMix<Node>(term.degree, term.theta.data()));
  if (term.kernel == Kernel::all_subsets) return f(AllSubsets{});
  if (term.kernel == Kernel::bilinear) return f(Bilinear<Node>{term.split});
  return with_degree<1, 5>(term.degree, [&](auto m) { return f(Anova<m.known, Node>{m}); });
}

inline Kernel kernel_named(const std::string &name) {
  if (name == "anova") return Kernel::anova;
  if (name == "mix") return Kernel::mix;
  if (name == "all_subsets") return Kernel::all_subsets;
  if (name == "polynomial") return Kernel::polynomial;
  if (name == "bilinear") return Kernel::bilinear;
  throw std::invalid_argument("unknown kernel '" + name + "'");
}

}  // namespace hofm
#endif
