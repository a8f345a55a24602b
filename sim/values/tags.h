// Values that nothing interprets: each instruction writes a hash of all that it reads.
#pragma once

#include <cstdint>
#include <span>

#include "sim/values/value_model.h"

namespace spillway {

/// A hash of the operation, its attributes and every byte that it reads, in element order, then
/// output bytes mixed from the hash, the output's index and the place in the output. Names, ids,
/// blocks, addresses and source positions don't enter, so that a renamed copy of an operand gives
/// the same bytes; every input byte does. An indirect operand counts with its whole tensor.
InstructionResult TagResult(const Kernel& kernel, const Instruction& instruction,
                            std::span<const std::int64_t> loop_values, MemoryView& memory);

}  // namespace spillway
