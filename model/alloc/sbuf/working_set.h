// Instructions whose own operands don't fit: spilling can't help them.
#pragma once

#include <optional>

#include "model/alloc/ir/linear_kernel.h"
#include "model/hw/error.h"

namespace spillway {

/// Bytes per partition that the SBUF operands of one instruction need at once: every tensor block
/// once, rounded up to the granule.
Bytes WorkingSetOf(const Kernel& kernel, const Instruction& instruction, Bytes granule);

/// The first instruction that can't fit in `capacity` bytes of 128 partitions however its operands
/// are laid out, or a tensor that is larger than the memory by itself ("is too big for SB").
/// Narrow tensors may share bytes in different bands, so the test is by area and by largest block.
/// Errors: kInstructionWorkingSet, kCapacity.
std::optional<Error> FindOversized(const LinearKernel& linear, Bytes capacity, Bytes granule);

}  // namespace spillway
