// The cycle-approximate NeuronCore, behind plain C++.
#pragma once

#include <memory>
#include <optional>

#include "model/hw/target.h"
#include "model/hw/timing/effects.h"
#include "model/hw/timing/hw_program.h"
#include "model/hw/timing/machine_memory.h"
#include "model/hw/timing/run_result.h"

namespace spillway {

struct RunOptions {
  /// Simulated time after which a run is given up; absent: a bound that no correct program reaches.
  std::optional<Picoseconds> watchdog;
};

/// Five compute engines, DMA queues and DMA engines, semaphores and memories, elaborated once per
/// process with the largest geometry and re-armed for every run.
/// Source: isa_costs §2, §3.4; simulators §0.
class Machine {
 public:
  static Machine& Instance();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Plays `program` on a machine with the rates of `target`. Without `effects` no byte moves:
  /// timing only. Calls from several threads take turns.
  /// Throws ContractViolation if the program waits for a semaphore that doesn't exist or the target
  /// has more DMA queues or engines than the machine; passes on what `effects` throw.
  RunResult Run(const HwProgram& program, const Target& target, const MemoryUse& use,
                Effects* effects, const RunOptions& options = {});

 private:
  Machine();
  ~Machine();
  struct Core;
  std::unique_ptr<Core> core_;
};

}  // namespace spillway
