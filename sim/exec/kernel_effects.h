// What a kernel's instances do to the machine's bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/hw/timing/effects.h"
#include "sim/exec/lazy_copies.h"
#include "sim/exec/placed_memory.h"
#include "sim/lower/lower_kernel.h"
#include "sim/values/inputs.h"
#include "sim/values/value_model.h"

namespace spillway {

struct EffectsOptions {
  /// The plain twin, for comparison: every copy samples its source when it starts. The memory gets
  /// the same bytes at the same times.
  bool eager_copies = false;
};

/// Computes when an instance starts, with what the machine's memory then holds, and writes when it
/// ends. Instances that only move bytes read their sources as they end, or before the first write
/// to them, whichever comes first: that is the same. All arguments must outlive this.
class KernelEffects final : public Effects {
 public:
  KernelEffects(const Kernel& kernel, const LoweredKernel& lowered, ValueMode mode,
                const Inputs& inputs, const EffectsOptions& options = {});

  /// Inputs and constants from the given data; other DRAM tensors as the reference starts them.
  void Load(MachineMemory& memory) override;
  void Start(InstanceId instance, MachineMemory& memory) override;
  void Finish(InstanceId instance, MachineMemory& memory) override;
  void Unload(MachineMemory& memory) override;

  /// Final bytes of every output, by name.
  NamedData TakeOutputs() { return std::move(outputs_); }

  /// Copies that read their sources in one go as they ended, and those that a writer forced to read
  /// them earlier.
  std::int64_t copies_at_end() const { return copies_at_end_; }
  std::int64_t copies_forced() const { return copies_forced_; }

 private:
  const Instruction& InstructionOf(InstanceId instance) const;
  bool StartLazily(InstanceId instance);
  void SampleReadersOf(InstanceId writer);
  void SampleReadersOf(const PlacedBytes& written);

  const Kernel& kernel_;
  const LoweredKernel& lowered_;
  ValueMode mode_;
  const Inputs& inputs_;
  std::optional<PlacedMemory> placed_;
  std::vector<bool> lazy_;  ///< by instruction: may read as it ends
  LazyCopies copies_;
  std::vector<InstructionResult> results_;  ///< of the other instances under way
  NamedData outputs_;
  std::int64_t copies_at_end_ = 0;
  std::int64_t copies_forced_ = 0;
};

}  // namespace spillway
