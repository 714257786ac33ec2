#include "check.h"
#include "hofm/model/loss.h"
#include "problem.h"

template <class Loss>
void derivatives(const Vector &ys) {
  for (double y : ys)
    for (double f : {-3.0, -0.7, 0.0, 0.4, 2.5}) {
      double at = f;
      CHECK_NEAR(difference([&] { return Loss::value(y, at); }, at), Loss::deriv(y, f), 1e-7);
      CHECK_NEAR(difference([&] { return Loss::deriv(y, at); }, at), Loss::curvature(y, f), 1e-6);
      if (Loss::bounded) CHECK(Loss::curvature(y, f) <= Loss::mu + 1e-15);
    }
}

int main() {
  derivatives<hofm::Squared>({-1, 0, 2.5});
  derivatives<hofm::Huber>({-1.2, 0.1, 2.6});  // no response one away from a point
  derivatives<hofm::Logistic>({-1, 1});
  derivatives<hofm::SquaredHinge>({-1, 1});
  derivatives<hofm::Poisson>({0, 1, 7});
  CHECK_NEAR(hofm::Huber::value(3, 0), 2.5, 1e-15);
  CHECK(hofm::Huber::value(0, 1) == 0.5 && hofm::Huber::deriv(0, 1) == 1);  // both branches meet
  CHECK(hofm::Huber::value(1e300, 0) == 1e300 && hofm::Huber::deriv(1e300, -1e300) == -1);
  CHECK_NEAR(hofm::Logistic::value(1, 0), std::log(2.0), 1e-15);
  CHECK(hofm::Logistic::value(1, -1e4) == 1e4);  // no overflow where the loss is linear
  CHECK(hofm::Logistic::value(1, 1e4) == 0);
  CHECK(std::isfinite(hofm::Logistic::deriv(1, 1e4)) && std::isfinite(hofm::Logistic::deriv(1, -1e4)));
  return report();
}
