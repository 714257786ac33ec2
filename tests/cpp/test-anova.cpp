#include "check.h"
#include "hofm/model/anova.h"
#include "problem.h"

namespace anova = hofm::anova;

int main() {
  hofm::Random random(1);
  hofm::Monitor monitor;
  for (int m = 1; m <= 6; ++m) {
    for (int d : {1, 2, 5, 9}) {
      const Vector z = uniforms(random, d);
      const double slow = anova_slow(z, m);
      CHECK_NEAR(anova::value(z.data(), d, m, monitor), slow, 1e-13);
      CHECK_NEAR(anova::value_power_sums(z.data(), d, m, monitor), slow, 1e-11);
      Vector g(d), gp(d);
      anova::gradient(z.data(), d, m, g.data(), monitor);
      anova::gradient_power_sums(z.data(), d, m, gp.data(), monitor);
      Vector a(m + 1, 0.0), h(m);
      a[0] = 1;
      for (double v : z) anova::add(a.data(), m, v);
      for (int j = 0; j < d; ++j) {  // derivative in z_j: the kernel of degree m - 1 without feature j
        Vector rest = z;
        rest.erase(rest.begin() + j);
        const double slope = anova_slow(rest, m - 1);
        CHECK_NEAR(g[j], slope, 1e-13);
        CHECK_NEAR(gp[j], slope, 1e-11);
        anova::remove(a.data(), m, z[j], h.data());
        CHECK_NEAR(h[m - 1], slope, 1e-12);
      }
    }
  }

  // One feature that dwarfs the others: removal loses digits and says so, the table does not.
  Vector z = uniforms(random, 6);
  z[0] = 1e4;
  const int m = 5;
  Vector a(m + 1, 0.0), h(m), g(6), rest(z.begin() + 1, z.end());
  a[0] = 1;
  for (double v : z) anova::add(a.data(), m, v);
  anova::remove(a.data(), m, z[0], h.data());
  anova::gradient(z.data(), 6, m, g.data(), monitor);
  const double slope = anova_slow(rest, m - 1);
  CHECK(std::fabs(g[0] - slope) <= 1e-13 * std::fabs(slope));
  CHECK(std::fabs(h[m - 1] - slope) <= 4 * anova::removal_error(a.data(), m, z[0]));
  CHECK(std::fabs(h[m - 1] - slope) > 1e-9 * std::fabs(slope));
  CHECK(anova::doubt(a.data(), m) >= anova::removal_error(a.data(), m, z[0]) * 0.999);
  CHECK(anova::doubt(a.data(), m) > anova::kRemovalTolerance * std::fabs(a[m - 1]));
  return report();
}
