// Systems of a few lines that unroll to more than fits into memory.
#include <gmock/gmock.h>

#include "model/alloc/task/unroll.h"
#include "tests/unit/task/long_systems.h"
#include "traces/pipeline_reader.h"

namespace spillway::task {
namespace {

using ::testing::HasSubstr;

TEST(UnrollBoundsTest, AccessesAndPartsAreCountedBeforeTheyAreUnrolled) {
  const std::string reads = R"({"matrix": {"read": [)" + Names(1000, "r") + "]}}";
  const std::string waits = R"({"wait": [)" + Names(1024, "p") + "]}";
  const std::string closes = R"({"dma": {"read": ["r0"], "commit": ["p0", "p1"], "release": ["p2",
    "p3", "p4"]}})";
  struct Row {
    std::string text;
    std::string_view expected;  ///< empty: it is unrolled
  };
  const std::string_view accesses = "at most 4000000 accesses of operations";
  const std::string_view parts = "at most 4000000 pipelines named by operations";
  const Row rows[] = {
      {SystemText(1000, 0, TaskText("A", LoopText(1'000'000, reads))), accesses},
      {SystemText(1000, 0, TaskText("A", LoopText(1000, LoopText(5, reads)))), accesses},
      // Neither of them alone.
      {SystemText(
           1000, 0,
           TaskText("A", LoopText(2001, reads)) + ", " + TaskText("B", LoopText(2001, reads))),
       accesses},
      {SystemText(
           1000, 0,
           TaskText("A", LoopText(3, reads) + ", " + LoopText(0, LoopText(1'000'000, reads)))),
       ""},
      {SystemText(1, 1024, TaskText("A", LoopText(1'000'000, waits))), parts},
      {SystemText(1, 5, TaskText("A", LoopText(900'000, closes))), parts},
      {SystemText(1, 1024, TaskText("A", LoopText(2, waits))), ""},
  };
  for (const Row& row : rows) {
    const Result<PipelineSystem> system = ParsePipeline(row.text, "test");
    EXPECT_EQ(system.has_value(), row.expected.empty()) << row.text.substr(row.text.size() - 99);
    if (system || row.expected.empty()) continue;
    EXPECT_EQ(system.error().code, "limit");
    EXPECT_EQ(system.error().kind, Kind::kLimit);
    EXPECT_THAT(system.error().message, HasSubstr(std::string(row.expected)));
  }
}

}  // namespace
}  // namespace spillway::task
