// What the machine measured while it played a program.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/hw/timing/hw_program.h"
#include "model/hw/units.h"

namespace spillway {

/// Times since the start of the run; -1 where the run didn't get so far.
struct InstanceTimes {
  Picoseconds issue{-1};   ///< queues: the transfer was triggered; compute: same as start
  Picoseconds start{-1};   ///< sources sampled
  Picoseconds finish{-1};  ///< bytes landed
  friend bool operator==(const InstanceTimes&, const InstanceTimes&) = default;
};

/// A stream that stopped with work left.
struct BlockedStream {
  StreamId stream;
  InstanceId instance;     ///< the first that didn't start
  SemaphoreWait wait;      ///< what it waits for
  std::int64_t value = 0;  ///< what the semaphore holds
  std::size_t instances_left = 0;
};

struct DmaTraffic {
  std::int64_t transfers = 0;
  Bytes bytes;
  friend bool operator==(const DmaTraffic&, const DmaTraffic&) = default;
};

enum class RunOutcome {
  kFinished,
  kDeadlock,  ///< no event left with work left
  kWatchdog,  ///< the simulated time limit passed
};

struct RunResult {
  RunOutcome outcome = RunOutcome::kFinished;
  std::vector<InstanceTimes> times;  ///< per instance
  Picoseconds makespan;              ///< end of the last instance that finished
  /// Busy time per compute engine; kDma: summed over the DMA engines.
  std::array<Picoseconds, kEngineCount> busy{};
  Picoseconds spill_in_flight;  ///< while any save or reload is between its issue and its end
  std::array<DmaTraffic, kDmaRoleCount> traffic{};  ///< by DmaRole, finished transfers
  std::vector<BlockedStream> blocked;
};

/// "q0 stops at instance 12, which waits for pe completions >= 5 (now 3); 2 instances left".
std::string DescribeBlocked(const HwProgram& program, const BlockedStream& blocked);

/// Time during which at least one transfer of a role in `roles` is between its issue and its end.
/// A transfer that never finished counts until `end`.
Picoseconds TimeInFlight(const HwProgram& program, const std::vector<InstanceTimes>& times,
                         std::span<const DmaRole> roles, Picoseconds end);

}  // namespace spillway
