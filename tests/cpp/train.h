// Training on given samples, as most tests of the core do it.
#ifndef HOFM_TESTS_TRAIN_H
#define HOFM_TESTS_TRAIN_H

#include "hofm/fit.h"

inline hofm::Outcome train_samples(hofm::Design &design, const hofm::Response &response, hofm::Model &model,
                                   const hofm::Options &options, hofm::Monitor &monitor) {
  hofm::Task task = hofm::Samples{response, {}};
  return hofm::train(design, task, model, options, monitor);
}

#endif
