// Runs that are shown, of systems of a few lines whose states are large.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "model/alloc/check_task/check_system.h"
#include "model/alloc/check_task/describe_verdict.h"
#include "tests/unit/check_task/numbered.h"
#include "tests/unit/check_task/prepared_system.h"

namespace spillway::task {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<Finding> FindingsOf(const PreparedSystem& prepared) {
  const Verdict verdict = CheckSystem(prepared.system, prepared.program).value();
  return DescribeVerdict(prepared.system, prepared.program, verdict, 16).value();
}

TEST(WitnessBoundsTest, ManyTransfersOnTheirWayAreCountedAndNotListed) {
  constexpr int kTransfers = 100'000;
  const PreparedSystem prepared = Prepare(fmt::format(R"({{"system": "s", "version": 1,
    "pipelines": [{{"name": "q", "stages": 1, "producer": "thread", "consumer": "thread"}}],
    "resources": [{{"name": "r", "regions": [], "initial": true}}],
    "tasks": [{{"name": "A", "ops": [{{"loop": {}, "ops": [{{"dma": {{"read": ["r"]}}}}]}}]}},
              {{"name": "B", "ops": [{{"wait": "q"}}]}}]}})",
                                                      kTransfers));
  const std::vector<Finding> findings = FindingsOf(prepared);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].kind, Kind::kDeadlock);
  const Witness& witness = findings[0].witness.value();
  EXPECT_EQ(witness.events, 2 * kTransfers);
  EXPECT_THAT(witness.rows, SizeIs(kMaxWitnessRows));
  EXPECT_EQ(witness.skipped_rows, 2 * kTransfers - 200);
  // The last 200 are done one after the other.
  EXPECT_EQ(witness.rows.front().cells.front().second, "dma read r #99800 done");
  ASSERT_THAT(witness.rows.front().in_progress, SizeIs(kMaxInProgress + 1));
  EXPECT_EQ(witness.rows.front().in_progress.front(), "A.dma read r #99801");
  EXPECT_EQ(witness.rows.front().in_progress.back(), "and 183 more");
  EXPECT_THAT(witness.rows[witness.rows.size() - 2].in_progress,
              ElementsAre("A.dma read r #99999"));
  EXPECT_THAT(witness.rows.back().in_progress, IsEmpty());
}

TEST(WitnessBoundsTest, BothStepsOfARaceAreNamedHoweverManyAreOnTheirWay) {
  const PreparedSystem prepared = Prepare(R"({"system": "s", "version": 1,
    "allocations": [{"name": "m", "space": "smem", "size": 64}],
    "resources": [{"name": "r", "regions": [], "initial": true},
                  {"name": "w", "regions": [{"allocation": "m"}]}],
    "tasks": [{"name": "A", "ops": [{"loop": 20, "ops": [{"dma": {"read": ["r"]}}]},
                                    {"dma": {"write": ["w"]}}]},
              {"name": "B", "ops": [{"write": "w"}]}]})");
  const std::vector<Finding> findings = FindingsOf(prepared);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].kind, Kind::kRace);
  const std::vector<std::string>& last = findings[0].witness.value().rows.back().in_progress;
  EXPECT_THAT(last, SizeIs(kMaxInProgress + 1));
  EXPECT_THAT(last, Contains("A.dma write w #0"));
  EXPECT_THAT(last, Contains("B write w #0"));
  EXPECT_EQ(last.back(), "and 6 more");
}

TEST(WitnessBoundsTest, AStepOfManyAccessesNamesTheFirstOnes) {
  const PreparedSystem prepared = Prepare(
      fmt::format(R"({{"system": "s", "version": 1,
    "pipelines": [{{"name": "q", "stages": 1, "producer": "thread", "consumer": "thread"}}],
    "resources": [{}],
    "tasks": [{{"name": "A", "ops": [{{"matrix": {{"read": [{}]}}}}]}},
              {{"name": "B", "ops": [{{"wait": "q"}}]}}]}})",
                  Numbered(40, R"({{"name": "r{}", "regions": []}})"), Numbered(40, R"("r{}")")));
  const Witness witness = FindingsOf(prepared).at(0).witness.value();
  ASSERT_THAT(witness.rows, SizeIs(2u));
  EXPECT_THAT(witness.rows[0].cells[0].second, HasSubstr("read r15 #0 and 24 more issued"));
  EXPECT_THAT(witness.rows[0].in_progress, ElementsAre(EndsWith("read r15 #0 and 24 more")));
}

TEST(FindBlockedBoundsTest, APartIsFoundWithoutAWalkThroughItsTask) {
  // Each of 1,000 pipelines lacks the commit that stands behind A's wait, at the end of a long
  // task.
  const std::string all = Numbered(1000, R"("p{}")");
  const PreparedSystem prepared = Prepare(fmt::format(
      R"({{"system": "s", "version": 1,
    "pipelines": [{}, {{"name": "q", "stages": 1, "producer": "thread", "consumer": "thread"}}],
    "resources": [{{"name": "r", "regions": [], "initial": true}}],
    "tasks": [{{"name": "A", "ops": [{{"loop": 100000, "ops": [{{"read": "r"}}]}}, {{"wait": "q"}},
                                     {{"commit": [{}]}}]}},
              {{"name": "B", "ops": [{{"wait": [{}]}}, {{"commit": "q"}}]}}]}})",
      Numbered(1000,
               R"({{"name": "p{}", "stages": 1, "producer": "thread", "consumer": "thread"}})"),
      all, all));
  const Verdict verdict = CheckSystem(prepared.system, prepared.program).value();
  ASSERT_THAT(verdict.blocked, SizeIs(2u));
  EXPECT_THAT(verdict.blocked[1].text,
              HasSubstr("fill #0 of p0 lacks commit #0 of A, which is blocked itself; "));
  EXPECT_THAT(verdict.blocked[1].text, EndsWith(" more pipelines, untold"));
}

}  // namespace
}  // namespace spillway::task
