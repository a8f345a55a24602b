// What a kernel's instances do to the machine's bytes.
#pragma once

#include <optional>
#include <vector>

#include "model/hw/timing/effects.h"
#include "sim/exec/placed_memory.h"
#include "sim/lower/lower_kernel.h"
#include "sim/values/inputs.h"
#include "sim/values/value_model.h"

namespace spillway {

/// Computes when an instance starts, with what the machine's memory then holds, and writes when it
/// ends. All arguments must outlive this.
class KernelEffects final : public Effects {
 public:
  KernelEffects(const Kernel& kernel, const LoweredKernel& lowered, ValueMode mode,
                const Inputs& inputs)
      : kernel_(kernel),
        lowered_(lowered),
        mode_(mode),
        inputs_(inputs),
        results_(lowered.sequence.size()) {}

  /// Inputs and constants from the given data; other DRAM tensors as the reference starts them.
  void Load(MachineMemory& memory) override;
  void Start(InstanceId instance, MachineMemory& memory) override;
  void Finish(InstanceId instance, MachineMemory& memory) override;
  void Unload(MachineMemory& memory) override;

  /// Final bytes of every output, by name.
  NamedData TakeOutputs() { return std::move(outputs_); }

 private:
  const Kernel& kernel_;
  const LoweredKernel& lowered_;
  ValueMode mode_;
  const Inputs& inputs_;
  std::optional<PlacedMemory> placed_;
  std::vector<InstructionResult> results_;  ///< of instances under way
  NamedData outputs_;
};

}  // namespace spillway
