// Definitions by the letter, and the engines beside them. Source: ts_pipelines.md §8.
#include "tests/property/task/naive_order.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "model/alloc/check_task/check_system.h"
#include "tests/property/run_property.h"
#include "tests/property/task/random_system.h"
#include "tests/unit/check_task/prepared_system.h"

namespace spillway::task {
namespace {

TEST(TaskEngines, ClocksAndPrefixesGiveWhatTheDefinitionsSay) {
  Shares shares;
  CheckProperty("task engines by definition", 2000, [&] {
    const PreparedSystem random = Prepare(RandomSystem());
    const Verdict verdict = CheckSystem(random.system, random.program).value();
    const NaiveGraph graph = NaiveGraphOf(random.system, random.program);
    RC_ASSERT(verdict.races == NaiveRaces(random.system, random.program, graph));
    RC_ASSERT(CornersOf(verdict) == NaiveClobbers(random.system, random.program, graph));
    shares.Case();
    shares.Count("racy", !verdict.races.empty());
    shares.Count("deadlocked", !verdict.blocked.empty());
    shares.Count("clobbered", !verdict.clobbers.empty());
    shares.Count("uninitialized", !verdict.uninitialized.empty());
  });
  shares.AtLeast("racy", 33);
  shares.AtLeast("deadlocked", 10);
  shares.AtLeast("clobbered", 25);
  shares.AtLeast("uninitialized", 3);
}

// Relation 5 of §14.
TEST(TaskEngines, AnEdgeFewerNeverRemovesARace) {
  Shares shares;
  CheckProperty("task edges", 1000, [&] {
    const PreparedSystem random = Prepare(RandomSystem());
    const NaiveGraph graph = NaiveGraphOf(random.system, random.program);
    if (graph.between.empty()) return;
    NaiveGraph fewer = graph;
    fewer.between.erase(fewer.between.begin() +
                        Draw(0, static_cast<std::int64_t>(fewer.between.size())));
    const auto classes = [&](const std::vector<Race>& races) {
      std::vector<std::pair<AccessClass, AccessClass>> list;
      for (const Race& race : races) list.emplace_back(race.a.what, race.b.what);
      return list;
    };
    const auto races = classes(NaiveRaces(random.system, random.program, graph));
    const auto more = classes(NaiveRaces(random.system, random.program, fewer));
    for (const auto& race : races) RC_ASSERT(std::count(more.begin(), more.end(), race) == 1);
    shares.Case();
    shares.Count("racy", !races.empty());
    shares.Count("one more race", more.size() > races.size());
  });
  shares.AtLeast("racy", 33);
  shares.AtLeast("one more race", 5);
}

}  // namespace
}  // namespace spillway::task
