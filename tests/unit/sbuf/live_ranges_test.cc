// Lives in the picture: one column a point, '#' where the tensor must be kept.
#include "model/alloc/sbuf/live_ranges.h"

#include <gtest/gtest.h>

#include "model/alloc/ir/live_intervals.h"
#include "model/alloc/sbuf/intervals.h"
#include "tests/unit/sbuf/small_kernel.h"

namespace spillway {
namespace {

constexpr Bytes kGranule{8};

std::string Life(const SmallKernel& k, TensorId t) {
  const LinearKernel linear = k.Linear();
  const auto ranges = FindLiveRanges(linear, kGranule);
  std::string picture(linear.point_count(), '.');
  for (std::size_t p = 0; p < picture.size(); ++p) {
    if (ranges[t] && ranges[t]->life.Contains(PointId(p))) picture[p] = '#';
  }
  return picture;
}

LiveRange RangeOf(const SmallKernel& k, TensorId t) {
  return *FindLiveRanges(k.Linear(), kGranule)[t];
}

TEST(LiveRange, RunsFromTheDefinitionThroughTheLastUse) {
  SmallKernel k;
  const TensorId a = k.Sbuf("a", 8);
  const TensorId t = k.Sbuf("t", 8);
  k.Write(a);
  k.Write(t);
  k.Read(t);
  k.Read(t);
  k.Read(a);
  EXPECT_EQ(Life(k, t), ".###.");
}

TEST(LiveRange, ADeadDefinitionHoldsItsPoint) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Write(t);
  k.Write(k.Sbuf("a", 8));
  EXPECT_EQ(Life(k, t), "#.");
}

TEST(LiveRange, AUseInADeeperLoopKeepsTheTensorThroughTheWholeLoop) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  const TensorId a = k.Sbuf("a", 8);
  k.Write(t);      // 0
  k.Loop("i", 2);  // 1
  k.Read(t);       // 2
  k.Write(a);      // 3
  k.End();         // 4
  k.Write(a);      // 5
  EXPECT_EQ(Life(k, t), "#####.");
}

TEST(LiveRange, ADefinitionInADeeperLoopStartsAtTheLoopsHeader) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  const TensorId a = k.Sbuf("a", 8);
  k.Write(a);      // 0
  k.Loop("i", 2);  // 1
  k.Write(a);      // 2
  k.Write(t);      // 3
  k.End();         // 4
  k.Read(t);       // 5
  EXPECT_EQ(Life(k, t), ".#####");
}

TEST(LiveRange, TheOutermostLoopThatExcludesTheDefinitionCounts) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  const TensorId a = k.Sbuf("a", 8);
  k.Write(t);      // 0
  k.Loop("i", 2);  // 1
  k.Loop("j", 2);  // 2
  k.Read(t);       // 3
  k.End();         // 4
  k.Write(a);      // 5
  k.End();         // 6
  EXPECT_EQ(Life(k, t), "#######");
}

TEST(LiveRange, AValueOfOneIterationDiesInIt) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  const TensorId a = k.Sbuf("a", 8);
  k.Loop("i", 2);  // 0
  k.Write(a);      // 1
  k.Write(t);      // 2
  k.Read(t);       // 3
  k.Write(a);      // 4
  k.End();         // 5
  EXPECT_EQ(Life(k, t), "..##..");
}

TEST(LiveRange, AValueOfThePreviousIterationIsLiveOverTheWholeLoop) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  const TensorId a = k.Sbuf("a", 8);
  k.Loop("i", 2);  // 0
  k.Write(a);      // 1
  k.Read(t);       // 2
  k.Write(t);      // 3
  k.End();         // 4
  EXPECT_EQ(Life(k, t), "#####");
}

TEST(LiveRange, APredicatedDefinitionLeavesTheOldValueAlive) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Loop("i", 2);                            // 0
  k.Write(k.Sbuf("a", 8));                   // 1
  k.Write(t).When(Equals(k.Index("i"), 0));  // 2
  k.Read(t);                                 // 3
  k.End();                                   // 4
  EXPECT_EQ(Life(k, t), "#####");
}

TEST(LiveRange, AUseUnderThePredicateOfItsDefinitionIsCovered) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Loop("i", 2);                            // 0
  k.Write(k.Sbuf("a", 8));                   // 1
  k.Write(t).When(Equals(k.Index("i"), 0));  // 2
  k.Read(t).When(Equals(k.Index("i"), 0));   // 3
  k.End();                                   // 4
  EXPECT_EQ(Life(k, t), "..##.");
}

TEST(LiveRange, APartialDefinitionLeavesTheOldValueAlive) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Loop("i", 2);                        // 0
  k.Write(k.Sbuf("a", 8));               // 1
  k.Write(k.b.Whole(t).Elements(0, 7));  // 2
  k.Read(t);                             // 3
  k.End();                               // 4
  EXPECT_EQ(Life(k, t), "#####");
}

TEST(LiveRange, ACombOfManyTeethIsAPartialDefinition) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 519);
  k.Loop("i", 2);                                // 0
  k.Write(k.Sbuf("a", 8));                       // 1
  k.Write(k.b.Whole(t).Pattern(0, {{2, 260}}));  // 2
  k.Read(t);                                     // 3
  k.End();                                       // 4
  EXPECT_EQ(Life(k, t), "#####");
}

TEST(LiveRange, ACombCoversAReadOfTheSameComb) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 519);
  k.Loop("i", 2);                                       // 0
  k.Write(k.b.Whole(t).Pattern(0, {{2, 260}}));         // 1
  k.Read(k.b.Whole(t).Pattern(0, {{0, 2}, {2, 260}}));  // 2
  k.End();                                              // 3
  EXPECT_EQ(Life(k, t), ".##.");
}

TEST(LiveRange, AWholeDefinitionCoversAReadAtAMovingPlace) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Loop("i", 2);                                                                // 0
  k.Write(t);                                                                    // 1
  k.Loop("j", 4);                                                                // 2
  k.Read(k.b.Whole(t).Elements(k.Index("j") * 2, 2));                            // 3
  k.Read(k.b.Whole(t).Partitions((k.Index("j") * 32) % 64, 32).Elements(4, 4));  // 4
  k.End();                                                                       // 5
  k.End();                                                                       // 6
  EXPECT_EQ(Life(k, t), ".#####.");
}

TEST(LiveRange, AHalfThatIsWrittenDoesNotCoverAReadAtAMovingPlace) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Loop("i", 2);                                      // 0
  k.Write(k.b.Whole(t).Elements(0, 4));                // 1
  k.Read(k.b.Whole(t).Elements(k.Index("i") * 4, 4));  // 2
  k.End();                                             // 3
  EXPECT_EQ(Life(k, t), "####");
}

TEST(LiveRange, ColumnsThatALoopWritesCoverTheWhole) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Loop("i", 2);                                       // 0
  k.Write(k.Sbuf("a", 8));                              // 1
  k.Loop("j", 4);                                       // 2
  k.Write(k.b.Whole(t).Elements(k.Index("j") * 2, 2));  // 3
  k.End();                                              // 4
  k.Read(t);                                            // 5
  k.End();                                              // 6
  EXPECT_EQ(Life(k, t), "..####.");
}

TEST(LiveRange, ALoopThatMayNotRunDefinesNothing) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Loop("i", 2);                                  // 0
  k.Write(k.Sbuf("a", 8));                         // 1
  k.b.OpenLoop("j", 0, 4, 1, LoopKind::kDynamic);  // 2
  k.Write(t);                                      // 3
  k.End();                                         // 4
  k.Read(t);                                       // 5
  k.End();                                         // 6
  EXPECT_EQ(Life(k, t), "#######");
}

TEST(LiveRange, AccumulationReadsWhatItReplaces) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Loop("i", 2);                       // 0
  k.Write(k.Sbuf("a", 8));              // 1
  k.Write(t).Attr("accumulate", true);  // 2
  k.End();                              // 3
  EXPECT_EQ(Life(k, t), "####");
}

TEST(LiveRange, InputsHoldTheirValueFromTheStartAndOutputsToTheEnd) {
  SmallKernel k;
  const TensorId in = k.Sbuf("in", 8, 128, {.role = Role::kInput, .blocks = {2}});
  const TensorId out = k.Sbuf("out", 8, 128, {.role = Role::kOutput, .blocks = {2}});
  k.Write(k.Sbuf("a", 8));                        // 0
  k.Loop("i", 2);                                 // 1
  k.Read(k.b.Whole(in).Block({k.Index("i")}));    // 2
  k.Write(k.b.Whole(out).Block({k.Index("i")}));  // 3
  k.End();                                        // 4
  k.Write(k.Sbuf("b", 8));                        // 5
  EXPECT_EQ(Life(k, in), "#####.");
  EXPECT_EQ(Life(k, out), ".#####");
  // Blocks are live together although each is touched in one iteration alone.
  EXPECT_EQ(RangeOf(k, in).live_blocks, 2);
  EXPECT_EQ(RangeOf(k, out).live_blocks, 2);
}

// DRAM is one row of bytes: a home whose first part is written doesn't hold the second part yet.
TEST(LiveIntervals, APartOfADramTensorDoesNotCoverAnotherPart) {
  SmallKernel k;
  const TensorId home = k.b.Dram("home", DType::kUint8, {2048});
  const TensorId t = k.Sbuf("t", 8);
  k.Loop("i", 2);                                                // 0
  k.Write(t);                                                    // 1
  k.b.Copy(k.b.Whole(home).Elements(0, 1024), k.b.Whole(t));     // 2
  k.b.Copy(k.b.Whole(t), k.b.Whole(home).Elements(1024, 1024));  // 3
  k.b.Copy(k.b.Whole(home).Elements(1024, 1024), k.b.Whole(t));  // 4
  k.End();                                                       // 5
  EXPECT_EQ(LiveIntervals(k.Linear())[home], (Interval<PointId>{PointId(0), PointId(6)}));
}

TEST(LiveRange, RoundsBlocksUpToTheGranule) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 9);
  k.Write(t);
  EXPECT_EQ(RangeOf(k, t).block_bytes, Bytes(16));
}

TEST(ShrinkFactor, BlocksThatEachServeOneIterationShareAPlace) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8, 128, {.blocks = {4}});
  k.Loop("i", 4);
  k.Write(k.b.Whole(t).Block({k.Index("i")}));
  k.Read(k.b.Whole(t).Block({k.Index("i")}));
  k.End();
  EXPECT_EQ(RangeOf(k, t).live_blocks, 1);
  EXPECT_EQ(RangeOf(k, t).slot, (std::vector<std::int64_t>{0, 0, 0, 0}));
}

TEST(ShrinkFactor, IsTheProductOfTheAxesWhoseBlocksNeverMeet) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8, 128, {.blocks = {2, 3}});
  k.Loop("i", 2);
  for (int j = 0; j < 3; ++j) k.Write(k.b.Whole(t).Block({k.Index("i"), j}));
  for (int j = 0; j < 3; ++j) k.Read(k.b.Whole(t).Block({k.Index("i"), j}));
  k.End();
  // Axis 0 serves one iteration of i at a time; the blocks of axis 1 are live together.
  EXPECT_EQ(RangeOf(k, t).live_blocks, 3);
  EXPECT_EQ(RangeOf(k, t).slot, (std::vector<std::int64_t>{0, 1, 2, 0, 1, 2}));
}

/// Live blocks of a tensor of two blocks, written as block `i mod 2` in a loop.
template <class Rest>
std::int64_t LiveBlocks(Rest rest, TensorOptions options = {.blocks = {2}}) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8, 128, std::move(options));
  k.Loop("i", 4);
  k.Write(k.b.Whole(t).Block({k.Index("i") % 2}));
  rest(k, t);
  return RangeOf(k, t).live_blocks;
}

TEST(ShrinkFactor, StaysOneWhereBlocksAreLiveTogether) {
  // Another index, a plain one, a use after the loop, a value of an earlier iteration.
  EXPECT_EQ(LiveBlocks([](SmallKernel& k, TensorId t) {
              k.Read(k.b.Whole(t).Block({(k.Index("i") + 1) % 2}));
              k.End();
            }),
            2);
  EXPECT_EQ(LiveBlocks([](SmallKernel& k, TensorId t) {
              k.Read(k.b.Whole(t).Block({0}));
              k.End();
            }),
            2);
  EXPECT_EQ(LiveBlocks([](SmallKernel& k, TensorId t) {
              k.End();
              k.Read(k.b.Whole(t).Block({1}));
            }),
            2);
  EXPECT_EQ(LiveBlocks([](SmallKernel& k, TensorId t) {
              k.Combine(k.b.Whole(t).Block({k.Index("i") % 2}).Elements(0, 4),
                        k.b.Whole(t).Block({k.Index("i") % 2}),
                        k.b.Whole(t).Block({k.Index("i") % 2}));
              k.End();
            }),
            1);
  EXPECT_EQ(LiveBlocks([](SmallKernel& k, TensorId t) {
              k.Read(k.b.Whole(t).Block({k.Index("i") % 2}));
              k.End();
            }),
            1);
}

TEST(ShrinkFactor, StaysOneWhereAPartialWriteKeepsTheOldValue) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8, 128, {.blocks = {2}});
  k.Loop("i", 4);
  k.Write(k.b.Whole(t).Block({k.Index("i") % 2}).Elements(0, 4));
  k.Read(k.b.Whole(t).Block({k.Index("i") % 2}));
  k.End();
  EXPECT_EQ(RangeOf(k, t).live_blocks, 2);
}

TEST(ShrinkFactor, StaysOneForHandPlacedBlocks) {
  const std::vector<Address> at = {{Partition(0), ByteOffset(0)}, {Partition(0), ByteOffset(8)}};
  EXPECT_EQ(LiveBlocks(
                [](SmallKernel& k, TensorId t) {
                  k.Read(k.b.Whole(t).Block({k.Index("i") % 2}));
                  k.End();
                },
                {.blocks = {2}, .at = at}),
            2);
}

TEST(CreateIntervals, MakesANodePerLiveBlockWithItsClass) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 12, 40, {.blocks = {2}});
  for (int b = 0; b < 2; ++b) k.Write(k.b.Whole(t).Block({b}));
  const LinearKernel linear = k.Linear();
  const Nodes nodes = CreateIntervals(linear.kernel, FindLiveRanges(linear, kGranule),
                                      FindPartners(linear, Bytes(64)), kGranule);
  ASSERT_EQ(nodes.of[t].size(), 2u);
  const Node& node = nodes.all[nodes.of[t][1]];
  EXPECT_EQ(node.block, 1);
  EXPECT_EQ(node.size, Granules(2));
  EXPECT_EQ(node.height, HeightClass::kAnyHalf);
  EXPECT_EQ(node.Area(), 4);
  EXPECT_FALSE(node.fixed.has_value());
}

TEST(CreateIntervals, ReservesHandPlacedBytesOutwardsToGranulesAndQuadrants) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8, 40, {.at = {{Partition(32), ByteOffset(12)}}});
  k.Write(t);
  const LinearKernel linear = k.Linear();
  const Nodes nodes = CreateIntervals(linear.kernel, FindLiveRanges(linear, kGranule),
                                      FindPartners(linear, Bytes(64)), kGranule);
  const Node& node = nodes.all[nodes.of[t][0]];
  ASSERT_TRUE(node.fixed.has_value());
  // Bytes 12 to 20 touch granules 1 and 2; partitions 32 to 72 touch quadrants 1 and 2.
  EXPECT_EQ(node.fixed->lower, 1);
  EXPECT_EQ(node.fixed->upper, 3);
  EXPECT_EQ(node.fixed->quadrants, 0b0110);
  EXPECT_EQ(node.size, Granules(2));
  EXPECT_EQ(node.height, HeightClass::kFull);
}

}  // namespace
}  // namespace spillway
