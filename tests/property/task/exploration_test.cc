// Engine 1 beside engine 2, and the shortest runs of both. Source: ts_pipelines.md §9, §14.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cctype>
#include <optional>
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

/// "write x #1" in "dma write x #1, write y #0 done", not in "write x #10".
bool Names(const std::string& text, const std::string& access) {
  for (std::size_t at = text.find(access); at != std::string::npos;
       at = text.find(access, at + 1)) {
    const std::size_t end = at + access.size();
    if (end == text.size() || std::isdigit(static_cast<unsigned char>(text[end])) == 0) return true;
  }
  return false;
}

/// The first row in which the access begins, is issued or happens at once; and in which it is over.
struct RowsOfAccess {
  std::optional<std::size_t> first;
  std::optional<std::size_t> over;
};
RowsOfAccess RowsOf(const PipelineSystem& system, const Witness& witness,
                    const AccessPoint& point) {
  const Actor& actor = point.what.actor;
  const std::string what = TextOf(system, point).substr(ActorName(system, actor).size() + 1);
  const std::string unit = actor.kind == SideKind::kDma      ? "dma "
                           : actor.kind == SideKind::kMatrix ? "matrix "
                                                             : "";
  RowsOfAccess rows;
  for (std::size_t i = 0; i < witness.rows.size(); ++i) {
    for (const auto& [task, text] : witness.rows[i].cells) {
      if (task != actor.task || !Names(text, what) || !text.starts_with(unit)) continue;
      if (!rows.first) rows.first = i;
      if (!text.ends_with(" begins") && !text.ends_with(" issued")) rows.over = i;
    }
  }
  return rows;
}

TEST(TaskEngines, AClobberHasARunInWhichTheReadFindsTheWrite) {
  Shares shares;
  CheckProperty("task clobber witnesses", 1000, [&] {
    const PreparedSystem random = Prepare(RandomSystem());
    const Program& program = random.program;
    const Verdict verdict = CheckSystem(random.system, program).value();
    const EventGraph graph = BuildEventGraph(random.system, program).value();
    bool is_asynchronous = false;
    for (const Clobber& clobber : verdict.clobbers) {
      const Witness witness = WitnessOf(random.system, program, graph, clobber);
      const RowsOfAccess read = RowsOf(random.system, witness, clobber.read);
      const RowsOfAccess write = RowsOf(random.system, witness, clobber.write);
      RC_ASSERT(read.first.has_value());
      RC_ASSERT(write.first.has_value());
      const Actor& writer = clobber.write.what.actor;
      // A matrix unit reads after its own earlier work, which needs no row for that.
      if (writer == clobber.read.what.actor && writer.kind == SideKind::kMatrix) continue;
      RC_ASSERT(write.over.has_value());
      is_asynchronous = is_asynchronous || writer.kind != SideKind::kThread;
      for (std::size_t t = 0; t < program.steps.size(); ++t) {
        for (std::uint32_t i = 0; i < program.steps[TaskId(t)].size(); ++i) {
          const Step& step = program.steps[TaskId(t)][i];
          if (TaskId(t) == writer.task && i == clobber.write.step) continue;
          for (const StepAccess& access : program.AccessesOf(step)) {
            const auto places = program.FootprintsOf(access);
            if (access.kind == AccessKind::kRead ||
                std::none_of(places.begin(), places.end(),
                             [&](const Footprint& place) { return Overlap(place, clobber.piece); }))
              continue;
            const AccessPoint other{{ActorOf(TaskId(t), step), access.kind, access.resource},
                                    access.occurrence,
                                    i,
                                    access.slot};
            const RowsOfAccess rows = RowsOf(random.system, witness, other);
            RC_ASSERT(!rows.over || *rows.over < *write.over);
          }
        }
      }
    }
    if (!verdict.blocked.empty())
      RC_ASSERT(WitnessOfDeadlock(random.system, program, graph).events < verdict.events);
    shares.Case();
    shares.Count("clobbered", !verdict.clobbers.empty());
    shares.Count("clobbered by asynchronous work", is_asynchronous);
  });
  shares.AtLeast("clobbered", 25);
  shares.AtLeast("clobbered by asynchronous work", 4);
}

}  // namespace
}  // namespace spillway::task
