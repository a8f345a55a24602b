// The rules of the machine's time, without a scheduler.
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
  /// Simulated time (> 0) after which a run is given up; absent: none, since every instance happens
  /// at most once.
  std::optional<Picoseconds> watchdog;
};

/// Streams in order, engines, channels and semaphores as a state machine: a player calls it at
/// every instant at which an actor (5 compute engines, 16 DMA queues, 16 DMA engines) wants to be
/// woken. At an instant everything that ends comes before all that begins, and both go by the
/// actors' ranks (who has just begun something asks again behind the others).
///
/// start = max(its waits, its engine's next start, its channels); a transfer's descriptors are
/// served in turn by queues, in order within one.
/// Source: isa_costs §2, §3.2 to §3.4; simulators §2.
class TimingCore {
 public:
  /// A time that never comes.
  static constexpr std::int64_t kNever = INT64_MAX;

  TimingCore();
  ~TimingCore();

  /// Makes ready for `program` at time 0; all that is named stays alive until `Conclude`.
  /// Throws ContractViolation if the program waits for a semaphore that doesn't exist, uses a queue
  /// that the target doesn't have, or the target has more queues or engines than the machine.
  void Arm(const HwProgram& program, const Target& target, Effects* effects, MachineMemory& memory,
           RunResult& result);
  /// Plays time 0; gives the next instant at which anything happens, kNever after the last.
  /// Passes on what effects throw.
  std::int64_t PlayFirst();
  /// Plays that instant; gives the one after.
  std::int64_t PlayNext();

  /// The simulated time after which to give up.
  static std::int64_t LimitOf(const RunOptions& options);
  /// Fills in the result after the last instant not after `limit`.
  void Conclude(bool out_of_events, std::int64_t limit);

 private:
  struct Parts;
  std::int64_t Play(std::uint64_t due, std::int64_t now);
  std::unique_ptr<Parts> parts_;
};
}  // namespace spillway
