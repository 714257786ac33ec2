// All that is compiled more than once, for different processors: a table of kernels for each instruction set.
#ifndef HOFM_SIMD_KERNELS_H
#define HOFM_SIMD_KERNELS_H

#include <cstddef>

#include "hofm/simd/column_interface.h"
#include "hofm/simd/interface.h"

// GCC does not align the stack for vectors of 32 bytes on Windows (its bug 54412), where they would crash.
#if defined(__x86_64__) && defined(__GNUC__) && (!defined(_WIN32) || defined(__clang__))
#define HOFM_X86_VECTORS 1
#if defined(__clang__) || __GNUC__ >= 8  // older ones do not know all names of its parts
#define HOFM_X86_WIDE 1
#endif
#endif

namespace hofm {

// Every function chooses its kernels by the term's kernel and degree.
struct KernelTable {
  RowKernel (*rows)(Kernel kernel, int degree);
  MeetKernel (*meets)(Kernel kernel, int degree);
  FeatureKernel (*features)(int degree);
  FeatureNodeKernel (*feature_nodes)(int degree);
  ColumnKernel (*columns)(int degree, bool weighted);  // see simd/column_interface.h
  SampleKernel (*samples)(int size);
  StepKernel (*steps)(bool adaptive, Kernel kernel, int degree);
  ScorePanels score_panels;
};

// Empty where the compiler cannot make the kernels.
namespace generic { extern const KernelTable table; }
namespace avx2 { extern const KernelTable table; }
namespace wide { extern const KernelTable table; }

// `wide`: AVX-512, eight factors in a register; only where it does not slow the processor down.
enum class Isa { generic, avx2, wide };

bool has(Isa isa);  // whether it was compiled and this processor has it
Isa best_isa();     // of those, as far as the environment variable HOFM_ISA ("generic" or "avx2") allows
const KernelTable &kernels(Isa isa = best_isa());

}  // namespace hofm
#endif
