#include "sim/exec/kernel_effects.h"

#include <utility>

#include "model/hw/fault.h"
#include "sim/values/copy_pattern.h"

namespace spillway {

KernelEffects::KernelEffects(const Kernel& kernel, const LoweredKernel& lowered, ValueMode mode,
                             const Inputs& inputs, const EffectsOptions& options)
    : kernel_(kernel),
      lowered_(lowered),
      mode_(mode),
      inputs_(inputs),
      lazy_(kernel.instructions.size(), false),
      results_(lowered.sequence.size()) {
  for (std::size_t i = 0; i < lazy_.size() && !options.eager_copies; ++i) {
    lazy_[i] = OnlyMovesBytes(kernel, kernel.instructions[InstructionId(i)]);
  }
}

void KernelEffects::Load(MachineMemory& memory) {
  placed_.emplace(kernel_, lowered_.memory, memory);
  LoadTensors(kernel_, lowered_.memory, inputs_, *placed_);
}

const Instruction& KernelEffects::InstructionOf(InstanceId instance) const {
  return kernel_.instructions[lowered_.sequence.instances[instance.value].instruction];
}

void KernelEffects::Start(InstanceId instance, MachineMemory& /*memory*/) {
  if (StartLazily(instance)) return;
  const Instruction& instruction = InstructionOf(instance);
  const std::span<const std::int64_t> values = lowered_.sequence.ValuesOf(instance.value);
  if (SPILLWAY_FAULT(D5, false, instruction.op == "nc_matmul")) {
    Instruction accumulating = instruction;
    for (Attr& attr : accumulating.attrs) {
      if (attr.name == "accumulate") attr.value = true;
    }
    results_[instance.value] = Compute(kernel_, accumulating, values, mode_, *placed_);
    return;
  }
  results_[instance.value] = Compute(kernel_, instruction, values, mode_, *placed_);
}

bool KernelEffects::StartLazily(InstanceId instance) {
  if (!lazy_[lowered_.sequence.instances[instance.value].instruction.value]) return false;
  ByteMove move =
      MoveOf(kernel_, InstructionOf(instance), lowered_.sequence.ValuesOf(instance.value));
  const PlacedBytes source = placed_->HullOf(move.from);
  // One pass would read what it has just written.
  if (Overlap(source, placed_->HullOf(move.to))) return false;
  copies_.Begin({instance, std::move(move)}, source);
  return true;
}

void KernelEffects::Finish(InstanceId instance, MachineMemory& /*memory*/) {
  const std::optional<LazyCopy> copy = copies_.Take(instance);
  if (copy) {
    SampleReadersOf(placed_->HullOf(copy->move.to));
    CopyPattern(copy->move.from, copy->move.to, *placed_);
    ++copies_at_end_;
    return;
  }
  SampleReadersOf(instance);
  const InstructionResult result = std::exchange(results_[instance.value], {});
  Commit(kernel_, InstructionOf(instance), lowered_.sequence.ValuesOf(instance.value), result,
         *placed_);
}

void KernelEffects::SampleReadersOf(InstanceId writer) {
  if (copies_.empty()) return;
  for (const OperandGroup& group : InstructionOf(writer).outputs) {
    for (const Operand& operand : group.operands) {
      if (operand.indirect.empty()) {
        SampleReadersOf(
            placed_->HullOf(PatternOf(kernel_, operand, lowered_.sequence.ValuesOf(writer.value))));
        continue;
      }
      // It may write anywhere.
      const std::int64_t blocks = BlockCount(kernel_.tensors[operand.tensor]);
      for (std::int64_t block = 0; block < blocks; ++block) {
        SampleReadersOf(placed_->HullOf(WholeBlock(kernel_, operand.tensor, block)));
      }
    }
  }
}

void KernelEffects::SampleReadersOf(const PlacedBytes& written) {
  if (SPILLWAY_FAULT(D2, false, true)) return;
  while (const std::optional<LazyCopy> copy = copies_.TakeReaderOf(written)) {
    results_[copy->instance.value] = {{Gather(copy->move.from, *placed_)}};
    ++copies_forced_;
  }
}

void KernelEffects::Unload(MachineMemory& /*memory*/) {
  outputs_ = OutputsIn(kernel_, *placed_);
  placed_.reset();
}

}  // namespace spillway
