// Checks for the core's tests: count, say what failed and where, go on.
#ifndef HOFM_TESTS_CHECK_H
#define HOFM_TESTS_CHECK_H

#include <cmath>
#include <cstdio>

namespace check {

inline int passed = 0, failed = 0;

inline void that(bool ok, const char *what, const char *file, int line) {
  ++(ok ? passed : failed);
  if (!ok) std::printf("%s:%d: %s\n", file, line, what);
}

// |a - b| <= tol * max(1, |b|)
inline void near(double a, double b, double tol, const char *what, const char *file, int line) {
  const bool ok = std::fabs(a - b) <= tol * std::fmax(1, std::fabs(b));
  that(ok, what, file, line);
  if (!ok) std::printf("  %.17g against %.17g\n", a, b);
}

inline int report() {
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace check

#define CHECK(cond) check::that((cond), #cond, __FILE__, __LINE__)
#define CHECK_NEAR(a, b, tol) check::near((a), (b), (tol), #a " near " #b, __FILE__, __LINE__)

inline int report() { return check::report(); }
#endif
