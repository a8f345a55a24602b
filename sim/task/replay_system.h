// Engine 4: a system of task pipelines played on the machine, several times, and what that showed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/hw/error.h"
#include "model/hw/target.h"
#include "sim/task/played_access.h"
#include "sim/task/replay_run.h"
#include "sim/task/shadow_memory.h"

namespace spillway::task {

/// Two accesses that no clock orders.
struct ReplayedRace {
  PlayedAccess a;  ///< its names come first, or it is the earlier one of equal names
  PlayedAccess b;
  MemorySpace space = MemorySpace::kSmem;
  Interval<UnitOffset> range;  ///< what the two share: of the first regions that intersect
  bool overlapped = false;     ///< a run had accesses of both classes in progress at once

  friend bool operator==(const ReplayedRace&, const ReplayedRace&) = default;
};

/// A task that never ends.
struct ReplayedBlock {
  TaskId task;
  std::uint32_t step = 0;  ///< its first operation that never happens
  std::string name;        ///< "A:wait q"; names joined by +

  friend bool operator==(const ReplayedBlock&, const ReplayedBlock&) = default;
};

struct ReplayOptions {
  std::uint64_t seed = 0;  ///< of the latency jitter in the second run; 0: no such run
  /// Races that get a run of their own, in which both accesses last until nothing else can happen.
  std::size_t max_directed = 64;
  std::int64_t max_work = 2 * kMaxReplayWork;  ///< of all runs; the first one is always played
};

/// What the runs showed. But for `time`, it doesn't depend on latencies.
struct Replay {
  Picoseconds time;                 ///< of the first run: nominal latencies
  std::int64_t runs = 0;            ///< nominal, with jitter, each actor delayed in turn, directed
  std::int64_t jittered_runs = 0;   ///< of `runs`: latencies drawn from the seed
  std::int64_t delayed_runs = 0;    ///< of `runs`: all others go as far as they can without one
  std::int64_t directed_runs = 0;   ///< of `runs`: both accesses of a race last
  std::int64_t skipped_runs = 0;    ///< beyond max_work or max_directed
  std::vector<ReplayedRace> races;  ///< by the names of a, then b
  std::vector<SeenClobber> clobbers;        ///< by names
  std::vector<PlayedAccess> uninitialized;  ///< by name
  std::vector<SeenStale> stale;             ///< by names; notes, no findings
  std::vector<LaggingWait> lagging;         ///< phase-skew
  std::vector<LaggingWait> overflows;       ///< of semaphores
  std::vector<ReplayedBlock> blocked;       ///< in file order; not empty: a deadlock
  /// Transfers that never brought what they announced, and whatever the barriers or the replay
  /// itself did wrong: never, in a machine that works.
  std::vector<std::string> broken;
  std::vector<SyncPlace> places;       ///< of the objects below
  std::vector<SyncObjectEnd> objects;  ///< as the first run left them, where it was blocked

  /// No finding of any kind; notes may stand.
  bool IsClean() const {
    return races.empty() && clobbers.empty() && uninitialized.empty() && lagging.empty() &&
           overflows.empty() && blocked.empty() && broken.empty();
  }
  friend bool operator==(const Replay&, const Replay&) = default;
};

/// Plays `program` with the latencies of `target`: as they are, with jitter, with each actor in
/// turn so slow that all others get as far as they can, and for each race with just its two
/// accesses so slow, which must then overlap. Errors: limit (kLimit), where the program is too
/// large to be played. Source: ts_pipelines.md §9, engine 4.
Result<Replay> ReplaySystem(const PipelineSystem& system, const Program& program,
                            const Target& target, const ReplayOptions& options = {});

}  // namespace spillway::task
