// The constants of the compiler's event simulator, in the clock of its durations.
#pragma once

#include <array>
#include <cstdint>

#include "model/hw/target.h"
#include "model/hw/units.h"

namespace spillway {

/// Source: hwm_and_geometry §3.
inline constexpr int kPerfQueues = 13;

/// What the forward pass needs to know of the machine.
struct PerfRules {
  Cycles overlaps_above;  ///< only a longer instruction lets the next one start before its end
  Cycles compute_window;  ///< by how much, on compute engines
  Cycles dma_window;      ///< and for DMA, where the duration is at least that long
  /// Pool and DVE share a port, and Activation waits for what they write to PSUM.
  bool shared_port = false;
  std::array<std::int64_t, kPerfQueues> queue_depth{};  ///< transfers that wait; 0: no limit

  friend bool operator==(const PerfRules&, const PerfRules&) = default;
};

/// The rules on `target`, in cycles of its reference clock.
/// Source: hwm_and_geometry §3; `perf_rules.cc` has them constant by constant.
PerfRules RulesOf(const Target& target);

}  // namespace spillway
