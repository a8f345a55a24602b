#include "sim/exec/kernel_effects.h"

#include <utility>

namespace spillway {

void KernelEffects::Load(MachineMemory& memory) {
  placed_.emplace(kernel_, lowered_.memory, memory);
  for (std::size_t i = 0; i < kernel_.tensors.size(); ++i) {
    const TensorId id(i);
    const Tensor& tensor = kernel_.tensors[id];
    if (lowered_.memory.addresses[id].empty()) continue;
    if (tensor.role == Role::kInput || tensor.role == Role::kConstant) {
      placed_->Fill(id, inputs_.at(tensor.name).bytes);
    } else if (tensor.space == Space::kDram) {
      const std::int64_t bytes = BlockBytes(tensor).value;
      for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
        FillInitialDram({placed_->Block(id, block).base, static_cast<std::size_t>(bytes)},
                        block * bytes);
      }
    }
  }
}

void KernelEffects::Start(InstanceId instance, MachineMemory& /*memory*/) {
  const InstanceSequence& sequence = lowered_.sequence;
  const Instruction& instruction =
      kernel_.instructions[sequence.instances[instance.value].instruction];
  results_[instance.value] =
      Compute(kernel_, instruction, sequence.ValuesOf(instance.value), mode_, *placed_);
}

void KernelEffects::Finish(InstanceId instance, MachineMemory& /*memory*/) {
  const InstanceSequence& sequence = lowered_.sequence;
  const Instruction& instruction =
      kernel_.instructions[sequence.instances[instance.value].instruction];
  const InstructionResult result = std::exchange(results_[instance.value], {});
  Commit(kernel_, instruction, sequence.ValuesOf(instance.value), result, *placed_);
}

void KernelEffects::Unload(MachineMemory& /*memory*/) {
  for (std::size_t i = 0; i < kernel_.tensors.size(); ++i) {
    const TensorId id(i);
    if (kernel_.tensors[id].role == Role::kOutput)
      outputs_[kernel_.tensors[id].name] = placed_->Copy(id);
  }
  placed_.reset();
}

}  // namespace spillway
