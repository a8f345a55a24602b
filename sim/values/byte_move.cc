#include "sim/values/byte_move.h"

#include <vector>

#include "model/alloc/ir/footprint.h"
#include "model/hw/error.h"
#include "sim/values/numeric_ops.h"

namespace spillway {
namespace {

bool IsOneDirectOperand(const std::vector<OperandGroup>& groups) {
  return groups.size() == 1 && groups.front().operands.size() == 1 &&
         groups.front().operands.front().indirect.empty();
}

const Operand& OnlyOperand(const std::vector<OperandGroup>& groups) {
  SPILLWAY_CHECK(groups.size() == 1 && groups.front().operands.size() == 1,
                 "a spill copy has one source and one destination");
  return groups.front().operands.front();
}

}  // namespace

bool OnlyMovesBytes(const Kernel& kernel, const Instruction& instruction) {
  if (!IsOneDirectOperand(instruction.inputs) || !IsOneDirectOperand(instruction.outputs)) {
    return false;
  }
  if (instruction.spill != SpillRole::kNone) return true;
  if (instruction.op != "dma_copy" || WhyOpaque(kernel, instruction)) return false;
  return OperandDType(kernel, OnlyOperand(instruction.inputs)) ==
         OperandDType(kernel, OnlyOperand(instruction.outputs));
}

ByteMove MoveOf(const Kernel& kernel, const Instruction& instruction,
                std::span<const std::int64_t> loop_values) {
  ByteMove move{PatternOf(kernel, OnlyOperand(instruction.inputs), loop_values),
                PatternOf(kernel, OnlyOperand(instruction.outputs), loop_values)};
  SPILLWAY_CHECK(move.from.bytes() == move.to.bytes(), "a spill copy's sides differ in size");
  return move;
}

}  // namespace spillway
