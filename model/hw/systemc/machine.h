// The cycle-approximate NeuronCore in SystemC, behind plain C++.
#pragma once

#include <memory>

#include "model/hw/timing/timing_core.h"

namespace spillway {

/// Memories, engines and queues as a SystemC module whose process calls the timing core, elaborated
/// once per process with the largest geometry and re-armed for every run.
/// Source: isa_costs §2, §3.4; simulators §0, §4.
class Machine {
 public:
  static Machine& Instance();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Plays `program` on a machine with the rates of `target`. Without `effects` no byte moves:
  /// timing only. Calls from several threads take turns.
  /// Throws what `TimingCore::Arm` throws; passes on what `effects` throw.
  RunResult Run(const HwProgram& program, const Target& target, const MemoryUse& use,
                Effects* effects, const RunOptions& options = {});

 private:
  Machine();
  ~Machine();
  struct Core;
  std::unique_ptr<Core> core_;
};

}  // namespace spillway
