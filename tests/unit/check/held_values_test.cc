#include "model/alloc/check/held_values.h"

#include <gtest/gtest.h>

#include "tests/unit/check/test_kernel.h"

namespace spillway::check {
namespace {

constexpr Location kA{kSbufStore, false, 0, 0, 0};
constexpr Location kB{kSbufStore, false, 32, 100, 0};
constexpr Location kHome{kDramStore, true, 0, 4096, 8};

PlaneSet Plane(int partitions, int begin, int end) {
  return PlaneSet({Partition(0), Partition(partitions)}, {Range(begin, end)});
}
StoreRegion Sbuf(int first, int last, int begin, int end) {
  return {kSbufStore, false, {Partition(first), Partition(last)}, {Range(begin, end)}};
}
constexpr ValueId kNobody = ~ValueId{0};

TEST(HeldValues, WhatIsUndefinedIsHeldEverywhere) {
  const HeldValues values({Plane(4, 0, 8)});
  EXPECT_TRUE(values.MissingAt(0, Plane(4, 0, 8), kA).empty());
  EXPECT_TRUE(values.MissingAt(0, Plane(4, 0, 8), kHome).empty());
}

TEST(HeldValues, ADefinitionIsHeldAtItsPlaceAlone) {
  HeldValues values({Plane(4, 0, 8)});
  values.Define(0, Plane(4, 2, 6), kA);
  EXPECT_TRUE(values.MissingAt(0, Plane(4, 0, 8), kA).empty());
  EXPECT_EQ(values.MissingAt(0, Plane(4, 0, 8), kB), Plane(4, 2, 6));
}

TEST(HeldValues, ADefinitionTakesItsBytesFromOtherPlaces) {
  HeldValues values({Plane(4, 0, 8)});
  values.Define(0, Plane(4, 0, 8), kA);
  values.Hold(0, Plane(4, 0, 8), kHome);
  values.Define(0, Plane(4, 7, 8), kB);
  EXPECT_EQ(values.MissingAt(0, Plane(4, 0, 8), kHome), Plane(4, 7, 8));
  EXPECT_EQ(values.MissingAt(0, Plane(4, 0, 8), kA), Plane(4, 7, 8));
}

TEST(HeldValues, APossibleDefinitionKeepsItsOwnPlaceAndNoOther) {
  HeldValues values({Plane(4, 0, 8)});
  values.Define(0, Plane(4, 0, 8), kA);
  values.Hold(0, Plane(4, 0, 8), kHome);
  values.MayDefine(0, Plane(4, 0, 4), kA);
  EXPECT_TRUE(values.MissingAt(0, Plane(4, 0, 8), kA).empty());
  EXPECT_EQ(values.MissingAt(0, Plane(4, 0, 8), kHome), Plane(4, 0, 4));
}

// kB holds partitions [32, 36) x bytes [100, 108).
TEST(HeldValues, AWriteTakesExactlyTheBytesThatItCovers) {
  HeldValues values({Plane(4, 0, 8)});
  values.Define(0, Plane(4, 0, 8), kB);
  values.Overwrite(Sbuf(35, 64, 107, 200), kNobody, {});
  EXPECT_EQ(values.MissingAt(0, Plane(4, 0, 8), kB),
            PlaneSet({Partition(3), Partition(4)}, {Range(7, 8)}));
  values.Overwrite(Sbuf(0, 32, 0, 1000), kNobody, {});
  values.Overwrite(Sbuf(0, 64, 108, 1000), kNobody, {});
  EXPECT_EQ(values.MissingAt(0, Plane(4, 0, 8), kB),
            PlaneSet({Partition(3), Partition(4)}, {Range(7, 8)}));
}

// Partition p of the home lies at 4096 + 8 p.
TEST(HeldValues, AWriteAcrossTheRowsOfAHomeTakesPartsOfBoth) {
  HeldValues values({Plane(4, 0, 8)});
  values.Define(0, Plane(4, 0, 8), kHome);
  values.Overwrite({kDramStore, true, {Partition(0), Partition(1)}, {Range(4110, 4113)}}, kNobody,
                   {});
  PlaneSet lost({Partition(1), Partition(2)}, {Range(6, 8)});
  lost.Unite(PlaneSet({Partition(2), Partition(3)}, {Range(0, 1)}));
  EXPECT_EQ(values.MissingAt(0, Plane(4, 0, 8), kHome), lost);
}

TEST(HeldValues, AnotherMemoryIsAnotherPlace) {
  HeldValues values({Plane(4, 0, 8)});
  values.Define(0, Plane(4, 0, 8), kA);
  values.Overwrite({kPsumStore, false, {Partition(0), Partition(4)}, {Range(0, 8)}}, kNobody, {});
  EXPECT_TRUE(values.MissingAt(0, Plane(4, 0, 8), kA).empty());
}

TEST(HeldValues, PathsThatMeetKeepWhatBothHold) {
  HeldValues one({Plane(4, 0, 8)});
  one.Define(0, Plane(4, 0, 8), kA);
  HeldValues other = one;
  one.Hold(0, Plane(4, 0, 8), kHome);
  other.Hold(0, Plane(4, 0, 3), kHome);
  other.Hold(0, Plane(4, 0, 8), kB);
  one.MeetWith(other);
  EXPECT_TRUE(one.MissingAt(0, Plane(4, 0, 8), kA).empty());
  EXPECT_EQ(one.MissingAt(0, Plane(4, 0, 8), kHome), Plane(4, 3, 8));
  EXPECT_EQ(one.MissingAt(0, Plane(4, 0, 8), kB), Plane(4, 0, 8));
}

TEST(HeldValues, WhatOnlyOnePathDefinesIsHeldWhereThatPathHasIt) {
  HeldValues one({Plane(4, 0, 8)});
  HeldValues other = one;
  other.Define(0, Plane(4, 0, 8), kA);
  one.MeetWith(other);
  EXPECT_TRUE(one.MissingAt(0, Plane(4, 0, 8), kA).empty());
  EXPECT_FALSE(one.MissingAt(0, Plane(4, 0, 8), kB).empty());
}

TEST(HeldValues, AreEqualWhereTheyHoldTheSame) {
  HeldValues one({Plane(4, 0, 8)});
  HeldValues other = one;
  one.Define(0, Plane(4, 0, 8), kA);
  EXPECT_FALSE(one == other);
  other.Define(0, Plane(4, 0, 8), kA);
  EXPECT_TRUE(one == other);
  one.Hold(0, Plane(4, 0, 1), kB);
  EXPECT_FALSE(one == other);
}

}  // namespace
}  // namespace spillway::check
