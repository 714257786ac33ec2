// Names and numbers become types here and nowhere else.
#ifndef HOFM_DISPATCH_H
#define HOFM_DISPATCH_H

#include <stdexcept>
#include <string>

#include "kernel_anova.h"
#include "loss.h"

namespace hofm {

template <class F>
auto with_loss(const std::string &name, F &&f) {
  if (name == "squared") return f(Squared{});
  if (name == "logistic") return f(Logistic{});
  if (name == "squared_hinge") return f(SquaredHinge{});
  if (name == "poisson") return f(Poisson{});
  throw std::invalid_argument("unknown loss '" + name + "'");
}

template <class F>
auto with_degree(int m, F &&f) {
  switch (m) {
    case 1: return f(Degree<1>{});
    case 2: return f(Degree<2>{});
    case 3: return f(Degree<3>{});
    case 4: return f(Degree<4>{});
    case 5: return f(Degree<5>{});
    default: return f(Degree<Dynamic>{m});
  }
}

}  // namespace hofm
#endif
