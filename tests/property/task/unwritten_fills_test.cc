// Fills that bring nothing new: a read then finds an earlier fill, which §8 allows, since the last
// write is through the read's own resource. Source: ts_pipelines.md §8 and §14, relation 2.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/property/run_property.h"
#include "tests/property/task/random_system.h"
#include "tests/unit/task_replay/replay_rows.h"

namespace spillway::task {
namespace {

/// A write of a ring that may be left out: what is left of its operation can be executed.
struct RingWrite {
  TaskId task;
  std::size_t operation = 0;  ///< index into the loop's body
  std::size_t access = 0;
};

std::vector<RingWrite> RingWrites(const PipelineSystem& system) {
  std::vector<RingWrite> writes;
  for (std::size_t t = 0; t < system.tasks.size(); ++t) {
    const Operation& loop = system.tasks[TaskId(t)].operations.front();
    if (loop.trips < 2) continue;
    for (std::size_t i = 0; i < loop.body.size(); ++i) {
      const Operation& operation = loop.body[i];
      // A transfer has at least one access.
      if (operation.kind == OperationKind::kDma && operation.accesses.size() < 2) continue;
      for (std::size_t a = 0; a < operation.accesses.size(); ++a) {
        const Access& access = operation.accesses[a];
        if (access.kind == AccessKind::kWrite && system.resources[access.resource].pipeline)
          writes.push_back({TaskId(t), i, a});
      }
    }
  }
  return writes;
}

/// `system`, one of whose tasks leaves out a write of a ring in one turn behind the first; nothing:
/// no task has such a write.
std::optional<PipelineSystem> WithUnwrittenFill(PipelineSystem system) {
  const std::vector<RingWrite> writes = RingWrites(system);
  if (writes.empty()) return std::nullopt;
  const RingWrite& left_out =
      writes[static_cast<std::size_t>(Draw(0, static_cast<std::int64_t>(writes.size())))];
  std::vector<Operation>& operations = system.tasks[left_out.task].operations;
  const Operation loop = operations.front();
  const std::int64_t turn = Draw(1, loop.trips);
  std::vector<Operation> body = loop.body;
  std::vector<Access>& accesses = body[left_out.operation].accesses;
  accesses.erase(accesses.begin() + static_cast<std::ptrdiff_t>(left_out.access));
  if (accesses.empty()) body.erase(body.begin() + static_cast<std::ptrdiff_t>(left_out.operation));
  Operation before = loop;
  before.trips = turn;
  Operation behind = loop;
  behind.trips = loop.trips - turn - 1;
  operations = {std::move(before)};
  operations.insert(operations.end(), body.begin(), body.end());
  operations.push_back(std::move(behind));
  return system;
}

TEST(TaskReplay, AFillWithoutAWriteIsANoteAndNeverAFindingThatTheChecksLack) {
  Shares shares;
  CheckProperty("task replay unwritten fills", 1500, [&] {
    RandomSystemOptions options;
    options.max_iterations = 4;
    options.disjoint = Draw(0, 2) == 0;
    options.one_contributor = Draw(0, 2) == 0;
    std::optional<PipelineSystem> system = WithUnwrittenFill(RandomSystem(options));
    RC_PRE(system.has_value());
    if (Draw(0, 2) == 0) system->barriers = BarrierStorage::kOwn;
    const PreparedSystem prepared = Prepare(std::move(*system));
    const Verdict verdict = CheckSystem(prepared.system, prepared.program).value();
    const VerdictRow row = RowOf(prepared.system, verdict);
    Replay replay = Replayed(prepared);
    RC_ASSERT(replay.broken == std::vector<std::string>());
    RC_ASSERT(RacePairs(prepared.system, replay) == RacePairs(row.races));
    RC_ASSERT(BlockedNames(replay) == row.blocked);
    for (const SeenStale& stale : replay.stale) {
      RC_ASSERT(stale.expected != stale.found);
      const ResourceId from = stale.write.what.resource;
      const Resource& resource = prepared.system.resources[stale.read.what.resource];
      RC_ASSERT(from == stale.read.what.resource ||
                std::count(resource.shares.begin(), resource.shares.end(), from) > 0);
    }
    const bool is_accepted = verdict.races.empty() && verdict.clobbers.empty() &&
                             verdict.uninitialized.empty() && verdict.blocked.empty();
    if (is_accepted) {
      replay.lagging.clear();  // no static check speaks of phases
      RC_ASSERT(replay.IsClean());
    }
    if (verdict.races.empty()) {
      RC_ASSERT(ClobberRows(prepared.system, replay) == row.clobbers);
      RC_ASSERT(UninitializedRows(prepared.system, replay) == row.uninitialized);
    }
    shares.Case();
    shares.Count("accepted", is_accepted);
    shares.Count("a note without a race", verdict.races.empty() && !replay.stale.empty());
    shares.Count("accepted with a note", is_accepted && !replay.stale.empty());
  });
  shares.AtLeast("accepted", 10);
  shares.AtLeast("a note without a race", 10);
  shares.AtLeast("accepted with a note", 5);
}

}  // namespace
}  // namespace spillway::task
