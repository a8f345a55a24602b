// What instances do to bytes when everything goes as badly as the machine allows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/hw/timing/effects.h"
#include "sim/exec/adversarial_plan.h"
#include "sim/exec/placed_memory.h"
#include "sim/lower/lower_kernel.h"
#include "sim/values/inputs.h"
#include "sim/values/value_model.h"

namespace spillway {

struct AdversarialOptions {
  /// Per instance; empty: all as the machine does it.
  std::span<const ByteTiming> bytes;
  /// An instruction reads and writes element by element, so that it may read what it has written
  /// where a destination shares bytes with the source of another tensor.
  bool streaming = false;
};

/// Like KernelEffects, one copy after the other. All arguments must outlive this.
class AdversarialEffects final : public Effects {
 public:
  AdversarialEffects(const Kernel& kernel, const LoweredKernel& lowered, ValueMode mode,
                     const Inputs& inputs, const AdversarialOptions& options)
      : kernel_(kernel),
        lowered_(lowered),
        mode_(mode),
        inputs_(inputs),
        options_(options),
        results_(lowered.sequence.size()),
        trace_(lowered.sequence.size(), 0) {}

  void Load(MachineMemory& memory) override;
  void Start(InstanceId instance, MachineMemory& memory) override;
  void Finish(InstanceId instance, MachineMemory& memory) override;
  void Unload(MachineMemory& memory) override;

  /// A hash of what each instance computed, then of what every placed tensor holds at the end. It
  /// is the same at all times if the waits are enough.
  const std::vector<std::uint64_t>& trace() const { return trace_; }
  /// Final bytes of every output, by name.
  NamedData TakeOutputs() { return std::move(outputs_); }
  /// The first instance that read what it had just written, if one did.
  std::optional<InstanceId> first_spoiled() const { return first_spoiled_; }

 private:
  enum class Half { kFirst, kSecond };

  const Instruction& InstructionOf(InstanceId instance) const;
  std::span<const std::int64_t> ValuesOf(InstanceId instance) const {
    return lowered_.sequence.ValuesOf(instance.value);
  }
  ByteTiming TimingOf(InstanceId instance) const {
    return options_.bytes.empty() ? ByteTiming::kFirstToLast : options_.bytes[instance.value];
  }
  InstructionResult Sample(InstanceId instance);
  InstructionResult SampleStreaming(InstanceId instance);
  void Land(InstanceId instance, const InstructionResult& result);
  void LandHalf(InstanceId instance, InstructionResult result, Half half);

  const Kernel& kernel_;
  const LoweredKernel& lowered_;
  ValueMode mode_;
  const Inputs& inputs_;
  AdversarialOptions options_;
  std::optional<PlacedMemory> placed_;
  std::vector<InstructionResult> results_;  ///< of the instances under way
  std::vector<std::uint64_t> trace_;
  std::optional<InstanceId> first_spoiled_;
  NamedData outputs_;
};

}  // namespace spillway
