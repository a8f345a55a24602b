// What an instruction computes. Both the machine and the reference interpreter call this, in the
// same order of elements, so that equal inputs give equal bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "sim/values/memory_view.h"

namespace spillway {

enum class ValueMode {
  kNumeric,  ///< numbers; an operation without numerics gives a hash of its inputs
  kTags,     ///< each instruction writes a hash of its inputs: works for every operation, and fast;
             ///< what OnlyMovesBytes moves its bytes here too
  kNone,     ///< no data at all: timing only
};

/// The bytes that one instruction is about to write: per output operand, in operand order, packed
/// in element order (partitions, then free dimensions, outermost first), in the operand's dtype.
/// An indirect output may go anywhere: it gives bytes for its whole tensor, block after block.
struct InstructionResult {
  std::vector<std::vector<std::byte>> outputs;
};

/// Computes without writing: reads every input through `memory` at these loop values.
/// Deterministic: same bytes in, same bytes out, on any number of threads.
/// Errors don't exist here: a kernel that the reader accepted computes; own bugs throw.
InstructionResult Compute(const Kernel& kernel, const Instruction& instruction,
                          std::span<const std::int64_t> loop_values, ValueMode mode,
                          MemoryView& memory);

/// Writes `result` to the instruction's output operands, in operand order.
void Commit(const Kernel& kernel, const Instruction& instruction,
            std::span<const std::int64_t> loop_values, const InstructionResult& result,
            MemoryView& memory);

/// True if `mode` has no numerics for this instruction, so that its result is a hash.
bool IsOpaque(const Kernel& kernel, const Instruction& instruction);

}  // namespace spillway
