// Kernels compiled for AVX2 and FMA, whatever flags R was built with; reached only where the processor has them.
// Every standard header comes before the pragma: nothing of it may be compiled for AVX2 and end up in other code.
#include <cstddef>

#include "hofm/model/anova.h"
#include "hofm/model/polynomial.h"
#include "hofm/simd/kernels.h"

#ifdef HOFM_X86_VECTORS
#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#pragma GCC optimize("O3")  // at R's usual -O2 short loops over registers are not unrolled, and the registers become memory
#endif

#define HOFM_ISA avx2
#define HOFM_MOST_KNOWN 6
#define HOFM_SCORE_COLUMNS 4
#define HOFM_MOVE_MASK _mm256_movemask_pd  // the signs of four numbers, as bits
#define HOFM_SQUARE_ROOTS _mm256_sqrt_pd
#include "hofm/simd/pack.h"
#include "hofm/simd/forward.h"
#include "hofm/simd/other.h"
#include "hofm/simd/meet.h"
#include "hofm/simd/features.h"
#include "hofm/simd/feature_nodes.h"
#include "hofm/simd/samples.h"
#include "hofm/simd/steps.h"
#include "hofm/simd/scores.h"
#include "hofm/simd/columns.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif

namespace hofm {
namespace avx2 {

#ifdef HOFM_X86_VECTORS
const KernelTable table = {rows, meets, features, feature_nodes, columns, samples, steps, score_panels};
#else
const KernelTable table = {};
#endif

}  // namespace avx2
}  // namespace hofm
