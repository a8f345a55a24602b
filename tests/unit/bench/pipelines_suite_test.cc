// Systems of the pipelines suite against the numbers of ts_pipelines.md §13, and its report. No
// timing is asserted.
#include "sim/bench/pipelines_suite.h"

#include <gmock/gmock.h>

#include "model/alloc/check_task/check_system.h"
#include "model/alloc/check_task/explore_states.h"
#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"
#include "sim/bench/pipeline_systems.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Numbers {
  std::int64_t events = 0;
  std::int64_t states = 0;
  bool clean = false;
  friend bool operator==(const Numbers&, const Numbers&) = default;
};

Numbers NumbersOf(const task::PipelineSystem& system) {
  const task::SystemLayout layout = task::LayOutSystem(system).value();
  const task::Program program = task::Unroll(system, layout).value();
  const task::Verdict verdict = task::CheckSystem(system, program).value();
  const task::Exploration explored = task::ExploreStates(system, program);
  EXPECT_TRUE(explored.complete);
  return {verdict.events, explored.states, verdict.IsClean()};
}

TEST(PipelineSystems, AMainLoopGrowsInALineWithItsIterations) {
  EXPECT_EQ(NumbersOf(MainLoopSystem(2, 2)), (Numbers{24, 59, true}));
  EXPECT_EQ(NumbersOf(MainLoopSystem(4, 2)), (Numbers{38, 117, true}));
  EXPECT_EQ(NumbersOf(MainLoopSystem(8, 2)), (Numbers{66, 233, true}));
}

TEST(PipelineSystems, TheMainLoopSharesItsRingWithTheEpilogue) {
  const task::PipelineSystem system = MainLoopSystem(4, 3);
  const task::SystemLayout layout = task::LayOutSystem(system).value();
  EXPECT_EQ(layout.offsets[task::AllocationId(0)], layout.offsets[task::AllocationId(1)]);
  // 3 stages of 8192 bytes and the barriers of 3 + 1 stages.
  EXPECT_EQ(layout.totals[task::MemorySpace::kSmem], task::Units(3 * 8192 + 16 * 4));
}

TEST(PipelineSystems, IndependentPairsMultiplyTheirStates) {
  EXPECT_EQ(NumbersOf(IndependentPairs(1, 2)), (Numbers{16, 33, true}));
  EXPECT_EQ(NumbersOf(IndependentPairs(2, 2)), (Numbers{32, 1089, true}));
  EXPECT_EQ(NumbersOf(IndependentPairs(3, 2)), (Numbers{48, 35937, true}));
}

TEST(PipelinesSuite, HasAFigureForEachSizeOfBothFamiliesAndForEachSmallSystem) {
  const PipelinesReport report =
      RunPipelinesSuite({.sizes = {200, 1000}, .rounds = 1, .most_pairs = 2});
  ASSERT_EQ(report.clocks.size(), 4u);
  EXPECT_EQ(report.clocks[0].events, 7 * 27 + 10);
  EXPECT_EQ(report.clocks[3].events, 960);
  EXPECT_EQ(report.clocks[0].growth, 1);
  EXPECT_EQ(report.clocks[2].growth, 1) << "the smallest of its own family";
  ASSERT_EQ(report.states.size(), 5u);
  EXPECT_EQ(report.states[2].states, 233);
  EXPECT_EQ(report.states[4].states, 1089);
  EXPECT_THAT(ToText(report), Not(HasSubstr("bar"))) << "only 100,000 events have one";
}

TEST(PipelinesSuite, ASystemOfAHundredThousandEventsHasABar) {
  PipelinesReport report;
  report.rounds = 5;
  report.yardstick_seconds = 0.5;
  report.clocks.push_back({"main loop", 100'000, 0.5, 0.5, 0.5, 0.25, 1.25, 2});
  report.states.push_back({"3 pairs", 48, 35937, 0.25, 0.001, 0.002});
  EXPECT_TRUE(report.clocks[0].MeetsBar());
  EXPECT_EQ(report.clocks[0].Seconds(), 1.5) << "engine 3 counts apart";
  const std::string text = ToText(report);
  EXPECT_THAT(text, HasSubstr("main loop       100000   500.000   500.000   500.000  1500.000"
                              "        0.07         3.000      1.25x 250.000 ms  bar 2 s\n"));
  EXPECT_THAT(text, HasSubstr("3 pairs                   48    35937     250.000        0.14"
                              "         0.500        1.000        2.000\n"));
  report.clocks[0].race_seconds = 1.5;
  EXPECT_FALSE(report.clocks[0].MeetsBar());
  EXPECT_THAT(ToText(report), HasSubstr("MISSES its bar of 2 s"));
}

}  // namespace
}  // namespace spillway
