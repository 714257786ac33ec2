// Losses l(y, f) of a response y and a link value f. Each is four facts: value, derivative and second derivative in f,
// and `mu`, the bound of the second derivative that coordinate descent relies on (`bounded` says whether there is one).
// `quadratic` marks the loss whose derivative is f - y, so that solvers may keep the derivative up to date by adding.
#ifndef HOFM_MODEL_LOSS_H
#define HOFM_MODEL_LOSS_H

#include <algorithm>
#include <cmath>

namespace hofm {

struct Squared {  // 1/2 (y - f)^2
  static constexpr bool quadratic = true, bounded = true;
  static constexpr double mu = 1;
  static double value(double y, double f) { return 0.5 * (y - f) * (y - f); }
  static double deriv(double y, double f) { return f - y; }
  static double curvature(double, double) { return 1; }
};

struct Huber {  // 1/2 (y - f)^2 up to an error of one, |y - f| - 1/2 beyond
  static constexpr bool quadratic = false, bounded = true;
  static constexpr double mu = 1;
  static double value(double y, double f) {
    const double error = std::fabs(y - f);
    return error > 1 ? error - 0.5 : 0.5 * error * error;
  }
  static double deriv(double y, double f) { return std::clamp(f - y, -1.0, 1.0); }
  static double curvature(double y, double f) { return std::fabs(y - f) < 1 ? 1 : 0; }
};

struct Logistic {  // log(1 + exp(-y f)), y in {-1, 1}
  static constexpr bool quadratic = false, bounded = true;
  static constexpr double mu = 0.25;
  static double value(double y, double f) {
    const double z = y * f;  // exp() only of negative numbers: no overflow at either end
    return z > 0 ? std::log1p(std::exp(-z)) : std::log1p(std::exp(z)) - z;
  }
  static double deriv(double y, double f) { return -y / (1 + std::exp(y * f)); }
  static double curvature(double, double f) {
    const double s = 1 / (1 + std::exp(-std::fabs(f)));
    return s * (1 - s);
  }
};

struct SquaredHinge {  // max(0, 1 - y f)^2, y in {-1, 1}
  static constexpr bool quadratic = false, bounded = true;
  static constexpr double mu = 2;
  static double value(double y, double f) {
    const double z = std::max(0.0, 1 - y * f);
    return z * z;
  }
  static double deriv(double y, double f) { return -2 * y * std::max(0.0, 1 - y * f); }
  static double curvature(double y, double f) { return y * f < 1 ? 2 : 0; }
};

struct Poisson {  // exp(f) - y f, the negative log-likelihood with log link up to log(y!)
  static constexpr bool quadratic = false, bounded = false;
  static constexpr double mu = 0;
  static double value(double y, double f) { return std::exp(f) - y * f; }
  static double deriv(double y, double f) { return std::exp(f) - y; }
  static double curvature(double, double f) { return std::exp(f); }
};

// Every loss with its name in Options: what is dispatched (model/dispatch.h) and compiled (hofm/fit.h) follows this list.
#define HOFM_FOR_EACH_LOSS(X) \
  X(squared, Squared) X(huber, Huber) X(logistic, Logistic) X(squared_hinge, SquaredHinge) X(poisson, Poisson)

}  // namespace hofm
#endif
