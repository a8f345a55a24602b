#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/tool/html_chart.h"
#include "sim/tool/html_engines.h"
#include "sim/tool/html_memory.h"
#include "sim/tool/html_quadrants.h"
#include "tests/unit/tool/markup.h"
#include "tests/unit/tool/sample_run.h"

namespace spillway::html {
namespace {

std::string MapOf(const KernelRun& run) { return SbufMap(run, PlacedBlocks(run)); }

TEST(HtmlPictures, StepCurvesTurnOnlyWhereTheValueChanges) {
  EXPECT_EQ(StepArea({0, 0, 0}, 100, 50), "");
  EXPECT_EQ(StepArea({1, 1, 0.5, 0.5}, 100, 50),
            fmt::format("M78 50H{}V75H990V100H78Z", 78 + 912 / 2));
  EXPECT_EQ(StepArea({0, 7}, 100, 50), fmt::format("M78 100H{}V50H990V100H78Z", 78 + 912 / 2));
}

TEST(HtmlPictures, TicksAreRoundAndFew) {
  EXPECT_EQ(RoundTicks(7, 10), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(RoundTicks(95, 4), (std::vector<std::int64_t>{0, 20, 40, 60, 80}));
  EXPECT_EQ(BinaryTicks(2048, 4), (std::vector<std::int64_t>{0, 512, 1024, 1536, 2048}));
  EXPECT_EQ(RoundTicks(0, 4), (std::vector<std::int64_t>{0}));
}

TEST(HtmlPictures, OnlyNeighbouringQuadrantsWithTheSameBlocksShareAPanel) {
  const KernelRun run = SampleRun();
  const std::vector<PlacedBlock> blocks = PlacedBlocks(run);
  const std::vector<QuadrantGroup> groups = GroupQuadrants(run, blocks);
  ASSERT_EQ(groups.size(), 3u);  // 0; 1 with `low`; 2 and 3
  EXPECT_EQ(groups[1].blocks.size(), 3u);
  EXPECT_EQ(GroupName(run, groups[1]), "partitions 32–63 (quadrant 1)");
  EXPECT_EQ(GroupName(run, groups[2]), "partitions 64–127 (quadrants 2–3)");
}

TEST(HtmlPictures, ABlockIsARectangleOverItsLifeAndBytes) {
  // Two blocks that reach every quadrant: one panel of 300 pixels for 2,048 + 256 bytes, its
  // bottom at 320; points 0 to 7 over 912 pixels from 78 on.
  KernelRun run = SampleRun();
  run.allocation->placement.addresses[TensorId(4)].clear();
  const std::string map = MapOf(run);
  EXPECT_EQ(CountOf(map, "<svg viewBox=\"0 0 1000"), 1u);
  EXPECT_NE(map.find("<g class=\"ordinary\">\n<rect x=\"78\" y=\"253.3\" width=\"520.6\" "
                     "height=\"66.2\"><title>a\n"
                     "partitions 0–127, bytes 0–511 (512)\npoints 0–3</title></rect>"),
            std::string::npos)
      << map;
  EXPECT_NE(map.find("<g class=\"copy\">\n<rect x=\"338.6\" y=\"186.7\""), std::string::npos)
      << map;
  EXPECT_NE(map.find(">capacity 2,048<"), std::string::npos);
}

TEST(HtmlPictures, ARectangleWithRoomShowsItsName) {
  KernelRun run = SampleRun({.tensor = std::string(300, 'n')});
  const std::string map = MapOf(run);
  EXPECT_EQ(CountOf(map, "<text class=\"name\""), 7u);  // two in three panels, low in one
  EXPECT_EQ(CountOf(map, ">copy</text>"), 3u);
  // 521 pixels hold 73 letters.
  EXPECT_EQ(CountOf(map, ">" + std::string(48, 'n') + "…" + std::string(25, 'n') + "</text>"), 3u);
}

TEST(HtmlPictures, KindsHaveStylesOfTheirOwn) {
  const std::string map = MapOf(SampleRun());
  EXPECT_EQ(CountOf(map, "<g class=\"ordinary\">"), 3u);
  EXPECT_EQ(CountOf(map, "<g class=\"copy\">"), 3u);
  EXPECT_EQ(CountOf(map, "<g class=\"fixed\">"), 1u);
  EXPECT_NE(map.find("placed by the author: 1"), std::string::npos);
}

TEST(HtmlPictures, BlocksBelowAPixelMergeIntoCellsAndAreCounted) {
  KernelRun run = SampleRun();
  KernelBuilder b("thin", "trn2");
  Placement placement;
  const TensorId large = b.Sbuf("large", DType::kFloat32, {128, 16384});
  const TensorId thin = b.Sbuf("thin", DType::kFloat32, {128, 1});
  b.Instruction("memset").Out("dst", b.Whole(large));
  b.Instruction("memset").Out("dst", b.Whole(thin));
  placement.addresses.push_back({{Partition(0), ByteOffset(0)}});
  placement.addresses.push_back({{Partition(0), ByteOffset(131072)}});
  run.allocation->kernel = b.Build();
  run.allocation->placement = placement;
  run.simulation.reset();
  run.report.sbuf.capacity_bytes = Bytes(196608);
  const std::string map = MapOf(run);
  EXPECT_EQ(CountOf(map, "<title>"), 1u);
  EXPECT_NE(map.find("1 rectangle drawn one by one; 1 too small"), std::string::npos) << map;
  EXPECT_EQ(CountOf(map, "<path class=\"cells ordinary\" d=\"M534 "), 1u) << map;
}

TEST(HtmlPictures, ASmallKernelIsShownLargeWithTheCapacityNamed) {
  KernelRun run = SampleRun();
  run.report.sbuf.capacity_bytes = Bytes(196608);
  const std::string map = MapOf(run);
  EXPECT_NE(map.find("capacity 196,608; shown here: the lowest 0.8%"), std::string::npos) << map;
  EXPECT_EQ(map.find("class=\"capacity\""), std::string::npos);
}

TEST(HtmlPictures, LoopsLieAboveTheMap) {
  KernelRun run = SampleRun();
  KernelBuilder b("loop", "trn2");
  const TensorId t = b.Sbuf("t", DType::kFloat32, {128, 16});
  b.OpenLoop("i", 0, 8, 2);
  b.Instruction("memset").Out("dst", b.Whole(t));
  b.CloseLoop();
  run.allocation->kernel = b.Build();
  run.allocation->placement.addresses = {};
  run.allocation->placement.addresses.push_back({{Partition(0), ByteOffset(0)}});
  run.simulation.reset();
  EXPECT_NE(MapOf(run).find("<title>loop i: 0 to 8 step 2, 4 iterations\npoints 0–2</title>"),
            std::string::npos);
}

TEST(HtmlPictures, PressureIsTheSumOfWhatIsLive) {
  const KernelRun run = SampleRun();
  const std::vector<PlacedBlock> blocks = PlacedBlocks(run);
  std::vector<const PlacedBlock*> sbuf;
  for (const PlacedBlock& block : blocks) {
    if (block.space == Space::kSbuf) sbuf.push_back(&block);
  }
  EXPECT_EQ(LiveBytes(sbuf, 7), (std::vector<std::int64_t>{512, 768, 1280, 1280, 768, 768, 256}));
  EXPECT_NE(SbufPressure(run, blocks).find("capacity 2,048, peak 1,280 (62.5%)"),
            std::string::npos);
}

TEST(HtmlPictures, APsumBlockFillsItsShareOfItsBank) {
  const KernelRun run = SampleRun();
  const std::string banks = PsumBanks(run, PlacedBlocks(run));
  // Bank 1 is the second row: its bottom at 4 + 20 + 16; a quarter of 16 pixels from point 3 to 5.
  EXPECT_EQ(CountOf(banks, "<path class=\"ordinary\""), 1u);
  EXPECT_NE(banks.find("d=\"M78 40H468.9V36H729.4V40H990V40H78Z\""), std::string::npos) << banks;
  EXPECT_EQ(CountOf(banks, "class=\"track\""), 8u);
}

TEST(HtmlPictures, SavesAndReloadsStandOutInTheTimeline) {
  const std::string timeline = EngineTimeline(SampleRun());
  EXPECT_EQ(CountOf(timeline, "<rect class=\"reload one\""), 1u);
  EXPECT_EQ(CountOf(timeline, "<rect class=\"save one\""), 1u);
  EXPECT_EQ(CountOf(timeline, "<rect class=\"ordinary one\""), 5u);
  EXPECT_EQ(CountOf(timeline, "class=\"track\""), 6u);  // pe, dve and four queues
  EXPECT_NE(timeline.find("<title>dma_copy (instance 0)\n0 ns to 1 µs\nkernel.py:12</title>"),
            std::string::npos)
      << timeline;
}

TEST(HtmlPictures, AFullRowShowsItsBusyShare) {
  KernelRun run = SampleRun();
  SimReport& simulation = *run.simulation;
  // Half of the time busy, in a thousand pieces, then idle for as long.
  for (std::int64_t i = 0; i < 1000; ++i) {
    simulation.lowered.program.AddCompute(Engine::kPool, Picoseconds(1), {});
    simulation.lowered.sequence.instances.push_back({InstructionId(0), 0});
    const Picoseconds begin(i * 1000);
    simulation.run.times.push_back({begin, begin, begin + Picoseconds(500)});
  }
  for (InstanceTimes& times : simulation.run.times) {
    if (times.finish > Picoseconds(2 * kMicrosecond)) times = {};
  }
  const std::string timeline = EngineTimeline(run);
  EXPECT_EQ(CountOf(timeline, "<path class=\"ordinary\""), 1u);
  EXPECT_NE(timeline.find("1 row has more than 250 instances"), std::string::npos) << timeline;
}

TEST(HtmlPictures, InstancesThatNeverRanAreNotDrawn) {
  KernelRun run = SampleRun();
  run.simulation->run.times[5] = {};
  run.simulation->run.times[6].finish = Picoseconds(-1);
  EXPECT_EQ(CountOf(EngineTimeline(run), "one\""), 5u);
  EXPECT_EQ(FaultOf(EngineTimeline(run)), "");
}

}  // namespace
}  // namespace spillway::html
