// Row kernels for any processor, and the choice between them and the ones for a better processor.
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "hofm/column_kernel.h"
#include "hofm/kernel_anova.h"
#include "hofm/kernel_polynomial.h"
#include "hofm/row_kernel.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // as in simd_avx2.cpp
#endif

#define HOFM_ISA generic
#if defined(__x86_64__)
#define HOFM_MOST_KNOWN 2  // nearly all of these processors have AVX2, and plain instructions are many
#else
#define HOFM_MOST_KNOWN 6
#endif
#include "hofm/row_anova.h"
#include "hofm/row_other.h"
#include "hofm/row_join.h"
#include "hofm/row_joint.h"
#include "hofm/row_joint_nodes.h"
#include "hofm/row_samples.h"
#include "hofm/row_step.h"

namespace hofm {

namespace avx2 {
RowKernel row_kernels(Kernel kernel, int degree);
JoinKernel join_kernels(Kernel kernel, int degree);
JointKernel joint_kernels(int degree);
JointNodeKernel joint_node_kernels(int degree);
ColumnKernel column_kernels(int degree, bool weighted);
SampleKernel sample_kernels(int size);
StepKernel step_kernels(bool adaptive, Kernel kernel, int degree);
bool compiled();
}  // namespace avx2

// The environment variable HOFM_ISA=generic asks for plain instructions, so that every test can be run on both roads.
bool has_avx2() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const char *wanted = std::getenv("HOFM_ISA");
  static const bool plain = wanted && std::strcmp(wanted, "generic") == 0;
  return !plain && avx2::compiled() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

RowKernel row_kernel(Kernel kernel, int degree, Isa isa) {
  if (isa == Isa::avx2 || (isa == Isa::best && has_avx2())) return avx2::row_kernels(kernel, degree);
  return generic::rows(kernel, degree);
}

JoinKernel join_kernel(Kernel kernel, int degree, Isa isa) {
  if (isa == Isa::avx2 || (isa == Isa::best && has_avx2())) return avx2::join_kernels(kernel, degree);
  return generic::joins(kernel, degree);
}

JointKernel joint_kernel(int degree, Isa isa) {
  if (isa == Isa::avx2 || (isa == Isa::best && has_avx2())) return avx2::joint_kernels(degree);
  return generic::joints(degree);
}

JointNodeKernel joint_node_kernel(int degree, Isa isa) {
  if (isa == Isa::avx2 || (isa == Isa::best && has_avx2())) return avx2::joint_node_kernels(degree);
  return generic::joint_nodes(degree);
}

ColumnKernel column_kernel(int degree, bool weighted, Isa isa) {
  if (isa == Isa::avx2 || (isa == Isa::best && has_avx2())) return avx2::column_kernels(degree, weighted);
  return {};
}

SampleKernel sample_kernel(int size, Isa isa) {
  if (isa == Isa::avx2 || (isa == Isa::best && has_avx2())) return avx2::sample_kernels(size);
  return generic::samples(size);
}

StepKernel step_kernel(bool adaptive, Kernel kernel, int degree, Isa isa) {
  if (isa == Isa::avx2 || (isa == Isa::best && has_avx2())) return avx2::step_kernels(adaptive, kernel, degree);
  return generic::steps(adaptive, kernel, degree);
}

}  // namespace hofm
