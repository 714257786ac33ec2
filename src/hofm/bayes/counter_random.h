// Random numbers by counting: Philox 4x32 with ten rounds (Salmon, Moraes, Dror and Shaw 2011). What a draw is depends on the seed, the
// chain and the place that asks for it, never on the order in which places ask, so that threads and storage cannot change a chain.
#ifndef HOFM_BAYES_COUNTER_RANDOM_H
#define HOFM_BAYES_COUNTER_RANDOM_H

#include <array>
#include <cmath>
#include <cstdint>

namespace hofm {
namespace bayes {

// What is drawn. The same place may be asked for several things.
enum class Draw : std::uint32_t { start, noise, intercept, hyper, factor, latent, cut, new_level, predictive };

struct Place {
  Draw what;
  std::uint32_t sweep;
  std::uint32_t item = 0;    // feature, sample or group
  std::uint32_t term = 0;    // below 2^8
  std::uint32_t factor = 0;  // below 2^24
};

inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t(0xD2511F53U) * c[0], b = std::uint64_t(0xCD9E8D57U) * c[2];
    c = {std::uint32_t(b >> 32) ^ c[1] ^ key0, std::uint32_t(b), std::uint32_t(a >> 32) ^ c[3] ^ key1, std::uint32_t(a)};
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return c;
}

// The stream of one place; 2^28 draws long.
class Stream {
 public:
  Stream(std::uint32_t seed, std::uint32_t chain, const Place &at)
      : seed_(seed), chain_(chain), counter_{std::uint32_t(at.what) << 28, at.sweep, at.item, at.term << 24 | at.factor} {}

  // Uniform on (0, 1), never an end of it: 52 bits and a half.
  double uniform() {
    if (left_ == 0) refill();
    --left_;
    const std::uint64_t bits = std::uint64_t(block_[2 * left_]) << 32 | block_[2 * left_ + 1];
    return (double(bits >> 12) + 0.5) * 0x1p-52;
  }

  // Box and Muller's cosine.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(6.283185307179586477 * uniform());
  }

  double exponential() { return -std::log(uniform()); }

  // Shape a, rate 1: Marsaglia and Tsang (2000), with the usual power of a uniform for shapes below 1.
  double gamma(double a) {
    if (a < 1) return gamma(a + 1) * std::pow(uniform(), 1 / a);
    const double d = a - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = normal(), root = 1 + c * x;
      if (root <= 0) continue;
      const double v = root * root * root;
      if (std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
  }

 private:
  void refill() {
    block_ = philox(counter_, seed_, chain_);
    ++counter_[0];
    left_ = 2;
  }

  std::uint32_t seed_, chain_;
  std::array<std::uint32_t, 4> counter_, block_{};
  int left_ = 0;
};

}  // namespace bayes
}  // namespace hofm
#endif
