// Which instructions this processor has, and the kernels for them.
#include <cstdlib>
#include <cstring>

#include "hofm/simd/kernels.h"

namespace hofm {

bool has(Isa isa) {
  if (isa == Isa::generic) return true;
#ifdef HOFM_X86_VECTORS
  const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == Isa::avx2) return fma;
#ifdef HOFM_X86_WIDE
  // The first processors with AVX-512 lower their clock for a while when it is used; those that have VBMI2 do not.
  return fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2");
#endif
#endif
  return false;
}

Isa best_isa() {
  static const Isa best = [] {
    const char *wanted = std::getenv("HOFM_ISA");
    const auto asks = [&](const char *name) { return wanted && std::strcmp(wanted, name) == 0; };
    if (asks("generic")) return Isa::generic;
    if (!asks("avx2") && has(Isa::wide)) return Isa::wide;
    return has(Isa::avx2) ? Isa::avx2 : Isa::generic;
  }();
  return best;
}

const KernelTable &kernels(Isa isa) {
  switch (isa) {
    case Isa::wide: return wide::table;
    case Isa::avx2: return avx2::table;
    default: return generic::table;
  }
}

}  // namespace hofm
