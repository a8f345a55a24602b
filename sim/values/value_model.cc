#include "sim/values/value_model.h"

#include <cstring>

#include "model/alloc/ir/footprint.h"
#include "model/hw/error.h"
#include "sim/values/numeric_ops.h"
#include "sim/values/pattern.h"
#include "sim/values/tags.h"

namespace spillway {
namespace {

const Operand& OnlyOperand(const std::vector<OperandGroup>& groups) {
  SPILLWAY_CHECK(groups.size() == 1 && groups.front().operands.size() == 1,
                 "a spill copy has one source and one destination");
  return groups.front().operands.front();
}

/// What an allocator inserts moves bytes and never looks at them.
InstructionResult CopyBytes(const Kernel& kernel, const Instruction& instruction,
                            std::span<const std::int64_t> loop_values, MemoryView& memory) {
  const Pattern from = PatternOf(kernel, OnlyOperand(instruction.inputs), loop_values);
  const Pattern to = PatternOf(kernel, OnlyOperand(instruction.outputs), loop_values);
  SPILLWAY_CHECK(from.bytes() == to.bytes(), "a spill copy's sides differ in size");
  return {{Gather(from, memory)}};
}

void ScatterWhole(const Kernel& kernel, TensorId tensor, std::span<const std::byte> bytes,
                  MemoryView& memory) {
  const std::int64_t blocks = BlockCount(kernel.tensors[tensor]);
  const std::size_t block_bytes = bytes.size() / static_cast<std::size_t>(blocks);
  for (std::int64_t block = 0; block < blocks; ++block) {
    Scatter(WholeBlock(kernel, tensor, block),
            bytes.subspan(static_cast<std::size_t>(block) * block_bytes, block_bytes), memory);
  }
}

/// A DMA between equal types that only moves bytes. An allocator may repeat it, as a reload, so it
/// must leave the same bytes in every mode.
bool OnlyMovesBytes(const Kernel& kernel, const Instruction& instruction) {
  if (instruction.op != "dma_copy" || WhyOpaque(kernel, instruction)) return false;
  return OperandDType(kernel, OnlyOperand(instruction.inputs)) ==
         OperandDType(kernel, OnlyOperand(instruction.outputs));
}

}  // namespace

InstructionResult Compute(const Kernel& kernel, const Instruction& instruction,
                          std::span<const std::int64_t> loop_values, ValueMode mode,
                          MemoryView& memory) {
  if (mode == ValueMode::kNone) return {};
  const bool moves = mode == ValueMode::kTags && OnlyMovesBytes(kernel, instruction);
  if (instruction.spill != SpillRole::kNone || moves) {
    return CopyBytes(kernel, instruction, loop_values, memory);
  }
  if (mode == ValueMode::kNumeric && !WhyOpaque(kernel, instruction)) {
    return NumericResult({kernel, instruction, loop_values, memory});
  }
  return TagResult(kernel, instruction, loop_values, memory);
}

void Commit(const Kernel& kernel, const Instruction& instruction,
            std::span<const std::int64_t> loop_values, const InstructionResult& result,
            MemoryView& memory) {
  if (result.outputs.empty()) return;
  std::size_t index = 0;
  for (const OperandGroup& group : instruction.outputs) {
    for (const Operand& operand : group.operands) {
      SPILLWAY_CHECK(index < result.outputs.size(), "a result lacks an output");
      const std::span<const std::byte> bytes = result.outputs[index++];
      if (operand.indirect.empty()) {
        Scatter(PatternOf(kernel, operand, loop_values), bytes, memory);
      } else {
        ScatterWhole(kernel, operand.tensor, bytes, memory);
      }
    }
  }
  SPILLWAY_CHECK(index == result.outputs.size(), "a result has an output too many");
}

bool IsOpaque(const Kernel& kernel, const Instruction& instruction) {
  return WhyOpaque(kernel, instruction).has_value();
}

}  // namespace spillway
