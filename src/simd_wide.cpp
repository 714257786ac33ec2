// Kernels whose loops over factors gain by registers of eight numbers, compiled for AVX-512; the others are those for AVX2. See
// simd_avx2.cpp.
#include <cstddef>

#include "hofm/model/anova.h"
#include "hofm/model/polynomial.h"
#include "hofm/simd/kernels.h"

#ifdef HOFM_X86_WIDE
#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")
#pragma GCC optimize("O3")
#endif

#define HOFM_ISA wide
#define HOFM_WIDE 1
#define HOFM_MOST_KNOWN 6
#define HOFM_SCORE_COLUMNS 8
#define HOFM_MOVE_MASK _mm256_movemask_pd
#define HOFM_SQUARE_ROOTS _mm256_sqrt_pd
#include "hofm/simd/pack.h"
#include "hofm/simd/forward.h"
#include "hofm/simd/other.h"
#include "hofm/simd/meet.h"
#include "hofm/simd/features.h"
#include "hofm/simd/feature_nodes.h"
#include "hofm/simd/steps.h"
#include "hofm/simd/scores.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif

namespace hofm {
namespace wide {

#ifdef HOFM_X86_WIDE
namespace {

RowKernel rows_of(Kernel kernel, int degree) { return kernel == Kernel::anova ? anova_rows(degree) : avx2::table.rows(kernel, degree); }
MeetKernel meets_of(Kernel kernel, int degree) { return kernel == Kernel::anova ? anova_joins(degree) : avx2::table.meets(kernel, degree); }
ColumnKernel columns_of(int degree, bool weighted) { return avx2::table.columns(degree, weighted); }
SampleKernel samples_of(int size) { return avx2::table.samples(size); }

}  // namespace

const KernelTable table = {rows_of, meets_of, features, feature_nodes, columns_of, samples_of, steps, score_panels};
#else
const KernelTable table = {};
#endif

}  // namespace wide
}  // namespace hofm
