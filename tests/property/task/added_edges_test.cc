// More synchronisation: it never adds a race, though it may add a deadlock.
// Source: ts_pipelines.md §14, relation 5.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "model/alloc/check_task/check_system.h"
#include "tests/property/run_property.h"
#include "tests/property/task/naive_order.h"
#include "tests/property/task/random_system.h"
#include "tests/unit/check_task/prepared_system.h"

namespace spillway::task {
namespace {

using ClassPairs = std::set<std::pair<AccessClass, AccessClass>>;

ClassPairs ClassesOf(const std::vector<Race>& races) {
  ClassPairs classes;
  for (const Race& race : races) classes.emplace(race.a.what, race.b.what);
  return classes;
}

bool Includes(const ClassPairs& all, const ClassPairs& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

/// A place in the loop of a task.
std::vector<Operation>::iterator AnyPlace(Task& task) {
  std::vector<Operation>& body = task.operations.front().body;
  return body.begin() + Draw(0, static_cast<std::int64_t>(body.size()) + 1);
}

/// `system` with a token more: somewhere in each turn one task gives it, and another one takes it.
PipelineSystem WithToken(PipelineSystem system) {
  const auto tasks = static_cast<std::int64_t>(system.tasks.size());
  const std::int64_t from = Draw(0, tasks);
  const std::int64_t to = (from + Draw(1, tasks)) % tasks;
  Pipeline token;
  token.name = "token";
  Operation give;
  give.kind = OperationKind::kCommit;
  give.pipelines = {system.pipelines.push_back(token)};
  Operation take = give;
  take.kind = OperationKind::kWait;
  Task& giver = system.tasks[TaskId(static_cast<std::size_t>(from))];
  Task& taker = system.tasks[TaskId(static_cast<std::size_t>(to))];
  giver.operations.front().body.insert(AnyPlace(giver), give);
  taker.operations.front().body.insert(AnyPlace(taker), take);
  return system;
}

TEST(TaskEngines, ATokenMoreNeverAddsARaceAndMayAddADeadlock) {
  Shares shares;
  CheckProperty("task tokens", 2000, [&] {
    const PreparedSystem random = Prepare(RandomSystem());
    const PreparedSystem ordered = Prepare(WithToken(random.system));
    const Verdict verdict = CheckSystem(random.system, random.program).value();
    const Verdict after = CheckSystem(ordered.system, ordered.program).value();
    RC_ASSERT(Includes(ClassesOf(verdict.races), ClassesOf(after.races)));
    RC_ASSERT(verdict.blocked.empty() || !after.blocked.empty());
    const bool is_live = after.blocked.empty();
    shares.Case();
    shares.Count("racy", !verdict.races.empty());
    shares.Count("a race fewer, and live", is_live && after.races.size() < verdict.races.size());
    shares.Count("a deadlock more", verdict.blocked.empty() && !is_live);
  });
  shares.AtLeast("racy", 33);
  shares.AtLeast("a race fewer, and live", 3);
  shares.AtLeast("a deadlock more", 3);
}

// By definition, for any edge, also one that no pipeline could have.
TEST(TaskEngines, AnEdgeMoreNeverAddsARace) {
  Shares shares;
  CheckProperty("task added edges", 1000, [&] {
    const PreparedSystem random = Prepare(RandomSystem());
    const NaiveGraph graph = NaiveGraphOf(random.system, random.program);
    NaiveGraph more = graph;
    const auto any = [&] {
      return static_cast<std::size_t>(Draw(0, static_cast<std::int64_t>(graph.events)));
    };
    const std::size_t source = any();
    more.between.emplace_back(source, any());
    const NaiveOrder order(graph);
    const NaiveOrder stricter(more);
    std::size_t stopped = 0;
    for (std::size_t i = 0; i < graph.events; ++i) {
      RC_ASSERT(order.Happens(i) || !stricter.Happens(i));
      stopped += order.Happens(i) && !stricter.Happens(i) ? 1 : 0;
    }
    const ClassPairs races = ClassesOf(NaiveRaces(random.system, random.program, graph));
    const ClassPairs fewer = ClassesOf(NaiveRaces(random.system, random.program, more));
    RC_ASSERT(Includes(races, fewer));
    shares.Case();
    shares.Count("racy", !races.empty());
    shares.Count("a race fewer, and nothing stopped", fewer.size() < races.size() && stopped == 0);
    shares.Count("a deadlock more", stopped > 0);
  });
  shares.AtLeast("racy", 33);
  shares.AtLeast("a race fewer, and nothing stopped", 2);
  shares.AtLeast("a deadlock more", 5);
}

}  // namespace
}  // namespace spillway::task
