// The replay against the static engines, which share no code with it, and data with and without
// aliasing. Source: ts_pipelines.md §14, relations 2 and 3.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/alloc/check_task/happens_before.h"
#include "sim/task/give_own_memory.h"
#include "tests/property/run_property.h"
#include "tests/property/task/random_system.h"
#include "tests/unit/task_replay/replay_rows.h"

namespace spillway::task {
namespace {

/// With semaphores or barriers: they must say the same.
PipelineSystem RandomBarriers(PipelineSystem system) {
  if (Draw(0, 2) == 0) system.barriers = BarrierStorage::kOwn;
  return system;
}

/// Neither of the two is over before the other one begins, by the clocks of the static engine.
bool IsUnordered(const HappensBefore& order, const PlayedAccess& a, const PlayedAccess& b) {
  return !order.EndsBefore(a.what.actor.task, a.step, b.what.actor.task, b.step) &&
         !order.EndsBefore(b.what.actor.task, b.step, a.what.actor.task, a.step);
}

TEST(TaskReplay, SeesTheRacesAndDeadlocksOfTheStaticEnginesAndMakesEachRaceOverlap) {
  Shares shares;
  CheckProperty("task replay races", 1500, [&] {
    const PreparedSystem prepared = Prepare(RandomBarriers(RandomSystem()));
    const Verdict verdict = CheckSystem(prepared.system, prepared.program).value();
    const EventGraph graph = BuildEventGraph(prepared.system, prepared.program).value();
    const HappensBefore order = HappensBefore::Build(prepared.program, graph).value();
    ReplayOptions options;
    options.seed = static_cast<std::uint64_t>(Draw(0, 1000));
    options.max_directed = 1000;
    const Replay replay = Replayed(prepared, options);
    RC_ASSERT(replay.broken == std::vector<std::string>());
    RC_ASSERT(replay.skipped_runs == 0);
    RC_ASSERT(RacePairs(prepared.system, replay) ==
              RacePairs(RowsOf(prepared.system, verdict.races)));
    for (const ReplayedRace& race : replay.races) {
      RC_ASSERT(IsUnordered(order, race.a, race.b));
      RC_ASSERT(race.overlapped);
    }
    std::vector<std::string> blocked;
    for (const BlockedTask& task : verdict.blocked) blocked.push_back(task.name);
    RC_ASSERT(BlockedNames(replay) == blocked);
    shares.Case();
    shares.Count("racy", !verdict.races.empty());
    shares.Count("live and racy", !verdict.races.empty() && blocked.empty());
    shares.Count("deadlocked", !blocked.empty());
    shares.Count("with barriers", prepared.system.barriers == BarrierStorage::kOwn);
  });
  shares.AtLeast("racy", 33);
  shares.AtLeast("live and racy", 20);
  shares.AtLeast("deadlocked", 10);
  shares.AtLeast("with barriers", 40);
}

TEST(TaskReplay, ReadsWhatTheReachingWritesAreButWhereAccessesRace) {
  Shares shares;
  CheckProperty("task replay reads", 1500, [&] {
    const PreparedSystem prepared = Prepare(RandomBarriers(RandomSystem()));
    const VerdictRow row =
        RowOf(prepared.system, CheckSystem(prepared.system, prepared.program).value());
    const Replay replay = Replayed(prepared);
    const std::set<NamePair> races = RacePairs(row.races);
    std::set<Names> racing;
    for (const auto& [a, b] : races) racing.insert({a, b});
    std::set<NamePair> clobbers;
    for (const ClobberRow& clobber : row.clobbers)
      clobbers.emplace(std::get<0>(clobber), std::get<1>(clobber));
    std::size_t seen = 0;
    for (const ClobberRow& clobber : ClobberRows(prepared.system, replay)) {
      const auto& [read, write, read_number, write_number] = clobber;
      const bool is_clobber = clobbers.contains({read, write});
      seen += is_clobber ? 1 : 0;
      RC_ASSERT(is_clobber || races.contains({read, write}) || races.contains({write, read}));
    }
    std::set<Names> uninitialized;
    for (const UninitializedRow& read : row.uninitialized) uninitialized.insert(std::get<0>(read));
    for (const UninitializedRow& read : UninitializedRows(prepared.system, replay))
      RC_ASSERT(uninitialized.contains(std::get<0>(read)) || racing.contains(std::get<0>(read)));
    if (races.empty()) {
      RC_ASSERT(ClobberRows(prepared.system, replay) == row.clobbers);
      RC_ASSERT(UninitializedRows(prepared.system, replay) == row.uninitialized);
      RC_ASSERT(replay.stale.empty());
    }
    shares.Case();
    shares.Count("clobbers", !clobbers.empty());
    shares.Count("clobbers without a race", !clobbers.empty() && races.empty());
    shares.Count("all clobbers seen", seen == clobbers.size());
    shares.Count("uninitialized", !uninitialized.empty());
    shares.Count("stale", !replay.stale.empty());
  });
  shares.AtLeast("clobbers", 25);
  shares.AtLeast("clobbers without a race", 1);
  shares.AtLeast("all clobbers seen", 95);
  shares.AtLeast("uninitialized", 5);
  shares.AtLeast("stale", 2);
}

/// Whether resources that aren't declared to share have memory in common.
bool IsAliased(const Program& program) {
  for (std::size_t a = 0; a < program.footprints.size(); ++a) {
    for (std::size_t b = a + 1; b < program.footprints.size(); ++b) {
      for (const auto& slot : program.footprints[ResourceId(a)]) {
        for (const auto& other : program.footprints[ResourceId(b)]) {
          if (Overlap(slot.front(), other.front())) return true;
        }
      }
    }
  }
  return false;
}

TEST(TaskReplay, AcceptedAliasingGivesTheSameDataBitForBitAsMemoryOfItsOwn) {
  Shares shares;
  CheckProperty("task replay data", 3000, [&] {
    const PreparedSystem prepared = Prepare(RandomBarriers(RandomSystem()));
    const Program own = GiveOwnMemory(prepared.system, prepared.program);
    const Verdict verdict = CheckSystem(prepared.system, prepared.program).value();
    const bool accepted =
        verdict.races.empty() && verdict.clobbers.empty() && verdict.uninitialized.empty();
    const ReplayProgram aliased =
        ReplayProgram::Prepare(prepared.system, prepared.program, ReplayTarget()).value();
    const ReplayProgram apart =
        ReplayProgram::Prepare(prepared.system, own, ReplayTarget()).value();
    bool differs = false;
    for (int run = 0; run < 3; ++run) {
      TaskMachineOptions one;
      TaskMachineOptions other;
      one.jitter_seed = static_cast<std::uint64_t>(Draw(0, 1000));
      other.jitter_seed = static_cast<std::uint64_t>(Draw(0, 1000));
      const ReplayRun together = aliased.Run(one);
      const ReplayRun separate = apart.Run(other);
      differs = differs || together.seen != separate.seen;
      if (accepted) {
        RC_ASSERT(together.seen == separate.seen);
      }
    }
    const bool is_aliased = IsAliased(prepared.program);
    shares.Case();
    shares.Count("accepted", accepted);
    shares.Count("accepted aliasing", accepted && is_aliased);
    shares.Count("refused aliasing", !accepted && is_aliased);
    shares.Count("refused, and other data", !accepted && is_aliased && differs);
  });
  shares.AtLeast("accepted", 10);
  shares.AtLeast("accepted aliasing", 3);
  shares.AtLeast("refused aliasing", 30);
  shares.AtLeast("refused, and other data", 20);
}

}  // namespace
}  // namespace spillway::task
