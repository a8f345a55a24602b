// What instances do to the bytes of the machine's memories.
#pragma once

#include "model/hw/timing/hw_program.h"
#include "model/hw/timing/machine_memory.h"

namespace spillway {

/// Called by the machine while it plays a program. What these throw ends the run and reaches the
/// caller of `Machine::Run` unchanged.
class Effects {
 public:
  virtual ~Effects() = default;
  /// Before the first instance, on poisoned memory: puts the inputs in place.
  virtual void Load(MachineMemory& memory) = 0;
  /// The instance really starts (a transfer: its first descriptor): samples its sources.
  virtual void Start(InstanceId instance, MachineMemory& memory) = 0;
  /// The instance ends (a transfer: its last descriptor on the last engine): its bytes land.
  virtual void Finish(InstanceId instance, MachineMemory& memory) = 0;
  /// After the last instance: takes the outputs out.
  virtual void Unload(MachineMemory& memory) = 0;
};

}  // namespace spillway
