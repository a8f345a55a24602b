// What the engines say about systems that no file of traces/ holds.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "model/alloc/check_task/check_system.h"
#include "model/alloc/check_task/describe_verdict.h"
#include "model/alloc/check_task/explore_states.h"
#include "model/alloc/check_task/iteration_cut_off.h"
#include "tests/unit/check_task/prepared_system.h"

namespace spillway::task {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Verdict VerdictOf(const PreparedSystem& prepared) {
  return CheckSystem(prepared.system, prepared.program).value();
}

/// n pairs of a producer and a consumer over memory of their own, two stages each.
PreparedSystem Pairs(int n, int iterations) {
  std::string allocations;
  std::string pipelines;
  std::string resources;
  std::string tasks;
  for (int i = 0; i < n; ++i) {
    const char* comma = i == 0 ? "" : ", ";
    allocations += fmt::format(R"({0}{{"name": "m{1}", "space": "smem", "size": 128}})", comma, i);
    pipelines += fmt::format(
        R"({0}{{"name": "p{1}", "stages": 2, "producer": "thread", "consumer": "thread"}})", comma,
        i);
    resources += fmt::format(
        R"({0}{{"name": "r{1}", "regions": [{{"allocation": "m{1}"}}], "pipeline": "p{1}"}})",
        comma, i);
    tasks += fmt::format(
        R"({0}{{"name": "A{1}", "ops": [{{"loop": {2}, "ops": [{{"acquire": "p{1}"}}, {{"write": "r{1}"}}, {{"commit": "p{1}"}}]}}]}},
           {{"name": "B{1}", "ops": [{{"loop": {2}, "ops": [{{"wait": "p{1}"}}, {{"read": "r{1}"}}, {{"release": "p{1}"}}]}}]}})",
        comma, i, iterations);
  }
  return Prepare(fmt::format(R"({{"system": "s", "version": 1, "allocations": [{}],
    "pipelines": [{}], "resources": [{}], "tasks": [{}]}})",
                             allocations, pipelines, resources, tasks));
}

// Scaling, ts_pipelines.md §13.
TEST(ExploreStatesTest, IndependentPairsMultiplyTheirStates) {
  for (const auto& [pairs, states] : {std::pair{1, 33}, std::pair{2, 1089}, std::pair{3, 35937}}) {
    const PreparedSystem prepared = Pairs(pairs, 2);
    const Exploration explored = ExploreStates(prepared.system, prepared.program);
    EXPECT_TRUE(explored.complete);
    EXPECT_EQ(explored.states, states);
    EXPECT_EQ(explored.answer, ExplorationAnswer::kSafe);
  }
}

TEST(ExploreStatesTest, ABoundIsNeverCalledSafe) {
  const PreparedSystem prepared = Pairs(2, 2);
  const Exploration states = ExploreStates(prepared.system, prepared.program, {1088, 1'000'000});
  EXPECT_FALSE(states.complete);
  EXPECT_EQ(states.answer, ExplorationAnswer::kInconclusive);
  EXPECT_TRUE(ExploreStates(prepared.system, prepared.program, {1089, 1'000'000}).complete);
  const Exploration memory = ExploreStates(prepared.system, prepared.program, {1'000'000, 1000});
  EXPECT_FALSE(memory.complete);
  EXPECT_EQ(memory.answer, ExplorationAnswer::kInconclusive);
  EXPECT_EQ(ExplorationAnswerName(memory.answer), "inconclusive");
}

TEST(ExploreStatesTest, ASystemWithoutTasksHasOneState) {
  const PreparedSystem prepared = Prepare(R"({"system": "s", "version": 1, "tasks": []})");
  const Exploration explored = ExploreStates(prepared.system, prepared.program);
  EXPECT_EQ(explored.states, 1);
  EXPECT_EQ(explored.answer, ExplorationAnswer::kSafe);
  EXPECT_TRUE(VerdictOf(prepared).IsClean());
}

TEST(CheckSystemTest, ClocksTakeManyPairsAndIterations) {
  const PreparedSystem prepared = Pairs(8, 64);
  const Verdict verdict = VerdictOf(prepared);
  EXPECT_TRUE(verdict.IsClean());
  EXPECT_EQ(verdict.events, 4096);
}

/// Growth of E3 with K, ts_pipelines.md §13.
TEST(ExploreStatesTest, AMainLoopGrowsInALineWithItsIterations) {
  for (const auto& [k, events, states] :
       {std::tuple{2, 24, 59}, std::tuple{4, 38, 117}, std::tuple{8, 66, 233}}) {
    const PreparedSystem prepared = Prepare(fmt::format(R"({{"system": "s", "version": 1,
      "allocations": [{{"name": "ab", "space": "smem", "size": 16384}},
                      {{"name": "stg", "space": "smem", "size": 8192}},
                      {{"name": "acc", "space": "tmem", "size": 128}}],
      "alias_groups": [{{"phases": [["ab"], ["stg"]]}}],
      "pipelines": [{{"name": "ab", "stages": 2, "producer": "dma", "consumer": "matrix"}},
                    {{"name": "acc", "stages": 1, "producer": "matrix", "consumer": "thread"}}],
      "resources": [{{"name": "ab", "regions": [{{"allocation": "ab"}}], "pipeline": "ab"}},
                    {{"name": "stg", "regions": [{{"allocation": "stg"}}]}},
                    {{"name": "acc", "regions": [{{"allocation": "acc"}}], "pipeline": "acc"}}],
      "graph": {{"acc": ["ab"], "stg": ["acc"]}},
      "tasks": [
        {{"name": "Load", "ops": [{{"loop": {0}, "ops": [{{"acquire": "ab"}},
          {{"dma": {{"write": ["ab"], "commit": ["ab"]}}}}]}}]}},
        {{"name": "Mma", "ops": [{{"acquire": "acc"}}, {{"loop": {0}, "ops": [{{"wait": "ab"}},
          {{"matrix": {{"read": ["ab"], "write": ["acc"]}}}}, {{"release": "ab"}}]}}, {{"commit": "acc"}}]}},
        {{"name": "Store", "ops": [{{"wait": "acc"}}, {{"read": "acc"}}, {{"release": "acc"}},
          {{"use": "stg"}}, {{"read": "stg"}}]}}]}})",
                                                        k));
    EXPECT_TRUE(VerdictOf(prepared).IsClean());
    EXPECT_EQ(VerdictOf(prepared).events, events);
    EXPECT_EQ(ExploreStates(prepared.system, prepared.program).states, states);
  }
}

/// Attention: the matrix unit issues S(1) before it reads P(0), which lies over S.
PreparedSystem Attention(bool scores_first) {
  const std::string scores = R"({"acquire": "S"}, {"matrix": {"write": ["S"]}}, {"commit": "S"})";
  const std::string values =
      R"({"wait": "P"}, {"matrix": {"read": ["P"], "write": ["O"]}}, {"release": "P"})";
  const std::string mma = scores_first ? scores + "," + scores + "," + values + "," + values
                                       : scores + "," + values + "," + scores + "," + values;
  return Prepare(fmt::format(R"({{"system": "s", "version": 1,
    "allocations": [{{"name": "S", "space": "tmem", "size": 128}},
                    {{"name": "P", "space": "tmem", "size": 64}},
                    {{"name": "O", "space": "tmem", "size": 128}}],
    "alias_groups": [{{"phases": [["S"], ["P"]]}}],
    "pipelines": [{{"name": "S", "stages": 1, "producer": "matrix", "consumer": "thread"}},
                  {{"name": "P", "stages": 1, "producer": "thread", "consumer": "matrix"}}],
    "resources": [{{"name": "S", "regions": [{{"allocation": "S"}}], "pipeline": "S"}},
                  {{"name": "P", "regions": [{{"allocation": "P"}}], "pipeline": "P"}},
                  {{"name": "O", "regions": [{{"allocation": "O"}}]}}],
    "tasks": [{{"name": "Mma", "ops": [{}]}},
      {{"name": "Softmax", "ops": [{{"loop": 2, "ops": [{{"wait": "S"}}, {{"read": "S"}},
        {{"acquire": "P"}}, {{"write": "P"}}, {{"commit": "P"}}, {{"release": "S"}}]}}]}}]}})",
                             mma));
}

// ts_pipelines.md §9, engine 3: order alone proves too little.
TEST(FindClobbersTest, AReadBehindTheNextScoresSeesThemAlthoughEverythingIsOrdered) {
  EXPECT_TRUE(VerdictOf(Attention(false)).IsClean());
  const PreparedSystem wrong = Attention(true);
  const Verdict verdict = VerdictOf(wrong);
  EXPECT_THAT(verdict.races, IsEmpty());
  EXPECT_THAT(verdict.blocked, IsEmpty());
  ASSERT_THAT(verdict.clobbers, SizeIs(1));
  EXPECT_EQ(TextOf(wrong.system, verdict.clobbers[0].read), "Mma.matrix read P #0");
  EXPECT_EQ(TextOf(wrong.system, verdict.clobbers[0].write), "Mma.matrix write S #1");
}

/// One task over one piece of SBUF, its resources given as {name, [begin, end)} with `more`.
PreparedSystem OneTask(const std::string& resources, const std::string& ops) {
  return Prepare(fmt::format(R"({{"system": "s", "version": 1, "barriers": "none",
    "allocations": [{{"name": "m", "space": "sbuf", "size": 64}}],
    "resources": [{}], "tasks": [{{"name": "T", "ops": [{}]}}]}})",
                             resources, ops));
}

const std::string kWhole = R"({"name": "whole", "regions": [{"allocation": "m"}]})";
const std::string kHalf = R"({"name": "half", "regions": [{"allocation": "m", "size": 32}]})";

TEST(FindClobbersTest, APieceThatNobodyWroteIsUninitialized) {
  const PreparedSystem half =
      OneTask(kWhole + "," + kHalf, R"({"write": "half"}, {"read": "whole"})");
  const Verdict verdict = VerdictOf(half);
  EXPECT_THAT(verdict.uninitialized, SizeIs(1));
  EXPECT_THAT(verdict.clobbers, SizeIs(1));
}

TEST(FindClobbersTest, AHiddenWriteIsNotSeen) {
  const PreparedSystem hidden =
      OneTask(kWhole + "," + kHalf, R"({"write": "half"}, {"write": "whole"}, {"read": "whole"})");
  EXPECT_TRUE(VerdictOf(hidden).IsClean());
  const PreparedSystem seen =
      OneTask(kWhole + "," + kHalf, R"({"write": "whole"}, {"write": "half"}, {"read": "whole"})");
  EXPECT_THAT(VerdictOf(seen).clobbers, SizeIs(1));
}

TEST(FindClobbersTest, SharesAndInitialAreLicences) {
  const std::string shares = R"({"name": "whole", "regions": [{"allocation": "m"}],
    "shares": ["half"], "initial": true})";
  const PreparedSystem licensed =
      OneTask(shares + "," + kHalf, R"({"write": "half"}, {"read": "whole"})");
  EXPECT_TRUE(VerdictOf(licensed).IsClean());
}

TEST(FindBlockedTest, SaysWhatEachTaskWaitsFor) {
  const PreparedSystem crossing = Prepare(R"({"system": "s", "version": 1,
    "pipelines": [{"name": "p", "stages": 1, "producer": "thread", "consumer": "thread"},
                  {"name": "q", "stages": 1, "producer": "thread", "consumer": "thread"}],
    "tasks": [{"name": "A", "ops": [{"wait": ["p", "q"]}, {"commit": "q"}]},
              {"name": "B", "ops": [{"commit": "p"}, {"wait": "q"}, {"wait": "q"}]},
              {"name": "C", "ops": [{"acquire": "q"}, {"acquire": "q"}]}]})");
  const Verdict verdict = VerdictOf(crossing);
  ASSERT_THAT(verdict.blocked, SizeIs(3));
  EXPECT_EQ(verdict.blocked[0].name, "A:wait p+q");
  EXPECT_EQ(verdict.blocked[0].text,
            "task A never gets past wait p #0, q #0; fill #0 of q lacks commit #0 of A, which is "
            "blocked itself");
  EXPECT_EQ(verdict.blocked[1].name, "B:wait q");
  EXPECT_EQ(verdict.blocked[2].text,
            "task C never gets past acquire q #1; drain #0 of q: no task ever releases it");
}

TEST(FindBlockedTest, AContributorThatEndsTooSoonIsNamed) {
  const PreparedSystem ends = Prepare(R"({"system": "s", "version": 1,
    "pipelines": [{"name": "p", "stages": 1, "producer": "thread", "consumer": "thread"}],
    "tasks": [{"name": "A", "ops": [{"commit": "p"}]},
              {"name": "B", "ops": [{"wait": "p"}, {"wait": "p"}]}]})");
  const Verdict verdict = VerdictOf(ends);
  ASSERT_THAT(verdict.blocked, SizeIs(1));
  EXPECT_EQ(verdict.blocked[0].text,
            "task B never gets past wait p #1; fill #1 of p lacks commit #1 of A, which ends "
            "before it");
}

// One summed counter would let A, two ahead, stand in for B: ts_pipelines.md §7 and §16.
TEST(CheckSystemTest, AFillNeedsEveryContributorsOwnPart) {
  const PreparedSystem two = Prepare(R"({"system": "s", "version": 1,
    "allocations": [{"name": "m", "space": "smem", "size": 128}],
    "pipelines": [{"name": "p", "stages": 2, "producer": "thread", "consumer": "thread"}],
    "resources": [{"name": "r", "regions": [{"allocation": "m"}], "pipeline": "p"}],
    "tasks": [{"name": "A", "ops": [{"loop": 2, "ops": [{"acquire": "p"}, {"commit": "p"}]}]},
              {"name": "B", "ops": [{"loop": 2, "ops": [{"acquire": "p"}, {"write": "r"}, {"commit": "p"}]}]},
              {"name": "C", "ops": [{"loop": 2, "ops": [{"wait": "p"}, {"read": "r"}, {"release": "p"}]}]}]})");
  EXPECT_TRUE(VerdictOf(two).IsClean());
}

// A transfer that completes nothing is never over for anybody.
TEST(CheckSystemTest, ATransferThatCompletesNothingRacesWithWhatFollows) {
  const PreparedSystem loose = Prepare(R"({"system": "s", "version": 1,
    "allocations": [{"name": "m", "space": "smem", "size": 64}],
    "resources": [{"name": "r", "regions": [{"allocation": "m"}], "initial": true}],
    "tasks": [{"name": "A", "ops": [{"loop": 2, "ops": [{"dma": {"write": ["r"]}}]}, {"read": "r"}]}]})");
  const Verdict verdict = VerdictOf(loose);
  ASSERT_THAT(verdict.races, SizeIs(2));
  EXPECT_EQ(TextOf(loose.system, verdict.races[0].a), "A read r #0");
  EXPECT_EQ(TextOf(loose.system, verdict.races[0].b), "A.dma write r #0");
  EXPECT_EQ(TextOf(loose.system, verdict.races[1].a), "A.dma write r #0");
  EXPECT_EQ(TextOf(loose.system, verdict.races[1].b), "A.dma write r #1");
}

TEST(DescribeVerdictTest, NamesKindsCodesAndNumbersAndKeepsToItsNumberOfRuns) {
  const PreparedSystem loose = Prepare(R"({"system": "s", "version": 1,
    "allocations": [{"name": "m", "space": "smem", "size": 64}],
    "resources": [{"name": "r", "regions": [{"allocation": "m"}]}],
    "tasks": [{"name": "A", "ops": [{"read": "r"}, {"dma": {"write": ["r"]}}, {"read": "r"}]},
              {"name": "B", "ops": [{"write": "r"}]}]})");
  const Verdict verdict = VerdictOf(loose);
  const auto findings = DescribeVerdict(loose.system, loose.program, verdict, 2).value();
  std::vector<std::string> codes;
  for (const Finding& finding : findings) codes.push_back(finding.code);
  EXPECT_THAT(codes, ElementsAre("race", "race", "race"));
  EXPECT_THAT(findings[0].text, HasSubstr("A read r #1 and A.dma write r #0 can touch smem[0:64)"));
  EXPECT_TRUE(findings[1].witness.has_value());
  EXPECT_FALSE(findings[2].witness.has_value());
}

TEST(DescribeVerdictTest, NamesThePieceThatAnotherResourceWroteAndTheOneThatNobodyDid) {
  const PreparedSystem half =
      OneTask(kWhole + "," + kHalf, R"({"write": "half"}, {"read": "whole"})");
  const Verdict verdict = VerdictOf(half);
  const auto findings = DescribeVerdict(half.system, half.program, verdict, 2).value();
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings[0].text,
            "T read whole #0 may see T write half #0: expected the last write to sbuf[0:32) "
            "through whole or a resource that it shares, found half; list half in the shares of "
            "whole if that is meant");
  EXPECT_EQ(findings[1].text,
            "T read whole #0: expected a write to sbuf[32:64) before it, found none; resource "
            "whole isn't initial");
  // Each kind has its own number of runs.
  const auto again = DescribeVerdict(half.system, half.program, verdict, 1).value();
  for (const Finding& finding : again) EXPECT_TRUE(finding.witness.has_value());
}

TEST(DescribeVerdictTest, NamesThePartitionsOfAPieceWhereTheyArentAll) {
  const PreparedSystem bands = Prepare(R"({"system": "s", "version": 1, "barriers": "none",
    "allocations": [{"name": "all", "space": "sbuf", "size": 64, "at": 0},
                    {"name": "band", "space": "sbuf", "size": 64, "at": 0, "partitions": [32, 32]}],
    "resources": [{"name": "all", "regions": [{"allocation": "all"}], "initial": true},
                  {"name": "band", "regions": [{"allocation": "band"}]}],
    "tasks": [{"name": "T", "ops": [{"write": "band"}, {"read": "all"}]}]})");
  const Verdict verdict = VerdictOf(bands);
  const auto findings = DescribeVerdict(bands.system, bands.program, verdict, 1).value();
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(
      findings[0].text,
      HasSubstr("expected the last write to sbuf[0:64) of partitions [32, 64) through all"));
}

PipelineSystem Rings(const std::vector<int>& stages) {
  PipelineSystem system;
  for (const int count : stages) {
    Pipeline pipeline;
    pipeline.stages = count;
    system.pipelines.push_back(pipeline);
  }
  return system;
}

TEST(IterationCutOffTest, CountsUntilAllRingsHaveMet) {
  EXPECT_EQ(IterationCutOff(Rings({})).value(), 3);
  EXPECT_EQ(IterationCutOff(Rings({4, 5})).value(), 31);
  EXPECT_EQ(IterationCutOff(Rings({2, 4, 4})).value(), 16);
  const auto over = IterationCutOff(Rings({61, 59, 53}));
  ASSERT_FALSE(over.has_value());
  EXPECT_EQ(over.error().code, "limit");
}

TEST(IterationCutOffTest, KnowsLoopsThatAllTasksHaveInCommon) {
  const auto common = [](const std::string& tasks) {
    return CommonIterations(
        Prepare(R"({"system": "s", "version": 1, "resources": [{"name": "r", "regions": []}],
                    "tasks": [)" +
                tasks + "]}")
            .system);
  };
  const std::string three = R"({"name": "A", "ops": [{"loop": 3, "ops": [{"use": "r"}]}]})";
  EXPECT_EQ(common(three), 3);
  EXPECT_EQ(common(three + R"(, {"name": "B", "ops": [{"loop": 3, "ops": []}]})"), 3);
  EXPECT_EQ(common(three + R"(, {"name": "B", "ops": [{"loop": 4, "ops": []}]})"), std::nullopt);
  EXPECT_EQ(common(three + R"(, {"name": "B", "ops": [{"use": "r"}]})"), std::nullopt);
}

}  // namespace
}  // namespace spillway::task
