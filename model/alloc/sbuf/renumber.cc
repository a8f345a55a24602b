#include "model/alloc/sbuf/renumber.h"

#include "model/alloc/ir/access.h"

namespace spillway {
namespace {

template <class Change>
void ForEachOperand(Instruction& instruction, Change change) {
  for (auto* groups : {&instruction.outputs, &instruction.inputs}) {
    for (OperandGroup& group : *groups) {
      for (Operand& operand : group.operands) change(operand);
    }
  }
}

}  // namespace

Renumbered Renumber(Kernel kernel) {
  IdVector<TensorId, bool> used(kernel.tensors.size(), false);
  for (const Instruction& instruction : kernel.instructions) {
    for (const Access& access : AccessesOf(instruction)) used[access.tensor] = true;
  }
  Renumbered result{{}, IdVector<TensorId, std::optional<TensorId>>(kernel.tensors.size())};
  IdVector<TensorId, Tensor> kept;
  for (std::size_t i = 0; i < kernel.tensors.size(); ++i) {
    Tensor& tensor = kernel.tensors[TensorId(i)];
    if (!used[TensorId(i)] && tensor.role == Role::kInternal) continue;
    result.new_id[TensorId(i)] = kept.push_back(std::move(tensor));
  }
  kernel.tensors = std::move(kept);
  for (Instruction& instruction : kernel.instructions) {
    ForEachOperand(instruction, [&](Operand& operand) {
      operand.tensor = *result.new_id[operand.tensor];
      if (operand.offsets) operand.offsets = result.new_id[*operand.offsets];
    });
  }
  result.kernel = std::move(kernel);
  return result;
}

}  // namespace spillway
