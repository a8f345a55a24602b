// Simulates a placed kernel, with data.
#pragma once

#include <optional>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/error.h"
#include "model/hw/target.h"
#include "sim/exec/sim_report.h"
#include "sim/values/inputs.h"
#include "sim/values/value_model.h"

namespace spillway {

struct ExecuteOptions {
  LowerOptions lower;
  std::optional<Picoseconds> watchdog;  ///< simulated time after which the run is given up
};

/// Lowers `kernel` with `placement` and plays it on the machine. `kernel` is the allocated one,
/// spill code included; `inputs` holds every input and constant (unused in kNone). A deadlock is a
/// violation in the report, with the outputs as far as they came.
/// Errors: those of LowerKernel; kUnknownName ("missing-input"), kShape ("input-size"); kLimit
/// ("machine-memory") where DRAM exceeds kDataLimit or this computer's memory.
Result<SimReport> Execute(const Kernel& kernel, const Placement& placement, const Target& target,
                          ValueMode mode, const Inputs& inputs, const ExecuteOptions& options = {});

}  // namespace spillway
