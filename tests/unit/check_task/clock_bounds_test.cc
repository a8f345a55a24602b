// Systems whose clocks have too many numbers.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "model/alloc/check_task/check_system.h"
#include "tests/unit/check_task/numbered.h"
#include "tests/unit/check_task/prepared_system.h"

namespace spillway::task {
namespace {

using ::testing::HasSubstr;

TEST(HappensBeforeBoundsTest, ClocksOfManyTransfersAreRefusedBeforeTheyAreJoined) {
  // 63 tasks that each commit 1,000 pipelines, with a transfer for each: a wait for all of them
  // joins 63,000 clocks of as many numbers.
  const std::string transfers =
      Numbered(1000, R"({{"dma": {{"read": ["r"], "commit": ["p{}"]}}}})");
  std::string tasks;
  for (int i = 0; i < 63; ++i) {
    tasks +=
        fmt::format(R"({{"name": "A{}", "ops": [{{"loop": 3, "ops": [{}]}}]}}, )", i, transfers);
  }
  const PreparedSystem prepared = Prepare(fmt::format(
      R"({{"system": "s", "version": 1, "pipelines": [{}],
    "resources": [{{"name": "r", "regions": [], "initial": true}}],
    "tasks": [{}{{"name": "B", "ops": [{{"loop": 3, "ops": [{{"wait": [{}]}}]}}]}}]}})",
      Numbered(1000, R"({{"name": "p{}", "stages": 1, "producer": "dma", "consumer": "thread"}})"),
      tasks, Numbered(1000, R"("p{}")")));
  const Result<Verdict> verdict = CheckSystem(prepared.system, prepared.program);
  ASSERT_FALSE(verdict.has_value());
  EXPECT_EQ(verdict.error().kind, Kind::kLimit);
  EXPECT_THAT(verdict.error().message, HasSubstr("numbers of clocks to join"));
}

}  // namespace
}  // namespace spillway::task
