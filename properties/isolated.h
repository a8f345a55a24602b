// Work that may crash or hang, in a process of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace spillway {

enum class Ending { kDone, kThrew, kCrashed, kTimedOut };

struct Isolated {
  Ending ending = Ending::kDone;
  std::string answer;  ///< what the work returned, or what it threw
  std::string how;     ///< "signal 11 (Segmentation fault)", "more than 20 s"; empty where done
};

struct IsolationLimits {
  double seconds = 20;            ///< wall clock
  std::int64_t megabytes = 4096;  ///< of address space; 0: no limit
};

/// Runs `work` in a forked child and brings back what it returns. The caller must have no second
/// thread that holds a lock which `work` needs.
Isolated RunIsolated(const std::function<std::string()>& work, const IsolationLimits& limits = {});

}  // namespace spillway
