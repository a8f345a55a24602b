// The waits of a lowered program, for the checks of task pipelines.
#pragma once

#include "model/alloc/ir/kernel.h"
#include "model/alloc/rings/find_waits.h"
#include "model/alloc/rings/stream_work.h"
#include "model/hw/error.h"
#include "model/hw/timing/hw_program.h"

namespace spillway {

struct LoweredWaits {
  rings::StreamWork work;  ///< the kernel's instances on the program's streams, each queue its own
  rings::Waits waits;      ///< the semaphores that the program waits for
};

/// `program` is what LowerKernel made of `kernel`: instance i of one is instance i of the other.
/// Errors: those of rings::CollectWork; kDeadlock ("ring-wait-ahead") for a wait that no earlier
/// instance meets.
/// Source: ts_pipelines.md §16 (the lowering's semaphores are the pipelines' edges).
Result<LoweredWaits> WaitsOf(const Kernel& kernel, const HwProgram& program);

}  // namespace spillway
