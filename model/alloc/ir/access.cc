#include "model/alloc/ir/access.h"

namespace spillway {

bool IsReadModifyWrite(const Instruction& instruction) {
  return BoolAttr(instruction.attrs, "accumulate", false);
}

bool IsSpillDma(const Instruction& instruction) {
  return instruction.spill != SpillRole::kNone && instruction.op == "dma_copy";
}

std::vector<Access> AccessesOf(const Instruction& instruction) {
  std::vector<Access> accesses;
  const auto add = [&](const OperandGroup& group, bool is_write) {
    for (const Operand& operand : group.operands) {
      accesses.push_back(
          {operand.tensor, &operand, group.name, is_write, !operand.indirect.empty()});
    }
  };
  const auto add_offsets = [&](const OperandGroup& group) {
    for (const Operand& operand : group.operands) {
      if (operand.offsets) accesses.push_back({*operand.offsets, nullptr, group.name, false, true});
    }
  };
  for (const OperandGroup& group : instruction.inputs) add(group, false);
  for (const OperandGroup& group : instruction.inputs) add_offsets(group);
  for (const OperandGroup& group : instruction.outputs) add_offsets(group);
  if (IsReadModifyWrite(instruction)) {
    for (const OperandGroup& group : instruction.outputs) {
      if (group.name == "dst") add(group, false);
    }
  }
  for (const OperandGroup& group : instruction.outputs) add(group, true);
  return accesses;
}

}  // namespace spillway
