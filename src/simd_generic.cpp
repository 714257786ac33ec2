// Kernels for any processor.
#include <cstddef>

#include "hofm/kernel_anova.h"
#include "hofm/kernel_polynomial.h"
#include "hofm/kernel_table.h"

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
#include "hofm/row_unit.h"
#include "hofm/row_anova.h"
#include "hofm/row_other.h"
#include "hofm/row_join.h"
#include "hofm/row_joint.h"
#include "hofm/row_joint_nodes.h"
#include "hofm/row_samples.h"
#include "hofm/row_step.h"
#include "hofm/row_score.h"

namespace hofm {
namespace generic {

const KernelTable table = {rows, joins, joints, joint_nodes, [](int, bool) { return ColumnKernel{}; }, samples, steps, score_panels};

}  // namespace generic
}  // namespace hofm
