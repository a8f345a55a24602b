// Engine 1 beside engine 2, and the shortest runs of both. Source: ts_pipelines.md §9, §14.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <utility>
#include <vector>

#include "model/alloc/check_task/check_system.h"
#include "model/alloc/check_task/explore_states.h"
#include "model/alloc/check_task/witness.h"
#include "tests/property/run_property.h"
#include "tests/property/task/random_system.h"
#include "tests/unit/check_task/prepared_system.h"

namespace spillway::task {
namespace {

/// Systems of more states than this prove nothing here: they don't count as cases.
constexpr std::int64_t kMaxStates = 20'000;

TEST(TaskEngines, ClocksAndExplorationAgreeOnFiveThousandExploredSystems) {
  constexpr int kExplored = 5000;
  Shares drawn;
  Shares shares;
  int agreed = 0;
  CheckProperty("task engines 1 and 2", kExplored, [&] {
    const PreparedSystem random = Prepare(RandomSystem());
    const Verdict verdict = CheckSystem(random.system, random.program).value();
    const Exploration explored =
        ExploreStates(random.system, random.program, {kMaxStates, 100'000'000});
    drawn.Case();
    drawn.Count("explored", explored.complete);
    if (!explored.complete) {
      // What was found before the bound holds all the same.
      RC_ASSERT(explored.races.empty() || explored.answer == ExplorationAnswer::kUnsafe);
      RC_ASSERT(!explored.races.empty() || explored.answer == ExplorationAnswer::kInconclusive);
      RC_ASSERT(explored.races.size() <= verdict.races.size());
      RC_DISCARD("more states than the bound");
    }
    RC_ASSERT(explored.races == verdict.races);
    std::vector<std::pair<TaskId, std::uint32_t>> blocked;
    for (const BlockedTask& task : verdict.blocked) blocked.emplace_back(task.task, task.step);
    RC_ASSERT(explored.blocked == blocked);
    const bool is_unsafe = !verdict.races.empty() || !verdict.blocked.empty();
    RC_ASSERT((explored.answer == ExplorationAnswer::kUnsafe) == is_unsafe);
    RC_ASSERT((explored.answer == ExplorationAnswer::kSafe) == !is_unsafe);
    ++agreed;
    shares.Case();
    shares.Count("racy", !verdict.races.empty());
    shares.Count("deadlocked", !verdict.blocked.empty());
    shares.Count("clobbered", !verdict.clobbers.empty());
  });
  EXPECT_GE(agreed, kExplored);
  drawn.AtLeast("explored", 85);
  shares.AtLeast("racy", 33);
  shares.AtLeast("deadlocked", 10);
  shares.AtLeast("clobbered", 25);
}

TEST(TaskEngines, AWitnessIsAsShortAsTheFirstStateThatShowsIt) {
  Shares shares;
  CheckProperty("task witnesses", 1000, [&] {
    const PreparedSystem random = Prepare(RandomSystem());
    const Exploration explored =
        ExploreStates(random.system, random.program, {kMaxStates, 100'000'000});
    shares.Case();
    shares.Count("races to show", explored.complete && !explored.races.empty());
    if (!explored.complete) return;
    const EventGraph graph = BuildEventGraph(random.system, random.program).value();
    for (std::size_t i = 0; i < explored.races.size(); ++i) {
      const Race& race = explored.races[i];
      // The machine refuses events that can't happen, so the run is one.
      const Witness witness = WitnessOf(random.system, random.program, graph, race);
      RC_ASSERT(witness.events == explored.depths[i]);
      RC_ASSERT(witness.rows.back().in_progress.size() >= 2u);
    }
  });
  shares.AtLeast("races to show", 33);
}

TEST(TaskEngines, AClobberHasARunInWhichTheReadFollowsTheWrite) {
  Shares shares;
  CheckProperty("task clobber witnesses", 1000, [&] {
    const PreparedSystem random = Prepare(RandomSystem());
    const Verdict verdict = CheckSystem(random.system, random.program).value();
    const EventGraph graph = BuildEventGraph(random.system, random.program).value();
    for (const Clobber& clobber : verdict.clobbers) {
      const Witness witness = WitnessOf(random.system, random.program, graph, clobber);
      const auto has = [&](const AccessPoint& point) {
        const std::string what = TextOf(random.system, point)
                                     .substr(ActorName(random.system, point.what.actor).size() + 1);
        for (const WitnessRow& row : witness.rows) {
          for (const auto& [task, text] : row.cells) {
            if (task == point.what.actor.task && text.find(what) != std::string::npos) return true;
          }
        }
        return false;
      };
      RC_ASSERT(has(clobber.read));
      RC_ASSERT(has(clobber.write));
    }
    if (!verdict.blocked.empty())
      RC_ASSERT(WitnessOfDeadlock(random.system, random.program, graph).events < verdict.events);
    shares.Case();
    shares.Count("clobbered", !verdict.clobbers.empty());
  });
  shares.AtLeast("clobbered", 25);
}

}  // namespace
}  // namespace spillway::task
