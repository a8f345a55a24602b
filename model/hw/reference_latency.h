// Latencies from picoseconds to cycles of the reference clock.
#pragma once

#include <algorithm>

#include "model/hw/clock.h"
#include "model/hw/hwm.h"

namespace spillway {

/// Whole cycles that `time` takes; at least one for any time > 0. The last picosecond doesn't
/// count: an engine's cycles become picoseconds by rounding, and 124 of them stay 124.
inline Cycles ReferenceCycles(Picoseconds time, std::int64_t reference_hertz) {
  constexpr Picoseconds kGrain(1);
  return CyclesIn(std::max(time - kGrain, std::min(time, kGrain)), reference_hertz);
}

/// The parts as whole cycles whose sum is the sum of the times, rounded up once.
inline InstructionLatency InReferenceCycles(Picoseconds read_init, Picoseconds exec,
                                            Picoseconds write_drain, std::int64_t reference_hertz) {
  const Cycles first = ReferenceCycles(read_init, reference_hertz);
  const Cycles done = ReferenceCycles(read_init + exec, reference_hertz);
  const Cycles readable = ReferenceCycles(read_init + exec + write_drain, reference_hertz);
  return {first, done - first, readable - done};
}

}  // namespace spillway
