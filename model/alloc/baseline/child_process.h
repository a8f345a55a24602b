// Runs somebody else's program within limits, and tells how it ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/alloc/baseline/orphan_guard.h"
#include "model/hw/error.h"

namespace spillway {

struct ChildLimits {
  double seconds = 60;              ///< wall clock; processor time is limited to the same
  std::int64_t megabytes = 4096;    ///< address space of each process
  std::int64_t file_bytes = 0;      ///< of any file that it writes; 0: no limit
  std::size_t output_bytes = 4096;  ///< of its output that are kept: the last ones
};

enum class ChildEnd { kExited, kSignalled, kTimedOut };

struct ChildOutcome {
  ChildEnd end = ChildEnd::kExited;
  int code = 0;             ///< exit status, or the signal's number
  std::string output;       ///< the end of what it wrote to standard output and error
  bool output_cut = false;  ///< there was more before it
};

/// Runs `arguments` (a path and its arguments) with `environment` ("NAME=value") on top of this
/// process's, an empty standard input, and a process group of its own, of which nothing is alive
/// when this returns: whatever it started is killed, whether it ended by itself or took too long.
/// Where this process is killed before, `guard` kills the group.
/// Several threads may call this at once.
/// Errors: kAllocator "process-not-started", with what the system says.
Result<ChildOutcome> RunChild(const std::vector<std::string>& arguments,
                              const std::vector<std::string>& environment,
                              const ChildLimits& limits, const OrphanGuard& guard);
/// The same with a guard of its own.
Result<ChildOutcome> RunChild(const std::vector<std::string>& arguments,
                              const std::vector<std::string>& environment,
                              const ChildLimits& limits);

}  // namespace spillway
