// Random numbers that are the same on every platform: splitmix64, and the Fisher-Yates shuffle written out
// (std::shuffle and the std distributions differ between libraries).
#ifndef HOFM_BASE_RANDOM_H
#define HOFM_BASE_RANDOM_H

#include <cstdint>
#include <utility>
#include <vector>

namespace hofm {

class Random {
 public:
  // Streams with different (seed, stream) are independent of each other and of the order in which they are used.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : state_(mix(seed) ^ mix(stream + kGolden)) {}

  // A stream of its own for every item of a stream.
  Random(std::uint64_t seed, std::uint64_t stream, std::uint64_t item) : Random(Random(seed, stream).next(), item) {}

  std::uint64_t next() { return mix(state_ += kGolden); }

  // Uniform on 0..n-1; the bias of at most n / 2^64 is far below anything observable.
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

inline void shuffle(std::vector<int> &v, Random &random) {
  for (std::size_t i = v.size(); i > 1; --i) std::swap(v[i - 1], v[random.below(i)]);
}

}  // namespace hofm
#endif
