#include "model/hw/interval.h"

#include <gtest/gtest.h>

namespace spillway {
namespace {

using Range = Interval<ByteOffset>;

constexpr Range R(std::int64_t begin, std::int64_t end) {
  return {ByteOffset(begin), ByteOffset(end)};
}

//   0    4    8    12
//   [----)              a
//        [----)         b touches a
//      [----)           c overlaps both
TEST(Interval, RangesThatOnlyTouchDoNotOverlap) {
  EXPECT_FALSE(Overlap(R(0, 4), R(4, 8)));
  EXPECT_FALSE(Overlap(R(4, 8), R(0, 4)));
  EXPECT_TRUE(Overlap(R(0, 4), R(3, 7)));
  EXPECT_TRUE(Overlap(R(3, 7), R(4, 8)));
}

TEST(Interval, ARangeInsideAnotherOverlapsIt) {
  EXPECT_TRUE(Overlap(R(0, 8), R(3, 4)));
  EXPECT_TRUE(Overlap(R(3, 4), R(0, 8)));
}

TEST(Interval, ContainsItsBeginAndNotItsEnd) {
  EXPECT_TRUE(R(4, 8).Contains(ByteOffset(4)));
  EXPECT_TRUE(R(4, 8).Contains(ByteOffset(7)));
  EXPECT_FALSE(R(4, 8).Contains(ByteOffset(8)));
  EXPECT_FALSE(R(4, 8).Contains(ByteOffset(3)));
}

TEST(Interval, IsEmptyWhereItEndsNoLaterThanItBegins) {
  EXPECT_TRUE(R(4, 4).empty());
  EXPECT_TRUE(R(5, 4).empty());
  EXPECT_FALSE(R(4, 5).empty());
}

TEST(Interval, CoversWhatLiesWithinBothEnds) {
  EXPECT_TRUE(R(0, 8).Covers(R(0, 8)));
  EXPECT_TRUE(R(0, 8).Covers(R(2, 6)));
  EXPECT_FALSE(R(0, 8).Covers(R(2, 9)));
  EXPECT_FALSE(R(1, 8).Covers(R(0, 6)));
}

TEST(Interval, TheIntersectionOfDisjointRangesIsEmpty) {
  EXPECT_EQ(Intersect(R(0, 6), R(4, 8)), R(4, 6));
  EXPECT_TRUE(Intersect(R(0, 2), R(4, 8)).empty());
}

TEST(Interval, TheHullSpansTheGapBetweenRanges) { EXPECT_EQ(Hull(R(6, 8), R(0, 2)), R(0, 8)); }

constexpr Rectangle Box(Interval<Partition> partitions, Range bytes) { return {partitions, bytes}; }
constexpr Interval<Partition> kLower{Partition(0), Partition(64)};
constexpr Interval<Partition> kUpper{Partition(64), Partition(128)};

//   partitions   bytes 0    8    16
//     0..63           [--a-)[-b--)
//    64..127          [--c-)
TEST(Rectangle, TensorsInDifferentPartitionsMayShareByteOffsets) {
  EXPECT_FALSE(Overlap(Box(kLower, R(0, 8)), Box(kUpper, R(0, 8))));
}

TEST(Rectangle, TensorsInOnePartitionMayNotShareByteOffsets) {
  EXPECT_FALSE(Overlap(Box(kLower, R(0, 8)), Box(kLower, R(8, 16))));
  EXPECT_TRUE(Overlap(Box(kLower, R(0, 8)), Box(kLower, R(7, 16))));
  EXPECT_TRUE(Overlap(Box({Partition(0), Partition(65)}, R(0, 8)), Box(kUpper, R(0, 8))));
}

}  // namespace
}  // namespace spillway
