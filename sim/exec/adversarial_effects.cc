#include "sim/exec/adversarial_effects.h"

#include <algorithm>
#include <utility>

#include "sim/exec/self_overlap.h"
#include "sim/values/hash.h"

namespace spillway {

void AdversarialEffects::Load(MachineMemory& memory) {
  placed_.emplace(kernel_, lowered_.memory, memory);
  LoadTensors(kernel_, lowered_.memory, inputs_, *placed_);
}

const Instruction& AdversarialEffects::InstructionOf(InstanceId instance) const {
  return kernel_.instructions[lowered_.sequence.instances[instance.value].instruction];
}

InstructionResult AdversarialEffects::SampleStreaming(InstanceId instance) {
  InstructionResult result =
      Compute(kernel_, InstructionOf(instance), ValuesOf(instance), mode_, *placed_);
  if (!options_.streaming) return result;
  const bool spoiled =
      SpoilSources(kernel_, InstructionOf(instance), ValuesOf(instance), result, *placed_);
  if (!spoiled) return result;
  if (!first_spoiled_) first_spoiled_ = instance;
  return Compute(kernel_, InstructionOf(instance), ValuesOf(instance), mode_, *placed_);
}

InstructionResult AdversarialEffects::Sample(InstanceId instance) {
  InstructionResult result = SampleStreaming(instance);
  std::uint64_t& hash = trace_[instance.value];
  for (const std::vector<std::byte>& output : result.outputs) hash = Mix(hash ^ HashBytes(output));
  return result;
}

void AdversarialEffects::Land(InstanceId instance, const InstructionResult& result) {
  Commit(kernel_, InstructionOf(instance), ValuesOf(instance), result, *placed_);
}

// What lies in the other half's places stays there.
void AdversarialEffects::LandHalf(InstanceId instance, InstructionResult result, Half half) {
  std::size_t index = 0;
  for (const OperandGroup& group : InstructionOf(instance).outputs) {
    for (const Operand& operand : group.operands) {
      std::vector<std::byte>& bytes = result.outputs[index++];
      const std::vector<std::byte> there =
          OutputBytes(kernel_, operand, ValuesOf(instance), *placed_);
      const auto middle = static_cast<std::ptrdiff_t>(bytes.size() / 2);
      if (half == Half::kFirst) {
        std::copy(there.begin() + middle, there.end(), bytes.begin() + middle);
      } else {
        std::copy(there.begin(), there.begin() + middle, bytes.begin());
      }
    }
  }
  Land(instance, result);
}

void AdversarialEffects::Start(InstanceId instance, MachineMemory& /*memory*/) {
  switch (TimingOf(instance)) {
    case ByteTiming::kFirstToLast: results_[instance.value] = Sample(instance); return;
    case ByteTiming::kAllAtEnd: return;
    case ByteTiming::kAllAtStart: Land(instance, Sample(instance)); return;
    case ByteTiming::kInTwoPieces:
      results_[instance.value] = Sample(instance);
      LandHalf(instance, results_[instance.value], Half::kFirst);
      return;
  }
}

void AdversarialEffects::Finish(InstanceId instance, MachineMemory& /*memory*/) {
  InstructionResult result = std::exchange(results_[instance.value], {});
  switch (TimingOf(instance)) {
    case ByteTiming::kFirstToLast: Land(instance, result); return;
    case ByteTiming::kAllAtEnd: Land(instance, Sample(instance)); return;
    case ByteTiming::kAllAtStart: return;
    case ByteTiming::kInTwoPieces: LandHalf(instance, std::move(result), Half::kSecond); return;
  }
}

void AdversarialEffects::Unload(MachineMemory& /*memory*/) {
  outputs_ = OutputsIn(kernel_, *placed_);
  for (std::size_t t = 0; t < kernel_.tensors.size(); ++t) {
    if (!lowered_.memory.addresses[TensorId(t)].empty())
      trace_.push_back(HashBytes(placed_->Copy(TensorId(t)).bytes));
  }
  placed_.reset();
}

}  // namespace spillway
