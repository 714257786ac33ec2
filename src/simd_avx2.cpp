// Row kernels compiled for AVX2 and FMA, whatever flags R was built with; reached only where the processor has them.
// Every standard header comes before the pragma: nothing of it may be compiled for AVX2 and end up in other code.
#include <cstddef>

#include "hofm/column_kernel.h"
#include "hofm/kernel_anova.h"
#include "hofm/kernel_polynomial.h"
#include "hofm/row_kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#elif defined(__x86_64__) && defined(__GNUC__)
#pragma GCC target("avx2,fma")
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // at R's usual -O2 short loops over registers are not unrolled, and the registers become memory
#endif

#define HOFM_ISA avx2
#define HOFM_MOST_KNOWN 6
#if defined(__x86_64__) && defined(__GNUC__)
#define HOFM_MOVE_MASK _mm256_movemask_pd  // the signs of four numbers, as bits
#define HOFM_SQUARE_ROOTS _mm256_sqrt_pd
#endif
#include "hofm/row_anova.h"
#include "hofm/row_other.h"
#include "hofm/row_join.h"
#include "hofm/row_joint.h"
#include "hofm/row_joint_nodes.h"
#include "hofm/row_samples.h"
#if defined(__x86_64__) && defined(__GNUC__)
#include "hofm/column_anova.h"
#endif
#include "hofm/row_step.h"

namespace hofm {
namespace avx2 {

RowKernel row_kernels(Kernel kernel, int degree) { return rows(kernel, degree); }
JoinKernel join_kernels(Kernel kernel, int degree) { return joins(kernel, degree); }
JointKernel joint_kernels(int degree) { return joints(degree); }
JointNodeKernel joint_node_kernels(int degree) { return joint_nodes(degree); }
SampleKernel sample_kernels(int size) { return samples(size); }
StepKernel step_kernels(bool adaptive, Kernel kernel, int degree) { return steps(adaptive, kernel, degree); }

#if defined(__x86_64__) && defined(__GNUC__)
ColumnKernel column_kernels(int degree, bool weighted) { return weighted ? columns<true>(degree) : columns<false>(degree); }
bool compiled() { return true; }
#else
ColumnKernel column_kernels(int, bool) { return {}; }
bool compiled() { return false; }
#endif

}  // namespace avx2
}  // namespace hofm

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif
