// One thing alone on the machine: what the measured oracle is made of.
#pragma once

#include "model/hw/instruction_shape.h"
#include "model/hw/target.h"
#include "model/hw/timing/dma_cost.h"
#include "model/hw/timing/latency_curve.h"
#include "model/hw/units.h"

namespace spillway {

/// Plays a compute instruction, an independent one behind it on the same engine, and a dependent
/// one on another. `exec` is the interval of the first two, `write_drain` lasts from there until
/// the dependent one starts: what the engine hides behind its next instruction, and the semaphore's
/// way. The machine shows no first element, so that `read_init` is 0. PE has been at work before,
/// long enough for its full rate.
PhaseTimes ProbeInstruction(const InstructionShape& shape, const Target& target);

/// Plays one transfer on idle queues and a dependent instruction: `read_init` from the trigger to
/// the first descriptor, `exec` to the last, `write_drain` until the dependent one starts.
PhaseTimes ProbeDma(std::int64_t rows, Bytes row_bytes, DescriptorKind kind, const Target& target);

/// An access to SBUF or PSUM: a copy of that many bytes a partition, as float32, by Vector alone.
/// It has ended when the same engine may use the result, without a semaphore.
PhaseTimes ProbeAccess(Space space, Bytes bytes_per_partition, const Target& target);

}  // namespace spillway
