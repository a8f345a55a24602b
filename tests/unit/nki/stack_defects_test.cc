// The defects that the library's stack manager has or had, with the inputs that show them.
// Source: nki_kernels_and_issues.md 3.2, A1 to A6; nki_surface.md, the older version.
#include <gmock/gmock.h>

#include "tests/unit/nki/stack_fixture.h"

namespace spillway::nki {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

//  0  1        32                       84     100   115
//  |a|         |<- 83 bytes, aligned ---|---------->|
//                                       | heap |
TEST(StackDefects, A1StackFrameIsAlignedBeforeItIsMeasured) {
  StackManager manager = Manager(0, 100);
  ASSERT_EQ(ByteOf(manager.AllocHeap(Tile("heap", 16))), 84);
  ASSERT_TRUE(manager.OpenScope().has_value());
  ASSERT_EQ(ByteOf(manager.AllocStack(Tile("a", 1))), 0);
  const auto tile = manager.AllocStack(Tile("b", 83, Bytes(32)));
  ASSERT_FALSE(tile.has_value()) << "83 bytes fit into [1, 84), but not from 32 on";
  EXPECT_EQ(tile.error().code, "stack-out-of-memory");
  EXPECT_THAT(tile.error().message,
              AllOf(HasSubstr("83 B per partition, which aligned to 32 is [32, 115)"),
                    HasSubstr("83 B are free, from stack 1 to heap 84")));
  EXPECT_EQ(manager.FreeBytes(), Bytes(83)) << "never negative";
  EXPECT_EQ(ByteOf(manager.AllocStack(Tile("c", 52, Bytes(32)))), 32) << "[32, 84) does fit";
  EXPECT_EQ(manager.FreeBytes(), Bytes(0));
}

TEST(StackDefects, A1AnAlignedCursorStaysBelowTheHeap) {
  StackManager manager = Manager(0, 100);
  ASSERT_TRUE(manager.OpenScope().has_value());
  ASSERT_TRUE(manager.AllocStack(Tile("a", 65)).has_value());
  EXPECT_TRUE(manager.AlignStack(Bytes(32)).has_value());
  EXPECT_EQ(manager.StackAddress(), ByteOffset(96));
  ASSERT_TRUE(manager.AllocStack(Tile("b", 1)).has_value());
  EXPECT_EQ(CodeOf(manager.AlignStack(Bytes(32))), "stack-cursor-out-of-memory");
  EXPECT_EQ(manager.StackAddress(), ByteOffset(97));
}

TEST(StackDefects, A2TheHeapHonoursTheAlignmentThatWasAskedFor) {
  StackManager manager = Manager(0, 1000);
  EXPECT_EQ(ByteOf(manager.AllocHeap(Tile("h", 20, Bytes(32)))), 960) << "not 972";
}

TEST(StackDefects, A3APopRestoresTheCursorOfBeforeTheTile) {
  StackManager manager = Manager(0, 1000);
  ASSERT_TRUE(manager.AllocHeap(Tile("h", 2)).has_value());
  ASSERT_TRUE(manager.PopHeap().has_value());
  EXPECT_EQ(manager.HeapAddress(), ByteOffset(1000)) << "4 bytes stay lost otherwise";
  ASSERT_TRUE(manager.AllocHeap(Tile("h", 20, Bytes(32))).has_value());
  ASSERT_TRUE(manager.PopHeap().has_value());
  EXPECT_EQ(manager.HeapAddress(), ByteOffset(1000)) << "8 bytes stay lost otherwise";
}

TEST(StackDefects, A4ATileStartsAndEndsWhereItsHeightAllows) {
  StackManager manager = Manager(0, 1000);
  ASSERT_TRUE(manager.OpenScope().has_value());
  const auto tile = manager.AllocStack({"t", {64, 4}, "float32", Space::kSbuf, Partition(96), {}});
  ASSERT_FALSE(tile.has_value());
  EXPECT_EQ(tile.error().kind, Kind::kStartPartition);
  EXPECT_THAT(tile.error().message, HasSubstr("would take partitions [96, 160)"));
  EXPECT_EQ(CodeOf(manager.AllocHeap({"h", {64, 4}, "float32", Space::kSbuf, Partition(96), {}})),
            "tile-start-partition");
  EXPECT_EQ(CodeOf(manager.AllocStack({"t", {129, 4}, "float32", Space::kSbuf, {}, {}})),
            "tile-partition-range");
  EXPECT_EQ(manager.StackAddress(), ByteOffset(0));
}

//  partitions 0   32  64  96 128
//  bytes 0..64  |a|            |      a and b could lie side by side, yet
//      64..128  |   |b|        |      each takes its bytes of every partition
TEST(StackDefects, A5WhatLiesBesideShortTilesIsReportedAsWaste) {
  StackManager manager = Manager(0, 1000);
  ASSERT_TRUE(manager.OpenScope().has_value());
  const auto short_tile = [](const char* name, int base) {
    return TileRequest{name, {32, 64}, "uint8", Space::kSbuf, Partition(base), {}};
  };
  EXPECT_EQ(ByteOf(manager.AllocStack(short_tile("a", 0))), 0);
  EXPECT_EQ(ByteOf(manager.AllocStack(short_tile("b", 32))), 64);
  EXPECT_EQ(manager.statistics().max_combined, Bytes(128));
  EXPECT_EQ(manager.statistics().fullest_partition, Bytes(64));
  EXPECT_EQ(manager.statistics().unused_byte_partitions, 128 * 128 - 2 * 64 * 32);
  ASSERT_TRUE(manager.CloseScope().has_value());
  EXPECT_EQ(manager.Finish()->statistics.fullest_partition, Bytes(64)) << "of the peak";
}

// Iterations of 100, 300, 200 and 100 bytes in a scope of two sections.
TEST(StackDefects, A6ASectionThatOverlapsItsDirectNeighbourNeedsADependenceCheck) {
  StackManager manager = Manager(0, 1000);
  ASSERT_TRUE(manager.OpenScope(2, "loop").has_value());
  std::vector<std::int64_t> starts;
  for (const std::int64_t bytes : {100, 300, 200, 100}) {
    starts.push_back(ByteOf(manager.AllocStack(Tile("t", bytes))));
    ASSERT_TRUE(manager.IncrementSection().has_value());
  }
  ASSERT_TRUE(manager.CloseScope().has_value());
  EXPECT_THAT(starts, ElementsAre(0, 100, 0, 200));
  ASSERT_EQ(manager.overlaps().size(), 1u);
  const SectionOverlap& overlap = manager.overlaps().front();
  EXPECT_EQ(overlap.earlier, 1);
  EXPECT_EQ(overlap.later, 2);
  EXPECT_EQ(overlap.shared, (Interval<ByteOffset>{ByteOffset(100), ByteOffset(200)}));
  EXPECT_EQ(overlap.text,
            "scope 'loop' [interleave=2]: iteration 2 (section 0) at bytes [0, 200) overlaps "
            "iteration 1 (section 1) at bytes [100, 400) in [100, 200): sections of unequal size "
            "aren't independent; needs a dependence check");
  EXPECT_EQ(manager.Finish()->overlaps.size(), 1u);
}

TEST(StackDefects, A6EqualSectionsAndTilesOfOtherPartitionsNeedNone) {
  StackManager equal = Manager(0, 1000);
  ASSERT_TRUE(equal.OpenScope(2).has_value());
  StackManager apart = Manager(0, 1000);
  ASSERT_TRUE(apart.OpenScope(2).has_value());
  const std::int64_t bytes[] = {100, 300, 200, 100};
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(equal.AllocStack(Tile("t", 100)).has_value());
    ASSERT_TRUE(equal.IncrementSection().has_value());
    ASSERT_TRUE(
        apart.AllocStack({"t", {32, bytes[i]}, "uint8", Space::kSbuf, Partition(i % 2 * 32), {}}));
    ASSERT_TRUE(apart.IncrementSection().has_value());
  }
  EXPECT_TRUE(equal.overlaps().empty());
  EXPECT_TRUE(apart.overlaps().empty()) << "iterations 1 and 2 share bytes and no partition";
}

TEST(StackDefects, A6OfThreeSectionsTheSecondNeighbourCountsToo) {
  StackManager manager = Manager(0, 1000);
  ASSERT_TRUE(manager.OpenScope(3).has_value());
  //  [0, 10) [10, 20) [20, 30), then [0, 25) over iterations 1 and 2; 0 has had its turn
  for (const std::int64_t bytes : {10, 10, 10, 25}) {
    ASSERT_TRUE(manager.AllocStack(Tile("t", bytes)).has_value());
    ASSERT_TRUE(manager.IncrementSection().has_value());
  }
  ASSERT_EQ(manager.overlaps().size(), 2u);
  EXPECT_EQ(manager.overlaps()[0].earlier, 1);
  EXPECT_EQ(manager.overlaps()[1].earlier, 2);
}

// A heap tile in iteration 2 of a scope of two sections, where iteration 1 is still being read:
//  0        100            400      1000
//  | it. 0  | it. 1        |   free    |
//  | it. 2 …   | heap ----------------->|       the heap's last byte may be 400, and no lower
class HeapOverSection : public testing::TestWithParam<std::int64_t> {};

TEST_P(HeapOverSection, A6IsReportedFromTheFirstSharedByteOn) {
  const std::int64_t base = GetParam();
  StackManager manager = Manager(0, 1000);
  ASSERT_TRUE(manager.OpenScope(2, "loop").has_value());
  ASSERT_EQ(ByteOf(manager.AllocStack(Tile("a", 100))), 0);
  ASSERT_TRUE(manager.IncrementSection().has_value());
  ASSERT_EQ(ByteOf(manager.AllocStack(Tile("b", 300))), 100);
  ASSERT_TRUE(manager.IncrementSection().has_value());
  ASSERT_EQ(ByteOf(manager.AllocHeap(Tile("h", 1000 - base, Bytes(1)))), base);
  if (base >= 400) {
    EXPECT_TRUE(manager.heap_overlaps().empty()) << "it touches iteration 1 at most";
    return;
  }
  ASSERT_EQ(manager.heap_overlaps().size(), 1u);
  const HeapOverlap& overlap = manager.heap_overlaps().front();
  EXPECT_EQ(overlap.earlier, 1);
  EXPECT_EQ(overlap.later, 2);
  EXPECT_EQ(overlap.earlier_tile.name, "b");
  EXPECT_EQ(overlap.later_tile.name, "h");
  EXPECT_EQ(overlap.shared, (Interval<ByteOffset>{ByteOffset(base), ByteOffset(400)}));
  EXPECT_EQ(overlap.text,
            "scope 'loop' [interleave=2]: heap tile 'h' of iteration 2 (section 0) at bytes [" +
                std::to_string(base) +
                ", 1000) lies over stack tile 'b' of iteration 1 (section 1) at bytes [100, 400) "
                "in [" +
                std::to_string(base) +
                ", 400): through the heap, neighbouring sections aren't independent; needs a "
                "dependence check");
  EXPECT_TRUE(manager.overlaps().empty()) << "of the stack, nothing overlaps";
  ASSERT_TRUE(manager.PopHeap().has_value());
  ASSERT_TRUE(manager.CloseScope().has_value());
  EXPECT_EQ(manager.Finish()->heap_overlaps.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(StackDefects, HeapOverSection, testing::Values(401, 400, 399, 150),
                         [](const auto& row) { return std::to_string(row.param); });

// A heap tile of iteration 0 ends its life there; iteration 1 grows up to its place, or into it.
//  0      10                 90   100
//  | it 0 |                  | h  |
//  |      | it. 1 -----------> 90, or 91
TEST(StackDefects, A6ASectionThatGrowsIntoWhatItsNeighboursHeapTileHeldIsReported) {
  for (const std::int64_t bytes : {80, 81}) {
    StackManager manager = Manager(0, 100);
    ASSERT_TRUE(manager.OpenScope(2, "loop").has_value());
    ASSERT_EQ(ByteOf(manager.AllocStack(Tile("a", 10))), 0);
    ASSERT_EQ(ByteOf(manager.AllocHeap(Tile("h", 10, Bytes(1)))), 90);
    ASSERT_TRUE(manager.PopHeap().has_value());
    ASSERT_TRUE(manager.IncrementSection().has_value());
    ASSERT_EQ(ByteOf(manager.AllocStack(Tile("b", bytes))), 10);
    ASSERT_EQ(manager.heap_overlaps().size(), bytes == 80 ? 0u : 1u);
    if (bytes == 80) continue;
    EXPECT_THAT(manager.heap_overlaps().front().text,
                HasSubstr("stack tile 'b' of iteration 1 (section 1) at bytes [10, 91) lies over "
                          "heap tile 'h' popped in iteration 0 (section 0) at bytes [90, 100) in "
                          "[90, 91)"));
  }
}

TEST(StackDefects, A6HeapTilesOfNeighbouringSectionsShareTheirPlace) {
  StackManager manager = Manager(0, 100);
  ASSERT_TRUE(manager.OpenScope(2).has_value());
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(ByteOf(manager.AllocHeap(Tile("h", 8))), 92);
    ASSERT_TRUE(manager.PopHeap().has_value());
    ASSERT_TRUE(manager.IncrementSection().has_value());
  }
  ASSERT_EQ(manager.heap_overlaps().size(), 1u) << "the second over the first";
  EXPECT_EQ(manager.heap_overlaps().front().earlier_tile.region, TileRegion::kHeap);
  EXPECT_EQ(manager.heap_overlaps().front().later_tile.region, TileRegion::kHeap);
}

struct HeapCase {
  const char* what;
  std::int64_t degree = 2;
  int iteration = 1;  // that takes [0, 40) of the stack; the heap takes [10, 100) in iteration 2
  int base = 0;       // partition of the stack's tile; both have 32
  bool closes = false;
  bool automatic = false;
  std::size_t reported = 0;
};

TEST(StackDefects, A6HeapTilesThatNobodyMustBeIndependentOfNeedNoCheck) {
  const HeapCase rows[] = {
      {.what = "the neighbour's place", .reported = 1},
      {.what = "a single section has no neighbour", .degree = 1},
      {.what = "a section as far back as there are sections has had its turn", .iteration = 0},
      {.what = "other partitions are other bytes", .base = 32},
      {.what = "a scope that is closed holds nothing", .closes = true},
      {.what = "automatic mode pins nothing", .automatic = true},
  };
  for (const HeapCase& row : rows) {
    SCOPED_TRACE(row.what);
    StackOptions options = Window(0, 100);
    options.automatic = row.automatic;
    StackManager manager = *StackManager::Create(Trn2(), options);
    ASSERT_TRUE(manager.OpenScope(row.degree).has_value());
    for (int i = 0; i < 2; ++i) {
      if (i == row.iteration) {
        ASSERT_TRUE(
            manager.AllocStack({"t", {32, 40}, "uint8", Space::kSbuf, Partition(row.base), {}}));
      }
      ASSERT_TRUE(manager.IncrementSection().has_value());
    }
    if (row.closes) {
      ASSERT_TRUE(manager.CloseScope().has_value());
    }
    ASSERT_TRUE(manager.AllocHeap({"h", {32, 90}, "uint8", Space::kSbuf, Partition(0), Bytes(1)}));
    EXPECT_EQ(manager.heap_overlaps().size(), row.reported);
  }
}

// The example of the library's own comment: without a high-water mark that counts the sub-scope,
// the second t1 lies on the first t2.
TEST(StackDefects, ASectionStartsBehindTheClosedSubScopesOfEarlierOnes) {
  StackManager manager = Manager(0, 1024);
  ASSERT_TRUE(manager.OpenScope(2).has_value());
  std::vector<std::int64_t> starts;
  for (int i = 0; i < 4; ++i) {
    starts.push_back(ByteOf(manager.AllocStack(Tile("t1", 128))));
    ASSERT_TRUE(manager.OpenScope().has_value());
    starts.push_back(ByteOf(manager.AllocStack(Tile("t2", 128))));
    ASSERT_TRUE(manager.CloseScope().has_value());
    ASSERT_TRUE(manager.IncrementSection().has_value());
  }
  EXPECT_THAT(starts, ElementsAre(0, 128, 256, 384, 0, 128, 256, 384));
  EXPECT_TRUE(manager.overlaps().empty());
}

// A sub-scope that begins its sections anew forgets its own mark; its parent must not.
TEST(StackDefects, ASectionStartsBehindSubScopesThatBeganAnew) {
  StackManager manager = Manager(0, 1024);
  ASSERT_TRUE(manager.OpenScope(2).has_value());
  ASSERT_TRUE(manager.OpenScope(2).has_value());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(manager.AllocStack(Tile("t", 100)).has_value());
    ASSERT_TRUE(manager.IncrementSection().has_value());
  }
  ASSERT_EQ(ByteOf(manager.AllocStack(Tile("u", 10))), 0);
  ASSERT_TRUE(manager.CloseScope().has_value());
  ASSERT_TRUE(manager.IncrementSection().has_value());
  EXPECT_EQ(manager.StackAddress(), ByteOffset(200));
}

}  // namespace
}  // namespace spillway::nki
