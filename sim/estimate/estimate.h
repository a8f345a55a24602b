// The compiler's own estimate of a placed kernel's time: a second opinion beside the machine.
#pragma once

#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/error.h"
#include "model/hw/hwm.h"
#include "model/hw/target.h"
#include "model/hw/units.h"

namespace spillway {

/// In cycles of the target's reference clock.
struct Estimate {
  Cycles cycles;
  Cycles without_anti_dependences;
  /// How many times as long the kernel takes because of its anti-dependences: at least 1.
  double slack() const;
  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// Times `kernel` (the allocated one, spill code included) with the prices of `hwm`, twice: with
/// all dependences, and without those that are there only because tensors share bytes by their
/// `placement`. Write-after-read and write-after-write on one tensor's own elements stay in both:
/// they are the program's, and no placement removes them.
///
/// A maximal run of instructions without a loop is a block. A loop's body is timed once, in its
/// middle iteration (the one that predicates on the first and the last leave alone), and counts
/// as often as the loop runs, a dynamic one to its bound. Blocks follow one another: nothing
/// overlaps across the begin or the end of a loop.
///
/// A DMA is a trigger and a transfer; the trigger costs nothing, on the timeline of instructions
/// without an engine, since a kernel doesn't say who issues it. Loads, stores, reloads and saves
/// have a queue each, none of them a limited one: a kernel names no queue.
/// Errors: those of the oracle (kUnknownName, "unpriced-opcode"), of MapMemory and of
/// FindDependences; kLimit ("estimate-too-long") for loops that run beyond 2^53 cycles.
/// Source: hwm_and_geometry §3; middle iteration, queues and trigger: choices of this project.
Result<Estimate> EstimateTime(const Kernel& kernel, const Placement& placement,
                              const Target& target, const Hwm& hwm);

}  // namespace spillway
