// Instructions whose destination shares bytes with a source that is another tensor.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "sim/exec/placed_memory.h"
#include "sim/values/value_model.h"

namespace spillway {

/// Writes into the sources what an instruction that goes element by element, in operand order,
/// would find there: bytes of `result` where it has already written when it comes to read them.
/// True if there are any; the bytes are destinations, so they are written again anyway. An operand
/// of n elements is at element k after k/n of the instruction. Operands of one block of one tensor
/// may share bytes as they like: their author placed them so.
bool SpoilSources(const Kernel& kernel, const Instruction& instruction,
                  std::span<const std::int64_t> values, const InstructionResult& result,
                  PlacedMemory& memory);

/// What lies at an output operand's place, packed as in InstructionResult.
std::vector<std::byte> OutputBytes(const Kernel& kernel, const Operand& output,
                                   std::span<const std::int64_t> values, PlacedMemory& memory);

}  // namespace spillway
