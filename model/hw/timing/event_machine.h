// The machine without SystemC: the timing core on a heap of its own.
#pragma once

#include "model/hw/timing/timing_core.h"

namespace spillway {

/// Plays what `Machine` plays, with the same times for every instance and the same effects.
/// One object serves one thread; it keeps its memory from run to run.
class EventMachine {
 public:
  EventMachine();
  ~EventMachine();

  /// Plays `program` on a machine with the rates of `target`. Without `effects` no byte moves:
  /// timing only.
  /// Throws what `TimingCore::Arm` throws; passes on what `effects` throw.
  RunResult Run(const HwProgram& program, const Target& target, const MemoryUse& use,
                Effects* effects, const RunOptions& options = {});

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace spillway
