// The worked examples, each with its verdict by every engine.
#include <gmock/gmock.h>

#include "model/alloc/check_task/check_system.h"
#include "model/alloc/check_task/explore_states.h"
#include "model/alloc/check_task/witness.h"
#include "tests/unit/check_task/expected_verdicts.h"
#include "tests/unit/check_task/prepared_system.h"

namespace spillway::task {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const ExpectedJson& Expected() {
  static const ExpectedJson expected(PipelinesFolder() + "/expected.json");
  return expected;
}

class ExampleTest : public ::testing::TestWithParam<std::string> {
 protected:
  static PreparedSystem Prepared() {
    Result<PipelineSystem> system = ReadPipelineFile(PipelinePath(GetParam()));
    if (!system) throw std::runtime_error(system.error().ToString());
    return Prepare(std::move(*system));
  }
  static const JsonValue& Row() { return *FindMember(Expected().root, GetParam()); }
};

TEST_P(ExampleTest, HasTheVerdictOfTheTable) {
  const PreparedSystem prepared = Prepared();
  const Result<Verdict> verdict = CheckSystem(prepared.system, prepared.program);
  ASSERT_TRUE(verdict.has_value()) << verdict.error().ToString();
  const VerdictRow expected = ExpectedRow(Row());
  const VerdictRow found = RowOf(prepared.system, *verdict);
  EXPECT_THAT(found.blocked, ElementsAreArray(expected.blocked));
  EXPECT_THAT(found.races, ElementsAreArray(expected.races));
  EXPECT_THAT(found.clobbers, ElementsAreArray(expected.clobbers));
  EXPECT_THAT(found.uninitialized, ElementsAreArray(expected.uninitialized));
  EXPECT_THAT(found.structure, ElementsAreArray(expected.structure));
  EXPECT_EQ(found.events, expected.events);
  EXPECT_EQ(found.deadlock, expected.deadlock);
}

TEST_P(ExampleTest, HasTheStatesOfTheTableAndTheSameRacesInThem) {
  const PreparedSystem prepared = Prepared();
  const Verdict verdict = CheckSystem(prepared.system, prepared.program).value();
  const Exploration explored = ExploreStates(prepared.system, prepared.program);
  EXPECT_TRUE(explored.complete);
  EXPECT_EQ(explored.states, FindMember(Row(), "states")->integer);
  EXPECT_THAT(RowsOf(prepared.system, explored.races),
              ElementsAreArray(RowsOf(prepared.system, verdict.races)));
  std::vector<std::pair<TaskId, std::uint32_t>> blocked;
  for (const BlockedTask& task : verdict.blocked) blocked.emplace_back(task.task, task.step);
  EXPECT_EQ(explored.blocked, blocked);
  const bool is_unsafe = !verdict.races.empty() || !verdict.blocked.empty();
  EXPECT_EQ(explored.answer, is_unsafe ? ExplorationAnswer::kUnsafe : ExplorationAnswer::kSafe);
}

TEST_P(ExampleTest, ShowsEachRaceInAShortestRun) {
  const PreparedSystem prepared = Prepared();
  const EventGraph graph = BuildEventGraph(prepared.system, prepared.program).value();
  const Exploration explored = ExploreStates(prepared.system, prepared.program);
  for (std::size_t i = 0; i < explored.races.size(); ++i) {
    const Witness witness = WitnessOf(prepared.system, prepared.program, graph, explored.races[i]);
    EXPECT_EQ(witness.events, explored.depths[i]);
    ASSERT_FALSE(witness.rows.empty());
    for (const AccessPoint& point : {explored.races[i].a, explored.races[i].b}) {
      const std::string name = ActorName(prepared.system, point.what.actor);
      EXPECT_THAT(
          witness.rows.back().in_progress,
          Contains(AllOf(StartsWith(name + " "),
                         HasSubstr(TextOf(prepared.system, point).substr(name.size() + 1)))));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, ExampleTest, ::testing::ValuesIn(PipelineNamesOnDisk()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace spillway::task
