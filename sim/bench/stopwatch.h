// Processor time, which other processes of a shared computer disturb least.
#pragma once

#include <algorithm>
#include <ctime>
#include <limits>

namespace spillway {

/// Seconds of processor time that this process has used.
inline double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The best of several runs of one thing.
class BestTime {
 public:
  template <class Work>
  void Measure(Work&& work) {
    const double begin = ProcessorSeconds();
    work();
    best_ = std::min(best_, ProcessorSeconds() - begin);
  }
  double seconds() const { return best_; }

 private:
  double best_ = std::numeric_limits<double>::max();
};

}  // namespace spillway
