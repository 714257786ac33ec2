// The core's monitor, wired to R: Ctrl-C, and a function to call after each iteration.
#ifndef HOFM_RCPP_MONITOR_H
#define HOFM_RCPP_MONITOR_H

#include <Rcpp.h>

#include "hofm/base/monitor.h"

namespace hofm {

// `progress`: function(iteration, seconds, objective) or NULL.
inline Monitor r_monitor(SEXP progress = R_NilValue) {
  Monitor monitor;
  // Not Rcpp::checkUserInterrupt(), which makes the error of setTimeLimit() an interrupt that try() does not catch.
  monitor.interrupt = [] {
    Rcpp::unwindProtect([]() -> SEXP {
      R_CheckUserInterrupt();
      return R_NilValue;
    });
  };
  if (!Rf_isNull(progress)) {
    const Rcpp::Function call(progress);
    monitor.report = [call](int iteration, double seconds, double objective) { call(iteration, seconds, objective); };
  }
  return monitor;
}

}  // namespace hofm
#endif
