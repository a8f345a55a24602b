#include "model/alloc/sbuf/find_loads.h"

#include <algorithm>

#include "model/alloc/ir/footprint.h"
#include "model/alloc/ir/live_intervals.h"

namespace spillway {
namespace {

// Whether the copy moves bytes without a change of type from memory that nobody writes.
bool CopiesConstantBytes(const Kernel& kernel, const Instruction& instruction) {
  if (instruction.op != "dma_copy" || instruction.spill != SpillRole::kNone) return false;
  if (!instruction.when.empty() || instruction.inputs.size() != 1 ||
      instruction.outputs.size() != 1)
    return false;
  if (instruction.inputs[0].operands.size() != 1 || instruction.outputs[0].operands.size() != 1)
    return false;
  const Operand& source = instruction.inputs[0].operands[0];
  const Operand& destination = instruction.outputs[0].operands[0];
  const Role role = kernel.tensors[source.tensor].role;
  return (role == Role::kInput || role == Role::kConstant) && source.indirect.empty() &&
         destination.indirect.empty() &&
         OperandDType(kernel, source) == OperandDType(kernel, destination);
}

bool FillsItsTensor(const Kernel& kernel, const Operand& destination) {
  const Tensor& tensor = kernel.tensors[destination.tensor];
  if (!tensor.blocks.empty() || !destination.partition_start.IsConstant() ||
      !destination.free_offset.IsConstant()) {
    return false;
  }
  const auto runs = RunsOf(destination.free_offset.constant, destination.free_dims,
                           ElementSize(OperandDType(kernel, destination)), 64);
  return destination.partition_start.constant == 0 &&
         destination.partition_count == Partitions(tensor).value && runs.size() == 1 &&
         runs.front() == Interval<ByteOffset>{ByteOffset(0), ByteOffset(0) + BlockBytes(tensor)};
}

}  // namespace

IdVector<TensorId, bool> FindLoads(
    const LinearKernel& linear,
    const IdVector<TensorId, std::optional<PointId>>& first_definitions) {
  IdVector<TensorId, bool> loads(linear.kernel.tensors.size(), false);
  for (std::size_t t = 0; t < loads.size(); ++t) {
    const std::vector<PointAccess>& accesses = linear.accesses_of[TensorId(t)];
    const Tensor& tensor = linear.kernel.tensors[TensorId(t)];
    const std::optional<PointId> load = first_definitions[TensorId(t)];
    if (tensor.space != Space::kSbuf || !load || *load != accesses.front().point) continue;
    const auto writes = std::count_if(accesses.begin(), accesses.end(),
                                      [](const PointAccess& access) { return access.is_write; });
    const Instruction& instruction = linear.instruction(*load);
    if (writes != 1 || !CopiesConstantBytes(linear.kernel, instruction)) continue;
    const std::vector<LoopId> nest = NestOf(linear, *load);
    const bool inside =
        std::all_of(accesses.begin(), accesses.end(), [&](const PointAccess& access) {
          const std::vector<LoopId> use = NestOf(linear, access.point);
          return use.size() >= nest.size() && std::equal(nest.begin(), nest.end(), use.begin());
        });
    loads[TensorId(t)] =
        inside && FillsItsTensor(linear.kernel, instruction.outputs[0].operands[0]);
  }
  return loads;
}

}  // namespace spillway
