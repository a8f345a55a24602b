// Which operations have numerics, and what they compute.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/alloc/ir/kernel.h"
#include "sim/values/value_model.h"

namespace spillway {

/// One instruction at one iteration, with the memory that it reads.
struct OpContext {
  const Kernel& kernel;
  const Instruction& instruction;
  std::span<const std::int64_t> loop_values;
  MemoryView& memory;
};

/// Why this instruction has no numerics, for a person ("operation \"foo\" isn't known"); nothing if
/// it has. Nothing is guessed: an operand, attribute or operator that the operation's table doesn't
/// list makes it opaque.
std::optional<std::string> WhyOpaque(const Kernel& kernel, const Instruction& instruction);

/// The instruction's result in numbers; it must not be opaque.
/// Source: kernel format version 1, values; NKI ISA per operation.
InstructionResult NumericResult(const OpContext& context);

}  // namespace spillway
