#include "sim/exec/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "tests/unit/exec/small_kernels.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;

std::string Written(const Kernel& kernel) {
  std::ostringstream out;
  WriteTimeline(out, kernel, Simulate(kernel, ValueMode::kNone).value());
  return out.str();
}

TEST(Timeline, BarsOfOneTrackNeverOverlap) {
  const Timeline timeline =
      LayOutTimeline(Simulate(RunningSum(40, 20, false), ValueMode::kNone).value());
  ASSERT_EQ(timeline.slices.size(), 121U);
  std::map<int, std::map<Picoseconds, Picoseconds>> tracks;
  for (const TimelineSlice& slice : timeline.slices) {
    EXPECT_TRUE(tracks[slice.track].emplace(slice.begin, slice.end).second);
  }
  for (const auto& [track, bars] : tracks) {
    Picoseconds end;
    for (const auto& [begin, bar_end] : bars) {
      EXPECT_GE(begin, end) << "track " << timeline.tracks[static_cast<std::size_t>(track)];
      end = bar_end;
    }
  }
}

TEST(Timeline, OverlappingTransfersOfOneQueueGetTracksOfTheirOwn) {
  // Narrow loads of one queue, each on a DMA engine of its own.
  KernelBuilder b("narrow", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {8, kColumns}, Role::kInput);
  for (int i = 0; i < 2; ++i) {
    const TensorId tile =
        b.Sbuf("t" + std::to_string(i), DType::kFloat32, {8, kColumns}, AtByte(i * 256));
    b.Copy(b.Whole(tile), b.Whole(x).Tile(0, 8, 0, kColumns));
  }
  Target target = Trn2();
  target.dma_queues.value = 1;
  target.dma_issue_floor.value = Picoseconds(0);
  const SimReport report = Simulate(b.Build(), ValueMode::kNone, {}, target).value();
  EXPECT_THAT(LayOutTimeline(report).tracks,
              ::testing::ElementsAre("pe", "act", "pool", "dve", "sp", "q0", "q0.1"));
}

TEST(Timeline, TheFileIsTheSameEveryTime) {
  const Kernel kernel = RunningSum(5, 2, true);
  const std::string text = Written(kernel);
  EXPECT_EQ(text, Written(kernel));
  EXPECT_THAT(text, HasSubstr(R"({"name":"dma_copy slot1","cat":"data","ph":"X","pid":2)"));
  EXPECT_THAT(text, HasSubstr(R"("ts":1.300000,"dur":0.840000)"));
}

TEST(Timeline, NamesAreEscaped) {
  Kernel kernel = RunningSum(1, 1, true);
  kernel.instructions[InstructionId(0)].src = "a \"b\"\\\n";
  EXPECT_THAT(Written(kernel), HasSubstr(R"("src":"a \"b\"\\\u000a")"));
}

TEST(Timeline, AFileThatCannotBeWrittenIsAnError) {
  const Kernel kernel = RunningSum(1, 1, true);
  const auto result =
      WriteTimelineFile("/nonexistent/t.json", kernel, Simulate(kernel, ValueMode::kNone).value());
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, Kind::kFile);
}

}  // namespace
}  // namespace spillway
