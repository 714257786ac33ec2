// Checks for the core's tests: count, say what failed and where, go on. A check is a line of a test, however often it is reached: it has
// passed if it always held. Context, such as the loss or the instruction set at hand, is told with a failure.
#ifndef HOFM_TESTS_CHECK_H
#define HOFM_TESTS_CHECK_H

#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace check {

inline std::map<std::pair<std::string, int>, bool> &lines() {
  static std::map<std::pair<std::string, int>, bool> held;
  return held;
}

inline std::vector<std::string> &contexts() {
  static std::vector<std::string> all;
  return all;
}

// One line of a test; asked for once and kept by the macros, since a lookup for each of a million checks takes seconds.
inline bool &line_of(const char *file, int line) { return lines().try_emplace({file, line}, true).first->second; }

inline void that(bool &held, bool ok, const char *what, const char *file, int line) {
  if (ok) return;
  if (held) {  // the first failure of a line is enough
    std::printf("%s:%d: %s\n", file, line, what);
    for (const std::string &context : contexts()) std::printf("  %s\n", context.c_str());
  }
  held = false;
}

// |a - b| <= tol * max(1, |b|)
inline void near(bool &held, double a, double b, double tol, const char *what, const char *file, int line) {
  const bool ok = std::fabs(a - b) <= tol * std::fmax(1, std::fabs(b)), first = held;
  that(held, ok, what, file, line);
  if (!ok && first) std::printf("  %.17g against %.17g\n", a, b);
}

// While it lives, failures are told with it.
class Context {
 public:
  template <class... Parts>
  explicit Context(const Parts &...parts) {
    std::ostringstream text;
    (text << ... << parts);
    contexts().push_back(text.str());
  }
  ~Context() { contexts().pop_back(); }
  Context(const Context &) = delete;
};

inline int report() {
  int passed = 0, failed = 0;
  for (const auto &line : lines()) ++(line.second ? passed : failed);
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace check

#define CHECK(cond)                                           \
  do {                                                        \
    static bool &held = check::line_of(__FILE__, __LINE__);   \
    check::that(held, bool(cond), #cond, __FILE__, __LINE__); \
  } while (false)
#define CHECK_NEAR(a, b, tol)                                               \
  do {                                                                      \
    static bool &held = check::line_of(__FILE__, __LINE__);                 \
    check::near(held, (a), (b), (tol), #a " near " #b, __FILE__, __LINE__); \
  } while (false)

inline int report() { return check::report(); }
#endif
