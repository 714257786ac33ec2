// The instruction sets that can be tried on this processor.
#ifndef HOFM_TESTS_ROADS_H
#define HOFM_TESTS_ROADS_H

#include <vector>

#include "hofm/simd/kernels.h"

inline std::vector<hofm::Isa> roads() {
  std::vector<hofm::Isa> isas;
  for (hofm::Isa isa : {hofm::Isa::generic, hofm::Isa::avx2, hofm::Isa::wide})
    if (hofm::has(isa)) isas.push_back(isa);
  return isas;
}

#endif
