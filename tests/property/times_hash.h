// All times of a run in one word.
#pragma once

#include <cstdint>
#include <string>

#include "model/hw/timing/run_result.h"

namespace spillway {

/// FNV-1a over issue, start and finish of every instance.
inline std::string HashOfTimes(const RunResult& result) {
  std::uint64_t hash = 14695981039346656037u;
  for (const InstanceTimes& times : result.times) {
    for (const Picoseconds time : {times.issue, times.start, times.finish}) {
      hash = (hash ^ static_cast<std::uint64_t>(time.value)) * 1099511628211u;
    }
  }
  return std::to_string(hash);
}

}  // namespace spillway
