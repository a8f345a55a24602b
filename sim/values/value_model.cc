#include "sim/values/value_model.h"

#include "model/hw/error.h"
#include "sim/values/byte_move.h"
#include "sim/values/numeric_ops.h"
#include "sim/values/pattern.h"
#include "sim/values/tags.h"

namespace spillway {
namespace {

void ScatterWhole(const Kernel& kernel, TensorId tensor, std::span<const std::byte> bytes,
                  MemoryView& memory) {
  const std::int64_t blocks = BlockCount(kernel.tensors[tensor]);
  const std::size_t block_bytes = bytes.size() / static_cast<std::size_t>(blocks);
  for (std::int64_t block = 0; block < blocks; ++block) {
    Scatter(WholeBlock(kernel, tensor, block),
            bytes.subspan(static_cast<std::size_t>(block) * block_bytes, block_bytes), memory);
  }
}

}  // namespace

InstructionResult Compute(const Kernel& kernel, const Instruction& instruction,
                          std::span<const std::int64_t> loop_values, ValueMode mode,
                          MemoryView& memory) {
  if (mode == ValueMode::kNone) return {};
  if (instruction.spill != SpillRole::kNone || OnlyMovesBytes(kernel, instruction)) {
    return {{Gather(MoveOf(kernel, instruction, loop_values).from, memory)}};
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
