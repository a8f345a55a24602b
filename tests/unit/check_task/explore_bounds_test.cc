// Explorations of a few steps with many accesses.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "model/alloc/check_task/explore_states.h"
#include "tests/unit/check_task/numbered.h"
#include "tests/unit/check_task/prepared_system.h"

namespace spillway::task {
namespace {

/// Matrix work of two tasks that reads `resources` without memory, `trips` times each.
PreparedSystem WideSteps(int resources, int trips) {
  const std::string task =
      fmt::format(R"("ops": [{{"loop": {}, "ops": [{{"matrix": {{"read": [{}]}}}}]}}])", trips,
                  Numbered(resources, R"("r{}")"));
  return Prepare(fmt::format(
      R"({{"system": "s", "version": 1, "resources": [{}],
    "tasks": [{{"name": "A", {}}}, {{"name": "B", {}}}]}})",
      Numbered(resources, R"({{"name": "r{}", "regions": [], "initial": true}})"), task, task));
}

TEST(ExploreStatesBoundsTest, StepsThatDoTheSameAreComparedOnce) {
  const PreparedSystem prepared = WideSteps(1000, 40);
  const Exploration explored =
      ExploreStates(prepared.system, prepared.program, {20'000, 100'000'000, 10'000'000});
  EXPECT_EQ(explored.states, 20'001);  // the bound on states, not that on comparisons
  EXPECT_EQ(explored.bound, ExplorationBound::kStates);
  EXPECT_EQ(explored.answer, ExplorationAnswer::kInconclusive);
}

TEST(ExploreStatesBoundsTest, StatesOfTooManyNumbersAreInconclusive) {
  const PreparedSystem prepared = WideSteps(10, 3);
  const Exploration cut = ExploreStates(prepared.system, prepared.program, {1'000'000, 100});
  EXPECT_FALSE(cut.complete);
  EXPECT_EQ(cut.bound, ExplorationBound::kNumbers);
  EXPECT_EQ(cut.answer, ExplorationAnswer::kInconclusive);
}

TEST(ExploreStatesBoundsTest, TooManyComparisonsAreInconclusive) {
  const PreparedSystem prepared = WideSteps(10, 3);
  const auto with = [&](std::int64_t comparisons) {
    return ExploreStates(prepared.system, prepared.program, {1'000'000, 100'000'000, comparisons});
  };
  const Exploration whole = with(200'000'000);
  EXPECT_TRUE(whole.complete);
  EXPECT_EQ(whole.states, 100);  // of each task three issues and at most as many retires
  const Exploration cut = with(200);
  EXPECT_FALSE(cut.complete);
  EXPECT_EQ(whole.bound, ExplorationBound::kNone);
  EXPECT_EQ(cut.bound, ExplorationBound::kComparisons);
  EXPECT_LT(cut.states, whole.states);
  EXPECT_EQ(cut.answer, ExplorationAnswer::kInconclusive);
  EXPECT_EQ(cut, with(200));
}

}  // namespace
}  // namespace spillway::task
