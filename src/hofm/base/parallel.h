// Threads that cannot change a result: work is cut into tasks whose number comes from the data, never from the number of
// threads, and each task writes to memory of its own.
#ifndef HOFM_BASE_PARALLEL_H
#define HOFM_BASE_PARALLEL_H

#include <cstddef>
#include <exception>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace hofm {

// Set in the child after a fork: libgomp's thread pool does not survive one and would wait for ever.
inline bool &forked() {
  static bool flag = false;
  return flag;
}

// body(task, thread) for task = 0..tasks-1, thread < max(threads, 1). An exception in a task is rethrown here.
template <class Body>
void parallel_for(int tasks, int threads, const Body &body) {
#ifdef _OPENMP
  if (threads > 1 && tasks > 1 && !forked()) {
    std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int task = 0; task < tasks; ++task) {
      try {
        body(task, omp_get_thread_num());
      } catch (...) {
#pragma omp critical(hofm_failure)
        failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
    return;
  }
#else
  (void)threads;
#endif
  for (int task = 0; task < tasks; ++task) body(task, 0);
}

// Multiply-adds that take a millisecond or two: less is done by one thread. Waking threads up takes a hundredth of that, but where
// other programs are busy on all cores but one, it takes several milliseconds each time.
// Tests set it lower, so that small data are shared as well.
#ifndef HOFM_MIN_PARALLEL_WORK
#define HOFM_MIN_PARALLEL_WORK 2e7
#endif
constexpr double kMinParallelWork = HOFM_MIN_PARALLEL_WORK;

// n rows cut into `count` blocks, of which b begins at first(b).
struct RowBlocks {
  int n, count;
  int first(int b) const { return int(std::size_t(n) * b / count); }
};

}  // namespace hofm
#endif
