// What a simulation of a placed kernel measured.
#pragma once

#include <array>
#include <vector>

#include "model/hw/timing/run_result.h"
#include "model/hw/units.h"
#include "model/hw/violation.h"
#include "sim/lower/lower_kernel.h"
#include "sim/values/tensor_data.h"

namespace spillway {

/// Spill traffic as the machine saw it.
struct SpillMeasure {
  std::int64_t saves = 0;
  std::int64_t reloads = 0;
  Bytes saved_bytes;
  Bytes reloaded_bytes;
  Cycles cycles;  ///< of the reference clock, while any save or reload is in flight
  friend bool operator==(const SpillMeasure&, const SpillMeasure&) = default;
};

struct SimReport {
  Cycles cycles;                 ///< from start to the end of the last instance, reference clock
  std::int64_t nanoseconds = 0;  ///< the same, rounded up
  /// Busy share from 0 to 1 per engine; kDma: mean over the DMA engines.
  std::array<double, kEngineCount> busy_share{};
  SpillMeasure spill;
  std::int64_t dma_transfers = 0;
  Bytes dma_bytes;                    ///< all roles
  NamedData outputs;                  ///< final bytes of every output; empty without values
  std::vector<Violation> violations;  ///< kDeadlock
  LoweredKernel lowered;
  RunResult run;  ///< times per instance
};

}  // namespace spillway
