// Lists of very many names.
#include <gmock/gmock.h>

#include "tests/unit/task/long_systems.h"
#include "traces/pipeline_reader.h"

namespace spillway::task {
namespace {

using ::testing::HasSubstr;

TEST(PipelineReaderBoundsTest, LongListsOfNamesAreReadInOneWalk) {
  constexpr int kNames = 50'000;
  const std::string reads = R"({"matrix": {"read": [)" + Names(kNames, "r");
  const auto with = [&](const std::string& in_list, const std::string& in_shares) {
    std::string text = SystemText(kNames, 0, TaskText("A", reads + in_list + "]}}"));
    text.insert(text.find("], \"tasks\""), R"(, {"name": "s", "regions": [], "shares": [)" +
                                               Names(kNames, "r") + in_shares + "]}");
    return ParsePipeline(text, "test");
  };
  const Result<PipelineSystem> system = with("", "");
  ASSERT_TRUE(system.has_value()) << system.error().ToString();
  EXPECT_EQ(system->tasks[TaskId(0)].operations[0].accesses.size(), std::size_t{kNames});
  EXPECT_EQ(system->resources[ResourceId(kNames)].shares.size(), std::size_t{kNames});
  // A name that stands far before is still found.
  const Result<PipelineSystem> access = with(R"(, "r0")", "");
  ASSERT_FALSE(access.has_value());
  EXPECT_EQ(access.error().code, "duplicate-name");
  EXPECT_THAT(access.error().message, HasSubstr("matrix.read[50000]"));
  // The other side is another access.
  EXPECT_TRUE(with(R"(, {"resource": "r0", "side": "producer"})", "").has_value());
  const Result<PipelineSystem> share = with("", R"(, "r1")");
  ASSERT_FALSE(share.has_value());
  EXPECT_EQ(share.error().code, "duplicate-name");
  EXPECT_THAT(share.error().message, HasSubstr("shares[50000]"));
}

}  // namespace
}  // namespace spillway::task
