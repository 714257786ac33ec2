// What a solver tells the world and what the world may tell it: objective values with their times, and a wish to stop.
#ifndef HOFM_BASE_MONITOR_H
#define HOFM_BASE_MONITOR_H

#include <chrono>
#include <functional>
#include <vector>

namespace hofm {

struct Trace {
  std::vector<int> iteration;
  std::vector<double> seconds, objective;

  // Without what came after that iteration.
  void cut_after(int last) {
    while (!iteration.empty() && iteration.back() > last) {
      iteration.pop_back();
      seconds.pop_back();
      objective.pop_back();
    }
  }
};

class Monitor {
 public:
  // interrupt() throws if the user wants to stop; report(iteration, seconds, objective) shows progress. Both may be empty.
  // Both are called by the thread that runs the solver and never inside a parallel region.
  std::function<void()> interrupt;
  std::function<void(int, double, double)> report;

  Monitor() : begin_(Clock::now()), polled_(begin_) {}

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  // Called often with the number of elementary steps since the last call; asks the clock every million steps and the
  // user every twentieth of a second.
  void poll(double work) {
    work_ += work;
    if (work_ < 1e6 || !interrupt) return;
    work_ = 0;
    const auto now = Clock::now();
    if (now - polled_ < std::chrono::milliseconds(50)) return;
    polled_ = now;
    interrupt();
  }

  void record(int iteration, double objective) {
    const double s = seconds();
    trace.iteration.push_back(iteration);
    trace.seconds.push_back(s);
    trace.objective.push_back(objective);
    if (report) report(iteration, s, objective);
    poll(1e6);
  }

  Trace trace;

  // What a checkpoint holds (base/checkpoint.h): time goes on from where it was.
  template <class Archive>
  void visit(Archive &archive) {
    double so_far = seconds();
    archive(so_far);
    archive(trace.iteration);
    archive(trace.seconds);
    archive(trace.objective);
    begin_ = Clock::now() - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(so_far));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_, polled_;
  double work_ = 0;
};

}  // namespace hofm
#endif
