// Samples that are held out of training, on which the loss is watched.
#ifndef HOFM_VALIDATION_H
#define HOFM_VALIDATION_H

#include <vector>

#include "design.h"
#include "model.h"

namespace hofm {

// A fixed sample of what a pairwise loss is a mean of: sample links[q] against sample others[q].
struct Watch {
  std::vector<int> links, others;
};

struct Validation {
  Design design;
  Response response;
  Watch watch;  // for pairwise losses
};

}  // namespace hofm
#endif
