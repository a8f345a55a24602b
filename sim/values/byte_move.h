// Instructions that move bytes and never look at them.
#pragma once

#include <cstdint>
#include <span>

#include "model/alloc/ir/kernel.h"
#include "sim/values/pattern.h"

namespace spillway {

/// Where the bytes come from and where they go, equally many.
struct ByteMove {
  Pattern from;
  Pattern to;
};

/// Whether the instruction copies one operand's bytes to another, both at places that are known
/// before the run: what an allocator inserts, and a dma_copy between equal types. An allocator may
/// repeat either, so it leaves the same bytes in every mode that has values.
bool OnlyMovesBytes(const Kernel& kernel, const Instruction& instruction);

/// The move of such an instruction, or of any spill copy, at these loop values.
ByteMove MoveOf(const Kernel& kernel, const Instruction& instruction,
                std::span<const std::int64_t> loop_values);

}  // namespace spillway
