// Kernels for any processor.
#include <cstddef>

#include "hofm/model/anova.h"
#include "hofm/model/polynomial.h"
#include "hofm/simd/kernels.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // as in simd_avx2.cpp
#endif

#define HOFM_ISA generic
#ifdef HOFM_X86_VECTORS
#define HOFM_MOST_KNOWN 2  // nearly all of these processors have AVX2, and plain instructions are many
#else
#define HOFM_MOST_KNOWN 6
#endif
#define HOFM_SCORE_COLUMNS 2
#include "hofm/simd/pack.h"
#include "hofm/simd/forward.h"
#include "hofm/simd/other.h"
#include "hofm/simd/meet.h"
#include "hofm/simd/features.h"
#include "hofm/simd/feature_nodes.h"
#include "hofm/simd/samples.h"
#include "hofm/simd/steps.h"
#include "hofm/simd/scores.h"

namespace hofm {
namespace generic {

const KernelTable table = {rows, meets, features, feature_nodes, [](int, bool) { return ColumnKernel{}; }, samples, steps, score_panels};

}  // namespace generic
}  // namespace hofm
