// How verdicts of related systems relate. Source: ts_pipelines.md §14, relations 1, 4 and 6 to 10.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/alloc/check_task/check_system.h"
#include "model/alloc/check_task/iteration_cut_off.h"
#include "tests/property/run_property.h"
#include "tests/property/task/random_system.h"
#include "tests/unit/check_task/expected_verdicts.h"
#include "tests/unit/check_task/prepared_system.h"

namespace spillway::task {
namespace {

using Pairs = std::set<std::pair<Names, Names>>;

/// A verdict by names, without numbers.
struct Said {
  Pairs races;
  Pairs clobbers;
  std::set<Names> uninitialized;
  bool deadlock = false;

  friend bool operator==(const Said&, const Said&) = default;
};

Verdict VerdictOf(const PipelineSystem& system) {
  const PreparedSystem prepared = Prepare(system);
  return CheckSystem(prepared.system, prepared.program).value();
}

Said SaidOf(const PipelineSystem& system) {
  const Verdict verdict = VerdictOf(system);
  Said said;
  for (const Race& race : verdict.races)
    said.races.emplace(NamesOf(system, race.a.what), NamesOf(system, race.b.what));
  for (const Clobber& clobber : verdict.clobbers)
    said.clobbers.emplace(NamesOf(system, clobber.read.what), NamesOf(system, clobber.write.what));
  for (const UninitializedRead& one : verdict.uninitialized)
    said.uninitialized.insert(NamesOf(system, one.read.what));
  said.deadlock = !verdict.blocked.empty();
  return said;
}

bool Includes(const Pairs& all, const Pairs& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

std::vector<std::size_t> AnyOrder(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(Draw(0, static_cast<std::int64_t>(i)))]);
  return order;
}

/// Every operation, those in loops too.
template <class Visit>
void EachOperation(std::vector<Operation>& operations, const Visit& visit) {
  for (Operation& operation : operations) {
    visit(operation);
    EachOperation(operation.body, visit);
  }
}

/// The same system with its tasks and resources in another order.
PipelineSystem Permuted(const PipelineSystem& system) {
  PipelineSystem permuted = system;
  const std::vector<std::size_t> tasks = AnyOrder(system.tasks.size());
  const std::vector<std::size_t> resources = AnyOrder(system.resources.size());
  for (std::size_t i = 0; i < tasks.size(); ++i)
    permuted.tasks[TaskId(tasks[i])] = system.tasks[TaskId(i)];
  for (std::size_t i = 0; i < resources.size(); ++i)
    permuted.resources[ResourceId(resources[i])] = system.resources[ResourceId(i)];
  for (Resource& resource : permuted.resources) {
    for (ResourceId& shared : resource.shares) shared = ResourceId(resources[shared.value]);
  }
  for (Pipeline& pipeline : permuted.pipelines) {
    for (auto& [task, kind] : pipeline.producer.by_task) task = TaskId(tasks[task.value]);
    for (auto& [task, kind] : pipeline.consumer.by_task) task = TaskId(tasks[task.value]);
  }
  for (Task& task : permuted.tasks) {
    EachOperation(task.operations, [&](Operation& operation) {
      for (Access& access : operation.accesses)
        access.resource = ResourceId(resources[access.resource.value]);
    });
  }
  return permuted;
}

TEST(TaskRelations, TheOrderOfTasksAndResourcesChangesNothingButTheOrderOfBlocked) {
  Shares shares;
  CheckProperty("task permutation", 1500, [&] {
    const PipelineSystem system = RandomSystem();
    const PipelineSystem permuted = Permuted(system);
    VerdictRow row = RowOf(system, VerdictOf(system));
    VerdictRow other = RowOf(permuted, VerdictOf(permuted));
    std::sort(row.blocked.begin(), row.blocked.end());
    std::sort(other.blocked.begin(), other.blocked.end());
    RC_ASSERT(row == other);
    shares.Case();
    shares.Count("not clean", !row.races.empty() || row.deadlock || !row.clobbers.empty());
  });
  shares.AtLeast("not clean", 50);
}

TEST(TaskRelations, DisjointMemoryHasNoRaceBetweenResourcesAndNoClobber) {
  Shares shares;
  CheckProperty("task disjoint memory", 1500, [&] {
    RandomSystemOptions options;
    options.disjoint = true;
    const Said said = SaidOf(RandomSystem(options));
    for (const auto& [a, b] : said.races) RC_ASSERT(a[2] == b[2]);
    RC_ASSERT(said.clobbers.empty());
    shares.Case();
    shares.Count("racy on one resource", !said.races.empty());
  });
  shares.AtLeast("racy on one resource", 10);
}

TEST(TaskRelations, ALargerRegionNeverRemovesARace) {
  Shares shares;
  CheckProperty("task larger region", 1500, [&] {
    PipelineSystem system = RandomSystem();
    const Said said = SaidOf(system);
    const ResourceId grown(
        static_cast<std::size_t>(Draw(0, static_cast<std::int64_t>(system.resources.size()))));
    ResourceRegion& region = system.resources[grown].regions.front();
    region.size = region.size + Units(32);
    Allocation& allocation = system.allocations[region.allocation];
    allocation.size = allocation.size + Units(32);
    const Said more = SaidOf(system);
    RC_ASSERT(Includes(more.races, said.races));
    RC_ASSERT(more.deadlock == said.deadlock);
    shares.Case();
    shares.Count("one more race", more.races.size() > said.races.size());
  });
  shares.AtLeast("one more race", 10);
}

/// Where a task's loop holds a release of its own behind whose wait it stands: (task, index).
std::vector<std::pair<TaskId, std::size_t>> MovableReleases(const PipelineSystem& system) {
  std::vector<std::pair<TaskId, std::size_t>> releases;
  for (std::size_t t = 0; t < system.tasks.size(); ++t) {
    const std::vector<Operation>& body = system.tasks[TaskId(t)].operations.front().body;
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (body[i].kind == OperationKind::kRelease) releases.emplace_back(TaskId(t), i);
    }
  }
  return releases;
}

TEST(TaskRelations, ALaterReleaseNeverAddsARaceAndAnEarlierOneNeverRemovesOneNorAddsADeadlock) {
  Shares shares;
  CheckProperty("task release moves", 2000, [&] {
    RandomSystemOptions options;
    options.max_iterations = 5;
    PipelineSystem system = RandomSystem(options);
    const auto releases = MovableReleases(system);
    shares.Case();
    shares.Count("a release", !releases.empty());
    if (releases.empty()) return;
    const auto [task, from] =
        releases[static_cast<std::size_t>(Draw(0, static_cast<std::int64_t>(releases.size())))];
    std::vector<Operation>& body = system.tasks[task].operations.front().body;
    const Said early = SaidOf(system);
    const auto to = static_cast<std::size_t>(
        Draw(static_cast<std::int64_t>(from), static_cast<std::int64_t>(body.size())));
    if (to == from) return;
    const auto at = [&](std::size_t i) { return body.begin() + static_cast<std::ptrdiff_t>(i); };
    std::rotate(at(from), at(from + 1), at(to + 1));
    const Said late = SaidOf(system);
    RC_ASSERT(Includes(early.races, late.races));
    RC_ASSERT(late.deadlock || !early.deadlock);
    shares.Count("a race fewer", late.races.size() < early.races.size());
  });
  shares.AtLeast("a release", 50);
  shares.AtLeast("a race fewer", 1);
}

TEST(TaskRelations, AMatrixSideDeclaredAsThreadNeverLosesARace) {
  Shares shares;
  CheckProperty("task matrix as thread", 2000, [&] {
    PipelineSystem system = RandomSystem();
    const Said said = SaidOf(system);
    bool any = false;
    const auto weaken = [&](SideKind& kind) {
      any = any || kind == SideKind::kMatrix;
      if (kind == SideKind::kMatrix) kind = SideKind::kThread;
    };
    Pipeline& pipeline = system.pipelines[PipelineId(
        static_cast<std::size_t>(Draw(0, static_cast<std::int64_t>(system.pipelines.size()))))];
    for (SideKinds* kinds : {&pipeline.producer, &pipeline.consumer}) {
      weaken(kinds->kind);
      for (auto& [task, kind] : kinds->by_task) weaken(kind);
    }
    const Said weaker = SaidOf(system);
    RC_ASSERT(Includes(weaker.races, said.races));
    RC_ASSERT(weaker.deadlock == said.deadlock);
    shares.Case();
    shares.Count("a matrix side", any);
    shares.Count("one more race", weaker.races.size() > said.races.size());
  });
  shares.AtLeast("a matrix side", 30);
  shares.AtLeast("one more race", 5);
}

TEST(TaskRelations, OneMoreStageNeverStopsALiveSystem) {
  Shares shares;
  CheckProperty("task stages", 2000, [&] {
    RandomSystemOptions options;
    options.disjoint = true;
    PipelineSystem system = RandomSystem(options);
    const bool stopped = SaidOf(system).deadlock;
    const PipelineId grown(
        static_cast<std::size_t>(Draw(0, static_cast<std::int64_t>(system.pipelines.size()))));
    ++system.pipelines[grown].stages;
    for (const Resource& resource : system.resources) {
      if (resource.SlotPipeline() != grown) continue;
      for (const ResourceRegion& region : resource.regions) {
        Allocation& allocation = system.allocations[region.allocation];
        allocation.size = allocation.size + region.stage_stride;
      }
    }
    const bool still_stopped = SaidOf(system).deadlock;
    RC_ASSERT(stopped || !still_stopped);
    shares.Case();
    shares.Count("live", !stopped);
  });
  shares.AtLeast("live", 40);
}

TEST(TaskRelations, OneMoreIterationNeverRemovesARace) {
  Shares shares;
  CheckProperty("task iterations", 2000, [&] {
    RandomSystemOptions options;
    options.equal_iterations = true;
    const PipelineSystem system = RandomSystem(options);
    const Said said = SaidOf(system);
    const Said longer = SaidOf(WithIterations(system, *CommonIterations(system) + 1));
    RC_ASSERT(Includes(longer.races, said.races));
    RC_ASSERT(longer.deadlock || !said.deadlock);
    shares.Case();
    shares.Count("one more race", longer.races.size() > said.races.size());
  });
  shares.AtLeast("one more race", 5);
}

TEST(TaskRelations, IterationsBeyondTheCutOffShowNothingNew) {
  Shares shares;
  CheckProperty("task cut-off", 1500, [&] {
    RandomSystemOptions options;
    options.equal_iterations = true;
    const PipelineSystem system = RandomSystem(options);
    const std::int64_t cut_off = IterationCutOff(system).value();
    const Said said = SaidOf(WithIterations(system, cut_off));
    RC_ASSERT(SaidOf(WithIterations(system, 3 * cut_off)) == said);
    shares.Case();
    shares.Count("racy", !said.races.empty());
    shares.Count("deadlocked", said.deadlock);
    shares.Count("clobbered", !said.clobbers.empty());
    shares.Count("more than one iteration shows", SaidOf(WithIterations(system, 1)) != said);
  });
  shares.AtLeast("racy", 33);
  shares.AtLeast("deadlocked", 10);
  shares.AtLeast("clobbered", 25);
  shares.AtLeast("more than one iteration shows", 40);
}

/// What relation 10 compares: names and numbers of occurrences.
using Shown =
    std::tuple<std::set<std::tuple<Names, std::int64_t, Names, std::int64_t>>,
               std::vector<ClobberRow>, std::vector<UninitializedRow>, std::vector<std::string>>;

Shown ShownBy(const PipelineSystem& system) {
  const VerdictRow row = RowOf(system, VerdictOf(system));
  Shown shown{{}, row.clobbers, row.uninitialized, row.blocked};
  for (const RaceRow& race : row.races) {
    std::get<0>(shown).emplace(std::get<0>(race), std::get<2>(race), std::get<1>(race),
                               std::get<3>(race));
  }
  return shown;
}

TEST(TaskRelations, NeitherAShiftNorASplitOfRegionsNorNewNamesOfMemoryChangeAVerdict) {
  Shares shares;
  CheckProperty("task shift and split", 1500, [&] {
    PipelineSystem system = RandomSystem();
    const Shown shown = ShownBy(system);
    const Units by(32 * Draw(1, 20));
    for (Allocation& allocation : system.allocations) {
      allocation.at = *allocation.at + by;
      allocation.name = "m_" + allocation.name;
    }
    RC_ASSERT(ShownBy(system) == shown);
    Resource& split = system.resources[ResourceId(
        static_cast<std::size_t>(Draw(0, static_cast<std::int64_t>(system.resources.size()))))];
    ResourceRegion upper = split.regions.front();
    ResourceRegion& lower = split.regions.front();
    lower.size = Units(Draw(1, lower.size.value));
    upper.offset = upper.offset + lower.size;
    upper.size = upper.size - lower.size;
    split.regions.push_back(upper);
    RC_ASSERT(ShownBy(system) == shown);
    shares.Case();
    shares.Count("racy", !std::get<0>(shown).empty());
    shares.Count("clobbered", !std::get<1>(shown).empty());
  });
  shares.AtLeast("racy", 33);
  shares.AtLeast("clobbered", 20);
}

}  // namespace
}  // namespace spillway::task
