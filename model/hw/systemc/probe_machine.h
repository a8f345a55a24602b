// One thing alone on the machine: what the measured oracle is made of.
#pragma once

#include "model/hw/instruction_shape.h"
#include "model/hw/target.h"
#include "model/hw/timing/dma_cost.h"
#include "model/hw/timing/latency_curve.h"
#include "model/hw/units.h"

namespace spillway {

/// Plays a compute instruction, an independent one behind it on the same engine, and a dependent
/// one on another. The interval of the first two is `exec`, what the first needs beyond it before
/// it ends is `read_init`, and `write_drain` lasts until the dependent one starts: it includes the
/// semaphore's way.
PhaseTimes ProbeInstruction(const InstructionShape& shape, const Target& target);

/// Plays one transfer on idle queues and a dependent instruction: `read_init` from the trigger to
/// the first descriptor, `exec` to the last, `write_drain` until the dependent one starts.
PhaseTimes ProbeDma(std::int64_t rows, Bytes row_bytes, DescriptorKind kind, const Target& target);

/// An access to SBUF or PSUM: Vector reads that many bytes a partition as float32 and its next
/// instruction follows, without a semaphore between them.
PhaseTimes ProbeAccess(Space space, Bytes bytes_per_partition, const Target& target);

}  // namespace spillway
